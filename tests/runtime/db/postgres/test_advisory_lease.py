"""Runs stay held when the connection that holds them breaks while others are taken and given back.

What happens at one moment is brought about by holding the lock that takes them one after another.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.db.postgres.connection import PostgresDatabase
from flowc.runtime.store.runs import open_store
from stores import ask, fresh_store

PATIENCE = 120.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[str]:
    with fresh_store("postgresql", tmp_path) as url:
        yield url


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    end = time.monotonic() + PATIENCE
    while not await holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


async def broken(url: str, leases: Any, waiting: int) -> None:
    """Have the server close the connection that holds the runs, and wait until that is noticed."""
    number = leases._link.connection.info.backend_pid
    await asyncio.to_thread(ask, url, f"select pg_terminate_backend({number})")

    async def noticed() -> bool:
        return len(leases._lock._waiters or ()) == waiting

    await until(noticed)


async def held(url: str, run: str) -> bool:
    """As another process sees it."""
    async with open_store(url) as other:
        return bool(await other.leases.held_among([run]))


async def given_back(store: str) -> tuple[bool, set[str], bool]:
    """Return whether `short` was held in the middle, which runs were lost, and whether `long` is
    still held in the end."""
    done = asyncio.Event()

    async with open_store(store) as opened:
        leases: Any = opened.leases

        async def short() -> None:
            async with leases.hold("short"):
                await done.wait()

        async with leases.hold("long"):
            task = asyncio.create_task(short())
            await until(lambda: held(store, "short"))
            async with leases._lock:
                await broken(store, leases, 1)
                done.set()

                async def queued() -> bool:
                    return len(leases._lock._waiters) == 2

                await until(queued)
            await task
            async with asyncio.timeout(PATIENCE):
                await opened.db.run("create table written (n integer)")
            await until(lambda: held(store, "long"))
            others = await held(store, "short")
        return others, set(leases.lost_runs), await held(store, "long")


async def mended(store: str) -> tuple[set[str], bool]:
    """Return which runs were lost, and whether `long` is still held in the end."""
    async with open_store(store) as opened:
        leases: Any = opened.leases
        async with leases.hold("long"):
            async with leases._lock:
                await broken(store, leases, 1)
                await PostgresDatabase(leases._link).rows("select 1")
            await until(lambda: held(store, "long"))
        return set(leases.lost_runs), await held(store, "long")


def test_a_run_that_is_given_back_at_that_moment_holds_nobody_up(store: str) -> None:
    assert asyncio.run(given_back(store)) == (False, set(), False)


def test_a_run_stays_held_when_who_takes_another_mends_the_connection(store: str) -> None:
    assert asyncio.run(mended(store)) == (set(), False)
