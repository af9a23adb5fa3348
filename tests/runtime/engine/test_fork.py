"""Looking back, branching off, and what LangGraph itself sees of a run."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from flowc.compiler.ir import Edge
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.graph.build import build
from specs import (
    SUCCESS,
    ask,
    commands,
    counting,
    program,
)
from worlds import start


def test_history_lists_what_ran_before_each_checkpoint(world, url, wait) -> None:
    async def go() -> None:
        async with open_engine(url) as engine:
            await start(engine, counting(), world)
            past = await engine.history("r")
            seen = [(view.step, view.nodes, view.next, view.variables["N"]) for view in past]
            assert seen == [
                (0, (), ("a",), None),
                (1, ("a",), ("b",), 1),
                (2, ("b",), ("q",), 2),
            ]

    wait(go())


@pytest.mark.parametrize("at", ["a", "b", "q"])
def test_a_fork_begins_before_a_node_with_other_values(at: str, world, url, wait) -> None:
    spec = counting()

    async def go() -> None:
        async with open_engine(url) as engine:
            await start(engine, spec, world)
            record = await engine.fork("r", at, {"N": 40}, "r2")
            assert (record.parent, record.status) == ("r", "interrupted")
            outcome = await engine.resume("r2", spec, world, answers={})
            outcome = await engine.resume("r2", spec, world, answers={"": "x"})
            assert outcome.variables["N"] == {"a": 2, "b": 41, "q": 40}[at]
            original = await engine.resume("r", spec, world, answers={"": "y"})
            assert (original.variables["N"], original.result) == (2, "y")

    wait(go())


def test_a_fork_without_changes_goes_the_same_way(world, url, wait) -> None:
    spec = counting()

    async def go() -> None:
        async with open_engine(url) as engine:
            await start(engine, spec, world)
            middle = (await engine.history("r"))[1]
            await engine.fork("r", middle.id, {}, "r2")
            outcome = await engine.resume("r2", spec, world, answers={})
            assert (outcome.status, outcome.variables["N"]) == ("paused", 2)
            with pytest.raises(RunError, match="no checkpoint `nowhere`"):
                await engine.fork("r", "nowhere", {}, "r3")
            with pytest.raises(RunError, match="no variable `X`"):
                await engine.fork("r", "b", {"X": 1}, "r4")
            assert {record.id for record in await engine.store.listing.page()} == {"r", "r2"}

    wait(go())


def test_a_deleted_run_leaves_nothing_behind(world, url, wait) -> None:
    async def go() -> None:
        async with open_engine(url) as engine:
            await start(engine, counting(), world)
            await engine.delete("r")
            assert await engine.store.listing.page() == ()
            assert await engine.saver.aget_tuple({"configurable": {"thread_id": "r"}}) is None
            assert (await start(engine, counting(), world)).variables["N"] == 2

    wait(go())


def test_a_record_of_another_version_is_said_so(world, url, wait) -> None:
    async def go() -> None:
        async with open_engine(url) as engine:
            await start(engine, counting(), world)
            record = await engine.store.get("r")
            await engine.store.update(dataclasses.replace(record, spec={"nodes": "?"}))
            with pytest.raises(RunError, match="kept by another version of flowc"):
                await engine.history("r")

    wait(go())


def test_inner_graphs_are_seen_by_langgraph(world, url, wait) -> None:
    world.approve = "ask"
    spec = program(commands("e", "one"), SUCCESS)

    async def go() -> None:
        async with open_engine(url) as engine:
            await start(engine, spec, world)
            app = build(spec).compile(checkpointer=engine.saver)
            config: Any = {"configurable": {"thread_id": "r"}}
            snapshot = await app.aget_state(config, subgraphs=True)
            inner: Any = snapshot.tasks[0].state
            assert inner.values["commands"] == ["one"]
            assert "e:command" in str(app.get_graph(xray=1).to_json())

    wait(go())


def test_edges_of_the_graph_are_those_of_the_spec() -> None:
    spec = program(ask("q"), SUCCESS, edges=(Edge(source="q", target="SUCCESS"),))
    drawn = build(spec).compile().get_graph()
    assert {(e.source, e.target) for e in drawn.edges} == {
        ("__start__", "q"),
        ("q", "SUCCESS"),
        ("SUCCESS", "__end__"),
    }
