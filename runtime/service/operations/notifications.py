"""What happened in an execution that somebody may want to be told of: milestones, warnings, errors,
the end. `notifications` of the execution say which of them are alerts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...events import RunEvent
from ..contract import responses as told
from ..records.tables import StoredExecution
from .executions import Executing
from .status import Standing

_ALERTS: Mapping[told.HappeningKind, str] = {
    "milestone": "milestone_alerts",
    "error": "error_alerts",
    "completion": "completion_alerts",
}
"""The notification that makes an alert of what is of this kind."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The titles of gates and steps, by id."""

    titles: Mapping[str, str]

    def of(self, event: RunEvent) -> tuple[told.HappeningKind, str] | None:
        """The kind of what happened, in words; None for what concerns nobody."""
        title = self.titles.get(event.node) or event.node
        match event.kind:
            case "gate" if event.data["passed"]:
                return "milestone", f"{title}: {_judged(event)}"
            case "warning":
                return "warning", f"{title}: {event.data['message']}" if title else _text(event)
            case "node_failed" if not event.data.get("caught"):
                return "error", _text(event)
            case "run_finished" if event.data.get("status") == "success":
                return "completion", "the execution is completed"
        return None


def _judged(event: RunEvent) -> str:
    score, required = event.data.get("score"), event.data.get("required")
    if event.data.get("form") == "milestone":
        return "reached"
    return "approved" if score is None else f"passed with {score:.3g}, {required:g} is required"


def _text(event: RunEvent) -> str:
    return str(event.data.get("message", ""))


def happened(
    execution: StoredExecution, titles: Mapping[str, str], events: Sequence[RunEvent]
) -> list[told.Happening]:
    """In the order in which it happened."""
    words, found = _Words(titles), []
    for event in events:
        said = words.of(event)
        if said is None:
            continue
        kind, message = said
        wanted = execution.notifications.get(_ALERTS.get(kind, ""), False)
        found.append(
            told.Happening(
                time=event.time, kind=kind, step_id=event.node, message=message, alert=wanted
            )
        )
    return found


async def happenings_of(executing: Executing, standing: Standing) -> list[told.Happening]:
    """What happened in an execution so far."""
    if standing.record is None:
        return []
    titles = {node.id: getattr(node, "title", "") or node.id for node in standing.workflow.nodes}
    events = await executing.engine.store.events(standing.execution.id)
    return happened(standing.execution, titles, events)
