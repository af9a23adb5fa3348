"""The same workflow written for LangGraph by hand, with its own SQLite saver and nothing else."""

from __future__ import annotations

import asyncio
import operator
import subprocess
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

from .world import ANSWER, Place

PAUSED, INTERRUPTED = 4, 130


class Each(TypedDict):
    """What a branch of the fan-out is given."""

    item: str


class State(TypedDict, total=False):
    """The state of the outer graph; a list that several branches write is added to."""

    messages: Annotated[list[Any], operator.add]
    said: Annotated[list[str], operator.add]
    colour: str


def execute(place: Place, store: str) -> int:
    """Go on from the last checkpoint, or begin; answer the question when it waits. Exit code 0
    when the graph has ended."""
    try:
        return asyncio.run(_execute(place, store))
    except KeyboardInterrupt:
        return INTERRUPTED


def undisturbed(place: Place, store: str) -> Callable[[], int]:
    """The run up to its question."""
    return lambda: execute(place, store)


async def _execute(place: Place, store: str) -> int:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.types import Command

    async with AsyncSqliteSaver.from_conn_string(store) as saver:
        graph = _graph(place).compile(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": place.folder.name}}
        state = await graph.aget_state(config)
        given: Any = {} if not state.values and not state.next else None
        if state.interrupts:
            given = Command(resume=ANSWER)
        await graph.ainvoke(given, config, durability="sync")
        ended = not (await graph.aget_state(config)).next
    if ended:
        print("done", flush=True)
    return 0 if ended else PAUSED


def _graph(place: Place) -> Any:
    from langgraph.graph import StateGraph
    from langgraph.types import RetryPolicy
    from ledger_tools import flaky, look, note, put

    model = _model(place)

    def tool(function: Any, label: str) -> Any:
        async def node(state: State) -> dict[str, Any]:
            return await _in_thread(function, label)

        return node

    def shell(*labels: str) -> Any:
        async def node(state: State) -> dict[str, Any]:
            for label in labels:
                await asyncio.to_thread(subprocess.run, ["./note", label], check=True)
            return {"said": list(labels)}

        return node

    def say(word: str) -> Any:
        async def node(state: State) -> dict[str, Any]:
            return {"said": [(await model.ainvoke(f"Say {word}.")).content]}

        return node

    async def each(state: Each) -> dict[str, Any]:
        return await _in_thread(note, f"each-{state['item']}")

    async def last(state: State) -> dict[str, Any]:
        return await _in_thread(note, f"answer-{state['colour']}")

    retry = RetryPolicy(max_attempts=4, initial_interval=0.01, retry_on=OSError)
    graph = StateGraph(State)
    graph.add_node("twins", _twins(model))
    graph.add_node("once", tool(note, "once"))
    graph.add_node("again", tool(put, "idempotent"))
    graph.add_node("look", tool(look, "pure"))
    graph.add_node("shell", shell("shell-1", "shell-2"))
    graph.add_node("inner", _inner(say("inner"), tool(note, "inner")))
    graph.add_node("left", tool(note, "left"))
    graph.add_node("middle", say("middle"))
    graph.add_node("right", shell("right"))
    graph.add_node("join", lambda state: {})
    graph.add_node("each", each)
    graph.add_node("flaky", tool(flaky, "flaky"), retry_policy=retry)
    graph.add_node("ask", _ask)
    graph.add_node("last", last)
    return _connect(graph)


async def _in_thread(function: Any, label: str) -> dict[str, Any]:
    return {"said": [await asyncio.to_thread(function, label)]}


async def _ask(state: State) -> dict[str, Any]:
    from langgraph.types import interrupt

    return {"colour": interrupt("Which colour?")}


def _connect(graph: Any) -> Any:
    from langgraph.graph import START
    from langgraph.types import Send

    ways = ["twins", "once", "again", "look", "shell", "inner"]
    for source, target in zip((START, *ways), ways, strict=False):
        graph.add_edge(source, target)
    for branch in ("left", "middle", "right"):
        graph.add_edge("inner", branch)
    graph.add_edge(["left", "middle", "right"], "join")
    colours = ("red", "green", "blue")
    graph.add_conditional_edges("join", lambda s: [Send("each", {"item": c}) for c in colours])
    graph.add_edge("each", "flaky")
    graph.add_edge("flaky", "ask")
    graph.add_edge("ask", "last")
    return graph


def _model(place: Place) -> Any:
    from langchain.chat_models import init_chat_model

    return init_chat_model("openai:demo", base_url=place.base_url, max_retries=0)


def _twins(model: Any) -> Any:
    """LangChain's own agent: a subgraph with a step for each model call and its tool calls."""
    from langchain.agents import create_agent
    from langchain_core.tools import tool
    from ledger_tools import write

    @tool
    def note(label: str) -> str:
        """Note a label."""
        write(label, "")
        return f"noted {label}"

    agent = create_agent(model, [note], system_prompt="You note things.")

    async def twins(state: State) -> dict[str, Any]:
        asked = {"messages": [{"role": "user", "content": "Note the same thing twice."}]}
        await agent.ainvoke(asked)
        return {"said": ["twins"]}

    return twins


def _inner(say: Any, keep: Any) -> Any:
    from langgraph.graph import START, StateGraph

    inner = StateGraph(State)
    inner.add_node("say", say)
    inner.add_node("keep", keep)
    inner.add_edge(START, "say")
    inner.add_edge("say", "keep")
    return inner.compile()
