"""Reports of steps as data: S31, S36 to S41."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import AgentNode, Assertion, Output
from flowc.runtime.state.step_reports import ReportFault, read_report, report_parameters


def step(number: int, **fields: Any) -> AgentNode:
    return AgentNode(
        id=f"step_{number}",
        title=f"Step {number}",
        agent="worker",
        prompt=Literal(value=f"prompt {number}"),
        tools=("look",),
        report=True,
        step=number,
        description=f"do {number}",
        **fields,
    )


CHECKED = step(0, asserts=(Assertion(text="it shines"), Assertion(text="it floats")))


def passed(number: int, **outputs: Any) -> dict[str, Any]:
    return {
        "step_number": number,
        "status": "passed",
        "assertion_results": [{"assertion": "a", "passed": True}] * 2,
        "output_variables": outputs,
    }


class TestReport:
    @pytest.mark.parametrize("number", [0, 2, "x", None, True, -1])
    def test_s36_a_report_of_another_step_names_both_numbers(self, number: Any) -> None:
        with pytest.raises(ReportFault) as caught:
            read_report(CHECKED, {"step_number": number, "status": "passed"})
        assert caught.value.kind == "step_out_of_order"
        assert f"step {number} " in caught.value.message
        assert "step 1 is the current" in caught.value.message

    def test_s36_a_number_written_as_text_is_the_number(self) -> None:
        assert read_report(CHECKED, {"step_number": "1", "status": "passed"}).step == 1

    @pytest.mark.parametrize("word", ["failed", "PASSED", "ok", "", None, 1])
    def test_s37_every_status_but_passed_means_failed(self, word: Any) -> None:
        assert read_report(CHECKED, {"step_number": 1, "status": word}).status == "failed"

    def test_s40_fewer_results_give_a_warning_with_the_counts(self) -> None:
        report = read_report(
            CHECKED, {"step_number": 1, "status": "passed", "assertion_results": [{"passed": True}]}
        )
        assert report.warnings == ("2 assertion results were expected, 1 received: 1 unverified",)

    def test_s40_more_results_give_no_warning(self) -> None:
        results = [{"passed": True}] * 3
        args = {"step_number": 1, "status": "passed", "assertion_results": results}
        assert read_report(CHECKED, args).warnings == ()

    def test_s41_passed_with_a_denied_assertion_is_accepted_and_flagged(self) -> None:
        results = [{"passed": True}, {"passed": False}]
        args = {"step_number": 1, "status": "passed", "assertion_results": results}
        report = read_report(CHECKED, args)
        assert report.status == "passed"
        assert "`it floats`" in report.contradiction
        assert read_report(CHECKED, {**args, "status": "failed"}).contradiction == ""

    @pytest.mark.parametrize("field", ["assertion_results", "output_variables"])
    def test_a_field_of_the_wrong_shape_is_refused_by_name(self, field: str) -> None:
        with pytest.raises(ReportFault, match=field):
            read_report(CHECKED, {"step_number": 1, "status": "passed", field: "everything"})

    def test_s31_the_schema_asks_only_for_what_the_step_has(self) -> None:
        bare = report_parameters(step(3))["properties"]
        assert bare["step_number"]["const"] == 4
        assert set(bare) == {"step_number", "status", "error_message"}
        full = report_parameters(
            step(0, outputs=(Output(source="result.name", name="BOAT"),), asserts=CHECKED.asserts)
        )["properties"]
        assert "BOAT" in full["output_variables"]["properties"]
        items = full["assertion_results"]["items"]["properties"]
        assert items["assertion"]["enum"] == ["it shines", "it floats"]
