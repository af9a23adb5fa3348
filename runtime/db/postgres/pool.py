"""Connections of one process to PostgreSQL, each of which serves one statement or transaction at a
time and mends itself.

`psycopg_pool` reports a timeout in place of the reason while a server is away, and tries to connect
again after 1, 2, 4, 8 … seconds. This pool reports the reason, and its connections mend themselves.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from psycopg.pq import TransactionStatus

from ...errors import RunError
from ..url import Location
from .link import REST, Link

MOST = 7
"""Connections that the pool lends at a time, one of them to LangGraph's saver for good. A task that
finds none waits for the next one."""


@dataclass(slots=True)
class Pool:
    """Connections that are made when they are needed."""

    location: Location
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST))
    _free: list[tuple[float, Link]] = field(default_factory=list)
    """With the time since when; the last one came back last."""
    _resting: asyncio.Task[None] | None = None
    _making: Sequence[asyncio.Task[None]] = ()

    async def open(self) -> None:
        """Connect for the first time: a server that does not answer is complained of at once. The
        other connections of the location are made meanwhile."""
        link = Link(self.location)
        more = [Link(self.location) for _ in range(1, self.location.links)]
        self._making = [asyncio.create_task(_make(one)) for one in more]
        await link.open()
        for one in (*more, link):
            self._give_back(one)

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[Link]:
        """Lend the connection that was used last, or one to be made. One that comes back in the
        midst of something is closed."""
        async with self._room:
            link = self._free.pop()[1] if self._free else Link(self.location)
            try:
                yield link
            finally:
                if _is_idle(link):
                    self._give_back(link)
                else:
                    await link.close()

    async def close(self) -> None:
        """Close the connections that nobody uses."""
        tasks = [task for task in (self._resting, *self._making) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        while self._free:
            await self._free.pop()[1].close()

    def _give_back(self, link: Link) -> None:
        self._free.append((time.monotonic(), link))
        if self._resting is None or self._resting.done():
            self._resting = asyncio.create_task(self._close_unused())

    async def _close_unused(self) -> None:
        """Close each connection that has had nothing to do for a while, the first one first."""
        while self._free:
            left = self._free[0][0] + REST - time.monotonic()
            if left > 0:
                await asyncio.sleep(left)
            else:
                with contextlib.suppress(OSError):
                    await self._free.pop(0)[1].close()


async def _make(link: Link) -> None:
    """Connect; what is wrong is said when the connection is used."""
    with contextlib.suppress(RunError):
        await link.live()


def _is_idle(link: Link) -> bool:
    connection = link.connection
    if connection is None or connection.closed:
        return False
    return connection.info.transaction_status == TransactionStatus.IDLE
