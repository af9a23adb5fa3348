"""A store in one SQLite file, or in memory: opening it, using it, and its errors in words.

The file holds LangGraph's checkpoints and flowc's tables, in WAL mode, readable by its owner alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import sqlite3
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiosqlite

from ..errors import RunError, StoreAway, StoreFailed, lacks_room, reason_of
from .database import Database, Row, Write
from .fence import HELD, guard_write, require_epoch
from .ownership import SQLITE_COLUMNS, SQLITE_PROGRAMS, refuse_foreign, refuse_programs
from .schema_version import refuse_other_layout
from .url import SQLITE, Location

_BESIDE = ("-wal", "-shm", "-journal")
CHECK_SECONDS = 0.02
"""Seconds for looking at a file before anything is done with it."""


@dataclass(frozen=True, slots=True)
class _Statements(Database):
    """Statements on a connection, without regard to its other users."""

    dialect = "sqlite"
    connection: aiosqlite.Connection
    location: Location
    file: tuple[int, int] | None = None
    """Device and inode of what was opened; None in memory."""

    async def run(self, query: str, values: Sequence[Any] = ()) -> int:
        with in_words(self.location):
            return (await self.connection.execute(query, values)).rowcount

    async def many(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        with in_words(self.location):
            await self.connection.executemany(query, rows)

    async def rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        with in_words(self.location):
            return [tuple(row) for row in await self.connection.execute_fetchall(query, values)]

    async def size(self) -> int:
        path = self.location.path
        files = () if path is None else (path, path.with_name(f"{path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    async def shrink(self, *, alone: bool) -> None:
        await self.run("vacuum")
        await self.rows("pragma wal_checkpoint(truncate)")


@dataclass(frozen=True, slots=True)
class SqliteDatabase(_Statements):
    """A connection of our own: LangGraph's would have two writers wait for each other. Statements
    of other tasks wait while one is in a transaction."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    durable: bool = False
    """Whether each commit waits for the disk."""
    missed: list[float] = field(default_factory=list)
    """When the file was first not in its place, while it is not."""

    async def run(self, query: str, values: Sequence[Any] = ()) -> int:
        async with self.lock:
            await self._in_place()
            if self.epoch is None:
                return await _Statements.run(self, query, values)
            return await self._visit(((query, values),), later=False)

    async def put_all(self, writes: Sequence[Write], *, later: bool = False) -> None:
        async with self.lock:
            await self._in_place()
            await self._visit(writes, later=later and self.durable)

    async def _visit(self, writes: Sequence[Write], *, later: bool) -> int:
        """Execute statements in one visit of the connection's thread. Return how many rows the last
        one wrote."""
        db = self.connection._conn

        def write() -> int:
            return [db.execute(query, values).rowcount for query, values in writes][-1]

        def work() -> int:
            if not later:
                return guard_write(db, self.of_run, self.epoch, write)
            db.execute("pragma synchronous=normal")
            try:
                return guard_write(db, self.of_run, self.epoch, write)
            finally:
                db.execute("pragma synchronous=full")

        with in_words(self.location):
            # The public methods of a connection take statements; this one takes any function.
            visit: Callable[[Callable[[], int]], Awaitable[int]] = self.connection._execute
            return await visit(work)

    async def many(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        async with self.transaction() as inside:
            await inside.many(query, rows)

    async def rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        async with self.lock:
            return await _Statements.rows(self, query, values)

    async def _in_place(self) -> None:
        """Wait for a file that was moved away: SQLite would go on writing to what nobody finds.
        Raise `StoreAway` when it does not come back: who comes behind another one that has waited
        does not wait once more."""
        while _identity(self.location) != self.file:
            now = time.monotonic()
            if not self.missed:
                self.missed.append(now)
            if now > self.missed[0] + self.location.patience:
                raise StoreAway(
                    f"the store {self.location.url} was moved, deleted or replaced",
                    help="put the file back, then `flowc resume` goes on from what is kept",
                )
            await asyncio.sleep(0.05)
        self.missed.clear()

    @asynccontextmanager
    async def transaction(self, *about: str) -> AsyncIterator[Database]:
        async with self.lock:
            await self._in_place()
            with in_words(self.location):
                try:
                    await self.connection.execute("begin immediate")
                    if self.epoch is not None:
                        rows = await self.connection.execute_fetchall(HELD, (self.of_run,))
                        require_epoch(self.of_run, self.epoch, next(iter(rows), None))
                    yield _Statements(self.connection, self.location, cipher=self.cipher)
                    await self.connection.commit()
                except BaseException:
                    # Queued behind what was cancelled; nothing happens where all was committed.
                    await self.connection.rollback()
                    raise


def _identity(location: Location) -> tuple[int, int] | None:
    """Return the device and inode of the file; None when there is none."""
    if location.path is None:
        return None
    try:
        report = location.path.stat()
    except OSError:
        return None
    return report.st_dev, report.st_ino


def target_of(location: Location) -> str:
    """Return what SQLite opens. In memory every connection has a store of its own."""
    return str(location.path) if location.path else ":memory:"


@asynccontextmanager
async def open_sqlite(location: Location, *, durable: bool) -> AsyncIterator[SqliteDatabase]:
    """Open a connection of our own. `durable` waits for the disk at each commit. Raise `RunError`
    when the store cannot be opened."""
    # In a thread: a server refuses to wait for a disk on its event loop.
    await asyncio.to_thread(prepare, location)
    with explain_errors(location):
        # Python would open transactions of its own, which nobody ends here.
        db = await aiosqlite.connect(
            target_of(location), isolation_level=None, timeout=location.patience
        )
    try:
        with explain_errors(location):
            await _write_ahead(db, location.patience)
            await db.execute(f"pragma synchronous={'full' if durable else 'normal'}")
        file = await asyncio.to_thread(_identity, location)
        yield SqliteDatabase(db, location, file, durable=durable)
    finally:
        await db.close()


async def _write_ahead(db: aiosqlite.Connection, patience: float) -> None:
    """Let the file have a write-ahead log."""
    deadline = time.monotonic() + patience
    while True:
        try:
            await db.execute("pragma journal_mode=wal")
            return
        except sqlite3.OperationalError as error:
            # Of several that make a new file at once SQLite turns all but one away without a wait.
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
        await asyncio.sleep(0.02)


async def refuse_unfit(location: Location, seconds: float = CHECK_SECONDS) -> None:
    """Raise `RunError` for a database of another program or of a flowc with another layout, and for
    a file whose pages do not fit together. Look for `seconds` at most: what is damaged behind that
    is told by the read that meets it, as each value carries a digest. Write nothing: not even what
    waits in the log, which a connection that may write moves into the file when it closes."""
    path = location.path
    if path is None:
        return
    _refuse_no_files(path)
    if not path.is_file():
        return
    if path.stat().st_size == 0:
        _refuse_emptied(location)
        return
    # What a killed program left in the midst of has to be taken back before anything can be read.
    mode = "rw" if path.with_name(f"{path.name}-journal").exists() else "ro"
    with explain_errors(location):
        address = f"file:{quote(str(path))}?mode={mode}"
        db = await aiosqlite.connect(address, uri=True, timeout=location.patience)
    try:
        deadline = time.monotonic() + seconds
        tables = await db.execute_fetchall(SQLITE_COLUMNS)
        refuse_foreign([(row[0], row[1]) for row in tables], location)
        programs = await db.execute_fetchall(SQLITE_PROGRAMS)
        refuse_programs([(row[0], row[1]) for row in programs], location)
        if ("layout", "version") in {(row[0], row[1]) for row in tables}:
            layouts = await db.execute_fetchall("select version from layout")
            refuse_other_layout([row[0] for row in layouts], location)
        await db.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
        report = [row[0] for row in await db.execute_fetchall("pragma quick_check(1)")]
    except sqlite3.Error as error:
        if "interrupted" in str(error):
            return
        raise store_error(error, location) from error
    finally:
        await db.close()
    if report != ["ok"]:
        raise _damage(location, report[0].splitlines()[-1])


def _refuse_emptied(location: Location) -> None:
    """Raise `RunError` for an empty file beside which runs were held."""
    leases = location.leases
    if leases is not None and leases.is_dir() and any(leases.iterdir()):
        raise _damage(location, "it is empty, but runs were kept in it")


def _damage(location: Location, reason: str) -> RunError:
    path = location.path
    old = shlex.quote(str(path))
    new = shlex.quote(f"{path}.recovered")
    return RunError(
        f"the store {location.url} is damaged ({reason}); nothing was written to it",
        help=f"put a copy back in its place, or save what can be read, and name that with --store:"
        f" sqlite3 {old} .recover | sqlite3 {new}",
    )


def prepare(location: Location) -> None:
    """Make the parent folder and the file (mode 0600). Raise `RunError` when the place cannot hold
    a store: a folder, a pipe, no permission, a full disk.

    A file that is there is never opened here: closing it would free every lock that SQLite holds on
    it in this process, and another process would then take the log away under our feet."""
    path = location.path
    if path is None:
        return
    if path.is_dir():
        raise RunError(f"the store {path} is a folder", help="name a file: sqlite:///PATH/runs.db")
    _refuse_no_files(path)
    with explain_errors(location):
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def _refuse_no_files(path: Path) -> None:
    """Raise `RunError` for a pipe, a socket or a device in place of a store, or of a file that
    SQLite keeps beside it: opening a pipe blocks until somebody writes to it."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise RunError(
            f"the store {path} is not a file, but a pipe, a socket or a device",
            help="name a file: sqlite:///PATH/runs.db",
        )
    for end in _BESIDE:
        beside = path.with_name(path.name + end)
        try:
            is_file = stat.S_ISREG(beside.lstat().st_mode)
        except OSError:
            continue
        if not is_file:
            raise RunError(
                f"{beside}, which belongs to the store {path.name}, is not a file of its own, but a"
                " link, a folder, a pipe, a socket or a device",
                help=f"remove it, or name another store: {SQLITE}PATH/runs.db",
            )


@contextmanager
def explain_errors(location: Location) -> Iterator[None]:
    """Turn what the operating system or SQLite says about the store into a `RunError`."""
    try:
        with in_words(location):
            yield
    except PermissionError as error:
        raise RunError(
            f"the store {location.path} cannot be written: permission denied ({error.filename})",
            help="choose another place with `--store`",
        ) from error
    except OSError as error:
        kind = StoreFailed if lacks_room(error) else RunError
        raise kind(f"the store {location.path} cannot be opened: {reason_of(error)}") from error


@contextmanager
def in_words(location: Location) -> Iterator[None]:
    """Turn what SQLite says while a store is being used, by LangGraph's saver too, into a
    `RunError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(error, location) from error


def store_error(error: sqlite3.Error, location: Location) -> RunError:
    """Return what SQLite says in words: full, read-only, damaged, locked."""
    place, text = f"the store {location.url}", str(error)
    if "full" in text or "disk I/O" in text:
        return StoreFailed(
            f"{place} cannot be written: the disk is full or faulty ({text})",
            help="make room, then `flowc resume` goes on from the last checkpoint",
        )
    if "readonly" in text or "read-only" in text:
        return StoreFailed(f"{place} is read-only", help="choose another place with `--store`")
    if "not a database" in text:
        return RunError(
            f"{place} is not a database of flowc, or is damaged",
            help="name another file with `--store`",
        )
    if "malformed" in text or "encrypted" in text:
        return _damage(location, text)
    if "locked" in text:
        return StoreFailed(f"{place} is locked by another program", help="try again in a moment")
    return RunError(f"{place} cannot be used: {text}")
