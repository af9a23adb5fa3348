"""News from other processes, as PostgreSQL's NOTIFY brings them."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import psycopg.sql

from ..url import Location
from .link import Link


async def listen(location: Location, channel: str, ring: Callable[[str], None]) -> None:
    """Ring with the words of each notification of a channel, until cancelled; and with "" whenever
    the connection was made anew, because what was said before is lost. Raise `RunError` when the
    server stays away."""
    link = Link(location)
    try:
        while True:
            connection = await link.live()
            try:
                await connection.execute(
                    psycopg.sql.SQL("listen {}").format(psycopg.sql.Identifier(channel))
                )
                ring("")
                async for notification in connection.notifies():
                    ring(notification.payload)
            except psycopg.Error:
                await link.close()
    finally:
        await link.close()
