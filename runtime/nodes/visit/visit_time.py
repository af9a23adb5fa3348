"""The time of a visit: what `now()` gives in the expressions of a node.

It is noted once, where the visit begins, so that a visit which is carried on after a crash or a
pause asks the same questions and takes the same way; a recording holds it too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from flowc.compiler.analysis.variables import expressions_of
from flowc.compiler.expr.ast import Call, Expr
from flowc.compiler.expr.walk import walk
from flowc.compiler.ir import AgentNode
from flowc.compiler.lowering.graphspec import GraphSpec, NodeSpec

from .visit import Visit

BEGAN = "visit began"
"""The journal's name for the time of a visit."""


def sees_time(node: NodeSpec, spec: GraphSpec) -> bool:
    """Return whether an expression that a visit of the node evaluates calls `now`."""
    return any(
        isinstance(part, Call) and part.function == "now"
        for expr in _expressions(node, spec)
        for part in walk(expr)
    )


def _expressions(node: NodeSpec, spec: GraphSpec) -> Iterator[Expr]:
    yield from expressions_of(node.op)
    yield from (limit.value for limit in (*node.limits, *spec.limits))
    yield from (change.value for rule in spec.on_error for change in rule.assignments)
    if isinstance(node.op, AgentNode):
        own = (agent.system for agent in spec.agents if agent.id == node.op.agent)
        yield from (system for system in own if system is not None)


async def with_time(visit: Visit) -> Visit:
    """Return the visit with the time at which it began: the noted one, or what the clock shows."""
    journal, runtime = visit.services.journal, visit.runtime
    noted = (await journal.entries(runtime, BEGAN)).get(1)
    began = visit.services.clock.now() if noted is None else cast("float", noted)
    time = visit.services.tape.time(began)
    if noted is None:
        await journal.keep(runtime, BEGAN, 1, time)
    return replace(visit, scope=replace(visit.scope, now=time))
