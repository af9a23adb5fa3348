"""LangGraph's channels: their names, what a checkpoint holds of them, and lists that only grow.

Threads grow without end, so they are delta channels: a checkpoint holds what was added, not the
whole conversation again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph._internal._constants import TASKS
from langgraph._internal._typing import MISSING
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import Checkpoint
from langgraph.checkpoint.serde.types import INTERRUPT, _DeltaSnapshot

from .types import AnyChannel, GrowingValue

Reducer = Callable[[list[Any], Sequence[Any]], list[Any]]
Write = tuple[str, str, object]
"""The task that wrote, the channel, and the value."""
SNAPSHOT_AFTER = 50
"""Updates after which a checkpoint holds a short list, or the visits, as a whole."""
SNAPSHOT_AT_LAST = 150
"""Updates after which it holds any list, however long: reading a state adds up no more."""
SENT = TASKS
"""The channel of the nodes that are sent: see `builder`."""
_BRANCH = "branch:to:"


class GrowingChannel(GrowingValue):
    """A delta channel whose snapshots come the later the longer its list is. Each of them writes
    the list anew: at a short distance they soon take more room than what was added."""

    snapshot_after = SNAPSHOT_AFTER

    @property
    def snapshot_frequency(self) -> int:
        """Return how many updates lie between two snapshots."""
        length = len(self.value) if isinstance(self.value, list) else 0
        return min(max(self.snapshot_after, length // 2), SNAPSHOT_AT_LAST)

    @snapshot_frequency.setter
    def snapshot_frequency(self, _: int) -> None:
        """Ignore the number that LangGraph hands on to copies: here the list decides."""


@dataclass(frozen=True, slots=True)
class SeededReducer:
    """A reducer of a list that begins with `seed`."""

    reducer: Reducer
    seed: Sequence[Any]

    def __call__(self, items: list[Any], writes: Sequence[Any]) -> list[Any]:
        return self.reducer(items, writes)


class SeededChannel(GrowingChannel):
    """A delta channel that holds its reducer's seed before anything is written to it."""

    def __eq__(self, other: object) -> bool:
        """Return whether two schemas of a graph may both declare it."""
        return isinstance(other, SeededChannel) and self.reducer == other.reducer

    def from_checkpoint(self, checkpoint: object) -> SeededChannel:
        """Return the channel with what was stored; with nothing stored, with the seed, to which the
        writes are added."""
        channel = super().from_checkpoint(checkpoint)
        if checkpoint is MISSING:
            # LangGraph makes copies from the reducer alone, so the seed travels with it.
            assert isinstance(self.reducer, SeededReducer)
            channel.value = list(self.reducer.seed)
        return channel


def join_channel(sources: Sequence[str], target: str) -> str:
    """Return the channel in which LangGraph notes who has come to a join."""
    return f"join:{'+'.join(sources)}:{target}"


def started_node(channel: str) -> str:
    """Return the node that a write to the channel starts, "" for another channel."""
    return channel.removeprefix(_BRANCH) if channel.startswith(_BRANCH) else ""


def started_nodes(channel: str, value: object) -> list[str]:
    """Return the nodes that a value of the channel starts, none for most channels."""
    if channel == SENT:
        if isinstance(value, str):
            return list(json.loads(value))
        sends: list[Any] = value if isinstance(value, list) else [value]
        return [send.node for send in sends]
    return [name] if (name := started_node(channel)) else []


def checkpoint_with(checkpoint: Checkpoint, values: Mapping[str, object]) -> dict[str, object]:
    """Return what is kept of a checkpoint: other values of its channels, and no word about nodes
    that have seen no channel, as those that were sent."""
    seen = {node: versions for node, versions in checkpoint["versions_seen"].items() if versions}
    return {**checkpoint, "channel_values": values, "versions_seen": seen}


def is_interrupt(channel: str) -> bool:
    """Return whether a write to the channel is a question that waits."""
    return channel == INTERRUPT


def delta_channels(channels: Mapping[str, object]) -> dict[str, GrowingValue]:
    """Return those of the channels of which a checkpoint seldom holds the whole."""
    return {n: channel for n, channel in channels.items() if isinstance(channel, DeltaChannel)}


def fill(channel: AnyChannel, values: Mapping[str, object], name: str) -> AnyChannel:
    """Return the channel with what a checkpoint holds of it, which may be nothing."""
    return channel.from_checkpoint(values.get(name, MISSING))


def replay(channel: GrowingValue, begin: object, writes: Sequence[Write]) -> Any:
    """Return the value of a delta channel after writes to what it held."""
    again = channel.from_checkpoint(begin)
    again.replay_writes(list(writes))
    return again.get()


def snapshot(value: object) -> object:
    """Return what a checkpoint holds of a delta channel that it holds as a whole."""
    return _DeltaSnapshot(value)


def is_snapshot(value: object) -> bool:
    """Return whether a checkpoint's value is the whole of a delta channel."""
    return isinstance(value, _DeltaSnapshot)
