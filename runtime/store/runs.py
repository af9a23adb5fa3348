"""Runs, their events and requests to them, beside LangGraph's checkpoints in one store."""

from __future__ import annotations

import asyncio
import dataclasses
import difflib
import json
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from flowc.compiler.source.snippet import visible

from ..db import kept
from ..db.database import LAST, Database, Row, Write, batches, create_tables, delete_of, marks
from ..db.digests import changed_value
from ..db.high_water import HighWater
from ..db.url import PATIENCE, locate
from ..errors import RunError
from ..events import RunEvent
from ..services import Json
from .listing import COLUMNS, INDEX, LONGEST, RunList, RunStatus, digest_of, file_name, iso_time
from .moved import Relocation, move_between, place_of, place_to_keep
from .names import HAS_RUN, refuse_unfit, slips_of
from .open import Opened, open_location
from .own_runs import Signer, signer_of
from .parts import PARTS, RecordParts, Split
from .run_errors import duplicate_id, lost_run

RequestKind = Literal["pause", "stop"]
MOST_AT_ONCE = 500
"""Events in one statement."""

SCHEMA = f"""
create table if not exists runs (
    {COLUMNS}, record text not null, spec blob, inputs blob, result blob
);
{INDEX}
create table if not exists events (
    run text not null, seq integer not null, kind text not null, event text not null,
    primary key (run, seq)
);
create table if not exists requests (run text primary key, kind text not null);
"""
_READ = "select id, record, spec, inputs, result from runs"
_COLUMNS = (
    "status", "updated", "started", "parent", "workflow", "source", "client", "summary", "record",
    *PARTS,
)  # fmt: skip
_WRITE = (
    f"insert into runs (id, {', '.join(_COLUMNS)}) values (?{', ?' * len(_COLUMNS)})"
    f" on conflict (id) do update set {', '.join(f'{c} = excluded.{c}' for c in _COLUMNS)}"
)
_TABLES = {"runs": "id", "events": "run", "requests": "run", "realms": "run"}
STEPPED = "stepped_by"
"""The option that names the client which steps a run over MCP."""


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
    place: str = ""
    """Where the store was, in the run's folder, when this was written: see `store/moved.py`."""
    signature: str | None = None
    """Of the options, see `store/own_runs.py`. As it is read: None for the user's own, "" for those
    of somebody else, as far as is known."""

    def relocate(self, move: Relocation) -> RunRecord:
        """Return the record with its paths in the project's new folder."""
        options = {name: move.paths(value) for name, value in self.options.items()}
        return dataclasses.replace(self, file=move.path(self.file), options=options)


def now() -> str:
    """Return the time, as events and records write it."""
    return iso_time(datetime.now(UTC))


