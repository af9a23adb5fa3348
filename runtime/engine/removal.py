"""Forgetting runs: everything that is kept of them goes in one transaction, or nothing does."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..budget import ledger
from ..checkpoints.tables import stored
from ..db.database import Database, delete_of
from ..db.high_water import HighWater
from ..db.sqlite import in_words
from ..journal import rows, timers
from ..store import runs as records
from ..store import service_tables

if TYPE_CHECKING:
    from ..store.runs import RunStore


async def forget_each(store: RunStore, db: Database, runs: Sequence[str]) -> list[str]:
    """Forget a few runs with all their checkpoints, and what the service kept of them: all of them
    at once, or none when it is interrupted. Return those that are gone; one that somebody executes
    stays."""
    with in_words(store.location):
        async with store.leases.end(db, runs) as (inside, free):
            await forget_within(inside, free, store.water)
    return free


async def forget_within(inside: Database, runs: Collection[str], water: HighWater) -> None:
    """Delete everything of runs that nobody executes, within a transaction. Their numbers go before
    it is committed: one that is left is of a run that the store has lost."""
    await service_tables.forget(inside, runs)
    await rows.forget(inside, runs)
    await timers.forget_timers(inside, runs)
    await ledger.forget_charges(inside, runs)
    await delete_of(inside, {"documents": "run"}, runs)
    await stored.forget(inside, runs)
    await records.forget(inside, runs)
    await asyncio.to_thread(water.forget, *runs)
