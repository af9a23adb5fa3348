"""Making a store smaller: dropping the checkpoints that a run does not need to go on.

Two things grow with every step and are read by nobody but a person who looks back: the checkpoints
inside agents, calls and commands, and those between nodes that others have followed. Before the
latter go, the last one is written anew with every list in full, because a checkpoint holds only
what was added to a list since the one before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from langgraph._internal._typing import MISSING
from langgraph.checkpoint.base import CheckpointTuple

from ...db.database import Database
from ..channels import delta_channels, replay, snapshot
from ..keys import thread_config
from ..namespaces import task_part
from ..types import App, Saver


@dataclass(frozen=True, slots=True)
class Dropped:
    """How many checkpoints were dropped: those `inside` nodes, and those between (`history`)."""

    inside: int = 0
    history: int = 0

    def __add__(self, other: Dropped) -> Dropped:
        return Dropped(self.inside + other.inside, self.history + other.history)


async def compact(
    db: Database, saver: Saver, app: App, run: str, history: bool, *, dry_run: bool = False
) -> Dropped:
    """Drop a run's checkpoints inside visits that are over and, with `history`, those before the
    last one; with `dry_run` only count them. The run must be held, and `app` be its graph."""
    last = await saver.aget_tuple(thread_config(run))
    if last is None:
        return Dropped()
    tasks = (await app.aget_state(thread_config(run))).tasks
    pending = tuple(task_part(task.name, task.id) for task in tasks)
    spaces = await db.rows(
        "select distinct checkpoint_ns from checkpoints where thread_id = ?", (run,)
    )
    over = [space for (space,) in spaces if space and not space.startswith(pending)]
    if dry_run:
        inside = sum([await _count(db, run, space) for space in over])
        return Dropped(inside, await _count(db, run, "") - 1 if history else 0)
    inside = sum([await _drop_namespace(db, run, space) for space in over])
    if not history:
        return Dropped(inside)
    await _make_whole(saver, app, last)
    return Dropped(inside, await _drop_before(db, run, last))


async def _count(db: Database, run: str, space: str) -> int:
    query = "select count(*) from checkpoints where thread_id = ? and checkpoint_ns = ?"
    return int((await db.rows(query, (run, space)))[0][0])


async def _drop_namespace(db: Database, run: str, space: str) -> int:
    where = "where thread_id = ? and checkpoint_ns = ?"
    async with db.transaction() as inside:
        for table in _tables(db)[1:]:
            await inside.run(f"delete from {table} {where}", (run, space))
        return await inside.run(f"delete from checkpoints {where}", (run, space))


async def _make_whole(saver: Saver, app: App, last: CheckpointTuple) -> None:
    """Write the checkpoint anew with a snapshot of every channel that it holds in part."""
    checkpoint = last.checkpoint
    values, versions = dict(checkpoint["channel_values"]), checkpoint["channel_versions"]
    growing = delta_channels(app.channels)
    partial = [name for name in growing if name in versions and name not in values]
    if not partial:
        return
    past = await saver.aget_delta_channel_history(config=last.config, channels=partial)
    for name in partial:
        begin = past[name].get("seed", MISSING)
        values[name] = snapshot(replay(growing[name], begin, past[name]["writes"]))
    counters = {
        name: count
        for name, count in last.metadata.get("counters_since_delta_snapshot", {}).items()
        if name not in partial
    }
    parent = last.parent_config or thread_config(last.config["configurable"]["thread_id"])
    await saver.aput(
        parent,
        {**checkpoint, "channel_values": values},
        {**last.metadata, "counters_since_delta_snapshot": counters},
        {name: versions[name] for name in partial},
    )


async def _drop_before(db: Database, run: str, last: CheckpointTuple) -> int:
    keep = last.config["configurable"]["checkpoint_id"]
    versions = last.checkpoint["channel_versions"]
    others = "where thread_id = ? and checkpoint_ns = '' and checkpoint_id <> ?"
    writes, *blobs = _tables(db)[1:]
    async with db.transaction() as inside:
        await inside.run(f"delete from {writes} {others}", (run, keep))
        dropped = await inside.run(f"delete from checkpoints {others}", (run, keep))
        await inside.run(
            "update checkpoints set parent_checkpoint_id = null where thread_id = ?"
            " and checkpoint_ns = '' and checkpoint_id = ?",
            (run, keep),
        )
        for table in blobs:
            await _drop_blobs(inside, table, run, versions.items())
    return dropped


async def _drop_blobs(
    db: Database, table: str, run: str, kept: Iterable[tuple[str, object]]
) -> None:
    """Delete the values that no checkpoint refers to any more."""
    where = "where thread_id = ? and checkpoint_ns = ''"
    stored = await db.rows(f"select channel, version from {table} {where}", (run,))
    loose = set(stored) - set(kept)
    if loose:
        query = f"delete from {table} {where} and channel = ? and version = ?"
        await db.many(query, [(run, *blob) for blob in sorted(loose)])


def _tables(db: Database) -> tuple[str, ...]:
    """Return LangGraph's tables: checkpoints, the writes after each, PostgreSQL's values apart."""
    if db.dialect == "postgresql":
        return ("checkpoints", "checkpoint_writes", "checkpoint_blobs")
    return ("checkpoints", "writes")
