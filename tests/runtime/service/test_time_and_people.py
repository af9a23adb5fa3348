"""Time acts, people are somebody, and an execution can be ended: on both stores."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from flowc.runtime.service.records.access import ActsFor, Scope
from openai_server import Hang, OpenAIServer
from stores import KINDS

from .conftest import Clock, Desk, Opening, step

pytestmark = pytest.mark.parametrize("kind", KINDS)
HALF_AN_HOUR = {"timeout_minutes": 30}


def until(true: Callable[[], bool], patience: float = 60.0) -> None:
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.02)


def _at_rest(desk: Desk, id: str) -> None:
    executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
    assert desk.client.portal is not None
    assert desk.client.portal.call(executing.wait_for_rest, id, 60.0)


def _events(desk: Desk, id: str) -> list[tuple[str, str, bool]]:
    events = [e for e in desk.status(id)["events"] if e["kind"] != "deadline"]
    return [(e["kind"], e["message"], e["alert"]) for e in events]


def _alerted(desk: Desk, config: dict[str, Any]) -> str:
    team, _ = desk.team()
    asked = {
        "workflow_id": desk.workflow(),
        "team_id": team,
        "notifications": {"error_alerts": True},
        "execution_config": config,
    }
    return str(desk.post("/executions", asked)["execution_id"])


@contextmanager
def _silent_store(desk: Desk, kind: str) -> Iterator[None]:
    """Let the table of tokens answer nobody."""
    db = desk.client.app.state.service.executing.db  # type: ignore[attr-defined]
    if kind == "sqlite":
        pytest.skip("nobody keeps a reader of SQLite waiting")
    with psycopg.connect(db.location.complete) as connection:
        connection.execute("lock table flowc.service_tokens in access exclusive mode")
        yield


OVER = [("error", "the execution's time of 30 minutes is over", True)]


class TestTimeout:
    def test_it_comes_while_a_person_has_the_step_and_nobody_does_anything(
        self, desk: Desk
    ) -> None:
        id = _alerted(desk, HALF_AN_HOUR)
        assert list(desk.active(id)) == ["gather"]
        desk.clock.forward(minutes=29)
        time.sleep(1.5)  # two looks at the clock
        assert desk.status(id)["workflow_status"] == "executing"
        desk.clock.forward(minutes=1)
        until(lambda: _events(desk, id) == OVER)
        told = desk.status(id)
        assert told["workflow_status"] == "failed"
        assert told["failure"]["error_code"] == "WORKFLOW_TIMEOUT"
        assert told["active_steps"] == []

    def test_it_comes_once_after_a_restart(self, opening: Opening) -> None:
        clock = Clock()
        with opening(clock) as desk:
            id = _alerted(desk, HALF_AN_HOUR)
            desk.active(id)
        clock.forward(minutes=30)
        with opening(clock) as desk, opening(clock) as other:
            until(lambda: _events(desk, id) == OVER)
            time.sleep(1.5)
            assert _events(other, id) == OVER

    def test_a_pause_holds_it_back_until_the_execution_goes_on(self, desk: Desk) -> None:
        id = _alerted(desk, HALF_AN_HOUR)
        held = desk.post(f"/executions/{id}/pause", {})
        desk.clock.forward(minutes=31)
        time.sleep(1.5)
        assert desk.status(id)["workflow_status"] == "paused"
        body = {"resume_token": held["resume_token"], "resume_config": {"reset_timeout": True}}
        desk.post(f"/executions/{id}/resume", body)
        desk.clock.forward(minutes=29)
        assert desk.status(id)["workflow_status"] == "executing"
        desk.clock.forward(minutes=1)
        until(lambda: _events(desk, id) == OVER)

    def test_a_completion_after_it_is_refused_and_changes_nothing(self, opening: Opening) -> None:
        """Also where no worker has noticed it yet."""
        clock = Clock()
        with opening(clock) as desk:
            id = desk.execution(config=HALF_AN_HOUR)
            _at_rest(desk, id)
            assignment = desk.active(id)["gather"]
        clock.forward(minutes=30)
        data = {"status": "completed", "output": "late"}
        body = {"assignment_id": assignment, "completion_data": data}
        with opening(clock, concurrency=0) as desk:
            told = desk.post(f"/executions/{id}/completions", body, 409)
            assert told["error_code"] == "WORKFLOW_TIMEOUT"
            assert desk.status(id)["workflow_status"] == "failed"
        with opening(clock) as desk:
            until(lambda: len(_events(desk, id)) == 1)
            again = {"resume_token": "none", "resume_config": {"reset_timeout": True}}
            desk.post(f"/executions/{id}/resume", again)
            assert desk.active(id) == {"gather": assignment}
            desk.post(f"/executions/{id}/completions", body)


def _token(desk: Desk, scope: Scope, *agents: ActsFor, name: str = "ana") -> dict[str, str]:
    service = desk.client.app.state.service  # type: ignore[attr-defined]

    async def make() -> str:
        return str(await service.tokens.create(name, scope, None, None, desk.clock(), agents))

    assert desk.client.portal is not None
    return {"Authorization": f"Bearer {desk.client.portal.call(make)}"}


class TestPeople:
    @pytest.fixture
    def parts(self, desk: Desk) -> dict[str, Any]:
        """An execution in which gather is the researcher's and the analyst has nothing to do."""
        team, agents = desk.team()
        asked = {"workflow_id": desk.workflow(), "team_id": team}
        id = desk.post("/executions", asked)["execution_id"]
        ids = {role: ActsFor(agent, team) for role, agent in agents.items()}
        return {"id": id, "team": team, "assignment": desk.active(id)["gather"], **ids}

    def _complete(self, desk: Desk, parts: dict[str, Any], key: dict[str, str], expect: int) -> Any:
        data = {"status": "completed", "output": "done"}
        body = {"assignment_id": parts["assignment"], "completion_data": data}
        return desk.post(f"/executions/{parts['id']}/completions", body, expect, **key)

    def test_a_token_completes_no_step_of_somebody_else(
        self, desk: Desk, parts: dict[str, Any]
    ) -> None:
        ben = _token(desk, "operate", parts["analyst"], name="ben")
        nobody = _token(desk, "operate", name="nobody")
        for key in (ben, nobody):
            told = self._complete(desk, parts, key, 403)
            assert told["error_code"] == "FORBIDDEN"
            assert told["execution_context"]["affected_agents"] == [parts["researcher"].agent]
        ana = _token(desk, "operate", parts["researcher"])
        assert self._complete(desk, parts, ana, 200)["triggers_next_steps"] == ["analyse"]

    def test_a_deputy_and_an_admin_may(self, desk: Desk, parts: dict[str, Any]) -> None:
        own = parts["researcher"]
        deputy = _token(desk, "operate", ActsFor(own.agent, own.team, True), name="eve")
        admin = _token(desk, "admin", name="root")
        self._complete(desk, parts, deputy, 200)
        id = parts["id"]
        active = desk.get(f"/executions/{id}", **admin)["active_steps"]
        parts["assignment"] = active[0]["assignment_id"]
        self._complete(desk, parts, admin, 200)

    def test_agent_notified_says_whether_the_agent_hears_of_it(
        self, desk: Desk, parts: dict[str, Any]
    ) -> None:
        body = {"step_id": "gather", "agent_id": parts["researcher"].agent}
        path = f"/executions/{parts['id']}/assignments"
        assert desk.post(path, body)["agent_notified"] is False
        key = _token(desk, "admin", parts["researcher"])
        assert desk.post(path, body, **key)["agent_notified"] is True

    def test_the_inbox_is_over_all_executions(self, desk: Desk, parts: dict[str, Any]) -> None:
        more = [desk.execution() for _ in range(3)]
        paused = desk.execution()
        desk.post(f"/executions/{paused}/pause", {})
        everything = desk.get("/assignments")["assignments"]
        assert {a["execution_id"] for a in everything} == {parts["id"], *more}
        assert {a["step_id"] for a in everything} == {"gather"}
        pages, after = [], ""
        for _ in range(3):
            page = desk.get(f"/assignments?limit=2&after={after}")
            pages += page["assignments"]
            after = page["next_after"]
            if not after:
                break
        assert pages == everything
        own = parts["researcher"]
        ana, ben = _token(desk, "read", own), _token(desk, "read", parts["analyst"], name="ben")
        eve = _token(desk, "read", ActsFor(own.agent, own.team, True), name="eve")
        (mine,) = desk.get("/assignments", **ana)["assignments"]
        assert (mine["assignment_id"], mine["as_deputy"]) == (parts["assignment"], False)
        assert desk.get("/assignments", **ben)["assignments"] == []
        (theirs,) = desk.get("/assignments", **eve)["assignments"]
        assert theirs == {**mine, "as_deputy": True}

    def test_a_step_is_in_the_inbox_while_a_model_is_at_work(self, opening: Opening) -> None:
        """Also before a worker has begun the execution."""
        steps = [step("gather"), step("count", "analyst")]
        with OpenAIServer() as model, opening(base_url=model.url, patience=0.0) as desk:
            model.answer = lambda request: Hang()
            id = desk.execution("analyst", workflow_type="parallel", steps=steps)
            until(lambda: len(model.requests) == 1)
            (mine,) = desk.get("/assignments")["assignments"]
            assert (mine["execution_id"], mine["step_id"]) == (id, "gather")
        with opening(concurrency=0, answers=0.1) as desk:
            later = desk.execution("analyst", workflow_type="parallel", steps=steps)
            listed = {a["execution_id"] for a in desk.get("/assignments")["assignments"]}
            assert listed == {id, later}


