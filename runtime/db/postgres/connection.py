"""A store in PostgreSQL: connections that mend themselves, and errors in words.

Everything lies in the schema `flowc` of the database that the URL names. A server that goes away is
waited for (`Location.patience`). Whether a statement that it swallowed was committed is asked of
the server by the transaction's number, so that nothing is written twice or lost.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import itertools
import re
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import psycopg
import psycopg.sql
from psycopg.errors import DivisionByZero
from psycopg.rows import dict_row

from ...errors import StoreFailed
from ..database import TABLES, Database, Row, Write
from ..fence import HELD, require_epoch, taken_over
from ..ownership import POSTGRES_COLUMNS, refuse_foreign
from ..schema_version import refuse_other_layout
from ..url import Location
from .as_one import as_one
from .errors import is_gone, postgres_error
from .link import WAITS, Connection, Link
from .names import SCHEMA, name_tables
from .pool import Pool

BEGIN = (
    "begin; set local lock_timeout = '30s'; set local idle_in_transaction_session_timeout = '10s';"
    " set local statement_timeout = '120s'"
)
"""How a transaction begins. From a process that is frozen in one the server takes it back, and it
ends a statement in one that would hold up others for minutes."""

SOON = "set local synchronous_commit = off"
"""What a transaction has besides that does not wait for the disk."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Statements(Database):
    """Statements, over whatever connection `_send` and `_commit` do their work."""

    dialect = "postgresql"
    location: Location

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

    async def rows_of_each(self, queries: Sequence[Write]) -> list[list[Row]]:
        return await self._send(lambda c: _rows_of_each(c, queries))

    async def rows_by_name(
        self, query: str, values: Mapping[str, object]
    ) -> list[dict[str, object]]:
        """Execute a statement of another library, with values by name. Return rows by column."""
        return await self._send(lambda c: _rows_by_name(c, query, values))

    async def size(self) -> int:
        query = (
            "select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c"
            " join pg_namespace n on n.oid = c.relnamespace where n.nspname = ? and relkind = 'r'"
        )
        rows = await self.rows(query, (SCHEMA,))
        return int(rows[0][0])

    async def shrink(self, *, alone: bool) -> None:
        tables = await self.rows("select tablename from pg_tables where schemaname = ?", (SCHEMA,))
        for (table,) in tables:
            name = psycopg.sql.Identifier(SCHEMA, table)
            kind = psycopg.sql.SQL("full" if alone else "")
            query = psycopg.sql.SQL("vacuum {} {}").format(kind, name)
            await self._send(functools.partial(_execute, query=query))

    @abstractmethod
    async def _send(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Do the work, which is one statement."""

    @abstractmethod
    async def _commit(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Do the work, of which all is kept or nothing."""


@dataclass(frozen=True, slots=True)
class Inside(_Statements):
    """Statements inside a transaction that is open on `connection`."""

    connection: Connection

    @asynccontextmanager
    async def transaction(self, *about: str) -> AsyncIterator[Database]:
        if about:
            await self._send(lambda c: c.execute(lock_names(about)))
        yield self

    async def script(self, text: str) -> None:
        """Execute statements as they stand."""
        await self._send(lambda c: c.execute(text.encode()))

    async def _commit(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        return await self._send(work)

    async def _send(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Do the work, once: the transaction would not survive another connection."""
        try:
            return await work(self.connection)
        except psycopg.Error as error:
            raise postgres_error(error, self.location) from error


@dataclass(frozen=True, slots=True)
class PostgresDatabase(_Statements):
    """Connections of our own, one for each statement or transaction that is under way."""

    pool: Pool
    durable: bool
    """Whether a commit waits for the disk."""

    @asynccontextmanager
    async def transaction(self, *about: str) -> AsyncIterator[Database]:
        async with self.pool.lend() as link:
            connection, number = await self._begin(link, about)
            try:
                yield Inside(self.location, connection, cipher=self.cipher)
            except BaseException:
                await _undo(connection)
                raise
            if not await self._end(link, connection, number):
                raise StoreFailed(
                    f"the store {self.location.url} went away; what was being written was not",
                    help="`flowc resume` goes on from what is kept",
                )

    async def _send(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Do the work again until the server said that it was done."""
        async with self.pool.lend() as link:
            while True:
                connection = await link.live()
                try:
                    with self._watch(link, connection):
                        return await work(connection)
                except psycopg.Error as error:
                    await self._lost_or_wrong(link, error)

    def _watch(self, link: Link, connection: Connection) -> AbstractContextManager[None]:
        """Bound how long a process that executes a run waits for the server, also where a statement
        belongs to no run. Other processes may wait longer."""
        return link.watch(connection) if self.epochs.held else nullcontext()

    async def put_all(self, writes: Sequence[Write], *, later: bool = False) -> None:
        if writes:
            await self.put_under(self.of_run, self.epoch, writes, later)

    async def put_under(
        self, run: str, epoch: int | None, writes: Sequence[Write], later: bool
    ) -> None:
        """Execute statements as `put_all` does, behind the fence of a run under a number."""
        queries, values = zip(*writes, strict=True)
        query = as_one(queries, epoch is not None, later or not self.durable)
        row = (*(() if epoch is None else (run, epoch)), *(v for some in values for v in some))
        await self._send(lambda c: pass_fence(c, run, query, row))

    async def _compare(self, connection: Connection) -> None:
        """Lock the row of the run's number in the transaction that is open. Raise `NotHeld`."""
        if self.epoch is not None:
            rows = await _rows(connection, f"{HELD} for share", (self.of_run,))
            require_epoch(self.of_run, self.epoch, cast("Any", next(iter(rows), None)))

    async def _commit(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Do the work in a transaction of its own, again and again until one was committed."""
        async with self.pool.lend() as link:
            while True:
                connection, number = await self._begin(link)
                try:
                    with self._watch(link, connection):
                        result = await work(connection)
                except psycopg.Error as error:
                    await _undo(connection)
                    await self._lost_or_wrong(link, error)
                    continue
                except BaseException:
                    await _undo(connection)
                    raise
                if await self._end(link, connection, number):
                    return result

    async def _begin(self, link: Link, about: Sequence[str] = ()) -> tuple[Connection, int]:
        """Begin a transaction in which the row of the run's number is locked; again when the server
        goes away before: nothing has been done yet. Return its number too. Raise `NotHeld`."""
        soon = () if self.durable else (SOON,)
        beginning = "; ".join([BEGIN, *soon, *([lock_names(about)] if about else [])])
        while True:
            connection = await link.live()
            try:
                with self._watch(link, connection):
                    cursor = await connection.execute(
                        f"{beginning}; select txid_current()".encode()
                    )
                    while cursor.nextset():
                        pass
                    row = await cursor.fetchone()
                    await self._compare(connection)
                assert row is not None
                return connection, row[0]
            except psycopg.Error as error:
                await _undo(connection)
                await self._lost_or_wrong(link, error)
            except BaseException:
                await _undo(connection)
                raise

    async def _end(self, link: Link, connection: Connection, number: int) -> bool:
        """Commit. Return whether it was done, even if the server went away before it answered."""
        try:
            with self._watch(link, connection):
                await connection.execute("commit")
            return True
        except psycopg.Error as error:
            await self._lost_or_wrong(link, error)
        except BaseException:
            await _undo(connection)
            raise
        while True:
            connection = await link.live()
            try:
                row = (await _rows(connection, "select txid_status(?)", (number,)))[0]
            except psycopg.Error as error:
                await self._lost_or_wrong(link, error)
                continue
            if row[0] != "in progress":
                return bool(row[0] == "committed")
            await asyncio.sleep(WAITS[0])

    async def _lost_or_wrong(self, link: Link, error: psycopg.Error) -> None:
        """Return when the connection broke, which `live` mends; else raise `RunError`."""
        if not is_gone(error):
            raise postgres_error(error, self.location) from error
        await link.close()


def lock_names(about: Sequence[str]) -> str:
    """Return the statement that waits until no other transaction is about any of these, and lets
    none be until this one is over. In one order, so that two do not wait for each other."""
    numbers = sorted({_number(name) for name in about})
    return "; ".join(f"select pg_advisory_xact_lock({number})" for number in numbers)


def _number(name: str) -> int:
    digest = hashlib.blake2b(f"flowc {name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


async def _undo(connection: Connection) -> None:
    try:
        if not connection.closed:
            await connection.execute("rollback")
    except psycopg.Error:
        await connection.close()


async def _execute(connection: Connection, query: psycopg.sql.Composed) -> None:
    await connection.execute(query)


async def _run(connection: Connection, write: Write) -> int:
    return (await _ask(connection, *write)).rowcount


async def _many(connection: Connection, query: str, rows: Iterable[Sequence[Any]]) -> None:
    async with psycopg.AsyncRawCursor(connection) as cursor:
        await cursor.executemany(native(query), [tuple(row) for row in rows])


async def _rows(connection: Connection, query: str, values: Sequence[Any]) -> list[Row]:
    return await (await _ask(connection, query, values)).fetchall()


async def _ask(
    connection: Connection, query: str, values: Sequence[Any]
) -> psycopg.AsyncRawCursor[Row]:
    """Execute a statement of ours. Its places have numbers: psycopg looks for `%s` in each long
    statement anew, half a millisecond each time."""
    return await psycopg.AsyncRawCursor(connection).execute(native(query), tuple(values))


async def _rows_of_each(connection: Connection, queries: Sequence[Write]) -> list[list[Row]]:
    async with connection.pipeline():
        asked = [await _ask(connection, *query) for query in queries]
        return [await cursor.fetchall() for cursor in asked]


async def _rows_by_name(
    connection: Connection, query: str, values: Mapping[str, object]
) -> list[dict[str, object]]:
    async with connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query.encode(), values)
        return await cursor.fetchall() if cursor.description else []


async def pass_fence(connection: Connection, run: str, query: str, values: Sequence[Any]) -> None:
    """Execute a statement of `as_one`. Raise `NotHeld` when the fence did not let it through."""
    try:
        await _ask(connection, query, values)
    except DivisionByZero:
        rows = await _rows(connection, HELD, (run,))
        raise taken_over(run, rows[0][1] if rows else "") from None


@functools.lru_cache(maxsize=512)
def native(query: str) -> bytes:
    """Return a query with PostgreSQL's places, and the schema before the tables; column types that
    mean what they do in SQLite."""
    parts, numbers = query.split("'"), itertools.count(1)
    parts[::2] = [re.sub(r"\?", lambda _: f"${next(numbers)}", part) for part in parts[::2]]
    text = name_tables("'".join(parts))
    if text.lstrip().lower().startswith(("create table", "alter table")):
        text = re.sub(r"\btext\b", 'text collate "C"', text)
        text = re.sub(r"\binteger\b", "bigint", text)
        text = re.sub(r"\breal\b", "double precision", text)
    return text.encode()


def durable(db: PostgresDatabase) -> PostgresDatabase:
    """Return the same store, with commits that wait for the disk."""
    return replace(db, durable=True)


def _columns(there: Iterable[Row]) -> Sequence[tuple[str, str]]:
    return [(table, column) for table, column, is_index in there if not is_index]


async def _has_schema(db: Database) -> bool:
    return await db.rows("select to_regnamespace(?)::text", (SCHEMA,)) != [(None,)]


@asynccontextmanager
async def open_postgres(location: Location, *, durable: bool) -> AsyncIterator[PostgresDatabase]:
    """Open connections of our own; the schema is made when it is not there. Raise `RunError` when
    the store cannot be opened."""
    pool = Pool(location)
    try:
        await pool.open()
        db = PostgresDatabase(location, pool, durable)
        there = await db.rows(POSTGRES_COLUMNS, (SCHEMA,))
        refuse_foreign(_columns(there), location)
        if not there and not await _has_schema(db):
            async with db.transaction(TABLES) as inside:
                await inside.run(f"create schema if not exists {SCHEMA}")
        names = {name for table, column, _ in there for name in (table, f"{table}.{column}")}
        yield replace(db, there=frozenset(names))
    finally:
        await pool.close()


async def is_there(location: Location) -> bool:
    """Return whether the database has a store of flowc's. Raise `RunError` when it cannot be
    reached, belongs to another program, or has the layout of another flowc."""
    pool = Pool(location)
    try:
        await pool.open()
        db = PostgresDatabase(location, pool, durable=False)
        columns = _columns(await db.rows(POSTGRES_COLUMNS, (SCHEMA,)))
        refuse_foreign(columns, location)
        if ("layout", "version") in columns:
            rows = await db.rows("select version from layout")
            refuse_other_layout([row[0] for row in rows], location)
        return "runs" in {table for table, _ in columns}
    finally:
        await pool.close()
