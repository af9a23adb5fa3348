"""Deadlines, estimated ends, escalation and waits act by themselves: on both stores."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from flowc.runtime.events import RunEvent
from flowc.runtime.service.operations.turns import turns_of
from flowc.runtime.service.records.tables import StoredExecution
from openai_server import Hang, OpenAIServer, Say
from stores import KINDS

from .conftest import ROLES, Clock, Desk, Opening, step

pytestmark = pytest.mark.parametrize("kind", KINDS)
ONE = {"steps": [step("gather")]}
NAP = """\
flow: 1
name: nap
outputs: [AT]
state: {AT: text}
nodes:
  - {name: nap, wait: 20m, into: AT}
"""
EVENT = """\
flow: 1
name: listen
outputs: [SAID]
state: {SAID: any, N: {type: integer, default: 0}}
nodes:
  - {name: count, assign: {N: N + 1}}
  - name: hear
    wait: {event: word, timeout: 10m}
    into: SAID
    on_error: {to: count, errors: timeout}
"""


def until(true: Callable[[], bool], patience: float = 60.0) -> None:
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.02)


def events(desk: Desk, id: str) -> list[tuple[str, str, str, bool]]:
    told = desk.status(id)["events"]
    return [(e["kind"], e["step_id"], e["message"], e["alert"]) for e in told]


def begun(desk: Desk, levels: list[dict[str, Any]], *models: str, **fields: Any) -> dict[str, Any]:
    """An execution, and its agents by role."""
    team, agents = desk.team(*models)
    asked = {
        "workflow_id": desk.workflow(**(fields or ONE)),
        "team_id": team,
        "notifications": {"error_alerts": True},
        "escalation": levels,
    }
    return {"id": desk.post("/executions", asked)["execution_id"], **agents}


class TestDeadline:
    def test_it_is_told_once_also_where_nobody_does_anything(self, opening: Opening) -> None:
        """By a worker, while another process answers, and after a restart."""
        clock = Clock()
        with opening(clock, concurrency=0) as desk, opening(clock), opening(clock):
            made = begun(desk, [], steps=[step("gather"), step("more", "analyst", "gather")])
            id = made["id"]
            until(lambda: list(desk.active(id)) == ["gather"])
            clock.forward(minutes=9)
            time.sleep(1.5)
            assert events(desk, id) == []
            assert desk.status(id)["active_steps"][0]["overdue"] is False
            clock.forward(minutes=1)
            late = f"Gather: {made['researcher']} had until 2026-05-01T09:10:00.000+00:00"
            until(lambda: events(desk, id) == [("deadline", "gather", late, True)])
            assert desk.status(id)["active_steps"][0]["overdue"] is True
            clock.forward(minutes=10)
            end = "the execution was to be finished at 2026-05-01T09:20:00.000+00:00"
            until(lambda: len(events(desk, id)) == 2)
            assert events(desk, id)[1] == ("deadline", "", end, True)
        with opening(clock) as desk:
            time.sleep(1.5)
            assert len(events(desk, id)) == 2
            clock.forward(minutes=1)
            desk.complete(id, "gather")
            desk.complete(id, "more")
            assert desk.status(id)["workflow_status"] == "completed"
            assert [e[0] for e in events(desk, id)] == ["deadline", "deadline", "completion"]

    def test_what_was_done_in_time_is_not_told(self, desk: Desk) -> None:
        id = begun(desk, [], steps=[step("gather"), step("more", "analyst", "gather")])["id"]
        desk.clock.forward(minutes=5)
        desk.complete(id, "gather")
        desk.clock.forward(minutes=9)
        desk.complete(id, "more")
        desk.clock.forward(minutes=60)
        time.sleep(1.5)
        assert [e[0] for e in events(desk, id)] == ["completion"]

    def test_the_next_step_has_its_own(self, desk: Desk) -> None:
        """Which comes before that of the first one would have come."""
        first, then = step("gather", estimated_duration=60), step("more", "analyst", "gather")
        made = begun(desk, [], steps=[first, then])
        desk.clock.forward(minutes=5)
        desk.complete(made["id"], "gather")
        desk.clock.forward(minutes=10)
        late = f"More: {made['analyst']} had until 2026-05-01T09:15:00.000+00:00"
        until(lambda: events(desk, made["id"]) == [("deadline", "more", late, True)])

    def test_a_model_behind_another_misses_its_own(self, opening: Opening) -> None:
        with OpenAIServer() as model, opening(base_url=model.url, patience=0.0) as desk:
            done = Say(calls=[("complete_task", {"output": "done", "score": 0.8})])
            model.answer = lambda request: done if len(model.requests) == 1 else Hang()
            first, then = step("gather", estimated_duration=60), step("more", "analyst", "gather")
            made = begun(desk, [], "researcher", "analyst", steps=[first, then])
            until(lambda: len(model.requests) == 2)
            desk.clock.forward(minutes=10)
            until(lambda: [e[:2] for e in events(desk, made["id"])] == [("deadline", "more")])

    def test_answers_that_are_missing_are_told(self, desk: Desk) -> None:
        """Once, of those who owe them, and not where all have answered."""
        made = begun(desk, [], steps=[step("gather", estimated_duration=600)])
        until(lambda: list(desk.active(made["id"])) == ["gather"])
        ana, ben, cy = (made[role] for role in ROLES)
        end = "2026-05-01T09:30:00.000+00:00"
        asks = {"requires_response": True, "response_deadline": end, "message_type": "request"}
        about = {"sender_agent_id": ana, "content": {"text": "Which?"}, **asks}
        path = f"/executions/{made['id']}/messages"
        asked = [
            desk.post(path, {**about, "recipient_agent_ids": [ben, cy]})["message_id"]
            for _ in range(2)
        ]
        for one, who in ((asked[0], ben), (asked[1], ben), (asked[1], cy)):
            content = {"text": "This.", "status": "completed"}
            said = {"responder_agent_id": who, "response_content": content}
            desk.post(f"{path}/responses", {"original_message_id": one, **said})
        desk.clock.forward(minutes=29)
        time.sleep(1.5)
        assert events(desk, made["id"]) == []
        desk.clock.forward(minutes=1)
        late = f"{cy} had until {end} to answer {asked[0]} of {ana}"
        until(lambda: events(desk, made["id"]) == [("deadline", "", late, True)])
        time.sleep(1.5)
        assert len(events(desk, made["id"])) == 1

    def test_one_that_was_set_counts(self, desk: Desk) -> None:
        made = begun(desk, [])
        config = {"deadline": "2026-05-01T09:03:00+00:00"}
        asked = {"step_id": "gather", "agent_id": made["researcher"], "assignment_config": config}
        desk.post(f"/executions/{made['id']}/assignments", asked)
        desk.clock.forward(minutes=3)
        until(lambda: [e[0] for e in events(desk, made["id"])] == ["deadline"])

    @pytest.mark.parametrize("moved", [False, True])
    def test_a_pause_holds_it_back_and_may_move_it(self, desk: Desk, moved: bool) -> None:
        id = begun(desk, [])["id"]
        until(lambda: list(desk.active(id)) == ["gather"])
        held = desk.post(f"/executions/{id}/pause", {"estimated_resume": "2026-05-01T09:20:00Z"})
        desk.clock.forward(minutes=15)
        time.sleep(1.5)
        assert events(desk, id) == []
        desk.clock.forward(minutes=5)
        pause = ("deadline", "", "the pause was to end at 2026-05-01T09:20:00.000+00:00", True)
        until(lambda: events(desk, id) == [pause])
        config = {"update_deadlines": moved}
        body = {"resume_token": held["resume_token"], "resume_config": config}
        desk.clock.forward(minutes=1)
        desk.post(f"/executions/{id}/resume", body)
        if moved:
            time.sleep(1.5)
            assert events(desk, id) == [pause]
            desk.clock.forward(minutes=10)
        until(lambda: {e[1] for e in events(desk, id)[1:]} == {"gather", ""})

    def test_a_model_that_is_at_work_for_long_misses_it_too(self, opening: Opening) -> None:
        with OpenAIServer() as model, opening(base_url=model.url, patience=0.0) as desk:
            model.answer = lambda request: Hang()
            levels = [{"after_minutes": 5, "to": "analyst"}]
            made = begun(desk, levels, "researcher")
            until(lambda: len(model.requests) == 1)
            desk.clock.forward(minutes=10)
            until(lambda: len(events(desk, made["id"])) == 2)
            desk.clock.forward(minutes=5)
            until(lambda: len(events(desk, made["id"])) == 3)
            kind, id, message, _ = events(desk, made["id"])[2]
            assert (kind, id) == ("escalation", "gather")
            assert message.endswith(", a model, which goes on")


class TestEscalation:
    LEVELS = ({"after_minutes": 5}, {"after_minutes": 8, "to": "analyst"}, {"to": "synthesizer"})

    def test_a_late_step_is_told_and_then_goes_to_others(self, desk: Desk) -> None:
        """Each has the step's minutes, and the next level counts from the end of those."""
        made = begun(desk, list(self.LEVELS))
        id, first = made["id"], list(desk.active(made["id"]).values())
        for minutes, count in ((10, 2), (5, 3)):
            desk.clock.forward(minutes=minutes)
            until(lambda count=count: len(events(desk, id)) == count)
        assert desk.active(id) == {"gather": first[0]}
        desk.clock.forward(minutes=3)
        until(lambda: desk.active(id)["gather"] != first[0])
        (active,) = desk.status(id)["active_steps"]
        assert active["assigned_agent"] == made["analyst"]
        assert active["estimated_completion"] == "2026-05-01T09:28:00.000+00:00"
        assert active["overdue"] is False
        kind, about, message, alert = events(desk, id)[-1]
        assert (kind, about, alert) == ("escalation", "gather", True)
        assert message.endswith(f", it goes to {made['analyst']}")
        inbox = f"/assignments?agent_id={made['analyst']}"
        until(lambda: desk.get(inbox)["assignments"] != [])
        (entry,) = desk.get(inbox)["assignments"]
        assert entry["assignment_id"] == active["assignment_id"]
        desk.clock.forward(minutes=10)
        until(lambda: desk.status(id)["active_steps"][0]["assigned_agent"] == made["synthesizer"])
        desk.clock.forward(minutes=100)
        time.sleep(1.5)
        told = "".join(e[0][0] for e in events(desk, id))
        assert told == "ddeeded"
        data = {"status": "completed", "output": "late"}
        body = {"assignment_id": first[0], "completion_data": data}
        gone = desk.post(f"/executions/{id}/completions", body, 404)
        assert gone["error_code"] == "ASSIGNMENT_NOT_FOUND"
        desk.complete(id, "gather")
        assert desk.status(id)["workflow_status"] == "completed"

    def test_it_goes_on_with_a_model(self, opening: Opening) -> None:
        with OpenAIServer() as model, opening(base_url=model.url) as desk:
            result = {"output": "done", "score": 0.8}
            model.answer = lambda request: Say(calls=[("complete_task", result)])
            levels = [{"to": "analyst", "priority": "critical"}]
            made = begun(desk, levels, "analyst")
            until(lambda: list(desk.active(made["id"])) == ["gather"])
            desk.clock.forward(minutes=10)
            until(lambda: desk.status(made["id"])["workflow_status"] == "completed")
            (asked,) = model.requests
            text = str(asked.body["messages"])
            assert "priority: critical" in text
            assert made["researcher"] in text
            (done,) = desk.status(made["id"])["completed_steps"]
            assert done["quality_score"] == 0.8

    def test_two_processes_hand_it_over_once(self, opening: Opening) -> None:
        clock = Clock()
        with opening(clock) as desk, opening(clock) as other:
            levels = [{"to": "analyst"}]
            made = begun(desk, levels)
            until(lambda: list(desk.active(made["id"])) == ["gather"])
            clock.forward(minutes=10)
            until(lambda: len(events(other, made["id"])) == 3)
            time.sleep(1.5)
            assert len(events(desk, made["id"])) == 3
            (active,) = other.status(made["id"])["active_steps"]
            assert active["assigned_agent"] == made["analyst"]

    def test_who_is_not_in_the_team_is_refused(self, desk: Desk) -> None:
        team, _ = desk.team()
        asked = {
            "workflow_id": desk.workflow(),
            "team_id": team,
            "escalation": [{"to": "analyt"}],
        }
        told = desk.post("/executions", asked, 422)
        assert "did you mean `analyst`" in told["error_message"]


