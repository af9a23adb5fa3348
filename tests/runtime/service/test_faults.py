"""What cannot be kept, and what goes wrong in the service itself: each is answered in its form."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from flowc.runtime.engine.engine import Engine
from flowc.runtime.errors import RunError
from flowc.runtime.service.api.browser_guard import HEADERS
from flowc.runtime.service.operations.executions import Executing
from flowc.runtime.service.worker import _fault_text
from flowc.runtime.services import Outcome
from openai_server import Hang, OpenAIServer, Say
from stores import KINDS
from watched import watched

from .conftest import Desk, Opening, contract, engine_as, step, team

UNKEPT = [
    pytest.param({"k": "\\ud800"}, id="half of a surrogate pair"),
    pytest.param({"\\ud800": 1}, id="half of a surrogate pair as a key"),
    pytest.param({"k": ["\\u0000"]}, id="NUL"),
    pytest.param({"\\u0000": 1}, id="NUL as a key"),
    pytest.param({"k": 2**64}, id="beyond 64 bits"),
]


def sent(desk: Desk, path: str, body: Any) -> Any:
    """Sent as it is written, which a client that checks its values would not do."""
    text = json.dumps(body).replace("\\\\ud800", "\\ud800").replace("\\\\u0000", "\\u0000")
    headers = {"Content-Type": "application/json"}
    return desk.client.post(f"/v1{path}", content=text.encode(), headers=headers)


def refused(answer: Any) -> dict[str, Any]:
    told: dict[str, Any] = answer.json()
    assert 400 <= answer.status_code < 500, answer.text
    assert told["success"] is False
    assert told["error_message"]
    return told


class TestUnkept:
    @pytest.mark.parametrize("value", UNKEPT)
    def test_an_object_that_would_change_is_refused(self, desk: Desk, value: Any) -> None:
        id = desk.execution()
        asked = {"workflow_id": "wf-1", "input_parameters": value}
        assert "input_parameters" in refused(sent(desk, "/executions", asked))["error_message"]
        done = {"status": "completed", "output": "x"}
        body = {"assignment_id": desk.active(id)["gather"], "completion_data": done}
        told = refused(sent(desk, f"/executions/{id}/completions", {**body, "handoff_data": value}))
        assert "handoff_data" in told["error_message"]
        asked = {"step_id": "gather", "agent_id": "a", "assignment_config": {"context": value}}
        assert (
            "context"
            in refused(sent(desk, f"/executions/{id}/assignments", asked))["error_message"]
        )
        desk.complete(id, "gather", handoff={"kept": "as it is \U0001f600"})

    @pytest.mark.parametrize("text", ["\\ud800", "\\u0000"])
    def test_a_text_that_would_change_is_refused(self, desk: Desk, text: str) -> None:
        id = desk.execution()
        data = {"status": "completed", "output": text}
        body = {"assignment_id": desk.active(id)["gather"], "completion_data": data}
        refused(sent(desk, f"/executions/{id}/completions", body))
        refused(sent(desk, f"/executions/{id}/pause", {"pause_reason": text}))
        refused(sent(desk, f"/executions/{id}/questions/q", {"answer": text}))
        refused(sent(desk, "/workflows", {"file_name": "a.wf.md", "source": text}))

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("text", ["\\ud800", "\\u0000"])
    def test_a_definition_is_refused_or_kept(self, desk: Desk, text: str) -> None:
        for path, body in (
            ("/workflows", contract(workflow_name=text, description=text)),
            ("/workflows", contract(steps=[step("a", success_criteria=text)])),
            ("/teams", {**team(), "team_name": text}),
        ):
            assert sent(desk, path, body).status_code in (200, 422)
            assert desk.get("/workflows")["success"]
            assert desk.get("/teams")["success"]

    def test_what_is_no_id_is_refused(self, desk: Desk) -> None:
        for id in ("%00", "a%20b", "%ff", "\u00e9", "x" * 201):
            refused(desk.client.get(f"/v1/executions/{id}"))
            refused(desk.client.get(f"/v1/workflows?after={id}"))
            refused(desk.client.post(f"/v1/executions/{id}/questions/{id}", json={"answer": 1}))
            refused(desk.client.post(f"/v1/executions/{id}/pause", json={}))


def test_a_team_nested_too_deeply_is_refused(desk: Desk) -> None:
    answer = desk.client.post("/v1/teams", content=b"[" * 100_000)
    assert refused(answer)["error_code"] == "INVALID_REQUEST"


def broken_lists(query: str, values: Sequence[Any]) -> None:
    if query.startswith("select body, id from service_workflows"):
        raise ZeroDivisionError("a secret")


def break_lists(executing: Executing) -> Executing:
    return replace(executing, db=watched(executing.db, broken_lists))


class TestBugs:
    def test_a_bug_is_answered_in_its_form_and_tells_nothing(
        self, opening: Opening, caplog: pytest.LogCaptureFixture
    ) -> None:
        with opening(around=break_lists, bugs=True) as desk:
            answer = desk.client.get("/v1/workflows")
        assert answer.status_code == 500
        assert answer.json()["error_code"] == "INTERNAL"
        assert "secret" not in answer.text
        number = answer.json()["error_message"].split()[-4]
        assert number in caplog.text
        assert "ZeroDivisionError" in caplog.text
        assert answer.headers["X-Request-Id"] == number
        assert all(answer.headers[name] == value for name, value in HEADERS.items())

    def test_every_answer_has_the_headers_and_a_number_of_its_own(self, desk: Desk) -> None:
        asked = [("GET", "/v1/health"), ("GET", "/v1/none"), ("POST", "/v1/teams"), ("GET", "/")]
        answers = [desk.client.request(*one) for one in asked]
        answers.append(desk.client.post("/v1/teams", headers={"Origin": "https://other.example"}))
        answers.append(desk.client.post("/v1/teams", content=b"x" * 5_000_000))
        assert [a.status_code for a in answers] == [200, 404, 422, 200, 403, 413]
        for answer in answers:
            for name, value in HEADERS.items():
                assert answer.headers[name] == value
        assert len({a.headers["X-Request-Id"] for a in answers}) == len(answers)

    def test_a_page_that_breaks_has_the_headers_too(self, opening: Opening) -> None:
        with opening(around=break_lists, bugs=True) as desk:
            answer = desk.client.get("/")
        assert (answer.status_code, "secret" in answer.text) == (500, False)
        assert answer.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
        assert answer.headers["X-Request-Id"] in answer.text

    def test_a_bug_in_one_execution_is_its_own(self, opening: Opening) -> None:
        begun: list[str] = []

        class SecondBreaks(Engine):
            async def start(self, *args: Any, run: str, **named: Any) -> Outcome:
                begun.append(run)
                if len(begun) > 1:
                    raise ZeroDivisionError("a secret")
                return await super().start(*args, run=run, **named)

        with opening(around=lambda e: replace(e, engine=engine_as(e.engine, SecondBreaks))) as desk:
            good = desk.execution()
            until(lambda: begun == [good])
            bad = desk.execution()
            assert desk.complete(good, "gather")["triggers_next_steps"] == ["analyse"]
            until(lambda: desk.status(bad)["workflow_status"] == "failed")
            status = desk.status(bad)
            assert "secret" not in str(status)
            assert desk.status(good)["workflow_status"] == "executing"


def test_an_execution_that_cannot_begin_says_what_helps(desk: Desk, monkeypatch: Any) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    id = desk.execution("researcher")
    until(lambda: desk.status(id)["workflow_status"] == "failed")
    told = json.dumps(desk.status(id), ensure_ascii=False)
    assert "OPENAI_API_KEY is not set (export OPENAI_API_KEY=" in told


def test_flags_are_no_help_in_a_service() -> None:
    error = RunError("none was chosen", help="--model NAME   one\nmodel =    in flowc.toml")
    assert _fault_text(error) == "none was chosen (model = in flowc.toml)"
    assert _fault_text(RunError("none was chosen")) == "none was chosen"


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_immediate_pause_cut_off_is_decided_by_a_person(opening: Opening) -> None:
    """The model was asked and never answered: whether to ask again is a question."""
    with OpenAIServer() as model:
        model.will(Hang(), Say(calls=[("complete_task", {"output": "found"})]))
        with opening(base_url=model.url) as desk:
            id = desk.execution("researcher", steps=[step("gather")])
            until(lambda: len(model.requests) == 1)
            held = desk.post(f"/executions/{id}/pause", {"pause_type": "immediate"})
            assert held["active_steps_handled"] == [{"step_id": "gather", "action": "cancelled"}]
        with opening(base_url=model.url) as desk:
            desk.post(f"/executions/{id}/resume", {"resume_token": held["resume_token"]})
            until(lambda: desk.status(id)["questions"] != [])
            (question,) = desk.status(id)["questions"]
            assert (question["kind"], question["choices"]) == ("unknown", ["repeat", "fail"])
            assert len(model.requests) == 1
            path = f"/executions/{id}/questions/{question['question_id']}"
            desk.post(path, {"answer": "repeat"})
            until(lambda: desk.status(id)["workflow_status"] == "completed")
            assert desk.status(id)["result"] == "found"
    assert len(model.requests) == 2


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
