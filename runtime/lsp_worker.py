"""The worker: one thread beside the language server's loop in which everything slow is done.

The thread is a daemon: when the editor goes away in the middle of a long compilation, nobody waits
for it.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
_Job = tuple[Callable[[], Any], "asyncio.Future[Any]"]


class Worker:
    """Runs jobs one after another."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def run(self, job: Callable[[], T]) -> T:
        """What `job` gives; what it raises is raised here. A cancelled one is not begun."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True, name="flowc-compile")
            self._thread.start()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.put((job, future))
        return await future

    def _work(self) -> None:
        while True:
            job, future = self._jobs.get()
            if not future.cancelled():
                self._do(job, future)
            del job, future

    def _do(self, job: Callable[[], Any], future: asyncio.Future[Any]) -> None:
        give: Callable[[Any], None]
        try:
            value = job()
        except Exception as error:  # handed over, not swallowed: the awaiting side raises it
            give, value = future.set_exception, error
        else:
            give = future.set_result

        def deliver() -> None:
            if not future.done():
                give(value)

        try:
            future.get_loop().call_soon_threadsafe(deliver)
        except RuntimeError:
            return  # the loop has ended, nobody waits
