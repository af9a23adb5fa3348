"""An event loop is never kept waiting: every shipped workflow, and every kind of effect."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import flowc
import pytest
from blockbuster import BlockingError
from blocking import as_in_langgraph_dev, strictly
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

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
