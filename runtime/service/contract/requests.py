"""Requests of the operations, field by field as the contract has them.

Unknown fields and values of another type are refused. Workflows and teams are read by the compiler,
which finds more and says where; `documents` describes them for OpenAPI.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from ...values import NotStorable, storable_value


def check_storable(value: object) -> Any:
    """Return the value. Raises `ValueError` when a store could not keep it as it is."""
    try:
        kept = storable_value(value)
    except NotStorable as unfit:
        raise ValueError(str(unfit)) from None
    if kept != value:
        raise ValueError("it holds half of a surrogate pair, which is not a character")
    if _holds_nul(kept):
        raise ValueError("it holds the character U+0000, which not every store can keep")
    return value


def _holds_nul(value: object) -> bool:
    match value:
        case str():
            return "\0" in value
        case dict():
            return any("\0" in key or _holds_nul(item) for key, item in value.items())
        case list():
            return any(_holds_nul(item) for item in value)
    return False


_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)")


def _check_time_text(value: object) -> Any:
    """Return the value. Raises `ValueError` for a number: its unit is unknown."""
    if isinstance(value, datetime) or (isinstance(value, str) and _TIME.fullmatch(value)):
        return value
    raise ValueError("a time is written 2026-05-01T09:00:00+00:00")


def _check_time_range(time: datetime) -> datetime:
    """Return the time. Raises `ValueError` when it does not fit into UTC or leaves no room for a
    pause."""
    try:
        fits = time.astimezone(UTC).year <= LAST_YEAR
    except OverflowError:
        fits = False
    if not fits:
        raise ValueError(f"a time lies in the years 1 to {LAST_YEAR}, in UTC")
    return time


def _whole(value: object) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


LAST_YEAR = 9000
"""Times after it are refused."""
ID_PATTERN = "^[!-~]+$"
Kept = AfterValidator(check_storable)
Id = Annotated[str, Field(min_length=1, max_length=200, pattern=ID_PATTERN)]
"""Printable ASCII without a space: it stands in paths and in logs."""
After = Annotated[str, Field(max_length=200, pattern="^[!-~]*$")]
"""The id that a page of a list begins behind; "" begins the first one."""
JsonValue = Annotated[Any, Kept]
"""A value that is the same when it has been kept."""
JsonObject = Annotated[dict[str, Any], Kept]
Text = Annotated[str, Field(max_length=100_000), Kept]
Time = Annotated[
    AwareDatetime,
    Field(strict=False),
    BeforeValidator(_check_time_text),
    AfterValidator(_check_time_range),
]
"""ISO 8601 with an offset."""
FromFloat = BeforeValidator(_whole)
"""3 and 3.0 are one number in JSON. It stands behind the bounds: pydantic describes those of a type
alone."""
Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Priority = Literal["low", "normal", "high", "critical"]
ExecutionStatus = Literal["starting", "executing", "completed", "failed", "paused", "cancelled"]
Enforcement = Literal["strict", "lenient", "advisory"]


class Request(BaseModel):
    """No field that the contract does not have, no value of another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SourceWorkflow(Request):
    """A workflow in any dialect: the text of its file, and the name it would have."""

    file_name: Annotated[
        str, Field(min_length=1, max_length=200, examples=["greeting.wf.md"]), Kept
    ]
    source: Annotated[str, Field(min_length=1, max_length=1_000_000), Kept]


class ExecutionConfig(Request):
    """`max_iterations` counts all attempts of one execution; minutes are real time."""

    max_iterations: Annotated[int, Field(ge=1, le=100), FromFloat] = 10
    timeout_minutes: Annotated[int, Field(ge=1, le=525_600), FromFloat] | None = None
    auto_retry: bool = False
    quality_enforcement: Enforcement = "strict"


class Notifications(Request):
    """Which events of the execution are marked as alerts."""

    milestone_alerts: bool = False
    error_alerts: bool = False
    completion_alerts: bool = False


class EscalationLevel(Request):
    """What is done when a step is `after_minutes` behind its deadline: it is told, and goes `to` an
    agent of the team, by id or role."""

    after_minutes: Annotated[int, Field(ge=0, le=525_600), FromFloat] = 0
    to: Annotated[str, Field(min_length=1, max_length=200), Kept] | None = None
    priority: Priority = "high"


