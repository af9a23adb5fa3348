"""Borders: what a workflow hands over to another one and takes back, and what an answer holds.

    call: sub        with: {page: topic}     `sub` requires `tone` as well
                     returns: {z: rezult}    `sub` has no `rezult`
    agent: judge     schema: {mark: …}       `judged.makr` is never there

Both ends stand in the file, so one is held against the other.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from .. import ir
from ..analysis.variables import expressions_of, writes_by_name
from ..analysis.ways import workflows_by_path
from ..analysis.wording import node_name
from ..catalog.results import BUILT_IN, RESULTS, Shape
from ..diagnostics.diagnostic import Label, Severity
from ..expr.ast import Expr, Field, Index, Literal, Name
from ..expr.function import NAMES
from ..expr.functions import FUNCTIONS
from ..expr.show import show
from ..expr.walk import names_read
from ..source.records import dataclass
from ..source.source import Span
from ..source.spelling import Spelling
from .branches import types_of
from .guards import Computation, computations

_WITHOUT_FIELDS = ("text", "number", "integer", "boolean", "list")
_FIELDS_HELP = "only an object has fields: declare it as `object` or `any`"
_FUNCTIONS = Spelling(FUNCTIONS)
_OTHER_FUNCTIONS = {
    "size": "length",
    "count": "length",
    "len": "length",
    "toUpperCase": "upper",
    "toLowerCase": "lower",
    "strip": "trim",
    "first": "first_line",
}
_WORD = re.compile(r"[^\W\d]\w{0,80}")
_PATH = re.compile(r"([A-Za-z_]\w{0,60})((?:\.\w{1,60}|\[\d{1,9}\])+)")
_PART = re.compile(r"\.(\w+)|\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class BorderFault:
    """One fault: what does not fit, where, what to write, and the other end."""

    message: str
    span: Span
    help: str
    labels: tuple[Label, ...] = ()
    severity: Severity = "error"


def border_faults(workflow: ir.Workflow, program: ir.Program) -> Iterator[BorderFault]:
    """Yield what does not fit between a workflow and those that it calls, or the schemas of its
    answers."""
    called = workflows_by_path(program)
    for node in workflow.nodes:
        if isinstance(node, ir.CallNode | ir.ForeachNode):
            target = called.get(node.workflow)
            span = node.target_span or node.span
            if target is not None and span is not None:
                yield from _call_faults(node, target, span)
    yield from _field_faults(workflow)
    yield from _plain_faults(workflow)
    yield from _function_faults(workflow)


def _function_faults(workflow: ir.Workflow) -> Iterator[BorderFault]:
    """Yield the functions that a script cannot have: its text does not hold their names."""
    words = {script.id: set(_WORD.findall(script.source)) for script in workflow.scripts}
    for node in workflow.nodes:
        if not isinstance(node, ir.ScriptNode) or node.span is None:
            continue
        known = words.get(node.script)
        if known is not None and node.function not in known:
            help = Spelling(known).advice(node.function, "write it there, and export it")
            message = f"the script `{node.script}` has no function `{node.function}`"
            yield BorderFault(message, node.function_span or node.span, help)


def _call_faults(
    node: ir.CallNode | ir.ForeachNode, target: ir.Workflow, span: Span
) -> Iterator[BorderFault]:
    known = Spelling(types_of(target))
    listed = ", ".join(f"`{name}`" for name in types_of(target)) or "nothing"
    given = {assignment.target for assignment in node.passes}
    for assignment in node.passes:
        place = assignment.span or assignment.value.span
        if assignment.target not in known and place is not None:
            help = known.advice(assignment.target, f"it takes {listed}")
            yield BorderFault(f"`{target.name}` takes no `{assignment.target}`", place, help)
    if isinstance(node, ir.ForeachNode):
        given |= {node.item, node.index or node.item}
        for name in dict.fromkeys((node.item, node.index or node.item)):
            if name not in known:
                help = known.advice(name, f"it takes {listed}")
                place = node.item_span if name == node.item else None
                message = f"`{target.name}` takes no `{name}`"
                yield BorderFault(message, place or span, help, _at(target))
    else:
        for assignment in node.returns:
            yield from _unknown_names(assignment.value, known, target, listed)
    if isinstance(node, ir.CallNode) and node.passes_all:
        return
    for param in target.params:
        if param.required and param.name not in given and param.env is None:
            labels = (Label(param.span, "required here"),) if param.span else ()
            message = (
                f"{node_name(node)} does not give `{param.name}`, which `{target.name}` requires"
            )
            help = f"give it: `with: {{{param.name}: …}}`"
            yield BorderFault(message, node.passes_span or span, help, labels)


def _unknown_names(
    value: Expr, known: Spelling, target: ir.Workflow, listed: str
) -> Iterator[BorderFault]:
    for name in names_read(value):
        if name.name not in known and name.span is not None:
            help = known.advice(name.name, f"its variables are {listed}")
            yield BorderFault(f"`{target.name}` has no `{name.name}`", name.span, help, _at(target))


def _at(target: ir.Workflow) -> tuple[Label, ...]:
    return (Label(target.span, "this workflow"),) if target.span is not None else ()


def _field_faults(workflow: ir.Workflow) -> Iterator[BorderFault]:
    """Yield the fields that are read of an answer or a tool's result and that it never has."""
    builtin = {tool.id for tool in workflow.tools if tool.source == "builtin"} & RESULTS.keys()
    shapes = _shapes(workflow, builtin)
    read = [*computations(workflow, ("field",))]
    for part, bound, expr, _ in read if shapes else ():
        yield from _field_fault(part, shapes, bound, expr.span)
    read_in: dict[int, list[Computation]] = {}
    for field in read if builtin else ():
        read_in.setdefault(id(field[2]), []).append(field)
    for node in workflow.nodes if read_in else ():
        if isinstance(node, ir.AgentNode) and node.asserts and node.report:
            measured = [f for expr in expressions_of(node) for f in read_in.get(id(expr), ())]
            shapes_here = _result_shapes(node, workflow, builtin) if measured else {}
            for part, bound, expr, _ in measured if shapes_here else ():
                yield from _field_fault(part, shapes_here, bound, expr.span)
    for node in workflow.nodes if builtin else ():
        if isinstance(node, ir.AgentNode) and node.report:
            paths = [(output, _PATH.fullmatch(output.source)) for output in node.outputs]
            taken = [(output, path) for output, path in paths if path is not None]
            if taken:
                yield from _output_faults(taken, _result_shapes(node, workflow, builtin))


