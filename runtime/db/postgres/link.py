"""A connection to PostgreSQL that mends itself: made anew when it broke, or nobody answers."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from socket import SHUT_RDWR, socket
from typing import Any, cast

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict

from ...errors import RunError, StoreAway
from ..database import Row
from ..url import Location
from .errors import is_gone, postgres_error
from .names import SchemaCursor

REST = 5.0
"""Seconds after which a connection that nobody used is closed."""
WAITS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
_DEFAULTS: dict[str, str | int] = {
    "connect_timeout": 10,
    "application_name": "flowc",
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
_SETTINGS = """
select pg_backend_pid(), current_setting('synchronous_commit') as commit,
case when pg_backend_pid() = %s then
    set_config('lock_timeout', '30s', false)
    || set_config('tcp_keepalives_idle', '10', false)
    || set_config('tcp_keepalives_interval', '3', false)
    || set_config('tcp_keepalives_count', '3', false)
    || case when current_setting('synchronous_commit') = 'off'
        then set_config('synchronous_commit', 'on', false) else '' end
end
"""
"""Settings of a session of our own. In one that a pool lends they would stay with whoever is lent
it next; there the server answers with another process than it greeted with."""


Connection = psycopg.AsyncConnection[Row]


class Whole(Loader):
    """A sum of integers is an int, as it is in SQLite."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return float(text) if set(text) & set(".eN") else int(text)


@dataclass(slots=True)
class Link:
    """One connection, made again when it broke. `connection` is the one in use; `rests`
    says whether it is closed when nobody has used it for `REST` seconds."""

    location: Location
    connection: Connection | None = None
    mending: asyncio.Lock = field(default_factory=asyncio.Lock)
    rests: bool = False
    _uses: int = 0
    _resting: asyncio.Task[None] | None = None
    """Closes the connection, unless that is used meanwhile."""

    async def open(self) -> None:
        """Connect for the first time: a server that does not answer is complained of at once."""
        try:
            self.connection = await self._connect()
        except psycopg.Error as error:
            raise postgres_error(error, self.location) from None

    async def live(self) -> Connection:
        """Return the connection, after waiting for the server if need be. Raise `RunError` when it
        does not come back."""
        async with self.mending:
            if self.connection is None or self.connection.closed:
                self.connection = await self._again()
        return self.connection

    @contextmanager
    def watch(self, connection: Connection) -> Iterator[None]:
        """Break the connection when the server does not answer in time. Where something between
        keeps our side of it open, nothing else would ever say that the other side is gone."""
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self.location.patience, _shut, connection)
        self._uses += 1
        if self._resting is not None:
            self._resting.cancel()
        try:
            yield
        finally:
            timer.cancel()
            self._uses -= 1
            if self.rests and not self._uses:
                self.close_unused()

    async def close(self) -> None:
        """Give the connection up, also one that is being made; `live` makes another one."""
        if self._resting is not None:
            self._resting.cancel()
        async with self.mending:
            if self.connection is not None:
                await self.connection.close()

    def close_unused(self) -> None:
        """Close the connection whenever nobody has used it for `REST` seconds."""
        self.rests = True
        self._resting = asyncio.get_running_loop().create_task(self._close_unused())

    async def _close_unused(self) -> None:
        await asyncio.sleep(REST)
        async with self.mending:
            if self.connection is not None and not self._uses:
                await self.connection.close()

    async def _again(self) -> Connection:
        deadline = time.monotonic() + self.location.patience
        for attempt in range(1_000):
            try:
                return await self._connect()
            except psycopg.Error as error:
                wrong = postgres_error(error, self.location)
                if not is_gone(error):
                    raise wrong from None
                if time.monotonic() > deadline:
                    raise StoreAway(wrong.message, help=wrong.help) from None
            await asyncio.sleep(WAITS[min(attempt, len(WAITS) - 1)])
        raise AssertionError("the deadline comes first")

    async def _connect(self) -> Connection:
        parts_of_url = _parse(self.location)
        defaults = {key: value for key, value in _DEFAULTS.items() if key not in parts_of_url}
        connection = await psycopg.AsyncConnection.connect(
            self.location.address, autocommit=True, **cast("dict[str, Any]", defaults)
        )
        try:
            _require_unicode(connection, self.location)
            connection.adapters.register_loader("numeric", Whole)
            connection.cursor_factory = SchemaCursor
            await self._set(connection)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _set(self, connection: Connection) -> None:
        """Change the settings of a session of our own. Raise `RunError` where a pool lends one that
        says a commit is done before it is."""
        greeted = connection.info.backend_pid
        cursor = await connection.execute(_SETTINGS, (greeted,))
        row = await cursor.fetchone()
        assert row is not None
        server, commit, _ = row
        if server != greeted:
            connection.prepare_threshold = None
            if commit == "off":
                raise _forgetful(self.location)


def _forgetful(location: Location) -> RunError:
    return RunError(
        f"the store {location.url} is behind a pool, and its server answers before a commit is on"
        " the disk",
        help="set synchronous_commit = on for the role, or name the server itself",
    )


def _require_unicode(connection: Connection, location: Location) -> None:
    """Raise `RunError` for a database that cannot hold every text: one in SQL_ASCII knows bytes."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise RunError(
            f"the store {location.url} cannot be used: its database has the encoding {encoding},"
            " which does not hold every text",
            help="make one in UTF-8: createdb -T template0 -E UTF8 NAME",
        )


def _shut(connection: Connection) -> None:
    """End a connection for whoever waits for its answer. Closed, it would let them wait."""
    with (
        contextlib.suppress(OSError, psycopg.Error),
        socket(fileno=os.dup(connection.fileno())) as s,
    ):
        s.shutdown(SHUT_RDWR)


def _parse(location: Location) -> dict[str, Any]:
    """Return the URL's parts. Raise `RunError`; psycopg's own error may quote the password."""
    try:
        return dict(conninfo_to_dict(location.address))
    except psycopg.Error:
        raise RunError(
            f"the store's URL {location.url} cannot be read",
            help="write postgresql://USER@HOST:PORT/DATABASE; special characters as %40",
        ) from None