class TestEnds:
    def test_a_lost_resume_token_is_reissued_by_an_admin_and_audited(self, desk: Desk) -> None:
        id = desk.execution()
        lost = desk.post(f"/executions/{id}/pause", {})["resume_token"]
        operate, admin = _token(desk, "operate"), _token(desk, "admin", name="root")
        path = f"/executions/{id}/resume-token"
        assert desk.post(path, {}, 403, **operate)["error_code"] == "FORBIDDEN"
        token = desk.post(path, {}, **admin)["resume_token"]
        audit = desk.get("/audit", **admin)["entries"]
        assert ("root", f"POST /v1{path}", "done") in [
            (e["who"], e["operation"], e["outcome"]) for e in audit
        ]
        desk.post(f"/executions/{id}/resume", {"resume_token": lost}, 403, **operate)
        desk.post(f"/executions/{id}/resume", {"resume_token": token}, **operate)
        assert desk.post(path, {}, 409, **admin)["error_code"] == "EXECUTION_NOT_ACTIVE"

    @pytest.mark.parametrize("how", ["graceful", "immediate"])
    @pytest.mark.parametrize("paused", [False, True])
    def test_an_execution_is_cancelled_for_good(self, desk: Desk, how: str, paused: bool) -> None:
        id = desk.execution()
        desk.complete(id, "gather")
        if paused:
            desk.post(f"/executions/{id}/pause", {})
        body = {"reason": "no longer wanted", "cancel_type": how}
        told = desk.post(f"/executions/{id}/cancel", body)
        assert told["steps_left"] == ["analyse", "write"]
        status = desk.status(id)
        assert status["workflow_status"] == "cancelled"
        assert (status["active_steps"], len(status["completed_steps"])) == ([], 1)
        assert _events(desk, id) == [
            ("error", "the execution was cancelled by local: no longer wanted", False)
        ]
        with desk.client.stream("GET", f"/v1/executions/{id}/events") as stream:
            assert "event: end" in "\n".join(stream.iter_lines())
        resume = {"resume_token": "none", "resume_config": {"restart_failed_steps": True}}
        for path, sent in (("cancel", {}), ("pause", {}), ("resume", resume)):
            again = desk.post(f"/executions/{id}/{path}", sent, 409)
            assert again["error_code"] == "EXECUTION_NOT_ACTIVE"

    def test_one_that_no_worker_began_is_cancelled_too(self, opening: Opening) -> None:
        with opening(concurrency=0, answers=0.1) as desk:
            id = desk.execution()
            desk.post(f"/executions/{id}/cancel", {})
            assert desk.status(id)["workflow_status"] == "cancelled"
        with opening() as desk:
            until(lambda: desk.get("/executions?status=cancelled")["executions"] != [])
            time.sleep(0.5)
            assert desk.status(id)["workflow_status"] == "cancelled"
            assert desk.status(id)["completed_steps"] == []


