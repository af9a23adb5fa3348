"""`flowc serve` as a process: a model and two people, kill -9, tokens beyond this machine."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fleet import until
from forks import Begun
from openai_server import Hang, OpenAIServer, Recorded, Say
from ports import free_port

from .conftest import contract, gate, step, team

PATIENCE = 120.0


def environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join(part for part in sys.path if part)
    return {**os.environ, "PYTHONPATH": path, "OPENAI_API_KEY": "sk-nobody", **more}


class Curl:
    """What a program without any client of ours sends."""

    def __init__(self, port: int) -> None:
        self.base = f"http://127.0.0.1:{port}/v1"

    def __call__(self, path: str, body: Any = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            return dict(json.load(error))

    def waits_for(self, id: str, step: str) -> str:
        """The assignment of a step, once it is somebody's turn."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for active in self(f"/executions/{id}")["active_steps"]:
                if active["step_id"] == step and active["status"] != "blocked":
                    return str(active["assignment_id"])
            time.sleep(0.05)
        raise AssertionError(self(f"/executions/{id}"))


@contextlib.contextmanager
def serving(folder: Path, port: int, *args: str, **env: str) -> Iterator[Begun]:
    argv = ("serve", "--port", str(port), *args)
    with Begun(folder, argv, environment(**env)) as server:
        server.listen()
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert server.poll() is None, server.said
            assert time.monotonic() < end
            time.sleep(0.02)
        yield server


def result(text: str, score: float) -> Say:
    return Say(calls=[("complete_task", {"output": text, "score": score})])


def test_a_collaboration_survives_kill_9(tmp_path: Path) -> None:
    """A model gathers, two people go on; the process is killed between the steps."""
    port = free_port()
    curl = Curl(port)
    with OpenAIServer() as model:
        model.answer = lambda request: result("three sources", 0.9)
        (tmp_path / "flowc.toml").write_text(f'base_url = "{model.url}"\n', encoding="utf-8")
        with serving(tmp_path, port) as server:
            workflow = curl("/workflows", contract(quality_gates=gate(0.8)))["workflow_id"]
            made = curl("/teams", team("researcher"))
            asked = {"workflow_id": workflow, "team_id": made["team_id"]}
            id = curl("/executions", asked)["execution_id"]
            first = curl.waits_for(id, "analyse")
            server.send_signal(signal.SIGKILL)
            server.wait()
        agents = {agent["role"]: agent["agent_id"] for agent in made["agents"]}
        with serving(tmp_path, port) as server:
            _analyse(curl, id, first, agents["synthesizer"])
            held = curl(f"/executions/{id}/pause", {"pause_reason": "night"})
            server.send_signal(signal.SIGKILL)
            server.wait()
        with serving(tmp_path, port):
            assert curl(f"/executions/{id}")["workflow_status"] == "paused"
            wrong = curl(f"/executions/{id}/resume", {"resume_token": "wrong"})
            assert wrong["error_code"] == "INVALID_RESUME_TOKEN"
            curl(f"/executions/{id}/resume", {"resume_token": held["resume_token"]})
            _complete(curl, id, curl.waits_for(id, "write"), "written", 0.9)
            status = curl(f"/executions/{id}?include_details=true&include_metrics=true")
        assert (status["workflow_status"], status["result"]) == ("completed", "written")
        assert status["overall_progress"]["completion_percentage"] == 100
        assert status["performance_metrics"]["quality_trend"] == [0.9, 0.8, 0.9]
        assert len(model.requests) == 1, "what the model did is not done again"


