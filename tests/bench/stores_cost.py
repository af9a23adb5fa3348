"""What keeping a run costs, in SQLite and in PostgreSQL, each beside bare LangGraph.

Both sides use LangGraph's saver for that store with durability "sync", and the same store settings.
FLOWC_TEST_POSTGRES names a server on which databases may be made; without it SQLite is measured
alone. Seconds are from opening the store to the end of the run, medians of alternating rounds;
ratios are medians of those of each round.
"""

from __future__ import annotations

import asyncio
import operator
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, TypedDict

from timing import alternated, line, ratio

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))

import specs
from flowc.compiler.expr.ast import Binary
from flowc.compiler.ir import AskNode, ChooseNode, Param, ToolNode
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.graph.build import build
from stores import KINDS, SERVER, ask, fresh_store
from worlds import Functions, World

LENGTH = 1_000
ROUNDS = 5
LINE = 1_000
"""Characters that a step appends."""


def report() -> None:
    """Print the five comparisons for each store."""
    for kind in KINDS:
        if kind == "postgresql" and not SERVER:
            print("PostgreSQL: skipped, FLOWC_TEST_POSTGRES names no server")
            continue
        print(f"{kind}, {LENGTH} steps, each of them kept before the next begins")
        steps(kind)
        sizes(kind)
        resumes(kind)
        history(kind)


def steps(kind: str) -> None:
    plain = specs.program(
        *(specs.assign(f"a{n}", N=specs.lit(n)) for n in range(LENGTH)), specs.SUCCESS
    )
    tools = [ToolNode(id=f"t{n}", tool="note", into="RESULT") for n in range(LENGTH)]
    times = alternated(
        {
            "bare": lambda: in_store(kind, lambda url: bare(kind, url, numbered(LENGTH))),
            "flowc": lambda: in_store(kind, lambda url: through_flowc(url, plain)),
            "effects": lambda: in_store(
                kind, lambda url: through_flowc(url, specs.program(*tools, specs.SUCCESS))
            ),
        },
        ROUNDS,
    )
    seconds = {name: statistics.median(took) for name, took in times.items()}
    line(
        "LangGraph by hand", f"{seconds['bare']:.2f} s", f"{LENGTH / seconds['bare']:.0f} a second"
    )
    for name, title, target in (
        ("flowc", "flowc", "target 1.0 in SQLite, 1.10 in PostgreSQL"),
        ("effects", "flowc, one journalled effect in each", "target 1.3 and 1.4"),
    ):
        note = f"{ratio(times[name], times['bare']):.2f} ({target})"
        line(title, f"{seconds[name]:.2f} s", note)


def sizes(kind: str) -> None:
    """Bytes after a loop whose steps append to a list; flowc decides in each round, too."""
    spec = looped(LENGTH, LIST=specs.text(filler(), specs.name("N")))
    ours = in_store(kind, lambda url: through_flowc(url, spec), measure=True)
    bares = in_store(kind, lambda url: bare(kind, url, appending(LENGTH)), measure=True)
    line(f"{LENGTH} steps append {LINE} bytes each", f"{ours / 1e6:.1f} MB", "(target 12)")
    line("a plain list in LangGraph", f"{bares / 1e6:.1f} MB")
    for size, rounds, target in ((1, 40, 3), (15, 200, 40)):
        kept = in_store(kind, lambda url, s=size, r=rounds: idle(url, s, r), measure=True)
        what = f"a parameter of {size} MB that {rounds} rounds leave as it is"
        line(what, f"{kept / 1e6:.1f} MB", f"(target {target} in SQLite)")


def resumes(kind: str) -> None:
    """Seconds from `resume` to the first new node, after many steps and after few."""
    for length in (10 * LENGTH, LENGTH, 10):
        seconds = in_store(kind, lambda url, n=length: first_new_node(url, n), result=True)
        took, note = f"{seconds * 1000:.0f} ms", "(target 50 for 10,000)"
        line(f"from resume to the first new node, {length:,} steps", took, note)


def history(kind: str) -> None:
    """Seconds for all checkpoints of a run with their variables, and for LangGraph's own."""
    with tempfile.TemporaryDirectory() as folder, fresh_store(kind, Path(folder)) as url:
        ours, bares = asyncio.run(looked_back(url))
    line(f"history of {LENGTH} steps", f"{ours * 1000:.0f} ms", f"{ours / bares:.3f}")
    line("LangGraph's aget_state_history", f"{bares:.2f} s")


def in_store(
    kind: str,
    work: Callable[[str], Awaitable[Any]],
    *,
    measure: bool = False,
    result: bool = False,
) -> Any:
    with tempfile.TemporaryDirectory() as folder, fresh_store(kind, Path(folder)) as url:
        value = asyncio.run(_awaited(work(url)))
        if result:
            return value
        return size_of(url, Path(folder)) if measure else None


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work


def size_of(url: str, folder: Path) -> int:
    if url.startswith("sqlite"):
        return sum(file.stat().st_size for file in folder.glob("*.db*") if file.is_file())
    ask(url, "vacuum")
    return int(ask(url, "select pg_database_size(current_database())")[0][0]) - empty(url)


