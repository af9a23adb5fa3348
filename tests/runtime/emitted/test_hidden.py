"""A host sees nothing of flowc's own, at any level: no `$…` channel, no node of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, TypedDict

import flowc
import pytest
from flowc.runtime.emitted.hidden import shown_part
from langchain_core.language_models import FakeListChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import StateSnapshot

CALLS = """flow: 1
name: outer
params: {amount: {type: integer, required: true}}
state: {about: {type: object, default: {$ref: mine}}}
agents: {host: {}}
threads: {hall: {}}
nodes:
  - {name: tell, message: "{{ amount }}", thread: hall}
  - {name: hello, agent: host, prompt: "Hi {{ amount }}", into: greeting}
  - {name: inner, call: inner, with: {n: amount}, returns: {done: m}}
outputs: [done, greeting, about]
workflows:
  inner:
    params: {n: {type: integer, required: true}}
    nodes:
      - {name: double, assign: {m: n * 2}}
      - {name: sure, ask: Sure?, choices: ["yes", "no"], into: s}
    outputs: [m, s]
"""
MODES = ("values", "updates", "debug", "tasks", "checkpoints")


class Around(TypedDict):
    amount: int
    done: int


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def flow() -> Any:
    return flowc.load(CALLS, model=FakeListChatModel(responses=["Hi."]))


@pytest.fixture(params=["alone", "within"])
def graph(request, flow) -> Any:
    """The graph, and one of which it is a node."""
    if request.param == "alone":
        return flow.graph(checkpointer=InMemorySaver())
    around = StateGraph(Around)
    around.add_node("flow", flow.graph())
    around.add_edge(START, "flow")
    return around.compile(checkpointer=InMemorySaver())


def own_keys(value: Any) -> Iterator[str]:
    """Yield the keys of flowc's own, at any depth."""
    if isinstance(value, dict):
        yield from (key for key in value if str(key).startswith("$") and key != "$ref")
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from own_keys(part)


THREAD: Any = {"configurable": {"thread_id": "a"}}


@pytest.mark.parametrize("mode", [*MODES, list(MODES)])
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_no_stream_shows_a_channel_of_flowcs_own(graph, mode, version):
    choices = {"stream_mode": mode, "subgraphs": True, "version": version}
    parts = list(graph.stream({"amount": 2}, THREAD, **choices))
    assert "greeting" in str(parts)
    assert list(own_keys(parts)) == []
    assert list(graph.stream({"amount": 2}, THREAD, stream_mode=mode, version=version))


def test_no_state_shows_one(graph):
    graph.invoke({"amount": 2}, THREAD)
    state = graph.get_state(THREAD, subgraphs=True)
    assert isinstance(state.tasks[0].state, StateSnapshot)
    history = list(graph.get_state_history(THREAD))
    assert list(own_keys([state, *history])) == []
    states = [asyncio.run(graph.aget_state(THREAD, subgraphs=True))]
    assert list(own_keys(states)) == []


def test_a_state_shows_no_node_that_the_file_does_not_have(flow):
    graph = flow.graph(checkpointer=InMemorySaver())
    graph.invoke({"amount": 2}, THREAD)
    drawn = set(graph.get_graph().nodes)
    for state in graph.get_state_history(THREAD):
        assert set(state.next) <= drawn


def test_no_event_shows_one(flow):
    graph = flow.graph(checkpointer=InMemorySaver())

    async def go() -> list[Any]:
        events = graph.astream_events({"amount": 2}, THREAD, version="v2")
        return [event["data"] async for event in events]

    data = asyncio.run(go())
    assert "greeting" in str(data)
    assert list(own_keys(data)) == []


def test_keys_of_the_users_own_are_shown(flow):
    graph = flow.graph(checkpointer=InMemorySaver())
    graph.invoke({"amount": 2}, THREAD)
    assert graph.get_state(THREAD).values["about"] == {"$ref": "mine"}
    assert shown_part("updates", {"a": [{"$visits": 1, "b": {"$ref": 1}}]}) == {
        "a": [{"b": {"$ref": 1}}]
    }
