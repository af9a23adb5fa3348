"""The difference between two runs: their paths, results and costs."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..events import RunEvent
from ..services import Json

UNSET = None
_COSTS = ("nodes", "seconds", "input_tokens", "output_tokens", "cached_tokens", "cost")


@dataclass(frozen=True, slots=True)
class RunDifference:
    """`path` are lines of the two ways (" " both, "-" the first, "+" the second run); `variables`
    the values that differ, by name, as (first, second); `ends` how they ended and what came out,
    where that differs; `costs` both numbers of everything that is counted."""

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


def compare(first: ComparedRun, second: ComparedRun) -> RunDifference:
    """Return everything that differs between two runs, of whatever workflows."""
    ways = [steps_of(run.events) for run in (first, second)]
    names = sorted(first.variables.keys() | second.variables.keys())
    pairs = {n: (first.variables.get(n, UNSET), second.variables.get(n, UNSET)) for n in names}
    ends = {"status": (first.status, second.status), "result": (first.result, second.result)}
    counted = [_costs(run) for run in (first, second)]
    return RunDifference(
        path=tuple(_align(*ways)),
        variables={name: pair for name, pair in pairs.items() if pair[0] != pair[1]},
        ends={name: pair for name, pair in ends.items() if pair[0] != pair[1]},
        costs={name: (counted[0].get(name), counted[1].get(name)) for name in _COSTS},
    )


def steps_of(events: Sequence[RunEvent]) -> list[str]:
    """Return the nodes that a run went through, with the calls that lead to them and what came of
    each. A node that was begun again after a crash or an answer stands once; nodes that ran side by
    side stand in the order of their names, whichever was through first."""
    entries: list[tuple[Any, str, str]] = []
    steps: dict[tuple[tuple[str, ...], str], Any] = {}
    for event in events:
        if event.kind == "node_started":
            steps[event.path, event.node] = event.data.get("step")
        if event.kind not in ("node_finished", "node_failed"):
            continue
        name = "/".join((*event.path, event.node))
        case = str(event.data.get("case") or "")
        line = f"{name} → {case}" if case and case != "success" else name
        line += " failed" if event.kind == "node_failed" else ""
        step = steps.get((event.path, event.node))
        entries.append((None if step is None else (event.path, step), name, line))
    return [line for _, _, line in _in_order(entries)]


def _in_order(entries: list[tuple[Any, str, str]]) -> Iterator[tuple[Any, str, str]]:
    """Yield neighbours of one step sorted by name."""
    waiting: list[tuple[Any, str, str]] = []
    for entry in entries:
        if waiting and (entry[0] is None or entry[0] != waiting[-1][0]):
            yield from sorted(waiting, key=lambda e: e[1])
            waiting = []
        waiting.append(entry)
    yield from sorted(waiting, key=lambda e: e[1])


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
