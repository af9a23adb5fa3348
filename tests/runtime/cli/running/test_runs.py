"""`flowc runs` shows a page and says how to see the next one; `prune` shows how far it is."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.cli.app import run as flowc
from flowc.runtime.db.database import AT_ONCE
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.store.runs import RunRecord


async def fill(url: str, count: int) -> None:
    """Keep so many runs, one after another."""
    async with open_engine(url) as engine:
        for number in range(count):
            status: Any = "failed" if number % 10 == 0 else "success"
            about = {"id": f"r{number:02}", "name": "bake", "file": "bake.flow.yaml"}
            await engine.store.create(RunRecord(status=status, result=f"loaf {number}", **about))


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store of 60 runs."""
    url = f"sqlite:///{tmp_path}/runs.db"
    asyncio.run(fill(url, 60))
    return url


def test_a_page_says_how_many_more_there_are_and_how_to_see_them(store, capsys) -> None:
    assert flowc(["runs", "--store", store]) == 0
    out, err = capsys.readouterr()
    assert (out.count("\n"), out.split()[0]) == (50, "r59")
    assert err.startswith("10 more runs: --before ")
    cursor = err.split()[4].rstrip(",")
    assert flowc(["runs", "--store", store, "--before", cursor]) == 0
    out, err = capsys.readouterr()
    assert ([line[:3] for line in out.splitlines()], err) == (
        [f"r{n:02}" for n in range(9, -1, -1)],
        "",
    )


def test_a_program_is_told_the_same(store, capsys) -> None:
    assert flowc(["runs", "--store", store, "--status", "failed", "--limit", "4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert ([run["id"] for run in told["runs"]], told["more"]) == (["r50", "r40", "r30", "r20"], 2)
    assert told["runs"][0]["now"] == "loaf 50"
    more = ["runs", "--store", store, "--status", "failed", "--before", told["before"], "--json"]
    assert flowc(more) == 0
    told = json.loads(capsys.readouterr().out)
    assert ([run["id"] for run in told["runs"]], told["before"]) == (["r10", "r00"], None)


def test_runs_are_chosen_by_workflow_and_time(store, capsys) -> None:
    for chosen, count in (
        (("--workflow", "bake"), 50),
        (("--workflow", "boil"), 0),
        (("--since", "1h"), 50),
    ):
        assert flowc(["runs", "--store", store, *chosen]) == 0
        out, err = capsys.readouterr()
        assert out.count("\n") == count
        assert count or err == "there are no such runs\n"


@pytest.mark.parametrize(
    ("argv", "said", "help"),
    [
        (["--status", "done"], "`done` is not a status of a run", "one of running, paused"),
        (["--since", "soon"], "`soon` is neither an age nor a date", "write 30d, 12h"),
        (["--limit", "0"], "invalid value for '--limit'", "flowc runs --help"),
    ],
)
def test_what_cannot_be_asked_for_is_said(store, capsys, argv, said, help) -> None:
    assert flowc(["runs", "--store", store, *argv]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert help in err


def test_prune_forgets_what_is_chosen_and_says_it(store, capsys) -> None:
    assert flowc(["runs", "prune", "--keep", "5", "--store", store]) == 0
    out, err = capsys.readouterr()
    assert (out.count("\n"), out.split()[0]) == (55, "r54")
    assert "55 runs forgotten" in err
    assert flowc(["runs", "--store", store]) == 0
    assert [line[:3] for line in capsys.readouterr().out.splitlines()] == [
        "r59", "r58", "r57", "r56", "r55"
    ]  # fmt: skip


def test_an_interrupt_ends_prune_between_whole_runs(tmp_path: Path) -> None:
    url, file = f"sqlite:///{tmp_path}/runs.db", tmp_path / "runs.db"
    asyncio.run(fill(url, AT_ONCE + 30))
    busy = sqlite3.connect(file, isolation_level=None)
    busy.execute("begin immediate")
    argv = [sys.executable, "-m", "flowc", "runs", "prune", "--keep", "1", "--store", url]
    path = os.pathsep.join(sys.path)
    prune = subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}
    )
    while len(list((tmp_path / "runs.db.leases").glob("*.lock"))) < AT_ONCE:
        assert prune.poll() is None, prune.communicate()
        time.sleep(0.02)
    prune.send_signal(signal.SIGINT)
    time.sleep(0.2)
    busy.execute("rollback")
    out, err = prune.communicate(timeout=60)
    assert (prune.returncode, out.count(b"\n")) == (130, AT_ONCE)
    assert f"interrupted: {AT_ONCE} runs forgotten".encode() in err
    assert busy.execute("select count(*) from runs").fetchall() == [(30,)]
    busy.close()
