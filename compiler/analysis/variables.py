"""Variables: what each node of a workflow reads and writes, and what others give it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal as Lit
from typing import assert_never

from .. import ir
from ..expr.ast import Binary, Call, Each, Expr, Field, Literal, Name, Text, Unary
from ..expr.walk import children
from ..source.records import dataclass
from ..source.source import Span
from .memo import once_per_program, once_per_workflow

Care = Lit["none", "format", "author", "needed"]
"""What happens when the value is missing: it reads as empty; the format puts something in its
place; the author wrote what then (`coalesce`, `exists`); the node does not start without it."""

Within = Lit["nothing", "expression", "text"]
"""What a name is part of: it is the whole value, stands between operators, or in braces."""

RESULT_NAME = "result"
"""What assertions call the last tool's result; every tool's own has the tool's name."""
ERROR_NAME = "error"
"""What error rules call the failure."""


@dataclass(frozen=True, slots=True)
class Read:
    """A place where a variable is read."""

    name: str
    span: Span | None
    care: Care = "none"
    within: Within = "expression"


@dataclass(frozen=True, slots=True)
class Write:
    """A place where a variable is written; `span` is None when the file does not name it there."""

    name: str
    span: Span | None


_NOTHING: frozenset[str] = frozenset()


def names_in(expr: Expr) -> list[Read]:
    """The names an expression reads, each with what stands in for a missing value."""
    if isinstance(expr, Name):
        return [Read(expr.name, expr.span, within="nothing")]
    found: list[Read] = []
    _collect(expr, "none", _NOTHING, "text" if isinstance(expr, Text) else "expression", found)
    return found


def _collect(
    expr: Expr, care: Care, bound: frozenset[str], within: Within, found: list[Read]
) -> None:
    todo = [expr]
    while todo:
        at = todo.pop()
        if type(at) is Name:  # the most frequent ones first: a `match` is slower
            if at.name not in bound:
                found.append(Read(at.name, at.span, care, within))
        elif type(at) is Binary:
            todo += (at.right, at.left)
        elif type(at) is not Literal:
            match at:
                case Field():
                    todo.append(at.object)
                case Unary(op="exists"):
                    _collect(at.operand, "author", bound, within, found)
                case Each():
                    _collect(at.items, care, bound, within, found)
                    _collect(at.body, "none", bound | {at.name}, within, found)
                case Call(function="coalesce" | "default", args=(*tried, last)):
                    inner: Care = "author" if _is_written(at) else "format"
                    for part in tried:
                        _collect(part, inner, bound, within, found)
                    _collect(last, care, bound, within, found)
                case _:
                    todo += children(at)[::-1]


def _is_written(call: Call) -> bool:
    """Whether the author wrote the call: one that covers no more than one of its arguments stands
    nowhere in the file, a format added it."""
    span = call.span
    return span is not None and span not in [arg.span for arg in call.args]


@once_per_workflow
def reads_by_name(workflow: ir.Workflow) -> Mapping[str, list[tuple[int, Read]]]:
    """Each variable that nodes read, with the places and the numbers of those nodes, counted from 0
    in the workflow's order."""
    systems = _systems(workflow)
    found: dict[str, list[tuple[int, Read]]] = defaultdict(list)
    for number, node in enumerate(workflow.nodes):
        for read in _reads(node, systems):
            found[read.name].append((number, read))
    return dict(found)


def reads(node: ir.Node, workflow: ir.Workflow) -> tuple[Read, ...]:
    """What a node reads, in the order in which it does; not what it has written itself before."""
    return tuple(_reads(node, _systems(workflow)))


def _systems(workflow: ir.Workflow) -> dict[str, Expr]:
    """What agents are told of themselves, by their names."""
    return {agent.id: agent.system for agent in workflow.agents if agent.system is not None}


