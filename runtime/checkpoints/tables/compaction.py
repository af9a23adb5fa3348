"""Making a store smaller: dropping the checkpoints that a run does not need to go on.

Two things grow with every step and are read by nobody but a person who looks back: the checkpoints
inside agents, calls and commands, and those between nodes that others have followed. Before the
latter go, the last one is written anew with every list in full, because a checkpoint holds only
what was added to a list since the one before.
"""

from __future__ import annotations

from dataclasses import dataclass

from langgraph._internal._typing import MISSING
from langgraph.checkpoint.base import CheckpointTuple

from ..channels import delta_channels, replay, snapshot
from ..keys import thread_config
from ..namespaces import task_part
from ..types import App, Saver
from .rows import Checkpoints


@dataclass(frozen=True, slots=True)
class Dropped:
    """How many checkpoints were dropped: those `inside` nodes, and those between (`history`)."""

    inside: int = 0
    history: int = 0

    def __add__(self, other: Dropped) -> Dropped:
        return Dropped(self.inside + other.inside, self.history + other.history)


async def compact(
    checkpoints: Checkpoints, saver: Saver, app: App, run: str, history: bool, *, dry_run: bool
) -> Dropped:
    """Drop a run's checkpoints inside visits that are over and, with `history`, those before the
    last one; with `dry_run` only count them. The run must be held, and `app` be its graph."""
    last = await saver.aget_tuple(thread_config(run))
    if last is None:
        return Dropped()
    tasks = (await app.aget_state(thread_config(run))).tasks
    pending = tuple(task_part(task.name, task.id) for task in tasks)
    spaces = await checkpoints.namespaces(run)
    over = [space for space in spaces if space and not space.startswith(pending)]
    if dry_run:
        inside = sum([await checkpoints.count(run, space) for space in over])
        return Dropped(inside, await checkpoints.count(run, "") - 1 if history else 0)
    inside = sum([await checkpoints.drop_space(run, space) for space in over])
    if not history:
        return Dropped(inside)
    await _make_whole(saver, app, last)
    return Dropped(inside, await checkpoints.drop_others(run, last.checkpoint))


async def _make_whole(saver: Saver, app: App, last: CheckpointTuple) -> None:
    """Write the checkpoint anew, without a parent, with a snapshot of every channel that it holds
    in part."""
    checkpoint = last.checkpoint
    values, versions = dict(checkpoint["channel_values"]), checkpoint["channel_versions"]
    growing = delta_channels(app.channels)
    partial = [name for name in growing if name in versions and name not in values]
    past = await saver.aget_delta_channel_history(config=last.config, channels=partial)
    for name in partial:
        begin = past[name].get("seed", MISSING)
        values[name] = snapshot(replay(growing[name], begin, past[name]["writes"]))
    counters = {
        name: count
        for name, count in last.metadata.get("counters_since_delta_snapshot", {}).items()
        if name not in partial
    }
    await saver.aput(
        thread_config(last.config["configurable"]["thread_id"]),
        {**checkpoint, "channel_values": values},
        {**last.metadata, "counters_since_delta_snapshot": counters},
        {name: versions[name] for name in partial},
    )
