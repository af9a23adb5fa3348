"""The frontier of a run in the raw checkpoints of its graphs: what comes next, what waits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple

from .channels import is_interrupt, started_nodes
from .types import Saver


async def latest_inside(
    saver: Saver, run: str, namespaces: Iterable[str]
) -> dict[str, CheckpointTuple]:
    """Return the newest checkpoint of every namespace below the main one."""
    latest = {}
    for namespace in filter(None, namespaces):
        config: RunnableConfig = {"configurable": {"thread_id": run, "checkpoint_ns": namespace}}
        latest[namespace] = await saver.aget_tuple(config)
    return {namespace: item for namespace, item in latest.items() if item is not None}


def next_nodes(item: CheckpointTuple) -> Iterator[str]:
    """Yield the nodes whose trigger is newer than what they have seen: LangGraph's own rule."""
    checkpoint = item.checkpoint
    for channel, value in checkpoint["channel_values"].items():
        for name in started_nodes(channel, value):
            version = checkpoint["channel_versions"].get(channel)
            seen = checkpoint["versions_seen"].get(name, {}).get(channel)
            if version is not None and (seen is None or str(version) > str(seen)):
                yield name


def following_nodes(item: CheckpointTuple) -> list[str]:
    """Return the nodes that a finished node of the step under way leads to."""
    writes = item.pending_writes or ()
    return [name for _, channel, value in writes for name in started_nodes(channel, value)]


def has_question(item: CheckpointTuple) -> bool:
    """Return whether a question waits after the checkpoint."""
    return any(is_interrupt(channel) for _, channel, _ in item.pending_writes or ())


def with_value(item: CheckpointTuple, channels: Collection[str]) -> frozenset[str]:
    """Return those of the channels that hold something, or to which something was just written."""
    values = item.checkpoint["channel_values"]
    written = {channel for _, channel, _ in item.pending_writes or ()}
    return frozenset(name for name in channels if values.get(name) or name in written)