def _output_faults(
    taken: Sequence[tuple[ir.Output, re.Match[str]]], shapes: Mapping[str, Sequence[Shape]]
) -> Iterator[BorderFault]:
    """Yield the fields that a reported output takes of a tool's result and that it never has."""
    for output, path in taken:
        if path[1] not in shapes:
            continue
        value: Expr = Name(name=path[1])
        for part in _PART.finditer(path[2]):
            if part[1] is None:
                value = Index(object=value, key=Literal(value=int(part[2])))
            else:
                value = Field(object=value, name=part[1])
                for fault in _field_fault(value, shapes, (), output.span):
                    if fault.severity == "error":  # a slip of a field that there is
                        yield replace(fault, severity="warning")


def _plain_faults(workflow: ir.Workflow) -> Iterator[BorderFault]:
    """Yield the fields that are read of a variable that is declared as what has none."""
    declared: list[ir.Param | ir.StateField] = [*workflow.params, *workflow.state]
    plain = {field.name: field.type for field in declared if field.type in _WITHOUT_FIELDS}
    for name, written in writes_by_name(workflow).items():
        if all(isinstance(workflow.nodes[at], ir.ForeachNode) for at, _ in written):
            plain.setdefault(name, "list")
    for part, bound, expr, _ in computations(workflow, ("field",)) if plain else ():
        assert isinstance(part, Field)
        if not isinstance(part.object, Name):
            continue
        name, span = part.object.name, part.span or expr.span
        if name in bound or name not in plain or part.name == "length" or span is None:
            continue
        meant = _OTHER_FUNCTIONS.get(part.name, part.name)
        near = meant if meant in FUNCTIONS else _FUNCTIONS.nearest(meant)
        if near and FUNCTIONS[near].parameter(0).type not in ("any", plain[name]):
            near = None
        message = f"`{name}` is {NAMES[plain[name]]} and has no `{part.name}`"
        yield BorderFault(message, span, f"write `{near}({name})`" if near else _FIELDS_HELP)


