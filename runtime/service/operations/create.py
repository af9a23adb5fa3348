"""CREATE_WORKFLOW, CREATE_TEAM, EXECUTE_WORKFLOW."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flowc.compiler.driver import CompileResult
from flowc.compiler.ir import WebhookStart
from flowc.compiler.source.spelling import Spelling

from ...engine.schedules import note_schedules
from ...state.parameters import WORDS, WrongType, typed_value
from ..bodies.compile import refuse_findings, require_valid, team_text, with_config
from ..bodies.request_pool import POOL
from ..contract import requests, responses
from ..contract.documents import CONTRACT, TeamText, WorkflowText
from ..queues.queue import RANKS
from ..records.access import Caller, id_of_request
from ..records.errors import ServiceFault
from ..records.happenings import Looks
from ..records.metrics import gates_of
from ..records.tables import StoredExecution, StoredTeam, StoredWorkflow
from ..records.webhooks import StoredStart, WebhookRows
from ..search.words import SearchWords, texts_in
from .dispatch import task_description
from .executions import Executing
from .status import ExecutionState

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
_NOBODY = "its tasks need a team, which {} does not name: no execution begins by it{}"
_BY_SCHEDULE = "; begin it with EXECUTE_WORKFLOW and a team_id"
_BY_WEBHOOK = " unless ?team_id=ID stands behind its address"


async def create_workflow(
    executing: Executing, caller: Caller, request: WorkflowText
) -> responses.WorkflowCreated:
    """CREATE_WORKFLOW: a contract, or {file_name, source} with a text in any dialect."""
    source, file = request.source, request.file_name
    compiled = await POOL.check(source, file, "contract" if file == CONTRACT else None)
    refuse_findings(compiled)
    ways = (
        ("a schedule", _BY_SCHEDULE, compiled.schedules),
        ("a webhook", _BY_WEBHOOK, compiled.webhook),
    )
    if compiled.roles:
        warnings = [_NOBODY.format(name, but) for name, but, way in ways if way]
        compiled.validation.warnings.extend(warnings)
    stored = StoredWorkflow(
        id=id_of_request("wf"),
        owner=caller.owner or "",
        created=executing.now(),
        name=compiled.name,
        file=file,
        format=compiled.format,
        source=source,
        minutes=compiled.minutes,
        warnings=compiled.validation.warnings,
        token=caller.token,
    )
    if compiled.webhook is not None:
        await WebhookRows(executing.db).keep_start(stored.id, _start_of(compiled.webhook))
    stored = await executing.register.add(stored)
    if compiled.schedules and not compiled.roles:
        now = executing.clock().timestamp()
        await note_schedules(executing.db, stored.id, compiled.schedules, now)
    return responses.WorkflowCreated(
        workflow_id=stored.id,
        validation_status=compiled.validation,
        estimated_total_duration=int(stored.minutes),
    )


def _start_of(webhook: WebhookStart) -> StoredStart:
    inputs = webhook.inputs if isinstance(webhook.inputs, dict) else {}
    return StoredStart(webhook.secret, webhook.into, dict(inputs))


async def create_team(
    executing: Executing, caller: Caller, request: TeamText
) -> responses.TeamCreated:
    """CREATE_TEAM: two to five agents with different roles, models or people."""
    compiled = await POOL.check(_PROBE, CONTRACT, "contract", request.source)
    faults = [d for d in compiled.validation.diagnostics if d.severity == "error"]
    own = [d for d in faults if d.code != "FC4002"]
    if own:
        raise ServiceFault(
            "INVALID_TEAM_CONFIG",
            f"line {own[0].line}: {own[0].message}",
            details={"details": {"diagnostics": [d.model_dump() for d in own]}},
        )
    source, agents = await asyncio.to_thread(team_text, request.source)
    team = StoredTeam(
        id=id_of_request("team"),
        owner=caller.owner or "",
        created=executing.now(),
        name=str(json.loads(source)["team_name"]),
        source=source,
        agents=agents,
    )
    team = await executing.register.add(team)
    made = [responses.AgentCreated(agent_id=a["agent_id"], role=a["role"]) for a in team.agents]
    return responses.TeamCreated(team_id=team.id, agents=made)


async def execute_workflow(
    executing: Executing, caller: Caller, request: requests.ExecuteWorkflow
) -> responses.WorkflowExecuted:
    """EXECUTE_WORKFLOW (C10, C11)."""
    register = executing.register
    workflow = await register.get(StoredWorkflow, request.workflow_id, caller.owner)
    team = None
    if request.team_id is not None:
        team = await register.get(StoredTeam, request.team_id, caller.owner)
    execution, result = await _execution(executing, caller, workflow, team, request)
    executing.keep(execution, result)
    standing = await executing.beginning(execution)
    execution = replace(execution, due=standing.due())
    standing = replace(standing, execution=execution)
    async with executing.news(execution.id, RANKS["normal"]) as inside:
        await inside.add(execution)
        await SearchWords(inside.db).keep(execution.id, _texts(workflow, team, request))
        if dues := _deadlines(standing):
            await Looks(inside.db).plan(execution.id, min(dues))
    assignments = standing.open
    assert result.workflow is not None
    gates = gates_of(result.workflow)
    return responses.WorkflowExecuted(
        execution_id=execution.id,
        initial_assignments=[
            responses.InitialAssignment(
                agent_id=a.agent,
                step_id=a.step,
                assignment_id=a.id,
                task_description=task_description(standing.step(a.step)),
                estimated_start=a.start,
                deadline=a.deadline,
            )
            for a in assignments
        ],
        workflow_status="executing" if assignments else "starting",
        next_milestone=responses.Milestone(
            milestone_name=gates[0].title or gates[0].id,
            estimated_completion=standing.estimated_end(),
        )
        if gates
        else None,
    )


def _texts(
    workflow: StoredWorkflow, team: StoredTeam | None, request: requests.ExecuteWorkflow
) -> list[str]:
    """Return what an execution is found by."""
    texts = [workflow.id, workflow.name, workflow.file]
    if team is not None:
        texts += [team.id, team.name]
        texts += [text for agent in team.agents for text in (agent["agent_id"], agent["role"])]
    return [*texts, *texts_in(request.input_parameters)]


def _deadlines(standing: ExecutionState) -> list[str]:
    """Return the deadlines of an execution that begins, and when it is estimated to end."""
    return [due for due in (*(a.deadline for a in standing.open), standing.execution.due) if due]


async def _execution(
    executing: Executing,
    caller: Caller,
    workflow: StoredWorkflow,
    team: StoredTeam | None,
    request: requests.ExecuteWorkflow,
) -> tuple[StoredExecution, CompileResult]:
    """Return the execution and its compiled workflow. Raises `ServiceFault` for a team without the
    roles, or inputs that the workflow does not have."""
    config = request.execution_config.model_dump()
    source, inputs = workflow.source, request.input_parameters
    if workflow.file == CONTRACT:
        source = await asyncio.to_thread(with_config, source, inputs, config)
        inputs = {}
    compiled = await POOL.compile(
        source, workflow.file, workflow.format, team.source if team else None
    )
    _refuse_team(compiled.roles, team)
    _refuse_escalation(request.escalation, team)
    result = require_valid(compiled)
    _refuse_inputs(result, inputs)
    at = executing.now()
    execution = StoredExecution(
        id=id_of_request("ex"),
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
        escalation=[level.model_dump() for level in request.escalation],
        timeout_from=at,
        askers=[token for token in (caller.token, workflow.token) if token],
        sequential=workflow.file != CONTRACT
        or json.loads(source).get("workflow_type") == "sequential",
    )
    return execution, result


def _refuse_team(needed: Sequence[str], team: StoredTeam | None) -> None:
    """Raise `ServiceFault` for roles that the workflow's tasks need and nobody has (C10)."""
    known = {agent["role"] for agent in team.agents} if team else set()
    lacking = [role for role in needed if role not in known]
    if not lacking:
        return
    roles = ", ".join(lacking)
    message = f"the team lacks the roles {roles}"
    if team is None:
        message = f"the workflow needs a team with the roles {roles}"
    recovery = ("begin it with EXECUTE_WORKFLOW and the team_id of a team that has them",)
    raise ServiceFault("MISSING_REQUIRED_ROLES", message, recovery=recovery)


