"""Smaller stores: what may be dropped is, and every run goes on as if nothing had happened."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest
from flowc.compiler.expr.ast import Binary
from flowc.compiler.ir import AskNode, CallNode, ChooseNode
from flowc.runtime.checkpoints.tables.compaction import Dropped
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
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
            assert await engine.checkpoints().namespaces("r") == [""]
            assert (await engine.state("r")).variables == outcome.variables

    wait(go())


def test_what_is_deleted_makes_the_store_smaller(any_store, wait, world) -> None:
    texts = [os.urandom(25_000).hex() for _ in range(8)]  # which do not become smaller by packing
    spec = program(*(assign(f"a{n}", N=lit(text)) for n, text in enumerate(texts)), SUCCESS)

    async def go() -> None:
        async with open_engine(any_store) as engine:
            await start(engine, spec, world)
            before = await engine.journal_db.size()
            await engine.delete("r")
            small = False
            for _ in range(50):  # PostgreSQL keeps what its own analysis of tables may still see
                await engine.journal_db.shrink(alone=True)
                small = await engine.journal_db.size() < before - 400_000 // 2
                if small:
                    break
                await asyncio.sleep(0.2)
            assert small

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
