"""ASSIGN_TASK and COMPLETE_STEP."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from ...state.task_results import ResultFault, read_result
from ..bodies.compile import task_schema
from ..contract import requests, responses
from ..queues.queue import GOES_ON, RANKS
from ..records.access import Caller, Tokens
from ..records.errors import ServiceFault
from ..records.metrics import (
    TaskStep,
    completion_time,
    percentage,
    quality_impact,
    remaining_minutes,
    timeline,
)
from ..records.tables import OPEN, StoredAssignment
from ..records.webhooks import WebhookRows
from .dispatch import (
    assignment_list,
    at_rest,
    new_assignment,
    standing_now,
    standing_of,
)
from .executions import Executing
from .status import ExecutionState


async def assign_task(
    executing: Executing, caller: Caller, id: str, request: requests.AssignTaskBody
) -> responses.TaskAssigned:
    """ASSIGN_TASK (C13)."""
    async with executing.alone(id):
        standing = await standing_of(executing, caller, id)
        standing.require_active()
        step = _assignable(standing, request)
        new = new_assignment(
            executing,
            standing.execution,
            standing.workflow,
            step,
            standing.next_visit(step.id),
            agent=request.agent_id,
            config=request.assignment_config.model_dump(mode="json"),
        )
        rank = GOES_ON + RANKS[request.assignment_config.priority]
        async with executing.news(id, rank) as register:
            made = await register.assign(new, instead_of=standing.open)
    return responses.TaskAssigned(
        assignment_id=made.id,
        agent_notified=await _is_notified(executing, made),
        estimated_start=made.start,
        estimated_completion=made.deadline or completion_time(executing.clock(), step.minutes),
        dependencies_status=responses.DependenciesStatus(all_met=True, pending=[]),
    )


async def _is_notified(executing: Executing, made: StoredAssignment) -> bool:
    """Return whether the agent hears of an assignment: a model when its step begins, a person who
    has a token with which to see it, or whom a webhook tells."""
    if not made.person:
        return True
    hooks = await WebhookRows(executing.db).told_of(made.execution)
    if any("waits_for_person" in hook.events for hook in hooks):
        return True
    return await Tokens(executing.db).has_holder(made.agent, executing.clock())


def _assignable(standing: ExecutionState, request: requests.AssignTaskBody) -> TaskStep:
    """Return the step. Raises `ServiceFault` when the agent cannot have it now."""
    step = next((s for s in standing.steps if s.id == request.step_id), None)
    if step is None:
        raise standing.refusal("INVALID_REQUEST", f"there is no step `{request.step_id}`")
    fault = partial(standing.refusal, step=step.id)
    _refuse_agent(standing, step, request)
    if step.id in standing.done_steps:
        raise fault("EXECUTION_NOT_ACTIVE", f"step `{step.id}` is done")
    pending = standing.pending_needs(step)
    if step not in standing.free_steps:
        waits = ", ".join(pending) or "the steps before it"
        raise fault(
            "STEP_DEPENDENCIES_NOT_MET",
            f"step `{step.id}` waits for {waits}",
            details={"dependencies_status": {"all_met": False, "pending": pending}},
        )
    current = next((a for a in standing.open if a.step == step.id), None)
    under_way = standing.state.next if standing.state else ()
    if current is not None and not current.person and step.id in under_way:
        raise fault(
            "AGENT_NOT_ELIGIBLE",
            f"step `{step.id}` is being done by `{current.agent}`",
            agents=(current.agent,),
            recovery=("pause the execution first",),
        )
    return step


def _refuse_agent(
    standing: ExecutionState, step: TaskStep, request: requests.AssignTaskBody
) -> None:
    """Raise `ServiceFault` for an agent of another team or role."""
    agents = {agent.id: agent for agent in standing.workflow.agents}
    fault = partial(standing.refusal, step=step.id)
    agent = agents.get(request.agent_id)
    if agent is None:
        known = ", ".join(agents) or "nobody"
        raise fault(
            "AGENT_NOT_ELIGIBLE", f"`{request.agent_id}` is not in the team, which is {known}"
        )
    if step.by_nobody:
        raise fault("AGENT_NOT_ELIGIBLE", f"step `{step.id}` merges by itself: nobody does it")
    if agent.role != step.role and not request.override_role_check:
        raise fault(
            "AGENT_NOT_ELIGIBLE",
            f"step `{step.id}` needs the role {step.role}, `{agent.id}` has {agent.role}",
            agents=(agent.id,),
        )


async def complete_step(
    executing: Executing, caller: Caller, id: str, request: requests.CompleteStepBody
) -> responses.StepCompleted:
    """COMPLETE_STEP (C14). Partial keeps the assignment open with what there is so far."""
    async with executing.alone(id):
        standing = await standing_of(executing, caller, id)
        standing.require_active()
        assignment = _open_assignment(standing, request)
        _require_holder(standing, caller, assignment)
        step = standing.step(assignment.step)
        changed = _with_outcome(executing, standing, step, assignment, request)
        rank = GOES_ON + RANKS[changed.config.get("priority", "normal")]
        async with executing.news(id, rank) as register:
            if not await register.change_open(changed):
                raise _not_open(
                    standing, request, "was completed or given to another agent meanwhile"
                )
        if request.completion_data.status == "partial":
            return _partial_response(request.completion_data.quality_self_assessment)
    rests = await at_rest(executing, standing)
    after = await standing_now(executing, standing.execution)
    failure = after.failure()
    if rests and failure is not None and failure.code == "QUALITY_GATE_FAILED":
        raise failure
    known = {a.id for a in standing.assignments}
    made = [a for a in after.open if a.id not in known]
    completed = request.completion_data.status == "completed"
    score = after.turns.score(step.id) if step.id in after.done_steps else None
    free_before = standing.free_steps
    return responses.StepCompleted(
        step_completed=completed,
        quality_score=score,
        triggers_next_steps=[s.id for s in after.free_steps if s not in free_before],
        workflow_impact=_impact(executing, standing, after, score),
        next_assignments=assignment_list(made),
    )


def _with_outcome(
    executing: Executing,
    standing: ExecutionState,
    step: TaskStep,
    assignment: StoredAssignment,
    request: requests.CompleteStepBody,
) -> StoredAssignment:
    """Return the assignment with its outcome."""
    data = request.completion_data
    feedback = data.model_dump(exclude={"output", "scores", "decision", "reason"})
    if data.status == "partial":
        feedback["output"] = data.output
        progress = data.progress_percentage
        return replace(assignment, status="in_progress", progress=progress, feedback=feedback)
    return replace(
        assignment,
        status="completed" if data.status == "completed" else "failed",
        progress=100.0 if data.status == "completed" else assignment.progress,
        result=_result(standing, step, request),
        feedback=feedback,
        ended=executing.now(),
    )


def _impact(
    executing: Executing, before: ExecutionState, after: ExecutionState, score: float | None
) -> responses.Impact:
    trend = [s for s in map(before.turns.score, before.done_steps) if s is not None]
    change = percentage(after.steps, after.done_steps) - percentage(before.steps, before.done_steps)
    return responses.Impact(
        progress_change=round(change, 2),
        timeline_impact=timeline(*_lateness(executing, after)),
        quality_impact=quality_impact(trend, score),
    )


def _open_assignment(
    standing: ExecutionState, request: requests.CompleteStepBody
) -> StoredAssignment:
    """Return a person's open assignment. Raises `ServiceFault` for any other."""
    assignment = next((a for a in standing.assignments if a.id == request.assignment_id), None)
    if assignment is None or assignment.status not in OPEN:
        raise _not_open(
            standing,
            request,
            f"is {assignment.status}" if assignment else "is not one of this execution",
        )
    if not assignment.person:
        raise standing.refusal(
            "AGENT_NOT_ELIGIBLE",
            f"`{assignment.agent}` is a model and completes step `{assignment.step}` itself",
            step=assignment.step,
            agents=(assignment.agent,),
            recovery=("assign the step to a person",),
        )
    return assignment


