"""`flowc mcp` and what is a person's: no client answers it, a person does."""

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
from flowc.runtime.store.audit_log import Audit
from flowc.runtime.store.runs import open_store
from gate_attempts import ATTEMPTS, CLEAN, FILES, PERSONS, SHIP, TALK, GateAttempt
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, InputRequiredResult
from ports import free_port

from .test_mcp_server import call, environment, passed, serving

YES = ("accept", {"answer": "yes"})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A folder, and the address of `flowc mcp` in it."""
    folder = tmp_path_factory.mktemp("gates")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    port = free_port()
    with serving(folder, port):
        yield folder, f"http://127.0.0.1:{port}/mcp"


def client(url: str, reply: Any = None, modern: bool = True) -> Client:
    """A client; one with a `reply` declares forms, and its person does that."""

    async def fill(context: Any, params: Any) -> ElicitResult:
        asked.append(params)
        return ElicitResult(action=reply[0], content=reply[1])

    asked: list[Any] = []
    mode: Any = "auto" if modern else "legacy"
    made = Client(url, mode=mode, elicitation_callback=fill if reply else None)
    made.asked = asked  # type: ignore[attr-defined]
    return made


class Attempting:
    """The calls of an attempt, one after the other."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.run = self.sealed = ""

    async def make(self, tool: str, args: dict[str, Any]) -> None:
        filled = {k: self.run if v == "RUN" else v for k, v in args.items() if k}
        beside = dict(args.get("", {}))
        if beside.get("request_state") == "SEALED":
            beside["request_state"] = await self._seal()
        with contextlib.suppress(MCPError):
            result = await self.client.call_tool(tool, filled, **beside)
            told = result.structured_content or {}
            self.run = str(told.get("run") or self.run)

    async def _seal(self) -> str | None:
        """The state of a form that another call shows."""
        first = await self.client.session.call_tool(
            "execute_workflow_step", {"run": self.run}, allow_input_required=True
        )
        assert isinstance(first, InputRequiredResult), (first, self.run)
        return first.request_state


def test_there_are_forty_attempts_and_more() -> None:
    assert len({attempt.what for attempt in ATTEMPTS}) == len(ATTEMPTS) >= 40


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.what)
def test_no_attempt_succeeds(server: tuple[Path, str], attempt: GateAttempt) -> None:
    """No node of a person's is passed in any run of the attempt, and no step out of order."""
    folder, url = server

    async def do() -> None:
        async with open_store(f"sqlite:///{folder}/.flowc/runs.db") as store:
            before = set(await store.ids())
            async with client(url, attempt.reply, attempt.modern) as made:
                attempting = Attempting(made)
                for tool, args in attempt.calls:
                    await attempting.make(tool, args)
                state = await call(made, "get_workflow_state", run=attempting.run)
            for run in set(await store.ids()) - before:
                events = await store.events(run)
                done = {
                    e.node for e in events if e.kind == "node_finished" and not e.data.get("error")
                }
                assert not done & PERSONS, events
                assert (await store.get(run)).status != "success"
            assert tuple(state.get("completed_steps", ())) == attempt.kept

    asyncio.run(asyncio.wait_for(do(), 60))


@pytest.mark.parametrize("modern", [True, False], ids=["2026", "before"])
@pytest.mark.parametrize("tool", ["load_workflow", "run_workflow"])
@pytest.mark.parametrize("file", [SHIP, CLEAN])
def test_a_person_answers_in_the_form_of_the_client(
    server: tuple[Path, str], file: str, tool: str, modern: bool
) -> None:
    async def do() -> None:
        async with client(server[1], YES, modern) as made:
            told = await call(made, tool, file_path=file)
            (form,) = made.asked  # type: ignore[attr-defined]
        assert form.requested_schema["properties"]["answer"]["enum"] == ["yes", "no"]
        assert ("Only the owner" if file == SHIP else "$ echo cleaned") in form.message
        assert told["person"] == "accept"
        async with open_store(f"sqlite:///{server[0]}/.flowc/runs.db") as store:
            assert (await store.get(told["run"])).status == "success"
            done = {e.node for e in await store.events(told["run"]) if e.kind == "node_finished"}
            assert done & PERSONS
            (noted, *_) = (row[1:] for row in await Audit(store.db).page(5))
        assert noted[1:] == (f"a person answered {told['run']} {min(done & PERSONS)}", "accept")

    asyncio.run(asyncio.wait_for(do(), 60))


@pytest.mark.parametrize("action", ["decline", "cancel"])
@pytest.mark.parametrize("file", [SHIP, CLEAN])
def test_who_declines_or_closes_the_form_has_not_said_yes(
    server: tuple[Path, str], file: str, action: str
) -> None:
    """A question waits on, whatever they did; a command is refused by who declines it."""

    async def do() -> None:
        async with client(server[1], (action, None)) as made:
            told = await call(made, "run_workflow", file_path=file)
            status = await call(made, "workflow_status", run=told["run"])
        refused = (file, action) == (CLEAN, "decline")
        assert (told["person"], status["status"]) == (action, "error" if refused else "paused")
        assert bool(status["waits_for_person"]) is not refused
        assert told.get("error", {"message": ""}) is None or "not approved" in str(told["error"])

    asyncio.run(asyncio.wait_for(do(), 60))


