"""FC2002: what no path leads to, once for each beginning of a lost path."""

from __future__ import annotations

import itertools

import pytest
from flowc.compiler.checks.reachability import unreachable_steps
from flowc.compiler.ir import AssignNode, OnInput


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


def test_at_most_five_of_the_nodes_behind_are_labelled(flow, found):
    flow.edge("START > END")
    for source, target in itertools.pairwise("ABCDEFGH"):
        flow.edge(f"{source} > {target}")
    (item,) = found(unreachable_steps, flow.workflow())
    assert [label.span for label in item.labels] == [flow.nodes[id].span for id in "BCDEF"]


def test_a_person_s_line_is_a_beginning(flow, said):
    for edge in ("START > END", "TALK > END"):
        flow.edge(edge)
    assert len(said(unreachable_steps, flow.workflow())) == 1
    assert said(unreachable_steps, flow.workflow(on_input=OnInput(target="TALK"))) == []


def test_a_handler_of_success_is_a_beginning(flow, said):
    for edge in ("START > END", "THANK > END"):
        flow.edge(edge)
    assert said(unreachable_steps, flow.workflow(on_success="THANK")) == []


def test_the_nodes_of_one_group_are_labelled_once(flow, found):
    flow.edge("START > END")
    for id in ("X", "Y", "Z", "W"):
        group = {"Y": "g", "Z": "g"}.get(id)
        flow.add(AssignNode(id=id, group=group, span=flow.span()))
    for edge in ("X > Y", "Y > Z", "Z > W"):
        flow.edge(edge)
    (item,) = found(unreachable_steps, flow.workflow())
    assert [label.span for label in item.labels] == [flow.nodes[id].span for id in "YW"]


def test_what_stands_in_the_group_of_the_head_is_not_labelled(flow, found):
    flow.edge("START > END")
    for id, group in (("X", "g"), ("Y", "g"), ("Z", None)):
        flow.add(AssignNode(id=id, group=group, span=flow.span()))
    for edge in ("X > Y", "Y > Z"):
        flow.edge(edge)
    (item,) = found(unreachable_steps, flow.workflow())
    assert [label.span for label in item.labels] == [flow.nodes["Z"].span]


@pytest.mark.parametrize("edge", ["WRIT > END", "WRIT !> END"])
def test_a_reached_node_that_leads_on_is_not_the_misspelt_one(flow, found, edge):
    for text in ("START > WRIT", edge, "WRITE > END"):
        flow.edge(text)
    (item,) = found(unreachable_steps, flow.workflow())
    assert item.help == "lead an edge to it, or remove it"
