"""Which web pages may use the server of `flowc dev`. It asks for no token, and a page could answer
the question whether a command may run."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from importlib import import_module
from pathlib import Path

import pytest
from dev_server import dev_server

pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
from flowc.runtime.cli.serving.page_guard import PageGuard, http_settings
from flowc.runtime.emitted.project import PAGES
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

COMMAND = """\
flow: 1
name: asks
outputs: [S]
state: {S: text}
nodes:
  - {name: go, exec: "touch mark", into: S}
"""
THREAD = "11111111-1111-4111-8111-111111111111"
AS_TEXT = "text/plain"
"""What a page may send anywhere without asking first."""


@pytest.mark.studio
def test_a_page_of_another_site_approves_no_command(tmp_path: Path) -> None:
    """It may choose the name of a thread, so it need not read an answer."""
    (tmp_path / "asks.flow.yaml").write_text(COMMAND, encoding="utf-8")
    command = [sys.executable, "-m", "flowc", "dev", "asks.flow.yaml"]
    steps = (
        ("threads", {"thread_id": THREAD}),
        (f"threads/{THREAD}/runs/wait", {"assistant_id": "asks", "input": {}}),
        (f"threads/{THREAD}/runs/wait", {"assistant_id": "asks", "command": {"resume": "yes"}}),
    )
    with dev_server(tmp_path, {}, command) as server:
        for path, body in steps:
            for whose in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
                assert sent(f"{server.url}/{path}", body, whose) == 403
        program = server.client
        asked = program.runs.wait(None, "asks", input={})
        assert asked["__interrupt__"][0]["value"]["kind"] == "approve"
        studio = {"Origin": "https://smith.langchain.com"}
        assert [sent(f"{server.url}/{path}", body, studio) for path, body in steps] == [200] * 3


def sent(url: str, body: object, headers: dict[str, str]) -> int:
    whole = {"Content-Type": AS_TEXT, **headers}
    request = urllib.request.Request(url, json.dumps(body).encode(), whole)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        return refusal.code


@pytest.mark.studio
def test_langgraph_dev_answers_no_page_of_another_site_either(tmp_path: Path) -> None:
    """It serves a project that `flowc compile` wrote."""
    (tmp_path / "asks.flow.yaml").write_text(COMMAND, encoding="utf-8")
    words = [sys.executable, "-m", "flowc", "compile", "asks.flow.yaml", "-o", "built"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=120)
    with dev_server(tmp_path / "built", {}) as server:
        body = {"assistant_id": "asks", "input": {}}
        wait = f"{server.url}/runs/wait"
        for whose in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
            assert sent(wait, body, whose) == 403
        assert sent(wait, body, {"Origin": "https://smith.langchain.com"}) == 200
        assert sent(wait, body, {}) == 200


async def _accept(socket: WebSocket) -> None:
    await socket.accept()
    await socket.close()


def client(local: bool) -> TestClient:
    routes = [Route("/", lambda request: PlainTextResponse("x")), WebSocketRoute("/ws", _accept)]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(PageGuard, local=local)]))


@pytest.mark.parametrize(
    ("host", "origin", "here", "beyond"),
    [
        ("localhost:2024", None, 200, 200),
        ("127.0.0.1", None, 200, 200),
        ("[::1]:2024", None, 200, 200),
        ("evil.example", None, 403, 200),
        ("localhost.evil.example", None, 403, 200),
        ("", None, 403, 200),
        ("[", None, 403, 200),
        ("localhost:2024", "https://smith.langchain.com", 200, 200),
        ("localhost:2024", "https://eu.smith.langchain.com", 200, 200),
        ("localhost:2024", "http://smith.langchain.com", 403, 403),
        ("localhost:2024", "https://evilsmith.langchain.com", 403, 403),
        ("localhost:2024", "https://smith.langchain.com.evil.example", 403, 403),
        ("localhost:2024", "https://smith.langchain.com@evil.example", 403, 403),
        ("localhost:2024", "http://localhost:3000", 200, 200),
        ("localhost:2024", "http://localhost:3000@evil.example", 403, 403),
        ("localhost:2024", "null", 403, 403),
        ("localhost:2024", "", 403, 403),
        ("localhost:2024", "http://[", 403, 403),
        ("machine:2024", "http://machine:2024", 403, 200),
        ("machine:2024", "http://machine:80", 403, 403),
    ],
)
def test_who_may_send_a_request(host: str, origin: str | None, here: int, beyond: int) -> None:
    headers = {"host": host} | ({} if origin is None else {"origin": origin})
    for local, status in ((True, here), (False, beyond)):
        assert client(local).get("/", headers=headers).status_code == status
        if status == 200:
            with client(local).websocket_connect("/ws", headers=headers):
                continue
        with (
            pytest.raises(WebSocketDisconnect) as refused,
            client(local).websocket_connect("/ws", headers=headers),
        ):
            pass
        assert refused.value.code == 1008


def test_a_compiled_project_is_guarded_while_it_listens_on_this_machine() -> None:
    module, _, name = PAGES.partition(":")
    app = getattr(import_module(module), name)
    routes = [Route("/", lambda request: PlainTextResponse("x"))]
    there = Starlette(routes=routes, middleware=app.user_middleware)
    foreign = {"host": "evil.example", "origin": "https://evil.example"}
    page = {"host": "localhost:2024", "origin": "https://evil.example"}
    for address, status in (("127.0.0.1", 403), ("::1", 403), ("172.17.0.2", 200)):
        asked = TestClient(at(address, there))
        assert [asked.get("/", headers=one).status_code for one in (foreign, page)] == [status] * 2


def at(address: str, app: ASGIApp) -> ASGIApp:
    """The application behind a socket with this address."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "server": (address, 2024)}, receive, send)

    return call


def test_whoever_listens_beyond_this_machine_has_other_names() -> None:
    apps = {host: str(http_settings(host)["app"]) for host in ("127.0.0.1", "0.0.0.0", "machine")}
    assert [app.rpartition(":")[2] for app in apps.values()] == [
        "on_this_machine", "beyond_this_machine", "beyond_this_machine",
    ]  # fmt: skip
