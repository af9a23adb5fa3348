"""Borders: what a workflow hands over to another one and takes back, and what an answer holds.

    call: sub        with: {page: topic}     `sub` requires `tone` as well
                     returns: {z: rezult}    `sub` has no `rezult`
    agent: judge     schema: {mark: …}       `judged.makr` is never there

Both ends stand in the file, so one is held against the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .. import ir
from ..analysis.variables import writes
from ..analysis.wording import node_name
from ..diagnostics.diagnostic import Label
from ..expr.ast import Expr, Field, Name
from ..expr.walk import names_read, walk_bound
from ..source.records import dataclass
from ..source.source import Span
from ..source.spelling import Spelling
from .branches import types_of
from .guards import expressions


@dataclass(frozen=True, slots=True)
class BorderFault:
    """One fault: what does not fit, where, what to write, and the other end."""

    message: str
    span: Span
    help: str
    labels: tuple[Label, ...] = ()


def border_faults(workflow: ir.Workflow, program: ir.Program) -> Iterator[BorderFault]:
    """Yield what does not fit between a workflow and those that it calls, or the schemas of its
    answers."""
    called = dict(program.workflows)
    for node in workflow.nodes:
        if isinstance(node, ir.CallNode | ir.ForeachNode):
            target = called.get(node.workflow)
            span = node.target_span or node.span
            if target is not None and span is not None:
                yield from _call_faults(node, target, span)
    yield from _field_faults(workflow)


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
                yield BorderFault(f"`{target.name}` takes no `{name}`", span, help, _at(target))
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
            yield BorderFault(message, span, help, labels)


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
    """Yield the fields that are read of an answer and that no schema of it has."""
    shapes = _shapes(workflow)
    if not shapes:
        return
    for expr, _ in expressions(workflow):
        for part, bound in walk_bound(expr):
            if not isinstance(part, Field) or not isinstance(part.object, Name):
                continue
            if part.object.name in bound:
                continue
            fields = shapes.get(part.object.name)
            span = part.span or expr.span
            if fields is None or part.name in fields or span is None:
                continue
            listed = ", ".join(f"`{name}`" for name in fields)
            help = Spelling(fields).advice(part.name, f"its schema has {listed}")
            yield BorderFault(f"`{part.object.name}` has no `{part.name}`", span, help)


def _shapes(workflow: ir.Workflow) -> Mapping[str, Sequence[str]]:
    """Return the fields of the variables that hold nothing but answers with a schema that lists
    them all."""
    declared = {param.name for param in workflow.params}
    shapes: dict[str, list[str]] = {}
    others = declared | {field.name for field in workflow.state if field.default is not None}
    for node in workflow.nodes:
        fields = _fields(node)
        for write in writes(node):
            if fields is not None and isinstance(node, ir.AgentNode) and write.name == node.into:
                shapes.setdefault(write.name, []).extend(fields)
            else:
                others.add(write.name)
    return {name: fields for name, fields in shapes.items() if name not in others}


def _fields(node: ir.Node) -> tuple[str, ...] | None:
    schema = node.schema if isinstance(node, ir.AgentNode) else None
    if not isinstance(schema, dict):
        return None
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        return None
    combined = {"allOf", "anyOf", "oneOf", "$ref", "patternProperties"} & schema.keys()
    return None if combined or schema.get("additionalProperties") else tuple(properties)