class TestWaits:
    def _run(self, desk: Desk, source: str) -> str:
        made = desk.post("/workflows", {"file_name": "w.flow.yaml", "source": source})
        return str(desk.post("/executions", {"workflow_id": made["workflow_id"]})["execution_id"])

    def test_a_wait_is_over_by_itself(self, opening: Opening) -> None:
        clock = Clock()
        with opening(clock) as desk:
            id = self._run(desk, NAP)
            until(lambda: desk.status(id)["questions"] != [])
            clock.forward(minutes=19)
            time.sleep(1.5)
            assert desk.status(id)["workflow_status"] == "executing"
        clock.forward(minutes=1)
        with opening(clock, concurrency=0) as desk, opening(clock):
            until(lambda: desk.status(id)["workflow_status"] == "completed")
            assert desk.status(id)["result"] == "2026-05-01T09:20:00+00:00"

    def test_a_pause_holds_it_back(self, desk: Desk) -> None:
        id = self._run(desk, NAP)
        until(lambda: desk.status(id)["questions"] != [])
        token = desk.post(f"/executions/{id}/pause", {})["resume_token"]
        desk.clock.forward(minutes=30)
        time.sleep(1.5)
        assert desk.status(id)["workflow_status"] == "paused"
        desk.post(f"/executions/{id}/resume", {"resume_token": token})
        until(lambda: desk.status(id)["workflow_status"] == "completed")

    def test_an_event_comes_after_one_that_did_not_come_in_time(self, desk: Desk) -> None:
        """The answer is that of the second time that it waits."""
        id = self._run(desk, EVENT)
        until(lambda: desk.status(id)["questions"] != [])
        desk.clock.forward(minutes=10)
        until(lambda: [q["question_id"] for q in desk.status(id)["questions"]] == ["hear#2"])
        desk.post(f"/executions/{id}/questions/hear%232", {"answer": "go"})
        until(lambda: desk.status(id)["workflow_status"] == "completed")
        assert desk.status(id)["result"] == "go"


