"""What a SQLite store takes on the disk: what changes, and not what stays."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.expr.ast import Binary
from flowc.compiler.ir import ChooseNode, Param
from flowc.runtime.engine.engine import open_engine
from specs import LIST, SUCCESS, N, assign, case, lit, name, plus, program, text
from worlds import World

MEGABYTE = 1_000_000


def rounds(count: int, **values: Any) -> Any:
    """Counts, and assigns `values`, so many times."""
    return program(
        assign("begin", N=lit(0)),
        assign("again", N=plus(name("N"), lit(1)), **values),
        ChooseNode(id="more", on=Binary(op="<", left=name("N"), right=lit(count))),
        SUCCESS,
        edges=(case("more", "true", "again"), case("more", "false", "SUCCESS")),
        variables=("N",),
        state=(LIST, N),
        params=(Param(name="BIG"),),
        outputs=("N",),
    )


def bytes_after(folder: Path, wait: Any, spec: Any, big: str, runs: int = 1) -> int:
    async def go() -> None:
        async with open_engine(f"sqlite:///{folder / 'runs.db'}") as engine:
            for run in range(runs):
                world = World(max_steps=10_000)
                await engine.start(spec, world, run=f"r{run}", inputs={"BIG": big}, options={})

    wait(go())
    return sum(file.stat().st_size for file in folder.glob("runs.db*") if file.is_file())


def noise(length: int) -> str:
    return os.urandom(length // 2).hex()


def test_a_megabyte_that_forty_rounds_leave_as_it_is(tmp_path: Path, wait) -> None:
    assert bytes_after(tmp_path, wait, rounds(40), noise(MEGABYTE)) <= 3 * MEGABYTE


@pytest.mark.soak
def test_fifteen_megabytes_that_two_hundred_rounds_leave_as_they_are(tmp_path, wait) -> None:
    assert bytes_after(tmp_path, wait, rounds(200), noise(15 * MEGABYTE)) <= 40 * MEGABYTE


def test_a_thousand_texts_in_a_list(tmp_path: Path, wait) -> None:
    spec = rounds(1_000, LIST=text(noise(1_000), name("N")))
    assert bytes_after(tmp_path, wait, spec, "") <= 12 * MEGABYTE


def test_equal_inputs_of_several_runs_are_kept_once(tmp_path: Path, wait) -> None:
    assert bytes_after(tmp_path, wait, rounds(1), noise(MEGABYTE), runs=5) <= 3 * MEGABYTE
