"""FC2006: loops that can be left, but that nothing limits."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from flowc.compiler.checks.unbounded_loops import unbounded_loops
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


def test_a_loop_is_named_by_its_first_node_in_the_file(flow, found):
    loop(flow)
    (item,) = found(unbounded_loops, flow.workflow())
    assert item.primary == flow.nodes["JUDGE"].span
    assert [label.span for label in item.labels] == [flow.nodes["DRAFT"].span]


def test_of_a_long_loop_the_first_nodes_are_shown(flow, found):
    names = [f"N{n}" for n in range(8)]
    for source, target in itertools.pairwise(["START", *names]):
        flow.edge(f"{source} > {target}")
    flow.edge("N7 > N0")
    flow.edge("N7 > END")
    (item,) = found(unbounded_loops, flow.workflow())
    assert item.primary == flow.nodes["N0"].span
    assert [label.span for label in item.labels] == [flow.nodes[n].span for n in names[1:6]]


def test_nodes_without_a_place_are_passed_over(flow, found):
    loop(flow)
    flow.nodes["JUDGE"] = dataclasses.replace(flow.nodes["JUDGE"], span=None)
    (item,) = found(unbounded_loops, flow.workflow())
    assert (item.primary, item.labels) == (flow.nodes["DRAFT"].span, ())
    flow.nodes["DRAFT"] = dataclasses.replace(flow.nodes["DRAFT"], span=None)
    assert found(unbounded_loops, flow.workflow()) == []


def test_failures_that_the_format_adds_close_no_loop(flow, said):
    for edge in ("START > A", "A > END", "A ?> START"):
        flow.edge(edge)
    assert said(unbounded_loops, flow.workflow()) == []


@pytest.mark.parametrize(
    ("count", "is_bounded"),
    [
        ("ROUND + 1", True),
        ("ROUND + 0.5", True),
        ("ROUND + 0", False),
        ("ROUND + (-1)", False),
        ("ROUND - 1", False),
        ("OTHER + 1", False),
        ("ROUND + OTHER", False),
        ("ROUND + ROUND + 1", False),
        ("1", False),
    ],
)
def test_only_what_grows_in_every_round_counts(flow, said, count, is_bounded):
    flow.set("DRAFT", ROUND=count)
    flow.choose("JUDGE", "ROUND < 3")
    for text in ("START > DRAFT", "DRAFT > JUDGE", "JUDGE true> DRAFT", "JUDGE false> END"):
        flow.edge(text)
    assert (said(unbounded_loops, flow.workflow()) == []) is is_bounded


def test_a_count_that_no_choice_reads_bounds_nothing(flow, said):
    flow.set("DRAFT", ROUND="ROUND + 1")
    loop(flow)
    assert len(said(unbounded_loops, flow.workflow())) == 1


def test_what_is_added_to_a_sum_may_be_taken_away_again(flow, said):
    flow.set("DRAFT", ROUND="-1")
    flow.choose("JUDGE", "ROUND < 3")
    flow.state.append(StateField(name="ROUND", type="integer", reducer="add"))
    for text in ("START > DRAFT", "DRAFT > JUDGE", "JUDGE true> DRAFT", "JUDGE false> END"):
        flow.edge(text)
    assert len(said(unbounded_loops, flow.workflow())) == 1
