"""Times of a schedule: five fields as cron has them, on the clock of a time zone.

    minute  hour  day of the month  month  day of the week
    0       7     *                 *      1-5                 at seven, Monday to Friday

Where a zone's clocks jump ahead, a time of day that there is not comes when they have jumped; where
they go back, a time of day that there is twice comes once. Schedules of every hour or minute come
as often as hours or minutes pass. That is how Debian's cron has it, and cronsim keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from ..expr.times import find_zone

if TYPE_CHECKING:
    from cronsim import CronSim

_ANY_TIME = datetime(2024, 1, 1, tzinfo=UTC)
_LONGEST = 200
SHORTHANDS = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *",
}  # fmt: skip
"""What other crons have as words, and the fields here."""


def cron_fault(cron: str) -> tuple[str, str] | None:
    """Return what is wrong with a schedule, and the remedy; None when nothing is."""
    if cron.strip() in SHORTHANDS:
        return "a schedule has five fields", f"write `{SHORTHANDS[cron.strip()]}`"
    count = len(cron.split())
    if len(cron) > _LONGEST or count != 5:
        shown = f"it has {count}" if count < 20 else "it has far more"
        return (
            f"a schedule has five fields, and {shown}",
            "minute, hour, day of the month, month, day of the week: `0 7 * * 1-5`",
        )
    fields = cron.split()
    for at, (field, name) in enumerate(zip(fields, _FIELDS, strict=True)):
        alone = [field if place == at else "*" for place in range(5)]
        if not _has_times(" ".join(alone)):
            return f"`{field[:40]}` is not {name}", _RANGES
    if not _has_times(cron):
        return "no month that it names has such a day", "correct the day of the month, or the month"
    return None


def _has_times(cron: str) -> bool:
    from cronsim import CronSimError

    try:
        next(_sim(cron, _ANY_TIME))
    except (CronSimError, StopIteration):
        return False
    return True


_FIELDS = ("a minute", "an hour", "a day of the month", "a month", "a day of the week")
_RANGES = "minute 0-59, hour 0-23, day 1-31, month 1-12, day of the week 0-7 (0 and 7: Sunday)"


def times_after(cron: str, zone: str, after: datetime) -> Iterator[datetime]:
    """Yield the times of a schedule after a point in time, in UTC, the next one first. Schedule and
    zone must be without fault."""
    named = find_zone(zone)
    assert not isinstance(named, str), "the zone was checked"
    for time in _sim(cron, after.astimezone(named)):
        yield time.astimezone(UTC)


def times_between(
    cron: str, zone: str, after: datetime, until: datetime, most: int
) -> list[datetime]:
    """Return the times after one point up to another one, in UTC, the first `most` of them."""
    found: list[datetime] = []
    for time in islice(times_after(cron, zone, after), most):
        if time > until:
            break
        found.append(time)
    return found


def _sim(cron: str, after: datetime) -> CronSim:
    from cronsim import CronSim

    return CronSim(cron, after)
