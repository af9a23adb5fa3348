"""Milestones and alerts as events; what a resume does beside going on (C17, C23)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from fleet import until
from openai_server import OpenAIServer, Say

from .conftest import Desk, Opening, gate, step

ALL = {"milestone_alerts": True, "error_alerts": True, "completion_alerts": True}
ONLY: dict[str, Any] = {"steps": [step("only")]}


def _execution(desk: Desk, notifications: dict[str, bool], **fields: Any) -> str:
    team, _ = desk.team()
    config = fields.pop("config", {})
    asked = {
        "workflow_id": desk.workflow(**fields),
        "team_id": team,
        "notifications": notifications,
        "execution_config": config,
    }
    return str(desk.post("/executions", asked)["execution_id"])


def _events(desk: Desk, id: str) -> list[tuple[str, str, bool]]:
    return [(e["kind"], e["step_id"], e["alert"]) for e in desk.status(id)["events"]]


class TestHappenings:
    def test_c23_a_milestone_is_an_event_and_passes(self, desk: Desk) -> None:
        id = _execution(desk, ALL, quality_gates=gate(0.9, "milestone"), **ONLY)
        assert _events(desk, id) == []
        desk.complete(id, "only", quality_self_assessment=0.1)
        assert _events(desk, id) == [("milestone", "good", True), ("completion", "", True)]
        assert desk.status(id)["events"][0]["message"] == "It is good: reached"

    def test_what_nobody_asked_to_be_told_is_no_alert(self, desk: Desk) -> None:
        id = _execution(desk, {"completion_alerts": True}, quality_gates=gate(0.5), **ONLY)
        desk.complete(id, "only", quality_self_assessment=0.75)
        assert _events(desk, id) == [("milestone", "good", False), ("completion", "", True)]
        message = desk.status(id)["events"][0]["message"]
        assert message == "It is good: passed with 0.75, 0.5 is required"

    def test_c15_lenient_passes_with_a_warning(self, desk: Desk) -> None:
        lenient = {"quality_enforcement": "lenient"}
        id = _execution(desk, {}, quality_gates=gate(0.8), config=lenient, **ONLY)
        desk.complete(id, "only", quality_self_assessment=0.5)
        (warning, completion) = desk.status(id)["events"]
        assert (warning["kind"], completion["kind"]) == ("warning", "completion")
        assert "the score is 0.5, 0.8 is required" in warning["message"]

    def test_c15_advisory_passes_without_one(self, desk: Desk) -> None:
        advisory = {"quality_enforcement": "advisory"}
        id = _execution(desk, {}, quality_gates=gate(0.8), config=advisory, **ONLY)
        desk.complete(id, "only", quality_self_assessment=0.5)
        assert _events(desk, id) == [("completion", "", False)]

    def test_an_error_is_an_alert(self, desk: Desk) -> None:
        id = _execution(desk, {"error_alerts": True}, **ONLY)
        desk.complete(id, "only", status="failed", output="no library")
        assert _events(desk, id) == [("error", "only", True)]
        assert "no library" in desk.status(id)["events"][0]["message"]

    def test_c19_they_are_details(self, desk: Desk) -> None:
        id = _execution(desk, ALL, **ONLY)
        assert desk.get(f"/executions/{id}")["events"] is None


class TestResume:
    def test_c17_restart_failed_steps_begins_a_failed_execution_again(self, desk: Desk) -> None:
        id = desk.execution()
        desk.complete(id, "gather", status="failed", output="no library")
        assert desk.status(id)["workflow_status"] == "failed"
        body: dict[str, Any] = {"resume_token": "none"}
        told = desk.post(f"/executions/{id}/resume", body, 409)
        assert told["error_code"] == "EXECUTION_NOT_ACTIVE"
        body["resume_config"] = {"restart_failed_steps": True}
        told = desk.post(f"/executions/{id}/resume", body)
        assert told["steps_restarted"] == ["gather"]
        assert [a["step_id"] for a in told["new_assignments"]] == ["gather"]
        desk.complete(id, "gather")
        assert list(desk.active(id)) == ["analyse"]

    def test_c17_a_failed_step_beside_another_is_restarted_without_a_pause(
        self, desk: Desk
    ) -> None:
        steps = [step("a"), step("b", "analyst")]
        id = desk.execution(workflow_type="parallel", steps=steps)
        desk.complete(id, "a", status="failed", output="no library")
        assert desk.status(id)["workflow_status"] == "failed"
        told = desk.post(f"/executions/{id}/pause", {}, 409)
        assert told["error_code"] == "EXECUTION_NOT_ACTIVE"
        body = {"resume_token": "none", "resume_config": {"restart_failed_steps": True}}
        assert desk.post(f"/executions/{id}/resume", body)["steps_restarted"] == ["a"]
        for name in ("a", "b"):
            desk.complete(id, name)
        assert desk.status(id)["workflow_status"] == "completed"

    def test_c17_a_model_that_gave_a_step_back_is_asked_anew(self, opening: Opening) -> None:
        """It was told its own answer for ever, whoever restarted the step."""
        with OpenAIServer() as model, opening(base_url=model.url) as desk:
            given = [{"output": "no", "status": "failed"}] * 2 + [{"output": "yes", "score": 0.9}]
            model.will(*(Say(calls=[("complete_task", result)]) for result in given))
            id = desk.execution("researcher", steps=[step("gather")])
            body = {"resume_token": "none", "resume_config": {"restart_failed_steps": True}}
            for count in (1, 2):
                until(lambda: desk.status(id)["workflow_status"] == "failed")
                assert len(model.requests) == count
                assert desk.post(f"/executions/{id}/resume", body)["steps_restarted"] == ["gather"]
                until(lambda count=count: len(model.requests) > count)
            until(lambda: desk.status(id)["workflow_status"] == "completed")
            status = desk.status(id)
        assert status["completed_steps"][0]["quality_score"] == 0.9
        first, second, third = (request.body["messages"] for request in model.requests)
        assert first == second == third

    def test_c17_the_deadlines_are_later_by_the_pause(self, desk: Desk) -> None:
        before = self._deadline_after(desk, {})
        assert self._deadline_after(desk, {"update_deadlines": True}) - before == timedelta(hours=2)

    def _deadline_after(self, desk: Desk, config: dict[str, Any]) -> timedelta:
        """How long after the beginning a step is due whose execution was paused for two hours."""
        begun = desk.clock()
        id = desk.execution()
        held = desk.post(f"/executions/{id}/pause", {})
        desk.clock.forward(hours=2)
        asked = {"resume_token": held["resume_token"], "resume_config": config}
        desk.post(f"/executions/{id}/resume", asked)
        (active,) = desk.status(id)["active_steps"]
        return datetime.fromisoformat(active["estimated_completion"]) - begun

    @pytest.mark.parametrize("reset", [False, True])
    def test_c17_a_reset_timeout_counts_from_the_resume(self, desk: Desk, reset: bool) -> None:
        id = desk.execution(config={"timeout_minutes": 30})
        held = desk.post(f"/executions/{id}/pause", {})
        desk.clock.forward(minutes=20)
        config = {"reset_timeout": reset}
        body = {"resume_token": held["resume_token"], "resume_config": config}
        desk.post(f"/executions/{id}/resume", body)
        held = desk.post(f"/executions/{id}/pause", {})
        desk.clock.forward(minutes=20)
        body = {"resume_token": held["resume_token"]}
        told = desk.post(f"/executions/{id}/resume", body, 200 if reset else 409)
        assert told["success"] is reset
