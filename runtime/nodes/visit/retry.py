"""Attempts: a node that fails runs again after a while, as its `retry` says.

All attempts are one visit. The journal holds the failed ones and the time of the next: a run that
was paused or killed between two attempts goes on with the next one when its time has come. A later
attempt starts anew, but tool calls and commands that were done keep their results.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import cast

from flowc.compiler.ir import Retry

from ...context import HERE
from ...errors import Failure
from ...services import MODEL_CALL
from .limits import run_within_limits
from .visit import Body, Done, Visit
from .waiting import wait_until

FAILED_ATTEMPT = "attempt failed"
"""The journal's name for failed attempts, by their number."""


def run_attempts(visit: Visit, body: Body) -> Awaitable[Done]:
    """Run the body until it succeeds; return or raise as the last attempt does."""
    retry = visit.node.op.retry
    return run_within_limits(visit, body) if retry is None else _run_again(visit, body, retry)


async def _run_again(visit: Visit, body: Body, retry: Retry) -> Done:
    journal = visit.services.journal
    past = await journal.entries(visit.runtime, FAILED_ATTEMPT)
    attempt = len(past) + 1
    if past:
        await _wait(visit, cast("Mapping[str, float]", past[len(past)]))
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
        await _wait(visit, await _note_failure(visit, retry, attempt, failure))
        attempt += 1


async def _attempt(visit: Visit, body: Body) -> tuple[Done, Failure | None]:
    try:
        done = await run_within_limits(visit, body)
    except Failure as failure:
        return Done(), failure
    return done, done.failure


async def _note_failure(
    visit: Visit, retry: Retry, attempt: int, failure: Failure
) -> dict[str, float]:
    """Note a failed attempt in the journal, and return {due, wait}: the time of the next attempt
    and the seconds until then."""
    wait = retry.wait * retry.factor ** (attempt - 1)
    note = {"due": visit.services.clock.now() + wait, "wait": wait}
    await visit.services.journal.keep(visit.runtime, FAILED_ATTEMPT, attempt, note)
    # A model call that a time-out cut off may be repeated; a tool call stays in doubt.
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
    return note


async def _wait(visit: Visit, note: Mapping[str, float]) -> None:
    """Wait until the next attempt is due."""
    await wait_until(visit, note["due"], note["wait"])
