"""LangGraph's saver on PostgreSQL, on a connection that mends itself."""

from __future__ import annotations

import asyncio
import functools
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg.types.json import Jsonb

from ...db.postgres.connection import Link, PostgresDatabase, Steady
from ...db.postgres.errors import is_gone, postgres_error
from ...db.url import Location
from ..channels import is_snapshot
from .integrity import IntactReads
from .serializer import StrictSerializer

Result = TypeVar("Result")
_MIGRATIONS = "hashtext('flowc migrations')"
_FORGETTING = (
    b"with gone as (delete from checkpoints where metadata ->> 'run_id' = any(%s)"
    b" returning thread_id, checkpoint_ns, checkpoint_id)"
    b" delete from checkpoint_writes as w using gone where w.thread_id = gone.thread_id"
    b" and w.checkpoint_ns = gone.checkpoint_ns and w.checkpoint_id = gone.checkpoint_id"
)
MOST = 5_000
"""Rows that one statement writes: the protocol numbers its parameters with 16 bits."""
SHORT = 100
"""Characters of a text that may lie in a checkpoint itself."""


class PostgresSaver(IntactReads, AsyncPostgresSaver):
    """Sends a statement again when the server went away before it answered: each leads to the same
    rows however often it is executed."""

    # A name with a backslash is not a valid text of `bytea`.
    SELECT_SQL = AsyncPostgresSaver.SELECT_SQL.replace(
        "bl.channel::bytea", "convert_to(bl.channel, 'UTF8')"
    ).replace("cw.channel::bytea", "convert_to(cw.channel, 'UTF8')")

    def __init__(self, link: Link, serde: StrictSerializer) -> None:
        assert link.connection is not None
        connection: Any = link.connection
        super().__init__(connection, serde=serde)
        self.serde: StrictSerializer = serde
        self.link = link

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Write the rows of LangGraph's own method in one statement: it sends one for each value
        and another for the checkpoint."""
        into = config["configurable"]
        place = {"thread_id": into["thread_id"], "checkpoint_ns": into["checkpoint_ns"]}
        inline, apart = _parts(checkpoint["channel_values"], self.serde.cipher is not None)
        versions = {name: v for name, v in new_versions.items() if name in apart}
        rows = self._dump_blobs(place["thread_id"], place["checkpoint_ns"], apart, versions)
        while len(rows) > MOST:
            await self._write(_values_alone(MOST).encode(), [v for row in rows[:MOST] for v in row])
            rows = rows[MOST:]
        values: list[Any] = [value for row in rows for value in row]
        values += [*place.values(), checkpoint["id"], into.get("checkpoint_id")]
        values.append(Jsonb({**checkpoint, "channel_values": inline}))
        values.append(Jsonb(get_serializable_checkpoint_metadata(config, metadata)))
        await self._write(_putting(len(rows)), values)
        return {"configurable": {**place, "checkpoint_id": checkpoint["id"]}}

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Write the rows of LangGraph's own method in one statement."""
        if not writes:
            return
        into = config["configurable"]
        place = (into["thread_id"], into["checkpoint_ns"], into["checkpoint_id"])
        rows = self._dump_writes(*place, task_id, task_path, writes)
        special = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        for first in range(0, len(rows), MOST):
            some = rows[first : first + MOST]
            values = [value for row in some for value in row]
            await self._write(_writing(len(some), special), values)

    async def _write(self, query: bytes, values: Sequence[Any]) -> None:
        async def write() -> None:
            async with self._cursor() as cursor:
                await cursor.execute(query, values)

        await self.send(write)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        await self.send(lambda: AsyncPostgresSaver.adelete_thread(self, thread_id))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of executions that LangGraph's server takes back, and what was
        written after them."""
        await self._write(_FORGETTING, ([str(run) for run in run_ids],))

    async def send(self, read: Callable[[], Awaitable[Result]]) -> Result:
        """Read or write, again and again until the server answers."""
        while True:
            connection: Any = await self.link.live()
            self.conn = connection
            try:
                return await read()
            except psycopg.Error as error:
                if not is_gone(error):
                    raise postgres_error(error, self.link.location) from error
            async with self.lock:
                if self.conn is connection:
                    await connection.close()


@functools.lru_cache(maxsize=64)
def _writing(count: int, special: bool) -> bytes:
    """Return LangGraph's statement for one write, for `count` of them."""
    saver = AsyncPostgresSaver
    one = saver.UPSERT_CHECKPOINT_WRITES_SQL if special else saver.INSERT_CHECKPOINT_WRITES_SQL
    return _repeat(one, count).encode()


@functools.lru_cache(maxsize=64)
def _putting(count: int) -> bytes:
    """Return LangGraph's two statements for a checkpoint and `count` values apart as one."""
    checkpoint = AsyncPostgresSaver.UPSERT_CHECKPOINTS_SQL
    values = f"with apart as ({_values_alone(count)}) " if count else ""
    return f"{values}{checkpoint}".encode()


@functools.lru_cache(maxsize=64)
def _values_alone(count: int) -> str:
    return _repeat(AsyncPostgresSaver.UPSERT_CHECKPOINT_BLOBS_SQL, count)


def _repeat(one: str, count: int) -> str:
    """Return a statement that inserts one row, for `count` of them."""
    head, row, tail = re.split(r"(?<=VALUES) (\([^)]*\))", one, maxsplit=1)
    return f"{head} {', '.join([row] * count)}{tail}"


def _parts(values: Mapping[str, Any], sealed: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what lies in the checkpoint itself, and what lies apart in a row that only its new
    versions add to. As with LangGraph, except that long texts and what its JSON cannot hold lie
    apart: a long text would be there again in every checkpoint. With a cipher everything does."""
    inline, apart = {}, {}
    for name, value in values.items():
        if is_snapshot(value):
            inline[name], apart[name] = True, value
        elif value is None or (not sealed and _is_plain(value)):
            inline[name] = value
        else:
            apart[name] = value
    return inline, apart


def _is_plain(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= SHORT and value.isprintable()
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int)


@asynccontextmanager
async def open_postgres_saver(
    location: Location, serde: StrictSerializer, steady: Steady
) -> AsyncIterator[PostgresSaver]:
    """Open LangGraph's saver and make its tables or bring them up to date. Raise `RunError`."""
    link = Link(location, durable=True, steady=steady)
    await link.open()
    try:
        saver = PostgresSaver(link, serde)
        saver.store_url = location.complete
        await _set_up(saver, link)
        yield saver
    finally:
        await link.close()


async def _set_up(saver: PostgresSaver, link: Link) -> None:
    """Execute LangGraph's own migrations in one of several processes. The lock is the session's,
    because an index that is made concurrently waits for every transaction."""
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
