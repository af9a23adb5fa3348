"""`flowc mcp` and a client that does what it should not: each is answered, and the server stays."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
from flowc.runtime.config.settings import Config
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.mcp.server import mcp_server
from flowc.runtime.stepper.stepper import Stepper
from mcp.client import Client

from .test_mcp_server import beside_workflows, call, environment, passed

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}
MALFORMED = (
    "not JSON at all",
    "{",
    "[]",
    "null",
    '"text"',
    "{}",
    '{"jsonrpc": "1.0", "id": 2, "method": "ping"}',
    '{"jsonrpc": "2.0", "id": 3}',
    '{"jsonrpc": "2.0", "id": 4, "method": 5}',
    '{"jsonrpc": "2.0", "id": {}, "method": "ping"}',
    '{"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": 7}',
    '{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": 9}}',
    '{"jsonrpc": "2.0", "id": 10, "method": "no/such/method"}',
    '{"jsonrpc": "2.0", "method": "no/such/notification"}',
    "[" * 10_000,
    "\\ud800",
)


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> Iterator[None]:
    with beside_workflows(tmp_path):
        yield


def test_messages_that_are_none_are_passed_over_or_refused(tmp_path: Path) -> None:
    """Over stdio, as another program would write them; what comes after is answered."""
    lines = [json.dumps(HELLO), *MALFORMED]
    lines += ['{"jsonrpc": "2.0", "id": "last", "method": "tools/list", "params": {}}']
    server = subprocess.Popen(
        [sys.executable, "-m", "flowc", "mcp"],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(b"\xff\xfe\n" + "\n".join([*lines, ""]).encode())
    server.stdin.flush()
    answers = []
    while not answers or answers[-1].get("id") != "last":
        line = server.stdout.readline()
        assert line, server.stderr and server.stderr.read()
        answers.append(json.loads(line))
    _, said = server.communicate(timeout=150)
    by_id = {str(a.get("id")): a for a in answers}
    assert by_id["last"]["result"]["tools"]
    for id in ("8", "10"):
        assert by_id[id]["error"]["message"], id
    assert server.returncode == 0
    assert b"Traceback" not in said, said.decode()


def test_a_store_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / ".flowc").symlink_to(".flowc")
    done = subprocess.run(
        [sys.executable, "-m", "flowc", "mcp"],
        cwd=tmp_path,
        env=environment(),
        input=json.dumps(HELLO).encode() + b"\n",
        capture_output=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 2
    assert b"the store .flowc/runs.db cannot be made" in done.stderr


def with_client(do: Any, clients: int = 1, alone: bool = True) -> None:
    """Clients of one server in this process."""

    async def run() -> None:
        async with open_engine("sqlite:///runs.db") as engine:
            numbers = iter(range(100))
            here = Path.cwd()

            @contextlib.asynccontextmanager
            async def opened() -> Any:
                yield Stepper(engine, Config(), here, lambda: f"run-{next(numbers)}")

            server = mcp_server(opened, alone=alone)
            async with contextlib.AsyncExitStack() as stack:
                given = [await stack.enter_async_context(Client(server)) for _ in range(clients)]
                await asyncio.wait_for(do(*given), 240)

    asyncio.run(run())


async def refused(client: Client, tool: str, **args: Any) -> str:
    """What is said of a call that is none."""
    result = await client.call_tool(tool, args)
    told = result.structured_content
    if told is not None:
        assert told["success"] is False, told
        return f"{told['error']} {told.get('suggestion', '')}"
    assert result.is_error
    text = " ".join(getattr(part, "text", "") for part in result.content)
    assert "Traceback" not in text
    return text


def test_unknown_tools_and_wrong_arguments_are_said_so() -> None:
    async def do(client: Client) -> None:
        with contextlib.suppress(Exception):
            assert "no_such_tool" in await refused(client, "no_such_tool")
        assert "file_path" in await refused(client, "load_workflow")
        assert "file_path" in await refused(client, "load_workflow", file_path=5)
        assert "inputs" in await refused(client, "load_workflow", file_path="x.md", inputs="A=1")
        assert "x.md" in await refused(client, "load_workflow", file_path="x.md")
        assert "outside" in await refused(client, "load_workflow", file_path="/etc/passwd")
        await call(client, "load_workflow", file_path="boats.md")
        wrong = {"step_number": "one", "status": "passed"}
        assert "step_number" in await refused(client, "report_step_result", **wrong)
        late = await refused(client, "report_step_result", **passed(2))
        assert "step 1 is the current one" in late
        results = {"assertion_results": "all of them"}
        told = await refused(client, "report_step_result", **passed(1, BOAT="Ada"), **results)
        assert "assertion_results" in told
        assert (await call(client, "get_workflow_state"))["current_step"] == 1

    with_client(do)


def test_a_run_that_is_not_stepped_or_not_there_is_refused() -> None:
    async def do(client: Client) -> None:
        ran = await call(client, "run_workflow", file_path="greet.flow.yaml", inputs={"WHO": "you"})
        for tool, args in (
            ("report_step_result", passed(1)),
            ("get_workflow_state", {}),
            ("execute_workflow_step", {}),
            ("reset_workflow", {}),
        ):
            assert "not carried out step by step" in await refused(
                client, tool, **args, run=ran["run"]
            )
            assert "no-such-run" in await refused(client, tool, **args, run="no-such-run")
        assert "no-such-run" in await refused(client, "workflow_status", run="no-such-run")
        assert "run" in await refused(client, "resume_workflow", run=ran["run"])

    with_client(do)


def test_a_run_that_has_ended_takes_no_report() -> None:
    async def do(client: Client) -> None:
        await call(client, "load_workflow", file_path="boats.md")
        await call(client, "report_step_result", **passed(1, BOAT="Ada"))
        await call(client, "report_step_result", **passed(2))
        for number in (1, 2, 3):
            assert "complete" in await refused(client, "report_step_result", **passed(number))
        assert "complete" in await refused(client, "execute_workflow_step")
        assert (await call(client, "get_workflow_state"))["is_complete"] is True

    with_client(do)


def test_of_two_clients_on_one_run_one_reports_a_step() -> None:
    """At the same moment: the other is told, and nothing is done twice."""

    async def do(one: Client, two: Client) -> None:
        loaded = await call(one, "load_workflow", file_path="boats.md")
        run = loaded["run"]
        told = await asyncio.gather(
            call(one, "report_step_result", **passed(1, BOAT="Ada"), run=run),
            call(two, "report_step_result", **passed(1, BOAT="Bo"), run=run),
        )
        good = [answer for answer in told if answer["success"]]
        (bad,) = (answer for answer in told if not answer["success"])
        assert len(good) == 1
        assert bad["error"]
        state = await call(two, "get_workflow_state", run=run)
        assert state["current_step"] == 2
        assert state["variables"]["BOAT"] in good[0]["prompt"]

    with_client(do, clients=2, alone=False)
