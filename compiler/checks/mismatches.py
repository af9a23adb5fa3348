"""Mismatches: a value of one kind where another is needed (FC3005).

    state: {parts: list}        parts := "none"        a text is not a list
    foreach: topic              `topic` is a text      nothing to go through

Only what is certain in the file counts. A text may turn out to be a number, and everything but a
list or an object has a text form; so most pairs are left to the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .. import ir
from ..analysis.ways import workflows_by_path
from ..analysis.wording import node_name
from ..diagnostics.diagnostic import Code, Diagnostic, Label
from ..diagnostics.examples import flow, mend
from ..expr.ast import Binary, Expr, Literal
from ..expr.function import NAMES
from ..expr.functions import Type
from ..expr.show import show
from ..expr.types import PARTICULAR, infer, operand_faults
from ..expr.values import read_number
from ..expr.walk import names_read
from ..source.source import Span
from ..source.spelling import Spelling
from .borders import border_faults
from .branches import choices, known_values, types_of
from .check import Check
from .guards import computations

_KINDS: dict[type, Type] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "list",
    dict: "object",
}
_REDUCED: dict[str, tuple[Type, ...]] = {
    "append": ("list", "any"),
    "merge": ("object", "any"),
    "add": ("number", "integer", "any"),
}
"""What a variable with this reducer holds."""


def mismatches(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC3005: operands that an operator never takes, and producers that never give what the
    consumer needs. At the value, or at the node that holds it."""
    types = types_of(workflow)
    for part, bound, expr, place in computations(workflow, PARTICULAR):
        for fault in operand_faults(part, bound, types):
            span = fault.span or expr.span or place
            if span is not None:
                yield _mismatch(fault.message, span, help=fault.help)
    yield from _reducers(workflow)
    yield from _defaults(workflow)
    for found in border_faults(workflow, program):
        yield MISMATCHES.code.diagnostic(
            found.message,
            found.span,
            severity=found.severity,
            labels=found.labels,
            help=found.help,
        )
    fields = {field.name: field for field in workflow.state}
    definite = {name: kind for name, kind in types.items() if kind != "any"}
    for node in workflow.nodes:
        if isinstance(node, ir.AssignNode | ir.EndNode):
            if [a for a in node.assignments if a.target in definite]:
                yield from _assignment_mismatches(node.assignments, definite, types, fields)
        elif not isinstance(node, ir.ChooseNode):
            yield from _node(node, fields, program, types)
    for choice, edges in choices(workflow):
        yield from _foreign_cases(choice, edges, workflow)
        yield from _cases_beside_numbers(choice, edges, types)
    yield from _foreign_values(workflow)


MISMATCHES = Check(
    Code("FC3005", "type-mismatch", "error",
        title="A value of one kind where another is needed.",
        why="The run would fail, or compare what cannot be compared.",
        examples=lambda: mend(
            flow(
                """
            state: {count: integer}
            nodes:
              - {name: count, assign: {count: '"none"'}}
            outputs: [count]
            """
            ),
            """'"none"'""",
            "0",
        ),
    ),
    mismatches,
)  # fmt: skip


def _node(
    node: ir.Node,
    fields: Mapping[str, ir.StateField],
    program: ir.Program,
    types: Mapping[str, Type],
) -> Iterator[Diagnostic]:
    match node:
        case ir.CallNode():
            yield from _argument_mismatches(node.passes, node.workflow, program, types)
        case ir.ForeachNode():
            yield from _needs(node.items, ("list",), "to go through", node, types)
            yield from _argument_mismatches(node.passes, node.workflow, program, types)
            yield from _result_mismatch("list", node.into, node, fields, types)
        case ir.ExecNode() | ir.HttpNode():
            for part in node.parts:
                given = ir.PART_TYPES[part.part]
                yield from _result_mismatch(given, part.variable, node, fields, types, part.span)
        case ir.WaitNode(awaits=ir.Delay(seconds=seconds)):
            yield from _needs(seconds, ("number", "integer"), "as seconds", node, types)
        case ir.GateNode(score=score) if score is not None:
            yield from _needs(score, ("number", "integer"), "as its score", node, types)
        case ir.AgentNode(schema=schema, into=into) if schema is not None and into is not None:
            yield from _result_mismatch("object", into, node, fields, types)
        case _:
            return


def fits(needed: Type, given: Type, value: Expr | None = None) -> bool:
    """Whether a value of one type can stand where another is needed. A written text counts by what
    it says: `"3"` is a number, `"three"` is none."""
    if "any" in (needed, given) or needed == given:
        return True
    if {"list", "object"} & {needed, given}:
        return False
    written = value.value if isinstance(value, Literal) else None
    if not isinstance(written, str):
        return True
    if needed in ("number", "integer"):
        return read_number(written) is not None
    return needed != "boolean" or written.strip().lower() in ("true", "false")


def _assignment_mismatches(
    assignments: Sequence[ir.Assignment],
    targets: Mapping[str, Type],
    types: Mapping[str, Type],
    fields: Mapping[str, ir.StateField],
) -> Iterator[Diagnostic]:
    for assignment in assignments:
        needed = targets.get(assignment.target, "any")
        if needed == "any":
            continue
        field = fields.get(assignment.target)
        if field is not None and field.reducer == "append":
            continue  # a single element is appended too
        given = infer(assignment.value, types)
        span = assignment.value.span or assignment.span
        if span is not None and not fits(needed, given, assignment.value):
            declared = field.span if field is not None else None
            yield _mismatch(
                f"`{assignment.target}` holds {NAMES[needed]}, this is {NAMES[given]}",
                span,
                declared=declared,
            )


