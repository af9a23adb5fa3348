"""Coroutines in code that is not async: a thread with an event loop of its own."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine
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
