"""Refusing checkpoints that were changed or are damaged, before LangGraph stumbles over them.

What a channel holds is read as data and may be anything; what LangGraph itself relies on, versions
and numbers of steps, has to be what it wrote.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Any, NotRequired, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple, DeltaChannelHistory
from pydantic import Field, StringConstraints, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from ...db.database import Ahead, Write, nothing_ahead
from ...db.digests import damaged_checkpoint
from ...errors import RunError

Result = TypeVar("Result")

_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)
"""The errors of a saver that reads rows which no saver wrote."""
_MOST_STEPS = 1 << 31
_Versions = dict[str, Annotated[str, StringConstraints(pattern=r"^\d+(\.|$)")]]
_Counts = Annotated[list[int] | tuple[int, ...], Field(min_length=2, max_length=2)]


class IntactReads(BaseCheckpointSaver[str]):
    """A base class, named before the saver's own, that checks every checkpoint which is read.
    Everything raises `RunError`, naming the checkpoint."""

    store_url: str = ""
    """The URL of the store that holds the checkpoints, with the runs and the journal."""

    ahead: dict[str, Ahead]
    """By run what is written with its next checkpoint: events, so that no checkpoint that a kill
    leaves is ahead of what is told of it."""

    thread_tables: Mapping[str, str] = {}
    """The tables of checkpoints that lie beside those of runs, each with its column of the run."""

    async def begin_thread(self, run: str, *, blank: bool) -> None:
        """Begin a run, of which there is nothing in `thread_tables` where it is `blank`."""
        await self.adelete_thread(run)

    def pending(self, run: str) -> AbstractAsyncContextManager[Sequence[Write]]:
        """Yield what writes what is held back of a run (`Ahead`)."""
        return nothing_ahead()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint, by default the latest of its namespace."""
        read = super().aget_tuple
        item = await self._attempt(config, lambda: read(config))
        return None if item is None else _require_intact(item)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield the checkpoints of a thread, the newest first."""
        items = super().alist

        async def read() -> list[CheckpointTuple]:
            listing = items(config, filter=filter, before=before, limit=limit)
            return [_require_intact(item) async for item in listing]

        for item in await self._attempt(config, read):
            yield item

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return what was written to delta channels since they were last kept as a whole."""
        read = super().aget_delta_channel_history
        return await self._attempt(config, lambda: read(config=config, channels=channels))

    async def _attempt(
        self, config: RunnableConfig | None, read: Callable[[], Awaitable[Result]]
    ) -> Result:
        try:
            return await self.send(read)
        except _UNREADABLE as error:
            raise _unreadable(config) from error

    async def send(self, read: Callable[[], Awaitable[Result]]) -> Result:
        """Read from the database, once."""
        return await read()


def _unreadable(config: RunnableConfig | None) -> RunError:
    place = (config or {}).get("configurable", {})
    return damaged_checkpoint(
        str(place.get("thread_id", "")), str(place.get("checkpoint_id") or "latest")
    )


class _Stored(TypedDict):
    """A checkpoint, as far as LangGraph relies on it."""

    v: int
    id: str
    ts: str
    channel_values: dict[str, Any]
    channel_versions: _Versions
    versions_seen: dict[str, _Versions]
    updated_channels: NotRequired[list[str] | None]


class _About(TypedDict):
    """The metadata of a checkpoint."""

    step: Annotated[int, Field(gt=-_MOST_STEPS, lt=_MOST_STEPS)]
    parents: NotRequired[dict[str, str]]
    counters_since_delta_snapshot: NotRequired[dict[str, _Counts]]


_STORED, _ABOUT = TypeAdapter(_Stored), TypeAdapter(_About)


def _require_intact(item: CheckpointTuple) -> CheckpointTuple:
    place = item.config["configurable"]
    try:
        stored = _STORED.validate_python(item.checkpoint, strict=True)
        _ABOUT.validate_python(item.metadata, strict=True)
    except ValidationError:
        stored = None
    if (
        stored is None
        or stored["id"] != place["checkpoint_id"]
        or not stored["channel_values"].keys() <= stored["channel_versions"].keys()
    ):
        raise damaged_checkpoint(place["thread_id"], place["checkpoint_id"])
    return item
