"""Guards: expressions that cannot be evaluated, wherever they stand (FC3006)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from .. import ir
from ..catalog.catalog import Catalog
from ..diagnostics.diagnostic import Code, Diagnostic
from ..diagnostics.examples import chart, mend
from ..expr.ast import Expr
from ..expr.types import faults
from ..source.source import Span
from .check import Check


def bad_expressions(
    workflow: ir.Workflow, program: ir.Program, catalog: Catalog
) -> Iterator[Diagnostic]:
    """FC3006: unknown functions, wrong numbers of arguments, invalid regular expressions. At the
    part that is wrong, or at the node that holds it."""
    for expr, place in expressions(workflow):
        for fault in faults(expr):
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


def expressions(workflow: ir.Workflow) -> Iterator[tuple[Expr, Span | None]]:
    """Every expression of a workflow, with the place of what holds it."""
    yield from ((limit.value, limit.span or workflow.span) for limit in workflow.limits)
    yield from ((prompt.template, prompt.span) for prompt in workflow.prompts)
    yield from ((agent.system, agent.span) for agent in workflow.agents if agent.system)
    for rule in workflow.on_error:
        yield from ((assignment.value, assignment.span) for assignment in rule.assignments)
    for node in workflow.nodes:
        yield from ((limit.value, limit.span or node.span) for limit in node.limits)
        yield from ((expr, node.span) for expr in _of(node))


def _of(node: ir.Node) -> Iterator[Expr]:
    match node:
        case ir.AgentNode():
            yield from () if node.prompt is None else (node.prompt,)
            yield from (a.expr for a in node.asserts if a.expr is not None)
        case ir.MessageNode():
            yield node.template
        case ir.ToolNode():
            yield from (assignment.value for assignment in node.args)
        case ir.ExecNode():
            yield node.source
        case ir.ChooseNode():
            yield node.on
        case ir.AskNode():
            yield node.question
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