def _field_fault(
    part: Expr, shapes: Mapping[str, Sequence[Shape]], bound: Container[str], place: Span | None
) -> Iterator[BorderFault]:
    assert isinstance(part, Field)
    found = _shapes_of(part.object, shapes, bound)
    fields = [name for shape in found for name in _fields(shape) or ()]
    span = part.span or place
    are_lists = bool(found) and all(shape.get("type") == "array" for shape in found)
    if span is not None and are_lists and Spelling(("length",)).nearest(part.name):
        message = f"`{show(part.object)}` is a list and has no `{part.name}`"
        yield BorderFault(message, span, "did you mean `length`?")
    if span is None or not fields or part.name in (*fields, "length"):
        return
    near = Spelling([*fields, "length"]).nearest(part.name)
    built_in = all(shape.get("$comment") == BUILT_IN for shape in found)
    if near is None and not built_in and any(s.get("additionalProperties") for s in found):
        return
    listed = ", ".join(f"`{name}`" for name in dict.fromkeys(fields))
    if near is None and built_in:  # a program may bring a tool of the name that gives more
        message = f"`{show(part.object)}` of a built-in tool has no `{part.name}`"
        yield BorderFault(message, span, f"it gives {listed}", severity="warning")
        return
    help = f"did you mean `{near}`?" if near else f"its schema has {listed}"
    yield BorderFault(f"`{show(part.object)}` has no `{part.name}`", span, help)


def _shapes_of(
    expr: Expr, shapes: Mapping[str, Sequence[Shape]], bound: Container[str]
) -> list[Shape]:
    """Return the schemas that a value can have, or nothing where one of them is not known."""
    match expr:
        case Name(name=name) if name not in bound:
            return [*shapes.get(name, ())]
        case Field(object=of, name=name):
            of_shapes = _shapes_of(of, shapes, bound)
            inner = [(_fields(shape) or {}).get(name) for shape in of_shapes]
        case Index(object=of):
            inner = [shape.get("items") for shape in _shapes_of(of, shapes, bound)]
        case _:
            return []
    known: list[Shape] = [shape for shape in inner if isinstance(shape, dict)]
    return known if len(known) == len(inner) else []


def _result_shapes(
    node: ir.AgentNode, workflow: ir.Workflow, builtin: Set[str]
) -> dict[str, list[Shape]]:
    """Return what assertions beside a report measure: the results of the node's tools by their
    names, and `result`, the last of them."""
    agents = [agent for agent in workflow.agents if agent.id == node.agent]
    tools = dict.fromkeys((*node.tools, *(tool for agent in agents for tool in agent.tools)))
    shapes = {tool: [RESULTS[tool]] for tool in tools if tool in builtin}
    results = [shape for shape, *_ in shapes.values()]
    return {**shapes, "result": results} if len(shapes) == len(tools) else dict(shapes)


def _shapes(workflow: ir.Workflow, builtin: Set[str]) -> Mapping[str, Sequence[Shape]]:
    """Return the schemas of the variables that hold nothing but answers with one, or results of
    tools that are known."""
    others = {param.name for param in workflow.params}
    others |= {field.name for field in workflow.state if field.default is not None}
    shapes: dict[str, list[Shape]] = {}
    for name, places in writes_by_name(workflow).items():
        if name not in others:
            found = [_shape_of(workflow.nodes[at], name, builtin) for at, _ in places]
            known = [shape for shape in found if shape is not None]
            if len(known) == len(found):
                shapes[name] = known
    return shapes


def _shape_of(node: ir.Node, name: str, builtin: Set[str]) -> Shape | None:
    """Return the schema of what a node writes into a variable, where it has one."""
    match node:
        case ir.AgentNode(schema=dict() as schema, into=into) if into == name:
            return schema if _fields(schema) else None
        case ir.ToolNode(tool=tool, into=into) if into == name and tool in builtin:
            return RESULTS[tool]
        case _:
            return None


def _fields(schema: Shape) -> Mapping[str, ir.Json] | None:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        return None
    combined = {"allOf", "anyOf", "oneOf", "$ref", "patternProperties"} & schema.keys()
    return None if combined else properties
