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
from .graphs import components, predecessors, returns, successors


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
    back = returns([workflow.entry], after)
    forward = {id: tuple(t for t in after[id] if (id, t) not in back) for id in after}
    path = _longest([node for part in components(forward) for node in part][::-1], forward, minutes)
    return Schedule(
        total=sum(minutes.values()),
        critical_path=tuple(id for id in path if id in minutes),
        critical=sum(minutes.get(id, 0) for id in path),
    )


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
