"""A caller's limit on the time of a run: it drains the run, then cancels it."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..services import Outcome
from .signals import RunSignals

GRACE_SECONDS = 5.0
"""After the time limit the step under way may finish this long, then it is cancelled."""
IN_DOUBT = "what was under way is in doubt and will be asked about"


@dataclass(slots=True)
class TimeLimit:
    """The `limit` on the seconds of a run, over all its executions in this process, or None."""

    limit: float | None
    used: float = 0.0
    expired: bool = False

    @contextmanager
    def running(self, signals: RunSignals) -> Iterator[None]:
        """Drain when the time is over, cancel when draining takes too long."""
        if self.limit is None:
            yield
            return
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        left = max(self.limit - self.used, 0.0)
        began = loop.time()

        def cancel() -> None:
            self.expired = True
            if task is not None:
                task.cancel()

        timers = [
            loop.call_later(left, signals.request_drain, "limit"),
            loop.call_later(left + GRACE_SECONDS, cancel),
        ]
        try:
            yield
        finally:
            for timer in timers:
                timer.cancel()
            self.used += loop.time() - began

    async def execute(
        self, begin: Callable[[RunSignals], Awaitable[Outcome]], signals: RunSignals, run: str
    ) -> Outcome:
        """Return the outcome of `begin`, or that the time was over."""
        try:
            with self.running(signals):
                outcome = await begin(signals)
        except asyncio.CancelledError:
            if not self.expired:
                raise
            task = asyncio.current_task()
            while task is not None and task.cancelling():
                task.uncancel()
            return Outcome(run, "stopped", error=self._reason(f"; {IN_DOUBT}"))
        if outcome.status == "stopped" and signals.reason == "limit":
            return dataclasses.replace(outcome, error=self._reason())
        return outcome

    def _reason(self, more: str = "") -> dict[str, str]:
        message = f"the time limit of {self.limit:g} s is over{more}"
        return {"message": message, "kind": "limit", "limit": "seconds"}
