"""Selecting runs to forget, and removing what dead processes left behind."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ..db.schema_version import has_table
from ..errors import RunError
from ..files import tempdirs as rooms
from . import service_tables as executions
from .runs import RunRecord, RunStatus, RunStore

KEPT = timedelta(days=7)
"""How long the answer to a request with an idempotency key is given again."""


@dataclass(frozen=True, slots=True)
class Swept:
    """How many were removed, or would be: private `folders` of processes that were killed, `leases`
    of processes that are gone and whose run is not kept, answers to idempotency `keys` of the
    service that are older than `KEPT`, `executions` of the service that outlived their run."""

    folders: int = 0
    leases: int = 0
    keys: int = 0
    executions: int = 0


async def sweep(store: RunStore, now: datetime | None = None, *, dry_run: bool = False) -> Swept:
    """Remove them; with `dry_run` only count. Raise `RunError`."""
    folders = rooms.left_behind() if dry_run else rooms.sweep()
    leases = await store.leases.sweep(await store.ids(), dry_run=dry_run)
    keys = await _sweep_keys(store, now or datetime.now(UTC), dry_run)
    left = await executions.left_over(store.db)
    for execution in () if dry_run else left:
        await executions.forget(store.db, execution)
    return Swept(len(folders), leases, keys, len(left))


async def _sweep_keys(store: RunStore, now: datetime, dry_run: bool) -> int:
    """Delete answers to old keys. A store that no service has used has no such table."""
    if not await has_table(store.db, "service_idempotency"):
        return 0
    before = (now.astimezone(UTC) - KEPT).isoformat()
    if dry_run:
        query = "select count(*) from service_idempotency where created < ?"
        return int((await store.db.rows(query, (before,)))[0][0])
    return await store.db.run("delete from service_idempotency where created < ?", (before,))


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
