"""Variables: what each node of a workflow reads and writes, and what others give it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal as Lit
from typing import assert_never

from .. import ir
from ..expr.ast import Binary, Call, Each, Expr, Literal, Name, Text, Unary
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


def names_in(expr: Expr) -> list[Read]:
    """The names an expression reads, each with what stands in for a missing value."""
    if isinstance(expr, Name):
        return [Read(expr.name, expr.span, within="nothing")]
    found: list[Read] = []
    within: Within = "text" if isinstance(expr, Text) else "expression"
    todo: list[tuple[Expr, Care, frozenset[str]]] = [(expr, "none", frozenset())]
    while todo:
        at, care, bound = todo.pop()
        if type(at) is Name:  # the most frequent ones first: a `match` is slower
            if at.name not in bound:
                found.append(Read(at.name, at.span, care, within))
            continue
        if type(at) is Binary:
            todo += ((at.right, care, bound), (at.left, care, bound))
            continue
        match at:
            case Literal():
                pass
            case Unary(op="exists"):
                todo.append((at.operand, "author", bound))
            case Each():
                todo += [(at.body, "none", bound | {at.name}), (at.items, care, bound)]
            case Call(function="coalesce" | "default"):
                inner: Care = "author" if _is_written(at) else "format"
                todo += [(part, care, bound) for part in at.args[-1:]]
                todo += [(part, inner, bound) for part in at.args[-2::-1]]
            case _:
                parts = children(at)[::-1]
                todo += [(part, care, bound) for part in parts if not isinstance(part, Literal)]
    return found


def _is_written(call: Call) -> bool:
    """Whether the author wrote the call: one that covers no more than one of its arguments stands
    nowhere in the file, a format added it."""
    span = call.span
    return span is not None and span not in [arg.span for arg in call.args]


@once_per_workflow
def all_reads(workflow: ir.Workflow) -> tuple[tuple[ir.Node, tuple[Read, ...]], ...]:
    """Every node with what it reads, in the workflow's order."""
    systems = _systems(workflow)
    return tuple((node, tuple(_reads(node, systems))) for node in workflow.nodes)


def reads(node: ir.Node, workflow: ir.Workflow) -> tuple[Read, ...]:
    """What a node reads, in the order in which it does; not what it has written itself before."""
    return tuple(_reads(node, _systems(workflow)))


def _systems(workflow: ir.Workflow) -> dict[str, Expr]:
    """What agents are told of themselves, by their names."""
    return {agent.id: agent.system for agent in workflow.agents if agent.system is not None}


def _reads(node: ir.Node, systems: Mapping[str, Expr]) -> Iterable[Read]:
    match node:
        case ir.AgentNode():
            return _agent_reads(node, systems.get(node.agent))
        case ir.AssignNode() | ir.EndNode():
            return _assignment_reads(node.assignments)
        case ir.CallNode():
            return _names_in_all(a.value for a in node.passes)
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
            found += [r for r in names_in(expr) if r.name not in given]
    if asserted := [a.expr for a in node.asserts if a.expr is not None]:
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


def _names_in_all(exprs: Iterable[Expr]) -> Iterator[Read]:
    return (read for expr in exprs for read in names_in(expr))


def expressions_of(node: ir.Node) -> Iterator[Expr]:
    """The expressions of a node itself, without those of its limits."""
    match node:
        case ir.AgentNode():
            yield from () if node.prompt is None else (node.prompt,)
            yield from (a.expr for a in node.asserts if a.expr is not None)
        case ir.MessageNode():
            yield node.template
        case ir.ToolNode() | ir.PythonNode():
            yield from (assignment.value for assignment in node.args)
        case ir.ExecNode():
            yield node.source
        case ir.ChooseNode():
            yield node.on
        case ir.AskNode():
            yield node.question
        case ir.WaitNode():
            yield from _times_of(node.awaits)
        case ir.HttpNode():
            yield node.url
            yield from (header.value for header in node.headers if header.value is not None)
            yield from (assignment.value for assignment in node.query)
            yield from (expr for expr in (node.body, node.text) if expr is not None)
        case ir.AssignNode() | ir.EndNode():
            yield from (assignment.value for assignment in node.assignments)
        case ir.CallNode():
            yield from (assignment.value for assignment in (*node.passes, *node.returns))
        case ir.ScriptNode():
            yield from node.args
        case ir.TaskNode():
            yield node.prompt
            yield from (a.expr for a in node.criteria if a.expr is not None)
        case ir.GateNode():
            yield from (expr for expr in (node.score, node.question) if expr is not None)
        case ir.AssertNode():
            yield node.condition
            yield from () if node.message is None else (node.message,)
        case ir.ForeachNode():
            yield node.items
            yield from (assignment.value for assignment in node.passes)
            yield from () if node.until is None else (node.until,)
        case _:
            assert_never(node)


def _times_of(awaits: ir.Delay | ir.Moment | ir.Event) -> Iterator[Expr]:
    match awaits:
        case ir.Delay():
            yield awaits.seconds
        case ir.Moment():
            yield awaits.at
        case ir.Event():
            return


def writes(node: ir.Node) -> Iterator[Write]:
    """What a node writes when it succeeds; a call that hands everything back is `writes_all`."""
    match node:
        case ir.AgentNode():
            yield from (Write(output.name, output.span) for output in node.outputs)
            yield from _into(node.into, node.reply_into)
        case (
            ir.MessageNode()
            | ir.ToolNode()
            | ir.AskNode()
            | ir.WaitNode()
            | ir.TaskNode()
            | ir.GateNode()
            | ir.ForeachNode()
        ):
            yield from _into(node.into)
        case ir.PythonNode():
            yield from (Write(name, None) for name in node.sets)
            yield from _into(node.into)
        case ir.ScriptNode():
            yield from (Write(name, None) for name in node.shares)
            yield from _into(node.keeps, node.into)
        case ir.ExecNode() | ir.HttpNode():
            yield from (Write(part.variable, part.span) for part in node.parts)
        case ir.AssignNode() | ir.EndNode():
            yield from (Write(a.target, a.span) for a in node.assignments)
        case ir.CallNode():
            yield from (Write(a.target, a.span) for a in node.returns)
        case ir.ChooseNode() | ir.AssertNode():
            return
        case _:
            assert_never(node)


def _into(*names: str | None) -> Iterator[Write]:
    yield from (Write(name, None) for name in names if name is not None)


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
    found |= {read.name for _, places in all_reads(workflow) for read in places}
    agents = [node for node in workflow.nodes if isinstance(node, ir.AgentNode)]
    # An assertion may name a variable that is also a tool's result, which `reads` leaves out.
    asserted = [a.expr for n in agents if n.asserts for a in n.asserts if a.expr is not None]
    found |= {read.name for expr in asserted for read in names_in(expr)}
    return found | {read.name for prompt in workflow.prompts for read in names_in(prompt.template)}


@once_per_workflow
def all_writes(workflow: ir.Workflow) -> tuple[tuple[ir.Node, tuple[Write, ...]], ...]:
    """Every node with what it writes, in the workflow's order."""
    return tuple((node, tuple(writes(node))) for node in workflow.nodes)


@once_per_workflow
def names_written(workflow: ir.Workflow) -> frozenset[str]:
    """Every variable that the workflow itself writes: its nodes, and its rules for failures."""
    found = frozenset(write.name for _, written in all_writes(workflow) for write in written)
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
