"""Responses of the operations, field by field as the contract has them. Times are ISO 8601 UTC."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from ...events import EventKind
from .message_responses import Message
from .operation import OperationResponse

Status = Literal["starting", "executing", "waiting", "completed", "failed", "paused", "cancelled"]
"""In the contract's words; `cancelled` is ours."""


class ExecutionContext(BaseModel):
    """Where a fault happened."""

    execution_id: str
    current_step: str
    affected_agents: list[str]


class CompilerDiagnostic(BaseModel):
    """A finding of the compiler, with its place in the text that was given."""

    code: str
    severity: str
    message: str
    line: int | None
    column: int | None
    help: str


class ValidationStatus(BaseModel):
    """Errors keep a workflow from being used, warnings do not (C6)."""

    is_valid: bool
    warnings: list[str]
    errors: list[str]
    diagnostics: list[CompilerDiagnostic] = []


class ErrorAnswer(BaseModel):
    """The contract's form of an error (C18). What is wrong with a message has `details` and
    `suggested_action` too."""

    success: Literal[False] = False
    error_code: str
    error_message: str
    execution_context: ExecutionContext
    recovery_options: list[str]
    validation_status: ValidationStatus | None = None
    details: dict[str, Any] | None = None
    suggested_action: str | None = None


class WorkflowCreated(OperationResponse):
    """CREATE_WORKFLOW. Minutes are summed over all steps (C5)."""

    workflow_id: str
    validation_status: ValidationStatus
    estimated_total_duration: int


class AgentCreated(BaseModel):
    """An agent of a team."""

    agent_id: str
    role: str
    status: Literal["ready"] = "ready"


class TeamCreated(OperationResponse):
    """CREATE_TEAM."""

    team_id: str
    team_status: Literal["ready"] = "ready"
    agents: list[AgentCreated]


class InitialAssignment(BaseModel):
    """A step that can start at once."""

    agent_id: str
    step_id: str
    assignment_id: str
    task_description: str
    estimated_start: str
    deadline: str | None


class Milestone(BaseModel):
    """The next gate."""

    milestone_name: str
    estimated_completion: str | None


class WorkflowExecuted(OperationResponse):
    """EXECUTE_WORKFLOW."""

    execution_id: str
    initial_assignments: list[InitialAssignment]
    workflow_status: Literal["starting", "executing", "waiting"]
    next_milestone: Milestone | None


class OverallProgress(BaseModel):
    """`completion_percentage` is 0 to 100."""

    completed_steps: int
    total_steps: int
    completion_percentage: float
    current_phase: str


class ActiveStep(BaseModel):
    """A step that was begun or is assigned; `overdue` when its deadline has gone by."""

    step_id: str
    step_name: str
    assigned_agent: str
    assignment_id: str
    status: Literal["in_progress", "blocked", "review_pending"]
    progress_percentage: float | None
    estimated_completion: str | None
    overdue: bool


class CompletedStep(BaseModel):
    """A step that is done."""

    step_id: str
    completion_time: str | None
    quality_score: float | None
    agent_feedback: str


class Metrics(BaseModel):
    """Minutes; scores in the order in which the steps were completed."""

    total_duration: int
    average_step_duration: float | None
    quality_trend: list[float]
    resource_utilization: dict[str, float]


class NextStep(BaseModel):
    """A step that is still to come."""

    step_id: str
    step_name: str
    required_role: str
    dependencies_met: bool


class OpenQuestion(BaseModel):
    """A question that waits for a person and is not a step."""

    question_id: str
    kind: str
    text: str
    choices: list[str]


HappeningKind = Literal["milestone", "warning", "error", "completion", "deadline", "escalation"]


class Happening(BaseModel):
    """What happened: a gate that was passed, a warning, a fault, the end, a time that has gone by,
    a step that went to somebody else by it. `alert` when the execution's notifications ask for it;
    `step_id` is the step or the gate."""

    time: str
    kind: HappeningKind
    step_id: str
    message: str
    alert: bool


class WorkflowStatus(OperationResponse):
    """GET_WORKFLOW_STATUS. A step is completed, active or next, and never two of these; what it
    tells is as of the event at `event_position`, 0 before the first. `forked_from` is the execution
    that it branches off from."""

    execution_id: str
    workflow_status: Status
    overall_progress: OverallProgress
    active_steps: list[ActiveStep]
    completed_steps: list[CompletedStep] | None = None
    performance_metrics: Metrics | None = None
    next_steps: list[NextStep]
    event_position: int
    events: list[Happening] | None = None
    messages: list[Message] | None = None
    questions: list[OpenQuestion]
    forked_from: str | None = None
    result: Any = None
    failure: ErrorAnswer | None = None


class DependenciesStatus(BaseModel):
    """Steps that an assigned one still waits for."""

    all_met: bool
    pending: list[str]


class TaskAssigned(OperationResponse):
    """ASSIGN_TASK."""

    assignment_id: str
    agent_notified: bool
    estimated_start: str
    estimated_completion: str | None
    dependencies_status: DependenciesStatus


class Impact(BaseModel):
    """What a completion changed. The percentage is of the whole workflow."""

    progress_change: float
    timeline_impact: Literal["on_track", "ahead", "delayed"]
    quality_impact: Literal["improved", "unchanged", "declined", "unknown"]


class NewAssignment(BaseModel):
    """An assignment that an operation made."""

    agent_id: str
    step_id: str
    assignment_id: str


class StepCompleted(OperationResponse):
    """COMPLETE_STEP."""

    step_completed: bool
    quality_score: float | None
    triggers_next_steps: list[str]
    workflow_impact: Impact
    next_assignments: list[NewAssignment]


class StepHandled(BaseModel):
    """What a pause made of an active step."""

    step_id: str
    action: Literal["completed", "paused", "cancelled"]


class WorkflowPaused(OperationResponse):
    """PAUSE_WORKFLOW. The token is shown this once."""

    paused_at: str
    active_steps_handled: list[StepHandled]
    resume_token: str


class WorkflowResumed(OperationResponse):
    """RESUME_WORKFLOW."""

    resumed_at: str
    steps_restarted: list[str]
    new_assignments: list[NewAssignment]


class ExecutionCancelled(OperationResponse):
    """The steps that are not done stay so."""

    cancelled_at: str
    steps_left: list[str]


class TokenReissued(OperationResponse):
    """The token is shown this once; the one before opens nothing."""

    resume_token: str


class StreamedEvent(BaseModel):
    """The data of a message of an event stream that is neither `standing` nor `end`: an event of
    the run. What `data` holds depends on `kind`: see `runtime/events.py`."""

    kind: EventKind
    time: str
    node: str = ""
    path: list[str] = Field(default_factory=list)
    data: dict[str, Any] = Field(default_factory=dict)
