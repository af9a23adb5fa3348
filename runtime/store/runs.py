"""Runs, their events and requests to them, beside LangGraph's checkpoints in one store."""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from flowc.compiler.source.snippet import visible

from ..db.database import Row, create_tables
from ..db.url import PATIENCE, locate
from ..errors import RunError
from ..events import RunEvent
from ..services import Json
from .open import Opened, open_location

RunStatus = Literal[
    "running", "paused", "success", "failed", "stopped", "interrupted", "error", "crashed"
]
RequestKind = Literal["pause", "stop"]
MOST_AT_ONCE = 500
"""Events in one statement."""
LONGEST_ID = 200
"""Characters of a run's id."""

SCHEMA = """
create table if not exists runs (
    id text primary key, status text not null, updated text not null, record text not null
);
create table if not exists events (
    run text not null, seq integer not null, kind text not null, event text not null,
    primary key (run, seq)
);
create table if not exists requests (run text primary key, kind text not null);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run as it is kept. Times are ISO-8601 UTC; `spec` is the GraphSpec as JSON; `questions` are
    those that wait; `usage` has the fields of `services.Usage`. The status "crashed" is never
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
    usage: dict[str, Json] = field(default_factory=dict)
    parent: str | None = None
    pid: int | None = None


def now() -> str:
    """Return the time, as events and records write it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class RunStore:
    """Reads and writes records, events and requests. Made by `open_store`."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.db = opened.db
        self.leases = opened.leases
        self.location = opened.location
        self.on_events: Callable[[str], None] = lambda run: None
        """Called with a run's id when events of it were written here."""

    async def create(self, record: RunRecord) -> RunRecord:
        """Keep a new run. Raise `RunError` when the id is taken, or cannot be one."""
        _refuse_unfit(record.id)
        record = dataclasses.replace(record, started=record.started or now(), updated=now())
        query = "insert into runs values (?, ?, ?, ?) on conflict (id) do nothing"
        if not await self.db.run(query, self._row(record)):
            raise _duplicate_id(record.id)
        return record

    async def refuse_taken(self, run: str) -> None:
        """Raise `RunError` when there is a run of this id, or the id cannot be one."""
        _refuse_unfit(run)
        if await self.has(run):
            raise _duplicate_id(run)

    async def has(self, run: str) -> bool:
        """Return whether there is a run of this id."""
        return bool(await self.db.rows("select 1 from runs where id = ?", (run,)))

    async def ids(self) -> frozenset[str]:
        """Return the id of every run."""
        return frozenset(row[0] for row in await self.db.rows("select id from runs"))

    async def get(self, run: str) -> RunRecord:
        """Return a run. Raise `RunError` when there is none of this id."""
        query = "select record from runs where id = ?"
        rows = await self.db.rows(query, (run,)) if run.isprintable() else ()
        if not rows:
            close = difflib.get_close_matches(run, sorted(await self.ids()), n=1)
            help = f"did you mean `{close[0]}`?" if close else "see `flowc runs`"
            raise RunError(f"there is no run `{visible(run)}` in {self.location.url}", help=help)
        return (await self._records(rows))[0]

    async def list(self) -> tuple[RunRecord, ...]:
        """Return every run, the one that changed last first."""
        rows = await self.db.rows("select record from runs order by updated desc, id")
        return tuple(await self._records(rows))

    async def update(self, record: RunRecord) -> RunRecord:
        """Write a record anew."""
        record = dataclasses.replace(record, updated=now())
        await self.db.run(
            "insert into runs values (?, ?, ?, ?) on conflict (id) do update set"
            " status = excluded.status, updated = excluded.updated, record = excluded.record",
            self._row(record),
        )
        return record

    async def delete(self, run: str) -> None:
        """Forget a run's record, events and requests (not its checkpoints)."""
        for table, column in (("runs", "id"), ("events", "run"), ("requests", "run")):
            await self.db.run(f"delete from {table} where {column} = ?", (run,))

    async def append_events(self, run: str, events: Sequence[RunEvent]) -> None:
        """Add events, in order."""
        for begin in range(0, len(events), MOST_AT_ONCE):
            batch = events[begin : begin + MOST_AT_ONCE]
            rows = ", ".join(f"({number}, ?, ?)" for number in range(1, len(batch) + 1))
            query = (
                "insert into events select ?, kept.seq + column1, column2, column3"
                f" from (values {rows}) as given,"
                " (select coalesce(max(seq), 0) as seq from events where run = ?) as kept"
            )
            texts = [(e.kind, self.db.seal(json.dumps(_fields(e)))) for e in batch]
            await self.db.run(query, (run, *(value for text in texts for value in text), run))
        self.on_events(run)

    async def events(self, run: str) -> tuple[RunEvent, ...]:
        """Return every event of a run, oldest first."""
        rows = await self.db.rows("select event from events where run = ? order by seq", (run,))
        return tuple(_event(self.db.unseal(row[0])) for row in rows)

    async def events_after(
        self, run: str, position: int, most: int = MOST_AT_ONCE
    ) -> Sequence[tuple[int, RunEvent]]:
        """Return up to `most` events behind a position, oldest first, each with its own: from 1."""
        query = "select seq, event from events where run = ? and seq > ? order by seq limit ?"
        rows = await self.db.rows(query, (run, position, most))
        return [(row[0], _event(self.db.unseal(row[1]))) for row in rows]

    async def request(self, run: str, kind: RequestKind) -> None:
        """Ask the process that executes the run to pause or to stop it."""
        await self.get(run)
        await self.db.run(
            "insert into requests values (?, ?) on conflict (run) do update set kind ="
            " excluded.kind",
            (run, kind),
        )

    async def requests(self, run: str) -> RequestKind | None:
        """Return the request that waits, if any."""
        rows = await self.db.rows("select kind from requests where run = ?", (run,))
        kind: RequestKind | None = rows[0][0] if rows else None
        return kind

    async def clear_request(self, run: str) -> None:
        await self.db.run("delete from requests where run = ?", (run,))

    async def _records(self, rows: Sequence[Row]) -> Sequence[RunRecord]:
        records = [RunRecord(**_read(self.db.unseal(row[0]))) for row in rows]
        running = [record.id for record in records if record.status == "running"]
        held = await self.leases.held_among(running)
        return [
            dataclasses.replace(record, status="crashed", pid=None)
            if record.status == "running" and record.id not in held
            else record
            for record in records
        ]

    def _row(self, record: RunRecord) -> tuple[str, str, str, str]:
        text = self.db.seal(json.dumps(_fields(record)))
        return (record.id, record.status, record.updated, text)


