"""FC2006: loops that can be left, but that nothing limits."""

from __future__ import annotations

import pytest
from flowc.compiler.checks.bounds import unbounded_loops
from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import AskNode, AssignNode, Limit, StateField


def loop(flow):
    flow.choose("JUDGE", "score > 1")
    for text in ("START > DRAFT", "DRAFT > JUDGE", "JUDGE false> DRAFT", "JUDGE true> END"):
        flow.edge(text)


def limit(name, value=5):
    return Limit(name=name, value=Literal(value=value))


def test_a_loop_with_an_exit_and_no_limit(flow, said):
    loop(flow)
    message = "nothing limits how often the loop through `JUDGE` runs"
    assert said(unbounded_loops, flow.workflow()) == [("FC2006", "warning", message)]


@pytest.mark.parametrize("name", ["visits", "steps", "seconds", "tokens", "cost"])
def test_a_limit_of_the_workflow_bounds_its_loops(flow, said, name):
    loop(flow)
    assert said(unbounded_loops, flow.workflow(limits=(limit(name),))) == []


def test_a_limit_on_characters_bounds_no_loop(flow, said):
    loop(flow)
    assert said(unbounded_loops, flow.workflow(limits=(limit("chars"),))) != []


def test_a_limit_of_one_node_bounds_the_loops_through_it(flow, said):
    loop(flow)
    flow.add(AssignNode(id="DRAFT", limits=(limit("visits"),), span=flow.span()))
    assert said(unbounded_loops, flow.workflow()) == []


def test_a_person_in_the_loop_paces_it(flow, said):
    loop(flow)
    flow.add(AskNode(id="DRAFT", question=Literal(value="?"), into="score", span=flow.span()))
    assert said(unbounded_loops, flow.workflow()) == []


def test_a_second_loop_beside_the_person_is_still_one(flow, said):
    loop(flow)
    flow.add(AskNode(id="DRAFT", question=Literal(value="?"), into="score", span=flow.span()))
    flow.edge("JUDGE again> JUDGE")
    assert len(said(unbounded_loops, flow.workflow())) == 1


def test_a_loop_that_nothing_leaves_and_one_that_nothing_reaches_are_others_business(flow, said):
    for text in ("START > A", "A > B", "B > A", "X > Y", "Y > X", "Y > END"):
        flow.edge(text)
    assert said(unbounded_loops, flow.workflow()) == []


def test_a_loop_that_counts_its_rounds_ends_by_itself(flow, said):
    flow.set("DRAFT", ROUND="coalesce(ROUND, 0) + 1")
    flow.choose("JUDGE", "score < 1 and ROUND < 3")
    for text in ("START > DRAFT", "DRAFT > JUDGE", "JUDGE true> DRAFT", "JUDGE false> END"):
        flow.edge(text)
    assert said(unbounded_loops, flow.workflow()) == []


def test_a_count_that_is_set_back_bounds_nothing(flow, said):
    flow.set("DRAFT", ROUND="ROUND + 1")
    flow.set("RESET", ROUND="0")
    flow.choose("JUDGE", "ROUND < 3")
    for text in ("START > DRAFT", "DRAFT > RESET", "RESET > JUDGE", "JUDGE true> DRAFT"):
        flow.edge(text)
    flow.edge("JUDGE false> END")
    assert len(said(unbounded_loops, flow.workflow())) == 1


def test_a_sum_counts_what_is_added_to_it(flow, said):
    flow.set("DRAFT", ROUND="1")
    flow.choose("JUDGE", "ROUND < 3")
    flow.state.append(StateField(name="ROUND", type="integer", reducer="add"))
    for text in ("START > DRAFT", "DRAFT > JUDGE", "JUDGE true> DRAFT", "JUDGE false> END"):
        flow.edge(text)
    assert said(unbounded_loops, flow.workflow()) == []
