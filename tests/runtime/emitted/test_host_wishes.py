"""What a host gives a graph beside its inputs: savers, stores, LangGraph's own limits, turns."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import flowc
import pytest
from flowc import errors
from greeting import GREET
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

LOOP = """flow: 1
name: loop
params: {most: {type: integer, default: 20}}
state: {n: {type: integer, default: 0}}
nodes:
  - name: count
    assign: {n: n + 1}
    next: [{when: n < most, to: count}]
outputs: [n]
"""
THREAD: dict[str, Any] = {"configurable": {"thread_id": "a"}}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"store": 5}, "`store` is a store of LangGraph's, not 5"),
        ({"checkpointer": "x"}, "`checkpointer` is a checkpointer of LangGraph's, not 'x'"),
        ({"checkpointer": True}, "`checkpointer` is a checkpointer of LangGraph's, not True"),
    ],
)
def test_what_keeps_nothing_is_refused(how, words):
    with pytest.raises(errors.RunError, match=words):
        flowc.load(LOOP).graph(**how)


@pytest.mark.parametrize("name", [7, uuid.UUID(int=1)])
def test_a_thread_may_be_named_by_a_number_or_a_uuid(name):
    thread: Any = {"configurable": {"thread_id": name}}
    graph = flowc.load(GREET, answers={"hello": "Good day."}).graph(InMemorySaver())
    graph.invoke({"WHO": "Ada"}, thread)
    assert graph.get_state(thread).values["WHO"] == "Ada"


def test_a_failure_says_its_place_in_the_file_and_the_remedy():
    def look() -> dict[str, int]:
        return {"b": 1}

    flow = flowc.load(
        "flow: 1\nnodes:\n  - {name: a, python: look, sets: [n]}\nstate: {n: integer}\n",
        nodes={"look": look},
    )
    with pytest.raises(errors.Failure, match=r"^<text>:3:12: `look` sets `b`.* \(`sets` names `n`"):
        flow.graph().invoke({})


def test_a_lower_limit_of_langgraph_s_counts_and_the_thread_goes_on():
    graph = flowc.load(LOOP).graph(checkpointer=InMemorySaver())
    with pytest.raises(GraphRecursionError):
        graph.invoke({}, {**THREAD, "recursion_limit": 5})
    assert 0 < graph.get_state(THREAD).values["n"] < 20
    assert graph.invoke(None, THREAD)["n"] == 20


def test_a_limit_that_the_graph_is_bound_to_counts_too():
    graph = flowc.load(LOOP).graph().with_config(recursion_limit=5)
    with pytest.raises(GraphRecursionError):
        graph.invoke({})
    assert graph.invoke({}, {"recursion_limit": 100})["n"] == 20


def test_without_a_wish_flowc_s_own_limit_counts_alone():
    """LangChain's default would end it after 25 steps."""
    graph = flowc.load(LOOP).graph()
    assert graph.invoke({"most": 40})["n"] == 40

    async def last_event() -> Any:
        async for event in graph.astream_events({"most": 40}, version="v2"):
            last = event
        return last

    assert asyncio.run(last_event())["data"]["output"]["n"] == 40


def test_a_higher_limit_of_langgraph_s_lifts_none_of_flowc_s():
    graph = flowc.load(LOOP).graph(checkpointer=InMemorySaver())
    with pytest.raises(errors.LimitReached, match="4 steps are done"):
        graph.invoke({}, {**THREAD, "recursion_limit": 500}, context={"limits": {"steps": 4}})


CALLS = """flow: 1
name: twice
params: {most: {type: integer, default: 2}}
state: {n: any}
nodes:
  - {name: first, call: loop.flow.yaml, with: {most: most}, returns: {n: n}}
  - {name: ask, ask: Well?, into: n}
"""


def test_the_step_of_an_event_counts_from_the_begin_of_its_turn(here):
    (here / "loop.flow.yaml").write_text(LOOP)
    (here / "twice.flow.yaml").write_text(CALLS)
    graph = flowc.load("twice.flow.yaml").graph(checkpointer=InMemorySaver())

    def steps(given: Any) -> list[tuple[str, int]]:
        events = graph.stream(given, THREAD, stream_mode="custom")
        return [(e["node"], e["data"]["step"]) for e in events if e["kind"] == "node_started"]

    first = steps({})
    assert [node for node, _ in first if node in ("first", "count", "ask")] == [
        *("first", "count", "count", "ask")
    ]
    assert (first[0][1], first[1][1]) == (1, 1), "a called workflow begins its own"
    answered = steps(Command(resume="fine"))
    assert answered[0] == ("ask", first[-1][1])
    assert steps({}) == first
    assert steps({}) == first, "a turn that leaves a question behind"


SPEAKS = """flow: 1
name: speaks
params: {messages: {type: list, required: true}}
threads: {hall: {}}
agents: {host: {thread: hall, system: You are polite.}}
state: {said: text}
nodes:
  - {name: hello, agent: host, prompt: "Answer {{ messages[0] }}", into: said}
outputs: [said]
"""


def test_a_parameter_called_messages_is_an_input_beside_a_conversation():
    flow = flowc.load(SPEAKS, answers={"hello": "Good day."})
    assert flow.ok
    graph = flow.graph(checkpointer=InMemorySaver())
    assert graph.get_input_jsonschema()["properties"]["messages"] == {"type": "array"}
    for number in range(2):
        done = graph.invoke({"messages": [f"one {number}"]}, THREAD)
        assert done["messages"] == [f"one {number}"]
        assert done["said"] == "Good day."
    assert flow.run({"messages": ["one"]}).result == "Good day."
    with pytest.raises(errors.RunError, match="needs the input `messages`"):
        graph.invoke({}, THREAD)


def test_a_parameter_called_messages_is_not_filled_by_the_conversation_of_a_graph_around_it():
    inner = flowc.load(SPEAKS, answers={"hello": "Good day."}).graph()
    around = StateGraph(MessagesState)
    around.add_node("inner", inner)
    around.add_edge(START, "inner")
    around.add_edge("inner", END)
    with pytest.raises(errors.RunError, match="`messages`"):
        around.compile().invoke({"messages": [("user", "Hello")]})
