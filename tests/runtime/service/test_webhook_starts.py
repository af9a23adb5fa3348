"""`on: webhook`: a signed request begins an execution, and nobody else's does."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fleet import until
from flowc.runtime.net.signatures import headers_of, key_of
from httpx import Response
from stores import KINDS

from .conftest import Desk, Opening, team
from .test_access import bearer, token

SECRET = "a secret of thirty characters."
GREET = """\
flow: 1
name: greet
on: {webhook: HOOK_SECRET, with: {SIGN: "!"}}
params:
  NAME: {type: text, required: true}
  TIMES: {type: integer, default: 1}
  SIGN: text
outputs: [GREETING]
state: {GREETING: text}
nodes:
  - {name: greet, assign: {GREETING: '"hello " + NAME + SIGN'}}
"""
WHOLE = """\
flow: 1
name: whole
on: {webhook: HOOK_SECRET, into: EVENT}
params: {EVENT: {type: any, required: true}}
outputs: [KIND]
state: {KIND: text}
nodes:
  - {name: kind, assign: {KIND: "EVENT.kind"}}
"""


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_SECRET", SECRET)


ALLOWED: dict[str, Any] = {"webhook_secrets": ("HOOK_*",)}


def created(desk: Desk, source: str = GREET, **headers: str) -> str:
    asked = {"file_name": "it.flow.yaml", "source": source}
    return str(desk.post("/workflows", asked, **headers)["workflow_id"])


def send(
    desk: Desk,
    workflow: str,
    value: Any,
    *,
    id: str = "msg-1",
    secret: str = SECRET,
    ago: int = 0,
    team: str = "",
) -> Response:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    at = int(desk.clock().timestamp()) - ago
    headers = headers_of(key_of(secret), id, at, body)
    query = f"?team_id={team}" if team else ""
    answer: Any = desk.client.post(f"/v1/hooks/{workflow}{query}", content=body, headers=headers)
    return answer  # type: ignore[no-any-return]


def result(desk: Desk, answer: Response) -> Any:
    assert answer.status_code == 200, answer.text
    id = answer.json()["execution_id"]
    until(lambda: desk.status(id)["workflow_status"] == "completed")
    return desk.status(id)["result"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_signed_request_begins_an_execution_once(opening: Opening) -> None:
    with opening(**ALLOWED) as desk:
        workflow = created(desk)
        answer = send(desk, workflow, {"NAME": "Ada"})
        assert result(desk, answer) == "hello Ada!"
        assert send(desk, workflow, {"NAME": "Ada"}).json() == answer.json()
        other = send(desk, workflow, {"NAME": "Eve"})
        assert (other.status_code, other.json()["error_code"]) == (409, "CONFLICT")
        assert len(desk.get("/executions")["executions"]) == 1
        again = send(desk, workflow, {"NAME": "Grace"}, id="msg-2")
        assert result(desk, again) == "hello Grace!"
        (first, *_) = [e for e in desk.get("/audit")["entries"] if "/hooks/" in e["operation"]]
        assert first["who"] == f"webhook {workflow}"


def test_the_whole_body_may_be_one_parameter(opening: Opening) -> None:
    with opening(**ALLOWED) as desk:
        told = send(desk, created(desk, WHOLE), {"kind": "push", "more": [1, None]})
        assert result(desk, told) == "push"


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({"secret": "x" * 20}, "the signature is not of this request"),
        ({"ago": 301}, "away from the service's own time"),
        ({"ago": -301}, "away from the service's own time"),
    ],
)
def test_what_is_not_signed_now_with_the_secret_begins_nothing(
    opening: Opening, sent: dict[str, Any], why: str
) -> None:
    with opening(**ALLOWED) as desk:
        answer = send(desk, created(desk), {"NAME": "Ada"}, **sent)
        assert (answer.status_code, answer.json()["error_code"]) == (401, "UNAUTHENTICATED")
        assert why in answer.json()["error_message"]
        assert desk.get("/executions")["executions"] == []


def test_what_is_not_signed_at_all_begins_nothing(opening: Opening) -> None:
    with opening(**ALLOWED) as desk:
        answer = desk.client.post(f"/v1/hooks/{created(desk)}", json={"NAME": "Ada"})
        assert answer.status_code == 401
        assert "are needed" in answer.json()["error_message"]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({}, "the workflow needs `NAME`"),
        ({"NAME": []}, "`NAME` must be a text, not `[]`"),
        ({"NAME": "a", "TIMES": "many"}, "`TIMES` must be"),
        ({"NAME": "a", "SIGN": "?"}, "`SIGN` is given by the workflow"),
        ({"NAME": "a", "WHO": "b"}, "no input `WHO`"),
        ([1], "the body is not an object"),
        (b"{", "the body is not JSON"),
        (b"\xff", "the body is not UTF-8"),
        (b"[" * 100, "more than 64 arrays"),
    ],
)
def test_a_body_that_does_not_fit_the_parameters_is_refused(
    opening: Opening, value: Any, why: str
) -> None:
    with opening(**ALLOWED) as desk:
        answer = send(desk, created(desk), value)
        assert (answer.status_code, answer.json()["error_code"]) == (422, "INVALID_REQUEST")
        assert why in answer.json()["error_message"]
        assert desk.get("/executions")["executions"] == []


def test_a_body_that_is_too_long_is_not_read(opening: Opening) -> None:
    with opening(**ALLOWED) as desk:
        answer = send(desk, created(desk), b'"' + b"x" * 300_000 + b'"')
        assert answer.status_code == 413
        assert "256,000 bytes" in answer.json()["error_message"]


def test_a_workflow_without_a_webhook_has_no_address(opening: Opening) -> None:
    with opening(**ALLOWED) as desk:
        workflow = created(
            desk, GREET.replace('on: {webhook: HOOK_SECRET, with: {SIGN: "!"}}\n', "")
        )
        for id in (workflow, "wf-0000000000000000"):
            answer = send(desk, id, {})
            assert (answer.status_code, answer.json()["error_code"]) == (404, "WORKFLOW_NOT_FOUND")


def test_a_secret_is_one_that_the_operator_named_for_the_team(opening: Opening) -> None:
    """A team's workflow cannot take what was signed for another team, nor guess at variables."""
    names = ("hedge=HOOK_SECRET",)
    with opening(webhook_secrets=names) as desk:
        ours = bearer(token(desk, "operate", "hedge"))
        theirs = bearer(token(desk, "operate", "other"))
        told = [send(desk, created(desk, **who), {"NAME": "Ada"}) for who in (ours, theirs)]
        assert [answer.status_code for answer in told] == [200, 503]
        assert "this webhook is shut" in told[1].json()["error_message"]
        assert SECRET not in told[1].text
        id = told[0].json()["execution_id"]
        desk.get(f"/executions/{id}", **ours)
        desk.get(f"/executions/{id}", 404, **theirs)


