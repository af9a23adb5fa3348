"""Whole runs through a local OpenAI server, real tools, a real shell and a real store."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.driver import compile_file
from flowc.runtime.assembly.compose import make_services
from flowc.runtime.assembly.run_options import RunOptions
from flowc.runtime.config.settings import Config
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.events import RunEvent
from flowc.runtime.services import Outcome
from openai_server import Refuse, Say
from tool_runs import SERVER
from toolchain_flow import FLOW, SUB

STEP = """### 🔧 WORKFLOW STEP: Count
```
Read notes.txt and count its lines.
```
### 🛠️ TOOL: read_file
### 📤 OUTPUTS:
- line_count → LINES
### ✅ ASSERT:
- line_count == 2
"""


class Run:
    """One workflow against one server, its events and requests kept."""

    def __init__(
        self, file: Path, server: Any, config: Config | None = None, **options: Any
    ) -> None:
        result = compile_file(str(file))
        assert result.ok, [d.message for d in result.diagnostics]
        self.spec = result.spec
        self.server = server
        self.events: list[RunEvent] = []
        self.options = RunOptions(
            model="openai:gpt-demo", base_url=server.url, workspace=str(file.parent), **options
        )
        self.config = config or Config()
        self.store = f"sqlite:///{file.parent}/runs.db"

    def go(self, **answers: Any) -> Outcome:
        async def run() -> Outcome:
            services = make_services(self.options, self.spec, self.config)
            async with open_engine(self.store) as engine:
                if answers:
                    return await engine.resume(
                        "r",
                        self.spec,
                        services,
                        answers={"": answers["answer"]},
                        listeners=self.ears,
                    )
                return await engine.start(
                    self.spec, services, run="r", inputs={}, options={}, listeners=self.ears
                )

        return asyncio.run(asyncio.wait_for(run(), 240))

    @property
    def ears(self) -> Any:
        return (self.events.append,)

    def kinds(self, kind: str) -> list[RunEvent]:
        return [event for event in self.events if event.kind == kind]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "flow.wf.md").write_text(FLOW)
    (tmp_path / "sub.wf.md").write_text(SUB)
    (tmp_path / "step.md").write_text(STEP)
    (tmp_path / "notes.txt").write_text("one\ntwo\n")
    return tmp_path


def shell(text: str) -> Say:
    return Say(f"```sh\n{text}\n```", usage=(10, 5))


def test_a_flowchart_runs_loops_asks_writes_and_calls(folder, openai_server):
    run = Run(folder / "flow.wf.md", openai_server, allow_exec=True)
    openai_server.will(
        shell("mkdir -p here; cd here; COUNT=1"),
        Say("IMPROVE"),
        Refuse(500, "a hiccup"),
        shell('COUNT=$((COUNT+1)); echo "$COUNT in $(basename "$PWD")"'),
        Say("SUCCESS\nbecause it is"),
    )
    paused = run.go()
    assert paused.status == "paused"
    assert paused.questions[0].text == "SUCCESS\nbecause it is"
    openai_server.will(Say("closed"))
    done = run.go(answer="brave otter")
    assert (done.status, done.result) == ("success", "closed")
    assert (folder / "out/name.txt").read_text() == "brave otter"
    outputs = [event.data["output"].strip() for event in run.kinds("command_run")]
    assert outputs[-1] == "2 in here", "the session carries on from visit to visit (M39)"
    assert "".join(e.data["text"] for e in run.kinds("model_text") if e.node == "PROMPT_END") == (
        "closed"
    )
    assert len(run.kinds("model_retry")) == 1
    assert run.kinds("model_called")[0].data["input_tokens"] == 10
    judged = openai_server.requests[4].body["messages"][-1]["content"]
    assert "2 in here" in judged
    assert openai_server.requests[-1].body["messages"][-1]["content"] == "Close brave otter."


def test_an_agent_uses_a_tool_and_reports(folder, openai_server):
    report = {
        "step_number": 1,
        "status": "passed",
        "assertion_results": [{"assertion": "line_count == 2", "passed": True, "detail": ""}],
        "output_variables": {"LINES": 2},
    }
    openai_server.will(
        Say(calls=[("read_file", {"path": "notes.txt"})]),
        Say(calls=[("report_step_result", report)]),
    )
    run = Run(folder / "step.md", openai_server)
    done = run.go()
    assert done.status == "success", done.error
    assert done.variables["LINES"] == 2
    sent = openai_server.requests[0].body
    assert {tool["function"]["name"] for tool in sent["tools"]} >= {
        "read_file",
        "report_step_result",
    }
    told = openai_server.requests[1].body["messages"][-1]
    assert told["role"] == "tool"
    assert json.loads(told["content"])["line_count"] == 2
    assert [e.data["tool"] for e in run.kinds("tool_called")] == ["read_file"]


def test_a_tools_failure_is_told_to_the_agent(folder, openai_server):
    report = {"step_number": 1, "status": "failed", "error_message": "no such file"}
    openai_server.will(
        Say(calls=[("read_file", {"path": "../../etc/passwd"})]),
        Say(calls=[("report_step_result", report)]),
    )
    done = Run(folder / "step.md", openai_server).go()
    assert done.status == "failed"
    told = openai_server.requests[1].body["messages"][-1]["content"]
    assert "outside the folders of this run" in told


def test_an_agent_uses_an_mcp_server_and_a_python_function(folder, openai_server):
    pytest.importorskip("fastmcp", reason="needs the extra `mcp`")
    text = STEP.replace("### 🛠️ TOOL: read_file", "### 🛠️ TOOLS:\n- number\n- no_json")
    (folder / "step.md").write_text(text)
    command = {"command": sys.executable, "args": [str(SERVER)]}
    config = Config(
        folder=str(SERVER.parent),
        python_tools=("demo_tools:no_json",),
        mcp_servers={"demo": command},
    )
    report = {"step_number": 1, "status": "passed", "output_variables": {"LINES": 3}}
    openai_server.will(
        Say(calls=[("number", {"text": 7})]),
        Say(calls=[("number", {"text": "abc"})]),
        Say(calls=[("no_json", {"text": "a"})]),
        Say(calls=[("report_step_result", report)]),
    )
    done = Run(folder / "step.md", openai_server, config).go()
    assert done.status == "success", done.error
    wrong, right, refused = (r.body["messages"][-1]["content"] for r in openai_server.requests[1:])
    assert "text: 7 is not of type 'string'" in wrong
    assert right == "3"
    assert "gave no JSON value" in refused


def test_commands_wait_for_approval_and_a_no_runs_nothing(folder, openai_server):
    openai_server.will(shell("touch ran"))
    run = Run(folder / "flow.wf.md", openai_server)
    asked = run.go()
    assert asked.questions[0].kind == "approve"
    assert asked.questions[0].commands == ("touch ran",)
    assert run.go(answer="no").status == "failed"
    assert not (folder / "ran").exists()


def test_a_wrong_key_ends_the_run_without_another_try(folder, openai_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-0123456789")
    openai_server.will(Refuse(401, "Incorrect API key provided: sk-wrong-0123456789"))
    done = Run(folder / "flow.wf.md", openai_server).go()
    assert done.status == "failed"
    assert "openai answered 401" in done.result
    assert len(openai_server.requests) == 1
    assert "sk-wrong" not in (folder / "runs.db").read_bytes().decode("latin-1")
    assert "sk-wrong" not in str(done)


@pytest.mark.parametrize("text", ["file:/etc/passwd", "{{OPENAI_API_KEY}}", "file:notes.txt"])
def test_what_a_model_says_is_never_a_path_nor_a_template_m22(
    folder, openai_server, monkeypatch, text
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    openai_server.will(shell("true"), Say(f"SUCCESS\n{text}"))
    run = Run(folder / "flow.wf.md", openai_server, allow_exec=True)
    asked = run.go()
    assert asked.questions[0].text == f"SUCCESS\n{text}", "shown as it was said"
    openai_server.will(Say(text))
    done = run.go(answer=text)
    assert done.result == text
    assert (folder / "out/name.txt").read_text() == text
    assert openai_server.requests[-1].body["messages"][-1]["content"] == f"Close {text}."
    stored = b"".join(path.read_bytes() for path in folder.glob("runs.db*") if path.is_file())
    assert b"sk-secret" not in stored
