"""Opening the parts of a store: connections for our own tables, the leases of runs, and
LangGraph's checkpointer. PostgreSQL's packages are an extra and imported here alone."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from types import ModuleType
from typing import TYPE_CHECKING

from ..config.extras import missing, require
from ..db import kept
from ..db.birth import nursery
from ..db.database import Database, create_tables
from ..db.encryption import Seal
from ..db.fence import TABLES, Holder, epochs_of
from ..db.file_lease import FileLeases, Leases
from ..db.schema_version import admit_store
from ..db.sqlite import open_sqlite, refuse_unfit
from ..db.url import Location
from ..errors import RunError, reason_of

if TYPE_CHECKING:
    from ..checkpoints.types import Saver


@dataclass(frozen=True, slots=True)
class Opened:
    """A store whose seal is known and whose layout is the newest."""

    location: Location
    db: Database
    leases: Leases
    cipher: Seal | None = None

    @asynccontextmanager
    async def ringing(
        self, channel: str, ring: Callable[[str], None], wanted: asyncio.Event
    ) -> AsyncIterator[None]:
        """Call `ring` with the words of each announcement of another process while they are
        `wanted`, where the store can tell; with "" where some may have been lost."""
        if self.location.kind != "postgresql":
            yield
            return
        listening = asyncio.create_task(
            _extra("db.postgres.notify").listen(self.location, channel, ring, wanted)
        )
        try:
            yield
        finally:
            listening.cancel()
            await asyncio.wait([listening])

    @asynccontextmanager
    async def clock(self) -> AsyncIterator[Callable[[], datetime]]:
        """Yield what tells the time: a server's own, where processes of several machines share a
        store."""
        if self.location.kind != "postgresql":
            yield lambda: datetime.now(UTC)
            return
        clock = _extra("db.postgres.clock").ServerClock(self.db)
        await clock.open()
        following = asyncio.create_task(clock.follow(), name="the clock of the server")
        try:
            yield clock
        finally:
            following.cancel()
            await asyncio.wait([following])

    @asynccontextmanager
    async def durable(self) -> AsyncIterator[Database]:
        """Open another connection, whose writes are on the disk when they return. In memory there
        is one alone."""
        if self.location.kind != "sqlite":
            yield self._on_server() if self.location.kind == "postgresql" else self.db
            return
        async with open_database(self.location, durable=True) as db:
            yield dataclasses.replace(db, cipher=self.cipher, epochs=self.db.epochs)

    @asynccontextmanager
    async def checkpointer(self) -> AsyncIterator[Saver]:
        """Open LangGraph's saver."""
        from ..checkpoints.tables.serializer import StrictSerializer
        from ..checkpoints.tables.sqlite_saver import open_sqlite_saver

        serde = StrictSerializer(self.cipher)
        if self.location.kind == "postgresql":
            saver = _extra("checkpoints.tables.postgres_saver").open_postgres_saver
            opening = saver(self._on_server(), serde)
        else:
            opening = open_sqlite_saver(self.location, serde, self.db.epochs)
        async with opening as opened:
            yield opened

    def _on_server(self) -> Database:
        lasting: Database = _extra("db.postgres.connection").durable(self.db)
        return lasting


@asynccontextmanager
async def open_location(location: Location) -> AsyncIterator[Opened]:
    """Open a store, made when it is not there. Raise `RunError`."""
    if location.kind != "postgresql":
        # In a thread: a server refuses to wait for a disk on its event loop.
        location = await asyncio.to_thread(location.follow_links)
        await refuse_unfit(location)
        async with nursery(location) as new:
            if new is not None:
                async with open_sqlite(new, durable=True) as made:
                    await admit_store(made, new)
        async with _open(location) as db:
            yield Opened(location, db, FileLeases(location.leases, db), db.cipher)
        return
    async with _open(location) as db:
        held = _extra("db.postgres.row_lease").PostgresLeases(db)
        try:
            yield Opened(location, db, held, db.cipher)
        finally:
            await held.close()


@asynccontextmanager
async def _open(location: Location) -> AsyncIterator[Database]:
    async with open_database(location, durable=False) as db:
        cipher = await admit_store(db, location)
        await create_tables(db, TABLES, kept.SCHEMA)
        await asyncio.to_thread(Holder.here)  # which reads files
        epochs = await asyncio.to_thread(epochs_of, location)
        yield dataclasses.replace(db, cipher=cipher, epochs=epochs)


@asynccontextmanager
async def open_database(location: Location, *, durable: bool) -> AsyncIterator[Database]:
    """Open a connection for our own tables. `durable` waits for the disk at each commit, as a
    statement before or after an effect must. Raise `RunError` when the store cannot be opened."""
    if location.kind == "postgresql":
        opening = _extra("db.postgres.connection").open_postgres(location, durable=durable)
    else:
        opening = open_sqlite(location, durable=durable)
    async with opening as db:
        yield db


async def is_there(location: Location) -> bool:
    """Return whether there is a store already; none is made. Raise `RunError` when PostgreSQL does
    not answer, or nobody may look where a file is."""
    if location.kind == "postgresql":
        there: bool = await _extra("db.postgres.connection").is_there(location)
        return there
    try:
        return location.path is not None and location.path.exists()
    except OSError as error:
        raise RunError(
            f"the store {location.url} cannot be opened: {reason_of(error)}",
            help="it belongs to somebody else: ask them, or name a store of yours with --store",
        ) from None


def _extra(module: str) -> ModuleType:
    """Import a module of ours that needs the extra. Raise `RunError` when that is not installed."""
    from importlib import import_module

    what = "a store in PostgreSQL"
    try:
        import psycopg  # noqa: F401

        require("postgres", what)
    except ImportError:  # also when it finds no library of PostgreSQL's
        raise missing("postgres", what) from None
    return import_module(f"flowc.runtime.{module}")
