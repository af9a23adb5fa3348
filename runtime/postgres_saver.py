"""LangGraph's saver on PostgreSQL, on a connection that mends itself."""

from __future__ import annotations

import asyncio
import functools
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import psycopg
from langgraph.checkpoint.base import WRITES_IDX_MAP
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from .location import Location
from .postgres import Link, PostgresDatabase, Steady
from .postgres_errors import is_gone, postgres_error
from .serializer import Stored, StrictSerializer

Result = TypeVar("Result")
_MIGRATIONS = "hashtext('flowc migrations')"
SHORT = 100
"""Characters of a text that may lie in a checkpoint itself."""


class PostgresSaver(AsyncPostgresSaver):
    """Writes again what a server that went away did not say it had: each of its statements leads
    to the same rows however often it is executed."""

    # A name with a backslash is no valid text of `bytea`.
    SELECT_SQL = AsyncPostgresSaver.SELECT_SQL.replace(
        "bl.channel::bytea", "convert_to(bl.channel, 'UTF8')"
    ).replace("cw.channel::bytea", "convert_to(cw.channel, 'UTF8')")

    def __init__(self, link: Link, serde: StrictSerializer) -> None:
        assert link.connection is not None
        connection: Any = link.connection
        super().__init__(connection, serde=serde)
        self.serde: StrictSerializer = serde
        self.link = link

    async def aget_tuple(self, config: Any) -> Any:
        return await self._again(lambda: AsyncPostgresSaver.aget_tuple(self, config))

    async def alist(self, config: Any, **limits: Any) -> AsyncIterator[Any]:
        async def listed() -> list[Any]:
            found = AsyncPostgresSaver.alist(self, config, **limits)
            return [item async for item in found]

        for item in await self._again(listed):
            yield item

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        sealed = self.serde.cipher is not None
        values = {k: _stored(v, sealed) for k, v in checkpoint["channel_values"].items()}
        whole: Any = {**checkpoint, "channel_values": values}
        return await self._again(
            lambda: AsyncPostgresSaver.aput(self, config, whole, metadata, new_versions)
        )

    async def aput_writes(
        self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """The rows of LangGraph's own method, in one statement."""
        if not writes:
            return
        into = config["configurable"]
        place = (into["thread_id"], into["checkpoint_ns"], into["checkpoint_id"])
        rows = self._dump_writes(*place, task_id, task_path, writes)
        special = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        query = _writing(len(rows), special)
        values = [value for row in rows for value in row]

        async def written() -> None:
            async with self._cursor() as cursor:
                await cursor.execute(query, values)

        await self._again(written)

    async def adelete_thread(self, thread_id: str) -> None:
        await self._again(lambda: AsyncPostgresSaver.adelete_thread(self, thread_id))

    async def aget_delta_channel_history(self, *, config: Any, channels: Sequence[str]) -> Any:
        return await self._again(
            lambda: AsyncPostgresSaver.aget_delta_channel_history(
                self, config=config, channels=channels
            )
        )

    async def _again(self, call: Callable[[], Awaitable[Result]]) -> Result:
        while True:
            connection: Any = await self.link.live()
            self.conn = connection
            try:
                return await call()
            except psycopg.Error as error:
                if not is_gone(error):
                    raise postgres_error(error, self.link.location) from error
            async with self.lock:
                if self.conn is connection:
                    await connection.close()


@functools.lru_cache(maxsize=64)
def _writing(count: int, special: bool) -> Any:
    """LangGraph's statement for one write, for `count` of them."""
    saver = AsyncPostgresSaver
    one = saver.UPSERT_CHECKPOINT_WRITES_SQL if special else saver.INSERT_CHECKPOINT_WRITES_SQL
    head, row, tail = re.split(r"(?<=VALUES) (\([^)]*\))", one, maxsplit=1)
    return f"{head} {', '.join([row] * count)}{tail}"


def _stored(value: Any, sealed: bool) -> Any:
    """Of what LangGraph would put into the checkpoint itself: numbers and short texts stay, unless
    they are to be encrypted. A long text would be there again in every checkpoint."""
    if isinstance(value, str):
        return (
            value if not sealed and len(value) <= SHORT and value.isprintable() else Stored(value)
        )
    if isinstance(value, float) and not math.isfinite(value):
        return Stored(value)
    return Stored(value) if sealed and isinstance(value, int | float) else value


@asynccontextmanager
async def open_postgres_saver(
    location: Location, serde: StrictSerializer, steady: Steady
) -> AsyncIterator[PostgresSaver]:
    """LangGraph's saver, its tables made or brought up to date. Raises `RunError`."""
    link = Link(location, durable=True, steady=steady)
    await link.open()
    try:
        saver = PostgresSaver(link, serde)
        await _set_up(saver, link)
        yield saver
    finally:
        await link.close()


async def _set_up(saver: PostgresSaver, link: Link) -> None:
    """LangGraph's own migrations. Of several processes one does them: the lock is the session's,
    since an index that is made concurrently waits for every transaction."""
    newest = len(AsyncPostgresSaver.MIGRATIONS) - 1
    db = PostgresDatabase(link)
    known = await db.rows("select to_regclass('checkpoint_migrations')::text")
    if known != [(None,)] and await db.rows(
        "select 1 from checkpoint_migrations where v = ?", (newest,)
    ):
        return
    connection = await link.live()
    try:
        # Waiting in a statement would deadlock: an index that is made concurrently waits for it.
        query = f"select pg_try_advisory_lock({_MIGRATIONS})"
        while await db.rows(query) != [(True,)]:  # noqa: ASYNC110 - another process frees it
            await asyncio.sleep(0.05)
        try:
            await saver.setup()
        finally:
            await connection.execute(f"select pg_advisory_unlock({_MIGRATIONS})".encode())
    except psycopg.Error as error:
        raise postgres_error(error, link.location) from error