def empty(url: str) -> int:
    return int(ask(url, "select pg_database_size('template1')")[0][0])


async def through_flowc(url: str, spec: Any) -> None:
    world = World(tools=Functions({"note": lambda: "noted"}), max_steps=10 * LENGTH)
    async with open_engine(url) as engine:
        outcome = await engine.start(spec, world, run="bench", inputs={}, options={})
    assert outcome.status == "success", outcome


async def idle(url: str, megabytes: int, rounds: int) -> None:
    """Go round and round beside a parameter that nobody changes."""
    world = World(max_steps=10 * LENGTH)
    given = {"BIG": os.urandom(megabytes * 500_000).hex()}
    spec = looped(rounds, params=(Param(name="BIG"),))
    async with open_engine(url) as engine:
        outcome = await engine.start(spec, world, run="bench", inputs=given, options={})
    assert outcome.status == "success", outcome


async def first_new_node(url: str, length: int) -> float:
    spec = looped(length, AskNode(id="q", question=specs.lit("?"), into="N"))
    world = World(max_steps=10 * length)
    async with open_engine(url) as engine:
        await engine.start(spec, world, run="bench", inputs={}, options={})
    if url.startswith("postgresql"):
        ask(url, "analyze")  # as the server does by itself within a minute
    began = time.perf_counter()
    seen: list[float] = []

    def heard(event: Any) -> None:
        if event.kind == "node_started" and not seen:
            seen.append(time.perf_counter() - began)

    async with open_engine(url) as engine:
        await engine.resume("bench", spec, world, answers={"": "x"}, listeners=(heard,))
    return seen[0]


async def looked_back(url: str) -> tuple[float, float]:
    spec = looped(LENGTH // 2, LIST=specs.lit(filler()))
    await through_flowc(url, spec)
    async with open_engine(url) as engine:
        began = time.perf_counter()
        views = await engine.history("bench")
        ours = time.perf_counter() - began
        app = build(spec).compile(checkpointer=engine.saver)
        config: Any = {"configurable": {"thread_id": "bench"}}
        began = time.perf_counter()
        items = [item async for item in app.aget_state_history(config)]
        bares = time.perf_counter() - began
    assert len(views) == len(items) - 1 > LENGTH, (len(views), len(items))
    return ours, bares


def looped(rounds: int, *last: Any, params: tuple[Param, ...] = (), **values: Any) -> Any:
    """Assignments, round and round; then the nodes that come last."""
    count = specs.plus(specs.name("N"), specs.lit(1))
    more = Binary(op="<", left=specs.name("N"), right=specs.lit(rounds))
    after = (*last, specs.SUCCESS)
    return specs.program(
        specs.assign("begin", N=specs.lit(0)),
        specs.assign("again", N=count, **values),
        ChooseNode(id="more", on=more),
        *after,
        edges=(specs.case("more", "true", "again"), specs.case("more", "false", after[0].id)),
        variables=("N",),
        state=(specs.LIST, specs.N),
        outputs=("LIST",),
        params=params,
    )


def filler() -> str:
    """Text that does not become smaller by packing."""
    return os.urandom(LINE // 2).hex()


class Numbered(TypedDict, total=False):
    N: int


class Appending(TypedDict, total=False):
    LIST: Annotated[list[str], operator.add]


def numbered(length: int) -> Any:
    def node(n: int) -> Any:
        async def step(state: Numbered) -> Numbered:
            return {"N": n}

        return step

    return chained(Numbered, [node(n) for n in range(length)])


def appending(length: int) -> Any:
    from langgraph.graph import END, START, StateGraph

    async def step(state: Appending) -> Appending:
        return {"LIST": [filler()]}

    def on(state: Appending) -> str:
        return "step" if len(state["LIST"]) < length else END

    graph: Any = StateGraph(Appending)
    graph.add_node("step", step)
    graph.add_edge(START, "step")
    graph.add_conditional_edges("step", on, {"step": "step", END: END})
    return graph


def chained(state: Any, nodes: list[Any]) -> Any:
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(state)
    before = START
    for n, node in enumerate(nodes):
        graph.add_node(f"a{n}", node)
        graph.add_edge(before, f"a{n}")
        before = f"a{n}"
    graph.add_edge(before, END)
    return graph


async def bare(kind: str, url: str, graph: Any) -> None:
    async with bare_saver(kind, url) as saver:
        app = graph.compile(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": "bench"}, "recursion_limit": 2 * LENGTH + 10}
        await app.ainvoke({}, config, durability="sync")


@asynccontextmanager
async def bare_saver(kind: str, url: str) -> AsyncIterator[Any]:
    if kind == "sqlite":
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        async with AsyncSqliteSaver.from_conn_string(url.removeprefix("sqlite:///")) as saver:
            yield saver
        return
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    async with AsyncPostgresSaver.from_conn_string(url) as saver:
        await saver.setup()
        yield saver
