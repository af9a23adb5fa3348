"""A team at work: assignments, completions, gates, pauses, figures (C12–C19, C23–C25)."""

from __future__ import annotations

from typing import Any

import pytest
from stores import KINDS

from .conftest import Clock, Desk, Opening, gate, step

PARALLEL: dict[str, Any] = {
    "workflow_type": "parallel",
    "steps": [step("a"), step("b", "analyst"), step("c", "synthesizer", "a", "b")],
}


class TestStatus:
    def test_c19_details_and_metrics_are_there_when_asked_for(self, desk: Desk) -> None:
        id = desk.execution()
        bare = desk.get(f"/executions/{id}")
        assert bare["completed_steps"] is None
        assert bare["performance_metrics"] is None
        full = desk.status(id)
        assert full["completed_steps"] == []
        assert full["performance_metrics"]["quality_trend"] == []

    def test_c12_c25_progress_and_what_comes_next(self, desk: Desk) -> None:
        id = desk.execution()
        desk.complete(id, "gather")
        status = desk.status(id)
        assert status["workflow_status"] == "executing"
        assert status["overall_progress"] == {
            "completed_steps": 1,
            "total_steps": 3,
            "completion_percentage": 33.33,
            "current_phase": "Analyse",
        }
        assert [s["step_id"] for s in status["active_steps"]] == ["analyse"]
        assert status["next_steps"] == [
            {
                "step_id": "write",
                "step_name": "Write",
                "required_role": "synthesizer",
                "dependencies_met": False,
            }
        ]

    def test_c25_the_metrics_add_up(self, desk: Desk) -> None:
        id = desk.execution()
        for name, score in (("gather", 0.5), ("analyse", 0.75), ("write", 1.0)):
            desk.clock.forward(minutes=20)
            desk.complete(id, name, quality_self_assessment=score, duration_minutes=15)
        metrics = desk.status(id)["performance_metrics"]
        assert metrics["average_step_duration"] == 15
        assert metrics["quality_trend"] == [0.5, 0.75, 1.0]

    def test_execution_not_found(self, desk: Desk) -> None:
        assert desk.get("/executions/ex-none", 404)["error_code"] == "EXECUTION_NOT_FOUND"


class TestAssign:
    def test_c13_a_step_is_given_to_another_agent(self, desk: Desk) -> None:
        id, agents = desk.team()
        made = desk.post("/executions", {"workflow_id": desk.workflow(), "team_id": id})
        run = made["execution_id"]
        asked = {
            "step_id": "gather",
            "agent_id": agents["analyst"],
            "assignment_config": {"priority": "critical", "deadline": "2026-05-02T00:00:00Z"},
        }
        told = desk.post(f"/executions/{run}/assignments", asked, 409)
        assert told["error_code"] == "AGENT_NOT_ELIGIBLE"
        assert "researcher" in told["error_message"]
        told = desk.post(f"/executions/{run}/assignments", {**asked, "override_role_check": True})
        assert told["estimated_completion"] == "2026-05-02T00:00:00Z"
        (active,) = desk.status(run)["active_steps"]
        assert active["assigned_agent"] == agents["analyst"]
        old = made["initial_assignments"][0]["assignment_id"]
        data = {"status": "completed", "output": "x"}
        body = {"assignment_id": old, "completion_data": data}
        told = desk.post(f"/executions/{run}/completions", body, 404)
        assert told["error_code"] == "ASSIGNMENT_NOT_FOUND"
        desk.complete(run, "gather")
        assert "analyse" in desk.active(run)

    def test_c13_step_dependencies_not_met(self, desk: Desk) -> None:
        id, agents = desk.team()
        made = desk.post("/executions", {"workflow_id": desk.workflow(), "team_id": id})
        asked = {"step_id": "write", "agent_id": agents["synthesizer"]}
        told = desk.post(f"/executions/{made['execution_id']}/assignments", asked, 409)
        assert told["error_code"] == "STEP_DEPENDENCIES_NOT_MET"
        assert told["execution_context"]["current_step"] == "write"
        assert told["dependencies_status"] == {"all_met": False, "pending": ["analyse"]}

    @pytest.mark.parametrize(
        ("asked", "code"),
        [
            ({"step_id": "nothing", "agent_id": "x"}, "INVALID_REQUEST"),
            ({"step_id": "gather", "agent_id": "stranger"}, "AGENT_NOT_ELIGIBLE"),
        ],
    )
    def test_c13_step_and_agent_have_to_be_there(
        self, desk: Desk, asked: dict[str, str], code: str
    ) -> None:
        id = desk.execution()
        answer = desk.client.post(f"/v1/executions/{id}/assignments", json=asked)
        assert answer.json()["error_code"] == code

    def test_c13_an_execution_that_has_ended_takes_no_assignment(self, desk: Desk) -> None:
        id = desk.execution(steps=[step("only")])
        desk.complete(id, "only")
        asked = {"step_id": "only", "agent_id": "x"}
        told = desk.post(f"/executions/{id}/assignments", asked, 409)
        assert told["error_code"] == "EXECUTION_NOT_ACTIVE"


