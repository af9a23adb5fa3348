"""The runs of a store that are not executions: those of `flowc run`, which its service shows and
does not carry on.

A run whose id begins like an execution's is one, or was. Runs of this kind belong to no team.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...db.database import marks
from .wanted import Condition, Wanted

_APART = "substr(id, 1, 3) <> 'ex-'"
SCHEMA = f"create index if not exists runs_by_start on runs (started desc, id) where {_APART}"
_KEPT = {
    "completed": ("success",),
    "failed": ("failed", "error", "stopped"),
    "executing": ("paused",),
    "paused": ("interrupted",),
}
"""The statuses of a run for those of an execution. One that waits for a person is executing, one
that somebody interrupted, or whose process died, is paused."""


RUNNING = f"select id from runs where status = 'running' and {_APART}"
"""A query of those that run, if they have a process: that only their leases say."""


def query_of(
    wanted: Wanted, after: str, running: Collection[str], held: Collection[str]
) -> Condition:
    """Return the condition of those that a list shows behind the id `after`, of a run or an
    execution. `held` are those of the `running` that have a process."""
    asked: list[Condition] = [(_APART, ())]
    asked += [*wanted.behind(after, "id", "started"), *wanted.within("started")]
    if wanted.status:
        kept = _KEPT.get(wanted.status, ())
        asked.append((f"status in ({marks(kept)})", kept))
        if wanted.status in ("executing", "paused"):
            these = [id for id in running if (id in held) == (wanted.status == "executing")]
            both = f"(status in ({marks(kept)}) or id in ({marks(these)}))"
            asked[-1] = (both, (*kept, *these))
    values = [value for _, more in asked for value in more]
    return " and ".join(part for part, _ in asked), values


def status_of(run: str) -> str:
    """Return the status of an execution that a run's status is."""
    if run in ("running", "crashed"):
        return "executing" if run == "running" else "paused"
    return next(status for status, kept in _KEPT.items() if run in kept)


def is_held_up(run: str) -> bool:
    """Return whether a run of this status goes on when somebody says so, and nobody carries it on
    now."""
    return status_of(run) == "paused"


def costs_of(usage: dict[str, Any]) -> tuple[int, float | None]:
    """Return the tokens and the cost (dollars; None: unknown) of a run's models."""
    tokens = int(usage.get("input_tokens") or 0) + int(usage.get("output_tokens") or 0)
    return tokens, usage.get("cost")
