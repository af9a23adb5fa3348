"""The operations of a client: one talk for each, named as the contract names it.

A talk raises `ServiceFault`, with the contract's code, message and recovery, when the service
refuses or cannot be reached. Its parameters are those of the request in the operation's row.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from ..contract import (
    list_responses,
    message_requests,
    message_responses,
    requests,
    responses,
    webhooks,
)
from ..contract.documents import CONTRACT
from ..records.messages import ResponseStatus
from ..records.webhooks import EventKind
from .exchange import Pause, Talk, call

FIRST_LOOK, LAST_LOOK = 0.05, 1.0
"""Seconds between looks at an execution that is waited for: the first, and the longest."""


def create_workflow(
    workflow: Mapping[str, Any] | str, *, file_name: str = "", key: str | None = None
) -> Talk[responses.WorkflowCreated]:
    """CREATE_WORKFLOW: a contract as a value or JSON, or with `file_name` a text of any dialect."""
    if isinstance(workflow, str):
        workflow = {"file_name": file_name or CONTRACT, "source": workflow}
    return call("CREATE_WORKFLOW", document=workflow, key=key)


def create_team(team: Mapping[str, Any], *, key: str | None = None) -> Talk[responses.TeamCreated]:
    """CREATE_TEAM: two to five agents with different roles, models or people."""
    return call("CREATE_TEAM", document=team, key=key)


def execute_workflow(
    workflow_id: str,
    team_id: str | None = None,
    *,
    input_parameters: Mapping[str, Any] | None = None,
    execution_config: requests.ExecutionConfig | Mapping[str, Any] | None = None,
    notifications: requests.Notifications | Mapping[str, Any] | None = None,
    escalation: Sequence[requests.EscalationLevel | Mapping[str, Any]] | None = None,
    key: str | None = None,
) -> Talk[responses.WorkflowExecuted]:
    """EXECUTE_WORKFLOW: it starts at once; the first assignments are in the answer."""
    return call("EXECUTE_WORKFLOW", **locals())


def get_workflow_status(
    execution_id: str, *, include_details: bool = False, include_metrics: bool = False
) -> Talk[responses.WorkflowStatus]:
    """GET_WORKFLOW_STATUS."""
    return call("GET_WORKFLOW_STATUS", **locals())


def assign_task(
    execution_id: str,
    step_id: str,
    agent_id: str,
    *,
    assignment_config: requests.AssignmentConfig | Mapping[str, Any] | None = None,
    override_role_check: bool = False,
    key: str | None = None,
) -> Talk[responses.TaskAssigned]:
    """ASSIGN_TASK: a step that can start, to another agent."""
    return call("ASSIGN_TASK", **locals())


def complete_step(
    execution_id: str,
    assignment_id: str,
    completion_data: requests.CompletionData | Mapping[str, Any],
    *,
    handoff_data: Mapping[str, Any] | None = None,
    key: str | None = None,
) -> Talk[responses.StepCompleted]:
    """COMPLETE_STEP: what came of an assignment of a person."""
    return call("COMPLETE_STEP", **locals())


def pause_workflow(
    execution_id: str,
    *,
    pause_reason: str = "",
    pause_type: Literal["graceful", "immediate"] = "graceful",
    estimated_resume: datetime | None = None,
    key: str | None = None,
) -> Talk[responses.WorkflowPaused]:
    """PAUSE_WORKFLOW: the answer holds the token that resumes it, which opens once."""
    return call("PAUSE_WORKFLOW", **locals())


def resume_workflow(
    execution_id: str,
    resume_token: str,
    *,
    resume_config: requests.ResumeConfig | Mapping[str, Any] | None = None,
    key: str | None = None,
) -> Talk[responses.WorkflowResumed]:
    """RESUME_WORKFLOW."""
    return call("RESUME_WORKFLOW", **locals())


def cancel_execution(
    execution_id: str,
    *,
    reason: str = "",
    cancel_type: Literal["graceful", "immediate"] = "graceful",
    key: str | None = None,
) -> Talk[responses.ExecutionCancelled]:
    """End an execution for good, after the steps under way or at once."""
    return call("cancel_execution", **locals())


def reissue_resume_token(
    execution_id: str, *, key: str | None = None
) -> Talk[responses.TokenReissued]:
    """Get another token for a pause whose token was lost; needs the scope admin."""
    return call("reissue_resume_token", **locals())


def answer_question(
    execution_id: str, question_id: str, answer: object, *, key: str | None = None
) -> Talk[responses.WorkflowStatus]:
    """Answer what waits for a person and is not a step: an approval, a question of a flowchart."""
    return call("answer_question", **locals())


def list_workflows(limit: int = 50, after: str | None = None) -> Talk[list_responses.WorkflowList]:
    """List the newest first; `after` is the last id of the page before."""
    return call("list_workflows", **locals())


def list_teams(limit: int = 50, after: str | None = None) -> Talk[list_responses.TeamList]:
    """List the newest first."""
    return call("list_teams", **locals())


def list_executions(
    limit: int = 50,
    after: str | None = None,
    *,
    status: requests.ExecutionStatus | None = None,
    workflow_id: str | None = None,
    team_id: str | None = None,
    agent_id: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    text: str | None = None,
) -> Talk[list_responses.ExecutionList]:
    """List the newest first: of a status, a workflow, a team, a team with an agent, begun since a
    time and before another one, with these words, if they are named."""
    return call("list_executions", **locals())


def list_assignments(
    agent_id: str | None = None, *, limit: int = 50, after: str | None = None
) -> Talk[list_responses.AssignmentList]:
    """List the steps that wait for people: those of an agent, or all that the caller acts for."""
    return call("list_assignments", **locals())


def get_workflow(workflow_id: str) -> Talk[list_responses.WorkflowFound]:
    """Return a workflow with its text."""
    return call("get_workflow", **locals())


def get_team(team_id: str) -> Talk[list_responses.TeamFound]:
    """Return a team with its document."""
    return call("get_team", **locals())


def delete_workflow(workflow_id: str, *, key: str | None = None) -> Talk[list_responses.Deleted]:
    """Delete a workflow; executions of it go on."""
    return call("delete_workflow", **locals())


def delete_team(team_id: str, *, key: str | None = None) -> Talk[list_responses.Deleted]:
    """Delete a team; executions that it works in go on."""
    return call("delete_team", **locals())


def create_webhook(
    url: str,
    secret: str,
    *,
    events: Sequence[EventKind] | None = None,
    key: str | None = None,
) -> Talk[webhooks.WebhookCreated]:
    """Tell an address of events, of all kinds unless some are named. `secret` is the name of a
    variable in the environment of the service."""
    return call("create_webhook", **locals())


def list_webhooks() -> Talk[webhooks.WebhookList]:
    """List the addresses that are told of events, with what was and was not delivered."""
    return call("list_webhooks", **locals())


def delete_webhook(webhook_id: str, *, key: str | None = None) -> Talk[list_responses.Deleted]:
    """Tell an address nothing any more."""
    return call("delete_webhook", **locals())


def list_audit(limit: int = 50) -> Talk[list_responses.AuditLog]:
    """List who asked for what, and what came of it; needs the scope admin."""
    return call("list_audit", **locals())


def list_workers() -> Talk[list_responses.WorkerList]:
    """List who carries executions on, and what teams have of them; needs the scope admin."""
    return call("list_workers", **locals())


def health() -> Talk[list_responses.Health]:
    """Ask whether the process answers."""
    return call("health", **locals())


def ready() -> Talk[list_responses.Readiness]:
    """Ask whether requests can be done: the store answers, and so does the worker."""
    return call("ready", **locals())


def send_message(
    execution_id: str,
    sender_agent_id: str,
    recipient_agent_ids: Sequence[str],
    content: message_requests.MessageContent | Mapping[str, Any] | str,
    *,
    message_type: message_requests.MessageType = "information",
    priority: message_requests.MessagePriority = "normal",
    requires_response: bool = False,
    response_deadline: datetime | None = None,
    context_reference: str | None = None,
    key: str | None = None,
) -> Talk[message_responses.MessageSent]:
    """SEND_MESSAGE: from one agent of the team to others, or to `["ALL"]`; the content may be its
    text alone. A deadline has an offset, and needs `requires_response`."""
    if isinstance(content, str):
        content = {"text": content}
    return call("SEND_MESSAGE", **locals())


def get_messages(
    execution_id: str,
    agent_id: str | None = None,
    *,
    message_types: Sequence[message_requests.MessageType] | None = None,
    senders: Sequence[str] | None = None,
    priority: message_requests.MessagePriority | None = None,
    unread_only: bool = False,
    since_timestamp: datetime | None = None,
    sort_order: message_requests.SortOrder = "oldest_first",
    after: int = 0,
    limit: int = 50,
) -> Talk[message_responses.MessageList]:
    """GET_MESSAGES: what agents wrote to each other, or to one agent, behind a position. With
    `newest_first` that is what came before it."""
    return call("GET_MESSAGES", **locals())


def mark_message_read(
    execution_id: str, agent_id: str, message_ids: Sequence[str], *, key: str | None = None
) -> Talk[message_responses.MessagesRead]:
    """MARK_MESSAGE_READ: by an agent that they were written to."""
    return call("MARK_MESSAGE_READ", **locals())


def respond_to_message(
    execution_id: str,
    responder_agent_id: str,
    original_message_id: str,
    response_content: message_requests.ResponseContent | Mapping[str, Any] | str,
    *,
    status: ResponseStatus = "completed",
    additional_recipients: Sequence[str] = (),
    key: str | None = None,
) -> Talk[message_responses.MessageAnswered]:
    """RESPOND_TO_MESSAGE; the content may be its text alone, whose status is `status`."""
    if isinstance(response_content, str):
        response_content = {"text": response_content, "status": status}
    del status
    return call("RESPOND_TO_MESSAGE", **locals())


def broadcast_update(
    execution_id: str,
    sender_agent_id: str,
    content: message_requests.UpdateContent | Mapping[str, Any] | str,
    *,
    update_type: Literal["progress", "discovery", "issue", "completion"] = "progress",
    urgency: message_requests.Urgency = "info",
    key: str | None = None,
) -> Talk[message_responses.UpdateBroadcast]:
    """BROADCAST_UPDATE: to all others; the content may be its summary alone."""
    if isinstance(content, str):
        content = {"summary": content}
    return call("BROADCAST_UPDATE", **locals())


def request_assistance(
    execution_id: str,
    requester_agent_id: str,
    request_details: message_requests.RequestDetails | Mapping[str, Any] | str,
    *,
    assistance_type: Literal["expertise", "resources", "review", "collaboration"] = "expertise",
    target_agents: Sequence[str] = (),
    required_capabilities: Sequence[str] = (),
    key: str | None = None,
) -> Talk[message_responses.AssistanceRequested]:
    """REQUEST_ASSISTANCE: from agents that are named, else from all others; the details may be
    their description alone."""
    if isinstance(request_details, str):
        request_details = {"description": request_details}
    return call("REQUEST_ASSISTANCE", **locals())


def needs_somebody(status: responses.WorkflowStatus) -> bool:
    """Return whether an execution has ended, is paused, or waits for a person."""
    if status.workflow_status in ("completed", "failed", "paused", "cancelled"):
        return True
    return bool(status.questions)


def wait_until(
    execution_id: str,
    condition: Callable[[responses.WorkflowStatus], bool] = needs_somebody,
    *,
    seconds: float = 600.0,
) -> Talk[responses.WorkflowStatus]:
    """Look at an execution until `condition` holds of its status, with details. Raises
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
) -> Talk[responses.ActiveStep]:
    """Wait until it is a step's turn and return the step. Raises `TimeoutError` after `seconds`, or
    when the execution ends first."""

    def turn(status: responses.WorkflowStatus) -> responses.ActiveStep | None:
        own = (step for step in status.active_steps if step.step_id == step_id)
        return next((step for step in own if step.status != "blocked"), None)

    def over(status: responses.WorkflowStatus) -> bool:
        return status.workflow_status in ("completed", "failed", "cancelled")

    status = yield from wait_until(
        execution_id, lambda s: bool(turn(s)) or over(s), seconds=seconds
    )
    step = turn(status)
    if step is None:
        raise TimeoutError(f"{execution_id} is {status.workflow_status}: `{step_id}` has no turn")
    return step
