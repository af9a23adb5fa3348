"""A saver's connection belongs to the event loop that opened it; graphs are executed on others."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import Any, TypedDict

import flowc
import pytest
from flowc import errors
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command

THREAD: dict[str, Any] = {"configurable": {"thread_id": "a"}}
GREET = """flow: 1
name: greet
params: {who: {type: text, required: true}}
state: {sure: {type: text}}
nodes:
  - {name: count, tool: count, args: {text: who}, into: length}
  - {name: sure, ask: Sure?, choices: ["yes", "no"], into: sure}
  - {name: again, tool: count, args: {text: sure}, into: length}
outputs: [length]
"""


def count(text: str) -> int:
    """Count characters."""
    return len(text)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@asynccontextmanager
async def savers(any_store: str, kind: str) -> Any:
    if kind == "flowc":
        async with flowc.open_saver(any_store) as saver:
            yield saver
    else:
        async with AsyncSqliteSaver.from_conn_string("threads.db") as saver:
            yield saver


class Shared(TypedDict):
    who: str
    length: int


def executions(graph: Any) -> tuple[str, int]:
    graph.invoke({"who": "Ada"}, THREAD)
    assert graph.get_state(THREAD).next == ("sure",)
    graph.update_state(THREAD, {"who": "Bob"})
    done = graph.invoke(Command(resume="yes"), THREAD)
    return graph.get_state(THREAD).values["who"], done["length"]


@pytest.mark.parametrize("kind", ["flowc", "langgraph"])
def test_a_graph_is_invoked_in_another_thread_than_its_savers(any_store, kind, wait):
    async def go() -> None:
        async with savers(any_store, kind) as saver:
            flow = flowc.load(GREET, tools=[count], journal=any_store)
            graph = flow.graph(checkpointer=saver)
            assert await asyncio.to_thread(executions, graph) == ("Bob", 3)

    wait(go())


@pytest.mark.parametrize("kind", ["flowc", "langgraph"])
def test_a_flow_is_a_node_of_a_graph_that_is_invoked_in_another_thread(any_store, kind, wait):
    async def go() -> None:
        async with savers(any_store, kind) as saver:
            around: Any = StateGraph(Shared)
            flow = flowc.load(GREET, tools=[count], journal=any_store)
            around.add_node("greet", flow.graph())
            around.add_edge(START, "greet")
            graph = around.compile(checkpointer=saver)
            asked = await asyncio.to_thread(graph.invoke, {"who": "Ada"}, THREAD)
            assert asked["__interrupt__"][0].value["node"] == "sure"
            done = await asyncio.to_thread(graph.invoke, Command(resume="yes"), THREAD)
            assert done["length"] == 3

    wait(go())


def test_a_saver_is_asked_on_any_loop(any_store, wait):
    async def go() -> None:
        async with flowc.open_saver(any_store) as saver:
            graph = flowc.load(GREET, tools=[count], journal=any_store).graph(checkpointer=saver)
            await graph.ainvoke({"who": "Ada"}, THREAD)

            async def elsewhere() -> int:
                found = [item async for item in saver.alist(THREAD)]
                assert (await graph.aget_state(THREAD)).next == ("sure",)
                await saver.adelete_thread("a")
                return len(found)

            assert await asyncio.to_thread(asyncio.run, elsewhere()) > 1
            assert await saver.aget_tuple(THREAD) is None

    wait(go())


@pytest.mark.parametrize("kind", ["flowc", "langgraph"])
def test_on_its_own_thread_a_saver_would_wait_for_itself(any_store, kind, wait):
    async def go() -> None:
        async with savers(any_store, kind) as saver:
            graph = flowc.load(GREET, tools=[count]).graph(checkpointer=saver)
            with pytest.raises(errors.RunError, match=r"wait for itself.*ainvoke"):
                graph.invoke({"who": "Ada"}, THREAD)

    wait(go())