def _reads(node: ir.Node, systems: Mapping[str, Expr]) -> Sequence[Read]:
    match node:
        case ir.AgentNode():
            return _agent_reads(node, systems.get(node.agent))
        case ir.AssignNode() | ir.EndNode():
            return _assignment_reads(node.assignments)
        case ir.CallNode():
            return _names_in_all([a.value for a in node.passes])
        case ir.ScriptNode():
            shared = (Read(name, node.span, "author") for name in node.shares)
            return (*shared, *_names_in_all(node.args))
        case ir.TaskNode():
            # Whether these have a value is a question of the order, not of the path.
            others = (Read(name, node.span, "author") for name in (*node.after, *node.again))
            return (*names_in(node.prompt), *others)
        case ir.ForeachNode():
            found = _names_in_all((node.items, *(a.value for a in node.passes)))
            until = () if node.until is None else names_in(node.until)
            return (*found, *(r for r in until if r.name != node.into))
        case _:
            return _names_in_all(expressions_of(node))


def _agent_reads(node: ir.AgentNode, system: Expr | None) -> list[Read]:
    found = [Read(entry.name, entry.span, "needed") for entry in node.inputs]
    given = {read.name for read in found}
    for expr in (system, node.prompt):
        if expr is not None:
            read = names_in(expr)
            found += [r for r in read if r.name not in given] if given else read
    asserted = [a.expr for a in node.asserts if a.expr is not None] if node.asserts else ()
    if asserted:
        given |= {RESULT_NAME, *node.tools, *(output.name for output in node.outputs)}
        for expr in asserted:
            found += [r for r in names_in(expr) if r.name not in given]
    return found


def _assignment_reads(assignments: Sequence[ir.Assignment]) -> list[Read]:
    found: list[Read] = []
    written: set[str] = set()
    for assignment in assignments:
        read = names_in(assignment.value)
        found += [r for r in read if r.name not in written] if written else read
        written.add(assignment.target)
    return found


def _names_in_all(exprs: Sequence[Expr]) -> list[Read]:
    return [read for expr in exprs for read in names_in(expr)]


def expressions_of(node: ir.Node) -> Sequence[Expr]:
    """The expressions of a node itself, without those of its limits."""
    match node:
        case ir.AgentNode():
            return _there(node.prompt, *[a.expr for a in node.asserts])
        case ir.AssignNode() | ir.EndNode():
            return _values(node.assignments)
        case ir.ChooseNode():
            return (node.on,)
        case ir.MessageNode():
            return (node.template,)
        case ir.ToolNode() | ir.PythonNode():
            return _values(node.args)
        case ir.ExecNode():
            return (node.source,)
        case ir.AskNode():
            return (node.question,)
        case ir.WaitNode():
            return _times_of(node.awaits)
        case ir.HttpNode():
            headers = [header.value for header in node.headers]
            return _there(node.url, *headers, *_values(node.query), node.body, node.text)
        case ir.CallNode():
            return [*_values(node.passes), *_values(node.returns)]
        case ir.ScriptNode():
            return node.args
        case ir.TaskNode():
            return _there(node.prompt, *[a.expr for a in node.criteria])
        case ir.GateNode():
            return _there(node.score, node.question)
        case ir.AssertNode():
            return _there(node.condition, node.message)
        case ir.ForeachNode():
            return _there(node.items, *_values(node.passes), node.until)
        case _:
            assert_never(node)


def _there(*exprs: Expr | None) -> list[Expr]:
    return [expr for expr in exprs if expr is not None]


def _values(assignments: Sequence[ir.Assignment]) -> list[Expr]:
    return [assignment.value for assignment in assignments]


def _times_of(awaits: ir.Delay | ir.Moment | ir.Event) -> Sequence[Expr]:
    match awaits:
        case ir.Delay():
            return (awaits.seconds,)
        case ir.Moment():
            return (awaits.at,)
        case ir.Event():
            return ()


