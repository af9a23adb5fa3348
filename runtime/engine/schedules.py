"""Schedules of workflows in the table of timers: the next time of each, and what is due of it.

A run that begins by schedule is named after its workflow and its time. So it begins once, however
many processes look and wherever one of them dies: the name is taken. Only when it has begun does
the timer go on to the next time.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from flowc.compiler.analysis.cron import times_after
from flowc.compiler.ir import CronSchedule

from ..db.database import Database
from ..journal.timers import ON_SCHEDULE, DueTimer, read_time, show_time
from ..services import Json

KIND = "schedule"
DUE = f"from timers where run = '{ON_SCHEDULE}' and kind = '{KIND}' and due <= ?"
"""Where timers of schedules are found whose time has come, given the time (see `show_time`)."""
ON_TIME = 60.0
"""Seconds after which a time counts as missed."""
MOST = 100
"""Times that are made up for at once; of more the latest count."""
_COUNTED = 100_000
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class ScheduleTurn:
    """What a schedule has due: the times (seconds since 1970) at which a run should have begun and
    begins now, how many more were missed and begin no run, and the next time."""

    times: tuple[float, ...]
    passed: int
    following: float | None


async def note_schedules(
    db: Database, file: str, schedules: Sequence[CronSchedule], now: float
) -> dict[str, CronSchedule]:
    """Keep a timer for each schedule of a file (its full path), and drop those of schedules that it
    has no longer. One that has a timer keeps it, so that missed times are known. Return the
    schedules by the keys of their timers."""
    keys = {_key(file, schedule): schedule for schedule in schedules}
    about = db.seal(json.dumps({"file": file}))
    query = "select key from timers where run = ? and kind = ? and substr(key, 1, 16) = ?"
    for (key,) in await db.rows(query, (ON_SCHEDULE, KIND, _digest(file))):
        if key not in keys:
            await db.run("delete from timers where run = ? and key = ?", (ON_SCHEDULE, key))
    for key, schedule in keys.items():
        following = _after(schedule, now)
        if following is not None:
            await db.run(
                "insert into timers values (?, ?, ?, ?, ?) on conflict (run, key) do nothing",
                (ON_SCHEDULE, key, KIND, show_time(following), about),
            )
    return keys


async def due_schedules(db: Database, now: float, most: int = 100) -> list[DueTimer]:
    """Return the timers of schedules whose time has come, the oldest first; `about` names the
    file."""
    query = f"select key, due, about {DUE} order by due, key limit ?"
    rows = await db.rows(query, (show_time(now), most))
    return [
        DueTimer(ON_SCHEDULE, key, KIND, read_time(due), json.loads(db.unseal(about, "a timer")))
        for key, due, about in rows
    ]


def turn_of(schedule: CronSchedule, due: float, now: float) -> ScheduleTurn:
    """Return what a schedule has due whose timer says `due`."""
    latest: list[float] = []
    count = 0
    start = datetime.fromtimestamp(due - 0.001, UTC)
    for time in itertools.islice(times_after(schedule.cron, schedule.zone, start), _COUNTED):
        if time.timestamp() > now:
            break
        count += 1
        latest = [*latest[-MOST + 1 :], time.timestamp()]
    chosen = latest
    match schedule.missed:
        case "once":
            chosen = latest[-1:]
        case "skip":
            chosen = [time for time in latest[-1:] if now - time <= ON_TIME]
        case "all":
            pass
    return ScheduleTurn(tuple(chosen), count - len(chosen), _after(schedule, now))


async def advance(db: Database, timer: DueTimer, following: float | None) -> bool:
    """Let a schedule's timer go on to its next time. Return whether it was this process that did
    so: another one may have been faster."""
    here = (ON_SCHEDULE, timer.key, show_time(timer.due))
    if following is None:
        query = "delete from timers where run = ? and key = ? and due = ?"
        return bool(await db.run(query, here))
    query = "update timers set due = ? where run = ? and key = ? and due = ?"
    return bool(await db.run(query, (show_time(following), *here)))


async def next_time(db: Database, key: str) -> float | None:
    """Return the next time of a schedule's timer."""
    rows = await db.rows("select due from timers where run = ? and key = ?", (ON_SCHEDULE, key))
    return read_time(rows[0][0]) if rows else None


def run_name(workflow: str, key: str, time: float) -> str:
    """Return the name of the run that begins at a time of a schedule."""
    name = _UNFIT.sub("-", workflow).strip("-.")[:80] or "run"
    return f"{name}-{datetime.fromtimestamp(time, UTC):%Y%m%dT%H%M%SZ}-{key[-4:]}"


def inputs_of(schedule: CronSchedule) -> dict[str, Json]:
    """Return the inputs of the runs that begin by a schedule."""
    return dict(schedule.inputs) if isinstance(schedule.inputs, dict) else {}


def _after(schedule: CronSchedule, now: float) -> float | None:
    start = datetime.fromtimestamp(now, UTC)
    first = next(iter(times_after(schedule.cron, schedule.zone, start)), None)
    return None if first is None else first.timestamp()


def _key(file: str, schedule: CronSchedule) -> str:
    inputs = json.dumps(schedule.inputs, sort_keys=True, default=str)
    return _digest(file) + _digest(f"{schedule.cron.split()} {schedule.zone} {inputs}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
