"""`flowc mcp` and several clients: whose run a call is about, and who is told of in records."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
from flowc.runtime.cli.app import run as flowc
from flowc.runtime.config.settings import Config
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.mcp.clients import AT_WORK, Clock, client_of, utc_now
from flowc.runtime.mcp.server import mcp_server
from flowc.runtime.stepper.stepper import Stepper
from flowc.runtime.store.audit_log import Audit
from flowc.runtime.store.runs import open_store
from mcp.client import Client
from mcp_types import Implementation

from .test_mcp_server import beside_workflows, call, free_port, passed, serving

STORE = "sqlite:///runs.db"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> Iterator[None]:
    with beside_workflows(tmp_path):
        yield


@contextlib.asynccontextmanager
async def server(
    store: str = STORE, *, alone: bool = False, clock: Clock = utc_now
) -> AsyncIterator[Any]:
    """A server as a process has it: called with a name, it gives a client of that name."""

    @contextlib.asynccontextmanager
    async def opened() -> AsyncIterator[Stepper]:
        async with open_engine(store) as engine:
            numbers = itertools.count(len(await engine.store.ids()))
            yield Stepper(engine, Config(), Path.cwd(), lambda: f"run-{next(numbers)}")

    made = mcp_server(opened, alone=alone, clock=clock)
    async with contextlib.AsyncExitStack() as stack:

        async def client(name: str) -> Client:
            info = Implementation(name=name, version="1")
            return await stack.enter_async_context(Client(made, client_info=info))

        yield client


async def audit(store: str = STORE) -> list[tuple[str, str, str]]:
    """Who, operation, outcome; the oldest first."""
    async with open_store(store) as opened:
        return [row[1:] for row in reversed(await Audit(opened.db).page(100))]


async def load(client: Client) -> str:
    return str((await call(client, "load_workflow", file_path="boats.md"))["run"])


async def report(client: Client, number: int, run: str | None = None) -> Any:
    about = {"run": run} if run else {}
    return await call(client, "report_step_result", **passed(number, BOAT="Ada"), **about)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_http_no_call_steps_the_run_of_another_client(tmp_path: Path, mode: Any) -> None:
    """Also where the protocol has no sessions (`auto`): a call that names no run is nobody's."""
    port = free_port()

    async def both() -> None:
        url = f"http://127.0.0.1:{port}/mcp"
        async with Client(url, mode=mode) as one, Client(url, mode=mode) as two:
            mine, other = await load(one), await load(two)
            told = await report(one, 1)
            assert (told["success"], told.get("run", mine)) == (mode == "legacy", mine)
            assert "run" in told.get("suggestion", "run")
            await report(one, 1, mine)
            for client in (one, two):
                state = await call(client, "get_workflow_state", run=other)
                assert state["current_step"] == 1
            assert (await call(two, "get_workflow_state", run=mine))["current_step"] == 2

    with serving(tmp_path, port):
        asyncio.run(both())


def test_a_run_that_another_session_steps_is_not_disturbed(tmp_path: Path) -> None:
    port = free_port()

    async def both() -> None:
        url = f"http://127.0.0.1:{port}/mcp"
        async with Client(url, mode="legacy") as one, Client(url, mode="legacy") as two:
            run = await load(one)
            for tool, args in (
                ("execute_workflow_step", {}),
                ("report_step_result", passed(1, BOAT="Bo")),
                ("reset_workflow", {}),
                ("resume_workflow", {}),
            ):
                told = await call(two, tool, **args, run=run)
                assert (told["success"], told["error_type"]) == (False, "stepped_by_another"), tool
                assert "take_over" in told["suggestion"]
            told = await report(one, 1, run)
            assert "Paint Ada." in told["prompt"]
            taken = await call(two, "execute_workflow_step", run=run, take_over=True)
            assert "Paint Ada." in taken["prompt"]
            assert (await report(one, 2, run))["error_type"] == "stepped_by_another"
            assert (await report(two, 2, run))["workflow_complete"] is True

    with serving(tmp_path, port):
        asyncio.run(both())


