"""`flowc mcp` with the client of the official SDK: both transports, a restart, a token."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from ports import free_port

BOATS = """\
### 🔧 WORKFLOW STEP: Look
```
Find a boat.
```

### 🛠️ TOOL: look

### 📤 OUTPUTS:
- result.name → BOAT

### 🔧 WORKFLOW STEP: Paint
```
Paint [BOAT].
```

### 🛠️ TOOL: paint

### 📥 INPUTS:
- BOAT: the boat
"""
GREET = """\
flow: 1
name: greet
params:
  WHO: {type: text, required: true}
outputs: [GREETING]
state: {GREETING: text}
nodes:
  - name: greet
    assign: {GREETING: '"hello " + WHO'}
"""
STEPS = {
    "load_workflow",
    "execute_workflow_step",
    "report_step_result",
    "get_workflow_state",
    "reset_workflow",
    "get_workflow_template",
}


@contextlib.contextmanager
def beside_workflows(folder: Path) -> Iterator[None]:
    """Inside, the working folder is one that holds the workflows."""
    write_workflows(folder)
    with contextlib.chdir(folder):
        yield


def write_workflows(folder: Path) -> None:
    (folder / "boats.md").write_text(BOATS, encoding="utf-8")
    (folder / "greet.flow.yaml").write_text(GREET, encoding="utf-8")


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    write_workflows(tmp_path)


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), **more}


@contextlib.asynccontextmanager
async def over_stdio(folder: Path) -> AsyncIterator[Client]:
    given = {"command": sys.executable, "args": ["-m", "flowc", "mcp"], "cwd": str(folder)}
    async with Client(stdio_client(StdioServerParameters(**given, env=environment()))) as client:
        yield client


async def call(client: Client, tool: str, **args: Any) -> Mapping[str, Any]:
    result = await client.call_tool(tool, args)
    assert result.structured_content is not None, result
    return result.structured_content


def passed(number: int, **outputs: str) -> dict[str, Any]:
    return {"step_number": number, "status": "passed", "output_variables": outputs}


class TestStdio:
    """S26: the six tools, and the guide as a resource."""

    def test_a_workflow_stepped_half_way_survives_a_restart(self, tmp_path: Path) -> None:
        async def begin() -> None:
            async with over_stdio(tmp_path) as client:
                assert {tool.name for tool in (await client.list_tools()).tools} >= STEPS
                before = await call(client, "execute_workflow_step")
                assert before["error"] == "no workflow loaded"
                loaded = await call(client, "load_workflow", file_path="boats.md")
                assert (loaded["success"], loaded["step_count"]) == (True, 2)
                answer = await call(client, "report_step_result", **passed(1, BOAT="Ada"))
                assert "Paint Ada." in answer["prompt"]

        async def end() -> None:
            async with over_stdio(tmp_path) as client:
                state = await call(client, "get_workflow_state")
                assert (state["current_step"], state["variables"]) == (2, {"BOAT": "Ada"})
                answer = await call(client, "report_step_result", **passed(2))
                assert answer["workflow_complete"] is True

        asyncio.run(begin())
        asyncio.run(end())

    def test_check_inspect_run_and_status(self, tmp_path: Path) -> None:
        async def talk() -> None:
            async with over_stdio(tmp_path) as client:
                found = await call(client, "check_workflow", file_path="boats.md")
                assert {d["code"] for d in found["diagnostics"]} == {"FC4001"}
                held = await call(client, "inspect_workflow", file_path="greet.flow.yaml")
                assert [p["name"] for p in held["params"]] == ["WHO"]
                lacking = await call(client, "run_workflow", file_path="greet.flow.yaml")
                assert "WHO" in lacking["error"]
                ran = await call(
                    client, "run_workflow", file_path="greet.flow.yaml", inputs={"WHO": "you"}
                )
                assert (ran["status"], ran["result"]) == ("success", "hello you")
                status = await call(client, "workflow_status", run=ran["run"])
                assert status["variables"]["GREETING"] == "hello you"
                away = await call(client, "run_workflow", file_path="/etc/passwd")
                assert "outside the folders" in away["error"]
                guide = await client.read_resource("flowc://guide")
                assert "WORKFLOW STEP" in guide.contents[0].text

        asyncio.run(talk())


@contextlib.contextmanager
def serving(folder: Path, port: int, host: str = "", **env: str) -> Iterator[subprocess.Popen[str]]:
    address = f"{host}:{port}" if host else str(port)
    argv = [sys.executable, "-m", "flowc", "mcp", "--http", address]
    server = subprocess.Popen(
        argv, cwd=folder, env=environment(**env), stderr=subprocess.PIPE, text=True
    )
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert server.poll() is None, server.stderr and server.stderr.read()
            time.sleep(0.05)
        yield server
    finally:
        server.kill()
        server.wait()
        assert server.stderr is not None
        server.stderr.close()


class TestHttp:
    def test_a_run_goes_on_when_its_server_was_killed(self, tmp_path: Path) -> None:
        port = free_port()
        url = f"http://127.0.0.1:{port}/mcp"

        async def begin() -> str:
            async with Client(url) as client:
                loaded = await call(client, "load_workflow", file_path="boats.md")
                run = str(loaded["run"])
                await call(client, "report_step_result", **passed(1, BOAT="Ada"), run=run)
                return run

        async def end(run: str) -> Mapping[str, Any]:
            async with Client(url) as client:
                state = await call(client, "get_workflow_state", run=run)
                assert state["current_step"] == 2
                return await call(client, "report_step_result", **passed(2), run=run)

        with serving(tmp_path, port) as server:
            run = asyncio.run(begin())
            server.send_signal(signal.SIGKILL)
            server.wait()
        with serving(tmp_path, port):
            assert asyncio.run(end(run))["workflow_complete"] is True

    def test_two_clients_have_a_workflow_each(self, tmp_path: Path) -> None:
        port = free_port()

        async def both() -> None:
            url = f"http://127.0.0.1:{port}/mcp"
            async with Client(url) as one, Client(url) as two:
                first = await call(one, "load_workflow", file_path="boats.md")
                second = await call(two, "load_workflow", file_path="boats.md")
                await call(one, "report_step_result", **passed(1, BOAT="Ada"), run=first["run"])
                state = await call(two, "get_workflow_state", run=second["run"])
                assert state["current_step"] == 1

        with serving(tmp_path, port):
            asyncio.run(both())

    def test_beyond_the_loopback_a_token_is_needed(self, tmp_path: Path) -> None:
        argv = [sys.executable, "-m", "flowc", "mcp", "--http", "0.0.0.0:9"]
        refused = subprocess.run(
            argv, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
        )
        assert refused.returncode == 2
        assert "FLOWC_MCP_TOKEN" in refused.stderr
        port = free_port()
        with serving(tmp_path, port, host="0.0.0.0", FLOWC_MCP_TOKEN="let me in"):
            url = f"http://127.0.0.1:{port}/mcp"
            for headers in ({}, {"Authorization": "Bearer wrong"}):
                request = urllib.request.Request(url, b"{}", headers)
                with pytest.raises(urllib.error.HTTPError) as caught:
                    urllib.request.urlopen(request, timeout=10)
                assert caught.value.code == 401


@pytest.mark.parametrize("address", ["x", "0", "99999", "127.0.0.1:"])
def test_what_is_no_address_is_refused(address: str, tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "flowc", "mcp", "--http", address]
    done = subprocess.run(
        argv, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "not an address" in done.stderr
