"""Conflicts: two nodes that can run at the same time and write one variable (FC3004).

    plan --> draft  --> join        both write `text`: whichever comes last wins
    plan --> sketch --> join

A node that leads to several others starts branches. What only one branch leads to runs beside what
only another leads to; where they meet again they are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from .. import ir
from ..analysis.forks import Branches
from ..analysis.graphs import MAX_SEARCH
from ..analysis.variables import writes
from ..analysis.ways import successors_of
from ..analysis.wording import node_name
from ..diagnostics.diagnostic import Code, Diagnostic, Label
from ..diagnostics.examples import flow
from ..source.records import dataclass
from ..source.source import Span
from .check import Check
from .reachability import list_place

SHELL = "$session."
"""Before the name of a shell session: two commands cannot run in one at the same time."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A node that writes a variable, and the place where it says so."""

    node: ir.Node
    span: Span | None


def parallel_writes(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC3004, once for each variable and fork, at the first write of a second branch. Commands of
    one shell session conflict like writes. Forks whose branches are too long to be followed are
    counted in a warning."""
    yield from conflicts_of(workflow, MAX_SEARCH)


def conflicts_of(workflow: ir.Workflow, most: int) -> Iterator[Diagnostic]:
    """Yield what `parallel_writes` does, and follow `most` edges."""
    forks = _forks(workflow)
    if not forks:
        return
    nodes = {node.id: node for node in workflow.nodes}
    branches = Branches(successors_of(workflow))
    reduced = {field.name for field in workflow.state if field.reducer != "replace"}
    reported: set[tuple[str, str, str]] = set()
    for number, (fork, targets) in enumerate(forks):
        if branches.steps > most:
            yield from _unknown(nodes[fork], len(forks) - number)
            return
        for name, (first, second) in _pairs(branches.of(fork, targets), nodes):
            pair = (name, first.node.id, second.node.id)
            if name not in reduced and pair not in reported:
                reported.add(pair)
                yield from _conflict(name, first, second, nodes[fork])


PARALLEL_WRITES = Check(
    Code("FC3004", "parallel-write", "error",
        title="Two steps write one variable at the same time.",
        why="Which of the two values remains would be chance.",
        examples=lambda: (
            flow(
                """
            nodes:
              - {name: begin, assign: {}, next: [life, work]}
              - {name: life, agent: writer, prompt: Tell the life., into: text, next: end}
              - {name: work, agent: writer, prompt: Describe the work., into: text, next: end}
            outputs: [text]
            """
            ),
            flow(
                """
            nodes:
              - {name: begin, assign: {}, next: [life, work]}
              - {name: life, agent: writer, prompt: Tell the life., into: life, next: end}
              - {name: work, agent: writer, prompt: Describe the work., into: work, next: end}
            outputs: [life, work]
            """
            ),
        ),
    ),
    parallel_writes,
)  # fmt: skip


def _forks(workflow: ir.Workflow) -> list[tuple[str, list[str]]]:
    """Nodes that lead to several others at once, with those: edges with the same guard."""
    by_way: dict[tuple[str, ir.Guard | None], list[str]] = {}
    leaving = Counter([edge.source for edge in workflow.edges])
    for edge in workflow.edges:
        if leaving[edge.source] > 1 and not isinstance(edge.guard, ir.OnError):
            by_way.setdefault((edge.source, edge.guard), []).append(edge.target)
    several = [(way[0], targets) for way, targets in by_way.items() if len(targets) > 1]
    found = [(source, list(dict.fromkeys(targets))) for source, targets in several]
    return [(source, targets) for source, targets in found if len(targets) > 1]


def _pairs(
    branches: Mapping[str, int], nodes: Mapping[str, ir.Node]
) -> Iterator[tuple[str, tuple[Writer, Writer]]]:
    """Every name that nodes of two branches write, with the first writer of each of the two."""
    writers: dict[str, dict[int, Writer]] = {}
    for node in sorted((nodes[id] for id in branches), key=list_place):
        for name, span in _written_names(node):
            writers.setdefault(name, {}).setdefault(branches[node.id], Writer(node, span))
    for name, found in writers.items():
        if len(found) > 1:
            first, second, *_ = found.values()
            yield name, (first, second)


def _written_names(node: ir.Node) -> Iterator[tuple[str, Span | None]]:
    yield from ((write.name, write.span) for write in writes(node))
    if isinstance(node, ir.ExecNode):
        yield f"{SHELL}{node.session}", node.span


def _unknown(fork: ir.Node, count: int) -> Iterator[Diagnostic]:
    if fork.span is not None:
        others = f" and {count - 1} more" if count > 1 else ""
        yield PARALLEL_WRITES.code.diagnostic(
            f"whether branches of {node_name(fork)}{others} write one variable at the same time "
            "is not known: the branches of this workflow are too many and too long",
            fork.span,
            severity="warning",
            help="move parts of it to workflows of their own",
        )


def _conflict(name: str, first: Writer, second: Writer, fork: ir.Node) -> Iterator[Diagnostic]:
    here, there = second.span or second.node.span, first.span or first.node.span
    if here is None:
        return
    both = f"{node_name(second.node)} and {node_name(first.node)}"
    if name.startswith(SHELL):
        what = f"{both} run commands in one shell at the same time"
        help = "give each a session of its own, or let one come after the other"
    else:
        what = f"{both} write `{name}` at the same time"
        help = f"give each a variable of its own, or declare a reducer for `{name}`: append, merge"
        help += " or add"
    yield PARALLEL_WRITES.code.diagnostic(
        what,
        here,
        labels=(Label(there, "the other one"),) if there is not None else (),
        notes=(f"{node_name(fork)} starts both branches",),
        help=help,
    )
