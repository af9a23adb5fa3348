"""Clocks that a run waits by, and the timers that say until when."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class WaitClock:
    """The clocks for waits, in seconds, and how often one looks up. Up to `short` seconds a process
    waits itself; for longer the run waits without one."""

    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    look: float = 0.1
    short: float = 5.0


@dataclass(frozen=True, slots=True)
class Timer:
    """Until when a visit of `node` waits: `due` in seconds since 1970, None for ever. A `wait` is
    over then, the `event` of that name did not come in time."""

    kind: Literal["wait", "event"]
    due: float | None
    node: str
    event: str = ""
