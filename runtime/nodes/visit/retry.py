"""Attempts: a node that may fail is run again after a while, as its `retry` says.

All attempts are one visit. Which of them failed, and when the next is due, is in the journal: a run
that was paused or killed between two of them goes on with the next one when its time has come. A
later attempt starts anew, but calls of tools and commands that were done keep their results.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from flowc.compiler.ir import Retry
from langgraph.errors import GraphDrained

from ...context import HERE
from ...errors import Failure
from ...services import MODEL_CALL, Json
from .limits import bounded
from .visit import Body, Done, Visit

FAILED_ATTEMPT = "attempt failed"
"""The name under which the journal keeps failed attempts, by their number."""
LOOK_SECONDS = 0.1
"""How often a node that waits looks whether the run is asked to leave off."""


async def tried(visit: Visit, body: Body) -> Done:
    """What the body comes to, or what the last attempt does. Raises its `Failure`."""
    retry = visit.node.op.retry
    if retry is None:
        return await bounded(visit, body)
    journal = visit.services.journal
    past = await journal.entries(visit.runtime, FAILED_ATTEMPT)
    attempt = len(past) + 1
    if past:
        await _wait(visit, past[len(past)])
    here = HERE.get()
    while True:
        if here is not None:
            here.try_again(attempt)
        done, failure = await _attempt(replace(visit, attempt=attempt), body)
        if failure is None:
            if attempt > 1:
                await journal.abandon(visit.runtime)
            return done
        if attempt >= retry.attempts or failure.kind not in retry.errors:
            if failure is not done.failure:
                raise failure
            return done
        kept = await _again(visit, retry, attempt, failure)
        await _wait(visit, kept)
        attempt += 1


async def _attempt(visit: Visit, body: Body) -> tuple[Done, Failure | None]:
    try:
        done = await bounded(visit, body)
    except Failure as failure:
        return Done(), failure
    return done, done.failure


async def _again(visit: Visit, retry: Retry, attempt: int, failure: Failure) -> Json:
    """Note that an attempt failed: {due, wait}, the time of the next one and the seconds until
    then. A model call that a time-out cut off may be made again; what a tool did is in doubt."""
    wait = retry.wait * retry.factor ** (attempt - 1)
    kept = {"due": time.time() + wait, "wait": wait}
    await visit.services.journal.keep(visit.runtime, FAILED_ATTEMPT, attempt, kept)
    await visit.services.journal.abandon(visit.runtime, MODEL_CALL)
    visit.emit(
        "node_retry",
        {
            "attempt": attempt,
            "of": retry.attempts,
            "error": failure.message,
            "kind": failure.kind,
            "wait": wait,
        },
    )
    return kept


async def _wait(visit: Visit, kept: Json) -> None:
    """Until the next attempt is due. A clock that was set back does not make it longer."""
    if not visit.services.tape.waits:
        return
    end = time.monotonic() + min(kept["due"] - time.time(), kept["wait"])
    while (left := end - time.monotonic()) > 0:
        if visit.runtime.drain_requested:
            raise GraphDrained(visit.runtime.drain_reason or "signal")
        await asyncio.sleep(min(left, LOOK_SECONDS))
