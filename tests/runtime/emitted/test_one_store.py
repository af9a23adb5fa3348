"""A thread of a graph with flowc's saver is a run: all see where it stands, and go on."""

from __future__ import annotations

import asyncio
from typing import Any

import flowc
import pytest
from flowc import errors
from flowc.runtime.state.initial import initial_state
from langchain_core.messages import HumanMessage
from langgraph.types import Command

THREAD: dict[str, Any] = {"configurable": {"thread_id": "a"}}
PAY = """flow: 1
name: pay
params: {amount: {type: integer, required: true}}
state: {sure: {type: text}}
nodes:
  - {name: charge, tool: charge, args: {amount: amount}, into: receipt}
  - {name: sure, ask: Sure?, choices: ["yes", "no"], into: sure}
  - name: judge
    assign: {}
    next: [{when: 'sure == "yes"', to: again}, {to: refused}]
  - {name: again, tool: charge, args: {amount: amount}, into: receipt, next: done}
  - {name: done, end: success}
  - {name: refused, end: failed}
outputs: [receipt]
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pay.flow.yaml").write_text(PAY, encoding="utf-8")
    return tmp_path


class Till:
    """A tool that charges, and counts."""

    def __init__(self) -> None:
        self.calls = 0

    def charge(self, amount: int) -> str:
        """Charge a card."""
        self.calls += 1
        return f"receipt {self.calls}"


def flow_of(till: Till) -> Any:
    return flowc.load("pay.flow.yaml", tools=[till.charge])


def in_graph(flow: Any, *given: Any) -> Any:
    """What the graph with flowc's saver gives for the last of several inputs to the thread."""

    async def go() -> Any:
        async with flowc.open_saver() as saver:
            graph = flow.graph(checkpointer=saver)
            for one in given:
                done = await graph.ainvoke(one, THREAD)
            return done

    return asyncio.run(go())


def status(flow: Any) -> str:
    (record,) = flow.runs()
    return record.status


CHAT = """flow: 1
name: chat
params: {n: {type: integer, default: 2}}
threads: {talk: {}}
agents: {host: {thread: talk, remember: both}}
nodes:
  - {name: reply, agent: host}
  - {name: sure, ask: Sure?, into: sure}
"""


def test_messages_of_a_host_are_kept_with_the_run_and_begin_it_anew_where_nothing_was():
    flow = flowc.load(CHAT, answers={"reply": "Good day."})
    said = [HumanMessage("Hello.", id="1"), ("ai", "Yes?"), {"role": "user", "content": "Hi."}]
    done = in_graph(flow, {"messages": said, "n": 3})
    assert [message.content for message in done["messages"]] == [
        "Hello.",
        "Yes?",
        "Hi.",
        "Good day.",
    ]
    (record,) = flow.runs()
    kept = record.inputs["messages"]
    assert [(m["role"], m["content"]) for m in kept] == [
        ("user", "Hello."),
        ("assistant", "Yes?"),
        ("user", "Hi."),
    ]
    begun = initial_state(flow.compiled.spec, record.inputs, {})
    assert begun["n"] == 3
    assert begun["messages"][0] == said[0]


def test_a_run_of_flow_run_is_finished_by_the_graph():
    till = Till()
    flow = flow_of(till)
    assert flow.run({"amount": 5}, run="a").status == "paused"
    done = in_graph(flow, Command(resume="yes"))
    assert (done["receipt"], till.calls, status(flow)) == ("receipt 2", 2, "success")
    with pytest.raises(errors.RunError, match="run a has ended"):
        flow.resume("a")


def test_a_thread_of_the_graph_is_finished_by_flow_resume():
    till = Till()
    flow = flow_of(till)
    in_graph(flow, {"amount": 5})
    (record,) = flow.runs()
    assert (record.id, record.status, record.inputs) == ("a", "paused", {"amount": 5})
    assert [question["node"] for question in record.questions] == ["sure"]
    done = flow.resume("a", "yes")
    assert (done.status, done.result, till.calls) == ("success", "receipt 2", 2)


def test_a_later_turn_of_the_graph_is_finished_by_flow_resume_and_the_other_way():
    till = Till()
    flow = flow_of(till)
    in_graph(flow, {"amount": 5}, Command(resume="no"))
    assert status(flow) == "failed"
    in_graph(flow, {"amount": 6})
    assert status(flow) == "paused"
    assert flow.resume("a", "yes").result == "receipt 3"
    asked = in_graph(flow, {"amount": 7})
    assert asked["__interrupt__"][0].value["node"] == "sure"
    assert in_graph(flow, Command(resume="yes"))["receipt"] == "receipt 5"


def test_a_run_that_is_being_executed_is_refused():
    flow = flow_of(Till())

    async def go() -> None:
        async with flowc.open_saver() as saver:
            graph = flow.graph(checkpointer=saver)
            async for _ in graph.astream({"amount": 5}, THREAD):
                assert (await flow.aruns())[0].status == "running"
                with pytest.raises(errors.RunError, match="being executed by another process"):
                    await flow.aresume("a")
                with pytest.raises(errors.RunError, match="being executed by another process"):
                    await graph.ainvoke(Command(resume="yes"), THREAD)

    asyncio.run(go())


def test_a_thread_that_failed_says_so():
    def charge(amount: int) -> str:
        """Refuse."""
        raise ValueError("no money")

    flow = flowc.load("pay.flow.yaml", tools=[charge])
    with pytest.raises(errors.Failure, match="no money"):
        in_graph(flow, {"amount": 5})
    (record,) = flow.runs()
    assert (record.status, "no money" in record.error["message"]) == ("error", True)


def test_a_thread_is_of_one_workflow():
    flow = flow_of(Till())
    in_graph(flow, {"amount": 5})
    other = flowc.load("flow: 1\nname: other\nnodes: [{name: a, assign: {}}]\n")
    with pytest.raises(errors.RunError, match=r"thread a is a run of pay\.flow\.yaml"):
        in_graph(other, {})


def test_a_limit_that_stopped_the_thread_counts_anew_when_it_goes_on():
    text = PAY.replace("nodes:", "limits: {steps: {value: 1, then: stop}}\nnodes:", 1)
    flow = flowc.load(text, tools=[Till().charge])
    with pytest.raises(errors.LimitReached):
        in_graph(flow, {"amount": 5})
    assert status(flow) == "stopped"
    asked = in_graph(flow, None)
    assert asked["__interrupt__"]
