"""Times of schedules: on the clock of a zone, also where that is set forward and back."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice

import pytest
from flowc.compiler.analysis.cron import cron_fault, times_after, times_between


def times(cron: str, zone: str, after: str, count: int = 3) -> list[str]:
    start = datetime.fromisoformat(after)
    found = islice(times_after(cron, zone, start), count)
    return [time.strftime("%m-%dT%H:%M") for time in found]


def test_times_are_those_of_the_zone() -> None:
    assert times("0 7 * * 1-5", "Europe/Berlin", "2026-03-26T12:00:00+00:00") == [
        "03-27T06:00",  # Friday, winter
        "03-30T05:00",  # Monday, summer
        "03-31T05:00",
    ]


def test_a_time_that_the_clocks_skip_comes_when_they_have_jumped() -> None:
    """In Berlin there is no 02:30 on 29 March 2026: 02:00 is 03:00, which is 01:00 UTC."""
    assert times("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00+00:00") == [
        "03-29T01:00",
        "03-30T00:30",
        "03-31T00:30",
    ]


def test_a_time_that_there_is_twice_comes_once() -> None:
    """In Berlin 02:30 comes twice on 25 October 2026, at 00:30 and at 01:30 UTC."""
    assert times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00+00:00") == [
        "10-25T00:30",
        "10-26T01:30",
        "10-27T01:30",
    ]


def test_what_comes_every_hour_comes_in_each_of_them() -> None:
    assert times("30 * * * *", "Europe/Berlin", "2026-10-24T23:45:00+00:00") == [
        "10-25T00:30",
        "10-25T01:30",
        "10-25T02:30",
    ]
    assert times("30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00+00:00") == [
        "03-29T00:30",
        "03-29T01:30",
        "03-29T02:30",
    ]


def test_times_between_are_bounded() -> None:
    after, until = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, 1, tzinfo=UTC)
    assert len(times_between("* * * * *", "UTC", after, until, 1000)) == 60
    assert len(times_between("* * * * *", "UTC", after, until, 7)) == 7


@pytest.mark.parametrize(
    ("cron", "told"),
    [
        ("0 7 * *", "five fields, and it has 4"),
        ("0 0 7 * * *", "five fields, and it has 6"),
        ("@daily", "five fields"),
        ("60 7 * * *", "`60` is not a minute"),
        ("0 24 * * *", "`24` is not an hour"),
        ("0 7 32 * *", "`32` is not a day of the month"),
        ("0 7 * 13 *", "`13` is not a month"),
        ("0 7 * * 9", "`9` is not a day of the week"),
        ("0 7 31 2 *", "no month that it names has such a day"),
        ("0 7 30 2 *", "no month that it names has such a day"),
        ("0 7 31 4,JUN *", "no month that it names has such a day"),
        ("x y z a b", "`x` is not a minute"),
        ("* " * 5000, "far more"),
    ],
)
def test_what_is_not_a_schedule_is_told(cron: str, told: str) -> None:
    fault = cron_fault(cron)
    assert fault is not None
    assert told in fault[0]
    assert fault[1]


@pytest.mark.parametrize("cron", ["0 7 * * 1-5", "*/15 * * * *", "0 7 29 2 *", "0 0 1 JAN MON"])
def test_a_schedule_has_no_fault(cron: str) -> None:
    assert cron_fault(cron) is None
