"""Refusing checkpoints that were changed or are damaged, before LangGraph stumbles over them.

What a channel holds is read as data and may be anything; what LangGraph itself relies on, versions
and numbers of steps, has to be what it wrote.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple, DeltaChannelHistory

from ...errors import RunError
from .rows import damaged_checkpoint

Result = TypeVar("Result")

_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)
"""What a saver raises that reads what no saver wrote."""
_MOST_STEPS = 1 << 31


class IntactReads(BaseCheckpointSaver[str]):
    """A base class, named before the saver's own, that checks every checkpoint which is read.
    Everything raises `RunError`, naming the checkpoint."""

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


def _require_intact(item: CheckpointTuple) -> CheckpointTuple:
    place = item.config["configurable"]
    if not (_is_checkpoint(item.checkpoint, place["checkpoint_id"]) and _is_about(item.metadata)):
        raise damaged_checkpoint(place["thread_id"], place["checkpoint_id"])
    return item


def _is_checkpoint(value: object, id: str) -> bool:
    if not isinstance(value, dict):
        return False
    seen, updated = value.get("versions_seen"), value.get("updated_channels")
    values, versions = value.get("channel_values"), value.get("channel_versions")
    return (
        isinstance(value.get("v"), int)
        and value.get("id") == id
        and isinstance(value.get("ts"), str)
        and isinstance(values, dict)
        and isinstance(versions, dict)
        and _are_versions(versions)
        and values.keys() <= versions.keys()
        and isinstance(seen, dict)
        and all(map(_are_versions, seen.values()))
        and (updated is None or _are_names(updated))
    )


def _are_versions(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(version, str) and version.partition(".")[0].isdecimal()
        for version in value.values()
    )


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_about(metadata: object) -> bool:
    if not isinstance(metadata, dict) or type(metadata.get("step")) is not int:
        return False
    parents = metadata.get("parents", {})
    counters = metadata.get("counters_since_delta_snapshot", {})
    return (
        abs(metadata["step"]) < _MOST_STEPS
        and isinstance(parents, dict)
        and all(isinstance(parent, str) for parent in parents.values())
        and isinstance(counters, dict)
        and all(_are_counts(counts) for counts in counters.values())
    )


def _are_counts(value: object) -> bool:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    return all(type(count) is int for count in value)
