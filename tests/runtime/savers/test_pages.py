"""Pages of a look back: as many checkpoints as were asked for, for one saver alone."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
from flowc.compiler.expr.ast import Binary
from flowc.compiler.ir import ChooseNode
from flowc.runtime.checkpoints.keys import thread_config
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.graph.build import compile_graph
from flowc.runtime.savers.pages import with_pages
from langgraph.checkpoint.postgres import aio
from specs import LIST, SUCCESS, N, assign, case, lit, name, plus, program
from stores import fresh_store
from worlds import World

_DELTA_PAGE_SIZE = 1024


async def look_back(*, about: str) -> tuple[str, int]:
    return about, _DELTA_PAGE_SIZE


def test_the_copy_has_pages_of_its_own_and_the_method_keeps_its_own() -> None:
    assert asyncio.run(with_pages(look_back, 7)(about="a")) == ("a", 7)
    assert asyncio.run(look_back(about="a")) == ("a", 1024)


def test_langgraph_s_method_has_pages() -> None:
    method = aio.AsyncPostgresSaver.aget_delta_channel_history
    assert with_pages(method, 7).__globals__["_DELTA_PAGE_SIZE"] == 7
    assert aio._DELTA_PAGE_SIZE != 7


def test_a_method_without_pages_is_refused() -> None:
    with pytest.raises(LookupError, match=r"aput does not use"):
        with_pages(aio.AsyncPostgresSaver.aput, 7)


def test_a_list_that_lies_several_pages_back_is_whole(tmp_path: Path) -> None:
    """Every fourth checkpoint has an addition, and the last ones have none."""
    rounds, rest = 100, 200
    count = assign("count", N=plus(name("N"), lit(1)))
    more = Binary(op="<", left=name("N"), right=lit(rounds))
    spec = program(
        assign("begin", N=lit(0)),
        assign("add", LIST=name("N")),
        count,
        ChooseNode(id="more", on=more),
        *(assign(f"rest{n}", N=lit(n)) for n in range(rest)),
        SUCCESS,
        edges=(case("more", "true", "add"), case("more", "false", "rest0")),
        variables=("N",),
        state=(LIST, N),
        outputs=("LIST",),
    )

    async def go(url: str) -> Any:
        async with open_engine(url) as engine:
            world = World(max_steps=10 * rounds)
            outcome = await engine.start(spec, world, run="r", inputs={}, options={})
            assert outcome.status == "success", outcome
            app = compile_graph(spec, engine.saver)
            return (await app.aget_state(thread_config("r"))).values["LIST"]

    with fresh_store("postgresql", tmp_path) as url:
        assert asyncio.run(go(url)) == list(range(rounds))
