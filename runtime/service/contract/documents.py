"""Workflows and teams as the OpenAPI description shows them.

The compiler reads what was sent and knows more rules than a schema can say (dependencies, roles
that differ): nothing is checked with these models.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from .requests import ExecutionConfig, SourceWorkflow

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


_STEP = {"step_id": "gather", "required_role": "researcher", "success_criteria": "3 sources"}
_WORKFLOW = {"workflow_name": "Study", "workflow_type": "sequential", "steps": [_STEP]}
_GREETING = {
    "file_name": "greet.flow.yaml",
    "source": "flow: 1\nname: greet\nstate: {WORD: text}\nnodes:\n"
    "  - {name: greet, assign: {WORD: '\"hello\"'}}\n",
}
_TEAM = {
    "team_name": "Hedge",
    "team_type": "research",
    "agent_roles": [
        {"role_name": "researcher", "type": "person"},
        {"role_name": "analyst", "agent_config": {"model": "gpt-5-mini"}},
    ],
}


def workflow_content() -> dict[str, Any]:
    """The body of CREATE_WORKFLOW in the words of OpenAPI, with examples."""
    schema = {"anyOf": [_schema(ContractWorkflow), _schema(SourceWorkflow)]}
    examples = {"contract": {"value": _WORKFLOW}, "dialect": {"value": _GREETING}}
    return {"application/json": {"schema": schema, "examples": examples}}


def team_content() -> dict[str, Any]:
    """The body of CREATE_TEAM in the words of OpenAPI, with an example."""
    return {
        "application/json": {
            "schema": _schema(TeamDocument),
            "examples": {"team": {"value": _TEAM}},
        }
    }


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    """A model's JSON Schema in one piece: what stands inside a path's description has no
    definitions of its own."""
    schema = model.model_json_schema()
    known = schema.pop("$defs", {})

    def whole(part: object) -> Any:
        match part:
            case {"$ref": str(name)}:
                return whole(known[name.rpartition("/")[2]])
            case dict():
                return {key: whole(value) for key, value in part.items()}
            case list():
                return [whole(item) for item in part]
        return part

    found: dict[str, Any] = whole(schema)
    return found
