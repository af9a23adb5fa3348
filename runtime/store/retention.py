"""Which runs may be forgotten."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..errors import RunError
from .runs import RunRecord, RunStatus

ENDED: frozenset[RunStatus] = frozenset(("success", "failed"))
_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


@dataclass(frozen=True, slots=True)
class PruneCriteria:
    """Runs that changed before `older_than` ago, in one of `statuses` (empty: any), except the
    `keep` that changed last. Runs that can be resumed only with `everything`; one that is being
    executed never."""

    older_than: timedelta | None = None
    statuses: Collection[str] = ()
    keep: int = 0
    everything: bool = False


def select_runs(
    records: Sequence[RunRecord], criteria: PruneCriteria, now: datetime
) -> tuple[RunRecord, ...]:
    """Return the records that meet the criteria, the one that changed last first. A run that
    changed later than `now`, before the clock was set back, is new."""
    return tuple(
        record
        for record in records[criteria.keep :]
        if record.status != "running"
        and (criteria.everything or record.status in ENDED)
        and (not criteria.statuses or record.status in criteria.statuses)
        and (criteria.older_than is None or _age(record, now) > criteria.older_than)
    )


def _age(record: RunRecord, now: datetime) -> timedelta:
    try:
        return now - datetime.fromisoformat(record.updated)
    except (ValueError, TypeError):
        return timedelta(0)


def duration(text: str) -> timedelta:
    """Read `30d`, `12h`, `90min`, `2w` or `10s`. Raise `RunError` for anything else."""
    number = text.rstrip("smindhw ")
    unit = text[len(number) :].strip()
    if not number.isdecimal() or unit not in _UNITS or len(number) > 6:
        raise RunError(f"`{text}` is not an age", help="write 30d, 12h, 90min, 2w or 10s")
    return timedelta(seconds=int(number) * _UNITS[unit])
