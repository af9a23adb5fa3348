"""Turn and line are part of an effect's key and of what is charged, in any host."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import Any, TypedDict

import flowc
import pytest
from flowc import errors
from langchain_core.language_models import FakeListChatModel
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

THREAD: dict[str, Any] = {"configurable": {"thread_id": "a"}}
CHARGE = """flow: 1
name: charge
state: {amount: {type: integer, default: 1}, sure: {type: text}}
nodes:
  - {name: charge, tool: charge, args: {amount: amount}, into: receipt}
  - {name: sure, ask: Sure?, into: sure}
  - {name: again, tool: charge, args: {amount: amount}, into: receipt}
outputs: [receipt]
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Till:
    """A tool that charges: the keys of its calls, and a call that hangs when it is `stuck`."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.stuck = False
        self.entered = asyncio.Event()

    async def charge(self, amount: int, idempotency_key: str = "") -> str:
        """Charge a card."""
        self.keys.append(idempotency_key)
        self.entered.set()
        if self.stuck:
            await asyncio.Event().wait()
        return f"receipt {len(self.keys)}"


@asynccontextmanager
async def graph_of(text: str, **how: Any):
    async with AsyncSqliteSaver.from_conn_string("threads.db") as saver:
        yield flowc.load(text, **how).graph(checkpointer=saver)


async def cut_off(graph: Any, till: Till, given: Any = None) -> None:
    """Execute until the till is in the middle of a charge, and no further."""
    till.stuck = True
    till.entered.clear()
    task = asyncio.create_task(graph.ainvoke(given, THREAD))
    await till.entered.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    till.stuck = False


async def before(graph: Any, node: str) -> Any:
    """The checkpoint before a node, as LangGraph's history names it."""
    past = [state async for state in graph.aget_state_history(THREAD)]
    return next(state.config for state in past if state.next == (node,))


def test_a_replay_from_an_earlier_checkpoint_does_not_reuse_what_was_done():
    async def go(till: Till) -> None:
        async with graph_of(CHARGE, tools=[till.charge]) as graph:
            await graph.ainvoke({}, THREAD)
            await graph.ainvoke(None, await before(graph, "charge"))
            assert len(till.keys) == len(set(till.keys)) == 2
            done = await graph.ainvoke(Command(resume="yes"), THREAD)
            assert (done["receipt"], len(set(till.keys))) == ("receipt 3", 3)

    asyncio.run(go(Till()))


def test_an_edit_of_an_earlier_checkpoint_does_not_reuse_what_was_done():
    async def go(till: Till) -> None:
        async with graph_of(CHARGE, tools=[till.charge]) as graph:
            await graph.ainvoke({}, THREAD)
            earlier = await before(graph, "charge")
            fork = await graph.aupdate_state(earlier, {"amount": 2}, as_node=START)
            await graph.ainvoke(None, fork)
            assert len(set(till.keys)) == 2

    asyncio.run(go(Till()))


TWO = CHARGE.replace("nodes:", "nodes:\n  - {name: fork, assign: {}, next: [sure, charge]}")


def test_another_answer_to_an_old_question_does_not_reuse_what_was_done_beside_it():
    text = TWO.replace(
        "into: receipt}\n  - {name: sure, ask: Sure?, into: sure}",
        "next: []}\n  - {name: sure, ask: Sure?, into: sure}",
    )

    async def go(till: Till) -> None:
        async with graph_of(text, tools=[till.charge]) as graph:
            await graph.ainvoke({}, THREAD)
            asked = (await graph.aget_state(THREAD)).config
            await graph.ainvoke(Command(resume="yes"), THREAD)
            assert len(set(till.keys)) == 2
            await graph.ainvoke(Command(resume="no"), asked)
            assert len(till.keys) == len(set(till.keys)) == 4

    asyncio.run(go(Till()))


def test_to_name_the_newest_checkpoint_is_to_name_the_thread():
    async def go(till: Till) -> None:
        async with graph_of(CHARGE, tools=[till.charge]) as graph:
            await cut_off(graph, till, {})
            newest = (await graph.aget_state(THREAD)).config
            asked = await graph.ainvoke(None, newest)
            assert asked["__interrupt__"][0].value["kind"] == "unknown"
            assert len(till.keys) == 1

    asyncio.run(go(Till()))


def test_a_call_that_was_to_be_repeated_and_was_cut_off_again_is_asked_about_again():
    async def go(till: Till) -> None:
        async with graph_of(CHARGE, tools=[till.charge]) as graph:
            await cut_off(graph, till, {})
            for calls in (1, 2):
                asked = await graph.ainvoke(None, THREAD)
                assert asked["__interrupt__"][0].value["kind"] == "unknown"
                assert len(till.keys) == calls
                await cut_off(graph, till, Command(resume="repeat"))
            await graph.ainvoke(None, THREAD)
            done = await graph.ainvoke(Command(resume="paid by hand"), THREAD)
            assert done["__interrupt__"][0].value["kind"] == "ask"
            assert (done["receipt"], len(till.keys)) == ("paid by hand", 3)

    asyncio.run(go(Till()))


