"""GET_WORKFLOW_STATUS, PAUSE_WORKFLOW, RESUME_WORKFLOW, answers to questions, and what happened."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal
from urllib.parse import quote

from ...errors import RunError
from ...events import RunEvent
from ..contract import requests, responses
from ..records.access import REQUEST, Caller, digest_of
from ..records.errors import ServiceFault
from ..records.metrics import iso
from ..records.tables import Register, StoredAssignment, StoredExecution, assignment_of
from .dispatch import (
    assignment_list,
    at_rest,
    look_at,
    new_assignment,
    standing_now,
    standing_of,
)
from .executions import Executing, typed_answer
from .messages import latest_messages
from .status import ExecutionState

Action = Literal["completed", "paused", "cancelled"]


async def get_workflow_status(
    executing: Executing, caller: Caller, id: str, request: requests.StatusQuery
) -> responses.WorkflowStatus:
    """GET_WORKFLOW_STATUS (C12, C19)."""
    standing = await look_at(executing, caller, id)
    response = standing.answer(details=request.include_details, metrics=request.include_metrics)
    if request.include_details:
        response.events = happenings_of(standing)
        response.messages = await latest_messages(executing, standing)
    return response


async def pause_workflow(
    executing: Executing, caller: Caller, id: str, request: requests.PauseWorkflowBody
) -> responses.WorkflowPaused:
    """PAUSE_WORKFLOW (C17): the token is kept as a digest and opens once."""
    standing = await standing_of(executing, caller, id)
    again = REQUEST.get().again and standing.execution.paused is not None
    if not again:  # or nobody would have the token of a pause whose process died
        standing.require_active()
    token, at = secrets.token_urlsafe(32), executing.now()
    active = [a for a in standing.open if not standing.pending_needs(standing.step(a.step))]
    held = {
        "at": at,
        "reason": request.pause_reason,
        "type": request.pause_type,
        "token": digest_of(token),
        "until": request.estimated_resume.isoformat() if request.estimated_resume else None,
    }

    def with_pause(known: StoredExecution) -> StoredExecution:
        if known.paused is not None and not again:
            raise ServiceFault("EXECUTION_NOT_ACTIVE", f"execution {id} is paused", execution=id)
        return replace(known, paused=held)

    immediate = request.pause_type == "immediate"
    await executing.pause(id, with_pause)
    if immediate:
        await executing.wait_for_rest(id, executing.patience)
    else:
        await at_rest(executing, standing)
    after = await standing_now(executing, standing.execution)
    handled = []
    for assignment in active:
        cut = not assignment.person and immediate
        action: Action = "cancelled" if cut else "paused"
        if assignment.step in after.done_steps:
            action = "completed"
        handled.append(responses.StepHandled(step_id=assignment.step, action=action))
    return responses.WorkflowPaused(paused_at=at, active_steps_handled=handled, resume_token=token)


async def resume_workflow(
    executing: Executing, caller: Caller, id: str, request: requests.ResumeWorkflowBody
) -> responses.WorkflowResumed:
    """RESUME_WORKFLOW (C17). Without a pause there is no token to show: an execution whose time was
    over, or that failed at a step which is begun again, goes on without."""
    standing = await standing_of(executing, caller, id)
    if standing.status == "cancelled":
        raise standing.refusal("EXECUTION_NOT_ACTIVE", f"execution {id} is cancelled")
    execution, config = standing.execution, request.resume_config
    held = execution.paused
    again = failed_steps(standing) if config.restart_failed_steps else []
    if held is None and not standing.timed_out and not again:
        message = f"execution {id} is not paused: it is {standing.status}"
        raise standing.refusal("EXECUTION_NOT_ACTIVE", message)
    digest = digest_of(request.resume_token)
    if held is not None and not hmac.compare_digest(held["token"], digest):
        raise standing.refusal("INVALID_RESUME_TOKEN", "this is not the token of the pause")
    moment = executing.clock()
    away = moment - datetime.fromisoformat(held["at"]) if held else timedelta()
    changed = replace(execution, paused=None)
    if config.reset_timeout:
        changed = replace(changed, timeout_from=iso(moment))
    end = changed.time_end
    if end is not None and end <= moment:
        raise standing.refusal("WORKFLOW_TIMEOUT", f"the execution's time was over at {iso(end)}")
    away = away if config.update_deadlines else timedelta()
    await _keep_resumed(executing, standing, changed.timeout_from, away, again)
    known = {a.id for a in standing.assignments}
    await at_rest(executing, standing)
    after = await standing_now(executing, changed)
    made = [a for a in after.assignments if a.id not in known]
    return responses.WorkflowResumed(
        resumed_at=iso(moment), steps_restarted=again, new_assignments=assignment_list(made)
    )


async def reissue_resume_token(
    executing: Executing, caller: Caller, id: str, request: requests.Request
) -> responses.TokenReissued:
    """Give a paused execution another resume token, when the one of the pause was lost: that one
    opens nothing any more."""
    standing = await standing_of(executing, caller, id)
    token = secrets.token_urlsafe(32)

    def with_token(known: StoredExecution) -> StoredExecution:
        if known.paused is None:
            message = f"execution {id} is not paused: it is {standing.status}"
            raise standing.refusal("EXECUTION_NOT_ACTIVE", message)
        return replace(known, paused={**known.paused, "token": digest_of(token)})

    await executing.register.edit(id, with_token)
    return responses.TokenReissued(resume_token=token)


async def _keep_resumed(
    executing: Executing,
    standing: ExecutionState,
    timeout_from: str,
    away: timedelta,
    again: list[str],
) -> None:
    """Store the resume: deadlines move by `away`, failed steps begin `again`. Raises `ServiceFault`
    when another request has resumed it meanwhile."""
    id, held = standing.execution.id, standing.execution.paused

    def without_pause(known: StoredExecution) -> StoredExecution:
        if known.paused != held:
            message = f"execution {id} was resumed meanwhile"
            raise ServiceFault("EXECUTION_NOT_ACTIVE", message, execution=id)
        due = iso(datetime.fromisoformat(known.due) + away) if known.due else ""
        return replace(known, paused=None, timeout_from=timeout_from, due=due)

    async with executing.news(id) as inside:
        await inside.edit(id, without_pause)
        if again:
            await restart_failed(executing, inside, standing)
        for assignment in standing.open if away else ():
            if assignment.deadline:
                later = datetime.fromisoformat(assignment.deadline) + away
                await inside.change_open(replace(assignment, deadline=iso(later)))


async def answer_question(
    executing: Executing, caller: Caller, id: str, question: str, request: requests.AnswerQuestion
) -> responses.WorkflowStatus:
    """Answer a question that is not a step: an approval, a question of a flowchart."""
    standing = await standing_of(executing, caller, id)
    standing.require_active()
    open_question = next((q for q in standing.other_questions if q.name == question), None)
    if open_question is None:
        waiting = [quote(q.name) for q in standing.other_questions]
        options = [f"answer what waits: POST …/questions/{name}" for name in waiting]
        raise standing.refusal(
            "INVALID_REQUEST", f"no question `{question}` waits", recovery=tuple(options)
        )
    if open_question.kind == "approve":
        executing.require_approver(caller, standing.execution)
    try:
        answer = typed_answer(standing.record, open_question, request.answer)
        await executing.answer(standing.execution, open_question, answer)
    except RunError as error:
        raise standing.refusal("INVALID_REQUEST", error.message, recovery=(error.help,)) from None
    await at_rest(executing, standing)
    return (await standing_of(executing, caller, id)).answer(details=False, metrics=False)


def failed_steps(standing: ExecutionState) -> list[str]:
    """Return the failed steps that have not begun again, in file order."""
    error = (standing.record.error if standing.record else None) or {}
    stuck = error.get("node") if standing.status == "failed" else None
    return [
        s.id
        for s in standing.steps
        if s.id == stuck or _failed_assignment(standing, s.id) is not None
    ]


async def restart_failed(
    executing: Executing, register: Register, standing: ExecutionState
) -> list[str]:
    """Give every failed step to its agent again, so that the run does it anew. Return the steps."""
    restarted = failed_steps(standing)
    for id in restarted:
        old = _failed_assignment(standing, id)
        if old is None:
            continue  # a model's: it begins again by itself
        new = new_assignment(
            executing,
            standing.execution,
            standing.workflow,
            standing.step(id),
            old.visit,
            agent=old.agent,
            config={**old.config, "deadline": None},
        )
        await register.assign(new)
    return restarted


def _failed_assignment(standing: ExecutionState, step: str) -> StoredAssignment | None:
    """Return the failed assignment of a step, unless the run has gone on from it."""
    last = assignment_of(standing.assignments, step, standing.next_visit(step))
    return last if last is not None and last.person and last.status == "failed" else None


_ALERTS: Mapping[responses.HappeningKind, str] = {
    "milestone": "milestone_alerts",
    "error": "error_alerts",
    "completion": "completion_alerts",
    "deadline": "error_alerts",
    "escalation": "error_alerts",
}
"""The notification that makes an alert of what is of this kind."""


def _kind_and_text(event: RunEvent, title: str) -> tuple[responses.HappeningKind, str] | None:
    """Return kind and text of what happened; None for an event that concerns nobody."""
    match event.kind:
        case "gate" if event.data["passed"]:
            return "milestone", f"{title}: {_gate_text(event)}"
        case "warning":
            return "warning", f"{title}: {event.data['message']}" if title else _text(event)
        case "node_failed" if not event.data.get("caught"):
            return "error", _text(event)
        case "run_finished" if event.data.get("status") == "success":
            return "completion", "the execution is completed"
        case "run_finished" if event.data.get("status") == "stopped":
            return "error", ""
    return None


def _stop_text(standing: ExecutionState) -> str:
    """Return why a run was stopped that an execution's time ended, or somebody."""
    cancelled = standing.execution.cancelled
    if cancelled is not None:
        reason = f": {cancelled['reason']}" if cancelled["reason"] else ""
        return f"the execution was cancelled by {cancelled['who']}{reason}"
    error = (standing.record.error if standing.record else None) or {}
    minutes = standing.execution.config.get("timeout_minutes")
    if error.get("limit") != "seconds" or minutes is None:
        return str(error.get("message") or "the run was stopped")
    return f"the execution's time of {minutes:g} minutes is over"


