"""The table of timers: times as texts, one timer of a visit, what is due, what is forgotten."""

from __future__ import annotations

import math

import pytest
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.journal.timers import (
    ON_SCHEDULE,
    due_timers,
    end_timer,
    forget_timers,
    keep_timers,
    next_due,
    read_time,
    set_timer,
    show_time,
)
from flowc.runtime.people import Timer

LAST_SECOND = 253_402_300_799.0
"""Of the year 9999: the last that a date has."""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "1970-01-01T00:00:00.000000Z"),
        (-5.0, "1970-01-01T00:00:00.000000Z"),
        (0.25, "1970-01-01T00:00:00.250000Z"),
        (LAST_SECOND, "9999-12-31T23:59:59.000000Z"),
        (LAST_SECOND + 1, "9999-12-31T23:59:59.000000Z"),
        (1e300, "9999-12-31T23:59:59.000000Z"),
        (math.inf, "9999-12-31T23:59:59.000000Z"),
        (math.nan, "9999-12-31T23:59:59.000000Z"),
    ],
)
def test_a_time_is_held_to_what_a_date_can_say(seconds: float, text: str) -> None:
    assert show_time(seconds) == text
    assert show_time(read_time(text)) == text


def test_a_visit_keeps_its_first_timer_until_it_ends(wait, any_store) -> None:
    first = Timer("wait", 100.5, "a")
    other = Timer("event", None, "b", "came")

    async def go() -> None:
        async with open_engine(any_store) as engine:
            db = engine.journal_db
            assert await set_timer(db, "r", "a:1", first) == first
            assert await set_timer(db, "r", "a:1", Timer("wait", 7.0, "a")) == first
            assert await set_timer(db, "r", "b:1", other) == other
            assert await set_timer(db, "r", "b:1", Timer("wait", 7.0, "b")) == other
            assert await next_due(db) == 100.5
            await end_timer(db, "r", "c:1")
            await end_timer(db, "s", "a:1")
            assert await next_due(db) == 100.5
            await end_timer(db, "r", "a:1")
            assert await next_due(db) is None
            assert await set_timer(db, "r", "a:1", Timer("wait", 7.0, "a")) != first

    wait(go())


def test_a_run_that_is_forgotten_has_no_timers_and_schedules_keep_theirs(wait, any_store) -> None:
    async def go() -> None:
        async with open_engine(any_store) as engine:
            db = engine.journal_db
            for number, run in enumerate(("a", "b", ON_SCHEDULE)):
                await set_timer(db, run, "k", Timer("wait", 10.0 + number, "n"))
            async with db.transaction() as inside:
                await forget_timers(inside, ("a", ON_SCHEDULE))
            assert await next_due(db) == 11.0
            await db.put(*keep_timers("b", ()))
            assert await next_due(db) == 12.0
            (due,) = await due_timers(db, 12.0)
            assert (due.run, due.key, due.kind, due.due) == (ON_SCHEDULE, "k", "wait", 12.0)
            assert await due_timers(db, 11.9) == []

    wait(go())
