"""1,000 trivial steps through flowc, beside the same graph written by hand in LangGraph.

Both keep every step in a SQLite file with LangGraph's saver, the same settings and durability
"sync"; both are timed from the graph's description to the end of the run. What flowc adds is what
the time pays for: the journal, events, visit counts, the run's record and its lock.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any, TypedDict

from flowc.compiler.driver import compile_text
from flowc.compiler.lowering.graphspec import GraphSpec
from texts import chain
from timing import line, medians

LENGTH = 1_000
ROUNDS = 5


def report() -> None:
    """Print the seconds of both and their ratio."""
    result = compile_text(chain(LENGTH), "bench.wf.md")
    assert result.ok, result.diagnostics
    with tempfile.TemporaryDirectory() as folder:
        names = iter(range(1_000))
        both = medians(
            {
                "flowc": lambda: asyncio.run(through_flowc(result.spec, Path(folder), next(names))),
                "by hand": lambda: asyncio.run(by_hand(LENGTH, Path(folder), next(names))),
            },
            ROUNDS,
        )
    print(f"{LENGTH} steps, each of them kept in SQLite before the next begins")
    line("flowc", f"{both['flowc']:.2f} s", f"{LENGTH / both['flowc']:.0f} steps a second")
    line("the same graph in LangGraph, by hand", f"{both['by hand']:.2f} s")
    line("ratio", f"{both['flowc'] / both['by hand']:.2f}", "target: 1.15 or less")


async def through_flowc(spec: GraphSpec, folder: Path, number: int) -> None:
    """Run the chain with the engine on a fresh store."""
    from flowc.runtime.engine.engine import open_engine

    async with open_engine(f"sqlite:///{folder}/flowc-{number}.db") as engine:
        outcome = await engine.start(spec, _services, run=f"bench-{number}", inputs={}, options={})
    assert outcome.status == "success", outcome


def _services(journal: Any, emit: Any) -> Any:
    """What the engine asks for; a chain of assignments calls none of it."""
    from flowc.runtime.budget.budget import RunBudget
    from flowc.runtime.services import Services

    unused: Any = _Unused()
    return Services(
        models=unused,
        tools=unused,
        shell=unused,
        files=unused,
        journal=journal,
        emit=emit,
        budget=RunBudget(),
    )


class _Unused:
    """Opens and closes, and answers nothing."""

    label = "nothing"
    is_model = False

    async def open(self) -> None: ...

    async def close(self) -> None: ...


class State(TypedDict, total=False):
    """The variables of the chain."""

    RESULT: str
    STATUS: str


async def by_hand(length: int, folder: Path, number: int) -> None:
    """The same chain, as somebody would write it who has no need for anything else."""
    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.graph import END, START, StateGraph

    def assign(value: str) -> Any:
        async def node(state: State) -> State:
            return {"RESULT": value}

        return node

    async def begin(state: State) -> State:
        return {"STATUS": "DOING"}

    async def end(state: State) -> State:
        return {"STATUS": "SUCCESS"}

    graph = StateGraph(State)
    graph.add_node("START", begin)
    graph.add_edge(START, "START")
    before = "START"
    for n in range(1, length + 1):
        graph.add_node(f"ASSIGN_{n}", assign(str(n)))
        graph.add_edge(before, f"ASSIGN_{n}")
        before = f"ASSIGN_{n}"
    graph.add_node("SUCCESS", end)
    graph.add_edge(before, "SUCCESS")
    graph.add_edge("SUCCESS", END)
    async with aiosqlite.connect(folder / f"hand-{number}.db") as db:
        app = graph.compile(checkpointer=AsyncSqliteSaver(db))
        config: Any = {"configurable": {"thread_id": "bench"}, "recursion_limit": length + 10}
        state = await app.ainvoke({}, config, durability="sync")
    assert state["RESULT"] == str(length)
