"""Forgetting many runs: all of each or nothing, whatever stops it, and what others hold stays."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.db.schema_version import has_table
from flowc.runtime.engine.engine import Engine, open_engine
from flowc.runtime.engine.removal import forget_within
from flowc.runtime.store.cleanup import sweep
from killing import Killed, in_process, kill_me
from specs import SUCCESS, ask, assign, lit, program
from worlds import World, start

RUNS = ("a", "b", "c", "d")
SPEC = program(assign("a", RESULT=lit("x" * 5_000), N=lit("y" * 900)), ask("q"), SUCCESS)


async def kept(engine: Engine) -> dict[str, list[str]]:
    """What each table of the store knows of which runs."""
    db = engine.journal_db
    known = {}
    for table, column in {
        "runs": "id",
        "flow_checkpoints": "run",
        "checkpoints": "thread_id",
        "checkpoint_blobs": "thread_id",
        **dict.fromkeys(("events", "notes", "effects", "holds", "leases", "heartbeats"), "run"),
    }.items():
        if await has_table(db, table):
            rows = await db.rows(f"select distinct {column} from {table}")
            known[table] = sorted(row[0] for row in rows)
    return {table: runs for table, runs in known.items() if runs}


async def begun(engine: Engine, *runs: str) -> None:
    for run in runs:
        assert (await start(engine, SPEC, World(), run=run)).status == "paused"


def test_runs_go_together_and_one_that_is_executed_stays(any_store, wait) -> None:
    async def go() -> None:
        async with open_engine(any_store) as engine, open_engine(any_store) as other:
            await begun(engine, *RUNS)
            async with other.store.leases.hold("b"):
                assert await engine.forget(["a", "b", "c"]) == ["a", "c"]
            assert all({"b", "d"}.issuperset(runs) for runs in (await kept(engine)).values())
            assert (await engine.store.get("b")).spec == (await engine.store.get("d")).spec
            for run in ("b", "d"):
                outcome = await engine.resume(run, SPEC, World(), answers={"": "z"})
                assert outcome.variables["N"] in ("z", "y" * 900)
            assert await engine.forget(["b", "d"]) == ["b", "d"]
            assert await kept(engine) == {}
            assert await engine.journal_db.rows("select * from blobs") == []
            await begun(engine, "a")

    wait(go())


def remove(folder: Path) -> None:
    for file in folder.glob("*.lock"):
        file.unlink()


def test_whoever_believes_to_hold_a_run_that_was_forgotten_writes_nothing(url, wait) -> None:
    async def go() -> None:
        async with open_engine(url) as engine, open_engine(url) as other:
            await begun(engine, "a")
            async with other.store.leases.hold("a"):
                remove(Path(f"{url.removeprefix('sqlite:///')}.leases"))
                assert await engine.forget(["a"]) == ["a"]
                with pytest.raises(Exception, match="run a was taken over"):
                    await other.journal("a").store_answer("a", "q", "late")
            assert await kept(engine) == {}

    wait(go())


@pytest.mark.parametrize("way", ["killed", "cancelled"])
def test_runs_are_whole_or_gone_when_it_is_stopped(any_store, wait, way: str) -> None:
    async def stopped() -> None:
        async with open_engine(any_store) as engine:
            with contextlib.suppress(asyncio.CancelledError):
                async with engine.store.leases.end(engine.journal_db, RUNS) as (inside, free):
                    await forget_within(inside, free, engine.store.water)
                    if way == "killed":
                        kill_me()
                    raise asyncio.CancelledError

    async def prepare() -> Any:
        async with open_engine(any_store) as engine:
            await begun(engine, *RUNS)
            return await kept(engine)

    async def look() -> Any:
        async with open_engine(any_store) as engine:
            return await kept(engine)

    before = in_process(lambda: wait(prepare()))
    with pytest.raises(Killed) if way == "killed" else contextlib.nullcontext():
        in_process(lambda: wait(stopped()))
    assert in_process(lambda: wait(look())) == before


def test_what_lies_beside_runs_that_somebody_removed_is_swept(url, wait) -> None:
    folder = Path(f"{url.removeprefix('sqlite:///')}.leases")

    def files(suffix: str) -> list[Path]:
        return sorted(folder.glob(f"*{suffix}"))

    async def go() -> None:
        async with open_engine(url) as engine:
            await begun(engine, "a", "b", "c")
            for run in ("a", "b", "c"):
                engine.store.water.begin(run, 3)
            for run in ("a", "b"):
                await engine.store.db.run("delete from runs where id = ?", (run,))
            files(".lock")[0].unlink()  # of whichever run
            assert (await sweep(engine.store, dry_run=True)).leases == 2
            assert len(files(".done")) == 3
            assert (await sweep(engine.store)).leases == 2
            assert len(files(".done")) == 1
            await engine.delete("c")
            assert files(".done") == []

    wait(go())
