"""Which runs there are: a page of many, by status, time and workflow.

A list is read from an index and from one small column, never from the records of runs. In the clear
stand ids, statuses, times, and digests of names by which runs of one workflow are found; in a store
with a key they are made with it. What a person reads of a run besides is sealed, and short.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from typing import Any, Literal, get_args

from ..db.database import Database, Row, marks
from ..db.file_lease import Leases
from ..errors import RunError
from ..services import Json
from .moved import move_between

RunStatus = Literal[
    "running", "paused", "success", "failed", "stopped", "interrupted", "error", "crashed"
]
STATUSES: tuple[RunStatus, ...] = get_args(RunStatus)
COLUMNS = """
    id text primary key, status text not null, updated text not null, started text not null,
    parent text, workflow text not null, source text not null, client text, summary text not null
"""
"""Columns of the table `runs` that a list reads."""
INDEX = """
create index if not exists runs_by_change on runs (updated, id, status, workflow, source);
create index if not exists runs_without_success on runs (status, id) where status <> 'success';
create index if not exists runs_by_client on runs (client, updated, id) where client is not null;
"""
LONGEST = 200
"""Characters of what a list says of a run."""
_DIGITS = 24
_ALL = 1 << 62
_READ = "select id, status, updated, started, parent, summary from runs"
_ORDER = "order by updated desc, id desc limit ?"
_LIVING = ("running", "crashed")
_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_AGES = "30d, 12h, 90min, 2w or 10s"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run in a list. Times are ISO-8601 UTC; `now` is what it waits for, how it failed, or its
    result, in `LONGEST` characters at most; `usage` has the fields of `charges.Usage`. `file`
    counts from `folder`; `own` is the folder of its commands, `client` who steps it over MCP."""

    id: str
    name: str
    file: str
    status: RunStatus
    started: str
    updated: str
    parent: str | None = None
    now: str = ""
    usage: dict[str, Json] = field(default_factory=dict)
    client: str = ""
    folder: str = ""
    own: str = ""

    @property
    def cursor(self) -> str:
        """The place in a list behind which the next page begins: `TIME/RUN`."""
        return f"{self.updated}/{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Runs in one of `statuses` (empty: any) that changed at `since` or later, and earlier than
    `before`, a time with the id of a run or "". Of the workflow of this name, or of a file of this
    name; stepped by this client."""

    statuses: Collection[str] = ()
    since: str = ""
    before: tuple[str, str] | None = None
    workflow: str = ""
    client: str = ""


ALL_RUNS = RunFilter()


@dataclass(frozen=True, slots=True)
class RunList:
    """The list of the runs of one store, the one that changed last first. `place` is that of the
    store, see `moved.place_of`."""

    db: Database
    leases: Leases
    place: str

    async def page(
        self, wanted: RunFilter = ALL_RUNS, limit: int | None = None
    ) -> tuple[RunSummary, ...]:
        """Return the first `limit` runs; None: all. Raise `RunError` for one that was changed."""
        where, values = await self._where(wanted)
        most = _ALL if limit is None else limit
        return await self._summaries(f"{_READ} {where} {_ORDER}", (*values, most))

    async def begun_last(
        self, condition: str, values: Sequence[Any], limit: int
    ) -> tuple[RunSummary, ...]:
        """Return the first `limit` runs for which a condition holds, the one that began last
        first. Raise `RunError` for one that was changed."""
        query = f"{_READ} where {condition} order by started desc, id limit ?"
        return await self._summaries(query, (*values, limit))

    async def usage(self, runs: Sequence[str]) -> dict[str, dict[str, Json]]:
        """Return what the models of each of a few runs used, as `RunSummary` has it."""
        query = f"select id, summary from runs where id in ({marks(runs)})"
        return {
            run: json.loads(self.db.unseal(text, f"what the list says of run {run}"))["usage"]
            for run, text in (await self.db.rows(query, runs) if runs else ())
        }

    async def count(self, wanted: RunFilter = ALL_RUNS) -> int:
        """Return how many runs there are."""
        where, values = await self._where(wanted)
        return int((await self.db.rows(f"select count(*) from runs {where}", values))[0][0])

    async def place_of(self, number: int) -> tuple[str, str] | None:
        """Return time and id of the run that changed last but `number`; None when there are
        fewer."""
        query = f"select updated, id from runs {_ORDER} offset ?"
        rows = await self.db.rows(query, (1, number))
        return (rows[0][0], rows[0][1]) if rows else None

    async def _where(self, wanted: RunFilter) -> tuple[str, list[Any]]:
        parts: list[str] = []
        values: list[Any] = []
        if wanted.since:
            parts.append("updated >= ?")
            values.append(wanted.since)
        if wanted.before is not None:
            # A row that is compared as a whole is looked up in the index.
            parts.append("(updated, id) < (?, ?)")
            values += wanted.before
        if wanted.workflow:
            parts.append("(workflow = ? or source = ?)")
            for name in (wanted.workflow, file_name(wanted.workflow)):
                values.append(digest_of(self.db, name))
        if wanted.client:
            parts.append("client = ?")
            values.append(digest_of(self.db, wanted.client))
        if wanted.statuses:
            condition, among = await self._of_status(set(wanted.statuses))
            parts.append(condition)
            values += among
        return ("where " + " and ".join(parts) if parts else "", values)

    async def _of_status(self, statuses: set[str]) -> tuple[str, list[str]]:
        """Return the condition. A run that crashed is one that runs and that nobody executes."""
        kept = sorted(statuses - {"crashed"})
        if len(statuses.intersection(_LIVING)) != 1:
            return f"status in ({marks(kept)})", kept
        running = await self.db.rows("select id from runs where status = 'running'")
        held = sorted(await self.leases.held_among([row[0] for row in running]))
        others = sorted(statuses.difference(_LIVING))
        word = "not in" if "crashed" in statuses else "in"
        condition = f"(status in ({marks(others)}) or status = 'running' and id {word}"
        return f"{condition} ({marks(held)}))", others + held

    async def _summaries(self, query: str, values: Sequence[Any]) -> tuple[RunSummary, ...]:
        rows = await self.db.rows(query, values)
        running = [row[0] for row in rows if row[1] == "running"]
        held = await self.leases.held_among(running)
        return tuple(self._summary(row, held) for row in rows)

    def _summary(self, row: Row, held: Collection[str]) -> RunSummary:
        run, status, updated, started, parent, text = row
        about = json.loads(self.db.unseal(text, f"what the list says of run {run}"))
        move = move_between(about.pop("place"), self.place, about["folder"])
        if move is not None:
            about |= {name: move.path(about[name]) for name in ("file", "folder", "own")}
        if status == "running" and run not in held:
            status = "crashed"
        when = {"status": status, "updated": updated, "started": started, "parent": parent}
        return RunSummary(id=run, **when, **about)


def digest_of(db: Database, name: str) -> str:
    """Return what stands in the store for a name that is looked for."""
    return db.fingerprint(name)[:_DIGITS]


def file_name(path: str) -> str:
    """Return the last part of a path, which is the same when its project moves."""
    return PurePath(path).name


def read_filter(
    statuses: Collection[str] = (),
    since: str | None = None,
    before: str | None = None,
    workflow: str | None = None,
    now: datetime | None = None,
) -> RunFilter:
    """Return the filter that people mean: `since` is an age (2h, 3d) or a date, `before` one of
    these or the cursor of a run, `workflow` a name or a file; for `statuses` see `statuses_in`.
    Raise `RunError`."""
    present = now or datetime.now(UTC)
    time, _, run = (before or "").partition("/")
    return RunFilter(
        statuses=frozenset(statuses_in(statuses)),
        since="" if since is None else read_moment(since, present),
        before=None if before is None else (read_moment(time, present), run),
        workflow=workflow or "",
    )


def statuses_in(texts: Collection[str]) -> tuple[str, ...]:
    """Return the statuses that texts name, each one or several: `paused,failed`. Raise
    `RunError`."""
    found = tuple(word.strip() for text in texts for word in text.split(","))
    strange = next((word for word in found if word not in STATUSES), None)
    if strange is not None:
        help = f"one of {', '.join(STATUSES)}"
        raise RunError(f"`{strange}` is not a status of a run", help=help)
    return found


def duration(text: str) -> timedelta:
    """Read `30d`, `12h`, `90min`, `2w` or `10s`. Raise `RunError` for anything else."""
    age = _age(text)
    if age is None:
        raise RunError(f"`{text}` is not an age", help=f"write {_AGES}")
    return age


def _age(text: str) -> timedelta | None:
    number = text.rstrip("smindhw ")
    unit = text[len(number) :].strip()
    if not (number.isascii() and number.isdecimal()) or unit not in _UNITS or len(number) > 6:
        return None
    return timedelta(seconds=int(number) * _UNITS[unit])


def moment(now: datetime, age: timedelta) -> str:
    """Return the time of an age ago, as a store writes it; "" before the first year."""
    try:
        return iso_time(now - age)
    except OverflowError:
        return ""


def read_moment(text: str, now: datetime) -> str:
    """Return the time that an age, a date or a time of day on a date means, as a store writes it.
    Without a zone it is the machine's. Raise `RunError` for anything else."""
    age = _age(text)
    if age is not None:
        return moment(now, age)
    try:
        return iso_time(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError):  # the year 1 in a zone
        raise RunError(
            f"`{text}` is neither an age nor a date",
            help=f"write {_AGES}, or 2026-11-20, 2026-11-20T14:30, 2026-11-20T14:30Z",
        ) from None


def iso_time(time: datetime) -> str:
    """Return a time as records and events write it."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds")
