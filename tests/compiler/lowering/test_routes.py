"""The ways out of nodes: what is a plain edge, a case, a join or a relay."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.compiler.expr.ast import Name
from flowc.compiler.ir import (
    AssignNode,
    Case,
    ChooseNode,
    Edge,
    EndNode,
    Node,
    OnError,
    Otherwise,
    Workflow,
)
from flowc.compiler.lowering.graphspec import Branch, EdgeSpec, Join
from flowc.compiler.lowering.routes import END, Connections, connections_of, sources_of_joins


def step(name: str, **more: Any) -> AssignNode:
    return AssignNode(id=name, **more)


def waiting(name: str) -> AssignNode:
    return step(name, join="all")


def edges(text: str) -> tuple[Edge, ...]:
    """`A > B`, `A yes> B` (a case), `A !> B` (a failure), `A *> B` (otherwise); `_` is a blank."""
    found = []
    for line in text.strip().splitlines():
        source, arrow, target = (word.replace("_", " ") for word in line.split())
        word = arrow[:-1]
        guards: dict[str, Any] = {"": None, "!": OnError(errors=("failure",)), "*": Otherwise()}
        guard = guards.get(word, Case(value=word))
        found.append(Edge(source=source, target=target, guard=guard))
    return tuple(found)


def ways(nodes: tuple[Node, ...], text: str = "", **more: Any) -> Connections:
    flow = Workflow(name="w", nodes=nodes, edges=edges(text), entry=nodes[0].id, **more)
    return connections_of(flow)


def choose(name: str) -> ChooseNode:
    return ChooseNode(id=name, on=Name(name="X"))


def test_two_plain_ways_fork_and_one_that_is_written_twice_does_not():
    forked = ways((step("A"), step("B"), step("C")), "A > B\nA > C")
    assert forked.forks
    assert forked.edges[:2] == (EdgeSpec(source="A", target="B"), EdgeSpec(source="A", target="C"))
    twice = ways((step("A"), step("B")), "A > B\nA > B")
    assert (twice.forks, len(twice.edges)) == (False, 2)


def test_a_choice_between_ways_is_no_fork_and_a_case_with_two_targets_is():
    nodes = (choose("A"), step("B"), step("C"))
    assert not ways(nodes, "A yes> B\nA no> C").forks
    assert ways(nodes, "A yes> B\nA yes> C").forks


def test_a_choice_has_its_cases_and_nothing_of_its_own():
    (branch,) = ways((choose("A"), step("B")), "A yes> B").branches
    assert branch == Branch(source="A", channel="$route.A", cases=(("yes", "B"),))


def test_a_step_with_cases_of_failure_alone_ends_when_it_succeeds():
    (branch,) = ways((step("A"), step("B")), "A !> B").branches
    assert branch.cases == (("success", END), ("error:failure", "B"))


def test_a_step_that_leads_on_and_may_fail_has_both_cases():
    (branch,) = ways((step("A"), step("B"), step("C")), "A > B\nA !> C").branches
    assert branch.cases == (("success", "B"), ("error:failure", "C"))


@pytest.mark.parametrize(
    ("handlers", "ends"),
    [
        ({"on_success": "H"}, {"S": "H"}),
        ({"on_failed": "H"}, {"F": "H"}),
        ({"on_success": "H", "on_failed": "H"}, {"S": "H", "F": "H"}),
        ({}, {}),
    ],
)
def test_an_end_leads_to_the_handler_of_its_outcome(handlers, ends):
    nodes = (step("H"), EndNode(id="S", outcome="success"), EndNode(id="F", outcome="failed"))
    found = ways(nodes, **handlers)
    assert {b.source: dict(b.cases)["handler"] for b in found.branches} == ends
    assert {e.source for e in found.edges if e.source != "H"} == {"S", "F"} - ends.keys()


def test_a_join_has_its_sources_in_the_file_s_order_each_once():
    flow = Workflow(
        name="w",
        nodes=(step("A"), step("B"), waiting("J"), step("K")),
        edges=edges("B > J\nA > J\nB > J\nA > K\nB > K"),
        entry="A",
    )
    assert sources_of_joins(flow) == {"J": ("B", "A")}


def test_a_node_that_waits_for_one_other_is_no_join():
    found = ways((step("A"), waiting("J")), "A > J")
    assert (found.joins, found.edges[0]) == ((), EdgeSpec(source="A", target="J"))


def test_only_the_case_that_leads_into_the_join_goes_by_way_of_a_relay():
    nodes = (choose("C"), step("B"), waiting("J"), step("K"))
    found = ways(nodes, "C yes> J\nC no> K\nC *> J\nB > J")
    assert found.relays == ("C to J",)
    assert found.joins == (Join(sources=("C to J", "B"), target="J"),)
    (branch,) = found.branches
    assert (branch.cases, branch.otherwise) == ((("yes", "C to J"), ("no", "K")), "C to J")
    assert {(e.source, e.target) for e in found.edges} == {("J", END), ("K", END)}


def test_a_branch_beside_a_join_stays_as_it_is():
    nodes = (choose("C"), step("A"), step("B"), waiting("J"))
    found = ways(nodes, "C yes> A\nC *> B\nA > J\nB > J")
    assert found.relays == ()
    (branch,) = found.branches
    assert (branch.cases, branch.otherwise) == ((("yes", "A"),), "B")


def test_a_relay_takes_a_name_that_no_node_has():
    nodes = (choose("C"), step("B"), waiting("J"), step("C to J"), step("C to J'"))
    assert ways(nodes, "C yes> J\nB > J").relays == ("C to J''",)


def test_relays_of_two_joins_have_names_of_their_own():
    nodes = (choose("C"), step("B"), waiting("J"), waiting("K"))
    found = ways(nodes, "C yes> J\nC no> K\nB > J\nB > K")
    assert found.relays == ("C to J", "C to K")


def test_two_relays_that_would_be_called_the_same_are_not():
    nodes = (choose("C"), choose("C to D"), step("X"), waiting("D to E"), waiting("E"))
    found = ways(nodes, "C yes> D_to_E\nC_to_D yes> E\nX > D_to_E\nX > E")
    assert found.relays == ("C to D to E", "C to D to E'")
