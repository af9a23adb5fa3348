"""Checkpoints that were changed, or are damaged: said so before LangGraph stumbles over them.

What a channel holds is read as data and may be anything; what LangGraph itself relies on, versions
and numbers of steps, has to be what it wrote.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Sequence
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from ..errors import RunError
from .checkpoint_rows import damaged

_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)
"""What a saver raises that reads what no saver wrote."""
_MOST_STEPS = 1 << 31


class IntactReads(BaseCheckpointSaver[str]):
    """A saver whose checkpoints are looked at when they are read; to be named before the saver.
    Everything raises `RunError`, naming the checkpoint."""

    async def aget_tuple(self, config: Any) -> Any:
        return _intact(await _read(config, super().aget_tuple(config)))

    async def alist(self, config: Any, **limits: Any) -> AsyncIterator[Any]:
        try:
            async for item in super().alist(config, **limits):
                yield _intact(item)
        except _UNREADABLE as error:
            raise _unreadable(config) from error

    async def aget_delta_channel_history(self, *, config: Any, channels: Sequence[str]) -> Any:
        found = super().aget_delta_channel_history(config=config, channels=channels)
        return await _read(config, found)


async def _read(config: Any, reading: Awaitable[Any]) -> Any:
    try:
        return await reading
    except _UNREADABLE as error:
        raise _unreadable(config) from error


def _unreadable(config: Any) -> RunError:
    asked = (config or {}).get("configurable", {})
    return damaged(str(asked.get("thread_id", "")), str(asked.get("checkpoint_id") or "latest"))


def _intact(item: Any) -> Any:
    """The checkpoint, if there is one. Raises `RunError`."""
    if item is None:
        return None
    named = item.config["configurable"]
    if not (_is_checkpoint(item.checkpoint, named["checkpoint_id"]) and _is_about(item.metadata)):
        raise damaged(named["thread_id"], named["checkpoint_id"])
    return item


def _is_checkpoint(found: Any, id: str) -> bool:
    if not isinstance(found, dict):
        return False
    seen, updated = found.get("versions_seen"), found.get("updated_channels")
    values, versions = found.get("channel_values"), found.get("channel_versions")
    return (
        isinstance(found.get("v"), int)
        and found.get("id") == id
        and isinstance(found.get("ts"), str)
        and isinstance(values, dict)
        and isinstance(versions, dict)
        and _are_versions(versions)
        and values.keys() <= versions.keys()
        and isinstance(seen, dict)
        and all(map(_are_versions, seen.values()))
        and (updated is None or _are_names(updated))
    )


def _are_versions(found: Any) -> bool:
    return isinstance(found, dict) and all(
        isinstance(version, str) and version.partition(".")[0].isdecimal()
        for version in found.values()
    )


def _are_names(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(name, str) for name in found)


def _is_about(metadata: Any) -> bool:
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


def _are_counts(found: Any) -> bool:
    pair = isinstance(found, list | tuple) and len(found) == 2
    return pair and all(type(count) is int for count in found)
