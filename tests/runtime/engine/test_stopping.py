"""Breakpoints, signals and requests: a run ends at a checkpoint and goes on."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import pytest
from flowc.compiler.ir import CallNode, ToolNode
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.engine.signals import RunSignals, on_signals
from flowc.runtime.errors import RunError
from flowc.runtime.events import RunEvent
from specs import (
    SUCCESS,
    assign,
    counting,
    lit,
    program,
    program_of,
    workflow,
)
from worlds import start


def test_a_breakpoint_stops_before_its_node_and_a_resume_passes_it(world, url, wait) -> None:
    spec = counting()

    async def go() -> None:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world, breakpoints=("b",))
            assert (outcome.status, outcome.variables["N"]) == ("paused", 1)
            assert [(q.kind, q.node) for q in outcome.questions] == [("breakpoint", "b")]
            outcome = await engine.resume("r", spec, world, answers={}, breakpoints=("b",))
            assert outcome.variables["N"] == 2
            with pytest.raises(RunError, match="there is no node `nope`"):
                await engine.resume("r", spec, world, answers={}, breakpoints=("nope",))

    wait(go())


def drain_at(node: str, control: RunSignals, reason: Any) -> Any:
    def listener(event: RunEvent) -> None:
        if event.kind == "node_started" and event.node == node:
            control.request_drain(reason)

    return listener


@pytest.mark.parametrize(
    ("reason", "status"), [("signal", "interrupted"), ("pause", "paused"), ("stop", "stopped")]
)
def test_a_drained_run_ends_at_a_checkpoint_and_goes_on(
    reason: Any, status: str, world, url, wait
) -> None:
    spec = counting()

    async def go() -> None:
        control = RunSignals()
        listener = drain_at("a", control, reason)
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world, control=control, listeners=(listener,))
            assert (outcome.status, outcome.variables["N"]) == (status, 1)
            outcome = await engine.resume("r", spec, world, answers={})
            assert outcome.variables["N"] == 2

    wait(go())


def test_a_signal_drains_the_run(world, url, wait) -> None:
    def interrupt(event: RunEvent) -> None:
        if event.kind == "node_finished" and event.node == "a":
            os.kill(os.getpid(), signal.SIGINT)

    async def go() -> None:
        control = RunSignals()
        spec = program(assign("a", N=lit(1)), *(assign(f"n{i}") for i in range(50)), SUCCESS)
        async with open_engine(url) as engine:
            with on_signals(control):
                outcome = await start(engine, spec, world, control=control, listeners=(interrupt,))
            assert outcome.status == "interrupted"
            assert (await engine.resume("r", spec, world, answers={})).status == "success"

    wait(go())


def test_a_second_signal_cancels_what_is_under_way_and_leaves_it_in_doubt(world, url, wait) -> None:
    control = RunSignals()

    async def call(tool: str, args: dict[str, Any]) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()

    world.tools.functions = {"send": lambda: None}
    world.tools.call = call
    spec = program(ToolNode(id="s", tool="send"), SUCCESS)

    async def go() -> None:
        async with open_engine(url) as engine:
            with pytest.raises(asyncio.CancelledError), on_signals(control):
                await start(engine, spec, world, control=control)
            assert (await engine.store.get("r")).status == "interrupted"
            outcome = await engine.resume("r", spec, world, answers={})
            assert [q.kind for q in outcome.questions] == ["unknown"]

    wait(go())


def test_a_running_run_hears_a_request_of_another_process(world, url, wait) -> None:
    asked, begun = asyncio.Event(), asyncio.Event()
    spec = program(ToolNode(id="t", tool="wait"), assign("b", N=lit(1)), SUCCESS)

    async def call(tool: str, args: dict[str, Any]) -> str:
        begun.set()
        await asked.wait()
        return "done"

    world.tools.functions = {"wait": lambda: None}
    world.tools.call = call

    async def go() -> None:
        control = RunSignals()
        drained = control.request_drain

        def heard(reason: Any = "signal") -> None:
            drained(reason)
            asked.set()

        control.request_drain = heard  # type: ignore[method-assign]
        async with open_engine(url) as engine, open_engine(url) as other:
            running = asyncio.create_task(start(engine, spec, world, control=control))
            await begun.wait()
            await other.store.request("r", "pause")
            outcome = await running
            assert (outcome.status, outcome.variables["N"]) == ("paused", None)

    wait(go())


def test_steps_of_called_workflows_count_and_a_larger_limit_goes_on(world, url, wait) -> None:
    inner = workflow(assign("one"), assign("two"), SUCCESS)
    spec = program_of(
        workflow(CallNode(id="c", workflow="inner"), assign("b"), SUCCESS), inner=inner
    )
    world.max_steps = 4

    async def go() -> None:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world)
            assert (outcome.status, outcome.nodes) == ("stopped", 4)
            assert outcome.error["message"] == "4 steps are done, which is this run's limit"
            assert (await engine.store.get("r")).status == "stopped"
            world.max_steps = 10
            outcome = await engine.resume("r", spec, world, answers={})
            assert (outcome.status, outcome.nodes) == ("success", 6)

    wait(go())
