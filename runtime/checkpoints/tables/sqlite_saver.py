"""LangGraph's saver on SQLite, each of its writes one visit of the connection's thread."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.sqlite import SqliteSaver as BlockingSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ...db.sqlite import explain_errors, target_of
from ...db.url import Location
from .integrity import IntactReads
from .serializer import StrictSerializer

Result = TypeVar("Result")


class _WholeWrites(BlockingSaver):
    """LangGraph's blocking writes in the thread of an asynchronous connection. Each is one
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

    def forget(self, runs: str) -> None:
        """Delete the checkpoints of a list of executions, as JSON, and what was written after
        them."""
        among = (
            "json_extract(cast(metadata as text), '$.run_id') in (select value from json_each(?))"
        )
        place = "thread_id, checkpoint_ns, checkpoint_id"
        with self.cursor() as cursor:
            cursor.execute(
                f"delete from writes where ({place}) in"
                f" (select {place} from checkpoints where {among})",
                (runs,),
            )
            cursor.execute(f"delete from checkpoints where {among}", (runs,))


class SqliteSaver(IntactReads, AsyncSqliteSaver):
    """Writes the rows of LangGraph's own saver. That one goes to the thread of the connection and
    back for a cursor, a statement, a commit and the close, with the event loop between them; a
    task that is cancelled there leaves a transaction open, for the next write to commit."""

    def __init__(
        self, connection: aiosqlite.Connection, *, serde: StrictSerializer | None = None
    ) -> None:
        super().__init__(connection, serde=serde)
        self.whole = _WholeWrites(connection._conn, serde=serde)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint."""
        return await self._visit(lambda: self.whole.put(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task wrote after a checkpoint."""
        await self._visit(lambda: self.whole.put_writes(config, writes, task_id, task_path))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of executions that LangGraph's server takes back."""
        runs = json.dumps([str(run) for run in run_ids])
        await self._visit(lambda: self.whole.forget(runs))

    async def _visit(self, write: Callable[[], Result]) -> Result:
        await self.setup()
        async with self.lock:
            # The public methods of a connection take statements; this one takes any function.
            execute: Callable[[Callable[[], Result]], Awaitable[Result]] = self.conn._execute
            return await execute(write)


@asynccontextmanager
async def open_sqlite_saver(
    location: Location, serde: StrictSerializer
) -> AsyncIterator[SqliteSaver]:
    """Open LangGraph's saver on the file and make its tables. Raise `RunError` when it cannot be
    opened."""
    with explain_errors(location):
        db = await aiosqlite.connect(target_of(location), timeout=location.patience)
    try:
        saver = SqliteSaver(db, serde=serde)
        saver.store_url = await asyncio.to_thread(lambda: location.complete)
        with explain_errors(location):
            await saver.setup()
        yield saver
    finally:
        await db.close()