@asynccontextmanager
async def open_store(url: str, patience: float = PATIENCE) -> AsyncIterator[RunStore]:
    """Open the store at `url` (see `db.url.locate`), or make it. Raise `RunError`."""
    async with open_location(dataclasses.replace(locate(url), patience=patience)) as opened:
        await create_tables(opened.db, SCHEMA)
        yield RunStore(opened)


def _duplicate_id(run: str) -> RunError:
    return RunError(f"there is a run `{run}` already", help="choose another id with `--run-id`")


def is_fit(run: str) -> bool:
    """Return whether people can type an id, and a table can show it."""
    fits = run.strip() and run.isprintable() and not run.startswith("-")
    return bool(fits) and len(run) <= LONGEST_ID


def _refuse_unfit(run: str) -> None:
    """Raise `RunError` for an id that people cannot type or that a table cannot show."""
    if not is_fit(run):
        raise RunError(
            f"`{visible(run[:40])}` cannot be the id of a run",
            help=f"1 to {LONGEST_ID} printable characters that do not begin with `-`",
        )


def _fields(value: RunRecord | RunEvent) -> dict[str, Any]:
    """Return its fields as they are: `asdict` would copy a whole GraphSpec, value by value."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _read(text: str) -> dict[str, Any]:
    try:
        value: dict[str, Any] = json.loads(text)
    except ValueError:
        raise RunError(
            "a record in the store cannot be read: it is damaged, or encrypted",
            help="put a copy of the store back in its place",
        ) from None
    return value


def _event(text: str) -> RunEvent:
    data = _read(text)
    return RunEvent(**{**data, "path": tuple(data["path"])})
