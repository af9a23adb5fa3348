"""A call that failed, in a host: the program is told, and who goes on makes the call again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import flowc
import pytest
from flowc.errors import Failure
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

TEXT = "flow: 1\nname: fails\noutputs: [said]\nnodes:\n  - {name: act, tool: act, into: said}\n"


def test_who_goes_on_after_a_failure_makes_the_call_again(tmp_path: Path) -> None:
    calls: list[int] = []

    def act() -> str:
        """Fail the first time."""
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("not yet")
        return "done"

    async def host() -> Any:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "host.db")) as saver:
            flow = flowc.load(
                TEXT, format="flow", tools=[act], journal=f"sqlite:///{tmp_path}/j.db"
            )
            graph = flow.graph(checkpointer=saver)
            thread: Any = {"configurable": {"thread_id": "t"}}
            with pytest.raises(Failure, match="not yet"):
                await graph.ainvoke({}, thread)
            return await graph.ainvoke(None, thread)

    assert asyncio.run(host())["said"] == "done"
    assert len(calls) == 2
