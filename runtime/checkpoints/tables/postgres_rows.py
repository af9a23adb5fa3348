"""Looking back in PostgreSQL, where LangGraph's tables stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.checkpoint.base import Checkpoint, writes_sort_key
from langgraph.checkpoint.serde.base import SerializerProtocol

from ...db.database import Database
from ...db.digests import damaged_checkpoint
from ..channels import Write
from .postgres_marks import WITHOUT_PARENT, refuse_changed_within
from .rows import Checkpoints, Names, StoredCheckpoint

_CHECKPOINT = (
    "checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata, mark, apart, written"
)
_WRITE = "checkpoint_id, task_id, task_path, idx, channel, type, blob, mark, along"

_NEWEST = (
    "with recursive spaces as (select min(checkpoint_ns) as space from checkpoints where"
    " thread_id = ? union all select (select min(checkpoint_ns) from checkpoints where"
    " thread_id = ? and checkpoint_ns > space) from spaces where space is not null)"
    " select max((select max(checkpoint_id) from checkpoints where thread_id = ?"
    " and checkpoint_ns = space)) from spaces"
)
"""From one namespace to the next by the index: a plain `max` reads every row of the run."""


@dataclass(frozen=True, slots=True)
class PostgresCheckpoints(Checkpoints):
    """A checkpoint is JSON there; values that JSON does not hold are rows of their own."""

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

    async def writes(self, run: str, space: str, names: Names) -> dict[str, list[Write]]:
        """Return what was written to the channels after each checkpoint, in LangGraph's order."""
        if not names:
            return {}
        query = (
            "select checkpoint_id, task_id, task_path, idx, channel, type, blob"
            " from checkpoint_writes"
            f" where thread_id = ? and checkpoint_ns = ? and channel in ({_marks(names)})"
        )
        rows = await self.db.rows(query, (run, space, *names))
        rows.sort(key=lambda row: writes_sort_key(row[2], row[1], row[3]))
        writes: dict[str, list[Write]] = {}
        for checkpoint, task, _, _, channel, kind, data in rows:
            value = self.serde.loads_typed((kind, data))
            writes.setdefault(checkpoint, []).append((task, channel, value))
        return writes

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

    async def newest(self, run: str) -> str | None:
        newest: str | None = (await self.db.rows(_NEWEST, (run, run, run)))[0][0]
        return newest

    async def count(self, run: str, space: str) -> int:
        query = "select count(*) from checkpoints where thread_id = ? and checkpoint_ns = ?"
        return int((await self.db.rows(query, (run, space)))[0][0])

    async def drop_space(self, run: str, space: str) -> int:
        where = "where thread_id = ? and checkpoint_ns = ?"
        async with self.db.transaction() as inside:
            for table in ("checkpoint_writes", "checkpoint_blobs"):
                await inside.run(f"delete from {table} {where}", (run, space))
            return await inside.run(f"delete from checkpoints {where}", (run, space))

    async def drop_others(self, run: str, last: Checkpoint) -> int:
        main = "where thread_id = ? and checkpoint_ns = ''"
        others = f"{main} and checkpoint_id <> ?"
        async with self.db.transaction() as inside:
            await inside.run(f"delete from checkpoint_writes {others}", (run, last["id"]))
            dropped = await inside.run(f"delete from checkpoints {others}", (run, last["id"]))
            query = f"update checkpoints set parent_checkpoint_id = null, mark = {WITHOUT_PARENT}"
            await inside.run(f"{query} {main}", (run,))
            stored = await inside.rows(
                f"select channel, version from checkpoint_blobs {main}", (run,)
            )
            loose = set(stored) - set(last["channel_versions"].items())
            if loose:
                query = f"delete from checkpoint_blobs {main} and channel = ? and version = ?"
                await inside.many(query, [(run, *blob) for blob in sorted(loose)])
        return dropped

    async def checkpoints(self, run: str, space: str, names: Names) -> list[StoredCheckpoint]:
        await refuse_changed_within(self.db, run, space)
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
                ("checkpoint_writes", _WRITE, among, (list(line[:-1]),)),
                ("checkpoint_blobs", "channel, version, type, blob, mark", newest, (run, line[-1])),
            ):
                await self._copy(inside, table, columns, where, (new_run, run, *more))


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)
