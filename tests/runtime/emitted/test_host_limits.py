"""Limits hold in a graph as they do in `flow.run`, over pauses, and anew in each turn."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import flowc
import pytest
from flowc import errors
from langchain_core.language_models import FakeListChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command
from openai_server import OpenAIServer, Say

THREAD: dict[str, Any] = {"configurable": {"thread_id": "a"}}
ROUNDS = """flow: 1
name: rounds
limits: {LIMIT}
state: {n: {type: integer, default: 0}}
agents: {host: {system: You are polite.}}
nodes:
  - {name: hello, agent: host, prompt: Say hello., into: greeting}
  - {name: more, ask: More?, choices: ["yes", "no"], into: again}
  - name: count
    assign: {n: n + 1}
    next: [{when: 'again == "yes"', to: hello}, {to: done}]
  - {name: done, end: success}
outputs: [n]
"""
LIMITS = (
    "tokens: {value: 420, then: THEN}",
    "steps: {value: 5, then: THEN}",
    "visits: {value: 2, then: THEN}",
)
PRICES = """[prices."openai:gpt-demo"]
input = 2.0
output = 10.0
"""
"""Dollars of a million tokens."""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def flow_of(limit: str) -> Any:
    model = FakeListChatModel(responses=["Good day."])
    text = ROUNDS.replace("{LIMIT}", f"{{{limit}}}")
    return flowc.load(text, model=model, answers=None)


def priced_flow(limit: str, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The same with a model that is paid for: 0.001 dollars a call."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    monkeypatch.setenv("FLOWC_BASE_URL", server.url)
    Path("flowc.toml").write_text(PRICES, encoding="utf-8")
    server.answer = lambda request: Say("Good day.", usage=(250, 50))
    return flowc.load(ROUNDS.replace("{LIMIT}", f"{{{limit}}}"), model="openai:gpt-demo")


def rounds_of_run(flow: Any) -> tuple[int, str]:
    """How many rounds `flow.run` makes before a limit, and what it says of it."""
    done, rounds = flow.run({}), 0
    while done.status == "paused":
        rounds += 1
        done = flow.resume(done.run, "yes")
    return rounds, done.error["message"]


async def rounds_of_turn(graph: Any) -> tuple[int, str]:
    """The same for a turn of a graph's thread."""
    given: Any = {}
    for rounds in range(20):
        try:
            await graph.ainvoke(given, THREAD)
        except (errors.Failure, errors.LimitReached) as stopped:
            return rounds, stopped.message
        given = Command(resume="yes")
    raise AssertionError("no limit held")


@pytest.mark.parametrize("then", ["fail", "stop"])
@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_holds_in_each_turn_where_it_holds_in_a_run(limit, then):
    holds_as_in_a_run(flow_of(limit.replace("THEN", then)))


@pytest.mark.parametrize("then", ["fail", "stop"])
def test_a_limit_on_cost_holds_in_each_turn_where_it_holds_in_a_run(
    then, openai_server, monkeypatch
):
    """Four calls would cost 0.004 dollars."""
    limit = f"cost: {{value: 0.0035, then: {then}}}"
    flow = priced_flow(limit, openai_server, monkeypatch)
    assert holds_as_in_a_run(flow) == 3


def test_a_limit_on_cost_of_one_execution_holds(openai_server, monkeypatch):
    flow = priced_flow("steps: {value: 50, then: stop}", openai_server, monkeypatch)
    with pytest.raises(errors.LimitReached) as stopped:
        flow.graph().invoke({}, context={"limits": {"cost": 0.0001}})
    assert (stopped.value.name, openai_server.requests) == ("cost", [])


def holds_as_in_a_run(flow: Any) -> int:
    """How many rounds a run makes; so do two turns of a thread with each saver."""
    expected = rounds_of_run(flow)

    async def go() -> list[tuple[int, str]]:
        graph = flow.graph(checkpointer=InMemorySaver())
        found = [await rounds_of_turn(graph) for _ in range(2)]
        async with AsyncSqliteSaver.from_conn_string("threads.db") as saver:
            graph = flow.graph(checkpointer=saver)
            found += [await rounds_of_turn(graph) for _ in range(2)]
        async with flowc.open_saver() as saver:
            graph = flow.graph(checkpointer=saver)
            return [*found, *[await rounds_of_turn(graph) for _ in range(2)]]

    assert asyncio.run(go()) == [expected] * 6
    return expected[0]


def test_a_limit_that_stopped_a_turn_counts_anew_when_it_goes_on_and_in_the_next():
    flow = flow_of("steps: {value: 5, then: stop}")

    async def go() -> None:
        graph = flow.graph(checkpointer=InMemorySaver())
        first = await rounds_of_turn(graph)
        asked = await graph.ainvoke(None, THREAD)
        assert asked["__interrupt__"]
        assert await rounds_of_turn(graph) == first

    asyncio.run(go())
