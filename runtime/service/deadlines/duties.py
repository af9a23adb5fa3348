"""What every worker does by the clock, and how it knows at one look which of it is due."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from ...engine.schedules import DUE as SCHEDULE_DUE
from ...journal.timers import show_time
from ..operations.ending import tell_overdue
from ..operations.executions import Executing
from ..records.happenings import DUE as LOOK_DUE
from ..records.metrics import iso
from ..records.states import AWAKE, OVERDUE
from ..records.webhooks import DUE as DELIVERY_DUE
from ..webhooks.sending import tell_due
from .scheduled import begin_scheduled
from .ticking import tell_late, wake_waiting


@dataclass(frozen=True, slots=True)
class Duty:
    """What is to be done where `due` finds a row: the end of a query with one place, for the time
    as `show` writes it."""

    do: Callable[[Executing], Awaitable[None]]
    due: str
    show: Callable[[datetime], str]


def _precise(time: datetime) -> str:
    return show_time(time.timestamp())


DUTIES = (
    Duty(tell_overdue, OVERDUE, iso),
    Duty(tell_due, DELIVERY_DUE, iso),
    Duty(tell_late, LOOK_DUE, iso),
    Duty(wake_waiting, AWAKE, _precise),
    Duty(begin_scheduled, SCHEDULE_DUE, _precise),
)


async def due_duties(executing: Executing) -> list[Duty]:
    """Return the duties for which there is something to do now. Raises `RunError`."""
    now = executing.clock()
    queries = [(f"select 1 {duty.due} limit 1", (duty.show(now),)) for duty in DUTIES]
    found = await executing.engine.store.db.rows_of_each(queries)
    return [duty for duty, rows in zip(DUTIES, found, strict=True) if rows]
