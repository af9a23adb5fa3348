"""The numbers in responses (C25): pure functions over steps, results and times.

docs/api.md states each formula; a number without data is None.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from flowc.compiler.ir import GateNode, TaskNode, Workflow


@dataclass(frozen=True, slots=True)
class TaskStep:
    """A task of a workflow; `needs` are the steps it depends on, `waits` those that have to be done
    before it starts: reviews too, which may restart what it depends on. `is_reviewed_first`:
    one of them is a review."""

    id: str
    name: str
    role: str
    form: str
    minutes: float
    needs: tuple[str, ...]
    criteria: str
    agent: str | None
    waits: tuple[str, ...] = ()
    is_reviewed_first: bool = False

    @property
    def by_nobody(self) -> bool:
        """A synchronization merges by itself."""
        return self.form == "synchronization"


def steps_of(workflow: Workflow) -> tuple[TaskStep, ...]:
    """Return the steps in file order."""
    tasks = [node for node in workflow.nodes if isinstance(node, TaskNode)]
    by_variable = {task.into: task.id for task in tasks}
    steps = tuple(
        TaskStep(
            id=task.id,
            name=task.title or task.id,
            role=task.role,
            form=task.form,
            minutes=task.minutes or 0.0,
            needs=tuple(by_variable[name] for name in task.after if name in by_variable),
            criteria="; ".join(criterion.text for criterion in task.criteria),
            agent=task.agent,
        )
        for task in tasks
    )
    waits, forms = _waits(steps), {step.id: step.form for step in steps}
    return tuple(
        replace(
            step,
            waits=waits[step.id],
            is_reviewed_first=any(forms[id] == "review" for id in waits[step.id]),
        )
        for step in steps
    )


def _waits(steps: Sequence[TaskStep]) -> dict[str, tuple[str, ...]]:
    """Return what each step waits for: what it depends on, and in place of a step that a review may
    restart the review (C23)."""
    forms = {step.id: step.form for step in steps}
    waits = {step.id: tuple(n for n in step.needs if n in forms) for step in steps}
    behind: dict[str, set[str]] = {step.id: set() for step in steps}
    for id, needs in waits.items():
        for need in needs:
            behind[need].add(id)
    reviews = [step.id for step in steps if step.form == "review"]
    for _ in reviews:  # each round can only put more steps behind a review
        before = dict(waits)
        for review in reviews:
            region = _region(review, waits, forms)
            for step in set().union(*(behind[id] for id in region)) - region - {review}:
                kept = (need for need in waits[step] if need not in region)
                for need in waits[step]:
                    behind[need].discard(step)
                waits[step] = tuple(dict.fromkeys((*kept, review)))
                for need in waits[step]:
                    behind[need].add(step)
        if waits == before:
            break
    return waits


def levels_of(steps: Collection[TaskStep]) -> Iterator[list[TaskStep]]:
    """Yield the steps that need none of the others, then those that need none but them, and so
    on. None where they need each other in a circle."""
    order = {step.id: number for number, step in enumerate(steps)}
    missing = {step.id: len(order.keys() & step.needs) for step in steps}
    behind: dict[str, list[TaskStep]] = {step.id: [] for step in steps}
    for step in steps:
        for need in order.keys() & step.needs:
            behind[need].append(step)
    level = [step for step in steps if not missing[step.id]]
    while level:
        yield level
        later = []
        for step in level:
            for one in behind[step.id]:
                missing[one.id] -= 1
                if not missing[one.id]:
                    later.append(one)
        level = sorted(later, key=lambda step: order[step.id])


def _region(
    review: str, waits: Mapping[str, Sequence[str]], forms: Mapping[str, str]
) -> frozenset[str]:
    """Return what a review may restart: the steps that it judges, those that a synchronization
    merges in place of it, and all between them and the review."""
    judged, todo = set[str](), list(waits[review])
    while todo:
        step = todo.pop()
        if forms[step] == "synchronization" and waits[step]:
            todo += waits[step]
        elif step not in judged:
            judged.add(step)
    before, todo = set[str](), list(waits[review])
    while todo:
        if (step := todo.pop()) not in before:
            before.add(step)
            todo += waits[step]
    region, size = set(judged), 0
    while len(region) > size:
        size = len(region)
        region |= {step for step in before if region.intersection(waits[step])}
    return frozenset(region)


def gates_of(workflow: Workflow) -> tuple[GateNode, ...]:
    """Return the quality gates in file order."""
    return tuple(node for node in workflow.nodes if isinstance(node, GateNode))


def ready(steps: Sequence[TaskStep], done: Collection[str], sequential: bool) -> list[TaskStep]:
    """Return the steps that can start; only the first when one is done at a time."""
    free = [s for s in steps if s.id not in done and all(id in done for id in s.waits)]
    return free[:1] if sequential else free


def percentage(steps: Sequence[TaskStep], done: Collection[str]) -> float:
    """Return the done share, 0 to 100: of the estimated minutes, else of the number of steps."""
    if not steps:
        return 0.0
    weights = {step.id: step.minutes for step in steps}
    if not any(weights.values()):
        weights = dict.fromkeys(weights, 1.0)
    reached = sum(weight for id, weight in weights.items() if id in done)
    return round(100 * reached / sum(weights.values()), 2)


def remaining_minutes(steps: Sequence[TaskStep], done: Collection[str], sequential: bool) -> float:
    """Return the longest way through the rest, or its sum when one step is done at a time."""
    left = [step for step in steps if step.id not in done]
    if sequential:
        return sum(step.minutes for step in left)
    ends: dict[str, float] = {}
    for level in levels_of(left):
        for step in level:
            ends[step.id] = step.minutes + max((ends.get(n, 0.0) for n in step.needs), default=0.0)
    return max(ends.values(), default=0.0)


def completion_time(now: datetime, minutes: float) -> str:
    """Return the end of work of so many minutes that begins now."""
    return iso(now + timedelta(minutes=minutes))


def phase(
    steps: Sequence[TaskStep], done: Collection[str], gates: Sequence[GateNode], ended: bool
) -> str:
    """Return the names of the first open steps, then that of the first gate, then "finished"."""
    if ended:
        return "finished"
    open_steps = ready(steps, done, sequential=False)
    if open_steps:
        return ", ".join(step.name for step in open_steps)
    return f"gate {gates[0].title or gates[0].id}" if gates else "finishing"


def timeline(
    minutes_late: float, estimated_total: float
) -> Literal["on_track", "ahead", "delayed"]:
    """Return how late it is: minutes (negative: early) against a tenth of the estimated total."""
    margin = estimated_total / 10
    if minutes_late > margin:
        return "delayed"
    return "ahead" if minutes_late < -margin else "on_track"


def quality_impact(
    before: Sequence[float], score: float | None
) -> Literal["improved", "unchanged", "declined", "unknown"]:
    """Compare a new score with the mean of those before it; up to 0.01 they are the same."""
    if score is None or not before:
        return "unknown"
    difference = score - sum(before) / len(before)
    if abs(difference) <= 0.01:
        return "unchanged"
    return "improved" if difference > 0 else "declined"


def utilisation(
    spans: Sequence[tuple[str, datetime, datetime]], begin: datetime, end: datetime
) -> dict[str, float]:
    """Return for each agent the share of the time from `begin` to `end` in which it had a step."""
    whole = (end - begin).total_seconds()
    if whole <= 0:
        return {}
    shares: dict[str, float] = {}
    for agent in dict.fromkeys(agent for agent, _, _ in spans):
        own = sorted((max(a, begin), min(b, end)) for name, a, b in spans if name == agent)
        busy, reached = 0.0, begin
        for start, stop in own:
            busy += max(0.0, (stop - max(start, reached)).total_seconds())
            reached = max(reached, stop)
        shares[agent] = round(busy / whole, 4)
    return shares


def iso(moment: datetime) -> str:
    """Return a time as responses write it: ISO 8601 UTC, milliseconds."""
    return moment.isoformat(timespec="milliseconds")
