"""Budgets: what a careful author writes and a run can do without (FC5002, with --strict alone).

A loop through a model that neither a limit nor its own count ends, even if a person paces it; a
key, or a folder of one machine, in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from .. import ir
from ..analysis.graphs import predecessors, reachable
from ..analysis.memo import once_per_program
from ..analysis.wording import node_name
from ..diagnostics.diagnostic import Code, Diagnostic
from ..diagnostics.examples import flow
from ..expr.ast import Literal
from ..expr.walk import walk
from ..source.source import Span
from .check import Check
from .guards import expressions
from .reachability import list_place
from .unbounded_loops import BOUNDING, endless_loops

_SECRET = re.compile(
    r"\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{20,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[A-Za-z0-9_-]{35}|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_SIGNS = ("sk-", "AKIA", "gh", "xox", "AIza", "PRIVATE KEY")
"""One of them stands in every such text: looking for it costs a fraction of the pattern."""
_OWN_FOLDER = re.compile(
    r"(?<![\w/.~])(?:/home/|/Users/|/root/)[\w.-]+|\b[A-Za-z]:\\Users\\[\w.-]+"
)
"""Folders that a person has on one machine; those of the system are everywhere."""


def missing_budgets(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC5002: once for the first loop that nothing ends, and at every such text."""
    yield from _endless_spending(workflow, program)
    for expr, place in expressions(workflow):
        for part in walk(expr):
            if isinstance(part, Literal) and isinstance(part.value, str):
                yield from _of_one_machine(part.value, part.span or expr.span or place)


_DRAFTS = """\
nodes:
  - {name: write, agent: writer, prompt: Write a line., into: line}
  - {name: like, ask: "{{ line }}", choices: [good, again], into: verdict}
  - name: decide
    choose: verdict
    cases: {good: end, again: write}
outputs: [line]
"""

MISSING_BUDGETS = Check(
    Code("FC5002", "missing-budget", "warning",
        title="No limit on what a run costs, or a private text.",
        why="A loop through a model may cost anything; "
        "a key or one machine's folder is in the file.",
        strict="only",
        examples=lambda: (
            replace(flow(_DRAFTS), strict=True),
            replace(flow(f"limits: {{cost: 0.5}}\n{_DRAFTS}"), strict=True),
        ),
    ),
    missing_budgets,
    needs="file",
)  # fmt: skip


def _endless_spending(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    main = program.main
    if any(limit.name in BOUNDING for limit in (*workflow.limits, *main.limits)):
        return
    asking = _workflows_that_ask(program)
    for members, _ in endless_loops(workflow, people_end_them=False):
        paid = [node for node in members if _asks(node, asking, workflow)]
        placed = sorted((node for node in paid if node.span is not None), key=list_place)
        if placed and placed[0].span is not None:
            yield MISSING_BUDGETS.code.diagnostic(
                f"nothing limits what the model calls of {node_name(placed[0])} may use up",
                placed[0].span,
                help="write a limit on steps, seconds, tokens or cost",
            )
            return


@once_per_program
def _workflows_that_ask(program: ir.Program) -> set[str]:
    """The workflows that call a model, themselves or by way of another."""
    rows = program.workflows
    asking = [path for path, flow in rows if any(_asks(node, set(), flow) for node in flow.nodes)]
    called = {
        path: [n.workflow for n in flow.nodes if isinstance(n, ir.CallNode | ir.ForeachNode)]
        for path, flow in rows
    }
    return set(reachable(asking, predecessors(called)))


def _asks(node: ir.Node, asking: set[str], workflow: ir.Workflow) -> bool:
    match node:
        case ir.AgentNode():
            return True
        case ir.TaskNode():
            people = {agent.id for agent in workflow.agents if agent.person}
            return node.form != "synchronization" and node.agent not in people
        case ir.CallNode() | ir.ForeachNode():
            return node.workflow in asking
        case _:
            return False


def _of_one_machine(text: str, span: Span | None) -> Iterator[Diagnostic]:
    if span is None:
        return
    if any(sign in text for sign in _SIGNS) and _SECRET.search(text):
        yield MISSING_BUDGETS.code.diagnostic(
            "this looks like a key",
            span,
            help="take it out, have it made invalid where it is from, and read it from the "
            "environment",
        )
    elif ("/" in text or ":\\" in text) and (match := _OWN_FOLDER.search(text)):
        yield MISSING_BUDGETS.code.diagnostic(
            f"`{match.group()}` is a folder of one machine",
            span,
            help="write a path relative to the workflow, or take it as a parameter",
        )
