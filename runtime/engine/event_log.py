"""Passing events on: to the listeners at once, in small batches to the store (`RunStore`), with
whatever else of the run waits to be written."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from ..context import CALL_PATH
from ..db.database import Ahead, Write, nothing_ahead
from ..errors import RunError, StoreAway
from ..events import EventKind, Listener, RunEvent, Tape
from ..store.runs import RunStore

NOT_KEPT = frozenset({"model_text"})
"""Events that are shown, not stored: the whole text is in the answer that follows."""

BATCH_SECONDS = 0.05
"""Seconds in which events are gathered: a transaction for each would slow the run down."""


@dataclass(slots=True)
class EventLog:
    """Gives events of one run their time and path and passes them on. `on_lost` is called when a
    listener cannot write any more; it gets no events from then on."""

    store: RunStore
    run: str
    listeners: tuple[Listener, ...] = ()
    on_lost: Callable[[], None] = lambda: None
    tape: Tape = field(default_factory=Tape)
    """Says what every event carries besides its own data."""
    checkpoints: Ahead = nothing_ahead
    """Yields the checkpoints that wait: they come before everything else."""
    _soon: dict[object, Write] = field(default_factory=dict)
    _lost: set[int] = field(default_factory=set)
    _waiting: list[RunEvent] = field(default_factory=list)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _writing: asyncio.Task[None] | None = None
    _last: int | None = None
    """The position of the last event that is written; None before this log wrote any."""
    _in_turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def emit(self, kind: EventKind, node: str, data: dict[str, Any]) -> None:
        """Pass an event on: the `Emit` of the services."""
        stored = kind not in NOT_KEPT
        data = {**data, **self.tape.mark(stored)}
        event = RunEvent(kind, self.run, self.store.event_time(), node, CALL_PATH.get(), data)
        for number, listener in enumerate(self.listeners):
            if number not in self._lost:
                self._tell(number, listener, event)
        if stored:
            self._waiting.append(event)
            self._wake.set()

    def _tell(self, number: int, listener: Listener, event: RunEvent) -> None:
        """Call a listener. One whose reader has gone away must not break the effect."""
        try:
            listener(event)
        except OSError:
            self._lost.add(number)
            self.on_lost()

    def begin(self) -> None:
        """Take note that nothing is written of the run."""
        self._last = 0

    def write_soon(self, key: object, write: Write | None) -> None:
        """Write something with whatever is written next, in the place of what has the same key, or
        nothing in its place."""
        self._soon.pop(key, None)
        if write is not None:
            self._soon[key] = write
            self._wake.set()

    async def flush(self) -> None:
        """Write what waits. Raise `RunError`; it waits on then."""
        async with self.waiting() as writes:
            if writes:
                await self.store.db.for_run(self.run).put_all(writes)

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[Sequence[Write]]:
        """Yield everything that waits: it is written when the block ends, and waits on when that
        raises. The intention of an effect takes it with it: a run that a kill ends in the effect
        goes on from there, and nothing else would ever tell what led to it."""
        async with self.checkpoints() as before, self.besides_checkpoints() as more:
            yield (*before, *more)

    @asynccontextmanager
    async def besides_checkpoints(self) -> AsyncIterator[Sequence[Write]]:
        """Yield what waits, without checkpoints: those take it with them, too."""
        async with self._in_turn:
            if self._last is None:
                self._last = await self.store.last_event(self.run)
            batch, self._waiting = self._waiting, []
            soon, self._soon = self._soon, {}
            self._wake.clear()
            try:
                events = self.store.event_writes(self.run, self._last, batch)
                yield (*soon.values(), *events)
            except BaseException:
                self._waiting = [*batch, *self._waiting]
                self._soon = {**soon, **self._soon}
                raise
            self._last += len(batch)
        if batch:
            self.store.on_events(self.run)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Write events in the background; all of them are written when the block ends, unless that
        ends because the store went away: it has been waited for."""
        writer, away = asyncio.create_task(self._write()), False
        try:
            yield
        except StoreAway:
            away = True
            raise
        finally:
            writer.cancel()
            await asyncio.wait([writer])
            if self._writing is not None:  # what it could not write waits again
                if away:
                    self._writing.cancel()
                await asyncio.wait([self._writing])
            if not away:
                await self.flush()

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            await asyncio.sleep(BATCH_SECONDS)
            # A store that cannot be written now is complained of at the end, if it still cannot.
            self._writing = asyncio.create_task(self.flush())
            # Else asyncio would complain of it where the run ends before this loop reads it.
            self._writing.add_done_callback(lambda task: task.cancelled() or task.exception())
            with contextlib.suppress(RunError):
                await asyncio.shield(self._writing)
