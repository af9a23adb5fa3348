"""Differences: every field of the IR counts, and what only looks different does not."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, get_args

import pytest
from flowc.compiler import ir
from flowc.compiler.analysis.diff import differences, rename_nodes
from flowc.compiler.expr.ast import Literal, Name, Text
from flowc.compiler.ir import (
    Agent,
    AgentNode,
    AssignNode,
    Case,
    Edge,
    EndNode,
    ErrorRule,
    Group,
    Limit,
    OnError,
    OnInput,
    Param,
    Prompt,
    Retry,
    Script,
    StateField,
    Thread,
    Tool,
    Workflow,
)
from nodes_of_every_kind import minimal

ONE, TWO = Literal(value=1), Literal(value=2)
ELEMENTS = {
    "params": Param(name="x"),
    "state": StateField(name="x"),
    "agents": Agent(id="x"),
    "tools": Tool(id="x"),
    "threads": Thread(id="x"),
    "scripts": Script(id="x", language="javascript", source="", file="x.js"),
    "prompts": Prompt(id="x", role="user", template=ONE),
    "groups": Group(id="x"),
    "limits": Limit(name="steps", value=ONE),
}
NODES = get_args(ir.Node)
SHOWN_ONLY = {"implied"}


def flow(**parts: Any) -> Workflow:
    return Workflow(name="flow", **parts)


def another(value: Any) -> Any:
    """A value that is not this one, of whatever type: the comparison must not care."""
    return (TWO,) if isinstance(value, tuple) and not value else f"not {value!r}"


def field_cases():
    for place, element in ELEMENTS.items():
        for f in fields(element):
            if f.compare and f.name not in SHOWN_ONLY:
                yield pytest.param(place, element, f.name, id=f"{type(element).__name__}.{f.name}")
    for cls in NODES:
        for f in fields(cls):
            if f.compare and f.name != "kind":
                yield pytest.param("nodes", minimal(cls), f.name, id=f"{cls.__name__}.{f.name}")


@pytest.mark.parametrize(("place", "element", "field"), field_cases())
def test_every_field_of_every_element_counts(place, element, field):
    """Also one that is added tomorrow: the cases are made from the classes."""
    if not getattr(element, field):
        element = replace(element, **{field: "something"})
    changed = replace(element, **{field: another(getattr(element, field))})
    assert differences(flow(**{place: (element,)}), flow(**{place: (changed,)})) != []
    assert differences(flow(**{place: (element,)}), flow(**{place: (element,)})) == []


@pytest.mark.parametrize("field", [f.name for f in fields(Workflow) if f.compare])
def test_every_field_of_a_workflow_counts(field):
    values: dict[str, Any] = {
        **{place: (element,) for place, element in ELEMENTS.items()},
        "nodes": (EndNode(id="x", outcome="failed"),),
        "edges": (Edge(source="a", target="b"),),
        "outputs": ("x",),
        "on_error": (ErrorRule(kinds=("failure",), assignments=()),),
        "on_input": OnInput(target="x"),
    }
    full = flow()
    value = values.get(field, "something")
    if field == "edges":
        ends = (AssignNode(id="a"), AssignNode(id="b"))
        full = flow(nodes=ends)
    assert differences(replace(full, **{field: value}), full) != []


@pytest.mark.parametrize(
    "guard", [None, Case(value="yes"), OnError(errors=("timeout",))], ids=lambda g: type(g).__name__
)
def test_an_edge_is_its_ends_and_its_guard(guard):
    ends = (AssignNode(id="a"), AssignNode(id="b"))
    edge = Edge(source="a", target="b", guard=guard)
    one, none = flow(nodes=ends, edges=(edge,)), flow(nodes=ends)
    other = flow(nodes=ends, edges=(replace(edge, guard=Case(value="no")),))
    assert [d.kind for d in differences(one, none)] == ["missing"]
    assert [d.kind for d in differences(none, one)] == ["added"]
    assert [d.kind for d in differences(one, other)] == ["missing", "added"]


def test_order_and_implied_edges_are_no_difference():
    nodes = (AssignNode(id="a"), AssignNode(id="b"))
    edges = (Edge(source="a", target="b"), Edge(source="b", target="a", implied=True))
    turned = flow(nodes=nodes[::-1], edges=(replace(edges[1], implied=False), edges[0]))
    assert differences(flow(nodes=nodes, edges=edges), turned) == []


def test_a_template_in_other_pieces_is_the_same():
    def says(*parts):
        return flow(nodes=(AgentNode(id="a", agent="m", prompt=Text(parts=parts)),))

    hello, name = Literal(value="hello "), Name(name="WHO")
    halves = Literal(value="hel"), Literal(value="lo ")
    assert differences(says(hello, name), says(*halves, name)) == []
    assert differences(says(hello, name), says(name, hello)) != []
    assert differences(says(hello, name), says(hello)) != []


def test_true_is_not_one():
    """Python calls them equal."""

    def sets(value):
        return flow(state=(StateField(name="x", type="any", default=value),))

    assert differences(sets(True), sets(1)) != []
    assert differences(sets([True]), sets([1])) != []
    assert differences(sets({"a": 0}), sets({"a": False})) != []


def test_a_title_where_there_was_none_takes_nothing_away():
    bare, titled = AssignNode(id="a"), AssignNode(id="a", title="Go")
    assert differences(flow(nodes=(bare,)), flow(nodes=(titled,))) == []
    assert [d.feature for d in differences(flow(nodes=(titled,)), flow(nodes=(bare,)))] == ["title"]


def test_another_kind_of_node_is_told_once():
    before = flow(nodes=(AgentNode(id="a", agent="m", prompt=ONE, retry=Retry(attempts=2)),))
    (found,) = differences(before, flow(nodes=(AssignNode(id="a"),)))
    assert (found.kind, found.became) == ("other kind", "a node of kind assign")


def test_renaming_reaches_every_place_that_names_a_node():
    before = flow(
        nodes=(AssignNode(id="a"), AssignNode(id="b")),
        edges=(Edge(source="a", target="b"),),
        entry="a",
        on_success="b",
        on_failed="b",
        on_input=OnInput(target="b"),
    )
    after = rename_nodes(before, {"a": "one", "b": "a"}, {})
    assert rename_nodes(after, {"one": "a", "a": "b"}, {}) == before
    assert [edge.source for edge in after.edges] == ["one"]
    assert (after.entry, after.on_success, after.on_failed) == ("one", "a", "a")
    assert after.on_input == OnInput(target="a")


def test_a_new_name_goes_into_the_paths_of_tests():
    """Also of a visit, of an element of a loop, and of a call, whose inner nodes keep theirs."""
    trial = ir.Trial(name="t", path=("a", "a#2", "a@0", "a/a", "x.y"), avoids=("b",))
    before = ir.Workflow(name="w", trials=(trial,))
    (after,) = rename_nodes(before, {"a": "one", "x.y": "x_y", "b": "c"}, {}).trials
    assert after.path == ("one", "one#2", "one@0", "one/a", "x_y")
    assert after.avoids == ("c",)
