"""Messages that are read, responded to, broadcast, and asked for help with (C20)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import Agent
from flowc.runtime.service.operations.messages import capability_match
from flowc.runtime.service.records.errors import FAULTS, OF_MESSAGES
from openai_server import OpenAIServer
from stores import KINDS

from .conftest import Desk, Opening, step
from .test_faults import until
from .test_messages import DONE, Team, team_at_work
from .test_once import died

KEY = {"Idempotency-Key": "k1"}
ASKS = {"message_type": "request", "requires_response": True}


class Pair:
    """A researcher who writes and an analyst who reads, in an execution of three people."""

    def __init__(self, team: Team) -> None:
        self.team, self.desk = team, team.desk
        self.ana, self.ben, self.cy = team.agents.values()

    def asked(self, **fields: Any) -> str:
        return str(self.team.send(**{**ASKS, **fields})["message_id"])

    def respond(self, original: str, status: int = 200, **fields: Any) -> dict[str, Any]:
        headers = fields.pop("headers", {})
        content = {"text": "yes", "status": "completed", **fields.pop("content", {})}
        body = {
            "responder_agent_id": self.ben,
            "original_message_id": original,
            "response_content": content,
            **fields,
        }
        return self.desk.post(f"{self.team.path}/responses", body, status, **headers)

    def mark(self, agent: str, *ids: str, status: int = 200, **headers: str) -> dict[str, Any]:
        body = {"agent_id": agent, "message_ids": list(ids)}
        return self.desk.post(f"{self.team.path}/read", body, status, **headers)

    def read(self, query: str = "", status: int = 200) -> dict[str, Any]:
        return self.desk.get(f"{self.team.path}{query}", status)

    def one(self, id: str) -> dict[str, Any]:
        (found,) = (m for m in self.read("?limit=100")["messages"] if m["message_id"] == id)
        return dict(found)


@pytest.fixture
def pair(desk: Desk) -> Pair:
    return Pair(team_at_work(desk))


def test_agent_id_is_a_team_member(pair: Pair) -> None:
    for path, body in (
        ("read", {"agent_id": "x", "message_ids": ["m"]}),
        ("responses", {"responder_agent_id": "x", "original_message_id": "m"}),
        ("broadcasts", {"sender_agent_id": "x", "update_type": "issue"}),
        ("assistance", {"requester_agent_id": "x", "assistance_type": "review"}),
    ):
        whole = {
            "responses": {"response_content": {"text": "t", "status": "partial"}},
            "broadcasts": {"content": {"summary": "s"}},
            "assistance": {"request_details": {"description": "d"}},
        }
        told = pair.desk.post(f"{pair.team.path}/{path}", {**body, **whole.get(path, {})}, 404)
        assert told["error_code"] == "AGENT_NOT_FOUND", path
    assert pair.read(f"?agent_id={pair.ben}&senders=x", 404)["error_code"] == "AGENT_NOT_FOUND"


@pytest.mark.parametrize("kind", KINDS)
def test_who_read_a_message_when(opening: Opening) -> None:
    with opening() as desk:
        pair = Pair(team_at_work(desk))
        id = pair.team.send(recipient_agent_ids=["ALL"])["message_id"]
        assert pair.one(id)["read_status"] is False
        assert pair.mark(pair.ben, id, "msg-none") == {
            "success": True,
            "error": None,
            "marked_read": [id],
            "not_found": ["msg-none"],
            "already_read": [],
        }
        first = desk.clock.now
        desk.clock.forward(minutes=5)
        assert pair.mark(pair.ben, id)["already_read"] == [id]
        one = pair.one(id)
        assert (one["read_status"], [r["agent_id"] for r in one["read_by"]]) == (False, [pair.ben])
        assert one["read_by"][0]["read_at"] == first.isoformat(timespec="milliseconds")
        assert pair.read(f"?agent_id={pair.ben}")["messages"][0]["read_status"] is True
        assert pair.read(f"?agent_id={pair.ben}")["unread_count"] == 0
        assert pair.read(f"?agent_id={pair.cy}")["unread_count"] == 1
        pair.mark(pair.cy, id)
        assert pair.one(id)["read_status"] is True
        assert "read by" in desk.client.get(f"/executions/{pair.team.id}").text


def test_agents_mark_only_messages_for_them(pair: Pair) -> None:
    id = pair.team.send()["message_id"]
    for agent in (pair.ana, pair.cy):
        assert pair.mark(agent, id)["not_found"] == [id]
    assert pair.one(id)["read_by"] == []


def test_a_mark_that_is_made_again_says_the_same(store: str, pair: Pair) -> None:
    id = pair.team.send()["message_id"]
    first = pair.mark(pair.ben, id, **KEY)
    died(store)
    assert pair.mark(pair.ben, id, **KEY) == first
    assert pair.mark(pair.ben, id)["already_read"] == [id]


def test_filter_values_are_valid(pair: Pair) -> None:
    for query in (
        "message_types=gossip",
        "priority=critical",
        "since_timestamp=yesterday",
        "since_timestamp=1700000000",
        "unread_only=perhaps",
        "unread_only=true",
        "after=-1",
        "type=request",
    ):
        assert pair.read(f"?{query}", 422)["error_code"] == "INVALID_REQUEST", query
    body = {"execution_id": pair.team.id, "agent_id": pair.ben, "filters": {"sender": [pair.ana]}}
    assert (
        "filters.sender" in pair.desk.post("/operations/GET_MESSAGES", body, 422)["error_message"]
    )


def test_limit_is_1_to_100(pair: Pair) -> None:
    for limit in (0, 101):
        assert "limit" in pair.read(f"?limit={limit}", 422)["error_message"]
    for limit in (1, 100):
        pair.read(f"?limit={limit}")


def test_sort_order_is_supported(pair: Pair) -> None:
    assert "sort_order" in pair.read("?sort_order=random", 422)["error_message"]
    for text in "abcde":
        pair.team.send(content={"text": text})

    def page(query: str) -> str:
        return "".join(pair.team.texts(f"?limit=2&{query}"))

    assert [page(f"after={n}") for n in (0, 2, 4)] == ["ab", "cd", "e"]
    newest = "sort_order=newest_first"
    assert [page(f"{newest}&after={n}") for n in (0, 4, 2)] == ["ed", "cb", "a"]


def test_a_list_shows_what_was_asked_for(pair: Pair) -> None:
    pair.team.send(content={"text": "one"}, priority="urgent")
    then = pair.desk.clock.now.isoformat().replace("+", "%2B")
    pair.desk.clock.forward(hours=1)
    pair.team.send(content={"text": "two"}, message_type="coordination")
    back = {"sender_agent_id": pair.ben, "recipient_agent_ids": [pair.cy]}
    id = pair.team.send(content={"text": "three"}, message_type="request", **back)["message_id"]
    assert pair.team.texts("?message_types=request&message_types=coordination") == ["two", "three"]
    assert pair.team.texts(f"?senders={pair.ben}") == ["three"]
    assert pair.team.texts("?priority=urgent") == ["one"]
    assert pair.team.texts(f"?since_timestamp={then}") == ["two", "three"]
    assert pair.team.texts(f"?agent_id={pair.cy}&unread_only=true") == ["three"]
    pair.mark(pair.cy, id)
    assert pair.team.texts(f"?agent_id={pair.cy}&unread_only=true") == []
    body = {"execution_id": pair.team.id, "agent_id": pair.cy}
    told = pair.desk.post("/operations/GET_MESSAGES", body)
    assert [m["message_id"] for m in told["messages"]] == [id]
    del body["agent_id"]
    assert "agent_id" in pair.desk.post("/operations/GET_MESSAGES", body, 422)["error_message"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_response_answers_its_message(opening: Opening) -> None:
    with opening() as desk:
        pair = Pair(team_at_work(desk))
        id = pair.asked(recipient_agent_ids=["ALL"], priority="high")
        assert pair.one(id)["responses_awaited"] == [pair.ben, pair.cy]
        told = pair.respond(id, content={"status": "partial"})
        assert told["original_message_updated"] is False
        told = pair.respond(id, content={"data": {"from": 1871}}, additional_recipients=[pair.cy])
        assert told["original_message_updated"] is True
        asked, said = pair.one(id), pair.one(told["response_message_id"])
        assert asked["responses_awaited"] == [pair.cy]
        assert [r["agent_id"] for r in asked["read_by"]] == [pair.ben], "who answers has read"
        assert said["recipient_agent_ids"] == [pair.ana, pair.cy]
        assert (said["message_type"], said["in_reply_to"]) == ("response", id)
        assert (said["response_status"], said["priority"]) == ("completed", "high")
        assert said["content"]["data"] == {"from": 1871}
        assert pair.respond(id)["original_message_updated"] is False, "it was answered before"


def test_a_response_that_is_sent_again_is_there_once(store: str, pair: Pair) -> None:
    id = pair.asked(response_deadline="2026-05-01T10:00:00Z")
    first = pair.respond(id, headers=KEY)
    died(store)
    pair.desk.clock.forward(hours=2)
    assert pair.respond(id, headers=KEY) == first
    assert pair.read()["total_count"] == 2


def test_message_not_found(pair: Pair) -> None:
    other = Pair(team_at_work(pair.desk))
    for id in ("msg-none", other.asked()):
        told = pair.respond(id, 404)
        assert told["error_code"] == "MESSAGE_NOT_FOUND"
        assert told["details"] == {"message_id": id}
    assert pair.mark(pair.ben, other.asked())["marked_read"] == []


def test_responder_is_a_recipient_of_the_original(pair: Pair) -> None:
    id = pair.asked()
    for agent in (pair.cy, pair.ana):
        told = pair.respond(id, 422, responder_agent_id=agent)
        assert told["error_code"] == "INVALID_RECIPIENT"
    told = pair.respond(id, 422, additional_recipients=[pair.ben])
    assert told["error_code"] == "INVALID_RECIPIENT"


def test_original_message_requires_a_response(pair: Pair) -> None:
    id = pair.team.send()["message_id"]
    assert pair.respond(id, 409)["error_code"] == "RESPONSE_NOT_REQUIRED"


def test_response_not_required(pair: Pair) -> None:
    told = pair.respond(pair.team.send(message_type="request")["message_id"], 409)
    assert told["suggested_action"] == told["recovery_options"][0]


def test_response_text_has_1_to_2000_characters(pair: Pair) -> None:
    id = pair.asked()
    assert pair.respond(id, 422, content={"text": ""})["error_code"] == "INVALID_REQUEST"
    told = pair.respond(id, 422, content={"text": "x" * 2001})
    assert told["error_code"] == "MESSAGE_TOO_LONG"
    assert told["details"] == {"characters": 2001, "most": 2000}
    pair.respond(id, content={"text": "x" * 2000})


def test_response_status_is_one_of_the_four(pair: Pair) -> None:
    id = pair.asked()
    assert pair.respond(id, 422, content={"status": "done"})["error_code"] == "INVALID_REQUEST"
    for status in ("partial", "unable", "delegated", "completed"):
        pair.respond(id, content={"status": status})


def test_response_deadline_passed(pair: Pair) -> None:
    id = pair.asked(response_deadline="2026-05-01T11:30:00+02:00")
    assert pair.one(id)["response_deadline"] == "2026-05-01T09:30:00.000+00:00"
    pair.desk.clock.forward(minutes=29)
    pair.respond(id, content={"status": "partial"})
    pair.desk.clock.forward(minutes=1)
    told = pair.respond(id, 409)
    assert told["error_code"] == "RESPONSE_DEADLINE_PASSED"
    assert told["details"]["response_deadline"].startswith("2026-05-01T09:30")


def test_a_deadline_lies_ahead_and_needs_a_response(pair: Pair) -> None:
    ahead = {"response_deadline": "2026-05-01T09:30:00Z"}
    assert pair.team.code(422, **ahead) == "INVALID_REQUEST", "nobody has to respond"
    over = {"response_deadline": "2026-05-01T09:00:00Z"}
    assert pair.team.code(422, **ASKS, **over) == "INVALID_REQUEST"


def test_an_update_is_for_everybody(pair: Pair) -> None:
    content = {"summary": "it is closed", "impact": "a day later", "action_required": True}
    body = {"sender_agent_id": pair.ana, "update_type": "issue", "content": content}
    path = f"{pair.team.path}/broadcasts"
    told = pair.desk.post(path, {**body, "urgency": "critical"})
    assert told["recipients"] == [pair.ben, pair.cy]
    one = pair.one(told["broadcast_id"])
    assert (one["priority"], one["content"]["text"]) == ("urgent", "it is closed")
    assert one["content"]["data"]["impact"] == "a day later"
    assert one["recipient_agent_ids"] == ["ALL"]
    pair.desk.post(path, {**body, "urgency": "panic"}, 422)
    pair.desk.post(path, {**body, "update_type": "gossip"}, 422)
    long = pair.desk.post(path, {**body, "content": {"summary": "x" * 2001}}, 422)
    assert long["error_code"] == "MESSAGE_TOO_LONG"


def test_help_is_asked_of_whoever_can_give_it(pair: Pair) -> None:
    path, details = f"{pair.team.path}/assistance", {"description": "is it enough?"}
    body = {
        "requester_agent_id": pair.ana,
        "assistance_type": "expertise",
        "required_capabilities": ["Synthesizer", "thesis"],
        "request_details": {**details, "priority": "high", "deadline": "2026-05-02T09:00:00Z"},
    }
    told = pair.desk.post(path, body)
    assert told["broadcast_sent"] is True
    assert [(r["agent_id"], r["capability_match"]) for r in told["potential_responders"]] == [
        (pair.cy, 0.5),
        (pair.ben, 0.0),
    ]
    one = pair.one(told["request_id"])
    assert (one["message_type"], one["requires_response"], one["priority"]) == (
        "request",
        True,
        "high",
    )
    pair.respond(told["request_id"])
    told = pair.desk.post(path, {**body, "target_agents": [pair.cy], "required_capabilities": []})
    assert told["broadcast_sent"] is False
    (only,) = told["potential_responders"]
    assert (only["agent_id"], only["capability_match"]) == (pair.cy, None), "nothing is invented"
    for wrong in ({"target_agents": [pair.ana]}, {"target_agents": ["x"]}):
        assert pair.desk.post(path, {**body, **wrong}, 422)["error_code"] == "INVALID_RECIPIENT"


def test_capabilities_are_whole_words_of_what_is_known_of_an_agent() -> None:
    said = Literal(value="You know statistics, and start with the sources.")
    agent = Agent(id="a", role="data_analyst", tools=("query_json",), system=said)
    for wanted, share in ((["Data Analyst"], 1), (["query json"], 1), (["art"], 0), ([], None)):
        assert capability_match(agent, wanted) == share
    assert capability_match(agent, ["statistics", "a boat", "sources"]) == 0.667


def test_who_is_asked_for_help_is_busy_or_away(pair: Pair) -> None:
    body = {
        "requester_agent_id": pair.cy,
        "assistance_type": "review",
        "request_details": {"description": "look"},
    }

    def availability() -> list[str]:
        told = pair.desk.post(f"{pair.team.path}/assistance", body)["potential_responders"]
        return [r["availability"] for r in told]

    assert availability() == ["busy", "available"], "the first step is the researcher's"
    pair.desk.post(f"/executions/{pair.team.id}/pause", {})
    assert availability() == ["unavailable", "unavailable"]


def test_what_has_ended_is_read_and_not_written(desk: Desk) -> None:
    pair = Pair(team_at_work(desk, steps=[step("only")]))
    id = pair.asked()
    desk.complete(pair.team.id, "only")
    assert pair.respond(id, 409)["error_code"] == "EXECUTION_NOT_ACTIVE"
    assert pair.mark(pair.ben, id)["marked_read"] == [id]


def test_a_model_has_read_what_it_was_told(opening: Opening) -> None:
    steps = [step("gather"), step("analyse", "analyst", "gather")]
    with OpenAIServer() as model:
        model.answer = lambda request: DONE
        with opening(base_url=model.url) as desk:
            pair = Pair(team_at_work(desk, "analyst", steps=steps))
            id = pair.team.send()["message_id"]
            assert pair.one(id)["read_by"] == []
            desk.complete(pair.team.id, "gather")
            until(lambda: desk.status(pair.team.id)["workflow_status"] == "completed")
            assert [r["agent_id"] for r in pair.one(id)["read_by"]] == [pair.ben]


def test_reading_needs_no_right_to_operate(opening: Opening) -> None:
    with opening() as desk:
        service, portal = desk.client.app.state.service, desk.client.portal  # type: ignore[attr-defined]
        pair = Pair(team_at_work(desk))
        assert portal is not None
        made = ("eve", "read", None, None, desk.clock())
        token = portal.call(service.tokens.create, *made)
        desk.client.headers["Authorization"] = f"Bearer {token}"
        body = {"execution_id": pair.team.id, "agent_id": pair.ben}
        desk.post("/operations/GET_MESSAGES", body)
        assert pair.mark(pair.ben, "m", status=403)["error_code"] == "FORBIDDEN"


def test_a_path_that_takes_no_such_method_says_so(desk: Desk) -> None:
    """405, whatever stands where an id would: nobody is told that there is no such message."""
    routes = [r for r in desk.client.app.routes if getattr(r, "methods", None)]  # type: ignore[attr-defined]
    by_path: dict[str, set[str]] = {}
    for route in routes:
        if route.path.startswith("/v1/"):
            by_path.setdefault(route.path, set()).update(route.methods)
    assert by_path["/v1/executions/{execution_id}/messages/read"] == {"POST"}
    for path, methods in by_path.items():
        for method in {"GET", "POST", "PUT", "DELETE", "PATCH"} - methods:
            answer = desk.client.request(method, re.sub(r"\{[^}]*\}", "x", path))
            assert answer.status_code == 405, (method, path)
            assert answer.json()["error_code"] == "INVALID_REQUEST"
            assert answer.headers["allow"]


def test_faults_of_messages_have_the_form_of_their_contract(pair: Pair) -> None:
    assert {kind.code for kind in FAULTS} > OF_MESSAGES
    told = pair.team.send(404, sender_agent_id="x")
    assert told["details"] == {"agent_id": "x"}
    assert told["suggested_action"]
    assert "suggested_action" not in pair.team.send(422, priority="x")
