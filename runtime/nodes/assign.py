"""assign: variables get values, in order. Without assignments it is a named checkpoint (M9)."""

from __future__ import annotations

from flowc.compiler.ir import AssignNode

from .visit.visit import Done, Visit, assign, shorten


async def run(visit: Visit, op: AssignNode) -> Done:
    """Evaluate every assignment once; a later one sees the earlier ones."""
    values = assign(visit.scope, op.assignments)
    shown = ", ".join(f"{name} = {shorten(visit.scope.show(v), 60)}" for name, v in values.items())
    return Done(variables=values, text=shown)
