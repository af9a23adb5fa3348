"""Reports of steps and the session of a client that carries out the steps: S27 to S46."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import AgentNode, Assertion, EndNode, Input, Output, Workflow
from flowc.runtime.report import ReportFault, read_report, report_parameters
from flowc.runtime.session import StepSession, refusal


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
WORKFLOW = Workflow(
    name="boats",
    nodes=(
        step(0, outputs=(Output(source="result.name", name="BOAT"),), asserts=CHECKED.asserts),
        step(1, inputs=(Input(name="BOAT"),)),
        EndNode(id="end", outcome="success"),
    ),
)


@pytest.fixture
def session() -> StepSession:
    def render(node: AgentNode, variables: Mapping[str, Any]) -> str:
        return f"{node.title} with {sorted(variables)}"

    made = StepSession(render)
    made.load(WORKFLOW, "boats.md")
    return made


def passed(number: int, **outputs: Any) -> dict[str, Any]:
    return {
        "step_number": number,
        "status": "passed",
        "assertion_results": [{"assertion": "a", "passed": True}] * 2,
        "output_variables": outputs,
    }


class TestReport:
    @pytest.mark.parametrize("number", [1, "x", None, True, -1])
    def test_s36_a_report_of_another_step_names_both_numbers(self, number: Any) -> None:
        with pytest.raises(ReportFault) as caught:
            read_report(CHECKED, {"step_number": number, "status": "passed"})
        assert caught.value.kind == "step_out_of_order"
        assert f"step {number} " in caught.value.message
        assert "step 0 " in caught.value.message

    def test_s36_a_number_written_as_text_is_the_number(self) -> None:
        assert read_report(CHECKED, {"step_number": "0", "status": "passed"}).step == 0

    @pytest.mark.parametrize("word", ["failed", "PASSED", "ok", "", None, 1])
    def test_s37_every_status_but_passed_means_failed(self, word: Any) -> None:
        assert read_report(CHECKED, {"step_number": 0, "status": word}).status == "failed"

    def test_s40_fewer_results_give_a_warning_with_the_counts(self) -> None:
        report = read_report(
            CHECKED, {"step_number": 0, "status": "passed", "assertion_results": [{"passed": True}]}
        )
        assert report.warnings == ("2 assertion results were expected, 1 received: 1 unverified",)

    def test_s40_more_results_give_no_warning(self) -> None:
        results = [{"passed": True}] * 3
        args = {"step_number": 0, "status": "passed", "assertion_results": results}
        assert read_report(CHECKED, args).warnings == ()

    def test_s41_passed_with_a_denied_assertion_is_accepted_and_flagged(self) -> None:
        results = [{"passed": True}, {"passed": False}]
        args = {"step_number": 0, "status": "passed", "assertion_results": results}
        report = read_report(CHECKED, args)
        assert report.status == "passed"
        assert "`it floats`" in report.contradiction
        assert read_report(CHECKED, {**args, "status": "failed"}).contradiction == ""

    @pytest.mark.parametrize("field", ["assertion_results", "output_variables"])
    def test_a_field_of_the_wrong_shape_is_refused_by_name(self, field: str) -> None:
        with pytest.raises(ReportFault, match=field):
            read_report(CHECKED, {"step_number": 0, "status": "passed", field: "everything"})

    def test_s31_the_schema_asks_only_for_what_the_step_has(self) -> None:
        bare = report_parameters(step(3))["properties"]
        assert bare["step_number"]["const"] == 3
        assert set(bare) == {"step_number", "status", "error_message"}
        full = report_parameters(WORKFLOW.nodes[0])["properties"]  # type: ignore[arg-type]
        assert "BOAT" in full["output_variables"]["properties"]
        items = full["assertion_results"]["items"]["properties"]
        assert items["assertion"]["enum"] == ["it shines", "it floats"]


class TestSession:
    def test_s27_load_answers_the_count_and_the_first_step(self, session: StepSession) -> None:
        session.report(passed(0, BOAT="Ada"))
        answer = session.load(WORKFLOW, "boats.md")
        assert answer["step_count"] == 2
        assert answer["first_step"] == {
            "name": "Step 0",
            "description": "do 0",
            "tool_names": ["look"],
        }
        assert session.state()["current_step"] == 0
        assert session.state()["variables"] == {}

    def test_s28_nothing_works_before_load_and_the_answer_is_structured(self) -> None:
        empty = StepSession(lambda node, variables: "")
        calls = (empty.execute, empty.state, empty.reset, lambda: empty.report(passed(0)))
        for call in calls:
            with pytest.raises(ReportFault, match="no workflow loaded") as caught:
                call()
            answer = refusal(caught.value)
            assert answer["success"] is False
            assert answer["error_type"] == "not_loaded"
            assert "load" in answer["suggestion"]

    def test_s29_execute_changes_nothing(self, session: StepSession) -> None:
        before = session.state()
        answer = session.execute()
        assert (answer["step_number"], answer["step_name"], answer["total_steps"]) == (
            0,
            "Step 0",
            2,
        )
        assert session.state() == before

    def test_s32_a_missing_input_names_variable_and_step(self, session: StepSession) -> None:
        with pytest.raises(ReportFault, match=r"`Step 1` needs the variable `BOAT`"):
            session.report(passed(0))

    def test_s38_passed_merges_moves_on_and_shows_the_next_prompt(
        self, session: StepSession
    ) -> None:
        answer = session.report(passed(0, BOAT="Ada"))
        assert answer == {
            "success": True,
            "step_number": 0,
            "next_step": 1,
            "prompt": "Step 1 with ['BOAT']",
        }
        assert session.report(passed(1)) == {
            "success": True,
            "step_number": 1,
            "workflow_complete": True,
        }

    def test_s39_failed_merges_nothing_and_stays(self, session: StepSession) -> None:
        answer = session.report(
            {**passed(0, BOAT="Ada"), "status": "failed", "error_message": "leak"}
        )
        assert answer["success"] is False
        assert answer["error_message"] == "leak"
        state = session.state()
        assert (state["current_step"], state["failed_steps"], state["variables"]) == (0, [0], {})
        with pytest.raises(ReportFault, match="cannot continue"):
            session.execute()

    def test_s42_the_report_counts_although_the_next_step_lacks_an_input(
        self, session: StepSession
    ) -> None:
        with pytest.raises(ReportFault):
            session.report(passed(0))
        state = session.state()
        assert (state["current_step"], state["completed_steps"]) == (1, [0])

    def test_s43_a_failed_step_may_be_reported_again(self, session: StepSession) -> None:
        session.report({**passed(0), "status": "failed"})
        session.report(passed(0, BOAT="Ada"))
        state = session.state()
        assert state["is_failed"] is False
        assert state["completed_steps"] == [0]

    def test_s44_complete_and_failed_when_the_last_step_failed(self, session: StepSession) -> None:
        session.report(passed(0, BOAT="Ada"))
        session.report({**passed(1), "status": "failed"})
        state = session.state()
        assert state["is_complete"] is True
        assert state["is_failed"] is True
        with pytest.raises(ReportFault, match="already complete"):
            session.execute()

    def test_s45_the_state_shows_every_outcome(self, session: StepSession) -> None:
        session.report(passed(0, BOAT="Ada"))
        outcome = session.state()["step_outcomes"]["0"]
        assert outcome["status"] == "passed"
        assert outcome["output_variables"] == {"BOAT": "Ada"}
        assert outcome["assertion_results"][0] == {"assertion": "a", "passed": True, "detail": ""}

    def test_s46_reset_keeps_the_steps(self, session: StepSession) -> None:
        session.report(passed(0, BOAT="Ada"))
        assert session.reset() == {"success": True, "current_step": 0, "total_steps": 2}
        assert session.execute()["step_number"] == 0
        assert session.state()["step_outcomes"] == {}
