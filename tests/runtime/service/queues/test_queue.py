"""The queue of each store: what is told is heard, once, the most urgent first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fleet import until
from flowc.runtime.config.settings import Config
from flowc.runtime.db.database import Database
from flowc.runtime.service.operations.executions import Executing, open_executing
from flowc.runtime.service.queues.queue import GOES_ON, RANKS, Seat, TakenJob, WorkQueue
from pooler import pooled
from stores import KINDS, ask, fresh_store

LATER = 1.5
PENDING = 300
WAYS = (*KINDS, "pooled")


class Line:
    """A queue and its store."""

    def __init__(self, executing: Executing) -> None:
        self.db: Database = executing.db
        self.due: WorkQueue = executing.due

    async def tell(self, *executions: str, rank: int = 0) -> None:
        for execution in executions:
            async with self.db.transaction(f"execution {execution}") as inside:
                await self.due.tell(inside, execution, rank)

    async def waits(self) -> list[str]:
        return [job.execution for job in await self.due.jobs(10) if job.state == "waits"]

    @asynccontextmanager
    async def seats(self) -> AsyncIterator[tuple[Seat, Seat]]:
        async with self.due.seat("a") as one, self.due.seat("b") as other:
            yield one, other


@pytest.fixture(params=WAYS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A store of each kind, and one behind a pool that lends each transaction another session."""
    with fresh_store("sqlite" if request.param == "sqlite" else "postgresql", tmp_path) as made:
        if request.param != "pooled":
            yield made
            return
        with pooled(made, tmp_path) as pool:
            yield pool


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[str]:
    with fresh_store("postgresql", tmp_path) as made:
        yield made


def on(url: str, body: Callable[[Line], Coroutine[object, object, None]]) -> None:
    async def go() -> None:
        async with open_executing(url, Config()) as executing, asyncio.timeout(60):
            await body(Line(executing))

    asyncio.run(go())


async def taken(seat: Seat, room: int = 9, busy: list[TakenJob] | None = None) -> list[TakenJob]:
    """What the seat gets, when there is something at last."""
    end = time.monotonic() + 20
    while not (jobs := await seat.take(room, busy or [])):
        assert time.monotonic() < end, "nothing came"
        await asyncio.sleep(0.05)
    return jobs


def test_news_are_heard_once_and_what_comes_meanwhile_afterwards(url: str) -> None:
    async def body(line: Line) -> None:
        await line.tell("ex-1", "ex-1")
        async with line.seats() as (one, other):
            [job] = await one.take(9, [])
            assert await other.take(9, []) == []
            await line.tell("ex-1", "ex-1")
            assert await one.take(9, [job]) == await other.take(9, []) == []
            assert await line.due.has("ex-1")
            await one.finish(job)
            [later] = await other.take(9, [])
            assert later.execution == "ex-1"
            await other.finish(later)
            assert not await line.due.has("ex-1")
            assert await one.take(9, []) == await line.due.jobs(9) == []

    on(url, body)


def test_what_goes_on_comes_before_any_number_that_begin(url: str) -> None:
    async def body(line: Line) -> None:
        async with line.db.transaction() as inside:
            for number in range(PENDING):
                await line.due.tell(inside, f"ex-{number:04}", RANKS["normal"])
        await line.tell("ex-person", rank=GOES_ON + RANKS["normal"])
        await line.tell("ex-0299", rank=GOES_ON + RANKS["critical"])
        await line.tell("ex-0298", rank=RANKS["low"])
        async with line.due.seat("a") as seat:
            jobs = await seat.take(4, [])
        assert [job.execution for job in jobs] == ["ex-0299", "ex-person", "ex-0000", "ex-0001"]

    on(url, body)


def test_what_is_given_back_comes_behind_what_waits(url: str) -> None:
    async def body(line: Line) -> None:
        await line.tell("ex-1", "ex-2")
        async with line.seats() as (one, other):
            [job] = await one.take(1, [])
            await line.tell("ex-1")
            await one.give_back(job)
            assert sorted(await line.waits()) == ["ex-1", "ex-2"]
            assert [job.execution for job in await other.take(1, [])] == ["ex-2"]

    on(url, body)


def test_what_is_given_back_for_later_waits_unless_there_are_more_news(url: str) -> None:
    async def body(line: Line) -> None:
        await line.tell("ex-1", "ex-2")
        async with line.seats() as (one, other):
            for job in await one.take(2, []):
                await one.give_back(job, LATER)
            if not line.due.channel:
                return  # it lies with its worker until then
            assert await other.take(9, []) == []
            await line.tell("ex-1")
            first = await other.take(9, [])
            assert [job.execution for job in first] == ["ex-1"]
            await asyncio.sleep(LATER)
            assert [job.execution for job in await other.take(9, first)] == ["ex-2"]

    on(url, body)


