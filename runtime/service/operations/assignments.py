"""ASSIGN_TASK and COMPLETE_STEP."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from ...state.task_results import ResultFault, read_result
from ..contract import requests as asked
from ..contract import responses as told
from ..records.errors import ServiceFault
from ..records.metrics import (
    Step,
    completion_time,
    percentage,
    quality_impact,
    ready,
    remaining_minutes,
    score_of,
    timeline,
)
from ..records.tables import OPEN, Assignment
from ..records.tokens import Caller
from .compile import task_schema
from .dispatch import made_for
from .executions import Executing
from .progress import assign_ready, at_rest, now, standing_now, standing_of, told_of
from .status import Standing


async def assign_task(
    executing: Executing, caller: Caller, request: asked.AssignTask
) -> told.TaskAssigned:
    """ASSIGN_TASK (C13)."""
    async with executing.alone(request.execution_id):
        standing = await standing_of(executing, caller, request.execution_id)
        standing.require_active()
        step = _assignable(standing, request)
        visit = (standing.state.visits.get(step.id, 0) if standing.state else 0) + 1
        new = made_for(
            standing.execution,
            step,
            visit,
            executing.people_of(standing.execution),
            executing.clock(),
            agent=request.agent_id,
            config=request.assignment_config.model_dump(mode="json"),
        )
        async with executing.news(request.execution_id) as register:
            made = await register.assign(new)
    return told.TaskAssigned(
        assignment_id=made.id,
        agent_notified=True,
        estimated_start=made.start,
        estimated_completion=made.deadline or completion_time(executing.clock(), step.minutes),
        dependencies_status=told.DependenciesStatus(all_met=True, pending=[]),
    )


def _assignable(standing: Standing, request: asked.AssignTask) -> Step:
    """The step. Raises `ServiceFault` when it cannot be given to that agent now."""
    fault = partial(ServiceFault, execution=request.execution_id)
    step = next((s for s in standing.steps if s.id == request.step_id), None)
    if step is None:
        raise fault("INVALID_REQUEST", f"there is no step `{request.step_id}`")
    fault = partial(fault, step=step.id)
    _refuse_agent(standing, step, request)
    if step.id in standing.done:
        raise fault("EXECUTION_NOT_ACTIVE", f"step `{step.id}` is done")
    free = {s.id for s in ready(standing.steps, standing.done, standing.sequential)}
    pending = [need for need in step.needs if need not in standing.done]
    if step.id not in free:
        waits = ", ".join(pending) or "the steps before it"
        raise fault(
            "STEP_DEPENDENCIES_NOT_MET",
            f"step `{step.id}` waits for {waits}",
            details={"dependencies_status": {"all_met": False, "pending": pending}},
        )
    current = next((a for a in standing.open if a.step == step.id), None)
    if current is not None and not current.person and _begun(standing, step):
        raise fault(
            "AGENT_NOT_ELIGIBLE",
            f"step `{step.id}` is being done by `{current.agent}`",
            agents=(current.agent,),
            recovery=("pause the execution first",),
        )
    return step


def _refuse_agent(standing: Standing, step: Step, request: asked.AssignTask) -> None:
    """Raises `ServiceFault` for an agent who is not of the team or has another role."""
    agents = {agent.id: agent for agent in standing.workflow.agents}
    fault = partial(ServiceFault, execution=request.execution_id, step=step.id)
    agent = agents.get(request.agent_id)
    if agent is None:
        known = ", ".join(agents) or "nobody"
        raise fault(
            "AGENT_NOT_ELIGIBLE",
            f"`{request.agent_id}` is not in the team, which is {known}",
        )
    if step.by_nobody:
        raise fault("AGENT_NOT_ELIGIBLE", f"step `{step.id}` merges by itself: nobody does it")
    if agent.role != step.role and not request.override_role_check:
        raise fault(
            "AGENT_NOT_ELIGIBLE",
            f"step `{step.id}` needs the role {step.role}, `{agent.id}` has {agent.role}",
            agents=(agent.id,),
        )


def _begun(standing: Standing, step: Step) -> bool:
    """Whether a model is at work on the step."""
    return standing.state is not None and step.id in standing.state.next


async def complete_step(
    executing: Executing, caller: Caller, request: asked.CompleteStep
) -> told.StepCompleted:
    """COMPLETE_STEP (C14). Partial keeps the assignment open with what there is so far."""
    async with executing.alone(request.execution_id):
        standing = await standing_of(executing, caller, request.execution_id)
        standing.require_active()
        assignment = _open_assignment(standing, request)
        step = next(s for s in standing.steps if s.id == assignment.step)
        changed = _completed(executing, standing, step, assignment, request)
        async with executing.news(request.execution_id) as register:
            if not await register.change_open(changed):
                raise _not_open(request, "was completed or given to another agent meanwhile")
        if request.completion_data.status == "partial":
            return _unchanged(request.completion_data.quality_self_assessment)
        after = await standing_now(executing, standing.execution)
        await assign_ready(executing, after)
    rests = await at_rest(executing, standing)
    after = await standing_now(executing, standing.execution)
    failure = after.failure()
    if rests and failure is not None and failure.code == "QUALITY_GATE_FAILED":
        raise failure
    known = {a.id for a in standing.assignments}
    made = [a for a in after.open if a.id not in known]
    completed = request.completion_data.status == "completed"
    score = score_of(step.id, after.results) if completed else None
    freed = {s.id for s in ready(after.steps, after.done, after.sequential)}
    free_before = {s.id for s in ready(standing.steps, standing.done, standing.sequential)}
    return told.StepCompleted(
        step_completed=completed,
        quality_score=score,
        triggers_next_steps=[s.id for s in after.steps if s.id in freed - free_before],
        workflow_impact=_impact(executing, standing, after, score),
        next_assignments=told_of(made),
    )


def _completed(
    executing: Executing,
    standing: Standing,
    step: Step,
    assignment: Assignment,
    request: asked.CompleteStep,
) -> Assignment:
    """The assignment with what came of it."""
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
        ended=now(executing),
    )


def _impact(
    executing: Executing, before: Standing, after: Standing, score: float | None
) -> told.Impact:
    trend = [s for s in (score_of(id, before.results) for id in before.done) if s is not None]
    change = percentage(after.steps, after.done) - percentage(before.steps, before.done)
    return told.Impact(
        progress_change=round(change, 2),
        timeline_impact=timeline(*_lateness(executing, after)),
        quality_impact=quality_impact(trend, score),
    )


def _open_assignment(standing: Standing, request: asked.CompleteStep) -> Assignment:
    """Raises `ServiceFault` for one that is not there, not open, or a model's."""
    fault = partial(ServiceFault, execution=request.execution_id)
    found = next((a for a in standing.assignments if a.id == request.assignment_id), None)
    if found is None or found.status not in OPEN:
        raise _not_open(request, f"is {found.status}" if found else "is not one of this execution")
    if not found.person:
        raise fault(
            "AGENT_NOT_ELIGIBLE",
            f"`{found.agent}` is a model and completes step `{found.step}` itself",
            step=found.step,
            agents=(found.agent,),
            recovery=("assign the step to a person",),
        )
    return found


