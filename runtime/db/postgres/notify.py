"""News from other processes, as PostgreSQL's NOTIFY brings them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import psycopg
import psycopg.sql

from ..url import Location
from .link import Link

_MOMENT = 1.0
"""Seconds between two looks whether a process that listens wants news."""
_MOMENTS = 2
"""Looks in a row without that until it stops: to begin again costs three transactions."""


async def listen(
    location: Location, channel: str, ring: Callable[[str], None], wanted: asyncio.Event
) -> None:
    """Ring with the words of each notification of a channel while they are `wanted`, until
    cancelled; and with "" whenever what was said before is lost: as listening begins. PostgreSQL
    wakes every session that listens for each of them. Raise `RunError` when the server stays
    away."""
    link, name = Link(location), psycopg.sql.Identifier(channel)
    try:
        while True:
            await wanted.wait()
            connection = await link.live()
            try:
                await connection.execute(psycopg.sql.SQL("listen {}").format(name))
                ring("")
                unwanted = 0
                while unwanted < _MOMENTS:
                    async for notification in connection.notifies(timeout=_MOMENT):
                        ring(notification.payload)
                    unwanted = 0 if wanted.is_set() else unwanted + 1
                await connection.execute(psycopg.sql.SQL("unlisten {}").format(name))
            except psycopg.Error:
                await link.close()
    finally:
        await link.close()
