"""FC2005: loops that nothing but a failure ends."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flowc.compiler.checks.inescapable_loops import inescapable_loops


def test_a_loop_without_a_way_out(flow, found):
    for edge in ("START > A", "A > B", "B > C", "C > A"):
        flow.edge(edge)
    (item,) = found(inescapable_loops, flow.workflow())
    assert (item.code, item.severity) == ("FC2005", "error")
    assert item.message == "no edge leaves the loop that begins at `A`"
    assert item.primary == flow.nodes["A"].span
    assert item.notes == ("the loop: A → B → C → A",)


def test_a_node_that_leads_to_itself(flow, said):
    flow.edge("START > A")
    flow.edge("A > A")
    assert said(inescapable_loops, flow.workflow()) == [
        ("FC2005", "error", "`A` leads to nothing but itself")
    ]


def test_failures_that_the_format_adds_are_no_way_out(flow, said):
    for edge in ("START > A", "A > B", "B > A", "A ?> FAILED"):
        flow.edge(edge)
    assert len(said(inescapable_loops, flow.workflow())) == 1


@pytest.mark.parametrize("out", ["B no> END", "B !> END", "B no> C"])
def test_any_edge_that_is_written_or_decided_is_a_way_out(flow, said, out):
    flow.choose("B", "READY")
    for edge in ("START > A", "A > B", "B yes> A", out):
        flow.edge(edge)
    assert said(inescapable_loops, flow.workflow()) == []


def test_a_decision_that_is_the_same_in_every_run_is_no_way_out(flow, said):
    flow.choose("B", "1 < 2")
    for edge in ("START > A", "A > B", "B true> A", "B false> END"):
        flow.edge(edge)
    assert len(said(inescapable_loops, flow.workflow())) == 1


def test_a_loop_inside_a_loop_that_is_left_is_no_fault(flow, said):
    flow.choose("B", "READY")
    flow.choose("C", "DONE")
    for edge in ("START > A", "A > B", "B true> A", "B false> C", "C true> A", "C false> END"):
        flow.edge(edge)
    assert said(inescapable_loops, flow.workflow()) == []


def test_a_loop_that_no_path_enters_is_for_another_check(flow, said):
    for edge in ("START > END", "A > B", "B > A"):
        flow.edge(edge)
    assert said(inescapable_loops, flow.workflow()) == []


def test_a_loop_in_a_handler_counts(flow, said):
    for edge in ("START > END", "ON_FAILED > A", "A > A"):
        flow.edge(edge)
    assert len(said(inescapable_loops, flow.workflow(on_failed="ON_FAILED"))) == 1


def test_the_other_nodes_of_the_loop_are_labelled_in_its_order(flow, found):
    for edge in ("START > A", "A > B", "B > C", "C > A"):
        flow.edge(edge)
    (item,) = found(inescapable_loops, flow.workflow())
    assert [label.span for label in item.labels] == [flow.nodes[id].span for id in "BC"]


def test_a_loop_is_entered_where_a_run_comes_to_it_first(flow, found):
    for edge in ("A > B", "B > C", "C > A", "START > B"):
        flow.edge(edge)
    (item,) = found(inescapable_loops, flow.workflow())
    assert item.message == "no edge leaves the loop that begins at `B`"
    assert item.notes == ("the loop: B → C → A → B",)


def test_the_shortest_way_round_is_shown(flow, found):
    for edge in ("START > A", "A > B", "B > C", "C > A", "B > A"):
        flow.edge(edge)
    (item,) = found(inescapable_loops, flow.workflow())
    assert item.notes == ("the loop: A → B → A",)


def test_of_a_long_loop_five_nodes_are_labelled(flow, found):
    names = "ABCDEFGH"
    for source, target in zip(names, names[1:] + names[:1], strict=True):
        flow.edge(f"{source} > {target}")
    flow.edge("START > A")
    (item,) = found(inescapable_loops, flow.workflow())
    assert [label.span for label in item.labels] == [flow.nodes[id].span for id in "BCDEF"]


def test_a_node_without_a_place_is_shown_by_the_next(flow, found):
    for edge in ("START > A", "A > B", "B > A"):
        flow.edge(edge)
    flow.nodes["A"] = replace(flow.nodes["A"], span=None)
    (item,) = found(inescapable_loops, flow.workflow())
    assert (item.primary, item.labels) == (flow.nodes["B"].span, ())


@pytest.mark.parametrize(
    ("on", "edges", "is_fault"),
    [
        ("1 < 2", ("B true> A", "B false> END"), True),
        ("1 > 2", ("B true> A", "B false> END"), False),
        ("1 < 2", ("B yes> A", "B no> END"), False),
        ("READY", ("B true> A", "B false> END"), False),
    ],
)
def test_a_choice_is_decided_by_a_constant_that_one_of_its_cases_says(
    flow, said, on, edges, is_fault
):
    flow.choose("B", on)
    for edge in ("START > A", "A > B", *edges):
        flow.edge(edge)
    assert bool(said(inescapable_loops, flow.workflow())) is is_fault
