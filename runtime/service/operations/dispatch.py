"""The state of an execution, and assignments of its steps to agents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from flowc.compiler.ir import Workflow

from ...store.listing import file_name
from ...store.runs import RunRecord
from ..contract import responses
from ..records.access import Caller, new_id
from ..records.errors import ServiceFault
from ..records.metrics import TaskStep, completion_time, iso
from ..records.tables import StoredAssignment, StoredExecution
from ..search.runs import is_held_up
from .executions import Executing
from .status import ExecutionState

_KEYS = ("priority", "deadline", "resources", "context")


def new_assignment(
    executing: Executing,
    execution: StoredExecution,
    workflow: Workflow,
    step: TaskStep,
    visit: int,
    *,
    agent: str = "",
    config: Mapping[str, Any] | None = None,
) -> StoredAssignment:
    """Return a new assignment. It begins now and is due after the step's estimated minutes unless
    `config` says when."""
    settings = dict(config or {})
    who = agent or step.agent or ""
    now = executing.clock()
    return StoredAssignment(
        execution=execution.id,
        number=0,
        id=new_id("as"),
        step=step.id,
        agent=who,
        person=next((a.person for a in workflow.agents if a.id == who), True),
        visit=visit,
        made=iso(now),
        start=iso(now),
        deadline=settings.get("deadline")
        or (completion_time(now, step.minutes) if step.minutes else None),
        config=settings,
    )


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


PATIENCE_WITH_MODELS = 0.5
"""Seconds that an answer waits for the run to come to rest while a model is at work, which may take
minutes."""


async def standing_of(executing: Executing, caller: Caller, id: str) -> ExecutionState:
    """Return the state of an execution that the caller may see, to change it. Raises
    `ServiceFault`, also for a run of `flowc run`."""
    execution = await visible(executing, caller, id)
    if execution.is_run:
        message = f"{id} is a run of `flowc run`, which this service does not carry on"
        recovery = (f"answer it and go on where it was started: flowc resume {id}",)
        raise ServiceFault("EXECUTION_NOT_ACTIVE", message, execution=id, recovery=recovery)
    return await standing_now(executing, execution)


async def look_at(executing: Executing, caller: Caller, id: str) -> ExecutionState:
    """Return the state of an execution, or of a run of `flowc run`, that the caller may see. Raises
    `ServiceFault`."""
    return await executing.standing(await visible(executing, caller, id))


async def visible(executing: Executing, caller: Caller, id: str) -> StoredExecution:
    """Return an execution that the caller may see; to one who sees every team also a run of `flowc
    run`, as the execution that it is like. Raises `ServiceFault`."""
    try:
        return await executing.register.get(StoredExecution, id, caller.owner)
    except ServiceFault:
        if caller.owner is not None or not await executing.engine.store.has(id):
            raise
        return _as_execution(await executing.engine.store.get(id))


def _as_execution(record: RunRecord) -> StoredExecution:
    """Return a run as the execution that it is like: without a team, and nothing that the service
    could carry on."""
    return StoredExecution(
        id=record.id,
        owner="",
        created=record.started,
        workflow="",
        team="",
        file=file_name(record.file),
        format=record.format,
        source="",
        team_source="",
        inputs=record.inputs,
        config={},
        notifications={},
        timeout_from=record.started,
        paused={"at": record.updated, "reason": ""} if is_held_up(record.status) else None,
    )


async def standing_now(executing: Executing, execution: StoredExecution) -> ExecutionState:
    """Return the present state of an execution."""
    execution = await executing.register.get(StoredExecution, execution.id, None)
    return await executing.standing(execution)


def assignment_list(made: Sequence[StoredAssignment]) -> list[responses.NewAssignment]:
    """Return assignments as responses list them."""
    return [
        responses.NewAssignment(agent_id=a.agent, step_id=a.step, assignment_id=a.id) for a in made
    ]


async def at_rest(executing: Executing, standing: ExecutionState) -> bool:
    """Wait for the execution to come to rest. Return whether it has."""
    working = any(not a.person for a in (await standing_now(executing, standing.execution)).open)
    patience = PATIENCE_WITH_MODELS if working else executing.patience
    return await executing.wait_for_rest(standing.execution.id, patience)
