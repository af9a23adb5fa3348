"""Who may approve commands: a scope of its own, and never who asked for them."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.runtime.service.contract.operation import EXECUTION, Operation
from flowc.runtime.service.contract.operations import OPERATIONS
from flowc.runtime.service.records.access import SCOPES, Scope

from .conftest import Desk, Opening
from .test_access import bearer, token
from .test_faults import until
from .test_page import sign_in

CLEAN = """\
flow: 1
name: clean
state: {OUT: text}
outputs: [OUT]
nodes:
  - {name: clean, exec: echo cleaned, into: OUT}
"""
ASKED = """\
flow: 1
name: asked
state: {OUT: text, WORD: text}
outputs: [OUT]
nodes:
  - {name: clean, ask: "Which word?", into: WORD}
  - {name: sub, call: inner, returns: {OUT: OUT}}
workflows:
  inner:
    state: {OUT: text}
    outputs: [OUT]
    nodes:
      - {name: clean, exec: echo cleaned, into: OUT}
"""
Key = dict[str, str]


def key(desk: Desk, scope: Scope, name: str = "", team: str | None = None) -> Key:
    return bearer(token(desk, scope, team, name=name or scope))


def started(desk: Desk, maker: Key, starter: Key, source: str = CLEAN) -> str:
    """An execution that waits for a person."""
    text = {"file_name": "clean.flow.yaml", "source": source}
    id = desk.post("/workflows", text, **maker)["workflow_id"]
    return str(desk.post("/executions", {"workflow_id": id}, **starter)["execution_id"])


def waiting(desk: Desk, id: str, who: Key) -> tuple[str, str]:
    """The path and the kind of the question that waits."""
    questions: list[dict[str, Any]] = []

    def asks() -> bool:
        questions[:] = desk.get(f"/executions/{id}", **who)["questions"]
        return bool(questions)

    until(asks)
    (question,) = questions
    return f"/executions/{id}/questions/{question['question_id']}", question["kind"]


def request_of(row: Operation) -> tuple[str, Any]:
    """The path and the body of a request that is well-formed."""
    path = row.path.replace(":path", "").format(**dict.fromkeys(row.path_names, EXECUTION))
    examples = [example for _, example in row.documents.values()]
    plain = {"answer": "yes"} if row.name == "answer_question" else {}
    return path, (examples or [row.example or plain])[0]


@pytest.mark.parametrize("scope", SCOPES)
def test_every_route_asks_for_its_scope(desk: Desk, scope: Scope) -> None:
    """What a scope may do, those after it may; nothing is done without a token."""
    header, said = key(desk, scope), {}
    for row in OPERATIONS:
        if row.scope is None or row.response is None:
            continue
        path, body = request_of(row)
        for who in ({}, header):
            answer = desk.client.request(row.method, path, json=body, headers=who)
            said[row.name, bool(who)] = answer.status_code
    for (name, known), status in said.items():
        (row,) = (row for row in OPERATIONS if row.name == name)
        assert row.scope is not None
        below = SCOPES.index(scope) < SCOPES.index(row.scope)
        assert (status == 401) is not known, name
        assert (status == 403) is (known and below), name


@pytest.mark.parametrize(
    ("maker", "starter", "approver", "allowed"),
    [
        ("ana", "ana", "ben", True),
        ("ana", "ana", "ana", False),
        ("ana", "ben", "ana", False),
        ("ben", "ana", "ana", False),
        ("ana", "ana", "root", True),
        ("root", "root", "root", False),
        ("ana", "ana", "eve", False),
    ],
)
def test_commands_are_approved_by_another_token_with_the_scope(
    desk: Desk, maker: str, starter: str, approver: str, allowed: bool
) -> None:
    """Ana and Ben may approve, root administers, Eve operates."""
    scopes: dict[str, Scope] = {"ana": "approve", "ben": "approve", "root": "admin"}
    keys = {name: key(desk, scope, name) for name, scope in scopes.items()}
    keys["eve"] = key(desk, "operate", "eve")
    id = started(desk, keys[maker], keys[starter])
    path, kind = waiting(desk, id, keys["ben"])
    assert kind == "approve"
    told = desk.post(path, {"answer": "yes"}, 200 if allowed else 403, **keys[approver])
    if not allowed:
        assert told["error_code"] == "FORBIDDEN"
        assert told["recovery_options"]
        assert waiting(desk, id, keys["ben"]) == (path, kind)
        return
    until(lambda: desk.get(f"/executions/{id}", **keys["ben"])["workflow_status"] == "completed")


def test_the_operator_may_let_a_token_approve_its_own(opening: Opening) -> None:
    with opening(self_approval=True) as desk:
        ana = key(desk, "approve", "ana")
        path, _ = waiting(desk, id := started(desk, ana, ana), ana)
        desk.post(path, {"answer": "yes"}, **ana)
        until(lambda: desk.get(f"/executions/{id}", **ana)["workflow_status"] == "completed")
        eve = key(desk, "operate", "eve")
        path, _ = waiting(desk, started(desk, eve, eve), eve)
        assert desk.post(path, {"answer": "yes"}, 403, **eve)["error_code"] == "FORBIDDEN"


def test_where_nobody_has_a_token_the_one_person_approves(desk: Desk) -> None:
    path, _ = waiting(desk, id := started(desk, {}, {}), {})
    desk.post(path, {"answer": "yes"})
    until(lambda: desk.status(id)["workflow_status"] == "completed")


def test_an_answer_to_a_question_of_the_same_name_approves_nothing(desk: Desk) -> None:
    """A question stays with `operate`; its answer is not one to commands of a called workflow."""
    eve = key(desk, "operate", "eve")
    id = started(desk, eve, eve, ASKED)
    path, kind = waiting(desk, id, eve)
    assert kind == "ask"
    desk.post(path, {"answer": "yes"}, **eve)
    path, kind = waiting(desk, id, eve)
    assert kind == "approve"
    desk.post(path, {"answer": "yes"}, 403, **eve)


def test_the_page_shows_the_form_to_who_may_approve(desk: Desk) -> None:
    ana, ben = key(desk, "approve", "ana"), key(desk, "approve", "ben")
    id = started(desk, ana, ana)
    waiting(desk, id, ben)
    for who, shown in ((ana, False), (ben, True)):
        desk.client.cookies.clear()
        sign_in(desk, who["Authorization"].removeprefix("Bearer "))
        page = desk.client.get(f"/executions/{id}").text
        assert ("Somebody else approves this" in page) is not shown
        assert (f'action="/executions/{id}/answers"' in page) is shown
