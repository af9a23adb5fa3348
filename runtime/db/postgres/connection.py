"""A store in PostgreSQL: connections that mend themselves, and errors in words.

Everything lies in the schema `flowc` of the database that the URL names. A server that goes away is
waited for (`Location.patience`). Whether a statement that it swallowed was committed is asked of
the server by the transaction's number, so that nothing is written twice or lost.
"""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import psycopg
import psycopg.sql
from psycopg.errors import DivisionByZero

from ...errors import RunError
from ..database import Database, Row, Write
from ..fence import HELD, require_epoch, taken_over
from ..ownership import POSTGRES_COLUMNS, refuse_foreign
from ..url import Location
from .errors import is_gone, postgres_error
from .link import WAITS, Connection, Link
from .names import SCHEMA

_LOCK = 0x666C6F7763
"""The advisory lock that transactions of one store take one after another."""
FENCE = (
    "with held as materialized (select 1 / count(*) as ok from"
    " (select from leases where run = ? and epoch = ? for share) as row)"
)
"""The beginning of a statement that writes only while a run has a number: one trip to the server,
one transaction. The share of the lock keeps everybody from taking the run before it is committed;
with none, or one `for key share`, a late row would land after the other process has read."""
LET = "select ok from held"
"""Its end."""
LATER = "later as materialized (select set_config('synchronous_commit', 'off', true))"
"""What it has besides, and ends with, where it does not wait for the disk."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Statements(Database):
    """Statements inside a transaction that is open."""

    dialect = "postgresql"
    link: Link

    async def run(self, query: str, values: Sequence[Any] = ()) -> int:
        return await self._commit(functools.partial(_run, write=(query, values)))

    async def put_all(self, writes: Sequence[Write], *, later: bool = False) -> None:
        for write in writes:
            await self._send(functools.partial(_run, write=write))

    async def many(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        kept = list(rows)
        await self._commit(lambda c: _many(c, query, kept))

    async def rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        return await self._send(lambda c: _rows(c, query, values))

    async def size(self) -> int:
        query = (
            "select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c"
            " join pg_namespace n on n.oid = c.relnamespace where n.nspname = ? and relkind = 'r'"
        )
        rows = await self.rows(query, (SCHEMA,))
        return int(rows[0][0])

    async def shrink(self, *, alone: bool) -> None:
        tables = await self.rows("select tablename from pg_tables where schemaname = ?", (SCHEMA,))
        connection = await self.link.live()
        try:
            for (table,) in tables:
                name = psycopg.sql.Identifier(SCHEMA, table)
                kind = psycopg.sql.SQL("full" if alone else "")
                await connection.execute(psycopg.sql.SQL("vacuum {} {}").format(kind, name))
        except psycopg.Error as error:
            raise postgres_error(error, self.link.location) from error

    async def _commit(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Do the work, which the transaction around it commits."""
        return await self._send(work)

    async def _send(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Do the work, once: the transaction would not survive another connection."""
        connection = self.link.connection
        assert connection is not None
        try:
            return await work(connection)
        except psycopg.Error as error:
            raise postgres_error(error, self.link.location) from error


@dataclass(frozen=True, slots=True)
class PostgresDatabase(_Statements):
    """A connection of our own. Statements of other tasks wait while one is in a transaction."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Database]:
        async with self.lock:
            connection, number = await self._begin(f"select pg_advisory_xact_lock({_LOCK})")
            try:
                await self._compare(connection)
                yield _Statements(self.link, cipher=self.cipher)
            except BaseException:
                await self._undo(connection)
                raise
            if not await self._end(connection, number):
                raise RunError(
                    f"the store {self.link.location.url} went away; what was being written was not",
                    help="`flowc resume` goes on from what is kept",
                )

    async def _send(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Do the work, which is one statement, again until the server said that it was done."""
        async with self.lock:
            while True:
                connection = await self.link.live()
                try:
                    with self._watch(connection):
                        return await work(connection)
                except psycopg.Error as error:
                    await self._lost_or_wrong(error)

    def _watch(self, connection: Connection) -> AbstractContextManager[None]:
        """Whoever executes a run waits for so long and no longer; other queries may take longer."""
        return nullcontext() if self.epoch is None else self.link.watch(connection)

    async def put_all(self, writes: Sequence[Write], *, later: bool = False) -> None:
        epoch = self.epoch
        if epoch is None:
            await _Statements.put_all(self, writes)
        else:
            parts = [f"written_{n} as ({query})" for n, (query, _) in enumerate(writes)]
            whole = ", ".join([FENCE, *([LATER] if later else []), *parts])
            query = native(f"{whole} {LET}{', later' if later else ''}")
            row = (self.of_run, epoch, *(value for _, values in writes for value in values))
            await self._send(lambda c: pass_fence(c, self.of_run, query, row))

    async def _compare(self, connection: Connection) -> None:
        """Lock the row of the run's number in the transaction that is open. Raise `NotHeld`."""
        if self.epoch is not None:
            rows = await _rows(connection, f"{HELD} for share", (self.of_run,))
            require_epoch(self.of_run, self.epoch, cast("Any", next(iter(rows), None)))

    async def _commit(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Do the work in a transaction of its own, again and again until one was committed."""
        async with self.lock:
            while True:
                connection, number = await self._begin("select 1")
                try:
                    with self._watch(connection):
                        await self._compare(connection)
                        result = await work(connection)
                except psycopg.Error as error:
                    await self._undo(connection)
                    await self._lost_or_wrong(error)
                    continue
                except BaseException:
                    await self._undo(connection)
                    raise
                if await self._end(connection, number):
                    return result

    async def _begin(self, first: str) -> tuple[Connection, int]:
        """Begin a transaction in which a statement has been executed. Return its number too."""
        while True:
            connection = await self.link.live()
            try:
                with self._watch(connection):
                    cursor = await connection.execute(f"begin; {first}; select txid_current()")
                while cursor.nextset():
                    pass
                row = await cursor.fetchone()
                assert row is not None
                return connection, row[0]
            except psycopg.Error as error:
                await self._undo(connection)
                await self._lost_or_wrong(error)
            except BaseException:
                await self._undo(connection)
                raise

    async def _end(self, connection: Connection, number: int) -> bool:
        """Commit. Return whether it was done, even if the server went away before it answered."""
        try:
            with self._watch(connection):
                await connection.execute("commit")
            return True
        except psycopg.Error as error:
            await self._lost_or_wrong(error)
        except BaseException:
            await self._undo(connection)
            raise
        while True:
            connection = await self.link.live()
            try:
                row = (await _rows(connection, "select txid_status(?)", (number,)))[0]
            except psycopg.Error as error:
                await self._lost_or_wrong(error)
                continue
            if row[0] != "in progress":
                return bool(row[0] == "committed")
            await asyncio.sleep(WAITS[0])

    async def _undo(self, connection: Connection) -> None:
        try:
            if not connection.closed:
                await connection.execute("rollback")
        except psycopg.Error:
            await connection.close()

    async def _lost_or_wrong(self, error: psycopg.Error) -> None:
        """Return when the connection broke, which `live` mends; else raise `RunError`."""
        if not is_gone(error):
            raise postgres_error(error, self.link.location) from error
        await self.link.close()


async def _run(connection: Connection, write: Write) -> int:
    query, values = write
    return (await connection.execute(native(query), tuple(values))).rowcount


async def _many(connection: Connection, query: str, rows: Iterable[Sequence[Any]]) -> None:
    async with connection.cursor() as cursor:
        await cursor.executemany(native(query), [tuple(row) for row in rows])


async def _rows(connection: Connection, query: str, values: Sequence[Any]) -> list[Row]:
    return await (await connection.execute(native(query), tuple(values))).fetchall()


async def pass_fence(connection: Connection, run: str, query: bytes, values: Sequence[Any]) -> None:
    """Execute a statement that begins with `FENCE`. Raise `NotHeld` when it was not let through."""
    try:
        await connection.execute(query, tuple(values))
    except DivisionByZero:
        rows = await _rows(connection, HELD, (run,))
        raise taken_over(run, rows[0][1] if rows else "") from None


@functools.lru_cache(maxsize=512)
def native(query: str) -> bytes:
    """Return a query with psycopg's placeholders; column types that mean what they do in SQLite."""
    parts = query.replace("%", "%%").split("'")
    parts[::2] = [part.replace("?", "%s") for part in parts[::2]]
    text = "'".join(parts)
    if text.lstrip().lower().startswith(("create table", "alter table")):
        text = re.sub(r"\btext\b", 'text collate "C"', text)
        text = re.sub(r"\binteger\b", "bigint", text)
        text = re.sub(r"\breal\b", "double precision", text)
    return text.encode()


@asynccontextmanager
async def open_postgres(location: Location, *, durable: bool) -> AsyncIterator[PostgresDatabase]:
    """Open a connection of our own; the schema is made when it is not there. Raise `RunError` when
    the store cannot be opened."""
    link = Link(location, durable)
    await link.open()
    try:
        db = PostgresDatabase(link)
        if not durable:  # which is the first connection to a store
            refuse_foreign(await db.rows(POSTGRES_COLUMNS, (SCHEMA,)), location)
        if await db.rows("select to_regnamespace(?)::text", (SCHEMA,)) == [(None,)]:
            async with db.transaction() as inside:
                await inside.run(f"create schema if not exists {SCHEMA}")
        yield db
    finally:
        await link.close()


async def is_there(location: Location) -> bool:
    """Return whether the database has a store of flowc's. Raise `RunError` when it cannot be
    reached, or belongs to another program."""
    link = Link(location, durable=False)
    await link.open()
    try:
        columns = await PostgresDatabase(link).rows(POSTGRES_COLUMNS, (SCHEMA,))
        refuse_foreign(columns, location)
        return "runs" in {table for table, _ in columns}
    finally:
        await link.close()
