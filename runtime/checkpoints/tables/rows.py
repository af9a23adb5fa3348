"""Reading LangGraph's rows: of each checkpoint only what is asked for, in one pass.

LangGraph's own history reads every checkpoint with all its channels and puts its lists together
from the beginning each time, which takes minutes where a person only wants to see a list.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from langgraph.checkpoint.base import id as ids
from langgraph.checkpoint.base import writes_sort_key
from langgraph.checkpoint.serde.base import SerializerProtocol

from ...db.database import Database, Row
from ...db.sqlite import SqliteDatabase
from ...db.url import Location
from ...errors import RunError
from ..channels import Write

Names = Collection[str]
"""Names of channels."""
_LATEST = 1 << 59
"""A time that no clock shows: about the year 3409. A later one was never the time of day, and would
leave no room for what comes after it."""
_PAGE = 200
"""Checkpoints that are read at once: one of a large graph has a hundred kilobytes."""


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """A checkpoint with those of the requested channels that it holds. `parent` is "" for the first
    one; `time` is ISO-8601 UTC."""

    id: str
    parent: str
    step: int
    time: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Checkpoints(ABC):
    """The checkpoints of a store, and what both databases have in common. Everything raises
    `RunError`."""

    WRITES: ClassVar[tuple[str, str]]
    """The table of what was written, and the column of its values."""
    db: Database
    serde: SerializerProtocol

    async def namespaces(self, run: str) -> list[str]:
        """Return every namespace that has checkpoints of the run, in the order of their names."""
        query = "select distinct checkpoint_ns from checkpoints where thread_id = ? order by 1"
        return [row[0] for row in await self.db.rows(query, (run,))]

    async def namespace_of(self, run: str, checkpoint: str) -> str | None:
        """Return the namespace of a checkpoint; None when the run has none of this id."""
        query = "select checkpoint_ns from checkpoints where thread_id = ? and checkpoint_id = ?"
        rows = await self.db.rows(query, (run, checkpoint))
        return rows[0][0] if rows else None

    @abstractmethod
    async def checkpoints(self, run: str, space: str, names: Names) -> list[StoredCheckpoint]:
        """Return those of a namespace by their ids, which is the order in which they were made."""

    async def writes(self, run: str, space: str, names: Names) -> dict[str, list[Write]]:
        """Return what was written to the channels after each checkpoint, in LangGraph's order."""
        if not names:
            return {}
        table, column = self.WRITES
        query = (
            f"select checkpoint_id, task_id, task_path, idx, channel, type, {column} from {table}"
            f" where thread_id = ? and checkpoint_ns = ? and channel in ({_marks(names)})"
        )
        rows = await self.db.rows(query, (run, space, *names))
        rows.sort(key=lambda row: writes_sort_key(row[2], row[1], row[3]))
        writes: dict[str, list[Write]] = {}
        for checkpoint, task, _, _, channel, kind, data in rows:
            value = self.serde.loads_typed((kind, data))
            writes.setdefault(checkpoint, []).append((task, channel, value))
        return writes

    @abstractmethod
    async def copy(self, run: str, new_run: str, line: Sequence[str]) -> None:
        """Copy checkpoints of the main workflow to a run that has none, and what was written after
        all of them but the last. `line` are their ids, oldest first."""

    async def _copy(
        self, inside: Database, table: str, columns: str, where: str, values: Sequence[Any]
    ) -> None:
        new_run, run, *more = values
        await inside.run(
            f"insert into {table} (thread_id, checkpoint_ns, {columns})"
            f" select ?, checkpoint_ns, {columns} from {table}"
            f" where thread_id = ? and checkpoint_ns = '' and {where}",
            (new_run, run, *more),
        )


_CHECKPOINT = "checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata"
_WRITE = "checkpoint_id, task_id, task_path, idx, channel, type"


class _Sqlite(Checkpoints):
    """A checkpoint is one value there, metadata apart."""

    WRITES = ("writes", "value")

    async def checkpoints(self, run: str, space: str, names: Names) -> list[StoredCheckpoint]:
        query = (
            "select checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata"
            " from checkpoints where thread_id = ? and checkpoint_ns = ? and checkpoint_id > ?"
            f" order by checkpoint_id limit {_PAGE}"
        )
        checkpoints: list[StoredCheckpoint] = []
        while True:
            after = checkpoints[-1].id if checkpoints else ""
            rows = await self.db.rows(query, (run, space, after))
            checkpoints += [self._read(run, row, names) for row in rows]
            if len(rows) < _PAGE:
                return checkpoints

    def _read(self, run: str, row: Row, names: Names) -> StoredCheckpoint:
        id, parent, kind, data, metadata = row
        checkpoint = self.serde.loads_typed((kind, data))
        try:
            step = json.loads(metadata)["step"]
            values = checkpoint["channel_values"]
            requested = {name: values[name] for name in values.keys() & names}
            time = str(checkpoint["ts"])
            return StoredCheckpoint(id, parent or "", int(step), time, requested)
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError):
            raise damaged_checkpoint(run, id) from None

    async def copy(self, run: str, new_run: str, line: Sequence[str]) -> None:
        among = "checkpoint_id in (select value from json_each(?))"
        async with self.db.transaction() as inside:
            for table, columns, ids in (
                ("checkpoints", _CHECKPOINT, line),
                ("writes", f"{_WRITE}, value", line[:-1]),
            ):
                values = (new_run, run, json.dumps(ids))
                await self._copy(inside, table, columns, among, values)


