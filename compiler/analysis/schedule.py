"""Schedule: how long the tasks of a workflow are estimated to take, in minutes (C5).

    gather 10 ─> analyse 8 ─> write 7        total 25, critical path gather → analyse → write: 25
           └──> index 4 ───────┘

The total is the sum over all tasks. The critical path is the longest way through them, with every
task done once: edges that lead back are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir import OnError, TaskNode, Workflow
from ..source.records import dataclass
from .graphs import components, loops, predecessors, successors

MAX_NESTED = 50
"""Loops within loops that are untied."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Minutes in all, the tasks on the critical path in their order, and its minutes."""

    total: float
    critical_path: tuple[str, ...]
    critical: float


def schedule_of(workflow: Workflow) -> Schedule | None:
    """The schedule of a workflow; None when no task has an estimate."""
    minutes = {
        node.id: node.minutes
        for node in workflow.nodes
        if isinstance(node, TaskNode) and node.minutes is not None
    }
    if not minutes:
        return None
    edges = [edge for edge in workflow.edges if not isinstance(edge.guard, OnError)]
    after = successors((node.id for node in workflow.nodes), edges)
    forward = _without_ways_back(workflow.entry, after)
    path = _longest([node for part in components(forward) for node in part][::-1], forward, minutes)
    return Schedule(
        total=sum(minutes.values()),
        critical_path=tuple(id for id in path if id in minutes),
        critical=sum(minutes.get(id, 0) for id in path),
    )


def _without_ways_back(
    start: str, after: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """The table without the edges that close loops: inside a loop those to a node at which it is
    entered. What is left may hold loops within loops, so it is looked at again."""
    table = {node: tuple(targets) for node, targets in after.items()}
    for _ in range(MAX_NESTED):
        found = loops(table)
        if not found:
            break
        before = predecessors(table)
        for members in found:
            inside = set(members)
            entered = {n for n in members if n == start or set(before[n]) - inside}
            entered = entered or {members[-1]}
            for node in members:
                table[node] = tuple(t for t in table[node] if t not in entered or t not in inside)
    return table


def _longest(
    order: Sequence[str], after: Mapping[str, Sequence[str]], minutes: Mapping[str, float]
) -> list[str]:
    """The way with the most minutes; of equal ones the first found. `order` has every node behind
    those that lead to it."""
    before = predecessors(after)
    length: dict[str, float] = {}
    came: dict[str, str | None] = {}
    for node in order:
        ways = [b for b in before[node] if b in length]
        best = max(ways, key=length.__getitem__, default=None)
        came[node] = best
        length[node] = minutes.get(node, 0) + (length[best] if best is not None else 0)
    at = max(order, key=length.__getitem__, default=None)
    path: list[str] = []
    while at is not None:
        path.append(at)
        at = came[at]
    return path[::-1]
