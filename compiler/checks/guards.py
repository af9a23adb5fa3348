"""Guards: expressions that cannot be evaluated, wherever they stand (FC3006)."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping

from .. import ir
from ..analysis.memo import once_per_workflow
from ..analysis.variables import expressions_of
from ..diagnostics.diagnostic import Code, Diagnostic
from ..diagnostics.examples import chart, mend
from ..expr.ast import Binary, Call, Expr, Field, ListOf, Literal, Name, ObjectOf, Text
from ..expr.show import show
from ..expr.types import FALLIBLE, faults, kind_of
from ..expr.walk import LEAVES, compounds
from ..source.source import Span
from ..source.spelling import Spelling
from .check import Check

FIRST_TRUE = "which"
"""The function whose value is the number of the first argument that is true, 0 for none."""
_LENGTH = Spelling(("length",))
_COMPARED = ("==", "!=", "<", "<=", ">", ">=")


def bad_expressions(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC3006: unknown functions, wrong numbers of arguments, invalid regular expressions. At the
    part that is wrong, or at the node that holds it."""
    for part, _, expr, place in computations(workflow, FALLIBLE):
        for fault in faults(part):
            span = fault.span or expr.span or place
            if span is not None:
                yield BAD_EXPRESSIONS.code.diagnostic(fault.message, span, help=fault.help)
    for message, span, help in odd_conditions(workflow):
        if span is not None:
            yield BAD_EXPRESSIONS.code.diagnostic(message, span, severity="warning", help=help)


def odd_conditions(workflow: ir.Workflow) -> Iterator[tuple[str, Span | None, str]]:
    """Yield what can be evaluated and was not meant: message, place and help."""
    yield from _constants(workflow)
    yield from _comparisons(workflow)
    yield from _lengths(workflow)


def _constants(workflow: ir.Workflow) -> Iterator[tuple[str, Span | None, str]]:
    """Yield conditions that are lists, objects or truth values: always the same."""
    for node in workflow.nodes:
        conditions: tuple[Expr, ...] = ()
        if isinstance(node, ir.AssertNode):
            conditions = (node.condition,)
        elif isinstance(node, ir.ChooseNode) and isinstance(node.on, Call):
            conditions = node.on.args if node.on.function == FIRST_TRUE else ()
        for condition in conditions:
            span = condition.span or node.span
            if isinstance(condition, ListOf) and len(condition.items) == 1:
                meant = show(condition.items[0])
                yield "a list with an element always holds", span, f"write `{meant}`, no list"
            elif isinstance(condition, ListOf | ObjectOf):
                what = "a list" if isinstance(condition, ListOf) else "an object"
                yield f"{what} is not a condition", span, "write a comparison, as in `n > 3`"
            elif isinstance(condition, Literal):
                when = "always holds" if condition.value else "never holds"
                yield f"this condition {when}", span, "write a comparison, or take it out"


def _lengths(workflow: ir.Workflow) -> Iterator[tuple[str, Span | None, str]]:
    """Yield fields that are nearly `length`, which texts, lists and objects have."""
    for part, _, expr, place in computations(workflow, ("field",)):
        if isinstance(part, Field) and part.name != "length" and _LENGTH.nearest(part.name):
            message = f"`{part.name}` is nearly `length`"
            yield message, part.span or expr.span or place, "did you mean `length`?"


def _comparisons(workflow: ir.Workflow) -> Iterator[tuple[str, Span | None, str]]:
    """Yield comparisons of a value with itself."""
    for part, _, expr, place in computations(workflow, _COMPARED):
        if (
            isinstance(part, Binary)
            and part.left == part.right
            and not isinstance(part.left, Literal)
        ):
            when = "always" if part.op in ("==", "<=", ">=") else "never"
            message = f"`{show(part.left)}` is compared with itself: that {when} holds"
            yield message, part.span or expr.span or place, "write what it is compared with"


BAD_EXPRESSIONS = Check(
    Code("FC3006", "bad-expression", "error",
        title="An expression that cannot be evaluated.",
        why="It does not parse, names an unknown function, or holds an invalid regular expression.",
        examples=lambda: mend(
            chart(
                """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> CHECK_REVIEW{RESULT MATCHES '(GOOD'}
            CHECK_REVIEW --> |YES| SUCCESS
            CHECK_REVIEW --> |NO| FAILED
            """
            ),
            "(GOOD",
            "GOOD",
        ),
    ),
    bad_expressions,
    needs="place",
)  # fmt: skip


Computation = tuple[Expr, frozenset[str], Expr, Span | None]
"""A part of an expression, the names that are elements of lists there, all of the expression, and
the place of what holds it."""


def computations(workflow: ir.Workflow, kinds: Iterable[str]) -> Iterator[Computation]:
    """Yield the parts of these kinds, see `kind_of`, of a workflow's expressions."""
    found = _by_kind(workflow)
    return itertools.chain.from_iterable(found.get(kind, ()) for kind in kinds)


SCOPES = frozenset(
    ("params", "inputs", "input", "state", "vars", "variables", "env", "nodes", "steps", "outputs")
)
"""What other languages write before the name of a variable."""


def fields_behind(
    workflow: ir.Workflow, names: Container[str], known: Container[str]
) -> dict[str, str]:
    """Return for names the first of the `known` ones that stands as a field behind each."""
    found: dict[str, str] = {}
    for part, *_ in computations(workflow, ("field",)):
        assert isinstance(part, Field)
        of = part.object.name if isinstance(part.object, Name) else ""
        if of in names and part.name in known:
            found.setdefault(of, part.name)
    return found


@once_per_workflow
def _by_kind(workflow: ir.Workflow) -> Mapping[str, list[Computation]]:
    """Return the parts that have parts themselves of every expression in which something can be
    wrong: not of texts in which values alone are put in, nearly all of them in most files."""
    found: dict[str, list[Computation]] = defaultdict(list)
    for expr, place in expressions(workflow):
        if not only_puts_in(expr):
            for part, bound in compounds(expr):
                found[kind_of(part)].append((part, bound, expr, place))
    return found


def only_puts_in(expr: Expr) -> bool:
    """Return whether an expression is a text, or values put into one: nothing can be wrong in it
    but its names."""
    if isinstance(expr, LEAVES):
        return True
    if isinstance(expr, Text):
        for part in expr.parts:
            if not isinstance(part, LEAVES) and not only_puts_in(part):
                return False
        return True
    if isinstance(expr, Call) and expr.function == "coalesce" and expr.args:
        return not [part for part in expr.args if not isinstance(part, LEAVES)]
    return False


def expressions(workflow: ir.Workflow) -> Iterator[tuple[Expr, Span | None]]:
    """Every expression of a workflow, with the place of what holds it."""
    yield from ((limit.value, limit.span or workflow.span) for limit in workflow.limits)
    yield from ((prompt.template, prompt.span) for prompt in workflow.prompts)
    yield from ((agent.system, agent.span) for agent in workflow.agents if agent.system)
    for rule in workflow.on_error:
        yield from ((assignment.value, assignment.span) for assignment in rule.assignments)
    for node in workflow.nodes:
        if node.limits:
            yield from ((limit.value, limit.span or node.span) for limit in node.limits)
        for expr in expressions_of(node):
            yield expr, node.span
