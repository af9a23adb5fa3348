"""Lowering: every way out of a node becomes an edge or a case, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.compiler.expr.ast import Binary, Literal, Name
from flowc.compiler.ir import (
    Agent,
    AgentNode,
    AskNode,
    Assignment,
    AssignNode,
    CallNode,
    Case,
    ChooseNode,
    Edge,
    EndNode,
    ErrorRule,
    ExecNode,
    Limit,
    MessageNode,
    OnError,
    Otherwise,
    Output,
    Param,
    Program,
    StateField,
    Thread,
    ToolNode,
    Workflow,
)
from flowc.compiler.lowering.graphspec import Branch, EdgeSpec, GraphSpec, Join
from flowc.compiler.lowering.lower import lower
from flowc.compiler.lowering.routes import END
from flowc.compiler.lowering.serde import digest, dump_spec, load_spec
from flowc.compiler.source.source import Source, SourceSet, Span
from specs import parts


def spec_of(workflow: Workflow, sources: SourceSet | None = None) -> GraphSpec:
    return lower(Program(entry="w.md", workflows=(("w.md", workflow),)), sources or SourceSet())


def step(name: str) -> AssignNode:
    return AssignNode(id=name)


def branch_of(spec: GraphSpec, node: str) -> Branch:
    return next(b for b in spec.branches if b.source == node)


def writes_of(spec: GraphSpec, node: str) -> set[str]:
    return set(next(n.writes for n in spec.nodes if n.id == node))


def test_a_node_with_one_plain_successor_gets_a_plain_edge() -> None:
    spec = spec_of(
        Workflow(
            name="w",
            nodes=(step("A"), EndNode(id="E", outcome="success")),
            edges=(Edge(source="A", target="E"),),
            entry="A",
        )
    )
    assert spec.edges == (
        EdgeSpec(source="A", target="E"),
        EdgeSpec(source="E", target=END),
    )
    assert spec.branches == ()


def test_every_case_of_a_choose_node_is_in_its_branch() -> None:
    choose = ChooseNode(id="C", on=Binary(op="<", left=Name(name="N"), right=Literal(value=3)))
    spec = spec_of(
        Workflow(
            name="w",
            nodes=(choose, step("A"), step("B"), step("X"), step("F")),
            edges=(
                Edge(source="C", target="A", guard=Case(value="true")),
                Edge(source="C", target="B", guard=Case(value="false")),
                Edge(source="C", target="X", guard=Otherwise()),
                Edge(source="C", target="F", guard=OnError(errors=("failure", "limit"))),
            ),
            entry="C",
        )
    )
    branch = branch_of(spec, "C")
    assert branch.channel == "$route.C"
    assert dict(branch.cases) == {
        "true": "A",
        "false": "B",
        "error:failure": "F",
        "error:limit": "F",
    }
    assert branch.otherwise == "X"
    node = next(n for n in spec.nodes if n.id == "C")
    assert (node.route, node.catches) == ("$route.C", ("failure", "limit"))


def test_a_node_with_only_an_error_edge_still_ends_the_run_when_it_succeeds() -> None:
    spec = spec_of(
        Workflow(
            name="w",
            nodes=(step("A"), step("F")),
            edges=(Edge(source="A", target="F", guard=OnError(errors=("failure",))),),
            entry="A",
        )
    )
    assert dict(branch_of(spec, "A").cases) == {"success": END, "error:failure": "F"}


def test_an_end_with_a_handler_branches_and_one_without_does_not() -> None:
    spec = spec_of(
        Workflow(
            name="w",
            nodes=(
                step("H"),
                EndNode(id="S", outcome="success"),
                EndNode(id="F", outcome="failed"),
            ),
            edges=(Edge(source="H", target="F"),),
            entry="H",
            on_failed="H",
        )
    )
    assert dict(branch_of(spec, "F").cases) == {"handler": "H", "done": END}
    assert EdgeSpec(source="S", target=END) in spec.edges


def test_nodes_may_write_what_their_kind_writes_and_nothing_else() -> None:
    always = {"$visits"}
    spec = spec_of(
        Workflow(
            name="w",
            state=tuple(StateField(name=name) for name in ("R", "CODE", "V")),
            agents=(Agent(id="main", thread="main", remember="both"),),
            threads=(Thread(id="main"),),
            nodes=(
                AgentNode(
                    id="P",
                    agent="main",
                    prompt=Literal(value="hi"),
                    outputs=(Output(source="x", name="V"),),
                    into="R",
                ),
                MessageNode(
                    id="M", thread="main", mode="append", role="user", template=Literal(value="x")
                ),
                ExecNode(
                    id="X",
                    source=Name(name="R"),
                    form="blocks",
                    session="main",
                    parts=parts(R="text", CODE="code"),
                ),
                ToolNode(id="T", tool="t", into="V"),
                AskNode(id="Q", question=Name(name="R"), into="R"),
                CallNode(id="K", workflow="w.md", returns_all=True, shares_sessions=True),
                EndNode(id="E", outcome="success"),
            ),
            entry="P",
        )
    )
    assert writes_of(spec, "P") == {"R", "V", "messages", *always}
    assert writes_of(spec, "M") == {"messages", *always}
    assert writes_of(spec, "X") == {"R", "CODE", "$session.main", *always}
    assert writes_of(spec, "T") == {"V", *always}
    assert writes_of(spec, "Q") == {"R", *always}
    assert writes_of(spec, "K") == {"R", "CODE", "V", "$session.main", *always}
    assert writes_of(spec, "E") == {"outcome", *always}


def test_error_rules_may_be_written_by_every_node() -> None:
    rule = ErrorRule(
        kinds=("failure",), assignments=(Assignment(target="STATUS", value=Literal(value="X")),)
    )
    spec = spec_of(
        Workflow(
            name="w",
            state=(StateField(name="STATUS"),),
            nodes=(step("A"),),
            entry="A",
            on_error=(rule,),
        )
    )
    assert "STATUS" in writes_of(spec, "A")


def keys_of(*variables: str, threads: tuple[str, ...] = ()) -> dict[str, list[str]]:
    spec = spec_of(
        Workflow(
            name="w",
            state=tuple(StateField(name=name) for name in variables),
            threads=tuple(Thread(id=thread) for thread in threads),
            nodes=(step("A"),),
            entry="A",
        )
    )
    shown = [c for c in spec.channels if not c.name.startswith("$")]
    return {role: [c.name for c in shown if c.role == role] for role in {c.role for c in shown}}


def test_a_variable_called_like_a_node_keeps_its_name() -> None:
    assert keys_of("A")["variable"] == ["A"]


def test_the_first_thread_is_messages_and_others_have_their_names() -> None:
    assert keys_of(threads=("hall", "kitchen"))["messages"] == ["messages", "kitchen"]


def test_a_variable_keeps_its_name_where_a_thread_or_the_outcome_would_have_it() -> None:
    taken = keys_of("messages", "kitchen", "outcome", threads=("hall", "kitchen"))
    assert taken == {
        "variable": ["messages", "kitchen", "outcome"],
        "outcome": ["workflow_outcome"],
        "messages": ["messages messages", "kitchen messages"],
    }


def test_a_workflows_visit_limit_bounds_each_node_unless_it_has_its_own() -> None:
    shared = Limit(name="visits", value=Literal(value=4))
    own = Limit(name="visits", value=Literal(value=9))
    spec = spec_of(
        Workflow(
            name="w",
            nodes=(step("A"), AssignNode(id="B", limits=(own,))),
            entry="A",
            limits=(shared,),
        )
    )
    assert {n.id: n.limits for n in spec.nodes} == {"A": (shared,), "B": (own,)}
    assert spec.limits == ()


def test_places_are_lines_and_columns_of_the_users_file() -> None:
    sources = SourceSet()
    sources.add(Source("w.md", "one\r\n  two\r\n"))
    node = AssignNode(id="A", span=Span("w.md", 7, 10))
    place = spec_of(Workflow(name="w", nodes=(node,), entry="A"), sources).nodes[0].place
    assert str(place) == "w.md:2:3"


def sample(**changes: object) -> Workflow:
    fields: dict[str, object] = {
        "name": "w",
        "params": (Param(name="P", required=True),),
        "state": (StateField(name="V", type="number", default=0),),
        "nodes": (
            AssignNode(
                id="A",
                assignments=(Assignment(target="V", value=Literal(value=None)),),
                span=Span("w.md", 1, 2),
            ),
        ),
        "entry": "A",
        **changes,
    }
    return Workflow(**fields)  # type: ignore[arg-type]


def test_a_spec_survives_json() -> None:
    spec = spec_of(sample())
    assert load_spec(dump_spec(spec)) == spec


def test_what_is_no_spec_is_refused() -> None:
    with pytest.raises(ValueError, match="nodes"):
        load_spec({"name": "w"})


def test_the_digest_sees_meaning_and_not_places() -> None:
    def of(workflow: Workflow, path: str = "w.md") -> str:
        return digest(Program(entry=path, workflows=((path, workflow),)))

    moved = AssignNode(id="A", assignments=sample().nodes[0].assignments, span=Span("w.md", 50, 60))  # type: ignore[union-attr]
    assert of(sample()) == of(sample(nodes=(moved,)))
    assert of(sample()) != of(sample(nodes=(step("A"),)))
    call = CallNode(id="C", workflow="a/sub.md")
    elsewhere = CallNode(id="C", workflow="b/c/sub.md")
    assert of(sample(nodes=(call,)), "a/w.md") == of(sample(nodes=(elsewhere,)), "b/c/w.md")


def waiting(name: str) -> AssignNode:
    return AssignNode(id=name, join="all")


def test_a_node_that_waits_for_several_others_becomes_a_join() -> None:
    spec = spec_of(
        Workflow(
            name="w",
            nodes=(step("A"), step("B"), step("C"), waiting("D")),
            edges=(
                Edge(source="A", target="B"),
                Edge(source="A", target="C"),
                Edge(source="B", target="D"),
                Edge(source="C", target="D"),
            ),
            entry="A",
        )
    )
    assert spec.joins == (Join(sources=("B", "C"), target="D"),)
    assert {(e.source, e.target) for e in spec.edges} == {("A", "B"), ("A", "C"), ("D", END)}
    assert spec.relays == ()


def test_a_branch_leads_into_a_join_by_way_of_a_relay() -> None:
    spec = spec_of(
        Workflow(
            name="w",
            nodes=(step("A"), step("A to C"), waiting("C"), EndNode(id="F", outcome="failed")),
            edges=(
                Edge(source="A", target="C"),
                Edge(source="A", target="A to C"),
                Edge(source="A", target="F", guard=OnError(errors=("failure",))),
                Edge(source="A to C", target="C"),
            ),
            entry="A",
        )
    )
    assert spec.relays == ("A to C'",)
    assert spec.joins == (Join(sources=("A to C'", "A to C"), target="C"),)
    assert branch_of(spec, "A").cases == (
        ("success", "A to C'"),
        ("success", "A to C"),
        ("error:failure", "F"),
    )


def test_a_node_that_waits_for_one_other_needs_no_join() -> None:
    spec = spec_of(
        Workflow(
            name="w",
            nodes=(step("A"), waiting("B")),
            edges=(Edge(source="A", target="B"), Edge(source="A", target="B")),
            entry="A",
        )
    )
    assert spec.joins == ()
    assert spec.edges[0] == EdgeSpec(source="A", target="B")


@pytest.mark.parametrize("targets", [("B",), ("B", "C")])
def test_where_branches_run_side_by_side_the_handler_of_success_waits(targets: Any) -> None:
    spec = spec_of(
        Workflow(
            name="w",
            nodes=(step("A"), step("B"), step("C"), step("H")),
            edges=tuple(Edge(source="A", target=target) for target in targets),
            entry="A",
            on_success="H",
        )
    )
    assert [node.id for node in spec.nodes if node.defer] == ["H"] * (len(targets) > 1)
