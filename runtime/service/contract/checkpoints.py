"""Requests and responses of the operations on checkpoints."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from .operation import OperationResponse
from .requests import JsonObject, Kept, Request
from .responses import Status


class ForkExecution(Request):
    """Where a branch begins: `at` is the id of a checkpoint, or a step, which means the latest
    checkpoint before it. `variables` have other values there, each of the type that the workflow
    declares; null empties one."""

    at: Annotated[str, Field(min_length=1, max_length=200), Kept]
    variables: JsonObject = Field(default_factory=dict)


class CheckpointListed(BaseModel):
    """A checkpoint: what was done just before it, and what comes after it. `position` counts from
    0; `calls` lead to the workflow that it is of, [] is the main one; `changed` are variables with
    another value than before. A branch can begin there where `can_fork`."""

    checkpoint_id: str
    position: int
    time: str
    calls: list[str]
    completed: list[str]
    next: list[str]
    changed: list[str]
    can_fork: bool


class CheckpointList(OperationResponse):
    """The newest first; the last id is the `after` of the next page."""

    checkpoints: list[CheckpointListed]


class CheckpointVariable(BaseModel):
    """A variable as it was. `is_hidden`: the value, or a part of it, is a secret and not told."""

    name: str
    type: str
    value: object
    is_hidden: bool


class CheckpointFound(OperationResponse):
    """A checkpoint with the variables as they were there."""

    checkpoint: CheckpointListed
    variables: list[CheckpointVariable]


class ExecutionForked(OperationResponse):
    """A new execution, which goes on by itself. The one that it was made from stays as it is."""

    execution_id: str
    forked_from: str
    checkpoint_id: str
    workflow_status: Status
