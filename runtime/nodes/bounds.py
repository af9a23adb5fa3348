"""The bounds of a visit: the node's time-out, and limits on visits and steps."""

from __future__ import annotations

import asyncio

from flowc.compiler.ir import Limit

from ..errors import Failure, LimitReached
from .visit import Body, Done, Visit


async def bounded(visit: Visit, body: Body) -> Done:
    """The body under the node's own time-out, if it has one."""
    limit = visit.node.op.timeout
    if limit is None:
        return await body(visit)
    try:
        async with asyncio.timeout(limit) as clock:
            return await body(visit)
    except TimeoutError:
        if not clock.expired():
            raise
        raise Failure(f"`{visit.node.id}` took longer than {limit:g} s", "timeout") from None


def enforce_limits(visit: Visit) -> None:
    """Limits are counters of our own: they are in the state and so outlive a crash (M45)."""
    if visit.steps > visit.services.max_steps:
        raise LimitReached(f"{visit.services.max_steps} steps are done, which is this run's limit")
    for limit in (*visit.node.limits, *visit.setting.spec.limits):
        used = visit.number if limit.name == "visits" else visit.steps
        bound = _bound(visit, limit)
        if used <= bound:
            continue
        if limit.name == "visits":
            times = "once" if bound < 2 else f"{bound:g} times"
            message = f"`{visit.node.id}` was entered {times}, which is its limit"
        else:
            message = f"{bound:g} steps are done, which is the workflow's limit"
        if limit.then == "stop":
            raise LimitReached(message)
        raise Failure(message, "limit")


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
