"""Looking back in SQLite, over the connection of its saver."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from langgraph.checkpoint.base import Checkpoint

from ...db.digests import damaged_checkpoint
from ...db.kept import CHECKPOINTS
from ..channels import Write
from .rows import Checkpoints, Names, StoredCheckpoint
from .sqlite_saver import SqliteSaver
from .sqlite_tables import Stored, Texts


@dataclass(frozen=True, slots=True)
class SqliteCheckpoints(Checkpoints):
    """A checkpoint is a row with the slots of its values."""

    saver: SqliteSaver

    async def _rows(self, query: str, *values: str) -> list[tuple[str, ...]]:
        connection = self.saver.tables.connection
        return await self.saver.visit(lambda: connection.execute(query, values).fetchall())

    async def namespaces(self, run: str) -> list[str]:
        query = "select distinct space from flow_checkpoints where run = ? order by 1"
        return [row[0] for row in await self._rows(query, run)]

    async def namespace_of(self, run: str, checkpoint: str) -> str | None:
        query = "select space from flow_checkpoints where run = ? and id = ?"
        rows = await self._rows(query, run, checkpoint)
        return rows[0][0] if rows else None

    async def newest(self, run: str) -> str | None:
        return (await self._rows("select max(id) from flow_checkpoints where run = ?", run))[0][0]

    async def count(self, run: str, space: str) -> int:
        query = "select count(*) from flow_checkpoints where run = ? and space = ?"
        return int((await self._rows(query, run, space))[0][0])

    async def checkpoints(self, run: str, space: str, names: Names) -> list[StoredCheckpoint]:
        tables = self.saver.tables

        def read() -> list[StoredCheckpoint]:
            texts: Texts = {}
            items = list(tables.select("where run = ? and space = ? order by id", (run, space)))
            there = {item.id for item in items}
            if gone := next((i.parent for i in items if i.parent and i.parent not in there), None):
                raise damaged_checkpoint(run, gone)
            return [_in_part(item, tables.values(item, names, texts)) for item in items]

        return await self.saver.look(read)

    async def writes(self, run: str, space: str, names: Names) -> dict[str, list[Write]]:
        tables = self.saver.tables

        def read() -> dict[str, list[Write]]:
            query = "select id, parent, written from flow_checkpoints where run = ? and space = ?"
            rows = tables.connection.execute(query, (run, space)).fetchall()
            tables.require_steps(run, space, (row[1:] for row in rows))
            return tables.writes(run, space, [row[0] for row in rows], {}, names)

        return await self.saver.look(read) if names else {}

    async def copy(self, run: str, new_run: str, line: Sequence[str]) -> None:
        execute = self.saver.tables.connection.execute
        among = "in (select value from json_each(?))"

        def copy_rows() -> None:
            for table, key, others, ids in (
                ("flow_checkpoints", "id", "parent, body, about, mark, written", line),
                (
                    "flow_writes",
                    "checkpoint",
                    "task, number, path, channel, slot, mark, along",
                    line[:-1],
                ),
            ):
                execute(
                    f"insert into {table} select ?, space, {key}, {others} from {table}"
                    f" where run = ? and space = '' and {key} {among}",
                    (new_run, run, json.dumps(list(ids))),
                )
            execute(
                "insert into realms select ?, realm from realms where run = ?"
                " on conflict do nothing",
                (new_run, run),
            )
            execute(
                "insert into holds select ?, place, hash, realm from holds"
                " where run = ? and place = ? on conflict do nothing",
                (new_run, run, CHECKPOINTS),
            )

        await self.saver.change(new_run, copy_rows)

    async def drop_space(self, run: str, space: str) -> int:
        return await self.saver.change(run, lambda: self.saver.tables.drop_space(run, space))

    async def drop_others(self, run: str, last: Checkpoint) -> int:
        return await self.saver.change(run, lambda: self.saver.tables.drop_others(run, last["id"]))


def _in_part(item: Stored, values: dict[str, object]) -> StoredCheckpoint:
    try:
        step, time = int(item.about["step"]), str(item.body["ts"])
        return StoredCheckpoint(item.id, item.parent or "", step, time, values)
    except (ValueError, TypeError, LookupError, OverflowError):
        raise damaged_checkpoint(item.run, item.id) from None
