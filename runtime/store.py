"""Runs, their events and requests to them, beside LangGraph's checkpoints in one store."""

from __future__ import annotations

import dataclasses
import difflib
import json
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

import aiosqlite
from flowc.compiler.snippet import visible

from .checkpoint import Location, connection, locate, prepare, store_error
from .errors import RunError
from .events import RunEvent
from .lease import is_held
from .services import Json

RunStatus = Literal[
    "running", "paused", "success", "failed", "stopped", "interrupted", "error", "crashed"
]
RequestKind = Literal["pause", "stop"]
LONGEST_ID = 200
"""Characters of a run's id."""

SCHEMA = """
create table if not exists runs (
    id text primary key, status text not null, updated text not null, record text not null
) without rowid;
create table if not exists events (
    run text not null, seq integer not null, kind text not null, event text not null,
    primary key (run, seq)
) without rowid;
create table if not exists requests (run text primary key, kind text not null) without rowid;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run as it is kept. Times are ISO-8601 UTC; `spec` is the GraphSpec as JSON; `questions` are
    those that wait; `usage` has input_tokens and output_tokens. The status "crashed" is never
    written: it is a running run that no process holds."""

    id: str
    name: str
    file: str
    format: str = ""
    digest: str = ""
    status: RunStatus = "running"
    started: str = ""
    updated: str = ""
    options: dict[str, Json] = field(default_factory=dict)
    inputs: dict[str, Json] = field(default_factory=dict)
    spec: dict[str, Json] = field(default_factory=dict)
    result: Json = None
    error: dict[str, Json] | None = None
    questions: list[dict[str, Json]] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)
    parent: str | None = None
    pid: int | None = None


def now() -> str:
    """The time, as events and records write it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class RunStore:
    """Reads and writes records, events and requests. Made by `open_store`."""

    def __init__(self, db: aiosqlite.Connection, location: Location) -> None:
        self.db = db
        self.location = location

    async def create(self, record: RunRecord) -> RunRecord:
        """Raises `RunError` when there is a run of this id, or the id cannot be one."""
        _refuse_unfit(record.id)
        record = dataclasses.replace(record, started=record.started or now(), updated=now())
        try:
            await self._run("insert into runs values (?, ?, ?, ?)", _row(record))
        except sqlite3.IntegrityError:
            raise _taken(record.id) from None
        return record

    async def refuse_taken(self, run: str) -> None:
        """Raises `RunError` when there is a run of this id, or the id cannot be one."""
        _refuse_unfit(run)
        if await self._all("select 1 from runs where id = ?", (run,)):
            raise _taken(run)

    async def get(self, run: str) -> RunRecord:
        """Raises `RunError` when there is no such run."""
        query = "select record from runs where id = ?"
        rows = await self._all(query, (run,)) if run.isprintable() else ()
        if not rows:
            names = [row[0] for row in await self._all("select id from runs", ())]
            close = difflib.get_close_matches(run, names, n=1)
            help = f"did you mean `{close[0]}`?" if close else "see `flowc runs`"
            raise RunError(f"there is no run `{visible(run)}` in {self.location.url}", help=help)
        return self._record(rows[0][0])

    async def list(self) -> tuple[RunRecord, ...]:
        """Every run, the one that changed last first."""
        rows = await self._all("select record from runs order by updated desc, id", ())
        return tuple(self._record(row[0]) for row in rows)

    async def update(self, record: RunRecord) -> RunRecord:
        """Write a record anew."""
        record = dataclasses.replace(record, updated=now())
        await self._run("insert or replace into runs values (?, ?, ?, ?)", _row(record))
        return record

    async def delete(self, run: str) -> None:
        """Forget a run's record, events and requests (not its checkpoints)."""
        for table, column in (("runs", "id"), ("events", "run"), ("requests", "run")):
            await self._run(f"delete from {table} where {column} = ?", (run,))

    async def append_events(self, run: str, events: Sequence[RunEvent]) -> None:
        """Add events in one transaction."""
        if not events:
            return
        rows = json.dumps([_event_row(event) for event in events])
        query = (
            "insert into events select ?1,"
            " (select coalesce(max(seq), 0) from events where run = ?1) + e.key + 1,"
            " json_extract(e.value, '$[0]'), json_extract(e.value, '$[1]') from json_each(?2) e"
        )
        await self._run(query, (run, rows))

    async def append_event(self, event: RunEvent) -> None:
        """Add one event."""
        await self.append_events(event.run, (event,))

    async def events(self, run: str) -> tuple[RunEvent, ...]:
        """Every event of a run, oldest first."""
        rows = await self._all("select event from events where run = ? order by seq", (run,))
        return tuple(_event(row[0]) for row in rows)

    async def usage(self, run: str) -> dict[str, int]:
        """Tokens of all the run's model calls: {input_tokens, output_tokens}."""
        names = ("input_tokens", "output_tokens")
        sums = ", ".join(f"coalesce(sum(json_extract(event, '$.data.{n}')), 0)" for n in names)
        query = f"select {sums} from events where run = ? and kind = 'model_called'"
        rows = await self._all(query, (run,))
        return dict(zip(names, rows[0], strict=True))

    async def request(self, run: str, kind: RequestKind) -> None:
        """Ask the process that executes the run to pause or to stop it."""
        await self.get(run)
        await self._run("insert or replace into requests values (?, ?)", (run, kind))

    async def requests(self, run: str) -> RequestKind | None:
        """The request that waits, if any."""
        rows = await self._all("select kind from requests where run = ?", (run,))
        kind: RequestKind | None = rows[0][0] if rows else None
        return kind

    async def clear_request(self, run: str) -> None:
        await self._run("delete from requests where run = ?", (run,))

    def is_running(self, run: str) -> bool:
        """Whether a process executes the run now."""
        return is_held(self.location.leases, run)

    def _record(self, text: str) -> RunRecord:
        record = RunRecord(**json.loads(text))
        if record.status == "running" and self.location.path and not self.is_running(record.id):
            return dataclasses.replace(record, status="crashed", pid=None)
        return record

    async def _run(self, query: str, values: Sequence[Any]) -> None:
        try:
            await self.db.execute(query, values)
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise store_error(error, self.location) from error

    async def _all(self, query: str, values: Sequence[Any]) -> tuple[Any, ...]:
        try:
            return tuple(await self.db.execute_fetchall(query, values))
        except sqlite3.Error as error:
            raise store_error(error, self.location) from error