def test_the_record_and_the_audit_log_tell_which_client() -> None:
    async def do() -> None:
        async with server() as client:
            ana, ben = await client("ana"), await client("b\x1ben \N{OCTOPUS}")
            run = await load(ana)
            await report(ben, 1, run)
            await call(ben, "execute_workflow_step", run=run, take_over=True)
            await call(ben, "execute_workflow_step", run=run)
            await report(ben, 1, run)
            greeted = await call(
                ana, "run_workflow", file_path="greet.flow.yaml", inputs={"WHO": "you"}
            )
            lost = await call(ana, "load_workflow", file_path="../\ud800\0.md")
            assert lost["success"] is False
        async with open_store(STORE) as store:
            assert (await store.get(run)).options["stepped_by"] == "b?en ?"
            assert (await store.get(greeted["run"])).options["client"] == "ana"
        assert await audit() == [
            ("mcp: ana", f"load_workflow {run}", "done"),
            ("mcp: b?en ?", f"report_step_result {run}", "stepped_by_another"),
            ("mcp: b?en ?", f"execute_workflow_step {run}", "done"),
            ("mcp: b?en ?", f"report_step_result {run}", "done"),
            ("mcp: ana", f"run_workflow {greeted['run']}", "done"),
            ("mcp: ana", "load_workflow ../??.md", "refused"),
        ]

    asyncio.run(do())


def test_a_run_says_for_whom_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    async def do() -> tuple[str, str]:
        async with server() as client:
            ana, inputs = await client("ana"), {"WHO": "you"}
            ran = await call(ana, "run_workflow", file_path="greet.flow.yaml", inputs=inputs)
            return await load(ana), str(ran["run"])

    for run in asyncio.run(do()):
        assert flowc(["show", run, "--store", STORE]) == 0
        assert "for ana, over MCP" in capsys.readouterr().out


def test_a_run_that_nobody_is_at_work_on_is_anybodys() -> None:
    """After a while without a call, and at once when the server is gone."""

    passed = timedelta()

    async def do() -> None:
        nonlocal passed
        async with server(clock=lambda: utc_now() + passed) as client:
            ana, ben = await client("ana"), await client("ben")
            run = await load(ana)
            assert (await report(ben, 1, run))["error_type"] == "stepped_by_another"
            passed = AT_WORK
            assert (await report(ben, 1, run))["success"] is True
            passed = timedelta()  # reports bear the time of the store
            assert (await report(ana, 2, run))["error_type"] == "stepped_by_another"
            async with server() as elsewhere:
                cy = await elsewhere("cy")
                assert (await report(cy, 2, run))["error_type"] == "stepped_by_another"
        async with server() as client:
            assert (await report(await client("dan"), 2, run))["workflow_complete"] is True

    asyncio.run(do())


def test_over_stdio_an_assistant_takes_up_its_own_run_alone() -> None:
    """Two assistants, each with a server of its own, on one store."""

    async def state(client: Client) -> Any:
        return await call(client, "get_workflow_state")

    async def do() -> None:
        async with server(alone=True) as one:
            run = await load(await one("ana"))
            for name in ("ben", "ana"):  # the run of a server that lives is nobody else's
                async with server(alone=True) as two:
                    told = await state(await two(name))
                    assert told["error_type"] == "not_loaded", name
        async with server(alone=True) as two:
            assert (await state(await two("ben")))["error_type"] == "not_loaded"
        async with server(alone=True) as again:
            ana = await again("ana")
            assert (await state(ana))["run"] == run
            await report(ana, 1)
            assert (await report(ana, 2))["workflow_complete"] is True

    asyncio.run(do())


def test_what_is_kept_of_a_client_opens_nothing() -> None:
    """A session's id is a part of what lets its client in."""
    info = Implementation(name="n" * 100, version="1")
    first, second = client_of(info, "s" * 32, False), client_of(info, "t" * 32, False)
    assert first.label.startswith("n" * 60 + " (")
    assert first.label != second.label
    assert "ssss" not in first.label
    assert (first.known, client_of(info, None, False).known) == (True, False)
    assert client_of(None, None, True).label == "a client (stdio)"


def test_of_three_reports_at_once_one_counts() -> None:
    async def do() -> None:
        async with server("memory:") as client:
            ana = await client("ana")
            runs = [await load(ana)]
            told = await asyncio.gather(*(report(ana, 1, runs[0]) for _ in range(3)))
            assert sorted(answer["success"] for answer in told) == [False, False, True]
            state = await call(ana, "get_workflow_state", run=runs[0])
            assert state["current_step"] == 2

    asyncio.run(do())
