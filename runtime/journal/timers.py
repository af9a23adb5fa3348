"""The table of timers: when a run that waits goes on, and when a schedule begins the next run.

A timer of a run is set by the visit that waits, before it waits, and ends with it; while it is
there the run goes on when its time has come, whoever looks first. A schedule's timer says its next
time. Times are seconds since 1970; in the table they are texts that sort as they follow.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..db.database import Database, Write, delete_of, marks
from ..people import Timer
from ..services import Json

SCHEMA = """
create table if not exists timers (
    run text not null, key text not null, kind text not null, due text not null,
    about text not null, primary key (run, key)
);
create index if not exists timers_due on timers (due);
"""
_NEVER = ""
"""The time of a timer that only an event ends."""
_LATEST = 253_402_300_799.0
"""The last second of the year 9999."""
ON_SCHEDULE = ""
"""The run of timers that belong to none: those of schedules."""


@dataclass(frozen=True, slots=True)
class DueTimer:
    """A timer whose time has come. `run` goes on; "" for that of a schedule."""

    run: str
    key: str
    kind: str
    due: float
    about: dict[str, Json] = field(default_factory=dict)


def show_time(seconds: float) -> str:
    """Return a time as the table has it, and as people are told it: in UTC, with microseconds."""
    held = min(max(seconds, 0.0), _LATEST) if math.isfinite(seconds) else _LATEST
    return datetime.fromtimestamp(held, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def read_time(text: str) -> float:
    """Return the time that `show_time` wrote."""
    return datetime.fromisoformat(text).timestamp()


async def set_timer(db: Database, run: str, key: str, timer: Timer) -> Timer:
    """Keep a timer, unless the visit has one already: return the one that counts."""
    due = _NEVER if timer.due is None else show_time(timer.due)
    about = db.seal(json.dumps({"node": timer.node, "event": timer.event}))
    await db.put(
        "insert into timers values (?, ?, ?, ?, ?) on conflict (run, key) do nothing",
        (run, key, timer.kind, due, about),
    )
    query = "select kind, due, about from timers where run = ? and key = ?"
    for kind, kept, text in await db.rows(query, (run, key)):
        read = json.loads(db.unseal(text, f"a timer of run {run}"))
        at = None if kept == _NEVER else read_time(kept)
        return Timer(kind, at, read["node"], read["event"])
    return timer


async def end_timer(db: Database, run: str, key: str) -> None:
    """Drop the timer of a visit that waits no longer."""
    await db.put("delete from timers where run = ? and key = ?", (run, key))


def keep_timers(run: str, keys: Collection[str]) -> Write:
    """Return what drops the timers of a run whose visits do not wait any more: all but these."""
    return (
        f"delete from timers where run = ? and key not in ({marks(keys)})",
        (run, *sorted(keys)),
    )


async def forget_timers(inside: Database, runs: Collection[str]) -> None:
    """Drop every timer of runs."""
    await delete_of(inside, {"timers": "run"}, [run for run in runs if run != ON_SCHEDULE])


async def due_timers(db: Database, now: float, most: int = 100) -> list[DueTimer]:
    """Return the timers whose time has come, the oldest first: of schedules, and of runs that wait
    or that a crash cut off. One of a run that failed, was stopped or ended is not among them."""
    query = (
        "select t.run, t.key, t.kind, t.due, t.about from timers t left join runs r on r.id = t.run"
        " where t.due <= ? and t.due != ? and (t.run = ? or r.status in ('paused', 'running'))"
        " order by t.due, t.run, t.key limit ?"
    )
    rows = await db.rows(query, (show_time(now), _NEVER, ON_SCHEDULE, most))
    return [
        DueTimer(run, key, kind, read_time(due), json.loads(db.unseal(about, "a timer")))
        for run, key, kind, due, about in rows
    ]


async def next_due(db: Database) -> float | None:
    """Return the time of the next timer of all; None where nothing has one."""
    rows = await db.rows("select min(due) from timers where due != ?", (_NEVER,))
    return read_time(rows[0][0]) if rows and rows[0][0] else None
