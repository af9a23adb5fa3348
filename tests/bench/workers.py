"""Executions through one to eight workers on PostgreSQL, when steps wait for a model.

The model server answers each call after half a second, as a fast model would. A worker carries on
two executions at a time, so that what is compared is waiting, which more workers share, and not the
machine's cores, which they do not. Each worker has as many executions to do, in whole rounds: with
some left over, most workers would wait for the last ones. Processes start before the clock does.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))

from fleet import CHAIN, begin, fleet, slow_model, until
from flowc.runtime.config.settings import Config
from flowc.runtime.service.operations.executions import open_executing
from flowc.runtime.service.records.tables import StoredExecution
from own_folders import write_record
from stores import SERVER, ask, fresh_store

WORKERS = (1, 2, 4, 8)
AT_A_TIME = 2
ROUNDS = 12
SECONDS = 0.5


def report() -> None:
    """Print the throughput of 1, 2, 4 and 8 workers."""
    if not SERVER:
        print("workers: skipped, FLOWC_TEST_POSTGRES names no PostgreSQL server")
        return
    print(
        f"workers on PostgreSQL, {os.cpu_count()} cores: {ROUNDS * AT_A_TIME} executions of"
        f" {len(CHAIN)} steps for each worker, {AT_A_TIME} at a time,"
        f" the model answers after {SECONDS:g} s"
    )
    with tempfile.TemporaryDirectory() as home:
        write_record(Path(home))
        os.environ["XDG_CONFIG_HOME"] = home
        _compare()


def _compare() -> None:
    alone = 0.0
    for count in WORKERS:
        seconds, commits, busy = measured(count)
        rate = count * ROUNDS * AT_A_TIME / seconds
        alone = alone or rate
        print(
            f"{count} workers: {seconds:6.1f} s, {rate:5.2f} a second,"
            f" each {rate / alone / count:.2f} × one alone,"
            f" {commits:.0f} transactions of the server an execution, cores usually {busy:.0%} busy"
        )


def measured(count: int) -> tuple[float, float, float]:
    """Seconds from the first call of a model until all executions have ended, transactions of the
    server for each, and how busy the machine usually was with whatever."""
    executions = count * ROUNDS * AT_A_TIME
    with (
        tempfile.TemporaryDirectory() as folder,
        fresh_store("postgresql", Path(folder)) as url,
        slow_model(SECONDS) as (server, slow),
        fleet(Path(folder), url) as workers,
    ):
        config = workers.config(server.url)
        for _ in range(count):
            workers.start("--concurrency", str(AT_A_TIME))
        before = _transactions(url)
        with _Busy() as busy:
            ended = asyncio.run(_all(url, config, executions, slow.asked))
        time.sleep(2)  # the server counts what was done a moment ago
        commits = (_transactions(url) - before) / executions
        return ended - slow.asked[0][1], commits, busy.usual


def _transactions(url: str) -> int:
    query = "select xact_commit from pg_stat_database where datname = current_database()"
    return int(ask(url, query)[0][0])


def _idle() -> int:
    with open("/proc/stat", encoding="ascii") as file:
        return sum(map(int, file.readline().split()[4:6]))


class _Busy:
    """How busy the machine is, second by second: on average it would look idle, for at the begin
    and at the end of a comparison few workers have anything to do."""

    def __init__(self) -> None:
        self._shares: list[float] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def usual(self) -> float:
        """The share of the cores in the middle one of the seconds."""
        return statistics.median(self._shares)

    def _watch(self) -> None:
        ticks = os.sysconf("SC_CLK_TCK") * (os.cpu_count() or 1)
        idle, moment = _idle(), time.monotonic()
        while not self._ended.wait(1):
            later, now = _idle(), time.monotonic()
            self._shares.append(1 - (later - idle) / ticks / (now - moment))
            idle, moment = later, now


async def _all(url: str, config: Config, count: int, asked: Sequence[tuple[str, float]]) -> float:
    """Return when the last model answered. Until then nobody asks the server how it stands."""
    async with open_executing(url, config) as executing:
        ids = await begin(executing, count, CHAIN)
        await asyncio.to_thread(until, lambda: len(asked) >= count * len(CHAIN), 600.0)
        ended = time.monotonic() + SECONDS
        await asyncio.sleep(SECONDS)
        for id in ids:
            assert await executing.wait_for_rest(id, 600)
            execution = await executing.register.get(StoredExecution, id, None)
            assert (await executing.standing(execution)).status == "completed"
    return ended


if __name__ == "__main__":
    report()
