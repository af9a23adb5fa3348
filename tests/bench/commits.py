"""What an execution of two model steps asks of PostgreSQL, beside LangGraph's own saver.

The server's count of transactions, reads among them, without those that a service and a worker need
for as long a time with nothing to do. LangGraph alone runs a graph of two nodes with its own saver,
which keeps checkpoints and nothing else: no queue, no lease, no record, no events, no journal of
effects, no budget.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, TypedDict

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from own_folders import write_record
from stores import SERVER, fresh_store
from transactions import committed, transactions

EXECUTIONS = 10
EACH = 3.0
"""Seconds for each execution."""


def report() -> None:
    """Print transactions for each execution."""
    if not SERVER:
        print("commits: skipped, FLOWC_TEST_POSTGRES names no PostgreSQL server")
        return
    print(
        f"commits of PostgreSQL for an execution of two model steps, {EXECUTIONS} of them in turn"
    )
    with tempfile.TemporaryDirectory() as home:
        write_record(Path(home))
        os.environ["XDG_CONFIG_HOME"] = home
        made = _each(0)
        whole = _each(EACH)
    print(f"flowc:                            {whole:5.1f}, of them {made:.1f} to create it")
    print(f"LangGraph's own saver, two nodes: {_of_langgraph():5.1f}")


def _each(seconds: float) -> float:
    """Transactions for each execution, which has so many seconds."""
    with_them, without = (transactions(many, EXECUTIONS, seconds) for many in (EXECUTIONS, 0))
    return (with_them - without) / EXECUTIONS


class _State(TypedDict):
    text: str


def _of_langgraph() -> float:
    with tempfile.TemporaryDirectory() as folder, fresh_store("postgresql", Path(folder)) as url:
        counts = []
        for times in (0, 0, EXECUTIONS):  # the first time it makes its tables
            asyncio.run(_invoke(url, times))
            counts.append(committed(url))
        return (counts[2] - 2 * counts[1] + counts[0]) / EXECUTIONS


async def _invoke(url: str, times: int) -> None:
    async def step(state: _State) -> dict[str, Any]:
        return {"text": state["text"] + "."}

    graph: Any = StateGraph(_State)
    graph.add_node("one", step)
    graph.add_node("two", step)
    for edge in ((START, "one"), ("one", "two"), ("two", END)):
        graph.add_edge(*edge)
    async with AsyncPostgresSaver.from_conn_string(url) as saver:
        await saver.setup()
        app = graph.compile(checkpointer=saver)
        for number in range(times):
            config: Any = {"configurable": {"thread_id": str(number)}}
            await app.ainvoke({"text": ""}, config, durability="sync")
            await app.aget_state(config)


if __name__ == "__main__":
    report()
