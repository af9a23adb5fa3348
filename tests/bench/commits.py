"""What an execution of two model steps asks of PostgreSQL, beside LangGraph's own saver.

The server's count of transactions, reads among them, without those that a service and a worker need
for as long a time with nothing to do. LangGraph alone runs a graph of two nodes with its own saver,
which keeps checkpoints and nothing else: no queue, no lease, no record, no events, no journal of
effects, no budget.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, TypedDict

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))

from fleet import fleet, slow_model, team, template
from flowc.runtime.config.settings import Config
from flowc.runtime.service.contract.documents import TeamText, WorkflowText
from flowc.runtime.service.contract.requests import ExecuteWorkflow
from flowc.runtime.service.operations.create import create_team, create_workflow, execute_workflow
from flowc.runtime.service.operations.executions import open_executing
from flowc.runtime.service.records.access import LOCAL
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from own_folders import write_record
from stores import SERVER, ask, fresh_store

TWO = {"one": (), "two": ("one",)}
EXECUTIONS = 10
SECONDS = 0.3
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
        made = (_of_flowc(EXECUTIONS, False) - _of_flowc(0, False)) / EXECUTIONS
        whole = (_of_flowc(EXECUTIONS, True) - _of_flowc(0, True)) / EXECUTIONS
    print(f"flowc:                            {whole:5.1f}, of them {made:.1f} to create it")
    print(f"LangGraph's own saver, two nodes: {_of_langgraph():5.1f}")


def _of_flowc(executions: int, carried_on: bool) -> int:
    """Transactions until all that was opened is closed."""
    with (
        tempfile.TemporaryDirectory() as folder,
        fresh_store("postgresql", Path(folder)) as url,
        slow_model(SECONDS) as (server, slow),
    ):
        before = _commits(url)
        with fleet(Path(folder), url) as workers:
            config = workers.config(server.url)
            if carried_on:
                workers.start("--concurrency", "1")
            asyncio.run(_create(url, config, executions, carried_on))
            assert len(slow.asked) == executions * len(TWO) * carried_on
        return _commits(url) - before


async def _create(url: str, config: Config, executions: int, carried_on: bool) -> None:
    """Create executions in turn, each with time to be done. Nobody asks the server meanwhile."""
    async with open_executing(url, config) as executing:
        made = await create_team(executing, LOCAL, TeamText(source=json.dumps(team())))
        text = WorkflowText(source=json.dumps(template(0, TWO)))
        workflow = await create_workflow(executing, LOCAL, text)
        asked = ExecuteWorkflow(workflow_id=workflow.workflow_id, team_id=made.team_id)
        for number in range(EXECUTIONS):
            if number < executions:
                await execute_workflow(executing, LOCAL, asked)
            await asyncio.sleep(EACH if carried_on else 0)


class _State(TypedDict):
    text: str


def _of_langgraph() -> float:
    with tempfile.TemporaryDirectory() as folder, fresh_store("postgresql", Path(folder)) as url:
        counts = []
        for times in (0, 0, EXECUTIONS):  # the first time it makes its tables
            asyncio.run(_invoke(url, times))
            counts.append(_commits(url))
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


def _commits(url: str) -> int:
    """Transactions of the database so far: a connection that is closed has told of all its own."""
    time.sleep(1)
    query = "select xact_commit from pg_stat_database where datname = current_database()"
    return int(ask(url, query)[0][0])


if __name__ == "__main__":
    report()