def _argument_mismatches(
    passes: Sequence[ir.Assignment], path: str, program: ir.Program, types: Mapping[str, Type]
) -> Iterator[Diagnostic]:
    target = workflows_by_path(program).get(path)
    if target is None:
        return
    yield from _assignment_mismatches(passes, types_of(target), types, {})


def _needs(
    value: Expr, needed: tuple[Type, ...], what: str, node: ir.Node, types: Mapping[str, Type]
) -> Iterator[Diagnostic]:
    given = infer(value, types)
    span = value.span or node.span
    is_text = given == "text" and needed != ("list",) and not isinstance(value, Literal)
    if span is None or is_text or any(fits(kind, given, value) for kind in needed):
        return
    message = f"{node_name(node)} needs {NAMES[needed[0]]} {what}, this is {NAMES[given]}"
    yield _mismatch(message, span)


def _result_mismatch(
    given: Type,
    into: str,
    node: ir.Node,
    fields: Mapping[str, ir.StateField],
    types: Mapping[str, Type],
    place: Span | None = None,
) -> Iterator[Diagnostic]:
    place = place or node.span
    if into in fields and fields[into].reducer == "append":
        return  # a single element is appended too
    needed = types.get(into, "any")
    if place is not None and not fits(needed, given):
        yield _mismatch(
            f"{node_name(node)} gives {NAMES[given]}, but `{into}` holds {NAMES[needed]}", place
        )


def _reducers(workflow: ir.Workflow) -> Iterator[Diagnostic]:
    for field in workflow.state:
        allowed = _REDUCED.get(field.reducer)
        if allowed is not None and field.type not in allowed and field.span is not None:
            yield _mismatch(
                f"`{field.name}` holds {NAMES[field.type]}, which `{field.reducer}` cannot grow",
                field.span,
                help=f"declare it as {allowed[0]}",
            )


def _defaults(workflow: ir.Workflow) -> Iterator[Diagnostic]:
    declared: list[ir.Param | ir.StateField] = [*workflow.params, *workflow.state]
    for entry in declared:
        if entry.default is None or entry.span is None:
            continue
        default = entry.default
        given = _KINDS.get(type(default), "any")
        is_other = entry.type in ("integer", "number") and isinstance(default, bool)
        is_part = entry.type == "integer" and isinstance(default, float) and default % 1 != 0
        if is_other or is_part or not fits(entry.type, given, Literal(value=default)):
            message = f"`{entry.name}` holds {NAMES[entry.type]}, its default is {NAMES[given]}"
            help = f"change the default, or declare another type than `{entry.type}`"
            yield _mismatch(message, entry.span, help=help)


def _cases_beside_numbers(
    node: ir.ChooseNode, edges: Sequence[ir.Edge], types: Mapping[str, Type]
) -> Iterator[Diagnostic]:
    """Yield the cases of a choice by a number that are not numbers."""
    if (type_ := infer(node.on, types)) not in ("integer", "number"):
        return
    for edge in edges:
        place = edge.span or node.span
        if isinstance(edge.guard, ir.Case) and place is not None:
            value = edge.guard.value
            if read_number(value) is None:
                message = f"the value of {node_name(node)} is {NAMES[type_]}, never `{value}`"
                yield _mismatch(message, place, help="write a number, or compare with `when:`")


def _foreign_cases(
    node: ir.ChooseNode, edges: Sequence[ir.Edge], workflow: ir.Workflow
) -> Iterator[Diagnostic]:
    known = known_values(node.on, workflow)
    if known is None:
        return
    spelling = Spelling(known)
    for edge in edges:
        place = edge.span or node.span
        if isinstance(edge.guard, ir.Case) and edge.guard.value not in known and place is not None:
            near = spelling.nearest(edge.guard.value)
            yield _mismatch(
                f"the value of {node_name(node)} is never `{edge.guard.value}`",
                place,
                help=f"did you mean `{near}`?"
                if near
                else "it is one of " + ", ".join(f"`{value}`" for value in known),
            )


def _foreign_values(workflow: ir.Workflow) -> Iterator[Diagnostic]:
    """Yield the comparisons with a text that the value never has."""
    given = {param.name for param in workflow.params}
    given |= {field.name for field in workflow.state if field.default is not None}
    for part, *_ in computations(workflow, ("==", "!=")):
        assert isinstance(part, Binary)
        for value, other in ((part.left, part.right), (part.right, part.left)):
            written = other.value if isinstance(other, Literal) else None
            if not isinstance(written, str) or not written:
                continue
            if given & {name.name for name in names_read(value)}:
                continue
            known = known_values(value, workflow)
            span = other.span or part.span
            if known and written not in known and span is not None:
                listed = ", ".join(f"`{word}`" for word in known)
                help = Spelling(known).advice(str(written), f"it is one of {listed}")
                yield _mismatch(f"`{show(value)}` is never `{written}`", span, help=help)


def _mismatch(
    message: str, span: Span, *, declared: Span | None = None, help: str = ""
) -> Diagnostic:
    return MISMATCHES.code.diagnostic(
        message,
        span,
        labels=(Label(declared, "declared here"),) if declared is not None else (),
        help=help or "change the value, or what is declared",
    )