def _analyse(curl: Curl, id: str, first: str, other: str) -> None:
    """The step is given to somebody else, whose completion counts."""
    status = curl(f"/executions/{id}?include_details=true")
    assert [s["step_id"] for s in status["completed_steps"]] == ["gather"]
    assert status["completed_steps"][0]["quality_score"] == 0.9
    asked = {"step_id": "analyse", "agent_id": other, "override_role_check": True}
    given = curl(f"/executions/{id}/assignments", asked)
    late = _complete(curl, id, first, "late", 0.7)
    assert late["error_code"] == "ASSIGNMENT_NOT_FOUND"
    told = _complete(curl, id, given["assignment_id"], "two agree", 0.8)
    assert told["triggers_next_steps"] == ["write"]


def _complete(curl: Curl, id: str, assignment: str, text: str, score: float) -> dict[str, Any]:
    data = {"status": "completed", "output": text, "quality_self_assessment": score}
    body = {"assignment_id": assignment, "completion_data": data}
    return curl(f"/executions/{id}/completions", body)


def test_it_listens_beyond_this_machine_only_with_tokens(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "flowc"]
    wide = [*argv, "serve", "--host", "0.0.0.0", "--port", str(free_port())]
    about: dict[str, Any] = {
        "cwd": tmp_path,
        "env": environment(),
        "capture_output": True,
        "text": True,
        "check": False,
    }
    refused = subprocess.run(wide, **about)
    assert refused.returncode == 2
    assert "flowc token create" in refused.stderr
    made = subprocess.run([*argv, "token", "create", "ana", "--scope", "read"], **about)
    key = made.stdout.strip()
    assert key.startswith("flowc_")
    listed = subprocess.run([*argv, "token", "list"], **about)
    assert "ana  read  all teams" in listed.stdout
    assert key not in listed.stdout
    port = free_port()
    with serving(tmp_path, port, "--host", "0.0.0.0"):
        assert Curl(port)("/workflows")["error_code"] == "UNAUTHENTICATED"
        request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/workflows")
        request.add_header("Authorization", f"Bearer {key}")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            assert json.load(answer)["workflows"] == []
    gone = subprocess.run([*argv, "token", "revoke", "ana"], **about)
    assert (gone.returncode, "revoked 1" in gone.stderr) == (0, True)


def at_a_model(curl: Curl) -> str:
    """An execution whose only step is a model's."""
    made = curl("/teams", team("researcher"))
    workflow = curl("/workflows", contract(steps=[step("gather")]))["workflow_id"]
    asked = {"workflow_id": workflow, "team_id": made["team_id"]}
    return str(curl("/executions", asked)["execution_id"])


def asked_once(model: OpenAIServer) -> None:
    until(lambda: bool(model.requests))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_first_signal_lets_a_step_finish_and_ends_with_0(
    tmp_path: Path, number: signal.Signals
) -> None:
    port, sent = free_port(), threading.Event()
    with OpenAIServer() as model:

        def answer(request: Recorded) -> Say:
            assert sent.wait(PATIENCE)
            return result("found", 0.9)

        model.answer = answer
        (tmp_path / "flowc.toml").write_text(f'base_url = "{model.url}"\n', encoding="utf-8")
        with serving(tmp_path, port) as server:
            id = at_a_model(Curl(port))
            asked_once(model)
            server.send_signal(number)
            sent.set()
            assert server.wait(PATIENCE) == 0
        with serving(tmp_path, port):
            about = f"/executions/{id}"
            until(lambda: Curl(port)(about)["workflow_status"] == "completed")
        assert len(model.requests) == 1, "its answer was kept"


def test_the_second_signal_ends_a_service_at_once(tmp_path: Path) -> None:
    """Which an answer that never comes would hold for as long as it is waited for."""
    port = free_port()
    with OpenAIServer() as model:
        model.answer = lambda request: Hang()
        (tmp_path / "flowc.toml").write_text(f'base_url = "{model.url}"\n', encoding="utf-8")
        with serving(tmp_path, port) as server:
            at_a_model(Curl(port))
            asked_once(model)
            for word in ("once more", "flowc gives up"):
                server.send_signal(signal.SIGTERM)
                until(lambda word=word: word in str(server.said))
            assert server.wait(PATIENCE) == 130
