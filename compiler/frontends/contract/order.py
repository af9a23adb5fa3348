"""The order of a contract's steps: circles (C2), who is before whom (C4, C7), what is done anew.

A review restarts what it reviews, with everything between (C23). Nothing else may build on a step
that may be done anew, so a step that depends on such a step waits until its review has passed:

    draft ─> review          read as          draft ─> review ─> print
    draft ─> print
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Mapping, Sequence

from ...analysis.graphs import loops, path_to, predecessors, reachable
from ...diagnostics.diagnostic import Label, Sink
from ...source.records import dataclass
from ...source.source import Span
from .steps import ContractStep

Needs = dict[str, tuple[str, ...]]
"""For each step those it depends on."""
_SHOWN = 6
"""Dependencies of a circle that get a label."""
MAX_ROUNDS = 20
"""Passes over the reviews; each can only put more steps behind a review."""


@dataclass(frozen=True, slots=True)
class Redo:
    """What an unsatisfied review starts anew: `heads` are begun again, `region` is all that is done
    again up to the review."""

    heads: tuple[str, ...]
    region: frozenset[str]


def report_circles(steps: Sequence[ContractStep], needs: Needs, sink: Sink) -> bool:
    """Report FC2004 once for every circle of dependencies, and return whether there are any."""
    by_id = {step.id: step for step in steps}
    circles = loops(needs)
    for members in sorted(circles, key=lambda m: min(by_id[id].span for id in m)):
        first = min(members, key=lambda id: by_id[id].span)
        circle = _circle(first, set(members), needs)
        places = [_place(by_id[one], other) for one, other in itertools.pairwise(circle)]
        message = (
            f"step `{first}` depends on itself"
            if len(circle) == 2
            else f"steps depend on each other in a circle: {' → '.join(circle)}"
        )
        labels = tuple(
            Label(place, f"`{one}` waits for `{other}`")
            for place, one, other in zip(places[1:], circle[1:], circle[2:], strict=False)
        )
        help = "remove one of these dependencies"
        sink.report("FC2004", message, places[0], labels=labels[:_SHOWN], help=help)
    return bool(circles)


def _circle(start: str, members: set[str], needs: Needs) -> list[str]:
    """Return a shortest way from `start` back to it through its needs."""
    inside = {id: [n for n in needs[id] if n in members] for id in members}
    before = reachable(inside[start], inside, avoid=lambda id: id == start)
    return [start, *path_to(start, before)]


def _place(step: ContractStep, need: str) -> Span:
    return next((words.span for words in step.needs if words.text == need), step.span)


def in_order(steps: Iterable[str], needs: Needs) -> tuple[str, ...]:
    """Return every step behind those it depends on, else in file order (C7). No circles."""
    number = {id: at for at, id in enumerate(steps)}
    ids = list(number)
    after = predecessors(needs)
    open_needs = {id: len(needs[id]) for id in ids}
    ready = [number[id] for id in ids if not open_needs[id]]
    heapq.heapify(ready)
    order: list[str] = []
    while ready:
        id = ids[heapq.heappop(ready)]
        order.append(id)
        for dependent in after[id]:
            open_needs[dependent] -= 1
            if not open_needs[dependent]:
                heapq.heappush(ready, number[dependent])
    return tuple(order)


def reviewed_steps(review: str, forms: Mapping[str, str], needs: Needs) -> tuple[str, ...]:
    """Return what a review restarts: the steps it depends on, and in place of a synchronization
    what that one merges."""
    steps: dict[str, None] = {}
    todo = list(reversed(needs[review]))
    while todo:
        id = todo.pop()
        if id in steps:
            continue
        if forms[id] == "synchronization" and needs[id]:
            todo += reversed(needs[id])
        else:
            steps[id] = None
    return tuple(steps)


def with_reviews_awaited(
    order: Sequence[str], forms: Mapping[str, str], needs: Needs
) -> tuple[Needs, dict[str, Redo]]:
    """Return the needs, where everything that depends on a step that a review may restart waits for
    the review instead, and what each review restarts. `order` is that of `in_order`."""
    needs = dict(needs)
    after = {id: set(ids) for id, ids in predecessors(needs).items()}
    place = {id: at for at, id in enumerate(order)}
    targets = {id: reviewed_steps(id, forms, needs) for id in order if forms[id] == "review"}
    reviews = [id for id, heads in targets.items() if heads]
    for _ in range(MAX_ROUNDS):
        changed = False
        for review in reviews:
            region = _region(targets[review], review, needs, place)
            hasty = {id for inner in region for id in after[inner]} - region - {review}
            for outside in hasty:
                for need in region.intersection(needs[outside]):
                    after[need].discard(outside)
                kept = (need for need in needs[outside] if need not in region)
                needs[outside] = tuple(dict.fromkeys((*kept, review)))
                after[review].add(outside)
            changed = changed or bool(hasty)
            if any(place[outside] < place[review] for outside in hasty):
                place = {id: at for at, id in enumerate(in_order(order, needs))}
        if not changed:
            break
    return needs, {review: _redo(targets[review], review, needs, place) for review in reviews}


def _region(
    heads: Sequence[str], review: str, needs: Needs, place: Mapping[str, int]
) -> frozenset[str]:
    """Return the heads and all on a way from one of them to the review, without the review."""
    first = min(place[head] for head in heads)
    above = reachable(needs[review], needs, avoid=lambda id: place[id] <= first)
    near = {id: [n for n in needs[id] if n in above] for id in above}
    below = reachable([h for h in heads if h in above], predecessors(near))
    return frozenset(below)


def _redo(targets: Sequence[str], review: str, needs: Needs, place: Mapping[str, int]) -> Redo:
    """Return a review's restart. Its heads are the restarted steps that no other one leads to."""
    region = _region(targets, review, needs, place)
    begun: list[str] = []
    for target in sorted(targets, key=place.__getitem__):
        inside = {id: [n for n in needs[id] if n in region] for id in region}
        if not any(other in begun for other in reachable([target], inside) if other != target):
            begun.append(target)
    return Redo(heads=tuple(begun), region=region)
