"""The difference between two runs: their paths, results and costs."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..cassette.format import Cassette, Exchange, Key
from ..events import RunEvent
from ..services import Json

Place = tuple[str, ...]
"""A node after the calls that lead to it."""
Order = tuple[tuple[int, int, str, int], ...]
UNSET = None
_BESIDE = ("given", "digest", "usage", "gave", "answered_by")
"""Parts of a recorded exchange that are not its answer. What a model gave has an id in it, which is
another each time."""
_COSTS = ("nodes", "seconds", "input_tokens", "output_tokens", "cached_tokens", "cost")


@dataclass(frozen=True, slots=True)
class RunDifference:
    """`path` are lines of the two ways (" " both, "-" the first, "+" the second run); `variables`
    the values that differ, by name, as (first, second); `ends` how they ended, what came out and
    what was wrong, where that differs; `costs` both numbers of everything that is counted."""

    path: tuple[tuple[str, str], ...] = ()
    variables: Mapping[str, tuple[Json, Json]] = field(default_factory=dict)
    ends: Mapping[str, tuple[Json, Json]] = field(default_factory=dict)
    costs: Mapping[str, tuple[Json, Json]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether the runs differ in more than what they cost."""
        moved = any(sign != " " for sign, _ in self.path)
        return moved or bool(self.variables) or bool(self.ends)


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """The parts of a run that are compared: its events in order, its variables, how it stands."""

    events: Sequence[RunEvent]
    variables: Mapping[str, Json]
    status: str
    result: Json = None
    usage: Mapping[str, Json] = field(default_factory=dict)
    error: str | None = None
    """Why it failed: of a replay that drifted, the exchange at which it did."""


def compare(first: ComparedRun, second: ComparedRun) -> RunDifference:
    """Return everything that differs between two runs, of whatever workflows."""
    ways = [steps_of(run.events) for run in (first, second)]
    names = sorted(first.variables.keys() | second.variables.keys())
    pairs = {n: (first.variables.get(n, UNSET), second.variables.get(n, UNSET)) for n in names}
    ends: dict[str, tuple[Json, Json]] = {
        "status": (first.status, second.status),
        "result": (first.result, second.result),
        "error": (first.error, second.error),
    }
    counted = [_costs(run) for run in (first, second)]
    return RunDifference(
        path=tuple(_align(*ways)),
        variables={name: pair for name, pair in pairs.items() if pair[0] != pair[1]},
        ends={name: pair for name, pair in ends.items() if pair[0] != pair[1]},
        costs={name: (counted[0].get(name), counted[1].get(name)) for name in _COSTS},
    )


def compare_cassettes(first: Cassette, second: Cassette) -> RunDifference:
    """Return what differs between two recordings: each exchange by its place, visit, attempt and
    number, whatever stood side by side came first in the file; inputs; what the calls cost."""
    ways = [
        {key: _exchange_line(e) for key, e in tape.exchanges.items()} for tape in (first, second)
    ]
    names = sorted(first.header.inputs.keys() | second.header.inputs.keys())
    pairs = {n: (first.header.inputs.get(n), second.header.inputs.get(n)) for n in names}
    counted = [_used(tape) for tape in (first, second)]
    return RunDifference(
        path=tuple(_align_keys(*ways)),
        variables={name: pair for name, pair in pairs.items() if pair[0] != pair[1]},
        costs={name: (counted[0][name], counted[1][name]) for name in counted[0]},
    )


def _exchange_line(exchange: Exchange) -> str:
    """Return an exchange in one line; two lines are equal where the exchanges are."""
    answer = {name: v for name, v in exchange.body.items() if name not in _BESIDE}
    shown = json.dumps(answer, ensure_ascii=False, sort_keys=True, default=str)
    asked = exchange.body.get("digest", "")
    return f"{exchange.kind} {exchange.call_name}  asked {asked}  {shown}"


def _align_keys(first: Mapping[Key, str], second: Mapping[Key, str]) -> Iterator[tuple[str, str]]:
    """Yield the lines of both in the order of the first, what only the second has behind what comes
    before it there."""
    behind: dict[Key | None, list[str]] = {}
    before: Key | None = None
    for key, line in second.items():
        if key in first:
            before = key
        else:
            behind.setdefault(before, []).append(line)
    yield from (("+", line) for line in behind.get(None, ()))
    for key, line in first.items():
        other = second.get(key)
        yield (" " if line == other else "-"), line
        if other not in (None, line):
            yield "+", other or ""
        yield from (("+", more) for more in behind.get(key, ()))


def _used(tape: Cassette) -> dict[str, int]:
    """Return the exchanges of a recording, and the tokens of its model calls."""
    usages = [e.body.get("usage") or {} for e in tape.exchanges.values()]
    tokens = {name: sum(int(u.get(name) or 0) for u in usages) for name in _COSTS[2:5]}
    return {"exchanges": len(tape.exchanges), **tokens}


def steps_of(events: Sequence[RunEvent]) -> list[str]:
    """Return the nodes that a run went through, with the calls that lead to them and what came of
    each attempt; `mid~2` is the second one of `mid`. A node that was begun again after a crash or
    an answer stands once; what ran side by side stands in the order of names and elements,
    whichever was through first."""
    entries: list[tuple[Order, str]] = []
    steps: dict[Place, int] = {}
    attempts: dict[Place, int] = {}
    for event in events:
        at = (*event.path, event.node)
        if event.kind == "node_started":
            steps[at] = event.data.get("step", 0)
        if event.kind not in ("node_finished", "node_failed", "node_retry"):
            continue
        order, line = _order(at, steps, attempts)
        case = str(event.data.get("case") or "")
        line += f" → {case}" if case and case != "success" else ""
        line += "" if event.kind == "node_finished" else " failed"
        entries.append((order, line))
        attempts = {place: n for place, n in attempts.items() if not _lies_in(place, at)}
        if event.kind == "node_retry":
            attempts[at] = int(event.data["attempt"]) + 1
    return [line for _, line in sorted(entries, key=lambda entry: entry[0])]


def _order(
    at: Place, steps: Mapping[Place, int], attempts: Mapping[Place, int]
) -> tuple[Order, str]:
    """Return what a node is sorted by, and its name with the attempts after the first. What it runs
    stands before it."""
    order, names = [], []
    for depth, part in enumerate(at):
        node, mark, item = part.partition("#")
        place = (*at[:depth], node)
        attempt = attempts.get(place, 1)
        order.append((0, steps.get(place, 0), node, attempt))
        order += [(0, int(item), "", 0)] if mark else []
        names.append(f"{node}~{attempt}{mark}{item}" if attempt > 1 else part)
    return (*order, (1, 0, "", 0)), "/".join(names)


def _lies_in(place: Place, node: Place) -> bool:
    """Return whether a place is a node, or lies in what the node runs."""
    *outer, last = place[: len(node)]
    return (*outer, last.partition("#")[0]) == node


def _align(first: list[str], second: list[str]) -> Iterator[tuple[str, str]]:
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            yield from ((" ", line) for line in first[a:b])
        else:
            yield from (("-", line) for line in first[a:b])
            yield from (("+", line) for line in second[c:d])


def _costs(run: ComparedRun) -> dict[str, Json]:
    seconds = sum(e.data.get("seconds", 0) for e in run.events if e.kind == "run_finished")
    nodes = sum(e.kind == "node_finished" for e in run.events)
    return {**run.usage, "nodes": nodes, "seconds": round(seconds, 3)}
