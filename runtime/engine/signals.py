"""Asking a run to stop at its next checkpoint: signals, pause and stop requests, time limits."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, Protocol

DrainReason = Literal["signal", "pause", "stop", "limit"]


class Drainable(Protocol):
    """LangGraph's RunControl, as far as flowc uses it."""

    def request_drain(self, reason: str = ...) -> None: ...


class RunSignals:
    """One execution of a run, seen from outside: `request_drain` lets the step that is under way
    finish, writes its checkpoint and ends. The first reason counts."""

    def __init__(self) -> None:
        self.reason: DrainReason | None = None
        self._control: Drainable | None = None

    def request_drain(self, reason: DrainReason = "signal") -> None:
        """Ask the run to end at its next checkpoint. May be called before the run begins and from
        any thread."""
        self.reason = self.reason or reason
        if self._control is not None:
            self._control.request_drain(self.reason)

    def bind(self, control: Drainable) -> None:
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

    handled = (signal.SIGINT, signal.SIGTERM)
    for number in handled:
        loop.add_signal_handler(number, drain_or_cancel)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
