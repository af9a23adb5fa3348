"""A store in PostgreSQL: connections that mend themselves, and errors in words.

Everything lies in the schema `flowc` of the database that the URL names. A server that goes away is
waited for (`Location.patience`). Whether a statement that it swallowed was committed is asked of
the server by the transaction's number, so that nothing is written twice or lost.
"""

from __future__ import annotations

import asyncio
import functools
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import psycopg
import psycopg.sql
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict

from ...errors import RunError
from ..database import Database, Row
from ..ownership import POSTGRES_COLUMNS, refuse_foreign
from ..url import Location
from .errors import is_gone, postgres_error

SCHEMA = "flowc"
_LOCK = 0x666C6F7763
"""The advisory lock that transactions of one store take one after another."""
_WAITS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
_DEFAULTS: dict[str, str | int] = {
    "connect_timeout": 10,
    "application_name": "flowc",
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
_SETTINGS = f"""
select set_config('search_path', '{SCHEMA}', false), set_config('lock_timeout', '30s', false),
    set_config('tcp_keepalives_idle', '10', false),
    set_config('tcp_keepalives_interval', '3', false),
    set_config('tcp_keepalives_count', '3', false)
"""
_DURABLE = """
select set_config('synchronous_commit', 'on', false)
where current_setting('synchronous_commit') = 'off'
"""
_LAZY = "select set_config('synchronous_commit', 'off', false)"

Connection = psycopg.AsyncConnection[Row]
Result = TypeVar("Result")


class Whole(Loader):
    """A sum of integers is an int, as it is in SQLite."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return float(text) if set(text) & set(".eN") else int(text)


class Steady:
    """Whether every run that this process holds is held still: nobody writes while one is not."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.event.set()


@dataclass(slots=True)
class Link:
    """One connection, made again when it broke. `connection` is the one in use."""

    location: Location
    durable: bool
    steady: Steady | None = None
    connection: Connection | None = None
    mending: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def open(self) -> None:
        """Connect for the first time: a server that does not answer is complained of at once."""
        try:
            self.connection = await self._connect()
        except psycopg.Error as error:
            raise postgres_error(error, self.location) from None

    async def live(self) -> Connection:
        """Return the connection, after waiting for the server if need be. Raise `RunError` when it
        does not come back."""
        async with self.mending:
            if self.connection is None or self.connection.closed:
                self.connection = await self._again()
        if self.steady is not None:
            await self.steady.event.wait()
        return self.connection

    async def close(self) -> None:
        """Give the connection up; `live` makes another one."""
        if self.connection is not None:
            await self.connection.close()

    async def _again(self) -> Connection:
        deadline = time.monotonic() + self.location.patience
        for attempt in range(1_000):
            try:
                return await self._connect()
            except psycopg.Error as error:
                if not is_gone(error) or time.monotonic() > deadline:
                    raise postgres_error(error, self.location) from None
            await asyncio.sleep(_WAITS[min(attempt, len(_WAITS) - 1)])
        raise AssertionError("the deadline comes first")

    async def _connect(self) -> Connection:
        parts_of_url = _parse(self.location)
        defaults = {key: value for key, value in _DEFAULTS.items() if key not in parts_of_url}
        connection = await psycopg.AsyncConnection.connect(
            self.location.address, autocommit=True, **cast("dict[str, Any]", defaults)
        )
        try:
            connection.adapters.register_loader("numeric", Whole)
            await connection.execute(_SETTINGS)
            await connection.execute(_DURABLE if self.durable else _LAZY)
        except BaseException:
            await connection.close()
            raise
        return connection


def _parse(location: Location) -> dict[str, Any]:
    """Return the URL's parts. Raise `RunError`; psycopg's own error may quote the password."""
    try:
        return dict(conninfo_to_dict(location.address))
    except psycopg.Error:
        raise RunError(
            f"the store's URL {location.url} cannot be read",
            help="write postgresql://USER@HOST:PORT/DATABASE; special characters as %40",
        ) from None


@dataclass(frozen=True, slots=True)
class _Statements(Database):
    """Statements inside a transaction that is open."""

    dialect = "postgresql"
    link: Link

    async def run(self, query: str, values: Sequence[Any] = ()) -> int:
        return await self._commit(lambda c: _run(c, query, values))

    async def put(self, query: str, values: Sequence[Any] = ()) -> None:
        await self._send(lambda c: _run(c, query, values))

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
                    return await work(connection)
                except psycopg.Error as error:
                    await self._lost_or_wrong(error)

    async def _commit(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Do the work in a transaction of its own, again and again until one was committed."""
        async with self.lock:
            while True:
                connection, number = await self._begin("select 1")
                try:
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
            await asyncio.sleep(_WAITS[0])

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


async def _run(connection: Connection, query: str, values: Sequence[Any]) -> int:
    return (await connection.execute(native(query), tuple(values))).rowcount


async def _many(connection: Connection, query: str, rows: Iterable[Sequence[Any]]) -> None:
    async with connection.cursor() as cursor:
        await cursor.executemany(native(query), [tuple(row) for row in rows])


async def _rows(connection: Connection, query: str, values: Sequence[Any]) -> list[Row]:
    return await (await connection.execute(native(query), tuple(values))).fetchall()


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
async def open_postgres(
    location: Location, *, durable: bool, steady: Steady | None = None
) -> AsyncIterator[PostgresDatabase]:
    """Open a connection of our own; the schema is made when it is not there. Raise `RunError` when
    the store cannot be opened."""
    link = Link(location, durable, steady)
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
