"""Workflows and teams for the OpenAPI description.

The compiler reads their texts and knows more rules than a schema (dependencies, roles that differ),
so these models validate nothing.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from .requests import ExecutionConfig, Request, SourceWorkflow

CONTRACT = "workflow.json"
"""The name of a text that is a contract."""
Word = Annotated[str, Field(min_length=1, pattern="^[A-Za-z0-9_-]+$", max_length=200)]
Said = Annotated[str, Field(min_length=1, pattern="[A-Za-z0-9]")]
Minutes = Annotated[float, Field(ge=0, le=1_000_000)]


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid")


class WorkflowStep(_Document):
    """A step: who does it, when it can begin, when it is done well."""

    step_id: Word
    step_name: Said = "Gather"
    step_type: Literal["task", "decision", "synchronization", "review"] = "task"
    required_role: Said
    estimated_duration: Minutes = 10
    dependencies: list[Word] = Field(default_factory=list)
    success_criteria: Said
    failure_handling: str = ""


class QualityGate(_Document):
    """What is judged before the end."""

    gate_id: Word
    gate_type: Literal["approval", "quality_check", "milestone"]
    criteria: str = ""
    required_score: Annotated[float, Field(ge=0, le=1)] = 0.8


class ContractWorkflow(_Document):
    """CREATE_WORKFLOW as the contract has it."""

    workflow_name: Said
    workflow_type: Literal["sequential", "parallel", "hybrid"]
    description: str = ""
    steps: Annotated[list[WorkflowStep], Field(min_length=1)]
    quality_gates: list[QualityGate] = Field(default_factory=list)
    input_parameters: dict[str, Any] = Field(default_factory=dict)
    execution_config: ExecutionConfig = Field(default_factory=ExecutionConfig)


class AgentConfiguration(_Document):
    """What a model is told to be."""

    model: Said = "gpt-5-mini"
    tools: list[Word] = Field(default_factory=list)
    instructions: str = ""


class AgentRole(_Document):
    """An agent of a team: a model, or a person."""

    role_name: Said
    type: Literal["model", "person"] = "model"
    agent_config: AgentConfiguration = Field(default_factory=AgentConfiguration)


class WorkflowConfig(_Document):
    """How a team usually works."""

    type: Literal["sequential", "parallel", "hybrid"] = "sequential"
    max_iterations: Annotated[int, Field(ge=1, le=100)] = 10
    timeout_minutes: Annotated[int, Field(ge=1, le=525_600)] = 60


class TeamDocument(_Document):
    """CREATE_TEAM: two to five agents with different roles."""

    team_name: Annotated[str, Field(min_length=1, max_length=100)]
    team_type: Literal["research", "content_creation", "problem_solving"]
    agent_roles: Annotated[list[AgentRole], Field(min_length=2, max_length=5)]
    workflow_config: WorkflowConfig = Field(default_factory=WorkflowConfig)


class TextRequest(Request):
    """A request whose body is read as a text, so that a fault has the line of what was sent."""

    source: str

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the request that a body makes. Raises `ValidationError`."""
        return cls(source=text)


class TeamText(TextRequest):
    """The text of a team."""


class WorkflowText(TextRequest):
    """The text of a workflow, and the name of its file."""

    file_name: str = CONTRACT

    @classmethod
    def read(cls, text: str) -> Self:
        """Return a contract as it is, or the text of another dialect out of {file_name, source}.
        Raises `ValidationError` for such a value that does not fit."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return cls(source=text)  # the compiler says where it is not JSON
        if not isinstance(value, dict) or "source" not in value:
            return cls(source=text)
        return cls(**dict(SourceWorkflow.model_validate(value)))
