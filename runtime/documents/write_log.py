"""The log of a run's changes of documents, written before each change of a file.

After a crash it tells whether the file holds the run's own last change; any other difference is a
person's change. It also leads from a document to its run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flowc.compiler.plan import read_plan, text_value

from ..context import EFFECT_KEY
from ..db.database import Database

SCHEMA = """
create table if not exists documents (
    run text not null, id text not null, place text not null, key text not null,
    number integer not null, earlier text not null, later text not null,
    primary key (run, id)
)
"""
_COLUMNS = "run, id, place, key, number, earlier, later"


@dataclass(frozen=True, slots=True)
class Record:
    """The last change that a run announced to a document: its text before and after. `id` is the
    document's Workflow ID, or its place when it has none; `key` is that of the effect that made
    the change; `number` counts the store's changes."""

    run: str
    id: str
    place: Path
    key: str
    number: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class WriteLog:
    """Keeps the changes of one run in its store, called from threads that change files. `loop` is
    the one that the database belongs to, `key` is that of changes without an effect."""

    db: Database
    run: str
    loop: asyncio.AbstractEventLoop
    key: str = ""

    def announce(self, place: Path, before: str, after: str) -> None:
        """Keep that the document at `place` is about to become `after`."""
        self._wait(keep(self.db, self.run, place, before, after, EFFECT_KEY.get() or self.key))

    def earlier(self) -> Record | None:
        """Return the change that the effect under way announced before the run died."""
        key = EFFECT_KEY.get()
        if not key:
            return None
        records = self._wait(_records(self.db, "run = ? and key = ?", self.run, key))
        return next(iter(records), None)

    def _wait(self, query: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(query, self.loop).result()


WRITE_LOG: ContextVar[WriteLog | None] = ContextVar("flowc_documents", default=None)
"""The log of the run that is executing; None without a store."""


async def keep(db: Database, run: str, place: Path, before: str, after: str, key: str = "") -> None:
    """Keep this as the last change of the run's document. Raise `RunError`."""
    await db.run(
        "insert into documents (run, id, place, key, number, earlier, later)"
        " values (?, ?, ?, ?, (select coalesce(max(number), 0) + 1 from documents), ?, ?)"
        " on conflict (run, id) do update set place = excluded.place, key = excluded.key,"
        " number = excluded.number, earlier = excluded.earlier, later = excluded.later",
        (run, document_id(after, place), str(place), key, db.seal(before), db.seal(after)),
    )


async def documents_of(db: Database, run: str) -> list[Record]:
    """Return the last change of each of a run's documents, the latest first."""
    return await _records(db, "run = ?", run)


async def writers_of(db: Database, id: str) -> list[Record]:
    """Return the last change of a document by each run, the latest first."""
    return await _records(db, "id = ?", id)


async def move_documents(db: Database, run: str, moved: Callable[[str], str]) -> None:
    """Let a run's documents be where they were `moved` to with their project."""
    for record in await documents_of(db, run):
        place = str(record.place)
        await db.run(
            "update documents set place = ?, id = ? where run = ? and id = ?",
            (moved(place), moved(record.id), run, record.id),
        )


def document_id(text: str, place: Path) -> str:
    """Return a document's Workflow ID, or else its place."""
    section = read_plan(text).section("request")
    return (text_value(section, "Workflow ID") if section else "") or str(place)


async def _records(db: Database, where: str, *values: str) -> list[Record]:
    query = f"select {_COLUMNS} from documents where {where} order by number desc"
    return [
        Record(run, id, Path(place), key, number, *(db.unseal(t, _what(run, place)) for t in texts))
        for run, id, place, key, number, *texts in await db.rows(query, values)
    ]


def _what(run: str, place: str) -> str:
    return f"what run {run} wrote into {place}"
