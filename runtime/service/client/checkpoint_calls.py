"""The operations of a client on checkpoints: see `calls`."""

from __future__ import annotations

from collections.abc import Mapping

from ..contract import checkpoints
from .exchange import Talk, call


def list_checkpoints(
    execution_id: str, limit: int = 50, after: str | None = None
) -> Talk[checkpoints.CheckpointList]:
    """List the checkpoints of an execution, the newest first."""
    return call("list_checkpoints", **locals())


def get_checkpoint(execution_id: str, checkpoint_id: str) -> Talk[checkpoints.CheckpointFound]:
    """Return a checkpoint with the variables as they were there."""
    return call("get_checkpoint", **locals())


def fork_execution(
    execution_id: str,
    at: str,
    variables: Mapping[str, object] | None = None,
    *,
    key: str | None = None,
) -> Talk[checkpoints.ExecutionForked]:
    """Begin a new execution at a checkpoint, or before a step, with other values of variables."""
    return call("fork_execution", **locals())