class TestComplete:
    def test_c14_a_completion_triggers_what_waits_for_it(self, desk: Desk) -> None:
        id = desk.execution(**PARALLEL)
        first = desk.complete(id, "a", quality_self_assessment=0.9)
        assert (first["step_completed"], first["triggers_next_steps"]) == (True, [])
        assert first["quality_score"] == 0.9
        assert first["workflow_impact"]["progress_change"] == 33.33
        second = desk.complete(id, "b")
        assert second["triggers_next_steps"] == ["c"]
        assert [a["step_id"] for a in second["next_assignments"]] == ["c"]

    def test_c14_partial_keeps_the_assignment_open(self, desk: Desk) -> None:
        id = desk.execution()
        told = _partial(desk, id)
        assert (told["step_completed"], told["triggers_next_steps"]) == (False, [])
        (active,) = desk.status(id)["active_steps"]
        assert active["progress_percentage"] == 40
        desk.complete(id, "gather")

    @pytest.mark.parametrize(
        "data",
        [
            {"status": "done"},
            {"quality_self_assessment": 1.1},
            {"quality_self_assessment": -0.1},
            {"output": "   "},
            {"duration_minutes": -1},
        ],
    )
    def test_c14_a_completion_has_to_fit(self, desk: Desk, data: dict[str, Any]) -> None:
        id = desk.execution()
        body = {
            "assignment_id": desk.active(id)["gather"],
            "completion_data": {"status": "completed", "output": "x", **data},
        }
        told = desk.post(f"/executions/{id}/completions", body, 422)
        assert told["error_code"] == "INVALID_REQUEST"
        assert list(desk.active(id)) == ["gather"]

    def test_c14_assignment_not_found(self, desk: Desk) -> None:
        id = desk.execution()
        body = {"assignment_id": "as-none", "completion_data": {"status": "completed"}}
        told = desk.post(f"/executions/{id}/completions", body, 404)
        assert told["error_code"] == "ASSIGNMENT_NOT_FOUND"

    def test_c14_a_failed_step_fails_the_execution(self, desk: Desk) -> None:
        id = desk.execution()
        desk.complete(id, "gather", status="failed", output="no library")
        status = desk.status(id)
        assert status["workflow_status"] == "failed"
        assert "no library" in status["failure"]["error_message"]

    def test_c16_auto_retry_begins_the_failed_step_again(self, desk: Desk) -> None:
        id = desk.execution(config={"auto_retry": True, "max_iterations": 2})
        told = desk.complete(id, "gather", status="failed", output="no library")
        assert [a["step_id"] for a in told["next_assignments"]] == ["gather"]
        desk.complete(id, "gather")
        assert list(desk.active(id)) == ["analyse"]

    def test_c23_a_decision_has_a_decision(self, desk: Desk) -> None:
        id = desk.execution(steps=[step("choose", step_type="decision")])
        told = desk.complete(id, "choose", 422, output="")
        assert "decision" in told["error_message"]
        desk.complete(id, "choose", output="", decision="left", reason="shorter")
        assert desk.status(id)["workflow_status"] == "completed"


def _partial(desk: Desk, id: str) -> dict[str, Any]:
    data = {"status": "partial", "output": "half", "progress_percentage": 40}
    body = {"assignment_id": desk.active(id)["gather"], "completion_data": data}
    return desk.post(f"/executions/{id}/completions", body)


