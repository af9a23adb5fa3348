"""LangGraph's saver on PostgreSQL, on a connection that mends itself."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg.types.json import Jsonb

from ...db import kept
from ...db.database import Write, nothing_ahead
from ...db.new_threads import NewThreads
from ...db.postgres.connection import PostgresDatabase
from ...db.postgres.errors import is_gone, postgres_error
from ...db.postgres.link import Link
from ...db.url import Location
from ...errors import RunError
from ...savers.circles import without_circles
from ...savers.home_loop import HomeLoop
from ...savers.pages import with_pages
from ...savers.thread_upkeep import ThreadUpkeep
from ..channels import checkpoint_with
from .held_writes import Key, PendingCheckpoint, PendingOfRuns
from .integrity import IntactReads
from .postgres_marks import (
    MARKS,
    SET_UP,
    refuse_changed,
    refuse_changed_among,
    refuse_changed_within,
    value_mark,
    write_mark,
)
from .postgres_statements import (
    MOST,
    flat,
    insert_blobs,
    insert_writes,
    lots,
    split_values,
    with_marks,
)
from .serializer import StrictSerializer

Result = TypeVar("Result")
_LOCK_MIGRATIONS = "select pg_try_advisory_xact_lock(hashtext('flowc migrations'))"
_FORGETTING = (
    "with gone as (delete from checkpoints where metadata ->> 'run_id' = any(?)"
    " returning thread_id, checkpoint_ns, checkpoint_id)"
    " delete from checkpoint_writes as w using gone where w.thread_id = gone.thread_id"
    " and w.checkpoint_ns = gone.checkpoint_ns and w.checkpoint_id = gone.checkpoint_id"
)
_NUMBER = 5
"""Where the number of a written value stands in its row."""
_SECONDS = 0.05
"""Seconds that something is held at most, as events are gathered."""
_WALKED: ContextVar[Sequence[str]] = ContextVar("flowc_walked", default=())
"""The checkpoints whose writes the reading task puts together."""
_LOOK_BACK = with_pages(AsyncPostgresSaver.aget_delta_channel_history, 192)
"""A list stands as a whole after 150 additions at the latest (`channels`)."""


class _RowSaver(IntactReads, AsyncPostgresSaver):
    """Sends a statement again when the server went away before it answered: each leads to the same
    rows however often it is executed."""

    # A name with a backslash is not a valid text of `bytea`.
    SELECT_SQL = AsyncPostgresSaver.SELECT_SQL.replace(
        "bl.channel::bytea", "convert_to(bl.channel, 'UTF8')"
    ).replace("cw.channel::bytea", "convert_to(cw.channel, 'UTF8')")

    thread_tables = dict.fromkeys(
        ("checkpoints", "checkpoint_blobs", "checkpoint_writes"), "thread_id"
    )

    def __init__(self, link: Link, db: PostgresDatabase, serde: StrictSerializer) -> None:
        assert link.connection is not None
        connection: Any = link.connection
        super().__init__(connection, serde=serde)
        self.serde: StrictSerializer = serde
        self.ahead = {}
        self.link, self.db, self.epochs = link, db, db.epochs
        self._held = PendingOfRuns()
        self._soon: dict[Key, asyncio.Task[None]] = {}
        self._realms: dict[str, str] = {}
        self._new = NewThreads(db.epochs)

    async def _realm(self, run: str) -> str:
        """Return the realm of a run, with whose key its values are encrypted."""
        if self.serde.whole is None:
            return ""
        if run not in self._realms:
            rows = await self.db.rows(kept.REALM, (run,))
            self._realms[run] = rows[0][0] if rows else ""
        return self._realms[run]

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Write the rows for each of which LangGraph's own method sends a statement in one, with
        what is held. A checkpoint of a run that flowc executes is held, too."""
        into = config["configurable"]
        run, space, parent = into["thread_id"], into["checkpoint_ns"], into.get("checkpoint_id")
        inline, apart = split_values(checkpoint["channel_values"], self.serde.whole is not None)
        versions = {name: v for name, v in new_versions.items() if name in apart}
        with self.serde.within(await self._realm(run)):
            rows = with_marks(self._dump_blobs(run, space, apart, versions), value_mark)
        while len(rows) > MOST:
            await self._write(run, ((insert_blobs(MOST), flat(rows[:MOST])),))
            rows = rows[MOST:]
        self._new.write(run, space)
        about = Jsonb(get_serializable_checkpoint_metadata(config, metadata))
        whole = Jsonb(checkpoint_with(checkpoint, inline))
        values = (run, space, checkpoint["id"], parent, whole, about, sorted(apart))
        one = PendingCheckpoint(space, checkpoint["id"], parent, values, rows)
        if run in self.ahead:
            await self._hold(one, (run, self.epochs.get(run)))
        else:
            await self._write(run, (), one)
        return {"configurable": {**_at(run, space), "checkpoint_id": checkpoint["id"]}}

    async def _hold(self, one: PendingCheckpoint, key: Key) -> None:
        if not self._held.of(key).has_room(one):
            await self._flush(key)
        self._held.of(key).checkpoints.append(one)
        self._flush_soon(key)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Write the rows of LangGraph's own method with the checkpoint after them, or, where none
        comes soon, in a statement of their own. That need not wait for the disk: the checkpoint
        does, and a node whose writes are lost runs again, where its effects are known. Questions
        and errors, which end a run, are written before this returns."""
        if not writes:
            return
        into = config["configurable"]
        key = run, _ = into["thread_id"], self.epochs.get(into["thread_id"])
        place = (run, into["checkpoint_ns"], into["checkpoint_id"])
        self._new.write(run, place[1])
        with self.serde.within(await self._realm(run)):
            rows = with_marks(self._dump_writes(*place, task_id, task_path, writes), write_mark)
        along = sum(row[_NUMBER] >= 0 for row in rows)
        rows = [(*row, along) for row in rows]
        if len(rows) <= MOST and not any(channel in WRITES_IDX_MAP for channel, _ in writes):
            held = self._held.of(key)
            if held.has_any_of(rows) or len(held.rows) + len(rows) > MOST:
                await self._flush(key)
            self._held.of(key).rows.extend(rows)
            self._flush_soon(key)
            return
        special = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        for some in lots(rows):
            await self._write(run, ((insert_writes(len(some), special), flat(some)),), later=True)

    async def flush(self, run: str | None = None) -> None:
        """Write what is held of a run or of all, behind what is being written. Raise `RunError`."""
        for key in self._held.keys(run):
            await self._flush(key)

    async def _flush(self, key: Key, *, later: bool = False) -> None:
        async with self._held.take(key) as held:
            if held:
                await self._execute(key, held.writes(), later)

    def _flush_soon(self, key: Key) -> None:
        """Write what is held of a run in a moment, unless something takes it along before. What
        cannot be written is held for the next call, which says why."""

        async def flush() -> None:
            await asyncio.sleep(_SECONDS)
            del self._soon[key]
            with contextlib.suppress(RunError):
                await self._flush(key, later=True)

        if key not in self._soon:
            self._soon[key] = asyncio.create_task(flush())

    @asynccontextmanager
    async def pending(self, run: str) -> AsyncIterator[Sequence[Write]]:
        """Yield what writes what is held of a run (`Ahead`)."""
        async with self._held.take((run, self.epochs.get(run))) as held:
            yield held.writes()

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return a version that comes after another one, in LangGraph's order and with less chance
        in it: a checkpoint holds two for each node that ran, and chance cannot be compressed."""
        number = int(current.partition(".")[0]) if current else 0
        return f"{number + 1:032}.{secrets.token_urlsafe(6)}"

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint, by default the latest of its namespace."""
        run, space, id = _place(config)
        if id is None and self._new.is_empty(run, space):
            return None
        await self.flush(run)
        await refuse_changed(self.db, run, space, id)
        with self.serde.within(await self._realm(run)):
            return await super().aget_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield the checkpoints of a thread, the newest first."""
        run = None if config is None else _place(config)[0]
        await self.flush(run)
        realm = "" if run is None else await self._realm(run)
        within = config is not None and "checkpoint_ns" in config["configurable"] and limit is None
        if config is not None and within:
            await refuse_changed_within(self.db, *_place(config)[:2])
        # All at once: LangGraph's method holds the lock of the connection between two of them.
        found = super().alist(config, filter=filter, before=before, limit=limit)
        with self.serde.within(realm):
            items = [item async for item in found]
        for item in items:
            if not within:
                await refuse_changed(self.db, *_place(item.config))
            yield item

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return what was written to delta channels since they were last kept as a whole."""
        run, space, head = _place(config)
        await self.flush(run)
        _WALKED.set(())
        try:
            with self.serde.within(await self._realm(run)):
                return await _LOOK_BACK(self, config=config, channels=channels)
        finally:  # also where a value could not be read: this says which
            await refuse_changed_among(self.db, run, space, head, _WALKED.get(), channels)

    _ingest_stage1_page = staticmethod(
        without_circles(AsyncPostgresSaver._ingest_stage1_page, lambda id: _WALKED.set((id,)))
    )

    def _build_delta_channels_writes_history(self, **given: Any) -> dict[str, DeltaChannelHistory]:
        _WALKED.set(tuple({id for ids in given["chain_by_ch"].values() for id in ids}))
        return super()._build_delta_channels_writes_history(**given)

    async def _write(
        self,
        run: str,
        writes: Sequence[Write],
        one: PendingCheckpoint | None = None,
        *,
        later: bool = False,
    ) -> None:
        """Write something, and a checkpoint, with what is held of the run before them. What is on
        the disk `later` is so with whatever is written next."""
        key = (run, self.epochs.get(run))
        async with self._held.take(key) as held:
            held.checkpoints.extend(() if one is None else (one,))
            await self._execute(key, [*held.writes(), *writes], later)

    async def _execute(self, key: Key, writes: Sequence[Write], later: bool) -> None:
        """Execute statements as one, behind the fence of a run, with what is ahead of them."""
        async with self.ahead.get(key[0], nothing_ahead)() as more:
            await self.db.put_under(*key, (*more, *writes), later)

    async def begin_thread(self, run: str, *, blank: bool) -> None:
        """Begin a run: of a `blank` one nothing has to be deleted."""
        if not blank:
            await self.adelete_thread(run)
        self._new.begin(run)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        await self.flush(thread_id)
        tables = self.thread_tables.items()
        deletes = [(f"delete from {table} where {key} = ?", (thread_id,)) for table, key in tables]
        await self._write("", deletes)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of executions that LangGraph's server takes back."""
        await self.flush()
        await self._write("", ((_FORGETTING, ([str(run) for run in run_ids],)),))

    async def send(self, read: Callable[[], Awaitable[Result]]) -> Result:
        """Read or write, again and again until the server answers."""
        while True:
            connection: Any = await self.link.live()
            self.conn = connection
            try:
                with self.link.watch(connection):
                    return await read()
            except psycopg.Error as error:
                if not is_gone(error):
                    raise postgres_error(error, self.link.location) from error
            async with self.lock:
                await connection.close()


