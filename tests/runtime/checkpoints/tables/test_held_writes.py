"""What a task wrote is held in PostgreSQL's saver until the checkpoint after it, and never lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.checkpoints.tables.held_writes import HeldWrites
from flowc.runtime.db.fence import NotHeld
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from stores import ask, fresh_store

PLACE = {"thread_id": "t", "checkpoint_ns": ""}
WRITES = [("list", [1, 2]), ("short", "no"), ("branch:to:b", None)]


def checkpoint(number: int) -> dict[str, Any]:
    return {
        "v": 4,
        "ts": "2026-01-01T00:00:00+00:00",
        "id": f"1ef4f797-8335-6428-8001-8a1503f9b{number:03}",
        "channel_values": {"list": [1, "é"], "short": "yes"},
        "channel_versions": dict.fromkeys(("list", "short"), f"{number:032}.1"),
        "versions_seen": {},
        "updated_channels": None,
    }


@asynccontextmanager
async def held_writes(url: str) -> AsyncIterator[tuple[Any, Any, Any]]:
    """An engine, a config, and what counts the writes of a task that are in the store."""
    async with open_engine(url) as engine, engine.hold("t"):
        new = checkpoint(2)["channel_versions"]
        config = await engine.saver.aput({"configurable": PLACE}, checkpoint(2), {"step": 1}, new)

        async def count(task: str) -> int:
            query = "select count(*) from checkpoint_writes where task_id = ?"
            return int((await engine.journal_db.rows(query, (task,)))[0][0])

        yield engine, config, count


def test_writes_that_no_checkpoint_follows_are_in_the_store_at_once(tmp_path: Path, wait) -> None:
    """Other tasks of the step are still at work."""

    async def go(url: str) -> None:
        async with held_writes(url) as (engine, config, count):
            await engine.saver.aput_writes(config, WRITES, "first")
            await engine.saver.aput_writes(config, WRITES, "second")
            for _ in range(1_000):
                if await count("first") and await count("second"):
                    return
        raise AssertionError("they are not there")

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))


def test_a_question_is_in_the_store_when_it_is_asked(tmp_path: Path, wait) -> None:
    async def go(url: str) -> None:
        async with held_writes(url) as (engine, config, count):
            await engine.saver.aput_writes(config, WRITES, "before")
            await engine.saver.aput_writes(config, [("__interrupt__", ("?",))], "asks")
            assert ask(url, "select count(*) from flowc.checkpoint_writes where task_id = 'asks'")
            assert (await count("before"), await count("asks")) == (3, 1)

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))


def test_whoever_reads_or_closes_finds_what_is_held(tmp_path: Path, wait) -> None:
    async def go(url: str) -> None:
        async with held_writes(url) as (engine, config, _):
            await engine.saver.aput_writes(config, WRITES, "read")
            found = await engine.saver.aget_tuple(config)
            assert len([write for write in found.pending_writes if write[0] == "read"]) == 3
            await engine.saver.aput_writes(config, WRITES, "listed")
            items = [item async for item in engine.saver.alist(config)]
            assert len([w for w in items[0].pending_writes if w[0] == "listed"]) == 3
            await engine.saver.aput_writes(config, WRITES, "twice")
            await engine.saver.aput_writes(config, [("list", "other")], "twice")
            await engine.saver.aput_writes(config, WRITES, "left")

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))
        query = "select task_id, count(*) from flowc.checkpoint_writes where checkpoint_id like"
        query += " '%002' group by 1"
        kept = dict(ask(url, query))
    assert {kept[task] for task in ("read", "listed", "twice", "left")} == {3}


def test_held_writes_of_a_run_that_was_taken_are_never_written(tmp_path: Path, wait) -> None:
    async def go(url: str) -> None:
        async with held_writes(url) as (engine, config, count):
            await engine.saver.aput_writes(config, WRITES, "late")
            ask(url, "update flowc.leases set epoch = epoch + 1")
            with pytest.raises(NotHeld):
                await engine.saver.aput(config, checkpoint(3), {}, {})
            assert await engine.saver.aget_tuple(config) is not None
            assert await count("late") == 0

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))


def test_writes_that_could_not_be_kept_go_with_the_next_checkpoint(tmp_path: Path, wait) -> None:
    async def go(url: str) -> None:
        async with held_writes(url) as (engine, config, count):
            ask(url, "alter table flowc.checkpoint_writes add constraint c check (task_id <> 'x')")
            await engine.saver.aput_writes(config, WRITES, "x")
            for _ in range(100):  # in which they are sent
                assert await count("x") == 0
            with pytest.raises(RunError):
                await engine.saver.aput(config, checkpoint(3), {}, {})
            assert ask(url, "select count(*) from flowc.checkpoints") == [(1,)]
            ask(url, "alter table flowc.checkpoint_writes drop constraint c")
            await engine.saver.aput(config, checkpoint(3), {}, {})
            assert await count("x") == 3

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))


def held(*rows: tuple[int, str], epoch: int | None = 5) -> HeldWrites:
    """What is held of the run `t`: rows that are known by their number."""
    writes = HeldWrites(key=lambda row: row[0])
    writes.add("t", epoch, rows)
    return writes


def taken(writes: HeldWrites, run: str = "t", epoch: int | None = 5) -> list[Any]:
    with writes.take(run, epoch) as rows:
        return rows


def test_rows_are_taken_once_in_the_order_they_came() -> None:
    writes = held((1, "a"), (2, "b"))
    writes.add("t", 5, [(3, "c")])
    assert taken(writes) == [(1, "a"), (2, "b"), (3, "c")]
    assert taken(writes) == []


def test_rows_belong_to_a_run_and_to_the_number_it_was_held_under() -> None:
    writes = held((1, "a"))
    assert taken(writes, "u") == taken(writes, epoch=6) == taken(writes, epoch=None) == []
    assert taken(writes) == [(1, "a")]


def test_a_row_is_known_by_its_key() -> None:
    writes = held((1, "a"), (2, "b"))
    assert writes.has_any_of("t", 5, [(3, "a"), (2, "c")])
    assert not writes.has_any_of("t", 5, [(3, "a")])
    assert not writes.has_any_of("t", 6, [(1, "a")])


@pytest.mark.parametrize("error", [RunError("the disk is full"), KeyboardInterrupt()])
def test_rows_that_could_not_be_written_come_before_those_that_came_meanwhile(error) -> None:
    writes = held((1, "a"))

    def fail() -> None:
        with writes.take("t", 5):
            writes.add("t", 5, [(2, "b")])
            raise error

    with pytest.raises(type(error)):
        fail()
    assert taken(writes) == [(1, "a"), (2, "b")]


def test_where_nothing_was_held_a_failure_holds_nothing() -> None:
    writes = held()
    taken(writes)
    with pytest.raises(RunError), writes.take("t", 5):
        raise RunError("the disk is full")
    assert writes.rows == {}


def test_rows_of_a_run_that_was_taken_are_dropped() -> None:
    writes = held((1, "a"))
    with pytest.raises(NotHeld), writes.take("t", 5):
        raise NotHeld("it was taken over")
    assert taken(writes) == []
