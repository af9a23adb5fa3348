"""Looking back: of each checkpoint only what is asked for, in one pass.

LangGraph's own history reads every checkpoint with all its channels and puts its lists together
from the beginning each time, which takes minutes where a person only wants to see a list.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.checkpoint.base import Checkpoint
from langgraph.checkpoint.base import id as ids

from ...db.digests import damaged_checkpoint
from ..channels import Write

Names = Collection[str]
"""Names of channels."""
_LATEST = 1 << 59
"""A time that no clock shows: about the year 3409. A later one was never the time of day, and would
leave no room for what comes after it."""


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """A checkpoint with those of the requested channels that it holds. `parent` is "" for the first
    one; `time` is ISO-8601 UTC."""

    id: str
    parent: str
    step: int
    time: str
    values: Mapping[str, Any]


class Checkpoints(ABC):
    """The checkpoints of a store. Everything raises `RunError`."""

    @abstractmethod
    async def namespaces(self, run: str) -> list[str]:
        """Return every namespace that has checkpoints of the run, in the order of their names."""

    @abstractmethod
    async def namespace_of(self, run: str, checkpoint: str) -> str | None:
        """Return the namespace of a checkpoint; None when the run has none of this id."""

    @abstractmethod
    async def newest(self, run: str) -> str | None:
        """Return the greatest name of a checkpoint of the run; None when it has none."""

    @abstractmethod
    async def count(self, run: str, space: str) -> int:
        """Return how many checkpoints a namespace has."""

    @abstractmethod
    async def checkpoints(self, run: str, space: str, names: Names) -> list[StoredCheckpoint]:
        """Return those of a namespace by their ids, which is the order in which they were made."""

    @abstractmethod
    async def writes(self, run: str, space: str, names: Names) -> dict[str, list[Write]]:
        """Return what was written to the channels after each checkpoint, in LangGraph's order."""

    @abstractmethod
    async def copy(self, run: str, new_run: str, line: Sequence[str]) -> None:
        """Copy checkpoints of the main workflow to a run that has none, and what was written after
        all of them but the last. `line` are their ids, oldest first."""

    @abstractmethod
    async def drop_space(self, run: str, space: str) -> int:
        """Delete the checkpoints of a namespace. Return how many there were."""

    @abstractmethod
    async def drop_others(self, run: str, last: Checkpoint) -> int:
        """Delete the checkpoints of the main workflow but one, which holds every list in full and
        has no parent then. Return how many."""


async def begin_after(checkpoints: Checkpoints, run: str) -> None:
    """Let every checkpoint that this process makes from now on come after those of the run. Raise
    `RunError` for a name that no clock has given.

    LangGraph names a checkpoint by the time (a UUID of version 6), and takes the greatest name for
    the last one. Within a process the next name is always greater. Another process, after the clock
    was set back or on a machine whose clock is behind, would write checkpoints that come before
    those that are there: the run would go back, and do again what it did.
    """
    newest = await checkpoints.newest(run)
    if newest is not None:
        clock = vars(ids)
        clock["_last_v6_timestamp"] = max(clock["_last_v6_timestamp"] or 0, _ticks(newest, run))


def _ticks(checkpoint: str, run: str) -> int:
    """Return the time in a name, in units of 100 ns since 1582."""
    try:
        named = ids.UUID(checkpoint)
    except ValueError:
        raise damaged_checkpoint(run, checkpoint[:40]) from None
    if named.version != 6 or named.time >= _LATEST:
        raise damaged_checkpoint(run, checkpoint)
    return int(named.time)