class PostgresSaver(HomeLoop, ThreadUpkeep, _RowSaver):
    """Keeps the checkpoints of a store in PostgreSQL, from whichever event loop."""


def _at(run: str, space: str) -> dict[str, str]:
    return {"thread_id": run, "checkpoint_ns": space}


def _place(config: RunnableConfig) -> tuple[str, str, str | None]:
    into = config["configurable"]
    return str(into["thread_id"]), str(into.get("checkpoint_ns", "")), get_checkpoint_id(config)


@asynccontextmanager
async def open_postgres_saver(
    db: PostgresDatabase, serde: StrictSerializer
) -> AsyncIterator[PostgresSaver]:
    """Open LangGraph's saver and make its tables or bring them up to date. Raise `RunError`."""
    async with db.pool.lend() as link:
        await link.live()
        saver = PostgresSaver(link, db, serde)
        saver.store_url = db.location.complete
        await _set_up(saver, link)
        link.close_unused()
        yield saver
        await saver.flush()


async def _set_up(saver: PostgresSaver, link: Link) -> None:
    """Execute LangGraph's own migrations in one of several processes."""
    newest = len(AsyncPostgresSaver.MIGRATIONS) - 1
    db = saver.db
    made = "select 1 from checkpoint_migrations where v = ?"
    if db.there.issuperset(MARKS) and await db.rows(made, (newest,)):
        return
    connection = await link.live()
    try:
        async with _alone(link.location):
            await saver.setup()
            await connection.execute(SET_UP)
    except psycopg.Error as error:
        raise postgres_error(error, link.location) from error


@asynccontextmanager
async def _alone(location: Location) -> AsyncIterator[None]:
    """Hold the lock of the migrations in a transaction of another connection, which has seen
    nothing yet: an index that is made concurrently waits for every statement, so that waiting for
    the lock in one would be a deadlock."""
    link = Link(location)
    try:
        connection = await link.live()
        free = False
        while not free:
            await connection.execute("begin")
            cursor = await connection.execute(_LOCK_MIGRATIONS)
            free = (await cursor.fetchone() or (False,))[0]
            if not free:
                await connection.execute("rollback")
                await asyncio.sleep(0.05)
        yield
    finally:
        await link.close()