def _gate_text(event: RunEvent) -> str:
    score, required = event.data.get("score"), event.data.get("required")
    if event.data.get("form") == "milestone":
        return "reached"
    return "approved" if score is None else f"passed with {score:.3g}, {required:g} is required"


def _text(event: RunEvent) -> str:
    return str(event.data.get("message", ""))


def happenings_of(standing: ExecutionState) -> list[responses.Happening]:
    """Return what happened in an execution so far, in order."""
    titles = {node.id: getattr(node, "title", "") for node in standing.workflow.nodes}
    happened = []
    for event in standing.timeline.told:
        kind_and_text = _kind_and_text(event, titles.get(event.node) or event.node)
        if kind_and_text is None:
            continue
        kind, message = kind_and_text
        message = message or _stop_text(standing)
        happened.append(_happening(standing, event.time, kind, event.node, message))
    happened += [_happening(standing, t.time, t.kind, t.step, t.message) for t in standing.told]
    return sorted(happened, key=lambda each: each.time)


def _happening(
    standing: ExecutionState, time: str, kind: responses.HappeningKind, step: str, message: str
) -> responses.Happening:
    wanted = standing.execution.notifications.get(_ALERTS.get(kind, ""), False)
    return responses.Happening(time=time, kind=kind, step_id=step, message=message, alert=wanted)
