"""CREATE_WORKFLOW, CREATE_TEAM, EXECUTE_WORKFLOW."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flowc.compiler.driver import CompileResult

from ..contract import requests as asked
from ..contract import responses as told
from ..records.errors import ServiceFault
from ..records.metrics import gates_of
from ..records.tables import StoredExecution, StoredTeam, StoredWorkflow, made_id
from ..records.tokens import Caller
from .compile import CONTRACT, compile_workflow, missing_roles, required, team_text, with_config
from .dispatch import task_description
from .executions import Executing
from .progress import now, startable

_PROBE = json.dumps(
    {
        "workflow_name": "probe",
        "workflow_type": "sequential",
        "steps": [
            {"step_id": "s", "required_role": "r", "success_criteria": "c", "estimated_duration": 1}
        ],
    }
)
"""A workflow that a team's text is compiled with, for its findings alone."""


async def create_workflow(
    executing: Executing, caller: Caller, source: str, file: str = CONTRACT
) -> told.WorkflowCreated:
    """CREATE_WORKFLOW, from a contract's JSON or the text of any other dialect (C2–C6, C22)."""
    compiled = compile_workflow(source, file, "contract" if file == CONTRACT else None)
    result = required(compiled)
    schedule = result.summary()["schedule"] or {}
    stored = StoredWorkflow(
        id=made_id("wf"),
        owner=caller.owner or "",
        created=now(executing),
        name=result.workflow.title or result.workflow.name if result.workflow else "",
        file=file,
        format=result.frontend.name if result.frontend else "",
        source=source,
        minutes=schedule.get("total_minutes", 0),
        warnings=compiled.validation.warnings,
    )
    stored = await executing.register.add(stored)
    return told.WorkflowCreated(
        workflow_id=stored.id,
        validation_status=compiled.validation,
        estimated_total_duration=int(stored.minutes),
    )


async def create_team(executing: Executing, caller: Caller, body: str) -> told.TeamCreated:
    """CREATE_TEAM (C9). What is wrong with it is said with its line in what was sent."""
    compiled = compile_workflow(_PROBE, CONTRACT, "contract", body)
    faults = [d for d in compiled.validation.diagnostics if d.severity == "error"]
    own = [d for d in faults if d.code != "FC4002"]
    if own:
        raise ServiceFault(
            "INVALID_TEAM_CONFIG",
            f"line {own[0].line}: {own[0].message}",
            details={"details": {"diagnostics": [d.model_dump() for d in own]}},
        )
    source, agents = team_text(body)
    team = StoredTeam(
        id=made_id("team"),
        owner=caller.owner or "",
        created=now(executing),
        name=str(json.loads(source)["team_name"]),
        source=source,
        agents=agents,
    )
    team = await executing.register.add(team)
    made = [told.AgentCreated(agent_id=a["agent_id"], role=a["role"]) for a in team.agents]
    return told.TeamCreated(team_id=team.id, agents=made)


async def execute_workflow(
    executing: Executing, caller: Caller, request: asked.ExecuteWorkflow
) -> told.WorkflowExecuted:
    """EXECUTE_WORKFLOW (C10, C11)."""
    register = executing.register
    workflow = await register.get(StoredWorkflow, request.workflow_id, caller.owner)
    team = None
    if request.team_id is not None:
        team = await register.get(StoredTeam, request.team_id, caller.owner)
    execution = _execution(executing, caller, workflow, team, request)
    result = executing.result_of(execution)
    standing = await executing.standing(execution)
    async with executing.news(execution.id) as inside:
        if await inside.add(execution) is execution:
            assignments = [await inside.assign(new) for new in startable(executing, standing)]
        else:
            assignments = await inside.assignments(execution.id)
    assert result.workflow is not None
    gates = gates_of(result.workflow)
    steps = {step.id: step for step in standing.steps}
    return told.WorkflowExecuted(
        execution_id=execution.id,
        initial_assignments=[
            told.InitialAssignment(
                agent_id=a.agent,
                step_id=a.step,
                assignment_id=a.id,
                task_description=task_description(steps[a.step]),
                estimated_start=a.start,
                deadline=a.deadline,
            )
            for a in assignments
        ],
        workflow_status="executing" if assignments else "starting",
        next_milestone=told.Milestone(
            milestone_name=gates[0].title or gates[0].id,
            estimated_completion=standing.estimated_end(),
        )
        if gates
        else None,
    )


def _execution(
    executing: Executing,
    caller: Caller,
    workflow: StoredWorkflow,
    team: StoredTeam | None,
    request: asked.ExecuteWorkflow,
) -> StoredExecution:
    """What is executed. Raises `ServiceFault` for a team without the roles, for inputs that are
    none of the workflow's."""
    config = request.execution_config.model_dump()
    source, inputs = workflow.source, request.input_parameters
    if workflow.file == CONTRACT:
        source, inputs = with_config(source, inputs, config), {}
    compiled = compile_workflow(
        source, workflow.file, workflow.format, team.source if team else None
    )
    _refuse_team(missing_roles(compiled.result, team), team)
    _refuse_inputs(required(compiled), inputs)
    at = now(executing)
    return StoredExecution(
        id=made_id("ex"),
        owner=caller.owner or "",
        created=at,
        workflow=workflow.id,
        team=team.id if team else "",
        file=workflow.file,
        format=workflow.format,
        source=source,
        team_source=team.source if team else "",
        inputs=inputs,
        config=config,
        notifications=request.notifications.model_dump(),
        timeout_from=at,
        sequential=_is_sequential(source) if workflow.file == CONTRACT else True,
    )


def _refuse_team(lacking: list[str], team: StoredTeam | None) -> None:
    """Raises `ServiceFault` when there are roles that nobody has (C10)."""
    if not lacking:
        return
    roles = ", ".join(lacking)
    message = f"the team lacks the roles {roles}"
    if team is None:
        message = f"the workflow needs a team with the roles {roles}"
    raise ServiceFault("MISSING_REQUIRED_ROLES", message)


def _refuse_inputs(result: CompileResult, inputs: Mapping[str, Any]) -> None:
    """Raises `ServiceFault` for an input that the workflow has not, and for one that it needs."""
    assert result.workflow is not None
    params = result.workflow.params
    strange = [name for name in inputs if name not in {param.name for param in params}]
    if strange:
        raise ServiceFault(
            "INVALID_REQUEST", f"input_parameters: the workflow has no input `{strange[0]}`"
        )
    for param in params:
        if param.required and param.default is None and inputs.get(param.name) is None:
            raise ServiceFault(
                "INVALID_REQUEST", f"input_parameters: the workflow needs `{param.name}`"
            )


def _is_sequential(source: str) -> bool:
    return bool(json.loads(source).get("workflow_type") == "sequential")