def test_nobody_goes_back_while_an_effect_is_in_doubt():
    async def go(till: Till) -> None:
        async with graph_of(CHARGE, tools=[till.charge]) as graph:
            await graph.ainvoke({}, THREAD)
            earlier = await before(graph, "charge")
            await cut_off(graph, till, Command(resume="yes"))
            for attempt in (
                graph.ainvoke(None, earlier),
                graph.aupdate_state(earlier, {"amount": 2}, as_node=START),
                graph.aupdate_state(THREAD, {"amount": 2}),
            ):
                with pytest.raises(errors.RunError, match="what became of `tool charge`"):
                    await attempt
            await graph.ainvoke(None, THREAD)
            await graph.ainvoke(Command(resume="fail"), THREAD, stream_mode="updates")

    with pytest.raises(errors.Failure, match="decided to count as failed"):
        asyncio.run(go(Till()))


def test_another_turn_leaves_what_was_in_doubt():
    async def go(till: Till) -> None:
        async with graph_of(CHARGE, tools=[till.charge]) as graph:
            await cut_off(graph, till, {})
            asked = await graph.ainvoke({}, THREAD)
            assert asked["__interrupt__"][0].value["kind"] == "ask"
            await graph.aupdate_state(THREAD, {"amount": 2}, as_node="charge")
            assert len(set(till.keys)) == 2

    asyncio.run(go(Till()))


TALK = """flow: 1
name: talk
agents: {host: {system: You are polite.}}
nodes:
  - {name: hello, agent: host, prompt: Say hello., into: greeting}
  - {name: sure, ask: Again?, into: sure}
  - {name: bye, agent: host, prompt: Say bye., into: greeting}
outputs: [greeting]
"""


def test_a_turn_is_charged_over_its_pauses_and_edits_and_each_line_for_itself():
    async def go() -> None:
        model = FakeListChatModel(responses=["Good day to you."])
        async with graph_of(TALK, model=model) as graph:
            await graph.ainvoke({}, THREAD)
            earlier = await before(graph, "hello")
            await graph.aupdate_state(THREAD, {"greeting": "Hi."}, as_node="hello")
            await graph.ainvoke(None, THREAD)
            await graph.ainvoke(Command(resume="yes"), THREAD)
            runs = charges()
            assert list(runs.values()) == [2]
            await graph.ainvoke(None, earlier)
            assert sorted(charges().values()) == [1, 2]
            await graph.ainvoke({}, THREAD)
            assert sorted(charges().values()) == [1, 1, 2]

    asyncio.run(go())


def charges() -> dict[str, int]:
    """How many model calls were charged to each turn and line, in the store of the project."""
    import sqlite3

    with sqlite3.connect(".flowc/runs.db") as db:
        return dict(db.execute("select run, count(*) from charges group by run").fetchall())


def test_a_node_of_another_graph_asks_about_what_was_cut_off():
    class Parent(TypedDict, total=False):
        receipt: str

    async def go(till: Till) -> None:
        flow = flowc.load(CHARGE, tools=[till.charge]).graph()
        builder = StateGraph(Parent)
        builder.add_node("pay", flow)
        builder.add_edge(START, "pay")
        builder.add_edge("pay", END)
        async with AsyncSqliteSaver.from_conn_string("threads.db") as saver:
            graph = builder.compile(checkpointer=saver)
            await cut_off(graph, till, {})
            asked = await graph.ainvoke(None, THREAD)
            assert asked["__interrupt__"][0].value["kind"] == "unknown"
            asked = await graph.ainvoke(Command(resume="paid by hand"), THREAD)
            assert asked["__interrupt__"][0].value["kind"] == "ask"
            done = await graph.ainvoke(Command(resume="yes"), THREAD)
            assert (done["receipt"], len(till.keys)) == ("receipt 2", 2)

    asyncio.run(go(Till()))


def test_an_effect_waits_for_the_step_of_the_graph_around():
    class Lagging(AsyncSqliteSaver):
        """Keeps the steps of the outer graph in the middle of a charge, or late."""

        async def aput(self, config: Any, *rest: Any) -> Any:
            if not config["configurable"]["checkpoint_ns"]:
                with suppress(TimeoutError):
                    await asyncio.wait_for(till.entered.wait(), 0.3)
            return await super().aput(config, *rest)

    async def charge(amount: int) -> str:
        """Charge a card where the step before is kept."""
        till.entered.set()
        kept = await saver.aget_tuple(THREAD)
        return "late" if kept is None else "in time"

    class Parent(TypedDict, total=False):
        receipt: str

    async def go() -> None:
        nonlocal saver, till
        till = Till()
        builder = StateGraph(Parent)
        builder.add_node("pay", flowc.load(CHARGE, tools=[charge]).graph())
        builder.add_edge(START, "pay")
        async with Lagging.from_conn_string("threads.db") as saver:
            graph = builder.compile(checkpointer=saver)
            await graph.ainvoke({}, THREAD)
            inside = (await graph.aget_state(THREAD, subgraphs=True)).tasks[0].state
            assert inside.values["receipt"] == "in time"

    saver: Any = None
    till: Any = None
    asyncio.run(go())


def test_an_answer_to_a_thread_that_has_not_begun_is_refused():
    async def go() -> None:
        async with graph_of(CHARGE, tools=[Till().charge]) as graph:
            with pytest.raises(errors.RunError, match="nothing of thread a to go on with"):
                await graph.ainvoke(Command(resume="yes"), THREAD)

    asyncio.run(go())
