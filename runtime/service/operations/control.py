"""GET_WORKFLOW_STATUS, PAUSE_WORKFLOW, RESUME_WORKFLOW, and answers to questions."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from ...errors import RunError
from ..contract import requests as asked
from ..contract import responses as told
from ..records.errors import ServiceFault
from ..records.metrics import iso
from ..records.tables import REQUEST, Assignment, StoredExecution
from ..records.tokens import Caller
from .advance import deadline_of
from .executions import Executing
from .messages import latest_messages
from .notifications import happenings_of
from .progress import PATIENCE, at_rest, now, standing_now, standing_of, told_of
from .restart import failed_steps, restart_failed
from .status import Standing

Action = Literal["completed", "paused", "cancelled"]


async def get_workflow_status(
    executing: Executing, caller: Caller, request: asked.GetWorkflowStatus
) -> told.WorkflowStatus:
    """GET_WORKFLOW_STATUS (C12, C19)."""
    standing = await standing_of(executing, caller, request.execution_id)
    found = standing.answer(details=request.include_details, metrics=request.include_metrics)
    if request.include_details:
        found.events = await happenings_of(executing, standing)
        found.messages = await latest_messages(executing, standing)
    return found


async def pause_workflow(
    executing: Executing, caller: Caller, request: asked.PauseWorkflow
) -> told.WorkflowPaused:
    """PAUSE_WORKFLOW (C17): the token is kept as a digest and opens once."""
    standing = await standing_of(executing, caller, request.execution_id)
    again = REQUEST.get().again and standing.execution.paused is not None
    if not again:  # or nobody would have the token of a pause whose process died
        standing.require_active()
    token, at = secrets.token_urlsafe(32), now(executing)
    id = request.execution_id
    active = [a for a in standing.open if not _blocked(standing, a)]
    held = {
        "at": at,
        "reason": request.pause_reason,
        "type": request.pause_type,
        "token": _digest(token),
        "until": request.estimated_resume.isoformat() if request.estimated_resume else None,
    }

    def paused(known: StoredExecution) -> StoredExecution:
        if known.paused is not None and not again:
            raise ServiceFault("EXECUTION_NOT_ACTIVE", f"execution {id} is paused", execution=id)
        return replace(known, paused=held)

    immediate = request.pause_type == "immediate"
    await executing.pause(id, paused, "cancel" if immediate else "drain")
    if immediate:
        await executing.settled(id, PATIENCE)
    else:
        await at_rest(executing, standing)
    after = await standing_now(executing, standing.execution)
    handled = []
    for assignment in active:
        cut = not assignment.person and immediate
        action: Action = "cancelled" if cut else "paused"
        if assignment.step in after.done:
            action = "completed"
        handled.append(told.StepHandled(step_id=assignment.step, action=action))
    return told.WorkflowPaused(paused_at=at, active_steps_handled=handled, resume_token=token)


async def resume_workflow(
    executing: Executing, caller: Caller, request: asked.ResumeWorkflow
) -> told.WorkflowResumed:
    """RESUME_WORKFLOW (C17). Without a pause there is no token to show: an execution whose time was
    over, or that failed at a step which is begun again, goes on without."""
    standing = await standing_of(executing, caller, request.execution_id)
    execution, config = standing.execution, request.resume_config
    held = execution.paused
    again = failed_steps(standing) if config.restart_failed_steps else []
    if held is None and not standing.timed_out and not again:
        raise ServiceFault(
            "EXECUTION_NOT_ACTIVE",
            f"execution {execution.id} is not paused: it is {standing.status}",
            execution=execution.id,
        )
    digest = _digest(request.resume_token)
    if held is not None and not hmac.compare_digest(held["token"], digest):
        raise ServiceFault(
            "INVALID_RESUME_TOKEN", "this is not the token of the pause", execution=execution.id
        )
    moment = executing.clock()
    away = moment - datetime.fromisoformat(held["at"]) if held else timedelta()
    changed = replace(execution, paused=None)
    if config.reset_timeout:
        changed = replace(changed, timeout_from=iso(moment))
    end = deadline_of(changed)
    if end is not None and end <= moment:
        raise ServiceFault(
            "WORKFLOW_TIMEOUT",
            f"the execution's time was over at {iso(end)}",
            execution=execution.id,
        )
    away = away if config.update_deadlines else timedelta()
    await _resumed(executing, standing, changed.timeout_from, away, again)
    known = {a.id for a in standing.assignments}
    await at_rest(executing, standing)
    after = await standing_now(executing, changed)
    made = [a for a in after.assignments if a.id not in known]
    return told.WorkflowResumed(
        resumed_at=iso(moment),
        steps_restarted=again,
        new_assignments=told_of(made),
    )


async def _resumed(
    executing: Executing,
    standing: Standing,
    timeout_from: str,
    away: timedelta,
    again: list[str],
) -> None:
    """Keep that it is not paused any more, with deadlines later by as long as it was away and with
    failed steps begun `again`. Raises `ServiceFault` when somebody else did so meanwhile."""
    id, held = standing.execution.id, standing.execution.paused

    def resumed(known: StoredExecution) -> StoredExecution:
        if known.paused != held:
            message = f"execution {id} was resumed meanwhile"
            raise ServiceFault("EXECUTION_NOT_ACTIVE", message, execution=id)
        return replace(known, paused=None, timeout_from=timeout_from)

    async with executing.news(id) as inside:
        await inside.edit(id, resumed)
        if again:
            await restart_failed(executing, inside, standing)
        for assignment in standing.open if away else ():
            if assignment.deadline:
                later = datetime.fromisoformat(assignment.deadline) + away
                await inside.change_open(replace(assignment, deadline=iso(later)))


async def answer_question(
    executing: Executing, caller: Caller, id: str, question: str, request: asked.AnswerQuestion
) -> told.WorkflowStatus:
    """Answer a question that is no step: an approval of a gate, a question of another
    dialect."""
    standing = await standing_of(executing, caller, id)
    standing.require_active()
    found = next((q for q in standing.other_questions if q.name == question), None)
    if found is None:
        raise ServiceFault("INVALID_REQUEST", f"no question `{question}` waits", execution=id)
    try:
        await executing.answer(standing.execution, found, request.answer)
    except RunError as error:
        raise ServiceFault(
            "INVALID_REQUEST", error.message, execution=id, recovery=(error.help,)
        ) from None
    await at_rest(executing, standing)
    return (await standing_of(executing, caller, id)).answer(details=False, metrics=False)


def _blocked(standing: Standing, assignment: Assignment) -> bool:
    step = next(s for s in standing.steps if s.id == assignment.step)
    return any(need not in standing.done for need in step.needs)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