class TestSchedules:
    DAILY = """\
flow: 1
name: greet
on: {schedule: "0 7 * * *", missed: all, with: {WHO: Ann}}
params: {WHO: text}
outputs: [SAID]
state: {SAID: text}
nodes:
  - {name: greet, assign: {SAID: '"hello " + WHO'}}
"""

    def _completed(self, desk: Desk) -> list[str]:
        listed = desk.get("/executions?status=completed")["executions"]
        return [desk.status(e["execution_id"])["result"] for e in listed]

    def test_an_execution_begins_at_its_time_and_once(self, opening: Opening) -> None:
        clock = Clock()
        with opening(clock) as desk, opening(clock) as other:
            asked = {"file_name": "greet.flow.yaml", "source": self.DAILY}
            made = desk.post("/workflows", asked)
            clock.forward(hours=21)
            time.sleep(1.5)
            assert self._completed(desk) == []
            clock.forward(hours=1)
            until(lambda: self._completed(desk) == ["hello Ann"])
            time.sleep(2.5)
            assert self._completed(other) == ["hello Ann"]
        clock.forward(days=2)
        with opening(clock) as desk:
            until(lambda: self._completed(desk) == ["hello Ann"] * 3)
            assert desk.client.delete(f"/v1/workflows/{made['workflow_id']}").status_code == 200
            clock.forward(days=2)
            time.sleep(2.5)
            assert len(desk.get("/executions")["executions"]) == 3

    def test_one_that_needs_a_team_is_told_that_none_begins(self, desk: Desk) -> None:
        source = self.DAILY + "  - {name: ask, task: Ask them, role: host, into: SAID}\n"
        asked = {"file_name": "greet.flow.yaml", "source": source}
        (warning,) = desk.post("/workflows", asked)["validation_status"]["warnings"]
        assert warning.startswith("its tasks need a team")
        desk.clock.forward(hours=22)
        time.sleep(1.5)
        assert desk.get("/executions")["executions"] == []


