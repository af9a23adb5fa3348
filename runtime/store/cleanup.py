"""What processes that are gone left in a store and on the machine: found, and removed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ..db.schema_version import has_table
from ..files import tempdirs as rooms
from . import service_tables as executions
from .runs import RunStore

KEPT = timedelta(days=7)
"""How long the answer to a request with an idempotency key is given again."""


@dataclass(frozen=True, slots=True)
class Swept:
    """How many went, or would: private `folders` of processes that were killed, `leases` of
    processes that are gone and whose run is not kept, answers to idempotency `keys` of the service
    that are older than `KEPT`, `executions` of the service of which more is kept than of their
    run."""

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
