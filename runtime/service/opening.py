"""One process of the service: its store, its engine, and the executions that were under way."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from ..config import Config
from ..database import create_tables
from ..engine import open_engine
from . import access, limits, register, sessions
from .access import Audit, Tokens
from .executing import Clock, Executing
from .limits import Once
from .register import Register, StoredExecution
from .serving import Service, default_rate
from .sessions import Sessions
from .streams import Streams


def utc_now() -> datetime:
    """The time."""
    return datetime.now(UTC)


@asynccontextmanager
async def open_service(
    url: str, config: Config, *, trusted: bool, clock: Clock = utc_now
) -> AsyncIterator[Service]:
    """The service on the store at `url`. What was under way when the last process ended goes on.
    Raises `RunError` when the store cannot be opened."""
    async with open_engine(url) as engine:
        db = engine.store.db
        for schema in (register.SCHEMA, access.SCHEMA, limits.SCHEMA, sessions.SCHEMA):
            await create_tables(db, schema)
        executing = Executing(engine, Register(db), config, clock)
        for execution in await executing.register.page(StoredExecution, None, None):
            await executing.take_up(execution)
        tokens, streams = Tokens(db), Streams(engine.store)
        try:
            yield Service(
                executing=executing,
                tokens=tokens,
                once=Once(db),
                rate=default_rate(),
                trusted=trusted,
                audit=Audit(db),
                sessions=Sessions(db, tokens),
                streams=streams,
            )
        finally:
            await streams.close()
            await executing.close()
