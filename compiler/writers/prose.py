"""For formats that are read like a text: nodes in the order of reading, templates as prose."""

from __future__ import annotations

from ..analysis.graphs import edges_from
from ..expr.ast import Call, Expr, Literal, Name, Text
from ..ir import Node, OnError, Workflow


def in_order(workflow: Workflow) -> list[Node]:
    """The nodes along the way that is taken when nothing fails; those beside it come last."""
    nodes = {node.id: node for node in workflow.nodes}
    after = edges_from(e for e in workflow.edges if not isinstance(e.guard, OnError))
    reached: dict[str, None] = {}
    waiting = [workflow.entry, *nodes][::-1]
    while waiting:
        id = waiting.pop()
        if id not in reached and id in nodes:
            reached[id] = None
            waiting += [edge.target for edge in reversed(after.get(id, ()))]
    return [nodes[id] for id in reached]


def bracket(expr: Expr) -> str:
    """A template with the placeholders of step markdown, `[NAME]` (S33). What is neither text nor a
    variable leaves a gap that shows what stood there."""
    match expr:
        case Literal():
            return "" if expr.value is None else str(expr.value)
        case Name():
            return f"[{expr.name}]"
        case Call(function="coalesce", args=(Name(name=name), *_)):
            return f"[{name}]"
        case Text():
            return "".join(bracket(part) for part in expr.parts)
        case _:
            return "[…]"
