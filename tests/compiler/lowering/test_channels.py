"""The channels of a graph, and which of them each kind of node may write."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.compiler.expr.ast import Literal, Name
from flowc.compiler.ir import (
    Agent,
    AgentNode,
    AskNode,
    AssertNode,
    Assignment,
    AssignNode,
    CallNode,
    Case,
    ChooseNode,
    Edge,
    EndNode,
    ExecNode,
    ForeachNode,
    GateNode,
    Input,
    Limit,
    MessageNode,
    Node,
    OnError,
    Param,
    Program,
    Prompt,
    Script,
    ScriptNode,
    StateField,
    TaskNode,
    Thread,
    Tool,
    ToolNode,
    Workflow,
)
from flowc.compiler.lowering.graphspec import Channel, GraphSpec
from flowc.compiler.lowering.lower import lower
from flowc.compiler.source.source import Source, SourceSet
from specs import parts

TEXT = Literal(value="x")
ALWAYS = {"$visits"}


def lowered(*nodes: Node, sources: SourceSet | None = None, **more: Any) -> GraphSpec:
    fields = {"state": tuple(StateField(name=name) for name in ("A", "B", "C")), **more}
    flow = Workflow(name="w", nodes=nodes, entry=nodes[0].id, **fields)
    return lower(Program(entry="w.md", workflows=(("w.md", flow),)), sources or SourceSet())


def names(spec: GraphSpec) -> list[str]:
    return [c.name for c in spec.channels if c.name not in ("outcome", "$visits")]


def execute(name: str, session: str, **more: Any) -> ExecNode:
    return ExecNode(
        id=name, source=TEXT, form="command", session=session, parts=parts(A="text", **more)
    )


def sets(name: str) -> tuple[Assignment, ...]:
    return (Assignment(target=name, value=TEXT),)


SETS_B = sets("B")
KINDS: tuple[tuple[Node, set[str]], ...] = (
    (AgentNode(id="n", agent="talker", reply_into="B"), {"B", "messages"}),
    (AgentNode(id="n", agent="lone", report=True), {"$reports"}),
    (AgentNode(id="n", agent="lone", inputs=(Input(name="A"),)), {"$reports"}),
    (MessageNode(id="n", thread="talk", mode="append", role="user", template=TEXT, into="B"),
     {"B", "messages"}),
    (MessageNode(id="n", thread="talk", mode="clear", role="user", template=TEXT),
     {"messages"}),
    (ToolNode(id="n", tool="t"), set()),
    (GateNode(id="n", form="approval", into="B"), {"B"}),
    (GateNode(id="n", form="approval"), set()),
    (execute("n", "s"), {"A", "$session.s"}),
    (execute("n", "s", B="code"), {"A", "B", "$session.s"}),
    (ScriptNode(id="n", script="s", function="f", shares=("A",), keeps="B", into="C",
                threads=("talk",)), {"A", "B", "C", "$clock", "messages"}),
    (ScriptNode(id="n", script="s", function="f"), {"$clock"}),
    (AskNode(id="n", question=TEXT, into="B", thread="talk"), {"B", "messages"}),
    (AskNode(id="n", question=TEXT, into="B"), {"B"}),
    (TaskNode(id="n", role="r", prompt=TEXT, into="B"), {"B"}),
    (ForeachNode(id="n", items=TEXT, workflow="w.md", item="A", into="B"), {"B"}),
    (AssignNode(id="n", assignments=SETS_B), {"B"}),
    (EndNode(id="n", outcome="success", assignments=SETS_B), {"B", "outcome"}),
    (CallNode(id="n", workflow="w.md", returns=SETS_B), {"B"}),
    (CallNode(id="n", workflow="w.md", returns_all=True), {"A", "B", "C"}),
    (CallNode(id="n", workflow="w.md", shares_sessions=True), {"$session.main"}),
    (ChooseNode(id="n", on=Name(name="A")), set()),
    (AssertNode(id="n", condition=Name(name="A")), set()),
)  # fmt: skip


@pytest.mark.parametrize(("node", "written"), KINDS, ids=lambda p: getattr(p, "kind", None))
def test_what_a_kind_of_node_may_write(node: Node, written: set[str]) -> None:
    agents = (Agent(id="talker", thread="talk"), Agent(id="lone"), Agent(id="x", thread="other"))
    spec = lowered(node, agents=agents, threads=(Thread(id="talk"), Thread(id="other")))
    assert set(spec.nodes[0].writes) == written | ALWAYS


def test_what_is_no_variable_of_the_workflow_is_not_written():
    spec = lowered(AssignNode(id="n", assignments=sets("ELSEWHERE")))
    assert set(spec.nodes[0].writes) == ALWAYS


def test_a_graph_has_no_bookkeeping_that_no_node_writes():
    plain = lowered(AssignNode(id="n"), EndNode(id="e", outcome="success"))
    assert names(plain) == ["A", "B", "C"]
    handled = lowered(
        AssignNode(id="n"), EndNode(id="e", outcome="success"), on_success="n", state=()
    )
    assert names(handled) == ["$handled", "$route.e"]
    assert "$handled" in handled.nodes[1].writes


def test_a_channel_is_written_once():
    spec = lowered(AssignNode(id="n", assignments=(*SETS_B, *SETS_B)))
    assert spec.nodes[0].writes == ("B", "$visits")


def test_a_parameter_that_is_a_variable_too_is_one_channel_with_the_parameter_s_default():
    spec = lowered(
        AssignNode(id="n"),
        params=(Param(name="A", default=1), Param(name="B")),
        state=(
            StateField(name="A", type="number", reducer="add", default=2),
            StateField(name="B", default=3),
            StateField(name="C", default=4),
        ),
    )
    channels = {c.name: c for c in spec.channels}
    assert names(spec) == ["A", "B", "C"]
    assert (channels["A"].default, channels["A"].reducer) == (1, "add")
    assert (channels["B"].default, channels["C"].default) == (3, 4)


def test_a_parameter_s_default_stands_for_the_variable_s():
    spec = lowered(
        AssignNode(id="n"), params=(Param(name="A", default=1),), state=(StateField(name="A"),)
    )
    assert spec.channels[0] == Channel(name="A", variable="A", type="text", default=1)


def test_each_thread_session_and_branch_has_a_channel():
    nodes = (
        execute("a", "s"), execute("b", "s"), execute("c", "t"),
        ChooseNode(id="d", on=Name(name="A")),
    )  # fmt: skip
    edge = Edge(source="d", target="a", guard=Case(value="x"))
    spec = lowered(*nodes, edges=(edge,), threads=(Thread(id="talk"),), state=())
    assert names(spec) == ["messages", "$session.s", "$session.t", "$route.d"]


def test_a_call_that_shares_sessions_has_the_main_one():
    call = CallNode(id="c", workflow="w.md", shares_sessions=True)
    assert names(lowered(call, state=())) == ["$session.main"]
    assert names(lowered(CallNode(id="c", workflow="w.md"), state=())) == []
    spec = lowered(execute("a", "own"), call)
    assert {"$session.own", "$session.main"} <= set(spec.nodes[1].writes)


def test_scripts_have_a_clock():
    script = ScriptNode(id="n", script="s", function="f")
    assert names(lowered(script, state=())) == ["$clock"]
    assert names(lowered(AssignNode(id="n"), state=())) == []


def test_a_node_catches_each_kind_of_failure_once():
    edges = (
        Edge(source="a", target="b", guard=OnError(errors=("failure", "limit"))),
        Edge(source="a", target="c", guard=OnError(errors=("limit", "timeout"))),
        Edge(source="a", target="c"),
    )
    spec = lowered(*(AssignNode(id=name) for name in "abc"), edges=edges)
    assert spec.nodes[0].catches == ("failure", "limit", "timeout")
    assert spec.nodes[1].catches == ()


def test_a_limit_of_visits_holds_for_nodes_and_not_for_ends():
    visits, cost = Limit(name="visits", value=TEXT), Limit(name="cost", value=TEXT)
    own = Limit(name="cost", value=TEXT)
    nodes = (AssignNode(id="a", limits=(own,)), EndNode(id="e", outcome="failed"))
    spec = lowered(*nodes, limits=(visits, cost))
    assert [node.limits for node in spec.nodes] == [(own, visits), ()]
    assert spec.limits == (cost,)


def test_only_declared_tools_are_part_of_the_graph():
    declared = Tool(id="a", source="declared")
    spec = lowered(AssignNode(id="n"), tools=(declared, Tool(id="b")))
    assert spec.tools == (declared,)


def test_prompts_keep_their_names():
    spec = lowered(AssignNode(id="n"), prompts=(Prompt(id="p", role="user", template=TEXT),))
    assert [(p.id, p.role, p.template) for p in spec.prompts] == [("p", "user", TEXT)]


@pytest.mark.parametrize(
    ("text", "source", "line", "indent"),
    [
        ("# a\n  def f():\n      pass\n", "def f():\n    pass\n", 2, 2),
        ("# a\n\n    x = 1\n", "\nx = 1\n", 2, 4),
        ("x = 1\n", "x = 1\n", 1, 0),
        ("# a\nother\n", "x = 1\n", 2, 0),
        ("# a\n", "\n \n", 1, 0),
    ],
)
def test_how_far_a_script_is_indented_in_its_file(text, source, line, indent):
    sources = SourceSet()
    sources.add(Source("w.md", text))
    script = Script(id="s", language="python", source=source, file="w.md", line=line)
    spec = lowered(AssignNode(id="n"), sources=sources, scripts=(script,))
    assert spec.scripts[0].indent == indent


def test_a_script_whose_file_is_not_at_hand_is_taken_as_it_stands():
    script = Script(id="s", language="python", source="x = 1", file="gone.md")
    assert lowered(AssignNode(id="n"), scripts=(script,)).scripts[0].indent == 0
