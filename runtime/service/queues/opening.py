"""Opening the queue of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ...config.extras import require
from ...db.database import create_tables
from ...store.open import Opened
from . import rows
from .queue import WorkQueue
from .rows import RowQueue
from .sharing import Limits

if TYPE_CHECKING:
    from ...db.postgres.connection import PostgresDatabase


async def open_queue(opened: Opened, limits: Limits) -> WorkQueue:
    """Return the queue of a store, of which no team has more than `limits` say; its tables are made
    when they are not there. Raise `RunError` when a package is missing."""
    if opened.location.kind != "postgresql":
        await create_tables(opened.db, rows.SCHEMA)
        return RowQueue(opened.db, opened.leases, limits)
    require("postgres", "a service on PostgreSQL")
    from .jobs import JobQueue, create_jobs

    db = cast("PostgresDatabase", opened.db)
    await create_jobs(db)
    return JobQueue(db, limits)
