"""One process of the service: its store, and a worker of its own unless others execute."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from .. import audit
from ..audit import Audit
from ..config import Config
from ..database import create_tables
from ..errors import RunError
from ..presence import present
from ..sweeping import sweep
from . import access, once, sessions
from .access import Tokens
from .executing import Clock, Executing, open_executing, utc_now
from .once import Once
from .serving import Service, default_rate
from .sessions import Sessions
from .streams import Streams
from .working import CONCURRENCY, Worker

LOG = logging.getLogger("flowc.service")
PATIENCE = 10.0
"""Seconds that an end waits for steps under way."""


@asynccontextmanager
async def open_service(
    url: str,
    config: Config,
    *,
    trusted: bool,
    clock: Clock = utc_now,
    concurrency: int = CONCURRENCY,
) -> AsyncIterator[Service]:
    """The service on the store at `url`. It carries on up to `concurrency` executions itself, those
    first that were under way when another process ended; 0 leaves them all to workers. Raises
    `RunError` when the store cannot be opened."""
    async with open_executing(url, config, clock) as executing:
        db = executing.db
        for schema in (access.SCHEMA, audit.SCHEMA, once.SCHEMA, sessions.SCHEMA):
            await create_tables(db, schema)
        worker = Worker(executing, concurrency)
        working = asyncio.create_task(worker.work()) if concurrency else None
        tokens, streams = Tokens(db), Streams(executing.engine.store)
        same = Once(db, executing.engine.store.leases)
        sweeping = asyncio.create_task(_sweep(executing))
        try:
            async with present(executing.engine.store.leases, same.name):
                yield Service(
                    executing=executing,
                    tokens=tokens,
                    once=same,
                    rate=default_rate(),
                    trusted=trusted,
                    audit=Audit(db),
                    sessions=Sessions(db, tokens),
                    streams=streams,
                )
        finally:
            sweeping.cancel()
            await asyncio.wait([sweeping])
            await streams.close()
            if working is not None:
                worker.drain()
                await asyncio.wait([working], timeout=PATIENCE)
                worker.abandon()
                await asyncio.wait([working])


async def _sweep(executing: Executing) -> None:
    """Remove what processes before this one left. What cannot be removed now is the next one's."""
    try:
        await sweep(executing.engine.store, executing.clock())
    except RunError as error:
        LOG.warning("what earlier processes left stays: %s", error.message)
