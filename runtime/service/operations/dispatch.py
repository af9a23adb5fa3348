"""Who is given which step, until when, and what they are told of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from ..records.metrics import Step, iso
from ..records.tables import Assignment, StoredExecution, new_id

_KEYS = ("priority", "deadline", "resources", "context")


def made_for(
    execution: StoredExecution,
    step: Step,
    visit: int,
    people: Mapping[str, bool],
    now: datetime,
    *,
    agent: str = "",
    config: Mapping[str, Any] | None = None,
) -> Assignment:
    """A new assignment, which begins now and is due after the step's estimated minutes unless the
    configuration says when. `people` says of each agent whether it is a person."""
    given = dict(config or {})
    who = agent or step.agent or ""
    due = iso(now + timedelta(minutes=step.minutes)) if step.minutes else None
    return Assignment(
        execution=execution.id,
        number=0,
        id=new_id("as"),
        step=step.id,
        agent=who,
        person=people.get(who, True),
        visit=visit,
        made=iso(now),
        start=iso(now),
        deadline=given.get("deadline") or due,
        config=given,
    )


def assignment_of(assignments: Sequence[Assignment], step: str, visit: int) -> Assignment | None:
    """The assignment of one visit of a step: the latest that was not superseded."""
    own = [a for a in assignments if (a.step, a.visit) == (step, visit)]
    return next((a for a in reversed(own) if a.status != "superseded"), None)


def failed_at(error: Mapping[str, Any] | None, assignments: Sequence[Assignment]) -> bool:
    """Whether a run ended at a step that its person failed and that nobody has begun again: it
    would only fail once more."""
    node = (error or {}).get("node")
    own = [a for a in assignments if a.step == node and a.status != "superseded"]
    return bool(own) and own[-1].status == "failed"


def assigned_text(assignment: Assignment) -> str:
    """What the agent is told beside the step's own text: how the assignment was configured."""
    told = {key: assignment.config.get(key) for key in _KEYS}
    if told["priority"] == "normal":
        del told["priority"]
    lines = [
        f"- {key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for key, value in told.items()
        if value
    ]
    return "\n".join(["## This assignment", *lines]) if lines else ""


def task_description(step: Step) -> str:
    """The step in one line, for a list of assignments."""
    return f"{step.name}: {step.criteria}" if step.criteria else step.name