class TestThings:
    def test_a_workflow_and_a_team_are_read_and_deleted(self, desk: Desk) -> None:
        id = desk.execution()
        (workflow,) = desk.get("/workflows")["workflows"]
        (team,) = desk.get("/teams")["teams"]
        one = desk.get(f"/workflows/{workflow['workflow_id']}")
        assert (one["name"], "gather" in one["source"]) == ("Study", True)
        two = desk.get(f"/teams/{team['team_id']}")
        assert [agent["role"] for agent in two["agents"]] == [
            "researcher",
            "analyst",
            "synthesizer",
        ]
        for path in (f"workflows/{workflow['workflow_id']}", f"teams/{team['team_id']}"):
            assert desk.client.delete(f"/v1/{path}").json()["success"] is True
            assert desk.client.delete(f"/v1/{path}").status_code == 404
            desk.get(f"/{path}", 404)
        assert desk.get("/workflows")["workflows"] == desk.get("/teams")["teams"] == []
        for name in ("gather", "analyse", "write"):
            desk.complete(id, name)
        assert desk.status(id)["workflow_status"] == "completed"

    def test_executions_are_listed_by_status_workflow_and_team(self, desk: Desk) -> None:
        only = {"steps": [step("only")]}
        done, failed, paused, waiting, late = (desk.execution(**only) for _ in range(5))
        desk.complete(done, "only")
        desk.complete(failed, "only", status="failed", output="no")
        desk.post(f"/executions/{paused}/pause", {})
        desk.post(f"/executions/{late}/cancel", {})
        over = desk.execution(config=HALF_AN_HOUR, **only)
        _at_rest(desk, over)
        desk.clock.forward(minutes=30)
        until(lambda: desk.status(over)["workflow_status"] == "failed")
        expected = {
            "completed": {done},
            "failed": {failed, over},
            "paused": {paused},
            "executing": {waiting},
            "cancelled": {late},
            "starting": set(),
        }
        for status, ids in expected.items():
            listed = desk.get(f"/executions?status={status}")["executions"]
            assert {e["execution_id"] for e in listed} == ids, status
            assert {e["status"] for e in listed} <= {status}
        listed = desk.get("/executions")["executions"]
        assert len(listed) == 6
        for entry in listed:
            status = desk.status(entry["execution_id"])["workflow_status"]
            assert entry["status"] == status
        entry = next(e for e in listed if e["execution_id"] == waiting)
        for query in (f"workflow_id={entry['workflow_id']}", f"team_id={entry['team_id']}"):
            (found,) = desk.get(f"/executions?{query}")["executions"]
            assert found == entry
        desk.get("/executions?status=nonsense", 422)

    def test_executions_of_an_older_flowc_are_listed_too(self, opening: Opening) -> None:
        clock = Clock()
        with opening(clock) as desk:
            id = desk.execution(config=HALF_AN_HOUR)
            _at_rest(desk, id)
            executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
            assert desk.client.portal is not None
            desk.client.portal.call(executing.db.run, "delete from service_states")
            assert desk.get("/executions?status=executing")["executions"] == []
        with opening(clock) as desk:
            (listed,) = desk.get("/executions?status=executing")["executions"]
            assert listed["execution_id"] == id
            clock.forward(minutes=30)
            until(lambda: len(_events(desk, id)) == 1)

    def test_health_says_nothing_of_the_store_and_ready_does(self, desk: Desk, kind: str) -> None:
        assert desk.get("/ready") == {"success": True, "error": None, "executes": True}
        key = _token(desk, "read")
        with _silent_store(desk, kind):
            assert desk.get("/health")["success"] is True
            assert desk.get("/health", **key)["success"] is True
            assert desk.get("/ready", 503)["error_code"] == "UNAVAILABLE"
