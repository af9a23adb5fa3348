"""LangGraph's saver on SQLite, each of its writes one visit of the connection's thread."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import aiosqlite
from langgraph.checkpoint.sqlite import SqliteSaver as BlockingSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ...db.integrity import IntactReads
from ...db.url import Location
from .connection import PATIENCE, explained

Result = TypeVar("Result")


class _Whole(BlockingSaver):
    """LangGraph's blocking writes, used in the thread of an asynchronous connection. Each is one
    transaction: LangGraph's own commits what an error left of it."""

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        cursor = self.conn.cursor()
        try:
            yield cursor
            self.conn.commit()
        except BaseException:
            self.conn.rollback()
            raise
        finally:
            cursor.close()


class SqliteSaver(IntactReads, AsyncSqliteSaver):
    """Writes what LangGraph's own saver does. That one goes to the thread of the connection and
    back for a cursor, a statement, a commit and the close, with the event loop between them; and
    who is cancelled there leaves a transaction open, for the next write to commit."""

    def __init__(self, connection: aiosqlite.Connection, *, serde: Any = None) -> None:
        super().__init__(connection, serde=serde)
        self.whole = _Whole(connection._conn, serde=serde)

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        return await self._visit(lambda: self.whole.put(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await self._visit(lambda: self.whole.put_writes(config, writes, task_id, task_path))

    async def _visit(self, write: Callable[[], Result]) -> Result:
        await self.setup()
        async with self.lock:
            visited: Any = self.conn._execute
            written: Result = await visited(write)
            return written


@asynccontextmanager
async def open_sqlite_saver(location: Location, serde: Any) -> AsyncIterator[SqliteSaver]:
    """LangGraph's saver on the file, its tables made. Raises `RunError` when it cannot be
    opened."""
    with explained(location):
        db = await aiosqlite.connect(str(location.path), timeout=PATIENCE)
    try:
        saver = SqliteSaver(db, serde=serde)
        with explained(location):
            await saver.setup()
        yield saver
    finally:
        await db.close()
