"""Executions through one, two and four workers on PostgreSQL, when steps wait for a model.

The model server answers each call after a second, as a fast model would. A worker carries on four
executions at a time, so that what is compared is waiting, which more workers share, and not the
machine's cores, which they do not. Processes are started before the clock is.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))

from fleet import LEVELS, STEPS, begin, fleet, slow_model
from flowc.runtime.config.settings import Config
from flowc.runtime.service.operations.executions import open_executing
from flowc.runtime.service.records.tables import StoredExecution
from own_folders import write_record
from stores import SERVER, ask, fresh_store

EXECUTIONS = 24
AT_A_TIME = 4
SECONDS = 1.0


def report() -> None:
    """Print the throughput of 1, 2 and 4 workers."""
    if not SERVER:
        print("workers: skipped, FLOWC_TEST_POSTGRES names no PostgreSQL server")
        return
    print(
        f"workers on PostgreSQL, {os.cpu_count()} cores: {EXECUTIONS} executions of {len(STEPS)}"
        f" steps on {LEVELS} levels, {AT_A_TIME} at a time in each worker,"
        f" the model answers after {SECONDS:g} s"
    )
    with tempfile.TemporaryDirectory() as home:
        write_record(Path(home))
        os.environ["XDG_CONFIG_HOME"] = home
        _compare()


def _compare() -> None:
    alone = 0.0
    for count in (1, 2, 4):
        seconds, commits, busy = measured(count)
        rate = EXECUTIONS / seconds
        alone = alone or rate
        print(
            f"{count} workers: {seconds:6.1f} s, {rate:5.2f} a second, {rate / alone:.2f} × one,"
            f" {commits:.0f} transactions of the server an execution, cores {busy:.0%} busy"
        )


def measured(count: int) -> tuple[float, float, float]:
    """Seconds from the first execution's start until all have ended, transactions of the server for
    each, and how busy the machine was with whatever."""
    with (
        tempfile.TemporaryDirectory() as folder,
        fresh_store("postgresql", Path(folder)) as url,
        slow_model(SECONDS) as (server, _),
        fleet(Path(folder), url) as workers,
    ):
        config = workers.config(server.url)
        for _ in range(count):
            workers.start("--concurrency", str(AT_A_TIME))
        before, idle = _transactions(url), _idle()
        seconds = asyncio.run(_all(url, config))
        time.sleep(2)  # the server counts what was done a moment ago
        ticks = os.sysconf("SC_CLK_TCK") * (os.cpu_count() or 1) * (seconds + 2)
        commits = (_transactions(url) - before) / EXECUTIONS
        return seconds, commits, 1 - (_idle() - idle) / ticks


def _transactions(url: str) -> int:
    query = "select xact_commit from pg_stat_database where datname = current_database()"
    return int(ask(url, query)[0][0])


def _idle() -> int:
    with open("/proc/stat", encoding="ascii") as file:
        return sum(map(int, file.readline().split()[4:6]))


async def _all(url: str, config: Config) -> float:
    async with open_executing(url, config) as executing:
        begun = time.monotonic()
        for id in await begin(executing, EXECUTIONS):
            assert await executing.wait_for_rest(id, 600)
            execution = await executing.register.get(StoredExecution, id, None)
            assert (await executing.standing(execution)).status == "completed"
        return time.monotonic() - begun


if __name__ == "__main__":
    report()
