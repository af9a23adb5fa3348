"""An event loop is never kept waiting: every shipped workflow, and every kind of effect."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import flowc
import pytest
from blockbuster import BlockingError
from blocking import as_in_langgraph_dev, strictly
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command
from tool_runs import SERVER

EXAMPLES = Path(__file__).parents[2] / "workflows/examples"
ANSWERS = sorted(EXAMPLES.glob("*/*.answers.yaml"))
ENDS = (".wf.md", ".flow.yaml", ".json", ".md")
MAY = flowc.Permissions(commands="allow")
THREAD: Any = {"configurable": {"thread_id": "a"}}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_watch_sees_what_blocks():
    async def blocks() -> None:
        Path.cwd()

    for watch in (as_in_langgraph_dev, strictly):
        with watch(), pytest.raises(BlockingError):
            asyncio.run(blocks())


@pytest.mark.parametrize("answers", ANSWERS, ids=lambda file: file.name.partition(".")[0])
def test_no_shipped_workflow_blocks_an_event_loop(answers):
    """A graph, executed as by a server, with scripted answers."""
    name = answers.name.removesuffix(".answers.yaml")
    (file,) = [f for end in ENDS if (f := answers.with_name(name + end)).exists()]
    team = answers.with_name(f"{name}.team.json")
    flow = flowc.load(file, answers=answers, team=team if team.exists() else None, permissions=MAY)
    assert flow.compiled.workflow is not None
    given = {p.name: "x" for p in flow.compiled.workflow.params if p.required}
    graph = flow.graph(checkpointer=InMemorySaver())

    async def execute() -> None:
        done = await graph.ainvoke(given, THREAD)
        while asked := done.get("__interrupt__"):
            replies = {i.id: (i.value.get("choices") or ["yes"])[0] for i in asked}
            done = await graph.ainvoke(Command(resume=replies), THREAD)

    with strictly():
        asyncio.run(execute())


EVERYTHING = """flow: 1
name: everything
params: {text: text}
nodes:
  - {name: call, python: shout, args: {text: text}, into: loud}
  - {name: write, tool: write_file, args: {path: '"out.txt"', content: loud}}
  - {name: read, exec: "cat out.txt", into: seen}
  - {name: list, tool: list_files, args: {}, into: files}
  - {name: count, tool: count_words, args: {text: loud}, into: words}
  - {name: ask, ask: "Fine?", into: fine}
outputs: [seen, words, fine]
"""


def everything() -> flowc.Flow:
    server = {"command": sys.executable, "args": [str(SERVER)]}
    functions = {"shout": lambda text: Path("note").write_text(text) and text.upper()}
    return flowc.load(EVERYTHING, nodes=functions, tools=[{"demo": server}], permissions=MAY)


def test_no_effect_of_a_graph_with_a_journal_blocks_an_event_loop():
    async def execute() -> dict[str, Any]:
        async with AsyncSqliteSaver.from_conn_string("threads.db") as saver:
            graph = await asyncio.to_thread(lambda: everything().graph(checkpointer=saver))
            with as_in_langgraph_dev():
                await graph.ainvoke({"text": "two words"}, THREAD)
                return await graph.ainvoke(Command(resume="yes"), THREAD)

    assert asyncio.run(execute())["words"] == {"words": 2}


def test_no_method_that_is_awaited_blocks_an_event_loop():
    flow = everything()

    async def execute() -> list[Any]:
        waiting = await flow.arun({"text": "two words"})
        done = await flow.aresume(waiting.run, "yes")
        async for _ in flow.astream({"text": "one"}):
            pass
        other = await flow.afork(done.run, "count")
        return [done.status, len(await flow.aruns()), (await flow.aresume(other)).status]

    with as_in_langgraph_dev():
        assert asyncio.run(execute()) == ["success", 3, "paused"]
