"""What is asked of a lowered graph: whose model a node calls, and what its ways are called."""

from __future__ import annotations

import pytest
from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import Agent, AgentNode, AssignNode, Node, Program, TaskNode, Workflow
from flowc.compiler.lowering.graphspec import Branch, answering_agent, labelled_targets
from flowc.compiler.lowering.lower import lower
from flowc.compiler.source.source import SourceSet

AGENTS = (Agent(id="writer"), Agent(id="boss", person=True), Agent(id="other"))


def task(agent: str | None, form: str = "task") -> TaskNode:
    return TaskNode(
        id="t", role="r", prompt=Literal(value="p"), into="R", agent=agent, form=form  # type: ignore[arg-type]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("op", "agent"),
    [
        (AgentNode(id="a", agent="other"), "other"),
        (AgentNode(id="a", agent="boss"), None),
        (AgentNode(id="a", agent="gone"), None),
        (task("writer"), "writer"),
        (task("boss"), None),
        (task(None), None),
        (task("writer", "synchronization"), None),
        (task("writer", "review"), "writer"),
        (AssignNode(id="x"), None),
    ],
)
def test_the_agent_whose_model_a_node_calls(op: Node, agent: str | None) -> None:
    flow = Workflow(name="w", nodes=(op,), agents=AGENTS, entry=op.id)
    spec = lower(Program(entry="w", workflows=(("w", flow),)), SourceSet())
    called = answering_agent(op, spec)
    assert (called.id if called else None) == agent


def labels(*cases: tuple[str, str], otherwise: str | None = None) -> list[tuple[str | None, str]]:
    branch = Branch(source="A", channel="$route.A", cases=cases, otherwise=otherwise)
    return [(case, label) for case, label, _ in labelled_targets(branch)]


def test_a_case_with_several_targets_has_several_labels():
    assert labels(("x", "A"), ("x", "B"), ("x", "C")) == [
        ("x", "x"), ("x", "x (2)"), ("x", "x (3)")
    ]  # fmt: skip


def test_a_label_that_is_a_case_s_own_is_not_taken_twice():
    assert labels(("x (2)", "A"), ("x", "B"), ("x", "C")) == [
        ("x (2)", "x (2)"), ("x", "x"), ("x", "x (3)")
    ]  # fmt: skip


def test_otherwise_has_no_case_and_a_label_that_no_case_has():
    assert labels(("x", "A"), otherwise="B")[-1] == (None, "otherwise")
    assert labels(("otherwise", "A"), otherwise="B")[-1] == (None, "otherwise (2)")
