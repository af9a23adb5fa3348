"""One process per run on PostgreSQL: an advisory lock of a session that does nothing else.

The server frees it when the process dies, whose connection the kernel closes. When the connection
breaks while the process lives, the lock is taken again as soon as the server answers, and nothing
is written meanwhile. Every taking has a number (`epoch`): when somebody else took the run in
between, the number says so, and the run stops here.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import socket
import time
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg

from ...errors import RunError
from ..database import Database, create_tables
from ..file_lease import NotHeld, lease_refusal
from ..schema_version import has_table
from ..url import Location
from .connection import Connection, Link, PostgresDatabase, Steady

TABLES = """
create table if not exists leases (
    run text not null primary key, epoch integer not null, holder text not null
)
"""
_WAITS = (0.005, 0.02, 0.05, 0.1, 0.2)
"""Seconds between attempts: a server notices a process that died a moment ago in a moment."""
_TAKE = "select pg_try_advisory_lock(?)"
_RETAKE = """
select case when exists (
    select from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
    and pid = pg_backend_pid() and (classid::bigint << 32) | objid::bigint = ?
) then true else pg_try_advisory_lock(?) end
"""
"""The same once: a lock that was taken twice has to be given back twice."""
_FORGET = "delete from leases where run = ? and run not in (select id from runs)"
_RETAKE_SECONDS = 0.2


@dataclass(slots=True)
class PostgresLeases:
    """The runs that this process executes on one store. `looking` is a connection for queries;
    `lost_runs` are runs that another process has taken."""

    location: Location
    looking: Database
    steady: Steady
    lost_runs: set[str] = field(default_factory=set)
    _epochs: dict[str, int] = field(default_factory=dict)
    _tasks: dict[str, asyncio.Task[Any]] = field(default_factory=dict)
    _link: Link | None = None
    _watcher: asyncio.Task[None] | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _unreachable: RunError | None = None
    """Why the server could not be asked whether a run is still held."""

    @asynccontextmanager
    async def hold(self, run: str) -> AsyncIterator[None]:
        """Hold the run. Raise `RunError`, naming the other process, when it is held already; and in
        the midst of the block, when the run was lost."""
        if run in self._epochs:
            raise lease_refusal(run, _holder())
        await self._take(run)
        task = asyncio.current_task()
        assert task is not None
        self._tasks[run] = task
        try:
            yield
        except asyncio.CancelledError:
            if run not in self.lost_runs:
                raise
            task.uncancel()
            raise _loss(run, self._unreachable) from None
        finally:
            del self._tasks[run]
            await self._release(run)

    async def held_among(self, runs: Iterable[str]) -> frozenset[str]:
        """Return which of the runs are being executed, by whatever process."""
        query = (
            "select classid::bigint, objid::bigint from pg_locks where locktype = 'advisory'"
            " and objsubid = 1 and granted"
            " and database = (select oid from pg_database where datname = current_database())"
        )
        hold = {(high << 32) | low for high, low in await self.looking.rows(query)}
        return frozenset(run for run in runs if _key(run) % 2**64 in hold)

    async def sweep(self, known: Collection[str], *, dry_run: bool) -> int:
        """Hold each lease while its row goes, so that nobody's number is taken away; a run that was
        begun meanwhile keeps its own."""
        if not await has_table(self.looking, "leases"):
            return 0
        loose = {row[0] for row in await self.looking.rows("select run from leases")} - set(known)
        free = loose - await self.held_among(loose)
        swept = 0
        for name in sorted(free):
            with contextlib.suppress(NotHeld):
                if not dry_run:
                    async with self.hold(name):
                        await self.looking.run(_FORGET, (name,))
                swept += 1
        return swept

    async def close(self) -> None:
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait([self._watcher])
        if self._link is not None:
            await self._link.close()

    async def _take(self, run: str) -> None:
        async with self._lock:
            if self._link is None:
                self._link = Link(self.location, durable=True)
                await self._link.open()
                await create_tables(self.looking, TABLES)
                self._watcher = asyncio.create_task(self._watch(self._link))
            db = PostgresDatabase(self._link)
            for wait in (*_WAITS, None):
                if await db.rows(_TAKE, (_key(run),)) == [(True,)]:
                    break
                if wait is None:
                    query = "select holder from leases where run = ?"
                    names = await db.rows(query, (run,))
                    raise lease_refusal(run, names[0][0] if names else "unknown")
                await asyncio.sleep(wait)
            self._epochs[run] = await _next_epoch(db, run)
            self.lost_runs.discard(run)

    async def _release(self, run: str) -> None:
        async with self._lock:
            del self._epochs[run]
            if self._link is not None and self._link.connection is not None:
                try:
                    query = "select pg_advisory_unlock(%s)"
                    await self._link.connection.execute(query, (_key(run),))
                except psycopg.Error:
                    await self._link.close()  # which frees the lock as well

    async def _watch(self, link: Link) -> None:
        """Notice at once when the connection breaks. Somebody else may have noticed before, who was
        taking a run, and have made another one: on that nothing else is held yet."""
        known = link.connection
        while True:
            if known is None or known.closed or known is not link.connection:
                known = await self._regain(link)
                continue
            await _readable(known.fileno())
            async with self._lock:
                try:
                    await known.execute("select 1")
                except psycopg.Error:
                    await known.close()

    async def _regain(self, link: Link) -> Connection | None:
        """Take every run again that is held; stop those that cannot be. The connection on which
        they are held."""
        self.steady.event.clear()
        deadline = time.monotonic() + self.location.patience
        waiting: set[str] = set()
        connection = None
        try:
            async with self._lock:
                waiting |= self._epochs.keys()
                connection = await link.live()
                while waiting:
                    for run in sorted(waiting):
                        verdict = await self._retake(link, run)
                        if verdict is not None:
                            waiting.discard(run)
                        if verdict is False:
                            self._stop(run)
                    if time.monotonic() > deadline:
                        break
                    await asyncio.sleep(_RETAKE_SECONDS if waiting else 0)
        except RunError as error:
            self._unreachable = error
        for run in waiting:
            self._stop(run)
        self.steady.event.set()
        return connection

    async def _retake(self, link: Link, run: str) -> bool | None:
        """Return True when the run is held again, False when another process took it, None when the
        server has not noticed yet that the old connection is gone."""
        db = PostgresDatabase(link)
        is_held = await db.rows(_RETAKE, (_key(run), _key(run))) == [(True,)]
        kept = await db.rows("select epoch from leases where run = ?", (run,))
        if kept != [(self._epochs[run],)]:
            return False
        return True if is_held else None

    def _stop(self, run: str) -> None:
        self.lost_runs.add(run)
        if run in self._tasks:
            self._tasks[run].cancel()


async def _next_epoch(db: Database, run: str) -> int:
    query = (
        "insert into leases values (?, 1, ?) on conflict (run) do update set"
        " epoch = leases.epoch + 1, holder = excluded.holder"
    )
    async with db.transaction() as inside:
        await inside.run(query, (run, _holder()))
        epoch: int = (await inside.rows("select epoch from leases where run = ?", (run,)))[0][0]
    return epoch


async def _readable(number: int) -> None:
    """Wait until there is something to read. On a copy of the descriptor, because psycopg puts its
    own reader on the descriptor itself and takes it away again."""
    loop, copy = asyncio.get_running_loop(), os.dup(number)
    ready = asyncio.Event()
    loop.add_reader(copy, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(copy)
        os.close(copy)


def _holder() -> str:
    return f"pid {os.getpid()} on {socket.gethostname()}"


def _key(run: str) -> int:
    """Return a run's number among advisory locks: 64 bits, signed."""
    digest = hashlib.sha256(f"flowc run {run}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def _loss(run: str, unreachable: RunError | None) -> NotHeld:
    if unreachable is not None:
        return NotHeld(unreachable.message, help=unreachable.help)
    return NotHeld(
        f"run {run} was lost: the connection that held it broke, and it could not be held again",
        help="`flowc runs` shows whether another process executes it; if none does, resume it",
    )
