"""FC2005: loops that nothing but a failure ends."""

from __future__ import annotations

import pytest
from flowc.compiler.checks.termination import inescapable_loops


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
