"""What a run writes to documents, written down before the file is touched.

So after a crash it is known whether the file holds the run's own last change, and that whatever
else differs was changed by a person. It is also how a document finds its run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

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


class Recorder(Protocol):
    """Keeps the changes of one run. Called from threads that change files."""

    def announce(self, place: Path, before: str, after: str) -> None:
        """Keep, for good, that the document at `place` is about to become `after`."""

    def begun(self) -> Record | None:
        """What the effect that is under way announced when it was tried before."""


@dataclass(frozen=True, slots=True)
class NoRecorder:
    """Nothing is kept: there is no store."""

    def announce(self, place: Path, before: str, after: str) -> None:
        return None

    def begun(self) -> Record | None:
        return None


NO_RECORD = NoRecorder()
RECORD: ContextVar[Recorder] = ContextVar("flowc_documents", default=NO_RECORD)
"""The recorder of the run that is being executed."""


@dataclass(frozen=True, slots=True)
class StoreRecorder:
    """Keeps the changes in the run's store. `loop` is the one that the database belongs to, `key`
    stands for changes that are no effect of a node."""

    db: Database
    run: str
    loop: asyncio.AbstractEventLoop
    key: str = ""

    def announce(self, place: Path, before: str, after: str) -> None:
        self._wait(keep(self.db, self.run, place, before, after, EFFECT_KEY.get() or self.key))

    def begun(self) -> Record | None:
        key = EFFECT_KEY.get()
        return self._wait(_by_key(self.db, self.run, key)) if key else None

    def _wait(self, query: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(query, self.loop).result()


async def keep(db: Database, run: str, place: Path, before: str, after: str, key: str = "") -> None:
    """Replace what is known of a run's document by this change. Raises `RunError`."""
    await db.run(
        "insert into documents (run, id, place, key, number, earlier, later)"
        " values (?, ?, ?, ?, (select coalesce(max(number), 0) + 1 from documents), ?, ?)"
        " on conflict (run, id) do update set place = excluded.place, key = excluded.key,"
        " number = excluded.number, earlier = excluded.earlier, later = excluded.later",
        (run, document_id(after, place), str(place), key, db.seal(before), db.seal(after)),
    )


async def documents_of(db: Database, run: str) -> list[Record]:
    """The documents that a run has written to, the one it wrote last first."""
    query = f"select {_COLUMNS} from documents where run = ? order by number desc"
    return [_record(db, row) for row in await db.rows(query, (run,))]


async def writers_of(db: Database, id: str) -> list[Record]:
    """What each run last wrote to a document, the run that wrote last first."""
    query = f"select {_COLUMNS} from documents where id = ? order by number desc"
    return [_record(db, row) for row in await db.rows(query, (id,))]


async def forget(db: Database, run: str) -> None:
    """Drop what is known of a run's documents; the files stay."""
    await db.run("delete from documents where run = ?", (run,))


def document_id(text: str, place: Path) -> str:
    """What a document is known by: its Workflow ID, else its place."""
    section = read_plan(text).section("request")
    return (text_value(section, "Workflow ID") if section else "") or str(place)


async def _by_key(db: Database, run: str, key: str) -> Record | None:
    query = f"select {_COLUMNS} from documents where run = ? and key = ?"
    rows = await db.rows(query, (run, key))
    return _record(db, rows[0]) if rows else None


def _record(db: Database, row: tuple[Any, ...]) -> Record:
    run, id, place, key, number, before, after = row
    return Record(run, id, Path(place), key, number, db.unseal(before), db.unseal(after))
