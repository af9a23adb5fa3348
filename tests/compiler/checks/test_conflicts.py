"""FC3004: two branches that write one variable at the same time."""

from __future__ import annotations

import pytest
from flowc.compiler.checks.conflicts import conflicts_of, parallel_writes
from flowc.compiler.ir import ExecNode, StateField
from specs import parts


def fork(flow, *edges):
    flow.set("A", TEXT="1")
    flow.set("B", TEXT="2")
    for text in ("START > A", "START > B", *edges):
        flow.edge(text)


def test_two_branches_that_write_one_variable(flow, found):
    fork(flow, "A > END", "B > END")
    (item,) = found(parallel_writes, flow.workflow())
    assert (item.code, item.severity) == ("FC3004", "error")
    assert item.message == "`B` and `A` write `TEXT` at the same time"
    assert item.notes == ("`START` starts both branches",)
    assert [label.text for label in item.labels] == ["the other one"]


@pytest.mark.parametrize("reducer", ["append", "merge", "add"])
def test_a_reducer_brings_them_together(flow, said, reducer):
    fork(flow, "A > END", "B > END")
    flow.state.append(StateField(name="TEXT", reducer=reducer))
    assert said(parallel_writes, flow.workflow()) == []


def test_one_after_the_other_is_no_conflict(flow, said):
    flow.set("A", TEXT="1")
    flow.set("B", TEXT="2")
    for text in ("START > A", "A > B", "B > END"):
        flow.edge(text)
    assert said(parallel_writes, flow.workflow()) == []


def test_either_or_is_no_conflict(flow, said):
    flow.set("A", TEXT="1")
    flow.set("B", TEXT="2")
    flow.choose("START", "X == 1")
    for text in ("START true> A", "START false> B", "A > END", "B > END"):
        flow.edge(text)
    assert said(parallel_writes, flow.workflow()) == []


def test_what_both_branches_lead_to_is_behind_them(flow, said):
    flow.set("JOIN", TEXT="3")
    for text in ("START > A", "START > B", "A > JOIN", "B > JOIN", "JOIN > END"):
        flow.edge(text)
    assert said(parallel_writes, flow.workflow()) == []


def test_a_loop_back_to_the_fork_hides_nothing(flow, said):
    fork(flow, "A > JOIN", "B > JOIN")
    flow.choose("JOIN", "X == 1")
    flow.edge("JOIN false> START")
    flow.edge("JOIN true> END")
    assert len(said(parallel_writes, flow.workflow())) == 1


def test_deep_in_two_branches(flow, said):
    flow.set("A2", TEXT="1")
    flow.set("B2", TEXT="2")
    edges = "START > A", "START > B", "A > A2", "B > B2", "A2 > END", "B2 > END"
    for text in edges:
        flow.edge(text)
    assert [m for _, _, m in said(parallel_writes, flow.workflow())] == [
        "`B2` and `A2` write `TEXT` at the same time"
    ]


def test_two_commands_in_one_shell(flow, said):
    for id, session in (("A", "main"), ("B", "main"), ("C", "other")):
        source = flow.expr("'ls'")
        node = ExecNode(id=id, source=source, form="command", session=session,
                        parts=parts(**{id.lower(): "text"}), span=flow.span())  # fmt: skip
        flow.add(node)
        flow.edge(f"START > {id}")
        flow.edge(f"{id} > END")
    assert [message for _, _, message in said(parallel_writes, flow.workflow())] == [
        "`B` and `A` run commands in one shell at the same time"
    ]


def test_a_thousand_branches_are_looked_at_once(flow, said):
    for number in range(1000):
        flow.set(f"N{number}", **{f"V{number}": "1"})
        flow.edge(f"START > N{number}")
        flow.edge(f"N{number} > END")
    assert said(parallel_writes, flow.workflow()) == []


def test_of_a_thousand_long_branches_the_two_that_write_are_named(flow, said):
    for number in range(60):
        for step in range(20):
            flow.set(f"N{number}_{step}", **{f"V{step}" if number in (7, 50) else "OTHER": "1"})
        flow.edge(f"START > N{number}_0")
        for step in range(19):
            flow.edge(f"N{number}_{step} > N{number}_{step + 1}")
        flow.edge(f"N{number}_19 > END")
    assert len(said(parallel_writes, flow.workflow())) == 21


def test_what_is_too_long_to_be_followed_is_told(flow):
    fork(flow, "A > END", "B > END")
    for target in ("C", "D"):
        flow.set(target, TEXT="3")
        flow.edge(f"A > {target}")
    first, second = conflicts_of(flow.workflow(), 3)
    assert (first.severity, second.severity) == ("error", "warning")
    assert second.message.startswith("whether branches of `A` write one variable at the same time")


def test_the_later_write_is_pointed_at_and_the_earlier_labelled(flow, found):
    fork(flow)
    (item,) = found(parallel_writes, flow.workflow())
    a, b = (flow.nodes[id].assignments[0].span for id in "AB")
    assert (item.primary, [label.span for label in item.labels]) == (b, [a])


def test_of_three_branches_the_first_two_are_named(flow, said):
    fork(flow)
    flow.set("C", TEXT="3")
    flow.edge("START > C")
    assert [message for _, _, message in said(parallel_writes, flow.workflow())] == [
        "`B` and `A` write `TEXT` at the same time"
    ]


def test_two_edges_to_one_node_are_no_fork(flow, said):
    flow.set("A", TEXT="1")
    flow.edge("START > A")
    flow.edge("START > A")
    assert said(parallel_writes, flow.workflow()) == []


def test_what_failures_lead_to_does_not_run_side_by_side(flow, said):
    flow.set("A", TEXT="1")
    flow.set("B", TEXT="2")
    for edge in ("START !> A", "START !> B"):
        flow.edge(edge)
    assert said(parallel_writes, flow.workflow()) == []


def test_each_variable_and_each_fork_is_reported(flow, said):
    flow.set("A", X="1", Y="1")
    flow.set("B", X="2", Y="2")
    for edge in ("START > A", "START > B"):
        flow.edge(edge)
    assert len(said(parallel_writes, flow.workflow())) == 2


def test_a_variable_with_a_reducer_leaves_the_others(flow, said):
    flow.set("A", X="1", Y="1")
    flow.set("B", X="2", Y="2")
    for edge in ("START > A", "START > B"):
        flow.edge(edge)
    flow.state.append(StateField(name="X", reducer="append"))
    assert [message for _, _, message in said(parallel_writes, flow.workflow())] == [
        "`B` and `A` write `Y` at the same time"
    ]