class TestGates:
    def test_c15_strict_quality_gate_failed(self, desk: Desk) -> None:
        id = desk.execution(steps=[step("only")], quality_gates=gate(0.8))
        told = desk.complete(id, "only", 409, quality_self_assessment=0.5)
        assert told["error_code"] == "QUALITY_GATE_FAILED"
        assert "0.5" in told["error_message"]
        status = desk.status(id)
        assert status["workflow_status"] == "failed"
        assert status["failure"]["error_code"] == "QUALITY_GATE_FAILED"

    @pytest.mark.parametrize("mode", ["lenient", "advisory"])
    def test_c15_lenient_and_advisory_let_pass(self, desk: Desk, mode: str) -> None:
        config = {"quality_enforcement": mode}
        id = desk.execution(steps=[step("only")], quality_gates=gate(0.8), config=config)
        desk.complete(id, "only", quality_self_assessment=0.5)
        assert desk.status(id)["workflow_status"] == "completed"

    def test_c23_an_approval_waits_for_a_person(self, desk: Desk) -> None:
        id = desk.execution(steps=[step("only")], quality_gates=gate(0.8, "approval"))
        desk.complete(id, "only")
        (question,) = desk.status(id)["questions"]
        assert question["choices"] == ["yes", "no"]
        path = f"/executions/{id}/questions/{question['question_id']}"
        told = desk.post(path, {"answer": "perhaps"}, 422)
        assert "yes, no" in str(told["recovery_options"])
        assert desk.post(path, {"answer": "yes"})["workflow_status"] == "completed"


class TestPause:
    def test_c17_the_token_opens_once_and_no_other_does(self, desk: Desk) -> None:
        id = desk.execution()
        held = desk.post(f"/executions/{id}/pause", {"pause_reason": "lunch"})
        assert held["active_steps_handled"] == [{"step_id": "gather", "action": "paused"}]
        assert desk.status(id)["workflow_status"] == "paused"
        told = desk.post(f"/executions/{id}/resume", {"resume_token": "guess"}, 403)
        assert told["error_code"] == "INVALID_RESUME_TOKEN"
        body = {"assignment_id": desk.active(id)["gather"], "completion_data": _DONE}
        told = desk.post(f"/executions/{id}/completions", body, 409)
        assert told["error_code"] == "EXECUTION_NOT_ACTIVE"
        desk.post(f"/executions/{id}/resume", {"resume_token": held["resume_token"]})
        told = desk.post(f"/executions/{id}/resume", {"resume_token": held["resume_token"]}, 409)
        assert told["error_code"] == "EXECUTION_NOT_ACTIVE"
        desk.complete(id, "gather")

    def test_c17_deadlines_move_by_the_time_of_the_pause(self, desk: Desk) -> None:
        id = desk.execution()
        held = desk.post(f"/executions/{id}/pause", {})
        desk.clock.forward(hours=2)
        config = {"resume_token": held["resume_token"], "resume_config": {"update_deadlines": True}}
        desk.post(f"/executions/{id}/resume", config)
        assert desk.post(f"/executions/{id}/pause", {})["success"]

    def test_workflow_timeout_and_its_reset(self, desk: Desk) -> None:
        id = desk.execution(config={"timeout_minutes": 30})
        held = desk.post(f"/executions/{id}/pause", {})
        desk.clock.forward(minutes=31)
        body: dict[str, Any] = {"resume_token": held["resume_token"]}
        told = desk.post(f"/executions/{id}/resume", body, 409)
        assert told["error_code"] == "WORKFLOW_TIMEOUT"
        body["resume_config"] = {"reset_timeout": True}
        desk.post(f"/executions/{id}/resume", body)
        desk.complete(id, "gather")


_DONE = {"status": "completed", "output": "x"}


@pytest.mark.parametrize("kind", KINDS)
class TestRestart:
    def test_everything_goes_on_in_another_process(self, opening: Opening) -> None:
        clock = Clock()
        with opening(clock) as desk:
            id = desk.execution(quality_gates=gate(0.5))
            desk.complete(id, "gather", quality_self_assessment=0.9)
            held = desk.post(f"/executions/{id}/pause", {})
        with opening(clock) as desk:
            assert desk.status(id)["workflow_status"] == "paused"
            desk.post(f"/executions/{id}/resume", {"resume_token": held["resume_token"]})
            desk.complete(id, "analyse", quality_self_assessment=0.9)
        with opening(clock) as desk:
            desk.complete(id, "write", quality_self_assessment=0.9)
            assert desk.status(id)["workflow_status"] == "completed"
