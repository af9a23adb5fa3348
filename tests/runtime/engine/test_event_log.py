"""Whoever listens to a run may go away; the run loses nothing by it."""

from __future__ import annotations

import pytest
from flowc.compiler.ir import ExecNode
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.engine.event_log import EventLog
from flowc.runtime.errors import RunError
from flowc.runtime.events import RunEvent
from flowc.runtime.store.runs import open_store
from specs import SUCCESS, assign, lit, parts, program
from worlds import start


def test_a_reader_that_goes_away_drains_the_run_and_leaves_nothing_in_doubt(
    world, url, wait
) -> None:
    """`flowc run --jsonl | head`: the pipe breaks while a command that has run is told of."""
    heard: list[str] = []

    def gone(event: RunEvent) -> None:
        heard.append(event.kind)
        if event.kind == "command_run":
            raise BrokenPipeError

    async def go() -> None:
        command = ExecNode(
            id="e", source=lit("ls"), form="command", session="main", parts=parts(RESULT="text")
        )
        spec = program(command, assign("after", N=lit(1)), SUCCESS)
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world, listeners=(gone,))
            assert outcome.status == "interrupted"
            assert heard[-1] == "command_run"
            assert (await engine.resume("r", spec, world, answers={})).result == "out 0"
        assert world.shell.ran == ["ls"]

    wait(go())


def test_events_wait_for_a_store_that_cannot_be_written_for_a_moment(url, wait) -> None:
    async def go() -> None:
        async with open_store(url) as store:
            log = EventLog(store, "r")
            log.emit("node_started", "a", {})
            await store.db.run("pragma query_only = on")
            with pytest.raises(RunError, match="read-only"):
                await log.flush()
            await store.db.run("pragma query_only = off")
            log.emit("node_finished", "a", {})
            await log.flush()
            assert [e.kind for e in await store.events("r")] == ["node_started", "node_finished"]

    wait(go())