def _not_open(request: asked.CompleteStep, why: str) -> ServiceFault:
    message = f"assignment `{request.assignment_id}` {why}"
    return ServiceFault("ASSIGNMENT_NOT_FOUND", message, execution=request.execution_id)


def _result(standing: Standing, step: Step, request: asked.CompleteStep) -> dict[str, Any]:
    """What the step's task takes in. Raises `ServiceFault` for what it would not accept: an
    output that is empty meets no criteria."""
    data = request.completion_data
    given: dict[str, Any] = {"output": data.output, "status": data.status}
    if data.quality_self_assessment is not None:
        given["score"] = data.quality_self_assessment
    if request.handoff_data:
        given["handoff"] = request.handoff_data
    for name in ("decision", "reason", "scores"):
        if getattr(data, name) is not None:
            given[name] = getattr(data, name)
    fault = partial(ServiceFault, execution=request.execution_id, step=step.id)
    try:
        read_result(task_schema(standing.workflow, step.id), given)
    except ResultFault as unfit:
        raise fault(
            "INVALID_REQUEST",
            f"completion_data: {unfit.message}",
            recovery=(unfit.suggestion,),
        ) from None
    if data.status == "completed" and not (data.output.strip() or data.decision or data.scores):
        raise fault(
            "INVALID_REQUEST",
            f"completion_data: an empty output does not meet `{step.criteria}`",
        )
    return given


def _lateness(executing: Executing, standing: Standing) -> tuple[float, float]:
    """Minutes behind the plan, and what the plan takes in all: what was to be done first took
    until now, and was estimated to take the whole without what is left."""
    steps, sequential = standing.steps, standing.sequential
    whole = remaining_minutes(steps, (), sequential)
    left = remaining_minutes(steps, standing.done, sequential)
    begun = datetime.fromisoformat(standing.execution.created)
    passed = (executing.clock() - begun).total_seconds() / 60
    return passed - (whole - left), whole


def _unchanged(score: float | None) -> told.StepCompleted:
    impact = told.Impact(progress_change=0.0, timeline_impact="on_track", quality_impact="unknown")
    return told.StepCompleted(
        step_completed=False,
        quality_score=score,
        triggers_next_steps=[],
        workflow_impact=impact,
        next_assignments=[],
    )
