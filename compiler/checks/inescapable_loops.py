"""Termination: loops that no edge leaves (FC2005).

    PROMPT --> CHECK -->|FALSE| PROMPT        no other edge of the two: the loop never ends

What a format adds for failures and limits does not count as a way out: a run that can only end by
failing has no end.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import ir
from ..analysis.graphs import leaves, loops, path_to, reachable, successors
from ..analysis.ways import nodes_reached, successors_of
from ..analysis.wording import node_name, path_text
from ..diagnostics.diagnostic import Code, Diagnostic, Label
from ..diagnostics.examples import chart
from ..expr.types import constant
from ..expr.values import text_of
from .branches import choices
from .check import Check


def inescapable_loops(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC2005, once for each loop, at the node where a run enters it."""
    fixed, there = _fixed_cases(workflow), nodes_reached(workflow)
    taken = [edge for edge in workflow.edges if _is_way(edge, fixed)]
    after = successors_of(workflow)
    if len(taken) < len(workflow.edges):
        after = successors((node.id for node in workflow.nodes), taken)
    endless = [m for m in loops(after) if m[0] in there and not leaves(m, after)]
    nodes = {node.id: node for node in workflow.nodes if endless}
    place = {id: number for number, id in enumerate(there if endless else ())}
    for members in endless:
        head = min(members, key=lambda id: place.get(id, len(place)))
        own = {*members}
        inside = {id: tuple(t for t in after[id] if t in own) for id in members}
        yield from _report(nodes, _circle(head, inside), members)


INESCAPABLE_LOOPS = Check(
    Code("FC2005", "inescapable-loop", "error",
        title="A loop that no edge leaves.",
        why="Once entered, it can only end by a limit or an error.",
        examples=lambda: (
            chart(
                """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> PROMPT_REPAIR[User Repair]
            PROMPT_REPAIR --> PROMPT_REVIEW
            """
            ),
            chart(
                """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> CHECK_REVIEW{RESULT == 'GOOD'}
            CHECK_REVIEW --> |YES| SUCCESS
            CHECK_REVIEW --> |NO| PROMPT_REPAIR[User Repair]
            PROMPT_REPAIR --> PROMPT_REVIEW
            """
            ),
        ),
    ),
    inescapable_loops,
)  # fmt: skip


def _is_way(edge: ir.Edge, fixed: dict[str, str]) -> bool:
    """Whether a run can go this way by what the file says."""
    match edge.guard:
        case ir.OnError():
            return not edge.implied
        case ir.Case(value=value):
            return fixed.get(edge.source, value) == value
        case ir.Otherwise() | None:
            return True


def _fixed_cases(workflow: ir.Workflow) -> dict[str, str]:
    """Choices that are the same in every run, where an edge has just that case."""
    values = {}
    for node, edges in choices(workflow):
        if (on := constant(node.on)) is not None and on.span is not None:
            value = text_of(on.value)
            if any(isinstance(e.guard, ir.Case) and e.guard.value == value for e in edges):
                values[node.id] = value
    return values


def _circle(head: str, inside: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """A shortest way from `head` back to it, `head` at both ends."""
    if head in inside[head]:
        return (head, head)
    before = reachable([head], inside)
    last = next(id for id in before if head in inside[id])
    return (*path_to(last, before), head)


def _report(
    nodes: dict[str, ir.Node], circle: tuple[str, ...], members: tuple[str, ...]
) -> Iterator[Diagnostic]:
    head = nodes[circle[0]]
    others = [nodes[id] for id in circle[1:-1]]
    span = next((node.span for node in (head, *others) if node.span is not None), None)
    if span is None:
        return
    itself = len(members) == 1
    yield INESCAPABLE_LOOPS.code.diagnostic(
        f"{node_name(head)} leads to nothing but itself"
        if itself
        else f"no edge leaves the loop that begins at {node_name(head)}",
        span,
        labels=tuple(
            Label(node.span, "in the loop")
            for node in others[:5]
            if node.span is not None and node.span != span
        ),
        notes=(f"the loop: {path_text([nodes[id] for id in circle])}",),
        help="add a check whose other edge leads out of the loop",
    )
