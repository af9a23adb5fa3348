"""Unused: values that are written and never read (FC3003)."""

from __future__ import annotations

import itertools
import operator
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from .. import ir
from ..analysis.memo import once_per_program
from ..analysis.variables import Write, names_in, names_read, writes_by_name
from ..analysis.ways import nodes_reached
from ..analysis.wording import node_name
from ..diagnostics.diagnostic import MAX_KEPT, Code, Diagnostic, Label
from ..diagnostics.examples import GOOD_CHART, chart
from ..source.source import Span
from ..source.spelling import Spelling
from .check import Check
from .dataflow import known_names, undefined_reads


def unused_outputs(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC3003, once for each variable, where it is first written. What the last nodes before an end
    write is the result when the workflow says so; what a called workflow may read counts as read;
    a name that a misspelt read was meant for is FC3001's to report."""
    if _calls_unknown(workflow, program):
        return
    used = names_read(workflow) | _read_elsewhere(workflow, program) | _results(workflow)
    used |= _read_by_the_next(workflow)
    if undefined := undefined_reads(workflow, program):
        spelling = Spelling(known_names(workflow))
        used |= {spelling.nearest(name) or name for name in undefined}
    unread = [places for name, places in writes_by_name(workflow).items() if name not in used]
    if unread:
        left = sorted(itertools.chain(*unread), key=operator.itemgetter(0))
        placed = [(workflow.nodes[at], write) for at, write in left]
        yield from _writes_left(workflow, placed, Spelling(used))


def _writes_left(
    workflow: ir.Workflow, left: Sequence[tuple[ir.Node, Write]], reads: Spelling
) -> Iterator[Diagnostic]:
    """Yield what is written and not used, and still has to be read; `reads` are the used names."""
    declared = {entry.name: entry.span for entry in workflow.state}
    declared |= {param.name: param.span for param in workflow.params}
    there = nodes_reached(workflow)
    places: dict[str, list[Span]] = defaultdict(list)
    for _, write in left:
        if write.span is not None:
            places[write.name].append(write.span)
    seen: set[str] = set()
    for node, write in left:
        if node.id in there:
            span = write.span or declared.get(write.name)
            if write.name in seen or span is None:
                continue
            if _nobody_has_to_read(node, write.name):
                continue
            seen.add(write.name)
            # Of more than are kept nobody sees the help, and names that are compared are slow.
            near = reads.nearest(write.name) if len(seen) <= MAX_KEPT else None
            yield _report(node, write, span, places[write.name], near)


UNUSED_OUTPUTS = Check(
    Code("FC3003", "unused-output", "warning",
        title="A value that is written and never read.",
        why="Either the work is wasted or a later step reads another name.",
        examples=lambda: (
            chart(
                """
            START --> SET_GOAL[GOAL=fewer warnings]
            SET_GOAL --> PROMPT_REVIEW[User Review]
            """
            ),
            GOOD_CHART,
        ),
    ),
    unused_outputs,
    needs="file",
)  # fmt: skip


def _read_by_the_next(workflow: ir.Workflow) -> set[str]:
    """What assignments read that stand behind others of the same node."""
    groups = [n.assignments for n in workflow.nodes if isinstance(n, ir.AssignNode | ir.EndNode)]
    return {
        read.name
        for assignments in groups
        for assignment in assignments[1:]
        for read in names_in(assignment.value)
        if read.name != assignment.target
    }


_GOES_ON = ("code", "status", "transcript")


def _nobody_has_to_read(node: ir.Node, name: str) -> bool:
    """Whether a node is there for what it does: most of these have to name a variable."""
    match node:
        case ir.ExecNode() | ir.HttpNode():
            # Who takes the code or the status goes on after a failure, also without reading it.
            parts = [part for part in node.parts if part.variable == name]
            return any(part.span is None or part.part in _GOES_ON for part in parts)
        case ir.WaitNode() | ir.ForeachNode() | ir.GateNode() | ir.TaskNode():
            return True
        case ir.ScriptNode():
            return name == node.keeps  # the scripts themselves find it on `this` again
        case _:
            return False


def _report(
    node: ir.Node, write: Write, span: Span, places: list[Span], near: str | None
) -> Diagnostic:
    again = [place for place in places if place != span]
    return UNUSED_OUTPUTS.code.diagnostic(
        f"{node_name(node)} writes `{write.name}`, which nothing reads",
        span,
        labels=tuple(Label(place, "also written here") for place in again[:3]),
        help="use it further on, or remove it" + (f"; is `{near}` meant?" if near else ""),
    )


def _results(workflow: ir.Workflow) -> set[str]:
    """The workflow's outputs; of those that agents report, which are all outputs, the ones that a
    node writes after which nothing else is done."""
    if not workflow.outputs:
        return set()
    ends = {node.id for node in workflow.nodes if isinstance(node, ir.EndNode)}
    last = {
        edge.source
        for edge in workflow.edges
        if edge.target in ends and not isinstance(edge.guard, ir.OnError)
    } | ends
    reported = {o.name for n in workflow.nodes if isinstance(n, ir.AgentNode) for o in n.outputs}
    written, nodes = writes_by_name(workflow), workflow.nodes
    return {
        name
        for name in workflow.outputs
        if name not in reported or any(nodes[at].id in last for at, _ in written.get(name, ()))
    }


def _calls_unknown(workflow: ir.Workflow, program: ir.Program) -> bool:
    paths = _paths(program)
    return any(
        isinstance(n, ir.CallNode | ir.ForeachNode) and n.workflow not in paths
        for n in workflow.nodes
    )


@once_per_program
def _paths(program: ir.Program) -> frozenset[str]:
    return frozenset(path for path, _ in program.workflows)


def _read_elsewhere(workflow: ir.Workflow, program: ir.Program) -> set[str]:
    """What other workflows read, when variables are handed to them or back to them."""
    readers = _readers(program)
    if not readers:
        return set()
    own = names_read(workflow) | {*workflow.outputs}
    return {name for name, count in readers.items() if count > (name in own)}


@once_per_program
def _readers(program: ir.Program) -> Counter[str]:
    """In how many workflows each name is read; of none when no variables are handed over."""
    calls = (n for _, w in program.workflows for n in w.nodes if isinstance(n, ir.CallNode))
    if not any(call.passes_all or call.returns_all for call in calls):
        return Counter()
    each = (names_read(other) | {*other.outputs} for _, other in program.workflows)
    return Counter(name for names in each for name in names)
