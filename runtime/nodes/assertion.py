"""assert: fail with the message unless the condition holds."""

from __future__ import annotations

from flowc.compiler.expr.evaluate import truth_of
from flowc.compiler.ir import AssertNode

from ..errors import Failure
from .visit.visit import Done, Visit


async def run(visit: Visit, op: AssertNode) -> Done:
    """Raise `Failure` when the condition does not hold."""
    if truth_of(visit.value(op.condition)):
        return Done(text="holds")
    message = visit.text(op.message) if op.message is not None else ""
    raise Failure(message or f"`{op.title or op.id}` does not hold")
