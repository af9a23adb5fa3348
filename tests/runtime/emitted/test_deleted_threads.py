"""What a host deletes of a thread is gone everywhere in the store."""

from __future__ import annotations

from typing import Any

import flowc
import pytest
from flowc import errors
from flowc.runtime.db.schema_version import has_table
from flowc.runtime.engine.engine import open_engine
from langchain_core.language_models import FakeListChatModel
from langgraph.types import Command

TABLES = (
    ("runs", "id"), ("checkpoints", "thread_id"), ("checkpoint_blobs", "thread_id"),
    ("checkpoint_writes", "thread_id"), ("charges", "run"), ("leases", "run"), ("holds", "run"),
    ("events", "run"), ("effects", "run"), ("flow_checkpoints", "run"), ("flow_writes", "run"),
)  # fmt: skip
PAY = """flow: 1
name: pay
params: {amount: {type: integer, required: true}}
state: {sure: {type: text}}
agents: {host: {}}
threads: {hall: {}}
nodes:
  - {name: tell, message: "{{ amount }}", thread: hall}
  - {name: hello, agent: host, prompt: "Say hello. {{ amount }}", into: greeting}
  - {name: charge, tool: charge, args: {amount: amount}, into: receipt}
  - {name: sure, ask: Sure?, choices: ["yes", "no"], into: sure}
outputs: [receipt]
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


def charge(amount: int) -> str:
    """Charge a card."""
    return f"receipt of {amount}"


def flow_in(store: str) -> Any:
    return flowc.load(
        PAY, tools=[charge], model=FakeListChatModel(responses=["Hi."]), journal=store
    )


async def known(store: str) -> dict[str, set[str]]:
    """The threads that each table of the store knows."""
    found = {}
    async with open_engine(store) as engine:
        for table, column in TABLES:
            if await has_table(engine.journal_db, table):
                rows = await engine.journal_db.rows(f"select distinct {column} from {table}")
                found[table] = {row[0].partition("\x1f")[0] for row in rows}
    return found


def test_a_thread_that_the_host_deletes_is_gone_everywhere(any_store, wait):
    async def go() -> None:
        flow = flow_in(any_store)
        async with flowc.open_saver(any_store) as saver:
            graph = flow.graph(checkpointer=saver)
            for name in ("a", "b"):
                await graph.ainvoke({"amount": 1}, thread(name))
                await graph.ainvoke({"amount": 2}, thread(name))
            assert all("a" in names for names in (await known(any_store)).values())
            await saver.adelete_thread("a")
            assert all(names == {"b"} for names in (await known(any_store)).values())
            assert [run.id for run in await flow.aruns()] == ["b"]
            await graph.ainvoke(Command(resume="yes"), thread("b"))
            asked = await graph.ainvoke({"amount": 3}, thread("a"))
            assert asked["receipt"] == "receipt of 3"

    wait(go())


def test_a_thread_that_is_executed_is_not_deleted(any_store, wait):
    async def go() -> None:
        async with flowc.open_saver(any_store) as saver:
            graph = flow_in(any_store).graph(checkpointer=saver)
            async for _ in graph.astream({"amount": 1}, thread("a")):
                with pytest.raises(errors.RunError, match="thread a is being executed"):
                    await saver.adelete_thread("a")
            done = await graph.ainvoke(Command(resume="yes"), thread("a"))
            assert done["receipt"] == "receipt of 1"

    wait(go())


def test_a_host_prunes_threads_that_go_on(any_store, wait):
    async def go() -> None:
        async with flowc.open_saver(any_store) as saver:
            graph = flow_in(any_store).graph(checkpointer=saver)
            for number in range(3):
                await graph.ainvoke({"amount": number}, thread("a"))
            await saver.aprune(["a", "nobody"])
            assert len([item async for item in graph.aget_state_history(thread("a"))]) == 1
            done = await graph.ainvoke(Command(resume="yes"), thread("a"))
            assert done["receipt"] == "receipt of 2"
            said = (await graph.aget_state(thread("a"))).values["messages"]
            assert [message.content for message in said] == ["0", "1", "2"]
            await saver.aprune(["a"], strategy="delete")
            assert not any((await known(any_store)).values())

    wait(go())
