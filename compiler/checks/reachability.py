"""Reachability: what no path from the start leads to (FC2002).

START --> A --> SUCCESS        B: nothing leads to it
B --> SUCCESS                  C behind B is not reported again
B --> C
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..analysis.graphs import components, reachable
from ..analysis.ways import nodes_reached, successors_of
from ..analysis.wording import node_name
from ..diagnostics.diagnostic import Code, Diagnostic, Label
from ..diagnostics.examples import chart
from ..ir import EndNode, Node, Program, Workflow
from ..source.spelling import Spelling
from .check import Check

MAX_LABELS = 5
"""At most this many of the nodes behind an unreachable one are pointed at."""


def unreachable_steps(workflow: Workflow, program: Program) -> Iterator[Diagnostic]:
    """FC2002, once for each place where a path would have to begin; what only it leads to is
    labelled. Handlers are entered when the workflow ends, so paths begin at them too."""
    after, there = successors_of(workflow), nodes_reached(workflow)
    lost = {id: tuple(t for t in after[id] if t not in there) for id in after if id not in there}
    if not there or not lost:
        return  # without a start it is a picture, not a program: nothing in it is meant to run
    nodes = {node.id: node for node in workflow.nodes}
    blind = Spelling(_blind(workflow, there))
    reached: set[str] = set()
    for members in reversed(components(lost)):
        if reached.isdisjoint(members):
            head = min(members, key=lambda id: list_place(nodes[id]))
            behind = list(reachable([head], lost))[1:]
            reached.update(behind, members)
            yield from _report(nodes[head], [nodes[id] for id in behind], blind)


UNREACHABLE_STEPS = Check(
    Code("FC2002", "unreachable-step", "warning",
        title="No path leads here from the start.",
        why="It never runs; often an edge is missing or misspelt.",
        examples=lambda: (
            chart(
                """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REPAIR[User Repair] --> PROMPT_REVIEW
            """
            ),
            chart(
                """
            START --> PROMPT_REPAIR[User Repair]
            PROMPT_REPAIR --> PROMPT_REVIEW[User Review]
            """
            ),
        ),
    ),
    unreachable_steps,
)  # fmt: skip


def list_place(node: Node) -> tuple[int, str]:
    """Orders nodes as the file does."""
    return (node.span.start if node.span else 0, node.id)


def _blind(workflow: Workflow, there: Collection[str]) -> set[str]:
    """Reached nodes from which the file leads nowhere: one of them may be a misspelt name. Those
    of a group have names of our own."""
    leading = {edge.source for edge in workflow.edges if not edge.implied}
    ends = {node.id for node in workflow.nodes if isinstance(node, EndNode)}
    grouped = {node.id for node in workflow.nodes if node.group}
    return {*there} - leading - ends - grouped


def _report(head: Node, behind: list[Node], blind: Spelling) -> Iterator[Diagnostic]:
    if head.span is None:
        return
    near = blind.nearest(head.id)
    elsewhere = {
        n.group or n.id: n for n in reversed(behind) if not n.group or n.group != head.group
    }
    yield UNREACHABLE_STEPS.code.diagnostic(
        f"no path leads to {node_name(head)}",
        head.span,
        labels=tuple(
            Label(node.span, "nor here")
            for node in [n for n in behind if elsewhere.get(n.group or n.id) is n][:MAX_LABELS]
            if node.span is not None
        ),
        help=f"`{near}` is reached: is it meant to be `{head.id}`?"
        if near
        else "lead an edge to it, or remove it",
    )
