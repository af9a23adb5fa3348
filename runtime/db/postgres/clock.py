"""The time of a PostgreSQL server, for every process on a store: whose own clock jumps tells the
same time as the others.

The server is asked now and then; between two answers this machine's steady clock goes on, which
nobody sets. An answer lies between the two moments at which it was asked for and came; what several
answers leave is narrower than each of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from ...errors import RunError
from ..database import Database

FOLLOWS = 15.0
"""Seconds between two looks at the server's clock."""
_FIRST = 3
"""Looks at the beginning, of which the quickest one counts."""
_NOW = "select extract(epoch from clock_timestamp())::float8"


@dataclass(slots=True)
class ServerClock:
    """Tells the server's time. It stands `low` to `high` seconds before the steady clock."""

    db: Database
    low: float = -math.inf
    high: float = math.inf

    def __call__(self) -> datetime:
        """Return the time."""
        return datetime.fromtimestamp(time.monotonic() + (self.low + self.high) / 2, UTC)

    async def open(self) -> None:
        """Ask for the first time. Raise `RunError`."""
        for _ in range(_FIRST):
            await self._look()

    async def follow(self) -> None:
        """Ask again and again; while the server is away, the steady clock goes on alone."""
        while True:
            await asyncio.sleep(FOLLOWS)
            with contextlib.suppress(RunError):
                await self._look()

    async def _look(self) -> None:
        before = time.monotonic()
        ((now,),) = await self.db.rows(_NOW)
        self.hear(now, before, time.monotonic())

    def hear(self, now: float, before: float, after: float) -> None:
        """Take in that the server said `now` between two moments of the steady clock. Where that
        does not fit what it said earlier, its clock was set, and the new word counts."""
        low, high = max(self.low, now - after), min(self.high, now - before)
        if low > high:
            low, high = now - after, now - before
        self.low, self.high = low, high
