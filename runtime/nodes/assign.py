"""assign: variables get values, in order. Without assignments it is a named checkpoint (M9)."""

from __future__ import annotations

from flowc.compiler.ir import AssignNode

from ..secrets import shown_value
from .visit.visit import Done, Visit, assign, shorten


async def run(visit: Visit, op: AssignNode) -> Done:
    """Evaluate every assignment once; a later one sees the earlier ones."""
    values = assign(visit.scope, op.assignments)
    shown = [
        f"{name} = {shorten(visit.scope.show(shown_value(name, value, ())), 60)}"
        for name, value in values.items()
    ]
    return Done(variables=values, text=", ".join(shown))
