"""One process of the service: its store, and a worker of its own unless others execute."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager

from flowc.compiler.source.gc_pause import heap_at_rest

from ..db.database import create_tables
from ..db.file_lease import present
from ..errors import RunError
from ..store import audit_log as audit
from ..store.audit_log import Audit
from ..store.cleanup import sweep
from .api import idempotency as once
from .api import sessions
from .api.context import Service
from .api.idempotency import Once
from .api.rate_limits import Rate
from .api.sessions import Sessions
from .api.streams import Streams
from .operations.executions import Executing
from .records import access
from .records.access import Tokens
from .worker import CONCURRENCY, Worker

LOG = logging.getLogger("flowc.service")
PATIENCE = 10.0
"""Seconds that an end waits for steps under way."""
TURN = 0.0005
"""Seconds that another thread may hold the interpreter while the event loop waits for it."""


@asynccontextmanager
async def open_service(
    opening: AbstractAsyncContextManager[Executing],
    *,
    trusted: bool,
    concurrency: int = CONCURRENCY,
    patience: float = PATIENCE,
) -> AsyncIterator[Service]:
    """Open the service on the executions that `opening` gives. It carries on up to `concurrency` of
    them itself, beginning with those that another process left; 0 leaves all to workers. Its end
    waits `patience` seconds for steps under way. Raises `RunError`."""
    async with opening as executing:
        db = executing.db
        await create_tables(db, access.SCHEMA, audit.SCHEMA, once.SCHEMA, sessions.SCHEMA)
        worker = Worker(executing, concurrency)
        working = asyncio.create_task(worker.work()) if concurrency else None
        tokens, streams = Tokens(db), Streams(executing.engine.store)
        same = Once(db, executing.engine.store.leases)
        sweeping = asyncio.create_task(_sweep(executing))
        try:
            # A full collection of what a service has imported takes a third of a second.
            async with present(executing.engine.store.leases, same.name):
                with heap_at_rest(), short_turns():
                    yield Service(
                        executing=executing,
                        tokens=tokens,
                        once=same,
                        rate=Rate(),
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
                await asyncio.wait([working], timeout=patience)
                worker.abandon()
                await asyncio.wait([working])


@contextmanager
def short_turns() -> Iterator[None]:
    """Let threads take turns more often than Python does, whose 5 ms are a stall of the loop."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, TURN))
    try:
        yield
    finally:
        sys.setswitchinterval(before)


async def _sweep(executing: Executing) -> None:
    """Remove what earlier processes left; the next one tries again what cannot be removed."""
    try:
        await sweep(executing.engine.store, executing.clock())
    except RunError as error:
        LOG.warning("what earlier processes left stays: %s", error.message)
