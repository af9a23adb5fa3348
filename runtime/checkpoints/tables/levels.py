"""A graph's checkpoints in a namespace: the nodes that follow each, and what its channels hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.channels import BaseChannel

from ..channels import SENT, Write, delta_channels, fill, replay, started_nodes
from ..types import AnyChannel, App, GrowingValue
from .rows import Checkpoints, StoredCheckpoint


@dataclass(frozen=True, slots=True)
class LevelCheckpoints:
    """The checkpoints of a graph by their ids; `following` are the nodes that begin after each."""

    checkpoints: list[StoredCheckpoint]
    following: Mapping[str, tuple[str, ...]]
    channels: Mapping[str, AnyChannel]
    lists: _Lists

    def values(self, checkpoint: StoredCheckpoint) -> Iterator[tuple[str, Any]]:
        """Yield what the channels hold in one of them; of an empty one, nothing."""
        for name, channel in self.channels.items():
            if name in self.lists.channels:
                yield name, self.lists.value(name, checkpoint.id)
                continue
            holder = fill(channel, checkpoint.values, name)
            if holder.is_available():
                yield name, holder.get()


async def read_level(
    checkpoints: Checkpoints, app: App, run: str, namespace: str, names: Sequence[str]
) -> LevelCheckpoints:
    """Read the channels of these names, and those that start a node."""
    order = {name: place for place, name in enumerate(app.nodes)}
    starts: dict[str, list[str]] = {SENT: []}
    for name, node in app.nodes.items():
        for trigger in node.triggers:
            starts.setdefault(trigger, []).append(name)
    every = {n: c for n, c in app.channels.items() if isinstance(c, BaseChannel)}
    channels = {name: every[name] for name in names}
    growing = delta_channels(channels)
    stored = await checkpoints.checkpoints(run, namespace, frozenset((*channels, *starts)))
    writes = await checkpoints.writes(run, namespace, growing)

    def following(values: Mapping[str, object]) -> tuple[str, ...]:
        # A channel that starts a node holds a value only in the checkpoint before that node; one of
        # a join, only when all have come.
        nodes = {
            name
            for channel in values.keys() & starts.keys()
            if fill(every[channel], values, channel).is_available()
            for name in starts[channel] or started_nodes(channel, values[channel])
        }
        return tuple(sorted(nodes, key=order.__getitem__))

    lists = _Lists(growing, {each.id: each for each in stored}, writes)
    return LevelCheckpoints(
        stored, {each.id: following(each.values) for each in stored}, channels, lists
    )


@dataclass(slots=True)
class _Lists:
    """Values of channels of which a checkpoint seldom holds the whole: what was written after its
    parent is put to the parent's value."""

    channels: Mapping[str, GrowingValue]
    checkpoints: Mapping[str, StoredCheckpoint]
    writes: Mapping[str, list[Write]]
    known: dict[tuple[str, str], Any] = field(default_factory=dict)

    def value(self, name: str, checkpoint: str) -> Any:
        """Return the value at a checkpoint."""
        chain, channel = [checkpoint], self.channels[name]
        while (name, chain[-1]) not in self.known and name not in self.checkpoints[
            chain[-1]
        ].values:
            parent = self.checkpoints[chain[-1]].parent
            if parent not in self.checkpoints or parent in chain:
                break
            chain.append(parent)
        oldest = chain.pop()
        if (name, oldest) not in self.known:
            values = self.checkpoints[oldest].values
            self.known[name, oldest] = fill(channel, values, name).get()
        value = self.known[name, oldest]
        for before, at in zip((oldest, *reversed(chain)), reversed(chain), strict=False):
            new = [write for write in self.writes.get(before, ()) if write[1] == name]
            if new:
                value = replay(channel, value, new)
            self.known[name, at] = value
        return value
