"""FC3001 and FC3002 beside what the workflow itself gives a value: defaults, rules, parameters."""

from __future__ import annotations

from flowc.compiler.checks.dataflow import MAX_LABELS, early_reads, undefined_variables
from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import Assignment, CallNode, ErrorRule, Param, StateField


def test_a_variable_with_a_default_may_have_been_meant(flow, found):
    flow.state.append(StateField(name="GRADE", default=1))
    flow.state.append(StateField(name="GRACES"))
    flow.set("START", OUT="GRADES")
    (item,) = found(undefined_variables, flow.workflow())
    assert item.help == "did you mean `GRADE`?"


def test_of_many_places_some_are_shown(flow, found):
    flow.set("START", **{f"V{n}": "GONE" for n in range(MAX_LABELS + 3)})
    (item,) = found(undefined_variables, flow.workflow())
    assert len(item.labels) == 4


def test_what_a_rule_for_failures_writes_may_be_read_anywhere(flow, said):
    rule = ErrorRule(
        kinds=("failure",), assignments=(Assignment(target="WHY", value=Literal(value="x")),)
    )
    flow.set("START", OUT="WHY")
    flow.set("B", WHY="1")
    flow.edge("START > B")
    assert len(said(early_reads, flow.workflow())) == 1
    assert said(early_reads, flow.workflow(on_error=(rule,))) == []


def test_each_place_that_is_too_early_is_labelled(flow, found):
    flow.set("START", A="LATE", B="LATE", C="LATE")
    flow.set("B", LATE="1")
    flow.edge("START > B")
    (item,) = found(early_reads, flow.workflow())
    first, second, third = (a.value.span for a in flow.nodes["START"].assignments)
    assert item.primary == first
    written = flow.nodes["B"].assignments[0].span
    assert [(label.span, label.text) for label in item.labels] == [
        (written, "written here"), (second, "also read here"), (third, "also read here")
    ]  # fmt: skip


def test_a_rule_for_failures_leaves_parameters_given(flow, said):
    sets = (Assignment(target="WHY", value=Literal(value="x")),)
    rule = ErrorRule(kinds=("failure",), assignments=sets)
    flow.set("START", OUT="CITY")
    flow.set("B", CITY="1")
    flow.edge("START > B")
    workflow = flow.workflow(on_error=(rule,), params=(Param(name="CITY"),))
    assert said(early_reads, workflow) == []


def test_a_handler_of_success_reads_what_one_way_to_it_has_not_written(flow, found):
    flow.choose("START", "X == 1")
    flow.set("B", CITY="1")
    for edge in ("START true> B", "B > END", "START false> END"):
        flow.edge(edge)
    flow.set("H", OUT="CITY")
    (item,) = found(early_reads, flow.workflow(on_success="H", params=(Param(name="X"),)))
    assert item.message == "`H` reads `CITY`, which not every path has written"
    assert item.help == "write it on that path as well, or give it a value at the start"


def test_what_is_written_only_later_is_to_be_written_before(flow, found):
    flow.set("START", OUT="CITY")
    flow.set("B", CITY="1")
    flow.edge("START > B")
    (item,) = found(early_reads, flow.workflow())
    assert item.help == "write it before it is read"


def test_behind_a_call_that_may_write_everything_nothing_is_early(flow, said):
    flow.add(CallNode(id="START", workflow="w.md", returns_all=True, span=flow.span()))
    flow.set("B", OUT="CITY")
    flow.set("C", CITY="1")
    for edge in ("START > B", "B > C"):
        flow.edge(edge)
    assert said(early_reads, flow.workflow()) == []
