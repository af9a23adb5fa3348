"""The switch that lets an execution end at its next checkpoint, and the signals that throw it.

`Execution` notices the requests of other processes (`flowc pause`), `TimeLimit` that time is over.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from langgraph.runtime import RunControl

DrainReason = Literal["signal", "pause", "stop", "limit"]


class RunSignals:
    """One execution of a run, seen from outside: `request_drain` lets the step that is under way
    finish, writes its checkpoint and ends. The first reason counts."""

    def __init__(self) -> None:
        self.reason: DrainReason | None = None
        self._control: RunControl | None = None

    def request_drain(self, reason: DrainReason = "signal") -> None:
        """Ask the run to end at its next checkpoint. May be called before the run begins and from
        any thread."""
        self.reason = self.reason or reason
        if self._control is not None:
            self._control.request_drain(self.reason)

    def bind(self, control: RunControl) -> None:
        """Connect the run that begins."""
        self._control = control
        if self.reason is not None:
            control.request_drain(self.reason)


@contextmanager
def on_signals(signals: RunSignals) -> Iterator[None]:
    """Drain at SIGINT and SIGTERM; a second one cancels what is under way, which is then in doubt.
    Use it inside a running event loop of the main thread."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()

    def drain_or_cancel() -> None:
        if signals.reason is None:
            signals.request_drain("signal")
        elif task is not None:
            task.cancel()

    handled, before = (signal.SIGINT, signal.SIGTERM), signal.getsignal(signal.SIGTERM)
    for number in handled:
        loop.add_signal_handler(number, drain_or_cancel)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
        signal.signal(signal.SIGTERM, before)  # the loop leaves the system's own behind
