"""What a step's outcome says: the report decides; what was measured stands beside it (S38–S41)."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.compiler.expr.parse import ParseFault, parse
from flowc.compiler.ir import AgentNode, Assertion, Output
from flowc.runtime.nodes.talk.talk import EndingRefused
from flowc.runtime.nodes.talk.verdicts import judge, report_ending
from flowc.runtime.state.scope import Scope
from flowc.runtime.state.step_reports import Claim, StepReport

NOTHING = Scope({})


def assertion(text: str) -> Assertion:
    """An assertion that is measured; one that ends with a full stop is prose."""
    expr = None if text.endswith(".") else parse(text, "s.md", 0)
    assert not isinstance(expr, ParseFault)
    return Assertion(text=text, expr=expr)


def step(*texts: str, **more: Any) -> AgentNode:
    asserts = tuple(assertion(text) for text in texts)
    return AgentNode(id="s", agent="main", step=3, title="Measure", asserts=asserts, **more)


def report(*claims: bool | None, status: str = "passed", **more: Any) -> StepReport:
    said = tuple(Claim(f"claim {n}", passed, f"detail {n}") for n, passed in enumerate(claims))
    fields: dict[str, Any] = {"step": 3, "claims": said, "outputs": {}, "error": "", **more}
    return StepReport(status=status, **fields)  # type: ignore[arg-type]


def used(**results: Any) -> list[dict[str, Any]]:
    """What tools gave, in order."""
    return [{"tool": tool, "result": result} for tool, result in results.items()]


def measured(op: AgentNode, results: list[dict[str, Any]] | None, **variables: Any) -> list[Any]:
    outcome = judge(op, report(*[None] * len(op.asserts)), results, Scope(variables))
    return [item["measured"] for item in outcome["assertions"]]


def test_an_outcome_says_what_was_claimed_and_what_was_measured():
    outcome = judge(step("peak < 0"), report(True), used(meter={"peak": -1}), NOTHING)
    assert outcome == {
        "step": 3,
        "title": "Measure",
        "status": "passed",
        "assertions": [
            {"text": "peak < 0", "claimed": True, "measured": True, "detail": "detail 0"}
        ],
        "outputs": {},
        "error": "",
        "warnings": [],
        "contradiction": "",
    }


def test_an_assertion_that_nothing_was_said_about_is_measured_all_the_same():
    outcome = judge(step("peak < 0", "peak < -9"), report(True), used(meter={"peak": -1}), NOTHING)
    assert outcome["assertions"][1] == {
        "text": "peak < -9", "claimed": None, "measured": False, "detail": ""
    }  # fmt: skip


def test_an_assertion_reads_the_last_result_its_fields_and_each_tool_by_name():
    op = step("result.peak == -2", "peak == -2", "first.peak == -1", "LIMIT == 5")
    results = used(first={"peak": -1}, second={"peak": -2})
    assert measured(op, results, LIMIT=5) == [True] * 4


def test_a_result_that_is_no_object_has_no_fields():
    assert measured(step("result == 'done'"), used(say="done")) == [True]


def test_what_the_step_puts_out_hides_a_variable_of_that_name():
    op = step("LEVEL == 2", outputs=(Output(source="the level", name="LEVEL"),))
    outcome = judge(op, report(True, outputs={"LEVEL": 2}), [], Scope({"LEVEL": 1}))
    assert outcome["assertions"][0]["measured"] is True


def test_without_a_tool_s_result_there_is_nothing_in_result():
    assert measured(step("result == null"), []) == [True]


def test_where_it_is_not_known_what_tools_gave_nothing_is_measured():
    assert measured(step("1 == 1"), None) == [None]


def test_prose_is_not_measured():
    assert measured(step("It sounds good."), used(meter={"peak": -1})) == [None]


def test_what_is_neither_true_nor_false_is_no_measurement():
    assert measured(step("peak"), used(meter={"peak": 1})) == [None]


def test_what_cannot_be_measured_says_why_unless_the_report_does():
    op = step("peak + 1 == 2")
    (item,) = judge(op, report(), used(meter={"peak": []}), NOTHING)["assertions"]
    assert item["measured"] is None
    assert "a list" in item["detail"]
    (item,) = judge(op, report(True), used(meter={"peak": []}), NOTHING)["assertions"]
    assert item["detail"] == "detail 0"


def test_only_declared_outputs_are_put_out():
    op = step(outputs=(Output(source="the level", name="LEVEL"),))
    outcome = judge(op, report(outputs={"LEVEL": 1, "OTHER": 2}), [], NOTHING)
    assert outcome["outputs"] == {"LEVEL": 1}
    assert outcome["warnings"] == []


def test_a_passed_step_warns_of_what_it_leaves_open():
    """An output without a value, and a tool without a result (S48)."""
    outputs = tuple(Output(source=name, name=name) for name in ("A", "B", "C"))
    op = step(outputs=outputs, tools=("meter", "cut", "meter"))
    outcome = judge(op, report(outputs={"B": 1}, warnings=("short",)), used(other=1), NOTHING)
    assert outcome["warnings"] == [
        "short", "not reported: A, C", "no result from: meter, cut"
    ]  # fmt: skip


def test_a_tool_that_gave_a_result_leaves_nothing_open():
    assert judge(step(tools=("meter",)), report(), used(meter=1), NOTHING)["warnings"] == []


def test_where_it_is_not_known_what_tools_gave_none_is_missing():
    assert judge(step(tools=("meter",)), report(), None, NOTHING)["warnings"] == []


def test_a_failed_step_warns_of_nothing():
    op = step(outputs=(Output(source="a", name="A"),))
    outcome = judge(op, report(status="failed", error="no sound", warnings=("short",)), [], NOTHING)
    assert (outcome["warnings"], outcome["error"]) == ([], "no sound")


@pytest.mark.parametrize(
    ("claim", "peak", "words"),
    [
        (True, 1, "`peak < 0` is claimed held, measured not held"),
        (False, -1, "`peak < 0` is claimed not held, measured held"),
    ],
)
def test_a_claim_that_the_measurement_contradicts_is_named(claim, peak, words):
    said = report(claim, status="failed")
    assert judge(step("peak < 0"), said, used(m={"peak": peak}), NOTHING)["contradiction"] == words


@pytest.mark.parametrize(("status", "is_said"), [("passed", True), ("failed", False)])
def test_a_status_that_the_measurement_contradicts_is_named(status, is_said):
    outcome = judge(step("peak < 0"), report(None, status=status), used(m={"peak": 1}), NOTHING)
    words = "reported as passed, although `peak < 0` does not hold"
    assert outcome["contradiction"] == (words if is_said else "")


def test_without_a_measurement_the_report_may_contradict_itself():
    outcome = judge(step("It sounds good."), report(False), [], NOTHING)
    assert outcome["contradiction"] == "reported as passed, although `claim 0` does not hold"


def test_a_step_that_could_not_be_started_has_failed():
    failed = StepReport(3, "failed", (), {}, "no model")
    outcome = judge(step("peak < 0"), failed, None, NOTHING)
    assert outcome == {
        "step": 3,
        "title": "Measure",
        "status": "failed",
        "assertions": [{"text": "peak < 0", "claimed": None, "measured": None, "detail": ""}],
        "outputs": {},
        "error": "no model",
        "warnings": [],
        "contradiction": "",
    }


def test_a_report_of_another_step_is_refused_with_what_to_do():
    ending = report_ending(step())
    ending.check({"step_number": 4, "status": "passed"})
    with pytest.raises(EndingRefused, match=r"step 3 was reported.*: report step_number 4"):
        ending.check({"step_number": 3, "status": "passed"})
