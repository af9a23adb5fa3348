"""The bounds of a visit: the node's time-out, and limits on visits, steps and seconds."""

from __future__ import annotations

import asyncio

from flowc.compiler.ir import Limit

from ..errors import Failure, LimitReached
from .visit import Body, Done, Visit

_OVER = "the time that the workflow has is over"


async def bounded(visit: Visit, body: Body) -> Done:
    """The body under the node's own time-out and what is left of the workflow's time."""
    own, left = visit.node.op.timeout, _seconds_left(visit)
    if own is None and left is None:
        return await body(visit)
    limit = min(x for x in (own, left) if x is not None)
    try:
        async with asyncio.timeout(limit) as clock:
            return await body(visit)
    except TimeoutError:
        if not clock.expired():
            raise
        if limit != own:
            raise Failure(_OVER, "limit") from None
        raise Failure(f"`{visit.node.id}` took longer than {limit:g} s", "timeout") from None


def _seconds_left(visit: Visit) -> float | None:
    """What the workflow's limit on seconds leaves; None without one that ends it."""
    bounds = [
        _bound(visit, limit)
        for limit in visit.setting.spec.limits
        if limit.name == "seconds" and limit.then == "fail"
    ]
    return max(min(bounds) - visit.services.elapsed(), 0) if bounds else None


def enforce_limits(visit: Visit) -> None:
    """Limits are counters of our own: they are in the state and so outlive a crash (M45)."""
    if visit.steps > visit.services.max_steps:
        raise LimitReached(f"{visit.services.max_steps} steps are done, which is this run's limit")
    for limit in (*visit.node.limits, *visit.setting.spec.limits):
        used = _used(visit, limit)
        bound = _bound(visit, limit)
        if used <= bound:
            continue
        if limit.name == "visits":
            times = "once" if bound < 2 else f"{bound:g} times"
            message = f"`{visit.node.id}` was entered {times}, which is its limit"
        elif limit.name == "seconds":
            message = _OVER
        else:
            message = f"{bound:g} steps are done, which is the workflow's limit"
        if limit.then == "stop":
            raise LimitReached(message)
        raise Failure(message, "limit")


def _used(visit: Visit, limit: Limit) -> float:
    match limit.name:
        case "visits":
            return visit.number
        case "seconds":
            return visit.services.elapsed()
        case _:
            return visit.steps


def _bound(visit: Visit, limit: Limit) -> float:
    """Every node may run once, whatever is written. A limit that is no number is one that the
    workflow does not keep: a failure of kind limit."""
    about = f"the limit on {limit.name} of `{visit.node.id}`"
    try:
        value = visit.value(limit.value)
    except Failure as failure:
        raise Failure(f"{about} cannot be read: {failure.message}", "limit") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Failure(f"{about} is not a number: {visit.scope.show(value)}", "limit")
    return max(value, 1)
