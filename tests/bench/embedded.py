"""flowc as a guest: imported, embedded in somebody's own graph, and compiled into a project.

Each figure stands beside the same thing without flowc: a process that imports nothing, the same
steps written by hand in LangGraph, a plain graph with as many nodes.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import flowc
from flowc.runtime.emitted.verify import load_module
from lowering import by_hand
from steps import State
from timing import alternated, line, ratio

LENGTH = 1_000
ROUNDS = 7
STARTS = 15
SHIPPED = "menu"
"""The workflow of which graphs are made."""


def report() -> None:
    """Print the four comparisons."""
    imports()
    text = chain(LENGTH)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        print(f"{LENGTH:,} trivial steps as a node of another graph")
        steps(text)
        kept_steps(text, Path(folder))
        made(Path(folder))
    compiled(text)


def chain(length: int) -> str:
    """Flow YAML of nodes one after another, each of which assigns a value."""
    nodes = "".join(f"  - {{name: a{n}, assign: {{RESULT: '\"{n}\"'}}}}\n" for n in range(length))
    return f"flow: 1\nname: bench\nnodes:\n{nodes}outputs: [RESULT]\n"


def imports() -> None:
    """`import flowc` in a fresh process."""
    sides = {
        "flowc": lambda: subprocess.run([sys.executable, "-c", "import flowc"], check=True),
        "bare": lambda: subprocess.run([sys.executable, "-c", "pass"], check=True),
    }
    times = alternated(sides, STARTS)
    _compare("import flowc", "a process that imports nothing", times, ("flowc", "bare"), 1.2)


def steps(text: str) -> None:
    """Nothing is kept: what a step costs by itself."""
    ours, theirs = outer(flowc.load(text).graph()), outer(by_hand(LENGTH).compile())
    sides = {
        "flowc": lambda: asyncio.run(_invoke(ours)),
        "hand": lambda: asyncio.run(_invoke(theirs)),
    }
    _compare(
        "flow.graph() in a StateGraph", "by hand", alternated(sides, ROUNDS), ("flowc", "hand"), 1.1
    )


def kept_steps(text: str, folder: Path) -> None:
    """Each step is kept in SQLite before the next begins; flowc has its journal beside it."""
    flow = flowc.load(text, journal=f"sqlite:///{folder}/journal.db")
    names = iter(range(1_000))

    def kept(inner: Any) -> Any:
        return asyncio.run(_kept(inner, folder / f"{next(names)}.db"))

    ours, theirs = flow.graph(), by_hand(LENGTH).compile()
    sides = {"flowc": lambda: kept(ours), "hand": lambda: kept(theirs)}
    _compare("with journal", "by hand", alternated(sides, ROUNDS), ("flowc", "hand"), 1.25)


async def _kept(inner: Any, file: Path) -> None:
    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    async with aiosqlite.connect(file) as db:
        await _invoke(outer(inner, AsyncSqliteSaver(db)), durability="sync")


def outer(inner: Any, saver: Any = None) -> Any:
    """Somebody's own graph, in which the other is a node."""
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(State)
    graph.add_node("inner", inner)
    graph.add_edge(START, "inner")
    graph.add_edge("inner", END)
    return graph.compile(checkpointer=saver)


async def _invoke(app: Any, **choices: Any) -> None:
    config: Any = {"configurable": {"thread_id": "bench"}, "recursion_limit": 3 * LENGTH}
    state = await app.ainvoke({}, config, **choices)
    assert state["RESULT"] == str(LENGTH - 1), state


def made(folder: Path) -> None:
    """The graph of a compiled project, once it is imported: what it costs to make it anew."""
    command = [sys.executable, "-m", "flowc", "compile", SHIPPED, "-o", str(folder / "project")]
    subprocess.run(command, check=True, capture_output=True)
    module = load_module(folder / f"project/graphs/{SHIPPED}.py")
    size = len(module.build().nodes)
    sides = {
        "flowc": lambda: module.PARTS.compile(module.build()),
        "hand": lambda: by_hand(size).compile(),
    }
    times = alternated(sides, 5 * ROUNDS)
    print(f"the graph of the project of `{SHIPPED}`, {size} nodes")
    line("flowc", f"{1000 * statistics.median(times['flowc']):.1f} ms", "target: 10 or less")
    line("a plain graph of as many nodes", f"{1000 * statistics.median(times['hand']):.1f} ms")


def compiled(text: str) -> None:
    """A graph of LangGraph's, from a workflow that has been loaded."""
    flow = flowc.load(text)
    sides = {"flowc": flow.graph, "hand": lambda: by_hand(LENGTH).compile()}
    print(f"{LENGTH:,} nodes to a compiled graph")
    times = alternated(sides, ROUNDS)
    _compare("flow.graph()", "by hand", times, ("flowc", "hand"), 1.5)


def _compare(
    ours: str, theirs: str, times: dict[str, list[float]], sides: tuple[str, str], target: float
) -> None:
    one, other = (times[side] for side in sides)
    took = ratio(one, other)
    note = f"{took:.2f} (target {target:g})"
    line(ours, f"{1000 * statistics.median(one):.0f} ms", note)
    line(theirs, f"{1000 * statistics.median(other):.0f} ms")
