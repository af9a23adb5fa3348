"""Selecting runs to forget, and removing what dead processes left behind."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ..db.database import batches
from ..db.schema_version import has_table
from ..files import tempdirs as rooms
from . import service_tables as executions
from .listing import STATUSES, RunFilter, RunList, RunStatus, moment, statuses_in
from .runs import RunStore

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
    leases = await store.leases.sweep(store.ids, dry_run=dry_run)
    keys = await _sweep_keys(store, now or datetime.now(UTC), dry_run)
    left = await executions.left_over(store.db)
    for some in () if dry_run else batches(left):
        async with store.db.transaction() as inside:
            await executions.forget(inside, some)
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


@dataclass(frozen=True, slots=True)
class PruneCriteria:
    """Runs that changed before `older_than` ago, in one of `statuses` (empty: any), except the
    `keep` that changed last. Runs that can be resumed only with `everything`; one that is being
    executed never."""

    older_than: timedelta | None = None
    statuses: Collection[str] = ()
    keep: int = 0
    everything: bool = False


async def select_runs(listing: RunList, criteria: PruneCriteria, now: datetime) -> RunFilter | None:
    """Return the filter of the runs that meet the criteria; None when none can. A run that changed
    later than `now`, before the clock was set back, is new. Raise `RunError` for what is not a
    status."""
    statuses = statuses_in(criteria.statuses)
    free = set(STATUSES) - {"running"} if criteria.everything else ENDED
    chosen = free.intersection(statuses or free)
    before = None
    if criteria.older_than is not None:
        before = (moment(now, criteria.older_than), "")
    if criteria.keep:
        oldest = await listing.place_of(criteria.keep - 1)
        before = oldest and min(oldest, before or oldest)
    if not chosen or (criteria.keep and before is None):
        return None
    return RunFilter(statuses=chosen, before=before)
