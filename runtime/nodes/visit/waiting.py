"""Waiting inside of a process: between two attempts, and for what is soon over."""

from __future__ import annotations

import asyncio

from langgraph.errors import GraphDrained

from .visit import Visit


async def wait_until(visit: Visit, due: float, longest: float) -> None:
    """Wait until a time (seconds since 1970), no longer than `longest` seconds: a clock that was
    set back does not make it longer. A request to pause or stop ends the execution meanwhile."""
    clock = visit.services.clock
    if not visit.services.tape.waits:
        return
    end = clock.monotonic() + min(due - clock.now(), longest)
    while (left := end - clock.monotonic()) > 0:
        if visit.runtime.drain_requested:
            raise GraphDrained(visit.runtime.drain_reason or "signal")
        await asyncio.sleep(min(left, clock.look))
