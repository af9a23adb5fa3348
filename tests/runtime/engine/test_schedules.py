"""Schedules in the table of timers: their next time, what was missed, each time once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from flowc.compiler.ir import CronSchedule
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.engine.schedules import (
    MOST,
    advance,
    next_time,
    note_schedules,
    run_name,
    turn_of,
)
from flowc.runtime.journal.timers import due_timers

SEVEN = datetime(2026, 3, 2, 7, tzinfo=UTC).timestamp()
HOURLY = CronSchedule(cron="0 * * * *")


def test_a_schedule_keeps_its_time_while_nobody_looks(wait: Callable, any_store: str) -> None:
    async def go() -> None:
        async with open_engine(any_store) as engine:
            (key,) = await note_schedules(engine.journal_db, "/a.flow.yaml", [HOURLY], SEVEN - 5)
            assert await next_time(engine.journal_db, key) == SEVEN
        async with open_engine(any_store) as engine:
            db, later = engine.journal_db, SEVEN + 3 * 3600
            assert await due_timers(db, SEVEN - 1) == []
            assert await note_schedules(db, "/a.flow.yaml", [HOURLY], later) == {key: HOURLY}
            (timer,) = await due_timers(db, later)
            assert (timer.run, timer.kind, timer.due) == ("", "schedule", SEVEN)
            assert timer.about == {"file": "/a.flow.yaml"}

    wait(go())


def test_a_schedule_that_the_file_has_no_longer_is_dropped(wait: Callable, url: str) -> None:
    daily = CronSchedule(cron="0 7 * * *", zone="Asia/Tokyo")

    async def go() -> int:
        async with open_engine(url) as engine:
            db = engine.journal_db
            await note_schedules(db, "/a.flow.yaml", [HOURLY, daily], SEVEN)
            await note_schedules(db, "/b.flow.yaml", [HOURLY], SEVEN)
            await note_schedules(db, "/a.flow.yaml", [daily], SEVEN)
            return len(await due_timers(db, SEVEN + 1e6))

    assert wait(go()) == 2


def test_of_many_processes_one_lets_a_timer_go_on(wait: Callable, any_store: str) -> None:
    async def one(at: asyncio.Barrier) -> bool:
        async with open_engine(any_store) as engine:
            (timer,) = await due_timers(engine.journal_db, SEVEN)
            await at.wait()
            return await advance(engine.journal_db, timer, SEVEN + 3600)

    async def go() -> list[bool]:
        async with open_engine(any_store) as engine:
            await note_schedules(engine.journal_db, "/a.flow.yaml", [HOURLY], SEVEN - 5)
        barrier = asyncio.Barrier(4)
        return list(await asyncio.gather(*(one(barrier) for _ in range(4))))

    assert sum(wait(go())) == 1


@pytest.mark.parametrize(
    ("missed", "hours", "passed"), [("once", [3], 3), ("skip", [3], 3), ("all", [0, 1, 2, 3], 0)]
)
def test_what_was_missed_is_made_up_for_as_the_schedule_says(missed, hours, passed) -> None:
    schedule = CronSchedule(cron="0 * * * *", missed=missed)
    turn = turn_of(schedule, SEVEN, SEVEN + 3 * 3600 + 5)
    assert turn.times == tuple(SEVEN + 3600 * hour for hour in hours)
    assert (turn.passed, turn.following) == (passed, SEVEN + 4 * 3600)


def test_skip_begins_no_run_for_a_time_that_is_long_over() -> None:
    turn = turn_of(CronSchedule(cron="0 * * * *", missed="skip"), SEVEN, SEVEN + 1800)
    assert (turn.times, turn.passed) == ((), 1)


def test_no_more_is_made_up_for_than_is_sensible() -> None:
    schedule = CronSchedule(cron="* * * * *", missed="all")
    turn = turn_of(schedule, SEVEN, SEVEN + 60 * 60 * 24)
    assert (len(turn.times), turn.passed) == (MOST, 1441 - MOST)
    assert turn.times[-1] == SEVEN + 60 * 60 * 24


def test_a_run_is_named_after_its_workflow_and_its_time() -> None:
    assert run_name("daily report", "ab" * 16, SEVEN) == "daily-report-20260302T070000Z-abab"
