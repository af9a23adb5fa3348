"""Looking back and branching off: checkpoints of an execution, and executions from one of them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from urllib.parse import quote

import pytest
from flowc.runtime.service.client.client import Client
from flowc.runtime.service.records.tables import StoredExecution
from openai_server import OpenAIServer, Recorded, Say
from stores import KINDS

from .conftest import Clock, Desk, Opening, gate, step
from .served import served
from .test_faults import until

pytestmark = pytest.mark.parametrize("kind", KINDS)
ORDER = """\
flow: 1
name: order
params:
  COUNT: {type: integer, default: 2}
state:
  {NOTES: object, WHY: text, MORE: integer, API_TOKEN: text, PIN: integer, COPY: text, ALL: list}
outputs: [ALL]
nodes:
  - {name: note, assign: {API_TOKEN: '"hush-hush-hush"', PIN: 1234, NOTES: '{"a": COUNT}'}}
  - {name: again, assign: {COPY: '"say " + API_TOKEN + " and harbour-secret"'}}
  - {name: more, ask: "How many more?", into: MORE}
  - {name: why, ask: "Why?", into: WHY}
  - {name: all, assign: {ALL: '[COUNT, MORE, WHY]'}}
"""

LOOP = """\
flow: 1
name: loop
state: {SAID: text, WORD: text, COUNT: integer}
outputs: [SAID]
nodes:
  - {name: begin, assign: {SAID: '""', COUNT: 0}}
  - {name: ask, ask: "What?", into: WORD}
  - {name: keep, assign: {SAID: 'SAID + "," + WORD', COUNT: COUNT + 1}}
  - name: enough
    choose: COUNT >= 3
    cases: {true: end, false: ask}
