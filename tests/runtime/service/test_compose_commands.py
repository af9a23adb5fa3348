"""The commands of the compose file, begun as the processes that its containers are: a service that
executes nothing, two workers, and the check of its health."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from forks import Begun
from ports import free_port
from stores import SERVER, fresh_store

from .test_processes import environment
from .test_search import GREET

FILE = Path(__file__).parents[3] / "docs/operations/compose.yaml"
PATIENCE = 120.0
pytestmark = pytest.mark.skipif(not SERVER, reason="needs a PostgreSQL server")


class Ana:
    """Who asks the service with a token."""

    def __init__(self, port: int, token: str) -> None:
        self.base, self.token = f"http://127.0.0.1:{port}/v1", token

    def __call__(self, path: str, body: Any = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(self.base + path, data, headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return dict(json.load(answer))


def begun(stack: ExitStack, folder: Path, command: list[str], env: dict[str, str]) -> Begun:
    process = stack.enter_context(Begun(folder, tuple(str(word) for word in command), env))
    process.listen()
    return process


def test_what_compose_begins_executes_and_ends_cleanly(tmp_path: Path) -> None:
    services = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]
    port = free_port()
    with fresh_store("postgresql", tmp_path) as url, ExitStack() as stack:
        env = environment(FLOWC_STORE=url)
        serve = [*services["serve"]["command"], "--port", str(port)]
        flowc = [sys.executable, "-m", "flowc"]
        asked = [*flowc, "token", "create", "ana", "--scope", "admin"]
        token = subprocess.check_output(asked, env=env, cwd=tmp_path, text=True).split()[-1]
        processes = [begun(stack, tmp_path, serve, env)]
        for _ in range(services["worker"]["deploy"]["replicas"]):
            processes.append(begun(stack, tmp_path, services["worker"]["command"], env))
        _, *test = services["serve"]["healthcheck"]["test"]
        check = [word.replace("8321", str(port)) for word in [sys.executable, *test[1:]]]
        end = time.monotonic() + PATIENCE
        while subprocess.run(check, capture_output=True, check=False).returncode:
            assert time.monotonic() < end, "".join(processes[0].said)
            time.sleep(0.2)
        ana = Ana(port, token)
        made = ana("/workflows", {"file_name": "greet.flow.yaml", "source": GREET})
        body = {"workflow_id": made["workflow_id"], "input_parameters": {"NAME": "Ada"}}
        ids = [ana("/executions", body)["execution_id"] for _ in range(6)]
        while any(ana(f"/executions/{id}")["workflow_status"] != "completed" for id in ids):
            assert time.monotonic() < end
            time.sleep(0.1)
        assert [w["health"] for w in ana("/workers")["workers"]] == ["works", "works"]
        assert ana("/ready")["executes"] is False
        for process in processes:
            process.send_signal(signal.SIGTERM)
        assert [process.wait(PATIENCE) for process in processes] == [0, 0, 0]
