"""Smaller stores: what may be dropped is, and every run goes on as if nothing had happened."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flowc.compiler.expr.ast import Binary
from flowc.compiler.ir import AskNode, CallNode, ChooseNode
from flowc.runtime.checkpoints.tables.compaction import Dropped
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.store.cleanup import PruneCriteria, duration, select_runs
from flowc.runtime.store.runs import RunRecord
from specs import (
    LIST,
    SUCCESS,
    N,
    assign,
    case,
    commands,
    lit,
    name,
    plus,
    program,
    program_of,
    workflow,
)
from worlds import World, start


def rounds(count: int) -> Any:
    """Appends 0, 1, 2, … to a list, then asks, then appends the answer."""
    return program(
        assign("begin", N=lit(0)),
        assign("again", LIST=name("N"), N=plus(name("N"), lit(1))),
        ChooseNode(id="more", on=Binary(op="<", left=name("N"), right=lit(count))),
        AskNode(id="q", question=lit("?"), into="N"),
        assign("last", LIST=name("N")),
        SUCCESS,
        edges=(case("more", "true", "again"), case("more", "false", "q")),
        variables=("N",),
        state=(LIST, N),
        outputs=("LIST",),
    )


def test_a_loop_keeps_its_list_and_goes_on(any_store, wait, world) -> None:
    spec = rounds(70)

    async def go() -> None:
        async with open_engine(any_store) as engine:
            await start(engine, spec, world)
            before = await engine.state("r")
            assert (await engine.compact("r", history=False)).history == 0
            assert len(await engine.history("r")) == 142
            dropped = await engine.compact("r")
            assert dropped.history > 140
            assert await engine.state("r") == before
            assert len(await engine.history("r")) == 1
            assert await engine.compact("r") == Dropped()
            fork = await engine.fork("r", "q", {"N": "forked"}, "f")
            assert (await engine.resume(fork.id, spec, world, answers={})).status == "paused"
            outcome = await engine.resume(fork.id, spec, world, answers={"": "b"})
            assert outcome.result[-2:] == [69, "b"]
            outcome = await engine.resume("r", spec, world, answers={"": "a"})
            assert outcome.result == [*range(70), "a"]
            assert len(await engine.history("r")) == 4

    wait(go())


def test_inside_a_call_that_waits_nothing_is_lost(any_store, wait) -> None:
    inner = workflow(
        commands("deep", "echo one", "echo two"),
        AskNode(id="inside", question=lit("?"), into="RESULT"),
        commands("deeper", "echo three"),
        SUCCESS,
    )
    main = workflow(
        commands("first", "echo zero"),
        CallNode(id="call", workflow="inner"),
        commands("after", "echo four"),
        SUCCESS,
    )
    spec, world = program_of(main, inner=inner), World()

    async def go() -> None:
        async with open_engine(any_store) as engine:
            assert (await start(engine, spec, world)).status == "paused"
            assert (await engine.compact("r")).inside > 0
        async with open_engine(any_store) as engine:
            outcome = await engine.resume("r", spec, world, answers={"": "x"})
            assert outcome.status == "success"
            assert world.shell.ran == [f"echo {n}" for n in ("zero", "one", "two", "three", "four")]
            await engine.compact("r")
            spaces = "select distinct checkpoint_ns from checkpoints"
            assert await engine.journal_db.rows(spaces) == [("",)]
            assert (await engine.state("r")).variables == outcome.variables

    wait(go())


def test_what_is_deleted_makes_the_store_smaller(any_store, wait, world) -> None:
    spec = program(*(assign(f"a{n}", N=lit("x" * 50_000)) for n in range(8)), SUCCESS)

    async def go() -> None:
        async with open_engine(any_store) as engine:
            await start(engine, spec, world)
            before = await engine.journal_db.size()
            await engine.delete("r")
            await engine.journal_db.shrink(alone=True)
            assert await engine.journal_db.size() < before - 400_000 // 2

    wait(go())


def test_a_run_that_is_being_executed_is_left_alone(any_store, wait, world) -> None:
    async def go() -> None:
        async with open_engine(any_store) as engine, open_engine(any_store) as other:
            await start(engine, rounds(2), world)
            async with other.store.leases.hold("r"):
                for drop in (engine.compact, engine.delete):
                    with pytest.raises(RunError, match="being executed"):
                        await drop("r")

    wait(go())


NOW = datetime(2030, 1, 1, tzinfo=UTC)


def record(number: int, status: Any, days: float) -> RunRecord:
    changed = (NOW - timedelta(days=days)).isoformat()
    return RunRecord(id=f"r{number}", name="n", file="f", status=status, updated=changed)


RECORDS = [
    record(0, "success", -2),  # the clock was set back
    record(1, "running", 1),
    record(2, "success", 5),
    record(3, "paused", 40),
    record(4, "failed", 50),
    record(5, "crashed", 60),
]


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        (PruneCriteria(), "r0 r2 r4"),
        (PruneCriteria(older_than=timedelta(days=30)), "r4"),
        (PruneCriteria(older_than=timedelta(days=30), everything=True), "r3 r4 r5"),
        (PruneCriteria(older_than=timedelta(0)), "r2 r4"),
        (PruneCriteria(statuses=("failed", "paused")), "r4"),
        (PruneCriteria(statuses=("failed", "paused"), everything=True), "r3 r4"),
        (PruneCriteria(keep=3), "r4"),
        (PruneCriteria(keep=1, everything=True), "r2 r3 r4 r5"),
        (PruneCriteria(keep=99, everything=True), ""),
    ],
)
def test_what_may_be_forgotten(choice: PruneCriteria, names: str) -> None:
    assert [r.id for r in select_runs(RECORDS, choice, NOW)] == names.split()


def test_ages_are_written_with_a_unit() -> None:
    assert duration("30d") == timedelta(days=30)
    assert duration("90min") == timedelta(minutes=90)
    for text in ("", "d", "5x", "-3d", "1.5h", "3", "9999999d", "３d3"):
        with pytest.raises(RunError, match="is not an age"):
            duration(text)
