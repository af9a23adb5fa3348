"""One process per run on PostgreSQL: a row with the run's number, and a heartbeat beside it.

Nothing is the connection's own, so that a pooler may stand between. The holder beats as long as it
lives; a run whose last beat is too old is free, and one whose holder is known to have died, because
it ran on this machine, is free at once. Who is only slow, or cut off, may lose its run: the number
(`db/fence.py`) keeps it from writing anything then.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from ...errors import RunError
from ..database import Database, Row, delete_of, marks
from ..fence import FORGET, Holder, NotHeld, about_lease, taken_over
from ..file_lease import Known, lease_refusal, next_epoch

BEAT = 5.0
"""Seconds between two heartbeats of a holder."""
EXPIRY = 30
"""Seconds after the last one until the run is free."""
_NOW = "extract(epoch from clock_timestamp())::bigint"
_STANDING = (
    "select leases.run, epoch, holder, coalesce(until, 0) - " + _NOW + " from leases"
    " left join heartbeats on heartbeats.run = leases.run"
)
_BEAT = (
    "insert into heartbeats select run, " + _NOW + " + ? from leases where run = ? and epoch = ?"
    " on conflict (run) do update set until = excluded.until"
)

_FREE = (
    "update heartbeats set until = 0 where run = (select run from leases where run = ?"
    " and epoch = ?)"
)
"""The row of the number stays, with the name of who was the last: whoever is late reads it."""


@dataclass(slots=True)
class PostgresLeases:
    """The runs that this process executes on one store. `beat` and `expiry` are in seconds."""

    db: Database
    beat: float = BEAT
    expiry: int = EXPIRY
    _tasks: dict[str, asyncio.Task[Any]] = field(default_factory=dict)
    _lost: dict[str, str] = field(default_factory=dict)
    _loose: dict[str, int] = field(default_factory=dict)
    """Runs that are done with, and that the server could not be told of."""
    _heart: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def hold(self, run: str, *, by_force: bool = False) -> AsyncIterator[None]:
        """Hold the run. Raise `NotHeld`, naming the other process, when it is held already; and in
        the midst of the block, when it was taken over."""
        epoch = await self._take(run, by_force)
        task = asyncio.current_task()
        assert task is not None
        self.db.epochs[run], self._tasks[run] = epoch, task
        self.db.epochs.held.add(run)
        if self._heart is None:
            self._heart = asyncio.create_task(self._beat())
        try:
            yield
        except asyncio.CancelledError:
            if run not in self._lost:
                raise
            task.uncancel()
            raise taken_over(run, self._lost[run]) from None
        finally:
            del self._tasks[run]
            if self.db.epochs.get(run) == epoch:  # else somebody here has taken it by force
                self.db.epochs.held.discard(run)
            await self._release(run, epoch)

    async def held_among(self, runs: Iterable[str]) -> frozenset[str]:
        """Return which of the runs are being executed, by whatever process."""
        wanted = list(runs)
        if not wanted:
            return frozenset()
        rows = await self.db.rows(f"{_STANDING} where leases.run = any(?)", (wanted,))
        return await asyncio.to_thread(self._held_of, rows)

    @asynccontextmanager
    async def end(
        self, db: Database, runs: Sequence[str]
    ) -> AsyncIterator[tuple[Database, list[str]]]:
        """Open a transaction with which the leases end of the runs that nobody executes: nobody
        takes one of them meanwhile."""
        async with db.transaction(*(about_lease(run) for run in runs)) as inside:
            query = f"{_STANDING} where leases.run in ({marks(runs)})"
            held = await asyncio.to_thread(self._held_of, await inside.rows(query, runs))
            free = [run for run in runs if run not in held]
            yield inside, free
            await delete_of(inside, {"leases": "run", "heartbeats": "run"}, free)

    async def sweep(self, known: Known, *, dry_run: bool) -> int:
        """Remove the rows of runs that are gone; one that was begun meanwhile keeps its own."""
        rows = await self.db.rows(_STANDING)
        runs = await known()
        rows = [row for row in rows if row[0] not in runs]
        held = await asyncio.to_thread(self._held_of, rows)
        loose = [row[0] for row in rows if row[0] not in held]
        if not dry_run:
            for run in loose:
                with contextlib.suppress(NotHeld):
                    async with self.hold(run):
                        await self.db.run(FORGET, (run,))
            await self.db.run("delete from heartbeats where run not in (select run from leases)")
        return len(loose)

    async def close(self) -> None:
        """Let the heart stop."""
        if self._heart is not None:
            self._heart.cancel()
            await asyncio.wait([self._heart])

    async def _take(self, run: str, by_force: bool) -> int:
        """Take the run, and say so in this process before the server says it to anybody: who reads
        its row between the two would find a run that this process has left."""
        held = self.db.epochs.held
        was_held = True
        try:
            async with self.db.transaction(about_lease(run)) as inside:
                for _, _, holder, left in await inside.rows(
                    f"{_STANDING} where leases.run = ?", (run,)
                ):
                    if not by_force and self._is_held(run, holder, left):
                        raise _refusal(run, holder)
                epoch = await next_epoch(inside, run)
                await inside.run(_BEAT, (self.expiry, run, epoch))
                was_held = run in held
                held.add(run)
        except BaseException:
            if not was_held:
                held.discard(run)
            raise
        self._lost.pop(run, None)
        return epoch

    def _held_of(self, rows: Sequence[Row]) -> frozenset[str]:
        """Return which of the runs are held; to know who has died reads files."""
        return frozenset(run for run, _, holder, left in rows if self._is_held(run, holder, left))

    def _is_held(self, run: str, holder: str, left: int) -> bool:
        """Return whether the holder of a run, whose lease lasts `left` more seconds, executes
        it."""
        if left < 0:
            return False
        known = Holder.read(holder)
        if known is not None and known.is_here:
            return run in self.db.epochs.held
        return known is None or not known.is_dead

    async def _release(self, run: str, epoch: int) -> None:
        """Let go of the run. The number of one that was lost stays: what comes late is refused."""
        self._loose[run] = epoch
        with contextlib.suppress(RunError):
            if await self.db.run(_FREE, (run, epoch)) and self.db.epochs.get(run) == epoch:
                del self.db.epochs[run]
            self._loose.pop(run, None)

    async def _beat(self) -> None:
        """Say that the runs are held; stop those that another process has taken. A server that does
        not answer does not stop them: whoever writes finds out."""
        while True:
            await asyncio.sleep(self.beat)
            with contextlib.suppress(RunError):
                for run in list(self._tasks):
                    await self._beat_once(run)
                for run, epoch in list(self._loose.items()):
                    await self._release(run, epoch)

    async def _beat_once(self, run: str) -> None:
        epoch = self.db.epochs.get(run)
        if epoch is None or await self.db.run(_BEAT, (self.expiry, run, epoch)):
            return
        rows = await self.db.rows("select holder from leases where run = ?", (run,))
        if run in self._tasks and self.db.epochs.get(run) == epoch:
            self._lost[run] = rows[0][0] if rows else ""
            self._tasks[run].cancel()


def _refusal(run: str, holder: str) -> NotHeld:
    return lease_refusal(run, str(Holder.read(holder) or "unknown"))