def writes(node: ir.Node) -> Sequence[Write]:
    """What a node writes when it succeeds; a call that hands everything back is `writes_all`."""
    match node:
        case ir.AgentNode():
            found = [Write(output.name, output.span) for output in node.outputs]
            return found + _into(node.into, node.reply_into)
        case ir.AssignNode() | ir.EndNode():
            return [Write(a.target, a.span) for a in node.assignments]
        case ir.ChooseNode() | ir.AssertNode():
            return ()
        case (
            ir.MessageNode()
            | ir.ToolNode()
            | ir.AskNode()
            | ir.WaitNode()
            | ir.TaskNode()
            | ir.GateNode()
            | ir.ForeachNode()
        ):
            return _into(node.into)
        case ir.PythonNode():
            return _into(*node.sets, node.into)
        case ir.ScriptNode():
            return _into(*node.shares, node.keeps, node.into)
        case ir.ExecNode() | ir.HttpNode():
            return [Write(part.variable, part.span) for part in node.parts]
        case ir.CallNode():
            return [Write(a.target, a.span) for a in node.returns]
        case _:
            assert_never(node)


def _into(*names: str | None) -> list[Write]:
    return [Write(name, None) for name in names if name is not None]


def writes_all(node: ir.Node) -> bool:
    """Whether any variable may be written: a workflow that is called hands all of its back."""
    return isinstance(node, ir.CallNode) and node.returns_all


def reads_beside(workflow: ir.Workflow) -> Iterator[Read]:
    """What is read besides the nodes' own work: by limits and by rules for failures."""
    for limit in (*workflow.limits, *(limit for node in workflow.nodes for limit in node.limits)):
        yield from names_in(limit.value)
    for rule in workflow.on_error:
        for assignment in rule.assignments:
            yield from (r for r in names_in(assignment.value) if r.name != ERROR_NAME)


def names_read(workflow: ir.Workflow) -> set[str]:
    """Every variable that anything in the workflow reads, prompts that no node names included."""
    found = {read.name for read in reads_beside(workflow)}
    found |= reads_by_name(workflow).keys()
    agents = [node for node in workflow.nodes if isinstance(node, ir.AgentNode)]
    # An assertion may name a variable that is also a tool's result, which `reads` leaves out.
    asserted = [a.expr for n in agents if n.asserts for a in n.asserts if a.expr is not None]
    found |= {read.name for expr in asserted for read in names_in(expr)}
    return found | {read.name for prompt in workflow.prompts for read in names_in(prompt.template)}


@once_per_workflow
def writes_by_name(workflow: ir.Workflow) -> Mapping[str, list[tuple[int, Write]]]:
    """Each variable that nodes write, with the places and the numbers of those nodes, as those of
    `reads_by_name`."""
    found: dict[str, list[tuple[int, Write]]] = defaultdict(list)
    for number, node in enumerate(workflow.nodes):
        for write in writes(node):
            found[write.name].append((number, write))
    return dict(found)


@once_per_workflow
def names_written(workflow: ir.Workflow) -> frozenset[str]:
    """Every variable that the workflow itself writes: its nodes, and its rules for failures."""
    found = frozenset(writes_by_name(workflow))
    return found | {a.target for rule in workflow.on_error for a in rule.assignments}


def names_from_callers(workflow: ir.Workflow, program: ir.Program) -> frozenset[str]:
    """What workflows that call this one hand over: all of theirs, or what they list."""
    return _handed_over(program).get(id(workflow), frozenset())


@once_per_program
def _handed_over(program: ir.Program) -> dict[int, frozenset[str]]:
    """By the identity of each workflow that is called."""
    listed: dict[str, set[str]] = {}
    all_given: set[str] = set()
    for node in (node for _, caller in program.workflows for node in caller.nodes):
        if not isinstance(node, ir.CallNode | ir.ForeachNode):
            continue
        names = listed.setdefault(node.workflow, set())
        if isinstance(node, ir.ForeachNode):
            names |= {node.item, *([node.index] if node.index else [])}
        names |= {assignment.target for assignment in node.passes}
        if isinstance(node, ir.CallNode) and node.passes_all:
            all_given.add(node.workflow)
    everything: set[str] = set()
    for _, other in program.workflows if all_given else ():
        everything |= names_written(other) | {p.name for p in other.params}
    return {
        id(workflow): frozenset(listed[path] | everything if path in all_given else listed[path])
        for path, workflow in program.workflows
        if path in listed
    }
