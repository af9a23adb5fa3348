"""Expressions that read files wait for them in a thread, not on the event loop."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import flowc
import pytest
from blocking import strictly
from langchain_core.language_models import FakeListChatModel

READ = """flow: 1
name: read
agents: {host: {system: 'Rules: {{ read_file("rules.txt") }}'}}
state: {text: text, missing: text, after: text}
on_error: [{errors: [failure, refused], set: {after: 'read_file("rules.txt")'}}]
nodes:
  - {name: look, assign: {text: 'read_file("note.txt")'}}
  - {name: decide, choose: 'read_file("note.txt") == "hello"', cases: {true: say},
     otherwise: end}
  - {name: say, agent: host, prompt: 'Say {{ read_file("note.txt") }}', into: text}
  - {name: none, assign: {text: 'read_file("none.txt")'}, on_error: note}
  - {name: note, assign: {missing: after}}
outputs: [text, missing]
"""
WRITE = """flow: 1
name: outer
params: {old: {type: text, default: "", required: false}}
state: {text: text}
nodes:
  - {name: look, assign: {old: 'read_file("note.txt")'}}
  - name: make
    call: inner
    returns: {text: 'read_file("note.txt")'}
outputs: [text]
workflows:
  inner:
    nodes: [{name: write, python: write}]
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("note.txt").write_text("hello", encoding="utf-8")
    Path("rules.txt").write_text("be polite", encoding="utf-8")
    return tmp_path


def invoke(flow: flowc.Flow) -> dict[str, Any]:
    graph = flow.graph()

    async def go() -> dict[str, Any]:
        return await graph.ainvoke({})

    return asyncio.run(go())


def test_an_expression_that_reads_a_file_does_not_hold_up_the_event_loop():
    graph = flowc.load(READ, model=FakeListChatModel(responses=["Hello to you"])).graph()

    async def go() -> dict[str, Any]:
        await graph.ainvoke({})  # what is loaded once, is
        with strictly():
            return dict(await graph.ainvoke({}))

    done = asyncio.run(go())
    assert done["text"] == "Hello to you"
    assert done["missing"] == "be polite"


def test_what_a_call_returns_is_read_after_the_call():
    def write() -> None:
        Path("note.txt").write_text("new", encoding="utf-8")

    assert invoke(flowc.load(WRITE, nodes={"write": write}))["text"] == "new"
