"""A store comes into being whole, or not at all."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.db.birth import nursery
from flowc.runtime.db.url import Location, locate
from flowc.runtime.errors import RunError
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


def test_where_a_link_leads_to_nothing_the_store_is_made_there_for_its_owner_alone(
    tmp_path: Path,
) -> None:
    link, real = tmp_path / "link.db", tmp_path / "deep" / "there" / "runs.db"
    link.symlink_to(real)
    asyncio.run(_keep_run(str(link)))
    assert kept(real) == ["kept"]
    assert real.stat().st_mode & 0o777 == 0o600
    assert {file.name for file in tmp_path.iterdir()} == {"link.db", "deep"}


def test_what_is_not_a_file_is_not_called_a_full_disk(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for name, said in (
        ("pipe", "is not a file, but a pipe"),
        ("loop", "cannot be used: unable to open"),
    ):
        with pytest.raises(RunError, match=said):
            asyncio.run(_keep_run(str(tmp_path / name)))


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


def test_who_comes_second_leaves_the_numbers_of_effects(tmp_path: Path) -> None:
    """They are of runs that the first one has begun meanwhile; those of a deleted store go."""
    location = locate(f"sqlite:///{tmp_path}/runs.db")
    assert location.leases is not None
    location.leases.mkdir(parents=True)
    number = location.leases / "run.done"
    number.touch()
    asyncio.run(_overtake(location))
    assert not number.exists(), "the first one made the store anew"
    (tmp_path / "runs.db").unlink()

    async def begin_meanwhile() -> None:
        async with nursery(location) as slow:
            assert slow is not None
            assert slow.path is not None
            slow.path.touch()
            await _keep_run(location.url)
            number.touch()

    asyncio.run(begin_meanwhile())
    assert number.exists()


def test_a_hot_journal_is_rolled_back(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    asyncio.run(_keep_run(f"sqlite:///{path}"))
    _leave_hot(path)
    assert kept(path) == ["kept"]


@pytest.mark.parametrize("there", [True, False])
def test_what_a_killed_birth_left_goes_at_the_next_opening(tmp_path: Path, there: bool) -> None:
    path, old = tmp_path / "runs[1].db", time.time() - 100
    if there:
        asyncio.run(_keep_run(f"sqlite:///{path}"))
    left, held, young = (tmp_path / f".{path.name}.new-{word}" for word in ("a", "b", "c"))
    other = tmp_path / ".runs1.db.new-d"
    for folder in (left, held, young, other):
        folder.mkdir()
        (folder / path.name).write_text("half")
        os.utime(folder, (old, old))
    os.utime(young)
    lock = os.open(held, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    asyncio.run(_open(f"sqlite:///{path}"))
    os.close(lock)
    assert [folder.exists() for folder in (left, held, young, other)] == [False, True, True, True]


async def _open(url: str) -> None:
    async with open_store(url):
        pass


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