@asynccontextmanager
async def open_store(url: str) -> AsyncIterator[RunStore]:
    """The store at `url` (see `checkpoint.locate`), made when it is not there. Raises
    `RunError`.
    """
    location = locate(url)
    prepare(location)
    async with connection(location, durable=False) as db:
        await create_tables(db, SCHEMA, location)
        yield RunStore(db, location)


async def create_tables(db: aiosqlite.Connection, schema: str, location: Location) -> None:
    """Create what is not there. Raises `RunError`."""
    try:
        for statement in schema.split(";"):
            if statement.strip():
                await db.execute(statement)
    except sqlite3.Error as error:
        raise store_error(error, location) from error


def _taken(run: str) -> RunError:
    return RunError(f"there is a run `{run}` already", help="choose another id with `--run-id`")


def _refuse_unfit(run: str) -> None:
    """An id is typed by people and printed in tables and commands."""
    if not run.strip() or not run.isprintable() or run.startswith("-") or len(run) > LONGEST_ID:
        raise RunError(
            f"`{visible(run[:40])}` cannot be the id of a run",
            help=f"1 to {LONGEST_ID} printable characters that do not begin with `-`",
        )


def _row(record: RunRecord) -> tuple[str, str, str, str]:
    text = json.dumps(_fields(record))
    return (record.id, record.status, record.updated, text)


def _event_row(event: RunEvent) -> list[str]:
    return [event.kind, json.dumps(_fields(event))]


def _fields(value: RunRecord | RunEvent) -> dict[str, Any]:
    """Its fields as they are: `asdict` would copy a whole GraphSpec, value by value."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _event(text: str) -> RunEvent:
    data = json.loads(text)
    return RunEvent(**{**data, "path": tuple(data["path"])})
