"""What a dialect cannot say is told, whatever it is: every kind of node, odd names and texts."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import get_args

import pytest
from flowc.compiler import ir
from flowc.compiler.conversion import convert_file
from flowc.compiler.expr.ast import Binary, Literal, Name
from flowc.compiler.ir import (
    AgentNode,
    AssignNode,
    Case,
    ChooseNode,
    Edge,
    EndNode,
    ExecNode,
    Retry,
    Workflow,
)
from flowc.compiler.reading.protocol import Parsed
from flowc.compiler.source.source import Source, Span
from flowc.compiler.writers import DIALECTS
from nodes_of_every_kind import minimal
from specs import parts

SOURCE = Source("any.txt", "\n" * 50)
LINE = {cls: Span("any.txt", at, at) for at, cls in enumerate(get_args(ir.Node))}
TEXTS = (
    'say "hi"', "a\nb", "  blanks  ", "'quoted'", "{{NAME}}", "[NAME]", "file:x", "#quot;", "<br>",
    "`ticks`", "Set: x", "a|b]c}d)", "RESULT", "", "```\ncode\n```", "# Workflow", "-->", "%% no",
    "!INCLUDE x", "## User X", "x" * 200, "${a}", "\\", "é ✅ →", "---", "- item", "key: value",
)  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.name)
@pytest.mark.parametrize("kind", get_args(ir.Node), ids=lambda k: k.__name__)
def test_a_node_of_any_kind_is_said_or_told_at_its_place(kind, dialect):
    node = replace(minimal(kind), span=LINE[kind], retry=Retry(attempts=7))
    nodes = (AssignNode(id="begin"), node, EndNode(id="done", outcome="success"))
    edges = (Edge(source="begin", target="x"), Edge(source="x", target="done"))
    workflow = Workflow(name="any", nodes=nodes, edges=edges, entry="begin")
    done = convert_file(Parsed(workflow), SOURCE, dialect, "out" + dialect.suffix)
    text = next(iter(done.files.values()))
    told = [loss for loss in done.losses if loss.primary == LINE[kind]]
    assert told or "7" in text


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.name)
@pytest.mark.parametrize("text", TEXTS, ids=lambda t: repr(t[:20]))
def test_any_text_comes_back_or_is_told(text, dialect):
    """As a prompt, a title, a value, a command, a constant to compare with, a default."""
    nodes = (
        AssignNode(id="START", title=text),
        AgentNode(id="PROMPT_A", title="User A", agent="main", prompt=Literal(value=text)),
        AssignNode(
            id="SET_A",
            title=text,
            assignments=(ir.Assignment(target="A", value=Literal(value=text)),),
        ),
        ExecNode(
            id="EXECUTE_A",
            source=Literal(value=text),
            form="command",
            session="main",
            parts=parts(RESULT="transcript", EXIT_CODE="code"),
        ),
        ChooseNode(
            id="CHECK_A",
            title=text,
            on=Binary(op="contains", left=Name(name="RESULT"), right=Literal(value=text)),
        ),
        EndNode(id="SUCCESS", title=text, outcome="success"),
    )
    ids = [node.id for node in nodes]
    edges = [Edge(source=a, target=b) for a, b in pairwise(ids[:-1])]
    edges.append(Edge(source="CHECK_A", target="SUCCESS", guard=Case(value="true"), label=text))
    workflow = Workflow(
        name="any",
        title=text,
        description=text,
        params=(ir.Param(name="P", default=text),),
        nodes=nodes,
        edges=tuple(edges),
        entry="START",
    )
    done = convert_file(Parsed(workflow), SOURCE, dialect, "out" + dialect.suffix)
    assert {loss.code for loss in done.losses} <= {"FC6001"}
