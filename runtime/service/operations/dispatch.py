"""The state of an execution, and assignments of its steps to agents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from ..contract import responses
from ..records.access import Caller
from ..records.metrics import TaskStep, iso, ready
from ..records.tables import StoredAssignment, StoredExecution, new_id
from .executions import Executing
from .status import ExecutionState

_KEYS = ("priority", "deadline", "resources", "context")


def new_assignment(
    execution: StoredExecution,
    step: TaskStep,
    visit: int,
    people: Mapping[str, bool],
    now: datetime,
    *,
    agent: str = "",
    config: Mapping[str, Any] | None = None,
) -> StoredAssignment:
    """Return a new assignment. It begins now and is due after the step's estimated minutes unless
    `config` says when. `people` says for each agent whether it is a person."""
    settings = dict(config or {})
    who = agent or step.agent or ""
    due = iso(now + timedelta(minutes=step.minutes)) if step.minutes else None
    return StoredAssignment(
        execution=execution.id,
        number=0,
        id=new_id("as"),
        step=step.id,
        agent=who,
        person=people.get(who, True),
        visit=visit,
        made=iso(now),
        start=iso(now),
        deadline=settings.get("deadline") or due,
        config=settings,
    )


def assignment_of(
    assignments: Sequence[StoredAssignment], step: str, visit: int
) -> StoredAssignment | None:
    """Return the latest assignment of a visit of a step that was not superseded."""
    own = [a for a in assignments if (a.step, a.visit) == (step, visit)]
    return next((a for a in reversed(own) if a.status != "superseded"), None)


def failed_at(error: Mapping[str, Any] | None, assignments: Sequence[StoredAssignment]) -> bool:
    """Return whether a run ended at a step that its person failed and that has not begun again: it
    would fail once more."""
    node = (error or {}).get("node")
    own = [a for a in assignments if a.step == node and a.status != "superseded"]
    return bool(own) and own[-1].status == "failed"


def assigned_text(assignment: StoredAssignment) -> str:
    """Return the configuration of an assignment as a part of the agent's prompt."""
    settings = {key: assignment.config.get(key) for key in _KEYS}
    if settings["priority"] == "normal":
        del settings["priority"]
    lines = [
        f"- {key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for key, value in settings.items()
        if value
    ]
    return "\n".join(["## This assignment", *lines]) if lines else ""


def task_description(step: TaskStep) -> str:
    """Return the step in one line, for a list of assignments."""
    return f"{step.name}: {step.criteria}" if step.criteria else step.name


PATIENCE = 10.0
"""Seconds that an answer waits at most for the run to come to rest, so that it can tell what came
of it."""
PATIENCE_WITH_MODELS = 0.5
"""The same while a model is at work, which may take minutes."""


async def standing_of(executing: Executing, caller: Caller, id: str) -> ExecutionState:
    """Return the state of an execution that the caller may see. Raises `ServiceFault`."""
    execution = await executing.register.get(StoredExecution, id, caller.owner)
    return await standing_now(executing, execution)


async def standing_now(executing: Executing, execution: StoredExecution) -> ExecutionState:
    """Return the present state of an execution."""
    execution = await executing.register.get(StoredExecution, execution.id, None)
    return await executing.standing(execution)


async def assign_ready(executing: Executing, standing: ExecutionState) -> list[StoredAssignment]:
    """Store assignments of the steps that can start and have none."""
    made = startable(executing, standing)
    return [await executing.register.assign(new, anew=False) for new in made]


def startable(executing: Executing, standing: ExecutionState) -> list[StoredAssignment]:
    """Return the same assignments, not stored yet."""
    people = executing.people_of(standing.execution)
    visits = standing.state.visits if standing.state else {}
    made = []
    for step in ready(standing.steps, standing.done_steps, standing.sequential):
        visit = visits.get(step.id, 0) + 1
        known = assignment_of(standing.assignments, step.id, visit)
        if known is not None or step.by_nobody:
            continue
        made.append(new_assignment(standing.execution, step, visit, people, executing.clock()))
    return made


def now(executing: Executing) -> str:
    """Return the time as responses write it."""
    return iso(executing.clock().astimezone(UTC))


def assignment_list(made: Sequence[StoredAssignment]) -> list[responses.NewAssignment]:
    """Return assignments as responses list them."""
    return [
        responses.NewAssignment(agent_id=a.agent, step_id=a.step, assignment_id=a.id) for a in made
    ]


async def at_rest(executing: Executing, standing: ExecutionState) -> bool:
    """Wait for the execution to come to rest. Return whether it has."""
    working = any(not a.person for a in (await standing_now(executing, standing.execution)).open)
    patience = PATIENCE_WITH_MODELS if working else PATIENCE
    return await executing.wait_for_rest(standing.execution.id, patience)
