"""Waits in a program of LangGraph's: an interrupt that says until when; who resumes goes on."""

from __future__ import annotations

import asyncio
from typing import Any

import flowc
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

WAITS = """flow: 1
name: waits
outputs: [x]
nodes:
  - {name: nap, wait: {until: "2099-01-01T00:00:00Z"}}
  - {name: ask, wait: {event: approved}, into: x}
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_host_sees_until_when_and_brings_the_event() -> None:
    async def go() -> tuple[list[Any], Any]:
        graph = flowc.load(WAITS).graph(checkpointer=InMemorySaver())
        config = {"configurable": {"thread_id": "a"}}
        seen = []
        for given in ({}, Command(resume=True), Command(resume={"by": "Ann"})):
            result = await graph.ainvoke(given, config)
            seen += [one.value for one in result.get("__interrupt__", ())]
        return seen, result["x"]

    (nap, event), value = asyncio.run(go())
    assert (nap["kind"], nap["node"], nap["due"]) == ("wait", "nap", "2099-01-01T00:00:00+00:00")
    assert (event["kind"], event["event"]) == ("event", "approved")
    assert "due" not in event
    assert value == {"by": "Ann"}
