"""News from other processes, as PostgreSQL's NOTIFY brings them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import psycopg
import psycopg.sql

from ..url import Location
from .link import Link

_MOMENT = 1.0
"""Seconds after which a process that wants no news does not listen any more."""


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
                while wanted.is_set():
                    async for notification in connection.notifies(timeout=_MOMENT):
                        ring(notification.payload)
                await connection.execute(psycopg.sql.SQL("unlisten {}").format(name))
            except psycopg.Error:
                await link.close()
    finally:
        await link.close()
