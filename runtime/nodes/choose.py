"""choose: evaluate once; the case is written to the node's route channel, edges only read it."""

from __future__ import annotations

from flowc.compiler.ir import ChooseNode

from .visit.visit import Done, Visit


async def run(visit: Visit, op: ChooseNode) -> Done:
    """Return the case: "true" or "false" for a boolean, the text form of any other value."""
    value = visit.value(op.on)
    case = str(value).lower() if isinstance(value, bool) else visit.scope.show(value)
    return Done(case=case, text=case)
