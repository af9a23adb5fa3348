"""Workflows in a few words: `flow("START > A", "A yes> B")` and what a check says about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flowc.compiler.diagnostics.diagnostic import Diagnostic
from flowc.compiler.expr.parse import ParseFault, parse
from flowc.compiler.ir import (
    Assignment,
    AssignNode,
    Case,
    ChooseNode,
    Edge,
    EndNode,
    Node,
    OnError,
    Program,
    StateField,
    Workflow,
)
from flowc.compiler.source.source import Span

FILE = "a.md"
Said = list[tuple[str, str, str]]


class Flow:
    """Builds a workflow. Each word has a place of its own, in the order in which it was said."""

    def __init__(self) -> None:
        self.at = 0
        self.nodes: dict[str, Node] = {}
        self.edges: list[Edge] = []
        self.state: list[StateField] = []

    def span(self, length: int = 1) -> Span:
        start, self.at = self.at, self.at + length + 1
        return Span(FILE, start, start + length)

    def expr(self, text: str) -> Any:
        expr = parse(text, FILE, self.span(len(text)).start)
        assert not isinstance(expr, ParseFault), expr
        return expr

    def set(self, id: str, **values: str) -> None:
        """`set("A", CITY="'Oslo'")`: node A assigns; values are expressions."""
        assignments = tuple(
            Assignment(target=name, value=self.expr(text), span=self.span(len(name)))
            for name, text in values.items()
        )
        self.add(AssignNode(id=id, assignments=assignments, span=self.span(len(id))))

    def choose(self, id: str, on: str) -> None:
        """Node `id` decides by an expression."""
        self.add(ChooseNode(id=id, on=self.expr(on), span=self.span(len(id))))

    def add(self, node: Node) -> None:
        self.nodes[node.id] = node

    def listed(self, *names: str) -> None:
        """Variables that the file lists without giving them a value."""
        self.state += [StateField(name=name, span=self.span(len(name))) for name in names]

    def edge(self, text: str) -> None:
        """`A > B`, `A yes> B` (a case), `A !> B` (a failure), `A ?> B` (an implied failure)."""
        source, arrow, target = text.split()
        for id in (source, target):
            if id not in self.nodes:
                end = EndNode(id=id, outcome="failed" if id == "FAILED" else "success")
                self.add(end if id in ("END", "FAILED") else AssignNode(id=id, span=self.span()))
        word = arrow[:-1]
        failing = OnError(errors=("failure",)) if word in ("!", "?") else None
        guard = failing or (Case(value=word) if word else None)
        self.edges.append(Edge(source=source, target=target, guard=guard, implied=word == "?"))

    def workflow(self, **more: Any) -> Workflow:
        return Workflow(
            name="w",
            nodes=tuple(self.nodes.values()),
            edges=tuple(self.edges),
            state=tuple(self.state),
            entry="START",
            **more,
        )


@pytest.fixture
def flow() -> Flow:
    """An empty workflow to say nodes and edges into."""
    return Flow()


@pytest.fixture
def said() -> Callable[..., Said]:
    """What a check says of a workflow (and those it stands beside): code, severity, message."""

    def run(check: Any, workflow: Workflow, *others: Workflow) -> Said:
        return [(d.code, d.severity, d.message) for d in diagnostics(check, workflow, *others)]

    return run


def diagnostics(check: Any, workflow: Workflow, *others: Workflow) -> list[Diagnostic]:
    rows = (("main.md", workflow), *((f"{other.name}.md", other) for other in others))
    program = Program(entry="main.md", workflows=rows)
    return list(check(workflow, program))


@pytest.fixture
def found() -> Callable[..., list[Diagnostic]]:
    """The diagnostics of a check themselves."""
    return diagnostics