"""


class Ticking(Clock):
    """A clock that goes on with every look."""

    def __call__(self) -> datetime:
        self.forward(milliseconds=1)
        return self.now


def ordered(desk: Desk) -> str:
    """An execution that waits for its first answer."""
    source = {"file_name": "order.flow.yaml", "source": ORDER}
    asked = {"workflow_id": desk.post("/workflows", source)["workflow_id"]}
    id = str(desk.post("/executions", asked)["execution_id"])
    asks(desk, id, "more")
    return id


def asks(desk: Desk, id: str, question: str) -> None:
    until(lambda: [q["question_id"] for q in desk.status(id)["questions"]] == [question])


def past(desk: Desk, id: str, query: str = "") -> list[dict[str, Any]]:
    checkpoints: list[dict[str, Any]] = desk.get(f"/executions/{id}/checkpoints{query}")[
        "checkpoints"
    ]
    return checkpoints


def fork(desk: Desk, id: str, at: str, expect: int = 200, **variables: Any) -> dict[str, Any]:
    return desk.post(f"/executions/{id}/forks", {"at": at, "variables": variables}, expect)


def answer(desk: Desk, id: str, question: str, value: Any) -> None:
    desk.post(f"/executions/{id}/questions/{quote(question)}", {"answer": value})


def ended(desk: Desk, id: str) -> Any:
    until(lambda: desk.status(id)["workflow_status"] == "completed")
    return desk.status(id)["result"]


class TestCheckpoints:
    def test_every_step_leaves_one(self, opening: Opening) -> None:
        with opening() as desk:
            id = ordered(desk)
            listed = past(desk, id)
            assert [(c["completed"], c["next"], c["changed"]) for c in listed] == [
                (["again"], ["more"], ["COPY"]),
                (["note"], ["again"], ["NOTES", "API_TOKEN", "PIN"]),
                ([], ["note"], ["COUNT"]),
            ]
            assert all(c["can_fork"] and c["calls"] == [] for c in listed)
            assert past(desk, id, "?limit=1") == listed[:1]
            assert past(desk, id, f"?after={listed[0]['checkpoint_id']}") == listed[1:]
            answer(desk, id, "more", 1)
            asks(desk, id, "why")
            answer(desk, id, "why", "so")
            ended(desk, id)
            assert past(desk, id)[0]["can_fork"] is False, "nothing comes after it"

    def test_one_shows_the_variables_without_secrets(
        self, opening: Opening, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HARBOUR_TOKEN", "harbour-secret")
        with opening() as desk:
            id = ordered(desk)
            last = past(desk, id)[0]
            found = desk.get(f"/executions/{id}/checkpoints/{last['checkpoint_id']}")
            assert found["checkpoint"] == last
            variables = {v.pop("name"): v for v in found["variables"]}
            assert variables["NOTES"] == {"type": "object", "value": {"a": 2}, "is_hidden": False}
            assert variables["MORE"] == {"type": "integer", "value": None, "is_hidden": False}
            hidden = {"type": "text", "value": "[redacted]", "is_hidden": True}
            assert variables["API_TOKEN"] == hidden
            assert variables["PIN"] == {**hidden, "type": "integer"}
            assert variables["COPY"]["value"] == "say [redacted] and [redacted]"
            assert variables["COPY"]["is_hidden"] is True

    def test_checkpoint_not_found_is_said(self, opening: Opening) -> None:
        with opening() as desk:
            id = ordered(desk)
            for path in ("/checkpoints/1f0", "/checkpoints?after=1f0"):
                told = desk.get(f"/executions/{id}{path}", 404)
                assert told["error_code"] == "CHECKPOINT_NOT_FOUND"
            told = fork(desk, id, "nowhere", 404)
            assert "none before a step of that name" in told["error_message"]


class TestForks:
    def test_a_branch_goes_on_with_other_values(self, opening: Opening) -> None:
        with opening() as desk:
            id = ordered(desk)
            answer(desk, id, "more", 1)
            asks(desk, id, "why")
            first = fork(desk, id, "more", COUNT=40)
            assert (first["forked_from"], first["success"]) == (id, True)
            branch = first["execution_id"]
            asks(desk, branch, "more")
            answer(desk, branch, "more", 5)
            asks(desk, branch, "why")
            second = fork(desk, id, "why", MORE=7)["execution_id"]
            for one, value in ((id, "as it was"), (branch, "other"), (second, "third")):
                asks(desk, one, "why")
                answer(desk, one, "why", value)
            assert ended(desk, id) == [2, 1, "as it was"]
            assert ended(desk, branch) == [40, 5, "other"]
            assert ended(desk, second) == [2, 7, "third"]
            assert desk.status(branch)["forked_from"] == id
            assert desk.status(id)["forked_from"] is None

    def test_one_without_estimates_is_due_at_no_time(self, opening: Opening) -> None:
        with opening(clock=Ticking()) as desk:
            name = fork(desk, ordered(desk), "more")["execution_id"]
            register = desk.client.app.state.service.executing.register  # type: ignore[attr-defined]
            assert desk.client.portal is not None
            made = desk.client.portal.call(register.get, StoredExecution, name, None)
            assert made.due == ""

    def test_one_of_a_branch_and_one_at_a_checkpoint(self, opening: Opening) -> None:
        with opening() as desk:
            id = ordered(desk)
            begin = past(desk, id)[-1]["checkpoint_id"]
            branch = fork(desk, id, begin, COUNT=3)
            assert branch["checkpoint_id"] == begin
            asks(desk, branch["execution_id"], "more")
            again = fork(desk, branch["execution_id"], "again")["execution_id"]
            asks(desk, again, "more")
            last = past(desk, again)[0]["checkpoint_id"]
            found = desk.get(f"/executions/{again}/checkpoints/{last}")["variables"]
            assert next(v["value"] for v in found if v["name"] == "NOTES") == {"a": 3}

    def test_what_is_done_stays_done(self, opening: Opening) -> None:
        """Steps of models and people before the checkpoint: they are done in the branch, nobody is
        asked and no model is called for them."""
        asked: list[str] = []

        def said(request: Recorded) -> Say:
            text = json.dumps(request.body["messages"])
            asked.append("Weigh" if "A step of Study" in text and "Weigh\\n" in text else "Gather")
            return Say(calls=[("complete_task", {"output": "found", "score": 0.8})])

        steps = [
            step("gather"),
            step("check", "analyst", "gather"),
            step("weigh", "researcher", "check"),
            step("write", "analyst", "weigh"),
        ]
        with OpenAIServer() as model:
            model.answer = said
            with opening(base_url=model.url) as desk:
                id = desk.execution("researcher", steps=steps, quality_gates=gate(0.1))
                until(lambda: "check" in desk.active(id))
                desk.complete(id, "check", output="right")
                until(lambda: "write" in desk.active(id))
                calls = len(asked)
                desk.complete(id, "write")
                branch = fork(desk, id, "write", weigh={"output": "edited", "score": 0.5})
                name = branch["execution_id"]
                until(lambda: "write" in desk.active(name))
                assert len(asked) == calls
                told = desk.status(name)
                assert [s["step_id"] for s in told["completed_steps"]] == [
                    "gather",
                    "check",
                    "weigh",
                ]
                assert told["overall_progress"]["completed_steps"] == 3
                assert desk.active(name).keys() == {"write"}
                assert desk.active(name)["write"] != desk.active(id).get("write")
                before = fork(desk, id, "weigh")["execution_id"]
                until(lambda: "write" in desk.active(before))
                assert len(asked) == calls + 1, "the one step after the checkpoint"
                waits = desk.get("/assignments")["assignments"]
                assert {(a["execution_id"], a["step_id"]) for a in waits} == {
                    (name, "write"),
                    (before, "write"),
                }
                desk.complete(name, "write")
                until(lambda: desk.status(name)["workflow_status"] == "completed")

    def test_a_failed_execution_goes_on_from_an_earlier_step(self, opening: Opening) -> None:
        with opening() as desk:
            id = desk.execution(steps=[step("gather"), step("write", "analyst", "gather")])
            desk.complete(id, "gather")
            desk.complete(id, "write", status="failed")
            until(lambda: desk.status(id)["workflow_status"] == "failed")
            name = fork(desk, id, "gather")["execution_id"]
            until(lambda: "gather" in desk.active(name))
            told = desk.status(name)
            assert (told["events"], told["completed_steps"]) == ([], []), "nothing of what follows"
            desk.complete(name, "gather")
            desk.complete(name, "write")
            until(lambda: desk.status(name)["workflow_status"] == "completed")
            assert desk.status(id)["workflow_status"] == "failed"

    @pytest.mark.parametrize("held", ["pause", "cancel"])
    def test_what_holds_the_other_one_back_does_not_hold_the_branch(
        self, opening: Opening, held: str
    ) -> None:
        with opening() as desk:
            id = desk.execution(steps=[step("gather"), step("write", "analyst", "gather")])
            desk.complete(id, "gather", challenges_encountered="fog", quality_self_assessment=0.4)
            until(lambda: "write" in desk.active(id))
            desk.post(f"/executions/{id}/{held}", {})
            name = fork(desk, id, "write")["execution_id"]
            until(lambda: "write" in desk.active(name))
            told, other = desk.status(name), desk.status(id)
            assert told["workflow_status"] == "executing"
            assert told["completed_steps"] == other["completed_steps"]
            assert told["completed_steps"][0]["agent_feedback"] == "fog"
            assert other["workflow_status"] in ("paused", "cancelled")

    def test_answers_keep_their_places_in_a_loop(self, opening: Opening) -> None:
        with opening() as desk:
            body = {"file_name": "loop.flow.yaml", "source": LOOP}
            asked = {"workflow_id": desk.post("/workflows", body)["workflow_id"]}
            id = desk.post("/executions", asked)["execution_id"]

            def say(name: str, word: str, question: str) -> None:
                asks(desk, name, question)
                seen = len(past(desk, name))
                answer(desk, name, question, word)
                until(lambda: len(past(desk, name)) > seen)

            say(id, "one", "ask")
            say(id, "two", "ask#2")
            asks(desk, id, "ask#3")
            at = [c for c in past(desk, id) if c["next"] == ["ask"]][1]["checkpoint_id"]
            branch = fork(desk, id, at)["execution_id"]
            say(branch, "2", "ask")
            say(branch, "3", "ask#2")
            assert ended(desk, branch) == ",one,2,3"
            say(id, "three", "ask#3")
            assert ended(desk, id) == ",one,two,three"


def test_the_clients_look_back_and_branch_off(kind: str, tmp_path: Any) -> None:
    if kind != KINDS[0]:
        pytest.skip("it is about the client")
    with served(tmp_path) as service, Client(service.address, "") as client:
        made = client.create_workflow(ORDER, file_name="order.flow.yaml")
        id = client.execute_workflow(made.workflow_id).execution_id
        client.wait_until(id)
        checkpoint = client.list_checkpoints(id, limit=1).checkpoints[0]
        found = client.get_checkpoint(id, checkpoint.checkpoint_id)
        assert {v.name: v.value for v in found.variables}["COUNT"] == 2
        name = client.fork_execution(id, checkpoint.checkpoint_id, {"COUNT": 9}).execution_id
        client.wait_until(name)
        assert client.get_workflow_status(name).forked_from == id
