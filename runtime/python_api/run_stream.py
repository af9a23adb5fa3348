"""The events of a run, one after another, in code that is not async and in code that is."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future
from typing import Any

from ..engine.signals import RunSignals
from ..event_loops import run_in_thread
from ..events import Listener, RunEvent
from ..services import Outcome

Executing = Callable[[Listener, RunSignals], Coroutine[Any, Any, Outcome]]
"""Executes a run and tells a listener of its events, until the signals drain it."""


class RunStream(Iterator[RunEvent]):
    """The events of a run, which begins with the first of them. `outcome` is there when they have
    ended. A stream that is closed early lets the run end at its next checkpoint, to be resumed."""

    def __init__(self, executing: Executing) -> None:
        self.outcome: Outcome | None = None
        self._executing = executing
        self._signals = RunSignals()
        self._events: queue.SimpleQueue[RunEvent | None] = queue.SimpleQueue()
        self._end: Future[Outcome] | None = None

    def __next__(self) -> RunEvent:
        if self._end is None:
            self._end = run_in_thread(self._executing(self._events.put, self._signals))
            self._end.add_done_callback(lambda _: self._events.put(None))
        event = None if self.outcome is not None else self._events.get()
        if event is not None:
            return event
        self.outcome = self._end.result()
        raise StopIteration

    def close(self) -> None:
        """Let the run end at its next checkpoint, and wait for that."""
        if self._end is not None:
            self._signals.request_drain("stop")
            self.outcome = self._end.result()

    def __enter__(self) -> RunStream:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class AsyncRunStream(AsyncIterator[RunEvent]):
    """The same for `async for`."""

    def __init__(self, executing: Executing) -> None:
        self.outcome: Outcome | None = None
        self._executing = executing
        self._signals = RunSignals()
        self._events: asyncio.Queue[RunEvent | None] = asyncio.Queue()
        self._end: asyncio.Task[Outcome] | None = None

    async def __anext__(self) -> RunEvent:
        if self._end is None:
            executing = self._executing(self._events.put_nowait, self._signals)
            self._end = asyncio.create_task(executing)
            self._end.add_done_callback(lambda _: self._events.put_nowait(None))
        event = None if self.outcome is not None else await self._events.get()
        if event is not None:
            return event
        self.outcome = await self._end
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Let the run end at its next checkpoint, and wait for that."""
        if self._end is not None:
            self._signals.request_drain("stop")
            self.outcome = await self._end

    async def __aenter__(self) -> AsyncRunStream:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()
