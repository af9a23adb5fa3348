"""Unbounded loops: those that can be left, but that nothing limits (FC2006).

    draft --> judge -->|again| draft        the judge may ask again for ever
              judge -->|good| publish

A loop in which a person answers every round goes at that person's pace, and one that counts its
rounds and asks for the count ends by itself: neither needs a limit.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import ir
from ..analysis.graphs import leaves, loops, reachable, successors
from ..analysis.ways import starts
from ..analysis.wording import node_name
from ..diagnostics.diagnostic import Code, Diagnostic, Label
from ..diagnostics.examples import flow, mend
from ..expr.ast import Binary, Expr, Literal
from ..expr.walk import names_read
from .check import Check
from .reachability import list_place

BOUNDING = frozenset({"steps", "visits", "tokens", "cost", "seconds"})
"""Limits that end a loop some day."""


def unbounded_loops(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC2006, once for each loop, at its first node in the file."""
    if any(limit.name in BOUNDING for limit in workflow.limits):
        return
    for members, has_exit in endless_loops(workflow, people_end_them=True):
        if has_exit:
            yield from _report(sorted(members, key=list_place))


UNBOUNDED_LOOPS = Check(
    Code("FC2006", "unbounded-loop", "warning",
        title="A loop that can be left, but that nothing limits.",
        why="What decides about the exit may never say so; every round costs.",
        examples=lambda: mend(
            flow(
                """
            nodes:
              - {name: write, agent: poet, prompt: Write a haiku., into: poem}
              - name: judge
                agent: critic
                prompt: A mark from 1 to 10. {{ poem }}
                into: mark
                next: [{when: mark < 7, to: write}, end]
            outputs: [poem]
            """
            ),
            "nodes:",
            "limits: {visits: 5}\nnodes:",
        ),
    ),
    unbounded_loops,
    needs="file",
)  # fmt: skip


def endless_loops(
    workflow: ir.Workflow, *, people_end_them: bool
) -> Iterator[tuple[list[ir.Node], bool]]:
    """Yield the nodes of each loop that neither a limit of a node nor its own count ends, and
    whether an edge leads out of it. Where `people_end_them`, a question in the loop is a limit."""
    nodes = {node.id: node for node in workflow.nodes}
    edges = [e for e in workflow.edges if not (e.implied and isinstance(e.guard, ir.OnError))]
    after = successors(nodes, edges)
    free = {
        id
        for id in reachable(starts(workflow), after)
        if not any(limit.name in BOUNDING for limit in nodes[id].limits)
        and not (people_end_them and isinstance(nodes[id], ir.AskNode))
    }
    circling = {id: tuple(t for t in after[id] if t in free) for id in nodes if id in free}
    sums = {field.name for field in workflow.state if field.reducer == "add"}
    for ids in loops(circling):
        members = [nodes[id] for id in ids]
        if not _counts_rounds(members, sums):
            yield members, leaves(ids, after)


def _counts_rounds(members: list[ir.Node], sums: set[str]) -> bool:
    """Whether a choice in the loop reads a variable that the loop only counts up. What is assigned
    to one of `sums` is added to it."""
    assigned = [a for node in members if isinstance(node, ir.AssignNode) for a in node.assignments]
    ups = [_is_up(a.value) if a.target in sums else _adds_to(a.target, a.value) for a in assigned]
    counters = {a.target for a, up in zip(assigned, ups, strict=True) if up}
    counters -= {a.target for a, up in zip(assigned, ups, strict=True) if not up}
    choices = [node.on for node in members if isinstance(node, ir.ChooseNode)]
    return any(name.name in counters for on in choices for name in names_read(on))


def _adds_to(name: str, value: Expr) -> bool:
    if not isinstance(value, Binary) or value.op != "+":
        return False
    return _is_up(value.right) and [read.name for read in names_read(value.left)] == [name]


def _is_up(step: Expr) -> bool:
    return isinstance(step, Literal) and isinstance(step.value, int | float) and step.value > 0


def _report(members: list[ir.Node]) -> Iterator[Diagnostic]:
    placed = [node for node in members if node.span is not None]
    if not placed or placed[0].span is None:
        return
    head, *others = placed
    yield UNBOUNDED_LOOPS.code.diagnostic(
        f"nothing limits how often the loop through {node_name(head)} runs",
        placed[0].span,
        labels=tuple(
            Label(node.span, "in the loop")
            for node in others[:5]
            if node.span is not None and node.span != head.span
        ),
        help="write a limit of visits for one of its nodes, or of steps for the workflow",
    )
