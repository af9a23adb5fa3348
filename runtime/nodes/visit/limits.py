"""The limits of a visit: the node's time-out, and limits on visits, steps and seconds.

Limits of a workflow count for each run of it, those of a node for all its visits in such a run. The
limits of a node that runs another workflow bound the nodes in there too.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass

from flowc.compiler.ir import Limit

from ...context import binding
from ...errors import Failure, LimitReached
from ...state.channels import SECONDS_BEFORE, STEPS_BEFORE
from .spending import scope_of
from .visit import Body, Done, Visit

_OVER = "the time that {whose} has is over"


@dataclass(frozen=True, slots=True)
class _Ceiling:
    """A limit on steps around the workflow that is running: the run ends after `steps`."""

    steps: float
    stop: LimitReached | Failure


_CEILINGS: ContextVar[tuple[_Ceiling, ...]] = ContextVar("flowc_ceilings", default=())


def run_within_limits(visit: Visit, body: Body) -> Awaitable[Done]:
    """Run the body within the node's own time-out and the rest of the workflow's time."""
    op, limits = visit.node.op, visit.limits
    timed = op.timeout is not None or visit.services.deadline is not None
    bounded = timed or limits.steps or limits.seconds
    return _run_bounded(visit, body) if bounded else body(visit, op)


async def _run_bounded(visit: Visit, body: Body) -> Done:
    own, left, all_left = visit.node.op.timeout, _seconds_left(visit), _before_deadline(visit)
    with _below_ceilings(visit) if visit.limits.steps else nullcontext():
        bounds = [bound for bound in (own, left, all_left) if bound is not None]
        if not bounds:
            return await body(visit, visit.node.op)
        limit = min(bounds)
        try:
            async with asyncio.timeout(limit) as clock:
                return await body(visit, visit.node.op)
        except TimeoutError:
            if not clock.expired():  # the time-out of something inside
                raise
            if limit == all_left:
                raise LimitReached(_OVER.format(whose="this execution"), "seconds") from None
            if limit != own:
                raise Failure(_OVER.format(whose="the workflow"), "limit") from None
            raise Failure(f"`{visit.node.id}` took longer than {limit:g} s", "timeout") from None


def enforce_limits(visit: Visit) -> None:
    """Raise `Failure` or `LimitReached` for a limit that this visit exceeds (M45)."""
    if visit.steps > visit.services.max_steps:
        message = f"{visit.services.max_steps} steps are done, which is this run's limit"
        raise LimitReached(message, "steps")
    for ceiling in _CEILINGS.get():
        if visit.steps > ceiling.steps:
            raise ceiling.stop
    for limit, own in visit.limits.counted:
        _enforce(visit, limit, own)


def _before_deadline(visit: Visit) -> float | None:
    """Return the seconds that the caller's limit leaves. Raise `LimitReached` when it is over."""
    deadline = visit.services.deadline
    left = None if deadline is None else deadline - time.monotonic()
    if left is not None and left <= 0:
        raise LimitReached(_OVER.format(whose="this execution"), "seconds")
    return left


def counters(visit: Visit, steps: float, seconds: float) -> dict[str, float]:
    """Return the steps and seconds of a visit, by the counters of its node's own limits. They are
    in the state and so outlive a crash."""
    if not visit.node.limits:
        return {}
    names = {limit.name for limit in visit.node.limits}
    amounts = {"steps": steps, "seconds": seconds}
    return {_key(visit, name): amount for name, amount in amounts.items() if name in names}


def _enforce(visit: Visit, limit: Limit, own: bool) -> None:
    used, most = _used(visit, limit, own), _most(visit, limit)
    if used - _since(visit, limit, own) > most:
        again = int(used) if limit.name == "seconds" else int(used) - 1
        raise _stop(visit, limit, most, own, again)


def _since(visit: Visit, limit: Limit, own: bool) -> int:
    """Return the usage that a limit counts from, since it has stopped the run."""
    if limit.then != "stop":
        return 0
    return visit.services.budget.since(_scope(visit, own), limit.name)


def _scope(visit: Visit, own: bool) -> str:
    return scope_of(visit, visit.node.id if own else "")


def _stop(visit: Visit, limit: Limit, most: float, own: bool, used: int) -> Failure | LimitReached:
    """Return the error of a limit that is reached."""
    whose = f"`{visit.node.id}`" if own else "the workflow"
    match limit.name:
        case "visits":
            times = "once" if most < 2 else f"{most:g} times"
            message = f"`{visit.node.id}` was entered {times}, which is its limit"
        case "seconds":
            message = _OVER.format(whose=whose)
        case _:
            message = f"{most:g} steps are done, which is the limit of {whose}"
    if limit.then == "stop":
        return LimitReached(message, limit.name, _scope(visit, own), used)
    return Failure(message, "limit")


def _used(visit: Visit, limit: Limit, own: bool) -> float:
    """Return the usage so far, this visit included."""
    visits = visit.state.get("$visits") or {}
    match limit.name:
        case "visits":
            return visit.number
        case "seconds" if own:
            return float(visits.get(_key(visit, "seconds"), 0))
        case "seconds":
            return visit.services.elapsed() - float(visits.get(SECONDS_BEFORE, 0))
        case _ if own:
            return int(visits.get(_key(visit, "steps"), 0)) + 1
        case _:
            return visit.steps - int(visits.get(STEPS_BEFORE, 0))


def _key(visit: Visit, name: str) -> str:
    return f"${name} of {visit.node.id}"


def _below_ceilings(visit: Visit) -> AbstractContextManager[None]:
    """Bound the workflows that the block runs by the limits on steps."""
    ceilings = list(_CEILINGS.get())
    for limit, own in visit.limits.steps:
        end = _since(visit, limit, own) + (most := _most(visit, limit))
        stop = _stop(visit, limit, most, own, int(end))
        ceilings.append(_Ceiling(visit.steps - _used(visit, limit, own) + end, stop))
    return binding(_CEILINGS, tuple(ceilings))


def _seconds_left(visit: Visit) -> float | None:
    """Return the seconds that the limits leave; None without a limit that fails the node."""
    left = [
        _most(visit, limit) - _used(visit, limit, own)
        for limit, own in visit.limits.seconds
        if limit.then == "fail"
    ]
    return max(min(left), 0) if left else None


def _most(visit: Visit, limit: Limit) -> float:
    """Return a limit's value, at least 1: every node may run once. Raise `Failure` of kind limit
    when it is not a number."""
    about = f"the limit on {limit.name} of `{visit.node.id}`"
    try:
        value = visit.value(limit.value)
    except Failure as failure:
        raise Failure(f"{about} cannot be read: {failure.message}", "limit") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Failure(f"{about} is not a number: {visit.scope.show(value)}", "limit")
    return max(value, 1)