class RunStore:
    """Reads and writes records, events and requests. Made by `open_store`."""

    def __init__(self, opened: Opened, place: str, signer: Signer) -> None:
        self.signer = signer
        self.opened = opened
        self.db = opened.db
        self.leases = opened.leases
        self.location = opened.location
        self.parts = RecordParts(opened.db)
        self.water = HighWater(opened.location.leases, opened.location.path or Path())
        self.on_events: Callable[[str], None] = lambda run: None
        """Called with a run's id when events of it were written here."""
        self.clock = self.event_time = now
        self.place = place  # the folder of the store's file, see `place_of`
        self.listing = RunList(opened.db, opened.leases, place)

    async def create(self, record: RunRecord) -> RunRecord:
        """Keep a new run. Raise `RunError` when the id is taken, or cannot be one."""
        return (await self.begin(record, {}))[0]

    async def begin(self, record: RunRecord, tables: Mapping[str, str]) -> tuple[RunRecord, bool]:
        """Do the same. Return also whether these tables, each with its column of the run, and those
        of the store have nothing of an earlier one that lost its record."""
        refuse_unfit(record.id)
        tables = {**tables, "events": "run", "requests": "run"}
        each = (f"exists (select 1 from {t} where {column} = ?)" for t, column in tables.items())
        record = self._stamp(dataclasses.replace(record, started=record.started or self.clock()))
        async with self.db.for_run(record.id).transaction(f"run {record.id}") as inside:
            if await inside.rows(HAS_RUN, (record.id,)):
                raise duplicate_id(record.id)
            left = await inside.rows(f"select {' or '.join(each)}", (record.id,) * len(tables))
            parts = await self.parts.split(inside, record.id, _fields(record))
            await self.parts.keep(inside, record.id, parts)
            await inside.run(_WRITE, self._row(record, parts))
        await asyncio.to_thread(self.water.renew, record.id)
        return record, not left[0][0]

    async def refuse_taken(self, run: str) -> None:
        """Raise `RunError` when there is a run of this id, or the id cannot be one."""
        refuse_unfit(run)
        if await self.has(run):
            raise duplicate_id(run)

    async def has(self, run: str) -> bool:
        """Return whether there is a run of this id."""
        return bool(await self.db.rows(HAS_RUN, (run,)))

    async def ids(self) -> frozenset[str]:
        """Return the id of every run."""
        return frozenset(row[0] for row in await self.db.rows("select id from runs"))

    async def get(self, run: str) -> RunRecord:
        """Return a run. Raise `RunError` when there is none of this id."""
        fits = run.isprintable()
        rows = await self.db.rows(f"{_READ} where id = ?", (run,)) if fits else ()
        if not rows:
            if lost := await asyncio.to_thread(self.water.lost_effects, run):
                raise lost_run(run, self.location.url, lost)
            close = difflib.get_close_matches(run, await self._similar(run) if fits else (), n=1)
            help = f"did you mean `{close[0]}`?" if close else "see `flowc runs`"
            raise RunError(f"there is no run `{visible(run)}` in {self.location.url}", help=help)
        return (await self._records(rows, PARTS))[0]

    async def get_each(self, runs: Sequence[str]) -> tuple[RunRecord, ...]:
        """Return those of the runs that are there, without their graphs, in this order."""
        found: dict[str, RunRecord] = {}
        for some in batches(runs):
            rows = await self.db.rows(f"{_READ} where id in ({marks(some)})", some)
            found |= {r.id: r for r in await self._records(rows, ("inputs", "result"))}
        return tuple(found[run] for run in runs if run in found)

    async def _similar(self, run: str) -> Sequence[str]:
        """Return ids that somebody may have meant: those that one slip leads to; else of those that
        changed last, and that begin alike."""
        for some in batches(list(slips_of(run))):
            near = f"select id from runs where id in ({marks(some)}) limit 10"
            if found := await self.db.rows(near, some):
                return sorted(row[0] for row in found)
        begin = run[:3]
        rows = await self.db.rows(
            "select id from (select id from runs where id >= ? and id < ? order by id limit ?)"
            " as alike union select id from (select id from runs order by updated desc limit ?)"
            " as latest",
            (begin, begin + LAST, MOST_AT_ONCE, MOST_AT_ONCE),
        )
        return sorted(row[0] for row in rows)

    async def update(self, record: RunRecord, before: Sequence[Write] = ()) -> RunRecord:
        """Write a record anew, and something else before it: both or neither."""
        record = self._stamp(record)
        async with self.db.for_run(record.id).transaction(f"run {record.id}") as inside:
            await inside.put_all(before)
            parts = await self.parts.split(inside, record.id, _fields(record))
            known = await inside.rows(HAS_RUN, (record.id,))
            await self.parts.keep(inside, record.id, parts)
            await inside.run(_WRITE, self._row(record, parts))
        if not known:
            await asyncio.to_thread(self.water.renew, record.id)
        return record

    async def append_events(self, run: str, events: Sequence[RunEvent]) -> None:
        """Add events, in order, to a run that this process holds, or that nobody executes."""
        if events:
            writes = self.event_writes(run, await self.last_event(run), events)
            await self.db.for_run(run).put_all(writes)
            self.on_events(run)

    async def last_event(self, run: str) -> int:
        """Return the position of a run's last event, 0 where it has none."""
        query = "select coalesce(max(seq), 0) from events where run = ?"
        return int((await self.db.rows(query, (run,)))[0][0])

    def event_writes(self, run: str, last: int, events: Sequence[RunEvent]) -> Sequence[Write]:
        """Return what adds events behind the `last`, however often it is executed."""
        writes: list[Write] = []
        for begin in range(0, len(events), MOST_AT_ONCE):
            batch = events[begin : begin + MOST_AT_ONCE]
            values: list[str | int] = []
            for seq, event in enumerate(batch, last + begin + 1):
                values += (run, seq, event.kind, self.db.seal(json.dumps(_fields(event))))
            rows = ", ".join(["(?, ?, ?, ?)"] * len(batch))
            query = f"insert into events values {rows} on conflict (run, seq) do nothing"
            writes.append((query, values))
        return writes

    async def events(self, run: str) -> tuple[RunEvent, ...]:
        """Return every event of a run, oldest first."""
        query = "select seq, event from events where run = ? order by seq"
        rows = await self.db.rows(query, (run,))
        return tuple(event for _, event in self._in_a_row(run, 0, rows))

    async def events_after(
        self, run: str, position: int, most: int = MOST_AT_ONCE
    ) -> Sequence[tuple[int, RunEvent]]:
        """Return up to `most` events behind a position, oldest first, each with its own: from 1."""
        query = "select seq, event from events where run = ? and seq > ? order by seq limit ?"
        rows = await self.db.rows(query, (run, position, most))
        return list(self._in_a_row(run, position, rows))

    async def request(self, run: str, kind: RequestKind) -> None:
        """Ask the process that executes the run to pause or to stop it."""
        await self.get(run)
        await self.db.run(
            "insert into requests values (?, ?) on conflict (run) do update set kind ="
            " excluded.kind",
            (run, kind),
        )

    async def requests(self, runs: Collection[str]) -> dict[str, RequestKind]:
        """Return the requests that wait for these runs."""
        query = f"select run, kind from requests where run in ({marks(runs)})"
        return dict(await self.db.rows(query, tuple(runs))) if runs else {}

    async def clear_request(self, run: str) -> None:
        await self.db.put("delete from requests where run = ?", (run,))

    async def _records(self, rows: Sequence[Row], parts: Iterable[str]) -> Sequence[RunRecord]:
        read = await self.parts.read(rows, parts)
        records = [self._relocate(self._check_owner(RunRecord(**fields))) for fields in read]
        running = [record.id for record in records if record.status == "running"]
        held = await self.leases.held_among(running)
        return [
            dataclasses.replace(record, status="crashed", pid=None)
            if record.status == "running" and record.id not in held
            else record
            for record in records
        ]

    def _in_a_row(
        self, run: str, position: int, rows: Sequence[Row]
    ) -> Iterator[tuple[int, RunEvent]]:
        """Yield the events behind a position. Raise `RunError` where one of them is gone."""
        for number, (seq, text) in enumerate(rows, position + 1):
            if seq != number:
                raise changed_value(f"event {number} of run {run}")
            yield seq, self._event(run, seq, text)

    def _event(self, run: str, seq: int, text: str) -> RunEvent:
        data = json.loads(self.db.unseal(text, f"event {seq} of run {run}"))
        return RunEvent(**{**data, "path": tuple(data["path"])})

    async def move_of(self, run: str) -> Relocation | None:
        """Return how the project of a run has moved since its record was written."""
        for run_id, text in await self.db.rows("select id, record from runs where id = ?", (run,)):
            kept = json.loads(self.db.unseal(text, f"the record of run {run_id}"))
            return self._move(kept.get("place", ""), kept["options"].get("folder"))
        return None

    def _move(self, place: str, folder: object) -> Relocation | None:
        return move_between(place, self.place, folder)

    def _relocate(self, record: RunRecord) -> RunRecord:
        """Return the record with its paths where the project lies now."""
        move = self._move(record.place, record.options.get("folder"))
        if move is None:
            return record
        return record.relocate(move)

    def _stamp(self, record: RunRecord) -> RunRecord:
        """Return the record as it is written now."""
        place = place_to_keep(self.place, record.options.get("folder"))
        written = dataclasses.replace(record, updated=self.clock(), place=place)
        if written.signature == "":
            return written
        return dataclasses.replace(
            written, signature=self.signer.signature(*_parts_to_sign(written))
        )

    def _check_owner(self, record: RunRecord) -> RunRecord:
        """Return the record as it was read, and whether its options are the user's own."""
        known = self.signer.knows(record.signature, *_parts_to_sign(record))
        return dataclasses.replace(record, signature=None if known else "")

    def _row(self, record: RunRecord, parts: Split) -> Row:
        client = record.options.get(STEPPED)
        return (
            record.id,
            record.status,
            record.updated,
            record.started,
            record.parent,
            digest_of(self.db, record.name),
            digest_of(self.db, file_name(record.file)),
            client and digest_of(self.db, str(client)),
            self.db.seal(json.dumps(_summary(record))),
            self.db.seal(json.dumps(parts.small)),
            *parts.hashes,
        )


