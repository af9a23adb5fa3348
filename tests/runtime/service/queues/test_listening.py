"""Who hears of news on PostgreSQL: a worker that has room, and nobody else."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fleet import CHAIN, begin, fleet, slow_model, until
from flowc.runtime.service.operations.executions import Executing, open_executing
from flowc.runtime.service.worker import Worker
from stores import ask, fresh_store

LISTENS = "select count(*) from pg_stat_activity where query ilike 'listen %'"


OTHERS = """
select count(*) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid()
"""


@asynccontextmanager
async def working(executing: Executing, places: int) -> AsyncIterator[Worker]:
    worker = Worker(executing, places)
    task = asyncio.create_task(worker.work())
    try:
        yield worker
    finally:
        worker.abandon()
        await task


def test_a_worker_listens_while_it_has_room(tmp_path: Path) -> None:
    """PostgreSQL wakes every session that listens, also that of a worker which is full."""
    answer = threading.Event()
    with (
        fresh_store("postgresql", tmp_path) as url,
        slow_model(0.0) as (server, slow),
        fleet(tmp_path, url) as workers,
    ):
        slow.when = answer
        query = f"{LISTENS} and datname = current_database()"

        async def listeners(count: int) -> None:
            await asyncio.to_thread(until, lambda: ask(url, query) == [(count,)], 60.0)

        async def go() -> None:
            async with open_executing(url, workers.config(server.url)) as executing:
                await asyncio.sleep(0.3)
                assert ask(url, query) == [(0,)], "nobody here takes anything"
                async with working(executing, 1) as worker:
                    await listeners(1)
                    ids = await begin(executing, 2, CHAIN)
                    await listeners(0)
                    assert len(worker.tasks) == 1
                    answer.set()
                    for id in ids:
                        assert await executing.wait_for_rest(id, 60)
                    await listeners(1)

        asyncio.run(go())


def test_many_announcements_at_once_are_one_look(tmp_path: Path) -> None:
    async def go(url: str) -> int:
        rings = 0
        async with open_executing(url, workers.config("http://127.0.0.1:1")) as executing:
            loop, end = asyncio.get_running_loop(), asyncio.get_running_loop().time() + 0.5
            while loop.time() < end:
                executing.hear('{"type": "job_inserted", "job_id": 1}')
                await asyncio.sleep(0.001)
                rings += executing.bell.is_set()
                executing.bell.clear()
            assert not executing.stop_bell.is_set()
            executing.hear('{"type": "abort_job_requested", "job_id": 0}')
            assert executing.stop_bell.is_set()
        return rings

    with fresh_store("postgresql", tmp_path) as url, fleet(tmp_path, url) as workers:
        assert 5 <= asyncio.run(go(url)) <= 11


def test_a_worker_at_rest_has_two_connections(tmp_path: Path) -> None:
    """One that listens, and one that looks for what is due each second."""
    with (
        fresh_store("postgresql", tmp_path) as url,
        slow_model(0.0) as (server, slow),
        fleet(tmp_path, url) as workers,
    ):
        config = workers.config(server.url)
        workers.start()

        async def go() -> None:
            async with open_executing(url, config) as executing:
                for id in await begin(executing, 2, CHAIN):
                    assert await executing.wait_for_rest(id, 60)

        asyncio.run(go())
        assert len(slow.asked) == 2 * len(CHAIN)
        until(lambda: ask(url, OTHERS)[0][0] == 2, 30.0)
