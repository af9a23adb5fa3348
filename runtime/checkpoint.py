"""Where a run is kept: one SQLite file, or memory. Opens LangGraph's checkpointer and our
connections.

The file holds LangGraph's checkpoints and flowc's tables, in WAL mode, readable by its owner alone.
What is wrong with it is said in words before anything runs.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiosqlite

from .errors import RunError

MEMORY = "memory:"
_SCHEME = "sqlite:///"
_PATIENCE = 30.0
"""Seconds that a connection waits for another's lock."""


@dataclass(frozen=True, slots=True)
class Location:
    """A store's place; `path` is None for memory."""

    url: str
    path: Path | None

    @property
    def leases(self) -> Path | None:
        """The folder of the lock files, one per run."""
        return self.path.with_name(f"{self.path.name}.leases") if self.path else None


def locate(url: str) -> Location:
    """`sqlite:///PATH` (three slashes: relative, four: absolute), `memory:` or a bare path. Raises
    `RunError` for anything else."""
    if url == MEMORY:
        return Location(url, None)
    if url.startswith(_SCHEME):
        path = url.removeprefix(_SCHEME)
    elif "://" in url:
        raise RunError(
            f"a store cannot be at `{url.split('://')[0]}://…`",
            help=f"use {_SCHEME}PATH or {MEMORY}",
        )
    else:
        path = url
    if not path:
        raise RunError("the store has no path", help=f"write {_SCHEME}.flowc/runs.db")
    return Location(url, Path(path))


def prepare(location: Location) -> None:
    """Make the parent folder and the file (mode 0600). Raises `RunError` when the place cannot
    hold a store: a folder, no permission, a full disk.

    A file that is there is never opened here: closing it would free every lock that SQLite holds
    on it in this process, and another process would then take the log away under our feet.
    """
    path = location.path
    if path is None:
        return
    if path.is_dir():
        raise RunError(f"the store {path} is a folder", help="name a file: sqlite:///PATH/runs.db")
    with explained(location):
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


@contextmanager
def explained(location: Location) -> Iterator[None]:
    """Turn what the operating system or SQLite says about the store into a `RunError`."""
    try:
        yield
    except PermissionError as error:
        raise RunError(
            f"the store {location.path} cannot be written: permission denied ({error.filename})",
            help="choose another place with `--store`",
        ) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RunError(f"the store {location.path} cannot be opened: {reason}") from error
    except sqlite3.Error as error:
        raise store_error(error, location) from error


@contextmanager
def in_words(location: Location) -> Iterator[None]:
    """Turn what SQLite says while a store is being used into a `RunError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(error, location) from error


def store_error(error: sqlite3.Error, location: Location) -> RunError:
    """What SQLite says, in words: full, read-only, damaged, locked."""
    place, text = f"the store {location.url}", str(error)
    if "full" in text or "disk I/O" in text:
        return RunError(
            f"{place} cannot be written: the disk is full or faulty ({text})",
            help="make room, then `flowc resume` goes on from the last checkpoint",
        )
    if "readonly" in text or "read-only" in text:
        return RunError(f"{place} is read-only", help="choose another place with `--store`")
    if "not a database" in text:
        return RunError(
            f"{place} is not a database of flowc, or is damaged",
            help="name another file with `--store`",
        )
    if "malformed" in text or "encrypted" in text:
        return RunError(f"{place} is damaged ({text})", help="name another file with `--store`")
    if "locked" in text:
        return RunError(f"{place} is locked by another program", help="try again in a moment")
    return RunError(f"{place} cannot be used: {text}")


@asynccontextmanager
async def connection(location: Location, *, durable: bool) -> AsyncIterator[aiosqlite.Connection]:
    """A connection of our own, every statement its own transaction. `durable` waits for the disk at
    each of them. Raises `RunError` when the store cannot be opened."""
    target = str(location.path) if location.path else ":memory:"
    with explained(location):
        db = await aiosqlite.connect(target, isolation_level=None, timeout=_PATIENCE)
    try:
        with explained(location):
            await db.execute("pragma journal_mode=wal")
            await db.execute(f"pragma synchronous={'full' if durable else 'normal'}")
        yield db
    finally:
        await db.close()


@asynccontextmanager
async def open_checkpointer(location: Location) -> AsyncIterator[Any]:
    """LangGraph's saver with the strict serializer: only JSON-like built-in types are ever loaded,
    whatever a file that somebody else wrote asks for."""
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    serde = JsonPlusSerializer(pickle_fallback=False, allowed_msgpack_modules=None)
    if location.path is None:
        yield InMemorySaver(serde=serde)
        return
    with explained(location):
        db = await aiosqlite.connect(str(location.path), timeout=_PATIENCE)
    try:
        saver = AsyncSqliteSaver(db, serde=serde)
        with explained(location):
            await saver.setup()
        yield saver
    finally:
        await db.close()
