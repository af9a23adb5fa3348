"""Effects are kept in any host: in a named store, the project's, the program's, or in memory."""

from __future__ import annotations

import asyncio
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import flowc
import pytest
from flowc import errors
from langchain_core.language_models import FakeListChatModel
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite.aio import AsyncSqliteStore
from langgraph.types import Command

THREAD: dict[str, Any] = {"configurable": {"thread_id": "a.b"}}
CHARGE = """flow: 1
name: charge
agents: {host: {system: You are polite.}}
nodes:
  - {name: hello, agent: host, prompt: Say hello., into: greeting}
  - {name: charge, tool: charge, args: {}, into: receipt}
  - {name: sure, ask: Again?, into: sure}
  - {name: bye, agent: host, prompt: Say bye., into: greeting}
outputs: [receipt]
"""
DECLARED = CHARGE.replace("nodes:", "tools: {charge: {effect: once}}\nnodes:")
PYTHON = """flow: 1
name: pay
nodes: [{name: charge, python: charge, into: receipt EFFECT}]
outputs: [receipt]
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def unwritable(here):
    """A project whose own store cannot be made."""
    Path(".flowc").write_text("no folder", encoding="utf-8")


class Till:
    """A tool that charges; a call that hangs when it is `stuck`."""

    def __init__(self) -> None:
        self.calls = 0
        self.stuck = False
        self.entered = asyncio.Event()

    async def charge(self) -> str:
        """Charge a card."""
        self.calls += 1
        self.entered.set()
        if self.stuck:
            await asyncio.Event().wait()
        return f"receipt {self.calls}"


def flow_of(till: Till, text: str = CHARGE, **how: Any) -> Any:
    model = FakeListChatModel(responses=["Good day."])
    return flowc.load(text, tools=[till.charge], model=model, **how)


async def cut_off(graph: Any, till: Till) -> None:
    till.stuck = True
    task = asyncio.create_task(graph.ainvoke({}, THREAD))
    await till.entered.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    till.stuck = False


async def asks_once(first: Any, second: Any, till: Till) -> None:
    """What the first graph was cut off in is asked about by the second."""
    await cut_off(first, till)
    asked = await second.ainvoke(None, THREAD)
    assert (asked["__interrupt__"][0].value["kind"], till.calls) == ("unknown", 1)
    asked = await second.ainvoke(Command(resume="paid by hand"), THREAD)
    assert (asked["__interrupt__"][0].value["kind"], till.calls) == ("ask", 1)


def test_in_memory_what_was_cut_off_is_asked_about():
    till = Till()
    flow, saver = flow_of(till), InMemorySaver()
    graphs = [flow.graph(checkpointer=saver) for _ in range(2)]
    asyncio.run(asks_once(*graphs, till))
    assert not Path(".flowc").exists()


def test_in_memory_a_limit_holds_over_pauses():
    text = CHARGE.replace("agents:", "limits: {tokens: {value: 300, then: fail}}\nagents:")
    graph = flow_of(Till(), text).graph(checkpointer=InMemorySaver())
    graph.invoke({}, THREAD)
    with pytest.raises(errors.Failure, match="the limit of `charge` of 300 tokens"):
        graph.invoke(Command(resume="yes"), THREAD)


def test_without_a_place_what_the_file_declares_once_is_refused_with_one_warning(unwritable):
    async def go() -> None:
        till = Till()
        async with AsyncSqliteSaver.from_conn_string("threads.db") as saver:
            graph = flow_of(till, DECLARED).graph(checkpointer=saver, store=InMemoryStore())
            for _ in range(2):
                with pytest.raises(errors.RunError, match="`tool charge` acts once") as told:
                    await graph.ainvoke({}, THREAD)
            assert "store .flowc/runs.db cannot be" in told.value.message
            assert "journal=" in told.value.help
            assert (await graph.aget_state(THREAD)).values["greeting"] == "Good day."
            assert till.calls == 0

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        asyncio.run(go())
    assert [str(w.message).partition(":")[0] for w in heard if w.category is RuntimeWarning] == [
        "effects are kept nowhere"
    ]


def test_without_a_place_what_nobody_declares_once_runs_with_a_warning(unwritable):
    async def go() -> tuple[int, str]:
        till = Till()
        async with AsyncSqliteSaver.from_conn_string("threads.db") as saver:
            await flow_of(till).graph(checkpointer=saver).ainvoke({}, THREAD)
            call = PYTHON.replace("EFFECT", "")
            flow = flowc.load(call, nodes={"charge": till.charge})
            paid = await flow.graph(checkpointer=saver).ainvoke(
                {}, {"configurable": {"thread_id": "b"}}
            )
            return till.calls, paid["receipt"]

    assert asyncio.run(go()) == (2, "receipt 2")


def test_without_a_place_a_function_that_the_file_declares_once_is_refused(unwritable):
    async def go() -> int:
        till = Till()
        flow = flowc.load(PYTHON.replace("EFFECT", ", effect: once"), nodes={"charge": till.charge})
        async with AsyncSqliteSaver.from_conn_string("threads.db") as saver:
            with pytest.raises(errors.RunError, match="`function charge` acts once"):
                await flow.graph(checkpointer=saver).ainvoke({}, THREAD)
        return till.calls

    assert asyncio.run(go()) == 0


def test_a_call_acts_once_where_the_file_says_so_whatever_the_tool_says():
    till = Till()
    held = tool(till.charge)
    held.metadata = {"effect": "pure"}
    model = FakeListChatModel(responses=["Good day."])
    flow, saver = flowc.load(DECLARED, tools=[held], model=model), InMemorySaver()
    asyncio.run(asks_once(*(flow.graph(checkpointer=saver) for _ in range(2)), till))


def test_where_the_project_s_store_cannot_be_written_the_program_s_own_keeps_effects(unwritable):
    async def go() -> None:
        till = Till()
        async with (
            AsyncSqliteSaver.from_conn_string("threads.db") as saver,
            AsyncSqliteStore.from_conn_string("store.db") as first,
            AsyncSqliteStore.from_conn_string("store.db") as second,
        ):
            await first.setup()
            flow = flow_of(till)
            graphs = [flow.graph(checkpointer=saver, store=store) for store in (first, second)]
            await asks_once(*graphs, till)
            kept = await second.asearch(("flowc",), limit=100)
            tables = {item.namespace[2] for item in kept}
            assert tables == {"effects", "finished", "notes", "charges"}

    asyncio.run(go())


def test_where_nothing_can_be_written_a_command_says_so_in_words(unwritable):
    text = 'flow: 1\nname: c\nnodes: [{name: run, exec: "echo hello", into: x}]\noutputs: [x]\n'
    graph = flowc.load(text, permissions=flowc.Permissions(commands="allow")).graph()
    with pytest.raises(errors.Failure, match=r"the run's commands, cannot be made"):
        graph.invoke({})


def test_a_named_store_that_cannot_be_written_is_not_replaced(unwritable):
    async def go() -> None:
        async with AsyncSqliteSaver.from_conn_string("threads.db") as saver:
            flow = flow_of(Till(), journal="sqlite:///.flowc/mine.db")
            with pytest.raises(errors.RunError, match=r"\.flowc/mine\.db cannot be"):
                await flow.graph(checkpointer=saver).ainvoke({}, THREAD)

    asyncio.run(go())
