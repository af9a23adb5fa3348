"""Hostile input over a real socket: the answer is clear, and the service stays up."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from flowc.runtime.service import Client, ServiceFault

from .conftest import Clock, contract, step, team
from .served import Served, served


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path, clock=Clock()) as found:
        yield found
        assert httpx.get(f"{found.address}/v1/health").json()["success"] is True


def _post(service: Served, path: str, content: bytes, **headers: str) -> httpx.Response:
    headers = {"Content-Type": "application/json", **headers}
    return httpx.post(f"{service.address}/v1{path}", content=content, headers=headers, timeout=150)


@pytest.mark.parametrize("path", ["/workflows", "/teams", "/executions", "/nothing"])
def test_ten_megabytes(service: Served, path: str) -> None:
    """The answer may come before all was sent: what counts is that there is one, or that the
    connection is closed."""
    try:
        answer = _post(service, path, b'{"a": "' + b"x" * 10_000_000 + b'"}')
    except httpx.TransportError:
        return
    assert answer.status_code == (404 if path == "/nothing" else 413)
    assert answer.json()["error_code"] == "INVALID_REQUEST"


def test_ten_megabytes_in_chunks(service: Served) -> None:
    """Nobody is told beforehand how many there will be."""
    with _begun(service, "Transfer-Encoding: chunked") as caller:
        with contextlib.suppress(OSError):  # once it has answered
            for _ in range(100):
                caller.sendall(b"186a0\r\n" + b"x" * 100_000 + b"\r\n")
        with contextlib.suppress(ConnectionResetError):
            assert b" 413 " in caller.recv(65536)


SLOW = "Content-Length: 10000000"


@pytest.mark.parametrize("length", [SLOW, "Transfer-Encoding: chunked"])
@pytest.mark.parametrize("token", ["", "Authorization: Bearer flowc_guessed"])
def test_without_a_token_a_body_is_not_waited_for(service: Served, length: str, token: str) -> None:
    """It comes slowly: a caller whom nobody knows is told so before the first byte of it."""
    _token(service, "operate", None)
    with _begun(service, length, token) as caller:
        assert _answer(caller).startswith(b"HTTP/1.1 401 ")  # and the connection is closed


def test_without_a_token_a_form_is_not_waited_for(service: Served) -> None:
    _token(service, "operate", None)
    with _begun(service, SLOW, path="/workflows") as caller:
        assert b"\r\nlocation: /sign-in" in _answer(caller)


def test_a_small_body_without_a_token_costs_no_connection(service: Served) -> None:
    _token(service, "operate", None)
    with httpx.Client(base_url=f"{service.address}/v1") as client:
        ends = set()
        for _ in range(3):
            answer = client.post("/teams", content=b"{}" + b" " * 20_000)
            assert answer.status_code == 401
            ends.add(answer.extensions["network_stream"].get_extra_info("client_addr"))
    assert len(ends) == 1


def test_a_caller_who_leaves_in_the_middle_is_no_fault(
    service: Served, caplog: pytest.LogCaptureFixture
) -> None:
    with _begun(service, SLOW.replace("10000000", "1000")) as caller:
        caller.sendall(b"{")
    httpx.get(f"{service.address}/v1/health")  # the loop has seen the end of the connection
    assert not [record for record in caplog.records if record.name == "flowc.service"]


def _token(service: Served, scope: Any, owner: str | None) -> str:
    inside = service.app.state.service
    now = inside.executing.clock()
    return service.in_loop(inside.tokens.create(f"{scope}-{owner}", scope, owner, None, now))


def _begun(service: Served, *headers: str, path: str = "/v1/teams") -> socket.socket:
    """A connection on which the head of a request was sent, and nothing of its body."""
    caller = socket.create_connection(("127.0.0.1", service.port), timeout=20)
    head = [f"POST {path} HTTP/1.1", "Host: x", *filter(None, headers), "", ""]
    caller.sendall("\r\n".join(head).encode())
    return caller


def _answer(caller: socket.socket) -> bytes:
    """What is said until the connection is closed."""
    said = b""
    while part := caller.recv(65536):
        said += part
    return said


HEADS = {
    "a header without an end": (b"GET / HTTP/1.1\r\nX: ", b"x" * 100_000),
    "headers without an end": (b"GET / HTTP/1.1\r\n", b"a: b\r\n" * 20_000),
    "a path without an end": (b"GET /", b"x" * 100_000),
    "a chunk's name without an end": (
        b"POST /v1/teams HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;",
        b"x" * 100_000,
    ),
    "headers behind a body": (
        b"POST /v1/health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        b"a: b\r\n" * 20_000,
    ),
}


@pytest.mark.parametrize("name", HEADS)
def test_what_never_ends_is_ended_before_anybody_is_known(service: Served, name: str) -> None:
    """Sixty megabytes of headers took more than one gigabyte, and nobody needed a token."""
    begin, more = HEADS[name]
    sent = 0
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as caller:
        caller.sendall(begin)
        with contextlib.suppress(OSError):
            while sent < 100_000_000:
                caller.sendall(more)
                sent += len(more)
    assert sent < 20_000_000  # what the system holds of it


def test_a_long_head_that_ends_is_answered(service: Served) -> None:
    answer = httpx.get(f"{service.address}/v1/health", headers={"X": "x" * 50_000})
    assert answer.status_code == 200


def test_an_event_stream_ends_with_its_token(service: Served) -> None:
    """It went on for five minutes."""
    token = _token(service, "operate", "ours")
    own = {"Authorization": f"Bearer {token}"}
    with Client(service.address, token) as client:
        made = client.http.post("/v1/workflows", json=contract()).json()["workflow_id"]
        crew = client.http.post("/v1/teams", json=team()).json()["team_id"]
        asked = {"workflow_id": made, "team_id": crew}
        id = client.http.post("/v1/executions", json=asked).json()["execution_id"]
    address = f"{service.address}/v1/executions/{id}/events"
    with httpx.stream("GET", address, headers=own, timeout=20) as events:
        lines = events.iter_lines()
        assert "events follow" in next(lines)
        tokens, begin = service.app.state.service.tokens, time.monotonic()
        assert service.in_loop(tokens.revoke("operate-ours")) == 1
        assert "event: end" not in lines  # the connection ends, the execution does not
        assert time.monotonic() - begin < 60
    assert httpx.get(address, headers=own).status_code == 401


def test_a_length_that_is_a_lie(service: Served) -> None:
    with socket.create_connection(("127.0.0.1", service.port)) as caller:
        caller.sendall(b"POST /v1/teams HTTP/1.1\r\nHost: x\r\nContent-Length: 999\r\n\r\n{")


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe", b"[" * 200_000, b'{"a":' * 5000, b"NaN", b'"x"', b"1e999"]
)
@pytest.mark.parametrize("path", ["/workflows", "/teams", "/executions"])
def test_broken_json(service: Served, path: str, body: bytes) -> None:
    answer = _post(service, path, body)
    assert answer.status_code in (400, 422)
    told = answer.json()
    assert told["success"] is False
    assert told["error_message"]
    assert "Traceback" not in answer.text


def test_unknown_fields_are_named(service: Served) -> None:
    with Client(service.address) as client:
        for ask in (
            lambda: client.create_team({**team(), "budjet": 1}),
            lambda: client.create_workflow({**contract(), "budjet": 1}),
            lambda: client.execute_workflow("wf-x", execution_config={"budjet": 1}),
            lambda: client.list_teams(limit=0),
        ):
            with pytest.raises(ServiceFault) as raised:
                ask()
            assert raised.value.status == 422
            assert any(word in raised.value.message for word in ("budjet", "limit"))
    answer = httpx.get(f"{service.address}/v1/teams?limt=5")
    assert (answer.status_code, "`limt`" in answer.json()["error_message"]) == (422, True)


def _execution(client: Client, **config: Any) -> str:
    made = client.create_workflow(contract(steps=[step("only")]))
    people = client.create_team(team())
    asked = client.execute_workflow(made.workflow_id, people.team_id, execution_config=config)
    return asked.execution_id


@pytest.mark.parametrize("by", [timedelta(days=-400), timedelta(days=400), timedelta(seconds=-1)])
def test_a_clock_that_jumps(service: Served, by: timedelta) -> None:
    """Figures may be off by what the clock is; nothing fails, and no share is beyond 1."""
    clock = service.app.state.service.executing.clock
    with Client(service.address) as client:
        id = _execution(client)
        clock.now += by
        turn = client.wait_for_step(id, "only")
        held = client.pause_workflow(id, estimated_resume=datetime(1, 1, 1, tzinfo=UTC))
        clock.now -= 2 * by
        client.resume_workflow(id, held.resume_token, resume_config={"update_deadlines": True})
        client.complete_step(id, turn.assignment_id, {"status": "completed", "output": "x"})
        client.wait_until(id)
        status = client.get_workflow_status(id, include_details=True, include_metrics=True)
    assert status.workflow_status == "completed"
    assert status.performance_metrics is not None
    assert status.performance_metrics.total_duration >= 0
    shares = status.performance_metrics.resource_utilization.values()
    assert all(0 <= share <= 1 for share in shares)


@pytest.mark.parametrize(
    "time",
    ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "9999-12-31T23:59:59+00:00"],
)
def test_a_time_from_which_nobody_can_reckon(service: Served, time: str) -> None:
    """It has no place in UTC, or none a pause later."""
    with Client(service.address) as client:
        id = _execution(client)
        ana = client.wait_for_step(id, "only").assigned_agent
    bodies = {
        "assignments": {
            "step_id": "only",
            "agent_id": ana,
            "assignment_config": {"deadline": time},
        },
        "pause": {"estimated_resume": time},
        "messages": {
            "sender_agent_id": ana,
            "recipient_agent_ids": ["ALL"],
            "message_type": "request",
            "content": {"text": "when?"},
            "requires_response": True,
            "response_deadline": time,
        },
        "messages/assistance": {
            "requester_agent_id": ana,
            "assistance_type": "review",
            "request_details": {"description": "when?", "deadline": time},
        },
    }
    for path, body in bodies.items():
        answer = httpx.post(f"{service.address}/v1/executions/{id}/{path}", json=body)
        assert (answer.status_code, path) == (422, path)
        assert "in the years 1 to 9000" in answer.json()["error_message"]
    asked = {"since_timestamp": time}
    answer = httpx.get(f"{service.address}/v1/executions/{id}/messages", params=asked)
    assert answer.status_code == 422


def test_a_replayed_post_does_nothing_twice(service: Served) -> None:
    with Client(service.address) as client:
        id = _execution(client)
        turn = client.wait_for_step(id, "only")
        done = {"status": "completed", "output": "x"}
        first = client.complete_step(id, turn.assignment_id, done, key="once")
        assert client.complete_step(id, turn.assignment_id, done, key="once") == first
        made = client.create_workflow(contract(), key="w")
        assert client.create_workflow(contract(), key="w") == made
        known = [w.workflow_id for w in client.list_workflows().workflows]
    assert known.count(made.workflow_id) == 1
    assert len(known) == 2


def test_a_scope_or_team_that_does_not_fit_learns_nothing(service: Served) -> None:
    owners = ("operate", "hedge"), ("read", "hedge"), ("admin", "other")
    keys = [_token(service, scope, owner) for scope, owner in owners]
    with Client(service.address, keys[0]) as ours:
        id = _execution(ours)
    with Client(service.address, keys[1]) as reader, pytest.raises(ServiceFault) as raised:
        reader.pause_workflow(id)
    assert (raised.value.code, raised.value.status) == ("FORBIDDEN", 403)
    assert id not in raised.value.message
    assert "hedge" not in raised.value.message
    with Client(service.address, keys[2]) as other:
        said = []
        for unseen in (id, "ex-0000000000000000"):
            with pytest.raises(ServiceFault) as raised:
                other.get_workflow_status(unseen)
            said.append(raised.value.message.replace(unseen, "X"))
        assert said[0] == said[1]
        with pytest.raises(ServiceFault) as raised:
            other.list_audit()
        assert raised.value.code == "FORBIDDEN"
        assert other.list_executions().executions == []
