"""A database in memory that is kept in a store of LangGraph's: every row that a statement writes is
written there too, before the statement returns.

Such a store has no compare-and-swap and no locks: it fences nothing. Two processes on one thread
are kept apart by whoever executes it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from .database import Database, Dialect, Row, create_tables
from .sqlite import open_sqlite
from .url import MEMORY, locate

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

_TABLE = re.compile(r"\s*(?:insert into|update|delete from) (\w+)")
_PAGE = 500
_ROOT = "flowc"


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorDatabase(Database):
    """The rows of one thread, in memory and in the store; `keys` are the columns that tell the rows
    of a table apart, by their places."""

    dialect: ClassVar[Dialect] = "sqlite"
    memory: Database
    store: BaseStore
    thread: str
    keys: dict[str, tuple[int, ...]] = field(default_factory=dict)

    async def run(self, query: str, values: Sequence[Any] = ()) -> int:
        found = _TABLE.match(query)
        if found is None:
            return await self.memory.run(query, values)
        table, rows = found[1], await self.memory.rows(f"{query} returning *", values)
        space = self._space(table)
        for row in rows:
            if query.lstrip().startswith("delete"):
                await self.store.adelete(space, await self._name(table, row))
            else:
                name = await self._name(table, row)
                await self.store.aput(space, name, {"row": list(row)}, index=False, ttl=None)
        return len(rows)

    async def many(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        for row in rows:
            await self.run(query, row)

    async def rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        return await self.memory.rows(query, values)

    async def size(self) -> int:
        return await self.memory.size()

    async def shrink(self, *, alone: bool) -> None:
        await self.memory.shrink(alone=alone)

    async def load(self, tables: Iterable[str]) -> None:
        """Read every row of the tables from the store."""
        for table in tables:
            space, offset = self._space(table), 0
            while True:
                page = await self.store.asearch(space, limit=_PAGE, offset=offset)
                for item in page:
                    row = item.value["row"]
                    marks = ", ".join("?" for _ in row)
                    await self.memory.run(f"insert into {table} values ({marks})", row)
                if len(page) < _PAGE:
                    break
                offset += _PAGE

    def _space(self, table: str) -> tuple[str, ...]:
        return (_ROOT, _digest(self.thread), table)

    async def _name(self, table: str, row: Row) -> str:
        if table not in self.keys:
            columns = await self.memory.rows(f"pragma table_info({table})")
            self.keys[table] = tuple(column[0] for column in columns if column[5])
        return _digest(json.dumps([row[place] for place in self.keys[table]]))


@asynccontextmanager
async def open_mirror(
    store: BaseStore, thread: str, schemas: Iterable[str]
) -> AsyncIterator[MirrorDatabase]:
    """Open what a store keeps of a thread, in tables of these schemas."""
    async with open_sqlite(locate(MEMORY), durable=False) as memory:
        tables = []
        for schema in schemas:
            await create_tables(memory, schema)
            tables += re.findall(r"create table if not exists (\w+)", schema)
        db = MirrorDatabase(memory=memory, store=store, thread=thread)
        await db.load(tables)
        yield db


def _digest(text: str) -> str:
    """Return a name that any store can take."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