def _require_holder(standing: ExecutionState, caller: Caller, assignment: StoredAssignment) -> None:
    """Raise `ServiceFault` for a caller who does not act for the agent of an assignment."""
    if assignment.agent and not caller.may_act_for(assignment.agent):
        raise standing.refusal(
            "FORBIDDEN",
            f"step `{assignment.step}` is for `{assignment.agent}` to do, and this token is not"
            " theirs",
            step=assignment.step,
            agents=(assignment.agent,),
            recovery=(
                f"use a token of theirs: flowc token create NAME --agent {assignment.agent}",
                "or one of a deputy: --deputy-for, or of the scope admin",
            ),
        )


def _not_open(
    standing: ExecutionState, request: requests.CompleteStepBody, why: str
) -> ServiceFault:
    return standing.refusal("ASSIGNMENT_NOT_FOUND", f"assignment `{request.assignment_id}` {why}")


def _result(
    standing: ExecutionState, step: TaskStep, request: requests.CompleteStepBody
) -> dict[str, Any]:
    """Return the result that the step's task takes in. Raises `ServiceFault` when it does not fit;
    an empty output meets no criteria."""
    data = request.completion_data
    result: dict[str, Any] = {"output": data.output, "status": data.status}
    if data.quality_self_assessment is not None:
        result["score"] = data.quality_self_assessment
    if request.handoff_data:
        result["handoff"] = request.handoff_data
    for name in ("decision", "reason", "scores"):
        if getattr(data, name) is not None:
            result[name] = getattr(data, name)
    fault = partial(standing.refusal, step=step.id)
    try:
        read_result(task_schema(standing.workflow, step.id), result)
    except ResultFault as unfit:
        raise fault(
            "INVALID_REQUEST", f"completion_data: {unfit.message}", recovery=(unfit.suggestion,)
        ) from None
    if data.status == "completed" and not (data.output.strip() or data.decision or data.scores):
        raise fault(
            "INVALID_REQUEST", f"completion_data: an empty output does not meet `{step.criteria}`"
        )
    return result


def _lateness(executing: Executing, standing: ExecutionState) -> tuple[float, float]:
    """Return the minutes behind the estimate and the whole estimate: the done steps took until now,
    and were estimated as the whole without the rest."""
    steps, sequential = standing.steps, standing.sequential
    whole = remaining_minutes(steps, (), sequential)
    left = remaining_minutes(steps, standing.done_steps, sequential)
    begun = datetime.fromisoformat(standing.execution.created)
    passed = (executing.clock() - begun).total_seconds() / 60
    return passed - (whole - left), whole


def _partial_response(score: float | None) -> responses.StepCompleted:
    impact = responses.Impact(
        progress_change=0.0, timeline_impact="on_track", quality_impact="unknown"
    )
    return responses.StepCompleted(
        step_completed=False,
        quality_score=score,
        triggers_next_steps=[],
        workflow_impact=impact,
        next_assignments=[],
    )