class ExecuteWorkflow(Request):
    """EXECUTE_WORKFLOW. A workflow without roles needs no team. `escalation` is taken level by
    level for each step that is late."""

    workflow_id: Id
    team_id: Id | None = None
    input_parameters: JsonObject = Field(default_factory=dict)
    execution_config: ExecutionConfig = Field(default_factory=ExecutionConfig)
    notifications: Notifications = Field(default_factory=Notifications)
    escalation: Annotated[list[EscalationLevel], Field(max_length=10)] = Field(default_factory=list)


class StatusQuery(Request):
    """GET_WORKFLOW_STATUS."""

    include_details: bool = False
    include_metrics: bool = False


class AssignmentConfig(Request):
    """What the agent is told beside the step's own text."""

    priority: Priority = "normal"
    deadline: Time | None = None
    resources: JsonObject = Field(default_factory=dict)
    context: JsonObject = Field(default_factory=dict)


class AssignTaskBody(Request):
    """ASSIGN_TASK."""

    step_id: Id
    agent_id: Id
    assignment_config: AssignmentConfig = Field(default_factory=AssignmentConfig)
    override_role_check: bool = False


class CompletionData(Request):
    """What came of an assignment. `scores`, `decision` and `reason` are those of reviews and
    decisions (C23)."""

    status: Literal["completed", "partial", "failed"]
    output: Text = ""
    quality_self_assessment: Score | None = None
    duration_minutes: Annotated[int, Field(ge=0, le=5_256_000), FromFloat] | None = None
    challenges_encountered: Text = ""
    recommendations: Text = ""
    progress_percentage: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] | None = None
    decision: Text | None = None
    reason: Text | None = None
    scores: Annotated[dict[str, Score], Kept] | None = None


class CompleteStepBody(Request):
    """COMPLETE_STEP."""

    assignment_id: Id
    completion_data: CompletionData
    handoff_data: JsonObject = Field(default_factory=dict)


class PauseWorkflowBody(Request):
    """PAUSE_WORKFLOW: graceful lets what is under way finish, immediate cancels it."""

    pause_reason: Text = ""
    pause_type: Literal["graceful", "immediate"] = "graceful"
    estimated_resume: Time | None = None


class ResumeConfig(Request):
    """What else a resume does."""

    restart_failed_steps: bool = False
    update_deadlines: bool = False
    reset_timeout: bool = False


class ResumeWorkflowBody(Request):
    """RESUME_WORKFLOW."""

    resume_token: Annotated[str, Field(min_length=1, max_length=200)]
    resume_config: ResumeConfig = Field(default_factory=ResumeConfig)


class CancelExecution(Request):
    """What ends an execution for good: graceful lets what is under way finish, immediate cuts it
    off."""

    reason: Text = ""
    cancel_type: Literal["graceful", "immediate"] = "graceful"


class AnswerQuestion(Request):
    """The answer to a question that is not a step: an approval, a question of a chart."""

    answer: JsonValue


class ListQuery(Request):
    """Which part of a list: `after` is the last id of the page before."""

    limit: Annotated[int, Field(ge=1, le=500)] = 50
    after: After = ""


class ExecutionQuery(ListQuery):
    """Which executions: of a status, of a workflow, of a team, of a team with an agent, begun
    `since` a time and before `until`. `text` are words of the workflow's name, its file, the team
    and its roles, the inputs, and ids: each of them has to be there, as a whole, in any case."""

    status: ExecutionStatus | None = None
    workflow_id: Id | None = None
    team_id: Id | None = None
    agent_id: Id | None = None
    since: Time | None = None
    until: Time | None = None
    text: Annotated[str, Field(max_length=200)] = ""


class AssignmentQuery(Request):
    """Whose assignments: those of one agent, or all that the caller acts for. `limit` counts the
    executions that are looked at, `after` is the `next_after` of the page before."""

    agent_id: Id | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    after: After = ""


class AuditQuery(Request):
    """How many of the latest entries."""

    limit: Annotated[int, Field(ge=1, le=500)] = 50
