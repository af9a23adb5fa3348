"""Two agents, scripts between them and a person, through a local OpenAI server and real workers."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from flowc.compiler.catalog.builtin_tools import ASK_TOOL
from flowc.compiler.ir import (
    Agent,
    AgentNode,
    ChooseNode,
    Script,
    ScriptNode,
    Seed,
    StateField,
    Thread,
    Tool,
)
from flowc.runtime.assembly.compose import make_services
from flowc.runtime.assembly.run_options import RunOptions
from flowc.runtime.config.settings import Config
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.services import Outcome
from openai_server import Say
from specs import SUCCESS, case, edge, lit, name, program

SOURCE = """const answer = (self) => self.last_response?.choices?.[0]?.message ?? {};
export default {
  begin() {
    this.workflow_contexts.get('shop').addMessage({ role: 'user', content: this.data.wish });
  },
  served() {
    this.workflow_contexts.get('shop').addMessage('assistant', answer(this).content);
    this.rounds = (this.rounds ?? 0) + 1;
  },
  decided() {
    const call = answer(this).tool_calls?.find((one) => one.function.name === 'decide');
    const { more, text } = JSON.parse(call?.function.arguments ?? '{}');
    if (!more) {
      this.data.summary = `${text ?? 'nothing'} after ${this.rounds}`;
      return 'stop';
    }
    this.workflow_contexts.get('shop').addMessage('user', text);
    return 'serve';
  },
};
"""
DECIDE = Tool(
    id="decide",
    source="declared",
    result="answer",
    description="Say whether you need more.",
    schema={
        "type": "object",
        "properties": {"more": {"type": "boolean"}, "text": {"type": "string"}},
        "required": ["more"],
    },
)


def script(function: str, **fields: Any) -> ScriptNode:
    shared = {"shares": ("data", "last_response"), "fixed": ("data",), "threads": ("shop",)}
    return ScriptNode(
        id=function, script="s", function=function, keeps="own", **{**shared, **fields}
    )


def shop() -> Any:
    """A worker serves, a customer (the other side of the same thread) decides or asks."""
    return program(
        script("begin"),
        AgentNode(id="serve", agent="worker", prompt=None, reply_into="last_response"),
        script("served"),
        AgentNode(id="decide", agent="customer", prompt=None, reply_into="last_response"),
        script("decided", into="next"),
        ChooseNode(id="way", on=name("next")),
        SUCCESS,
        edges=(
            edge("decided", "way"),
            case("way", "serve", "serve"),
            case("way", "stop", "SUCCESS"),
        ),
        agents=(
            Agent(id="worker", thread="shop", system=lit("You work in a shop.")),
            Agent(
                id="customer",
                thread="shop",
                perspective="user",
                system=lit("You are a customer."),
                tools=("decide", ASK_TOOL),
            ),
        ),
        tools=(DECIDE,),
        threads=(Thread(id="shop", seed=(Seed(role="system", content="A small shop."),)),),
        scripts=(Script(id="s", language="javascript", source=SOURCE, file="shop/script.js"),),
        state=(
            StateField(name="data", type="object", default={"wish": "bread"}),
            *(StateField(name=n, type="any") for n in ("own", "last_response", "next")),
        ),
        outputs=("data",),
    )


def go(spec: Any, server: Any, folder: Path, answer: str | None = None) -> Outcome:
    async def run() -> Outcome:
        options = RunOptions(model="openai:gpt-demo", base_url=server.url, workspace=str(folder))
        services = make_services(options, spec, Config())
        async with open_engine(f"sqlite:///{folder}/runs.db") as engine:
            if answer is not None:
                return await engine.resume("r", spec, services, answers={"": answer})
            return await engine.start(spec, services, run="r", inputs={}, options={})

    return asyncio.run(asyncio.wait_for(run(), 240))


def asked(server: Any, number: int) -> list[tuple[str, Any]]:
    messages = server.requests[number].body["messages"]
    return [(m["role"], m.get("content")) for m in messages]


def test_two_sides_of_a_conversation_with_scripts_between_them_j14_j17_j44(
    tmp_path: Path, openai_server: Any
) -> None:
    spec = shop()
    openai_server.will(
        Say("Aisle 3."),
        Say(calls=[(ASK_TOOL, {"question": "Butter too?"})]),
    )
    paused = go(spec, openai_server, tmp_path)
    assert (paused.status, paused.questions[0].text) == ("paused", "Butter too?")
    openai_server.will(
        Say(calls=[("decide", {"more": True, "text": "And butter?"})]),
        Say("Aisle 5."),
        Say("Well.", calls=[("decide", {"more": False, "text": "Bread, butter"})]),
    )
    outcome = go(spec, openai_server, tmp_path, "yes, salted")
    assert outcome.status == "success"
    assert outcome.result == {"wish": "bread", "summary": "Bread, butter after 2"}
    assert asked(openai_server, 0) == [
        ("system", "You work in a shop."),
        ("system", "A small shop."),
        ("user", "bread"),
    ]
    talk = [("system", "You are a customer."), ("system", "A small shop."), ("assistant", "bread")]
    assert asked(openai_server, 1) == [*talk, ("user", "Aisle 3.")]
    assert asked(openai_server, 2)[-1] == ("tool", "yes, salted")
    assert asked(openai_server, 4) == [
        *talk,
        ("user", "Aisle 3."),
        ("assistant", "And butter?"),
        ("user", "Aisle 5."),
    ]
    offered = [tool["function"] for tool in openai_server.requests[1].body["tools"]]
    assert [tool["name"] for tool in offered] == ["decide", ASK_TOOL]
    assert offered[0]["parameters"] == DECIDE.schema
    assert len(openai_server.requests) == 5


def test_a_model_that_writes_no_json_is_asked_again_and_the_script_sees_only_json_j25(
    tmp_path: Path, openai_server: Any
) -> None:
    openai_server.will(
        Say("Aisle 3."),
        Say(calls=[("decide", '{"more": fal')]),
        Say(calls=[("decide", {"more": False})]),
    )
    outcome = go(shop(), openai_server, tmp_path)
    assert outcome.result == {"wish": "bread", "summary": "nothing after 1"}
    assert json.dumps(outcome.variables["last_response"]["tool_calls"][0]["args"]) == (
        '{"more": false}'
    )


TRIAL = """flow: 1
name: trial
state:
  data: {type: object, default: {n: 0}}