def test_a_flood_is_turned_away(opening: Opening) -> None:
    with opening(**ALLOWED) as desk:
        workflow = created(desk)
        told = [send(desk, workflow, {}, secret="x" * 20) for _ in range(400)]
        turned = [answer for answer in told if answer.status_code == 429]
        assert turned
        assert turned[0].headers["retry-after"]


NEEDS_TEAM = """\
flow: 1
name: ask
on: {webhook: HOOK_SECRET}
nodes:
  - {name: write, task: "Write it.", role: analyst, into: TEXT}
"""


def test_a_workflow_that_needs_a_team_is_begun_by_the_one_that_the_address_names(
    opening: Opening,
) -> None:
    """Who creates it is warned, and who sends a request is told what to do."""
    with opening(**ALLOWED) as desk:
        made = desk.post("/workflows", {"file_name": "it.flow.yaml", "source": NEEDS_TEAM})
        (warning,) = made["validation_status"]["warnings"]
        assert "a webhook does not name" in warning
        assert warning.endswith("unless ?team_id=ID stands behind its address")
        workflow = made["workflow_id"]
        told = send(desk, workflow, {}).json()
        assert told["error_code"] == "MISSING_REQUIRED_ROLES"
        first, second = desk.team()[0], desk.team()[0]
        begun = [
            send(desk, workflow, {}, id=f"for-{n}", team=chosen).json()["execution_id"]
            for n, chosen in enumerate((first, second, first))
        ]
        for chosen, ids in ((first, {begun[0], begun[2]}), (second, {begun[1]})):
            listed = desk.get(f"/executions?team_id={chosen}")["executions"]
            assert {one["execution_id"] for one in listed} == ids
        assert send(desk, workflow, {}, id="for-0", team=first).json()["execution_id"] == begun[0]
        other = send(desk, workflow, {}, id="for-0", team=second)
        assert other.json()["error_code"] == "CONFLICT"
        assert send(desk, workflow, {}, id="x", team="team-none").status_code == 404


def test_a_team_of_somebody_else_is_not_there(opening: Opening) -> None:
    """Nor for a workflow that belongs to nobody: its secret is no key to every team."""
    allowed = {"webhook_secrets": ("HOOK_*", "ours=HOOK_*", "theirs=HOOK_*")}
    with opening(**allowed) as desk:
        free = desk.post("/workflows", {"file_name": "it.flow.yaml", "source": NEEDS_TEAM})
        ours, theirs = (bearer(token(desk, "admin", owner)) for owner in ("ours", "theirs"))
        own = desk.post("/workflows", {"file_name": "it.flow.yaml", "source": NEEDS_TEAM}, **ours)
        hers = desk.post("/teams", team(), **theirs)["team_id"]
        mine = desk.post("/teams", team(), **ours)["team_id"]
        for made, chosen in ((free, hers), (own, hers), (free, mine)):
            answer = send(desk, made["workflow_id"], {}, id=chosen, team=chosen)
            assert answer.json()["error_code"] == "TEAM_NOT_FOUND"
        begun = send(desk, own["workflow_id"], {}, id="mine", team=mine).json()["execution_id"]
        assert desk.get(f"/executions/{begun}", **ours)["success"]
        desk.get(f"/executions/{begun}", 404, **theirs)