def _refuse_escalation(levels: Sequence[requests.EscalationLevel], team: StoredTeam | None) -> None:
    """Raise `ServiceFault` for somebody who is not in the team."""
    known = {
        name: None for a in (team.agents if team else ()) for name in (a["role"], a["agent_id"])
    }
    for number, level in enumerate(levels):
        if level.to is not None and level.to not in known:
            advice = Spelling(known).advice(
                level.to, f"the team has {', '.join(known) or 'nobody'}"
            )
            message = f"escalation.{number}.to: nobody is called `{level.to}`; {advice}"
            raise ServiceFault("INVALID_REQUEST", message)


def _refuse_inputs(result: CompileResult, inputs: Mapping[str, Any]) -> None:
    """Raise `ServiceFault` for an unknown input, one of another type, and a required one that is
    missing."""
    assert result.workflow is not None
    params = result.workflow.params
    known = [param.name for param in params]
    strange = [name for name in inputs if name not in known]
    if strange:
        advice = Spelling(known).advice(strange[0], f"inputs: {', '.join(known) or 'none'}")
        raise ServiceFault(
            "INVALID_REQUEST",
            f"input_parameters: the workflow has no input `{strange[0]}`; {advice}",
        )
    for param in params:
        value = inputs.get(param.name)
        try:
            if value is not None:
                typed_value(value, param.type)
        except WrongType as wrong:
            raise ServiceFault(
                "INVALID_REQUEST",
                f"input_parameters: `{param.name}` must be {WORDS[param.type]}, not {wrong}",
            ) from None
        if param.required and param.default is None and inputs.get(param.name) is None:
            raise ServiceFault(
                "INVALID_REQUEST", f"input_parameters: the workflow needs `{param.name}`"
            )
