"""A pool that lends each transaction another session: nothing of flowc stays with a session."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import AskNode
from flowc.runtime.db.postgres.names import TABLES
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from pooler import pooled
from specs import SUCCESS, assign, commands, program, text
from stores import ask, fresh_store
from worlds import World, start

ROOT = Path(__file__).parents[4]
SESSION = (
    "select current_setting('search_path'), current_setting('lock_timeout'),"
    " current_setting('synchronous_commit')"
)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A database by way of a pool, and itself."""
    with fresh_store("postgresql", tmp_path) as server, pooled(server, tmp_path) as pool:
        yield pool, server


def test_a_run_pauses_and_ends_behind_a_pool_which_keeps_its_settings(
    servers: tuple[str, str], wait: Any
) -> None:
    pool, server = servers
    before = ask(server, SESSION)
    world = World()
    spec = program(
        commands("say", "say"),
        AskNode(id="q", question=text("?"), into="RESULT"),
        assign("a"),
        SUCCESS,
    )

    async def go() -> None:
        for run in ("r", "s"):  # more than one statement has been prepared by then
            async with open_engine(pool) as engine:
                await start(engine, spec, world, run=run)
            async with open_engine(pool) as engine, asyncio.timeout(60):
                outcome = await engine.resume(run, spec, world, answers={"": "yes"})
                assert outcome.status == "success"

    wait(go())
    assert {row for _ in range(9) for row in ask(pool, SESSION)} == set(before)
    where = "select distinct schemaname from pg_tables where schemaname !~ '^pg|^inf'"
    assert ask(server, where) == [("flowc",)]


def test_a_pool_whose_server_may_forget_a_commit_is_refused(tmp_path: Path, wait: Any) -> None:
    async def go(pool: str) -> None:
        async with open_engine(pool):
            pass

    with fresh_store("postgresql", tmp_path) as server:
        ask(server, f"alter database {server.rpartition('/')[2]} set synchronous_commit = off")
        with (
            pooled(server, tmp_path) as pool,
            pytest.raises(RunError, match="answers before a commit is on the disk") as caught,
        ):
            wait(go(pool))
    assert "synchronous_commit = on" in str(caught.value.help)


def test_every_table_is_named_with_its_schema() -> None:
    made = re.compile(r"create table if not exists (\w+)")
    sources = [path.read_text() for path in sorted((ROOT / "runtime").rglob("*.py"))]
    tables = {table for source in sources for table in made.findall(source)}
    own = {table for table in tables if not table.startswith("flow_")}  # which are SQLite's
    assert own == set(TABLES)
