"""Responses of the operations that look: lists, one thing of them, whether the service works."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from .operation import OperationResponse
from .responses import Status


class WorkflowListed(BaseModel):
    """A workflow in a list."""

    workflow_id: str
    name: str
    format: str
    created: str


class WorkflowList(OperationResponse):
    """The newest first; the last id is the `after` of the next page."""

    workflows: list[WorkflowListed]


class WorkflowFound(OperationResponse):
    """A workflow, with its text."""

    workflow_id: str
    name: str
    format: str
    created: str
    file_name: str
    source: str
    warnings: list[str]
    estimated_total_duration: int


class Deleted(OperationResponse):
    """It is gone; executions of it have a copy and go on."""


class TeamListed(BaseModel):
    """A team in a list."""

    team_id: str
    name: str
    created: str


class TeamList(OperationResponse):
    """The newest first."""

    teams: list[TeamListed]


class AgentFound(BaseModel):
    """An agent of a team that was created before."""

    agent_id: str
    role: str


class TeamFound(OperationResponse):
    """A team, with its document as JSON."""

    team_id: str
    name: str
    created: str
    source: str
    agents: list[AgentFound]


class ExecutionListed(BaseModel):
    """An execution in a list, or (`is_run`) a run of `flowc run` in the same store, which has no
    workflow and no team here. `tokens` and `cost` (dollars, null: unknown) are those of its models
    when it came to rest last."""

    execution_id: str
    workflow_id: str
    team_id: str
    status: Status
    created: str
    file_name: str
    is_run: bool = False
    tokens: int = 0
    cost: float | None = None


class ExecutionList(OperationResponse):
    """The newest first."""

    executions: list[ExecutionListed]


class AssignmentListed(BaseModel):
    """A step that waits for a person. `as_deputy`: the caller stands in for them."""

    execution_id: str
    workflow_name: str
    step_id: str
    step_name: str
    assignment_id: str
    agent_id: str
    as_deputy: bool
    priority: str
    since: str
    deadline: str | None


class AssignmentList(OperationResponse):
    """What waits for people, by execution, the newest first. `next_after` begins the next page, ""
    is the end."""

    assignments: list[AssignmentListed]
    next_after: str


class AuditEntry(BaseModel):
    """Who asked for what: the outcome is `done` or an error code."""

    time: str
    who: str
    operation: str
    outcome: str


class AuditLog(OperationResponse):
    """The newest first."""

    entries: list[AuditEntry]


class WorkerListed(BaseModel):
    """A worker. `health` is `gone` when it has said nothing for 20 s; `places` is how many
    executions it carries on at most."""

    name: str
    version: str
    host: str
    pid: int
    health: Literal["works", "ends", "gone"]
    began: str
    last_heartbeat: str
    places: int
    executions: list[str]


class TeamShare(BaseModel):
    """What a team has of the workers: executions that are carried on, at most `most`, and that
    wait. "" is those without a team."""

    team: str
    runs: int
    waits: int
    most: int | None


class WorkerList(OperationResponse):
    """Workers by name, and what teams have of them."""

    workers: list[WorkerListed]
    teams: list[TeamShare]


class Health(OperationResponse):
    """The process answers, whatever its store does."""


class Readiness(OperationResponse):
    """The store can be used, and a worker of this process carries executions on, if it has one."""

    executes: bool
