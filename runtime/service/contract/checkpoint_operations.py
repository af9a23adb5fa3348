"""The operations on checkpoints."""

from __future__ import annotations

from . import checkpoints, requests
from .operation import Operation
from .operation import OperationLink as Link

LOOKING_BACK: tuple[Operation, ...] = (
    Operation(
        "list_checkpoints",
        "GET /v1/executions/{execution_id}/checkpoints",
        requests.ListQuery,
        checkpoints.CheckpointList,
        "past.checkpoints.list_checkpoints",
        "the state after each step, the newest first, `?limit=50&after=ID`",
        "read",
    ),
    Operation(
        "get_checkpoint",
        "GET /v1/executions/{execution_id}/checkpoints/{checkpoint_id}",
        requests.Request,
        checkpoints.CheckpointFound,
        "past.checkpoints.get_checkpoint",
        "one of them, with the variables",
        "read",
    ),
    Operation(
        "fork_execution",
        "POST /v1/executions/{execution_id}/forks",
        checkpoints.ForkExecution,
        checkpoints.ExecutionForked,
        "past.forks.fork_execution",
        "a new execution [from a checkpoint](#branches) of this one, with other values",
        example={"at": "analyse", "variables": {"gather": {"output": "three sources"}}},
        links=(Link("status", "GET_WORKFLOW_STATUS"),),
    ),
)
