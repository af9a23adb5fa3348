"""The clock is set back while a run is paused: it goes on where it stands all the same."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from flowc.compiler.ir import CallNode
from flowc.runtime.engine.engine import Engine, open_engine
from flowc.runtime.errors import RunError
from langgraph.checkpoint.base import id as ids
from specs import SUCCESS, N, ask, assign, lit, name, plus, program_of, workflow
from worlds import start

NOON = 1_900_000_000 * 10**9
"""Nanoseconds since 1970."""
HOUR = 3600 * 10**9


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """`process(NOON)`: another process, whose clock shows that time and stands still."""

    def begin(now: int) -> None:
        monkeypatch.setattr(ids, "_last_v6_timestamp", None)
        monkeypatch.setattr(ids, "time", SimpleNamespace(time_ns=lambda: now))

    return begin


def asking() -> Any:
    """Asks in the called workflow, then in the main one; counts what it does."""
    inner = workflow(
        ask("inside", "N"), assign("deep", N=name("N")), SUCCESS, state=(N,), variables=("RESULT",)
    )
    main = workflow(
        assign("a", N=lit(1)),
        CallNode(id="sub", workflow="inner"),
        assign("b", N=plus(name("N"), lit(1))),
        ask("q"),
        SUCCESS,
    )
    return program_of(main, inner=inner)


async def answered(engine: Engine, spec: Any, world: Any, answer: str) -> tuple[Any, ...]:
    outcome = await engine.resume("r", spec, world, answers={"": answer})
    return outcome.status, outcome.variables["N"], outcome.result, len(outcome.questions)


@pytest.mark.parametrize("back", [0, HOUR])
def test_a_run_goes_on_where_it_stands(any_store, wait, world, process, back: int) -> None:
    spec = asking()

    async def go() -> None:
        process(NOON)
        async with open_engine(any_store) as engine:
            assert (await start(engine, spec, world)).status == "paused"
        process(NOON - back)
        async with open_engine(any_store) as engine:
            assert await answered(engine, spec, world, "x") == ("paused", 2, None, 1)
        process(NOON - 2 * back)
        async with open_engine(any_store) as engine:
            assert (await engine.state("r")).next == ("q",)
            assert await answered(engine, spec, world, "y") == ("success", 2, "y", 0)
            steps = [view.step for view in await engine.history("r") if not view.path]
            assert steps == sorted(steps)
            assert (await engine.state("r")).next == ()

    wait(go())


def test_a_fork_begins_after_what_it_is_of(any_store, wait, world, process) -> None:
    spec = asking()

    async def go() -> None:
        process(NOON)
        async with open_engine(any_store) as engine:
            await start(engine, spec, world)
            await answered(engine, spec, world, "x")
        process(NOON - HOUR)
        async with open_engine(any_store) as engine:
            await engine.fork("r", "b", {"N": 40}, "f")
            outcome = await engine.resume("f", spec, world, answers={})
            assert (outcome.status, outcome.variables["N"]) == ("paused", 41)

    wait(go())


NAMES = ["nonsense", "ffffffff-0000-4000-8000-000000000000", "ffffffff-ffff-6fff-8000-000000000000"]


@pytest.mark.parametrize("changed", NAMES)
def test_a_name_that_no_clock_gave_is_refused(any_store, wait, world, changed: str) -> None:
    spec = asking()

    async def go() -> None:
        async with open_engine(any_store) as engine:
            await start(engine, spec, world)
            table, id, run = ("flow_checkpoints", "id", "run")
            if any_store.startswith("postgresql"):
                table, id, run = ("checkpoints", "checkpoint_id", "thread_id")
            newest = f"(select max({id}) from {table})"
            query = f"update {table} set {id} = ? where {run} = 'r' and {id} = {newest}"
            await engine.store.db.run(query, (changed,))
            with pytest.raises(RunError, match="was changed, or is damaged"):
                await engine.resume("r", spec, world, answers={"": "x"})
            assert (ids._last_v6_timestamp or 0) < 1 << 59
            await engine.delete("r")
            assert await engine.store.listing.page() == ()

    wait(go())
