"""Coroutines in code that is not async: a thread with an event loop of its own."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def wait_for(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine gives. Where an event loop runs already, as in a notebook, the
    coroutine has a thread and a loop of its own."""
    return run_in_thread(coroutine).result() if _is_looping() else asyncio.run(coroutine)


def _is_looping() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def run_in_thread(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Execute a coroutine in a thread with the caller's context and a loop of its own."""
    thread = ThreadPoolExecutor(1, "flowc")
    future = thread.submit(contextvars.copy_context().run, asyncio.run, coroutine)
    thread.shutdown(wait=False)
    return future


def is_cancelled() -> bool:
    """Return whether somebody cancels the task that is running. Foreign code raises
    `CancelledError` by itself too: that is its own failure."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def in_thread(
    function: Callable[[], T], undo: Callable[[T], object] = lambda made: None
) -> T:
    """Return what a function gives that may block, such as one that asks the disk. Its end is
    waited for even when nobody wants it any more; what it made is undone then."""
    waiting = asyncio.ensure_future(asyncio.to_thread(function))
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        await asyncio.wait([waiting])
        if waiting.exception() is None:
            await asyncio.to_thread(undo, waiting.result())
        raise


async def on_loop(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine gives on a loop that another thread may run; cancelling cancels both.
    On a loop that does not run it would wait for ever: it is executed here then."""
    if asyncio.get_running_loop() is loop or not loop.is_running():
        return await coroutine
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, loop))


class LastingLoop:
    """An event loop in a thread of its own, for what outlives the loops that use it. The thread
    does not keep the process alive."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    async def execute(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine gives there, from any other loop; cancelling cancels both."""
        return await asyncio.wrap_future(self.submit(coroutine))

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin a coroutine there, without the caller's context: what it begins outlives that."""
        begin = asyncio.run_coroutine_threadsafe
        return contextvars.Context().run(begin, coroutine, self._loop)

    def close(self) -> None:
        """End the thread, with whatever it is at."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
