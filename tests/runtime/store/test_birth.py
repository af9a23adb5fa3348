"""A store comes into being whole, or not at all."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.db.birth import nursery
from flowc.runtime.db.url import Location, locate
from flowc.runtime.store.runs import RunRecord, open_store
from newborn import __file__ as PROGRAM

KILLS = 500 if os.environ.get("FLOWC_FUZZ") == "soak" else 40


def newborn(*words: object) -> Any:
    command = [sys.executable, PROGRAM, *map(str, words)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def test_a_kill_while_the_store_is_made_never_spoils_it(tmp_path: Path) -> None:
    report = newborn(tmp_path, KILLS, 20261123)
    print(f"{KILLS} kills, {report['born']} stores were there, {len(report['faults'])} unusable")
    assert report["faults"] == []
    assert 0 < report["born"] < KILLS


@pytest.mark.parametrize("time", range(2))
def test_of_four_first_runs_at_once_none_is_lost(tmp_path: Path, time: int) -> None:
    assert newborn(tmp_path, "crowd", 4) == ["run0", "run1", "run2", "run3"]


def test_who_comes_second_uses_what_is_there(tmp_path: Path) -> None:
    asyncio.run(_overtake(locate(f"sqlite:///{tmp_path}/runs.db")))
    assert kept(tmp_path / "runs.db") == ["kept"]
    assert {file.name for file in tmp_path.iterdir()} == {"runs.db"}


async def _overtake(location: Location) -> None:
    async with nursery(location) as slow:
        assert slow is not None
        assert slow.path is not None
        slow.path.touch()
        await _keep_run(location.url)


def test_a_hot_journal_is_rolled_back(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    asyncio.run(_keep_run(f"sqlite:///{path}"))
    _leave_hot(path)
    assert kept(path) == ["kept"]


async def _keep_run(url: str) -> None:
    async with open_store(url) as store:
        await store.create(RunRecord(id="kept", name="x", file="x.md"))


def kept(path: Path) -> list[str]:
    async def ids() -> list[str]:
        async with open_store(f"sqlite:///{path}") as store:
            return sorted(await store.ids())

    return asyncio.run(ids())


def _leave_hot(path: Path) -> None:
    """Leave the file as a program does that dies within a transaction with a rollback journal."""
    program = (
        "import os, sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('pragma journal_mode=delete')\n"
        "db.execute('pragma cache_size=1')\n"
        "db.execute('begin immediate')\n"
        "db.execute('create table t (x)')\n"
        "db.executemany('insert into t values (zeroblob(4000))', [()] * 200)\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    assert path.with_name("runs.db-journal").stat().st_size > 0
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    with pytest.raises(sqlite3.OperationalError):
        db.execute("select * from sqlite_master").fetchall()
    db.close()
