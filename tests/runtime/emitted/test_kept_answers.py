"""A person's answer in a host is kept before anything comes of it: a kill does not ask again."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any

import flowc
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

PROGRAM = '''import asyncio, os, sys
import flowc
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

TEXT = """flow: 1
name: paint
state: {colour: {type: text}, done: {type: text}}
nodes:
  - {name: ask, ask: Which colour?, into: colour}
  - {name: paint, tool: paint, args: {colour: colour}, into: done}
outputs: [done]
"""

def paint(colour: str) -> str:
    """Paint."""
    return "painted " + colour

async def die(*args, **more):
    os.kill(os.getpid(), 9)

async def go(how, whose):
    theirs = AsyncSqliteSaver.from_conn_string("threads.db")
    async with flowc.open_saver() if whose == "flowc" else theirs as saver:
        if how.startswith("answer"):
            saver.aput_writes = die  # nothing of the answer is kept by the saver
        graph = flowc.load(TEXT, tools=[paint]).graph(checkpointer=saver)
        config = {"configurable": {"thread_id": "a"}}
        given = {} if how == "begin" else None
        if how.startswith("answer"):
            (asked,) = (await graph.aget_state(config)).interrupts
            given = Command(resume={asked.id: "blue"} if how == "answer by id" else "blue")
        done = await graph.ainvoke(given, config)
        print(done.get("done"), [i.value["text"] for i in done.get("__interrupt__", ())])

asyncio.run(go(*sys.argv[1:]))
'''
TWICE = """flow: 1
name: twice
state: {said: {type: text}}
nodes: [{name: ask, python: ask, into: said}]
outputs: [said]
"""
THREAD: dict[str, Any] = {"configurable": {"thread_id": "a"}}


@pytest.mark.parametrize("how", ["answer", "answer by id"])
@pytest.mark.parametrize("whose", ["flowc", "LangGraph"])
def test_an_answer_is_kept_before_it_is_acted_on(tmp_path, whose, how):
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")

    def program(what: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "program.py", what, whose]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=150)

    assert program("begin").stdout == "None ['Which colour?']\n"
    assert program(how).returncode == -signal.SIGKILL
    gone_on = program("go on")
    assert gone_on.stdout == "painted blue []\n", gone_on.stderr


def test_an_answer_answers_one_question_of_a_node_that_asks_twice(tmp_path, monkeypatch):
    """LangGraph gives both questions one id."""
    monkeypatch.chdir(tmp_path)

    def ask() -> str:
        return f"{interrupt('First?')} {interrupt('Second?')}"

    graph = flowc.load(TWICE, nodes={"ask": ask}).graph(checkpointer=InMemorySaver())

    def asked(given: Any) -> list[str]:
        done = graph.invoke(given, THREAD)
        return [i.value for i in done.get("__interrupt__", ())] or [done["said"]]

    assert asked({}) == ["First?"]
    assert asked(Command(resume="a")) == ["Second?"]
    assert asked(None) == ["Second?"]
    assert asked(Command(resume="b")) == ["a b"]