def test_what_a_worker_is_not_busy_with_is_taken_again(url: str) -> None:
    """Its end could not be written."""

    async def body(line: Line) -> None:
        await line.tell("ex-1", "ex-2")
        async with line.due.seat("a") as seat:
            one, two = await seat.take(9, [])
            again = await seat.take(9, [two])
            assert [job.execution for job in again] == [one.execution]

    on(url, body)


def test_what_a_worker_leaves_is_taken_by_the_next(url: str) -> None:
    async def body(line: Line) -> None:
        await line.tell("ex-1", "ex-2")
        async with line.due.seat("a") as seat:
            await seat.take(1, [])
            await line.tell("ex-1")
        async with line.due.seat("b") as seat:
            jobs = await taken(seat)
            while len(jobs) < 2:
                jobs += await taken(seat, busy=jobs)
            assert sorted(job.execution for job in jobs) == ["ex-1", "ex-2"]
            for job in jobs:
                await seat.finish(job)
        assert await line.due.jobs(9) == []

    on(url, body)


def test_what_is_not_committed_was_not_told(url: str) -> None:
    async def body(line: Line) -> None:
        async def tell_and_fail() -> None:
            async with line.db.transaction() as inside:
                await line.due.tell(inside, "ex-1")
                raise LookupError

        with pytest.raises(LookupError):
            await tell_and_fail()
        assert not await line.due.has("ex-1")

    on(url, body)


def test_nobody_hears_the_old_state_of_what_is_being_told(postgres: str) -> None:
    """A job that waits already is not taken before the transaction of more news is committed."""

    async def body(line: Line) -> None:
        await line.tell("ex-1")
        async with line.due.seat("a") as seat:
            async with line.db.transaction("execution ex-1") as inside:
                await line.due.tell(inside, "ex-1")
                assert await seat.take(9, []) == []
            assert len(await seat.take(9, [])) == 1

    on(postgres, body)


async def freeze(url: str, name: str, worker: int) -> None:
    """Stop the heart of a seat, and let its last beat be long ago."""
    [heart] = [task for task in asyncio.all_tasks() if task.get_name() == f"heart of {name}"]
    heart.cancel()
    await asyncio.wait([heart])
    ask(
        url,
        f"update flowc.procrastinate_workers set last_heartbeat = '2000-01-01' where id = {worker}",
    )


def test_a_worker_that_wakes_up_ends_nothing_of_another_one(postgres: str) -> None:
    """It was frozen, its job was taken by another; the one that waited then is that same one."""

    async def body(line: Line) -> None:
        await line.tell("ex-1")
        async with line.due.seat("frozen") as frozen:
            [old] = await frozen.take(9, [])
            await line.tell("ex-1")
            async with line.due.seat("b") as seat:
                await freeze(postgres, "frozen", frozen.worker)
                [new] = await taken(seat)
                assert new.number != old.number
                await frozen.finish(old)
                assert await line.due.has("ex-1")
                assert await frozen.take(9, []) == []
                await seat.finish(new)
        assert await line.due.jobs(9) == []

    on(postgres, body)


def test_a_job_that_got_lost_on_the_way_and_a_forgotten_worker_come_back(postgres: str) -> None:
    async def body(line: Line) -> None:
        await line.tell("ex-1")
        async with line.due.seat("a") as seat:
            ask(postgres, "update flowc.procrastinate_jobs set status = 'doing', worker_id ="
                          " (select id from flowc.procrastinate_workers)")  # fmt: skip
            [job] = await taken(seat)
            ask(postgres, "delete from flowc.procrastinate_workers")
            await seat.finish(job)
            await asyncio.to_thread(
                until, lambda: bool(ask(postgres, "select 1 from flowc.procrastinate_workers"))
            )
            await line.tell("ex-2")
            assert [job.execution for job in await taken(seat)] == ["ex-2"]

    on(postgres, body)


def test_a_job_is_fetched_at_once_from_thousands_that_nobody_has_counted(postgres: str) -> None:
    """The server knows nothing yet of the rows that were written a moment ago."""

    async def body(line: Line) -> None:
        ask(postgres, "insert into flowc.procrastinate_jobs (queue_name, task_name, lock,"
                      " queueing_lock) select 'flowc', 'carry_on', 'ex-' || n, 'ex-' || n"
                      " from generate_series(1, 10000) n")  # fmt: skip
        async with line.due.seat("a") as seat, asyncio.timeout(10):
            assert len(await seat.take(20, [])) == 20

    on(postgres, body)


def test_procrastinate_lies_in_the_schema_of_the_store(postgres: str) -> None:
    async def body(line: Line) -> None:
        await line.tell("ex-1")

    on(postgres, body)
    where = "select distinct nspname from pg_class c join pg_namespace n on n.oid = relnamespace"
    assert ask(postgres, f"{where} where relname ~ '^procrastinate'") == [("flowc",)]