def test_a_step_that_comes_again_is_due_later(desk: Desk) -> None:
    """It was due by the time at which it came first, before the run had begun it again."""
    made = begun(desk, [], steps=[step("gather")])
    desk.clock.forward(minutes=9)
    executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
    assert desk.client.portal is not None
    call = desk.client.portal.call
    execution = call(executing.register.get, StoredExecution, made["id"], None)
    until(lambda: "gather" in call(executing.standing, execution).timeline.visits)
    standing = call(executing.standing, execution)
    timeline = standing.timeline.copy()
    ended = {"message": "no", "caught": True}
    time, position = desk.clock().isoformat(), timeline.position + 1
    timeline.hear([(position, RunEvent("node_failed", made["id"], time, "gather", (), ended))])
    turns = turns_of(execution, standing.workflow, timeline, ())
    (again,) = [a for a in turns.assignments if a.visit == 2]
    assert again.start == "2026-05-01T09:09:00.000+00:00"
    assert again.deadline == "2026-05-01T09:19:00.000+00:00"


def test_one_that_nobody_has_estimated_is_never_late(opening: Opening) -> None:
    """Not by the milliseconds either that pass while it begins."""

    class Ticking(Clock):
        def __call__(self) -> datetime:
            self.forward(milliseconds=-3)  # a server's clock may be set back by some
            return self.now

    with opening(Ticking()) as desk:
        steps = [step("gather", estimated_duration=0), step("write", "analyst", "gather")]
        steps[1]["estimated_duration"] = 0
        id = desk.execution(steps=steps)
        executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
        get = executing.register.get
        assert desk.client.portal is not None
        assert desk.client.portal.call(get, StoredExecution, id, None).due == ""
