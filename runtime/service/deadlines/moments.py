"""The moments of an execution at which something is to be told, as of its state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ..operations.status import ExecutionState
from ..records.happenings import TimeKind
from ..records.metrics import iso
from ..records.tables import StoredAssignment


@dataclass(frozen=True, slots=True)
class DueNote:
    """A moment at which something is to be told, unless it was before under `key`. `level` is the
    step of the escalation that comes then with the assignment that is late."""

    due: datetime
    key: str
    kind: TimeKind
    step: str
    message: str
    assignment: StoredAssignment | None = None
    level: Mapping[str, Any] | None = None


def moments_of(standing: ExecutionState, answers: Sequence[DueNote] = ()) -> list[DueNote]:
    """Return what is still to be told of an execution, and of the `answers` that its agents owe
    each other, the earliest first. A pause holds all back but its own end; an execution that has
    ended has none."""
    if standing.status == "paused":
        found = list(_of_pause(standing))
    elif standing.status in ("starting", "executing"):
        found = [*_of_all(standing), *_of_steps(standing), *answers]
    else:
        found = []
    told = {happening.key for happening in standing.told}
    return sorted((m for m in found if m.key not in told), key=lambda m: (m.due, m.key))


def _of_pause(standing: ExecutionState) -> Iterator[DueNote]:
    held = standing.execution.paused or {}
    if held.get("until"):
        end = datetime.fromisoformat(held["until"])
        message = f"the pause was to end at {iso(end)}"
        yield DueNote(end, f"pause {held['at']}", "deadline", "", message)


def _of_all(standing: ExecutionState) -> Iterator[DueNote]:
    due = standing.execution.due
    if due:
        message = f"the execution was to be finished at {due}"
        yield DueNote(datetime.fromisoformat(due), f"end {due}", "deadline", "", message)


def _of_steps(standing: ExecutionState) -> Iterator[DueNote]:
    """Yield the deadline of every step that can be or is being done, and the next step of its
    escalation."""
    told = {happening.key for happening in standing.told}
    levels = standing.execution.escalation
    for assignment in standing.open:
        if assignment.deadline is None:
            continue
        step = standing.step(assignment.step)
        due = datetime.fromisoformat(assignment.deadline)
        who = assignment.agent or "nobody"
        message = f"{step.name}: {who} had until {iso(due)}"
        key = f"deadline {assignment.id} {assignment.deadline}"
        yield DueNote(due, key, "deadline", step.id, message, assignment)
        keys = [f"escalation {step.id}#{assignment.visit} {n + 1}" for n in range(len(levels))]
        for level, key in zip(levels, keys, strict=True):
            if key not in told:
                later = due + timedelta(minutes=level["after_minutes"])
                yield DueNote(later, key, "escalation", step.id, message, assignment, level)
                break
