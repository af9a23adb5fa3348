"""What a host deletes of a thread is deleted of the run that the thread is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver


class Upkeep(Protocol):
    """Deletes in a store of runs. Both raise `RunError` for a run that is being executed."""

    async def forget(self, run: str) -> None:
        """Delete everything of a run: its record, events, effects, charges and checkpoints."""
        ...

    async def compact(self, run: str) -> None:
        """Delete the checkpoints that a run does not need to go on; what is not a run stays."""
        ...


class ThreadUpkeep(BaseCheckpointSaver[str]):
    """A base class, named before the saver's own. Without an `upkeep` threads are checkpoints and
    nothing else, as for the engine, which keeps the rest itself."""

    upkeep: Upkeep | None = None

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread. Raise `RunError` while it is being executed."""
        if self.upkeep is not None:
            await self.upkeep.forget(str(thread_id))
        await super().adelete_thread(thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete threads, or of each what it does not need to go on (`keep_latest`). Raise
        `RunError` for one that is being executed."""
        for thread in thread_ids:
            if strategy != "keep_latest":
                await self.adelete_thread(thread)
            elif self.upkeep is not None:
                await self.upkeep.compact(str(thread))