scripts:
  s:
    source: |
      export function step(by) {
        this.data.n += by;
        if (this.data.n > 2) throw new Error('too much');
      }
nodes:
  - {name: one, script: s, function: step, args: [2], shares: [data]}
"""
TWICE = f"{TRIAL}  - {{name: two, script: s, function: step, args: [1], shares: [data]}}\n"


def test_an_emitted_graph_runs_its_scripts(flowc: Any) -> None:
    flowc.write("trial.flow.yaml", TRIAL)
    assert flowc("compile", "trial.flow.yaml", "-o", "out").returncode == 0
    program = """
from trial import graph
print(graph.invoke({})["data"])
"""
    root = Path(__file__).resolve().parents[2]
    env = {**os.environ, "PYTHONPATH": f"{flowc.folder}/out/graphs:{root}/.types"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=flowc.folder / "out",
        env=env,
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.stdout == "{'n': 2}\n", done.stderr


def test_an_error_in_a_script_is_shown_in_the_scripts_own_lines_j30(flowc: Any) -> None:
    flowc.write("trial.flow.yaml", TWICE)
    done = flowc("run", "trial.flow.yaml")
    assert done.returncode == 1
    assert "error: two failed: too much" in done.stderr
    assert "--> trial.flow.yaml:10:40" in done.stderr
    assert "if (this.data.n > 2) throw new Error('too much');" in done.stderr
    assert json.loads(flowc("run", "trial.flow.yaml", "--json").stdout)["variables"] == {
        "data": {"n": 2}
    }
