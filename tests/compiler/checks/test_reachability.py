"""FC2002: what no path leads to, once for each beginning of a lost path."""

from __future__ import annotations

from flowc.compiler.checks.reachability import unreachable_steps


def test_what_a_path_leads_to_is_not_mentioned(flow, said):
    for edge in ("START > A", "A !> B", "B > A", "A > END"):
        flow.edge(edge)
    assert said(unreachable_steps, flow.workflow()) == []


def test_only_the_head_of_a_lost_path_is_reported_and_the_rest_labelled(flow, found):
    for edge in ("START > END", "X > Y", "Y > Z", "Z > END"):
        flow.edge(edge)
    (item,) = found(unreachable_steps, flow.workflow())
    assert item.message == "no path leads to `X`"
    assert [label.span for label in item.labels] == [flow.nodes["Y"].span, flow.nodes["Z"].span]


def test_a_lost_loop_is_reported_once_at_its_first_node(flow, said):
    for edge in ("START > END", "X > Y", "Y > X", "Y > Z"):
        flow.edge(edge)
    assert said(unreachable_steps, flow.workflow()) == [
        ("FC2002", "warning", "no path leads to `X`")
    ]


def test_two_lost_beginnings_of_one_path_are_two_faults(flow, said):
    for edge in ("START > END", "X > Z", "Y > Z", "Z > END"):
        flow.edge(edge)
    messages = [message for _, _, message in said(unreachable_steps, flow.workflow())]
    assert sorted(messages) == ["no path leads to `X`", "no path leads to `Y`"]


def test_handlers_are_beginnings_of_their_own(flow, said):
    for edge in ("START > END", "ON_FAILED > CLEAN", "CLEAN > END"):
        flow.edge(edge)
    assert said(unreachable_steps, flow.workflow(on_failed="ON_FAILED")) == []


def test_a_reached_node_that_leads_nowhere_may_be_the_misspelt_one(flow, found):
    for edge in ("START > PROMPT_WRIT", "PROMPT_WRITE > END"):
        flow.edge(edge)
    (item,) = found(unreachable_steps, flow.workflow())
    assert item.help == "`PROMPT_WRIT` is reached: is it meant to be `PROMPT_WRITE`?"


def test_a_picture_without_a_beginning_is_left_alone(flow, said):
    from dataclasses import replace

    flow.edge("A > B")
    assert said(unreachable_steps, replace(flow.workflow(), entry="")) == []


def test_ends_that_the_format_adds_have_no_place_and_are_not_mentioned(flow, said):
    flow.edge("START > END")
    flow.edge("LOST ?> FAILED")
    assert said(unreachable_steps, flow.workflow()) == [
        ("FC2002", "warning", "no path leads to `LOST`")
    ]