def test_without_forms_the_answer_says_where_the_person_answers(server: tuple[Path, str]) -> None:
    folder, url = server

    async def begin() -> Any:
        async with client(url) as made:
            return await call(made, "load_workflow", file_path=TALK)

    async def report(run: str) -> Any:
        async with client(url) as made:
            return await call(made, "report_step_result", **passed(1, answer="Rest."), run=run)

    async def end(run: str) -> Any:
        async with client(url) as made:
            return await call(made, "get_workflow_state", run=run)

    loaded = asyncio.run(begin())
    assert loaded["first_step"]["name"] == "plan"
    told = asyncio.run(report(loaded["run"]))
    (waits,) = told["waits_for_person"]
    command = waits["answer_with"].replace("TEXT", "yes").split()
    assert command[:2] == ["flowc", "resume"]
    argv = [sys.executable, "-m", *command]
    done = subprocess.run(argv, cwd=folder, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    state = asyncio.run(end(loaded["run"]))
    assert (state["is_complete"], state["variables"]["ANSWER"]) == (True, "yes")


def test_a_form_is_answered_once(server: tuple[Path, str]) -> None:
    """The state of a form and its reply, sent again, open nothing more; nor for another client."""
    reply: Any = {"person": ElicitResult(action="accept", content={"answer": "yes"})}
    args = {"file_path": SHIP}

    async def do() -> None:
        async with client(server[1], YES) as one, client(server[1]) as two:
            first = await one.session.call_tool("load_workflow", args, allow_input_required=True)
            assert isinstance(first, InputRequiredResult)
            beside = {"input_responses": reply, "request_state": first.request_state}
            stolen = await two.call_tool("load_workflow", args, **beside)
            kept = await one.call_tool("load_workflow", args, **beside)
            again = await one.call_tool("load_workflow", args, **beside)
            with pytest.raises(MCPError, match="requestState"):
                await one.call_tool("run_workflow", args, **beside)
        told = [r.structured_content or {} for r in (stolen, kept, again)]
        assert [t.get("error_type") for t in told] == ["not_asked", None, "answered_meanwhile"]
        assert told[1]["result"] == "shipped"

    asyncio.run(asyncio.wait_for(do(), 60))


def test_what_a_client_is_told_of_the_tools(server: tuple[Path, str]) -> None:
    """Hints, and a description of every parameter; none takes an answer of a person's."""

    async def do() -> Any:
        async with client(server[1]) as made:
            return (await made.list_tools()).tools

    tools = {tool.name: tool for tool in asyncio.run(do())}
    looks = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
    assert looks == {
        "get_workflow_state",
        "get_workflow_template",
        "check_workflow",
        "inspect_workflow",
        "workflow_status",
    }
    for name, tool in tools.items():
        hints = tool.annotations
        assert hints.open_world_hint is (name not in looks)
        assert name in looks or hints.destructive_hint
        for parameter, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), f"{name}({parameter})"
            assert not parameter.startswith(("answer", "approv"))
    report = tools["report_step_result"].input_schema["properties"]
    assert report["status"]["enum"] == ["passed", "failed"]


def test_the_number_that_is_reported_is_the_one_in_the_heading(server: tuple[Path, str]) -> None:
    async def do() -> None:
        async with client(server[1]) as made:
            run = (await call(made, "load_workflow", file_path="steps.md"))["run"]
            asked = await call(made, "execute_workflow_step", run=run)
            assert "# Step 1: Look" in asked["prompt"]
            assert "- step_number: 1" in asked["prompt"]
            assert (asked["step_number"], asked["total_steps"]) == (1, 3)
            told = await call(made, "report_step_result", **passed(1, BOAT="Ada"), run=run)
            assert "# Step 2: Paint" in told["prompt"]
            assert (told["step_number"], told["next_step"]) == (1, 2)

    asyncio.run(asyncio.wait_for(do(), 60))


def test_a_breakpoint_that_a_person_set_waits_for_them(server: tuple[Path, str]) -> None:
    folder, url = server
    argv = [sys.executable, "-m", "flowc", "run", SHIP, "--break", "owner", "--json"]
    done = subprocess.run(argv, cwd=folder, env=environment(), capture_output=True, text=True)
    assert done.returncode == 4, done.stderr
    run = json.loads(done.stdout)["run"]

    async def do() -> Any:
        async with client(url, YES) as made:
            return await call(made, "resume_workflow", run=run)

    told = asyncio.run(do())
    assert told["status"] == "paused"
    assert told["prompt"].endswith(f"only they go on with it: flowc resume {run}")
