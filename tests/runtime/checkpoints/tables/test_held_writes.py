"""What PostgreSQL's saver has to write is held until something takes it along, and never lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.checkpoints.tables.held_writes import (
    MOST_BYTES,
    Pending,
    PendingCheckpoint,
    PendingOfRuns,
)
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


async def until(is_so: Any) -> None:
    for _ in range(200):
        if await is_so():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")


def test_writes_that_no_checkpoint_follows_are_in_the_store_soon(tmp_path: Path, wait) -> None:
    """Other tasks of the step are still at work."""

    async def go(url: str) -> None:
        async with held_writes(url) as (engine, config, count):
            await engine.saver.aput_writes(config, WRITES, "first")
            await engine.saver.aput_writes(config, WRITES, "second")
            assert not await count("first")
            await until(lambda: count("first"))
            assert (await count("first"), await count("second")) == (3, 3)

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))


@asynccontextmanager
async def nothing_more() -> AsyncIterator[Any]:
    yield ()


async def checkpoints(engine: Any) -> int:
    rows = await engine.journal_db.rows("select count(*) from checkpoints")
    return int(rows[0][0])


_TRANSACTIONS = "select count(*), count(distinct xmin::text) from flowc.checkpoints"


async def three_steps(engine: Any, config: Any) -> None:
    """Three checkpoints of a run that is executed, and what tasks wrote after each but the last."""
    engine.saver.ahead["t"] = nothing_more
    for number in (3, 4, 5):
        await engine.saver.aput_writes(config, WRITES, f"task {number}")
        new = checkpoint(number)["channel_versions"]
        config = await engine.saver.aput(config, checkpoint(number), {"step": number}, new)


def test_checkpoints_of_a_run_that_is_executed_go_with_what_is_written_next(tmp_path, wait) -> None:
    async def go(url: str) -> None:
        async with held_writes(url) as (engine, config, count):
            await three_steps(engine, config)
            assert await checkpoints(engine) == 1
            async with engine.saver.pending("t") as writes:
                await engine.journal_db.for_run("t").put_all(writes)
            assert ask(url, _TRANSACTIONS) == [(4, 2)], "the first checkpoint, and the others"
            assert (await checkpoints(engine), await count("task 5")) == (4, 3)
            # The store counts what stands behind each, and finds nothing missing.
            items = [item async for item in engine.saver.alist({"configurable": PLACE})]
            assert [item.checkpoint["id"][-3:] for item in items] == ["005", "004", "003", "002"]
            assert [len(item.pending_writes) for item in items] == [0, 3, 3, 3]
            ask(url, "delete from flowc.checkpoint_writes where task_id = 'task 4'")
            with pytest.raises(RunError, match="what was written after"):
                [item async for item in engine.saver.alist({"configurable": PLACE})]

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))


def test_they_are_in_the_store_soon_and_at_once_where_somebody_reads(tmp_path, wait) -> None:
    async def go(url: str) -> None:
        async with held_writes(url) as (engine, config, _):
            await three_steps(engine, config)

            async def are_there() -> bool:
                return await checkpoints(engine) == 4

            await until(are_there)
            new = checkpoint(6)["channel_versions"]
            await engine.saver.aput(config, checkpoint(6), {"step": 6}, new)
            item = await engine.saver.aget_tuple({"configurable": PLACE})
            assert item.checkpoint["id"] == checkpoint(6)["id"]

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))


def test_whoever_reads_waits_for_what_is_being_written(tmp_path: Path, wait: Any) -> None:
    """A run whose end was read meanwhile stood before its last step for ever."""

    async def go(url: str) -> None:
        async with held_writes(url) as (engine, config, _):
            engine.saver.ahead["t"] = nothing_more
            new = checkpoint(3)["channel_versions"]
            await engine.saver.aput(config, checkpoint(3), {"step": 3}, new)
            taken, go_on = asyncio.Event(), asyncio.Event()

            async def write() -> None:
                async with engine.saver.pending("t") as writes:
                    taken.set()
                    await go_on.wait()
                    await engine.journal_db.for_run("t").put_all(writes)

            async with engine.saver.pending("other"):  # that of another run delays nobody
                writing = asyncio.create_task(write())
                await taken.wait()
                reading = asyncio.create_task(engine.saver.aget_tuple({"configurable": PLACE}))
                await asyncio.wait([reading], timeout=0.2)
                go_on.set()
                item = await asyncio.wait_for(reading, 10)
            assert item.checkpoint["id"] == checkpoint(3)["id"]
            await writing

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))


def test_a_checkpoint_is_written_again_and_a_large_one_does_not_wait(tmp_path, wait) -> None:
    async def go(url: str) -> None:
        async with held_writes(url) as (engine, config, _):
            engine.saver.ahead["t"] = nothing_more
            for step in (1, 2):
                new = checkpoint(3)["channel_versions"]
                await engine.saver.aput(config, checkpoint(3), {"step": step}, new)
            assert await checkpoints(engine) == 2
            item = await engine.saver.aget_tuple({"configurable": PLACE})
            assert item.metadata["step"] == 2
            for number in (4, 5):
                large = {**checkpoint(number), "channel_values": {"short": "x" * MOST_BYTES}}
                new = large["channel_versions"]
                await engine.saver.aput(config, large, {"step": number}, new)
            assert await checkpoints(engine) == 3, "the second one waits, the first does not"

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


def row(number: int, task: str = "a", checkpoint: str = "1") -> tuple[Any, ...]:
    return ("t", "", checkpoint, task, "", number, "list", "json", b"", b"", 1)


def one(id: str, parent: str | None = None, size: int = 0) -> PendingCheckpoint:
    return PendingCheckpoint("", id, parent, (id,), ((id, b"x" * size, b""),) if size else ())


KEY = ("t", 5)


def test_what_is_held_is_taken_once_in_the_order_it_came(wait) -> None:
    async def go() -> None:
        back = PendingOfRuns()
        back.of(KEY).rows.extend([row(0), row(1)])
        back.of(KEY).checkpoints.append(one("2", "1"))
        async with back.take(("t", 6)) as other:
            assert not other, "another number of the run"
        async with back.take(KEY) as held:
            assert (held.rows, held.checkpoints) == ([row(0), row(1)], [one("2", "1")])
        async with back.take(KEY) as held:
            assert not held
        assert back.runs == {}

    wait(go())


@pytest.mark.parametrize("error", [RunError("the disk is full"), asyncio.CancelledError()])
def test_what_could_not_be_written_comes_before_what_came_meanwhile(wait, error) -> None:
    async def go() -> None:
        back = PendingOfRuns()
        back.of(KEY).checkpoints.append(one("1"))
        with pytest.raises(type(error)):  # noqa: PT012, as it fails between two of them
            async with back.take(KEY) as held:
                held.checkpoints.append(one("of the one who takes it"))
                back.of(KEY).checkpoints.append(one("2"))
                raise error
        assert back.of(KEY).checkpoints == [one("1"), one("2")]
        with pytest.raises(NotHeld):
            async with back.take(KEY):
                raise NotHeld("it was taken over")
        assert back.runs == {}

    wait(go())


def test_one_at_a_time_takes_of_a_run_and_others_do_not_wait(wait) -> None:
    async def go() -> None:
        back, seen = PendingOfRuns(), []

        async def take(key: Any, name: str) -> None:
            async with back.take(key):
                seen.append(name)
                await asyncio.sleep(0.01)
                seen.append(f"{name} ends")

        await asyncio.gather(take(KEY, "one"), take(KEY, "two"), take(("u", 1), "other"))
        assert seen.index("one ends") < seen.index("two")
        assert seen.index("other") < seen.index("one ends")

    wait(go())


def test_what_is_written_with_a_checkpoint_is_what_stands_behind_its_parent() -> None:
    held = Pending([row(0), row(1), row(-1, "b"), row(0, "c", "2")], [one("2", "1"), one("3", "2")])
    *_, (query, values) = held.writes()
    assert values == ["2", ["a", "a"], [0, 1], "3", ["c"], [0]]
    assert query.count("(?::text") == 2


def test_there_is_room_for_another_checkpoint_that_is_not_too_large() -> None:
    held = Pending([], [one("1", size=MOST_BYTES // 2)])
    assert held.has_room(one("2", size=MOST_BYTES // 2))
    assert not held.has_room(one("2", size=MOST_BYTES // 2 + 1))
    assert not held.has_room(one("1"))
    assert Pending([row(0)]).has_any_of([row(0), row(1)])
    assert not Pending([row(0)]).has_any_of([row(0, "b"), row(1)])
