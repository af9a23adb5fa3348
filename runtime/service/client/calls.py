"""What a client can say: one talk for each operation, named as the contract names it.

Every talk raises `ServiceFault`, with the contract's code, message and recovery, when the service
refuses or cannot be reached.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Literal
from urllib.parse import quote

from ..contract import requests as asked
from ..contract import responses as told
from .exchange import Pause, Talk, get, post

CONTRACT = "workflow.json"
"""The name of a text that is a contract."""
FIRST_LOOK, LAST_LOOK = 0.05, 1.0
"""Seconds between looks at an execution that is waited for: the first, and the longest."""


def create_workflow(
    workflow: Mapping[str, Any] | str, *, file_name: str = "", key: str | None = None
) -> Talk[told.WorkflowCreated]:
    """CREATE_WORKFLOW: a contract as a value or JSON, or with `file_name` a text of any dialect."""
    body = workflow
    if isinstance(workflow, str):
        body = {"file_name": file_name or CONTRACT, "source": workflow}
    return post("/v1/workflows", told.WorkflowCreated, body, key)


def create_team(team: Mapping[str, Any], *, key: str | None = None) -> Talk[told.TeamCreated]:
    """CREATE_TEAM: two to five agents with different roles, models or people."""
    return post("/v1/teams", told.TeamCreated, team, key)


def execute_workflow(
    workflow_id: str,
    team_id: str | None = None,
    *,
    input_parameters: Mapping[str, Any] | None = None,
    execution_config: asked.ExecutionConfig | Mapping[str, Any] | None = None,
    notifications: asked.Notifications | Mapping[str, Any] | None = None,
    key: str | None = None,
) -> Talk[told.WorkflowExecuted]:
    """EXECUTE_WORKFLOW: it starts at once; the first assignments are in the answer."""
    body = {
        "workflow_id": workflow_id,
        "team_id": team_id,
        "input_parameters": input_parameters,
        "execution_config": execution_config,
        "notifications": notifications,
    }
    return post("/v1/executions", told.WorkflowExecuted, body, key)


def get_workflow_status(
    execution_id: str, *, include_details: bool = False, include_metrics: bool = False
) -> Talk[told.WorkflowStatus]:
    """GET_WORKFLOW_STATUS."""
    flags = {"include_details": include_details, "include_metrics": include_metrics}
    return get(path_of(execution_id), told.WorkflowStatus, **flags)


def assign_task(
    execution_id: str,
    step_id: str,
    agent_id: str,
    *,
    assignment_config: asked.AssignmentConfig | Mapping[str, Any] | None = None,
    override_role_check: bool = False,
    key: str | None = None,
) -> Talk[told.TaskAssigned]:
    """ASSIGN_TASK: a step that can start, to another agent."""
    body = {
        "step_id": step_id,
        "agent_id": agent_id,
        "assignment_config": assignment_config,
        "override_role_check": override_role_check,
    }
    return post(path_of(execution_id, "assignments"), told.TaskAssigned, body, key)


def complete_step(
    execution_id: str,
    assignment_id: str,
    completion_data: asked.CompletionData | Mapping[str, Any],
    *,
    handoff_data: Mapping[str, Any] | None = None,
    key: str | None = None,
) -> Talk[told.StepCompleted]:
    """COMPLETE_STEP: what came of an assignment of a person."""
    body = {
        "assignment_id": assignment_id,
        "completion_data": completion_data,
        "handoff_data": handoff_data,
    }
    return post(path_of(execution_id, "completions"), told.StepCompleted, body, key)


def pause_workflow(
    execution_id: str,
    *,
    pause_reason: str = "",
    pause_type: Literal["graceful", "immediate"] = "graceful",
    estimated_resume: datetime | None = None,
    key: str | None = None,
) -> Talk[told.WorkflowPaused]:
    """PAUSE_WORKFLOW: the answer holds the token that resumes it, which opens once."""
    body = {
        "pause_reason": pause_reason,
        "pause_type": pause_type,
        "estimated_resume": estimated_resume,
    }
    return post(path_of(execution_id, "pause"), told.WorkflowPaused, body, key)


def resume_workflow(
    execution_id: str,
    resume_token: str,
    *,
    resume_config: asked.ResumeConfig | Mapping[str, Any] | None = None,
    key: str | None = None,
) -> Talk[told.WorkflowResumed]:
    """RESUME_WORKFLOW."""
    body = {"resume_token": resume_token, "resume_config": resume_config}
    return post(path_of(execution_id, "resume"), told.WorkflowResumed, body, key)


def answer_question(
    execution_id: str, question_id: str, answer: object, *, key: str | None = None
) -> Talk[told.WorkflowStatus]:
    """Answer what waits for a person and is no step: an approval, a question of a flowchart."""
    path = path_of(execution_id, "questions", question_id)
    return post(path, told.WorkflowStatus, {"answer": answer}, key)


def list_workflows(limit: int = 50, after: str | None = None) -> Talk[told.WorkflowList]:
    """The newest first; `after` is the last id of the page before."""
    return get("/v1/workflows", told.WorkflowList, limit=limit, after=after)


def list_teams(limit: int = 50, after: str | None = None) -> Talk[told.TeamList]:
    """The newest first."""
    return get("/v1/teams", told.TeamList, limit=limit, after=after)


def list_executions(limit: int = 50, after: str | None = None) -> Talk[told.ExecutionList]:
    """The newest first."""
    return get("/v1/executions", told.ExecutionList, limit=limit, after=after)


def list_audit(limit: int = 50) -> Talk[told.AuditLog]:
    """Who asked for what, and what came of it; needs the scope admin."""
    return get("/v1/audit", told.AuditLog, limit=limit)


def health() -> Talk[told.Health]:
    """Whether the service answers."""
    return get("/v1/health", told.Health)


def needs_somebody(status: told.WorkflowStatus) -> bool:
    """Whether nothing goes on by itself: it has ended, is paused, or waits for a person."""
    if status.workflow_status in ("completed", "failed", "paused"):
        return True
    return bool(status.questions)


def wait_until(
    execution_id: str,
    condition: Callable[[told.WorkflowStatus], bool] = needs_somebody,
    *,
    seconds: float = 600.0,
) -> Talk[told.WorkflowStatus]:
    """Look at an execution until `condition` holds of its status, details included. Raises
    `TimeoutError` when it does not within `seconds`."""
    end, pause = time.monotonic() + seconds, FIRST_LOOK
    while True:
        status = yield from get_workflow_status(execution_id, include_details=True)
        if condition(status):
            return status
        if time.monotonic() + pause > end:
            raise TimeoutError(f"{execution_id} is {status.workflow_status} after {seconds:g} s")
        yield Pause(pause)
        pause = min(2 * pause, LAST_LOOK)


def wait_for_step(
    execution_id: str, step_id: str, *, seconds: float = 600.0
) -> Talk[told.ActiveStep]:
    """The step once it is its agent's turn. Raises `TimeoutError` when that does not come within
    `seconds`, or when the execution ends first."""

    def turn(status: told.WorkflowStatus) -> told.ActiveStep | None:
        own = (step for step in status.active_steps if step.step_id == step_id)
        return next((step for step in own if step.status != "blocked"), None)

    def over(status: told.WorkflowStatus) -> bool:
        return status.workflow_status in ("completed", "failed")

    status = yield from wait_until(
        execution_id, lambda s: bool(turn(s)) or over(s), seconds=seconds
    )
    found = turn(status)
    if found is None:
        raise TimeoutError(f"{execution_id} is {status.workflow_status}: `{step_id}` has no turn")
    return found


def path_of(execution_id: str, *parts: str) -> str:
    """A path below an execution."""
    return "/".join(["/v1/executions", *(quote(part, safe="") for part in (execution_id, *parts))])
