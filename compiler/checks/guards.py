"""Guards: expressions that cannot be evaluated, wherever they stand (FC3006)."""

from __future__ import annotations

from collections.abc import Iterator

from .. import ir
from ..analysis.memo import once_per_workflow
from ..analysis.variables import expressions_of
from ..diagnostics.diagnostic import Code, Diagnostic
from ..diagnostics.examples import chart, mend
from ..expr.ast import Call, Expr, Text
from ..expr.types import faults
from ..expr.walk import LEAVES, Parts, compounds
from ..source.source import Span
from .check import Check


def bad_expressions(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC3006: unknown functions, wrong numbers of arguments, invalid regular expressions. At the
    part that is wrong, or at the node that holds it."""
    for expr, place, parts in computations(workflow):
        for fault in faults(parts):
            span = fault.span or expr.span or place
            if span is not None:
                yield BAD_EXPRESSIONS.code.diagnostic(fault.message, span, help=fault.help)


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


@once_per_workflow
def computations(workflow: ir.Workflow) -> tuple[tuple[Expr, Span | None, Parts], ...]:
    """Every expression of a workflow in which something can be wrong, with the place of what holds
    it and with its parts: without texts in which values alone are put in, nearly all of them in
    most files."""
    return tuple(
        (expr, place, compounds(expr))
        for expr, place in expressions(workflow)
        if not only_puts_in(expr)
    )


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
        for limit in node.limits:
            yield limit.value, limit.span or node.span
        for expr in expressions_of(node):
            yield expr, node.span