class _Postgres(Checkpoints):
    """A checkpoint is JSON there; values that JSON does not hold are rows of their own."""

    WRITES = ("checkpoint_writes", "blob")

    async def checkpoints(self, run: str, space: str, names: Names) -> list[StoredCheckpoint]:
        blobs = await self._blobs(run, space, names)
        apart = sorted({channel for channel, _ in blobs})
        query = (
            "select checkpoint_id, parent_checkpoint_id, metadata ->> 'step', parts.ts,"
            " parts.channel_values,"
            " array(select parts.channel_versions ->> name from unnest(?::text[])"
            " with ordinality as asked(name, place) order by place)"
            " from checkpoints, jsonb_to_record(checkpoint)"
            " as parts(ts text, channel_values jsonb, channel_versions jsonb)"
            " where thread_id = ? and checkpoint_ns = ? order by checkpoint_id"
        )
        checkpoints = []
        for id, parent, step, time, inline, versions in await self.db.rows(
            query, (apart, run, space)
        ):
            try:
                requested = {name: inline[name] for name in inline.keys() & names}
                number = int(step)
            except (ValueError, TypeError, AttributeError):
                raise damaged_checkpoint(run, id) from None
            of = zip(apart, versions, strict=True)
            requested |= {name: blobs[name, v] for name, v in of if (name, v) in blobs}
            checkpoints.append(StoredCheckpoint(id, parent or "", number, str(time), requested))
        return checkpoints

    async def _blobs(self, run: str, space: str, names: Names) -> dict[tuple[str, str], Any]:
        if not names:
            return {}
        query = (
            "select channel, version, type, blob from checkpoint_blobs where thread_id = ?"
            f" and checkpoint_ns = ? and channel in ({_marks(names)}) and type <> 'empty'"
        )
        rows = await self.db.rows(query, (run, space, *names))
        loads = self.serde.loads_typed
        return {(channel, version): loads((kind, data)) for channel, version, kind, data in rows}

    async def copy(self, run: str, new_run: str, line: Sequence[str]) -> None:
        among = "checkpoint_id = any(?)"
        newest = (
            'version collate "C" <= (select max(value collate "C") from checkpoints, '
            "jsonb_each_text(checkpoint -> 'channel_versions') where thread_id = ?"
            " and checkpoint_ns = '' and checkpoint_id = ?)"
        )
        async with self.db.transaction() as inside:
            for table, columns, where, more in (
                ("checkpoints", _CHECKPOINT, among, (list(line),)),
                ("checkpoint_writes", f"{_WRITE}, blob", among, (list(line[:-1]),)),
                ("checkpoint_blobs", "channel, version, type, blob", newest, (run, line[-1])),
            ):
                await self._copy(inside, table, columns, where, (new_run, run, *more))


def checkpoints_of(db: Database, saver: Any, location: Location) -> Checkpoints:
    """Return the checkpoints that `saver` keeps, read over `db`; in memory over its connection."""
    if location.kind == "memory":
        db = SqliteDatabase(saver.conn, location, lock=saver.lock)
    return (_Postgres if location.kind == "postgresql" else _Sqlite)(db, saver.serde)


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


def damaged_checkpoint(run: str, checkpoint: str) -> RunError:
    """Return the error for a checkpoint that LangGraph did not write as it is."""
    return RunError(
        f"the checkpoint {checkpoint} of run {run} cannot be read: it was changed, or is damaged",
        help="put a copy of the store back in its place, or go on with another run",
    )


async def begin_after(db: Database, run: str) -> None:
    """Let every checkpoint that this process makes from now on come after those of the run. Raise
    `RunError` for a name that no clock has given.

    LangGraph names a checkpoint by the time (a UUID of version 6), and takes the greatest name for
    the last one. Within a process the next name is always greater. Another process, after the clock
    was set back or on a machine whose clock is behind, would write checkpoints that come before
    those that are there: the run would go back, and do again what it did.
    """
    query = "select max(checkpoint_id) from checkpoints where thread_id = ?"
    newest = (await db.rows(query, (run,)))[0][0]
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