@asynccontextmanager
async def open_store(
    url: str, patience: float = PATIENCE, links: int = 1
) -> AsyncIterator[RunStore]:
    """Open the store at `url`, or make it; for the numbers see `db.url`. Raise `RunError`."""
    location = dataclasses.replace(locate(url), patience=patience, links=links)
    async with open_location(location) as opened:
        await create_tables(opened.db, SCHEMA)
        place = await asyncio.to_thread(place_of, opened.location)
        yield RunStore(opened, place, await asyncio.to_thread(signer_of, opened))


async def forget(inside: Database, runs: Collection[str]) -> None:
    """Delete records, events and requests of runs, and let go all that they hold."""
    await kept.release_runs(inside, runs)
    await delete_of(inside, _TABLES, runs)


def _parts_to_sign(record: RunRecord) -> tuple[Json, ...]:
    """Return what a signature holds for: the options as they are kept, of this run."""
    return record.id, record.file, record.place, record.options


def _summary(record: RunRecord) -> dict[str, Json]:
    """Return what a list reads of a run, see `listing.RunSummary`."""
    options = record.options
    return {
        "name": record.name,
        "file": record.file,
        "place": record.place,
        "folder": str(options.get("folder") or ""),
        "own": str(options.get("own") or ""),
        "client": str(options.get(STEPPED) or options.get("client") or ""),
        "usage": record.usage,
        "now": _shorten(_standing_of(record)),
    }


def _standing_of(record: RunRecord) -> Json:
    """Return the most important fact about a run."""
    if record.questions:
        question = record.questions[0]
        return f"waits at {question.get('node', '')}: {question.get('text', '')}"
    if record.error:
        node, message = record.error.get("node"), record.error.get("message", "")
        return f"{node}: {message}" if node else message
    return record.result


def _shorten(value: Json) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _fields(value: RunRecord | RunEvent) -> dict[str, Any]:
    """Return its fields as they are: `asdict` would copy a whole GraphSpec, value by value."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
