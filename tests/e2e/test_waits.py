"""Runs that wait, from outside: processes that die meanwhile, several that look at once, events,
schedules."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from flowc.compiler.driver import compile_file
from flowc.runtime.context import WaitClock
from flowc.runtime.engine.engine import open_engine
from worlds import World, start

NAP = """
flow: 1
name: nap
outputs: [x]
nodes:
  - {name: nap, wait: 1h, into: t}
  - {name: act, exec: "echo ran >> ran.txt", workspace: ., into: x}
"""
EVENT = """
flow: 1
name: ev
outputs: [x]
nodes:
  - {name: ask, wait: {event: approved, timeout: 2d}, into: x}
"""
SCHEDULE = """
flow: 1
name: report
on: {schedule: "0 7 * * *", zone: Europe/Berlin, missed: all, with: {who: Ann}}
params: {who: text}
outputs: [x]
nodes:
  - {name: act, exec: "echo {{ who }} >> ran.txt", workspace: ., into: x}
"""


def begin_earlier(folder: Path, seconds: float) -> None:
    """Begin the run `r` of nap.flow.yaml as so many seconds ago; it waits for an hour."""
    at = time.time() - seconds - 30  # a clock that is set back a little changes no minute
    world = World(clock=WaitClock(lambda: at))
    options = {"folder": str(folder), "allow_exec": True}

    async def go() -> None:
        async with open_engine(f"sqlite:///{folder}/.flowc/runs.db") as engine:
            spec = compile_file("nap.flow.yaml").spec
            outcome = await start(engine, spec, world, options=options)
            assert outcome.status == "paused"

    before = Path.cwd()
    os.chdir(folder)
    try:
        (folder / ".flowc").mkdir(exist_ok=True)
        asyncio.run(go())
    finally:
        os.chdir(before)


def timers(folder: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(folder / ".flowc/runs.db")) as db:
        return db.execute("select run, due from timers").fetchall()


def test_a_process_that_is_killed_while_it_waits_loses_nothing(flowc):
    flowc.write("nap.flow.yaml", NAP)
    process = flowc.begin("run", "nap.flow.yaml", "--watch", "--run-id", "r", "--allow-exec")
    flowc.read_until(process, "waits until")
    flowc.until(lambda: bool(timers(flowc.folder)), "the run waits")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    (before,) = timers(flowc.folder)
    done = flowc("resume", "r")
    assert done.returncode == 4
    assert "? nap waits until" in done.stderr
    assert ", in 59 m" in done.stderr or ", in 1 h" in done.stderr
    assert "at that time: flowc resume r" in done.stderr
    assert timers(flowc.folder) == [before]
    assert flowc.lines("ran.txt") == []


def test_a_run_goes_on_late_and_says_so(flowc):
    flowc.write("nap.flow.yaml", NAP)
    begin_earlier(flowc.folder, 4 * 3600)
    done = flowc("resume", "r", "--allow-exec")
    assert done.returncode == 0, done.stderr
    assert "nap           was due 3 h 00 m ago" in done.stderr
    assert flowc.lines("ran.txt") == ["ran"]
    assert timers(flowc.folder) == []


def test_of_several_that_watch_one_goes_on(flowc):
    flowc.write("nap.flow.yaml", NAP)
    begin_earlier(flowc.folder, 2 * 3600)
    watchers = [flowc.begin("watch", "--once", "--allow-exec") for _ in range(3)]
    for process in watchers:
        assert process.wait() == 0
    assert flowc.lines("ran.txt") == ["ran"]
    assert json.loads(flowc("show", "r", "--json").stdout)["status"] == "success"


def test_who_watches_tells_what_is_late_and_ends_when_asked(flowc):
    flowc.write("nap.flow.yaml", NAP)
    begin_earlier(flowc.folder, 2 * 3600)
    process = flowc.begin("watch", "--allow-exec")
    said = flowc.read_until(process, "SUCCESS")
    assert "r: goes on at nap, 1 h 00 m late" in said
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 0


def test_a_run_that_does_not_go_on_is_left_alone_for_a_while(flowc):
    flowc.write("nap.flow.yaml", NAP)
    begin_earlier(flowc.folder, 2 * 3600)
    flowc.write("nap.flow.yaml", NAP.replace("name: nap, wait: 1h", "name: other, wait: 2h"))
    process = flowc.begin("watch", "--allow-exec")
    assert "r: did not go on (exit code 2)" in flowc.read_until(process, "tried again in")
    process.send_signal(signal.SIGINT)
    assert process.wait() == 0
    assert flowc.lines("ran.txt") == []


def test_an_event_is_sent_by_its_name(flowc):
    flowc.write("ev.flow.yaml", EVENT)
    waiting = flowc("run", "ev.flow.yaml", "--run-id", "r")
    assert waiting.returncode == 4
    assert "it comes:     flowc resume r --event approved=VALUE" in waiting.stderr
    wrong = flowc("resume", "r", "--event", "aproved")
    assert (wrong.returncode, "did you mean `approved`?" in wrong.stderr) == (2, True)
    done = flowc("resume", "r", "--event", 'approved={"by": "Ann"}', "--json")
    assert json.loads(done.stdout)["result"] == {"by": "Ann"}
    late = flowc("resume", "r", "--event", "approved")
    assert "SUCCESS" in late.stderr or late.returncode == 0


def test_a_schedule_begins_a_run_for_each_of_its_times_once(flowc):
    """Two processes look; three times were missed."""
    flowc.write("report.flow.yaml", SCHEDULE)
    first = flowc("watch", "report.flow.yaml", "--once", "--allow-exec")
    assert first.returncode == 0, first.stderr
    assert "`0 7 * * *` Europe/Berlin, next at" in first.stderr
    assert flowc.lines("ran.txt") == []
    earlier = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(time.time() - 3 * 86_400))
    with closing(sqlite3.connect(flowc.folder / ".flowc/runs.db")) as db, db:
        db.execute("update timers set due = ?", (earlier,))
    both = [flowc.begin("watch", "report.flow.yaml", "--once", "--allow-exec") for _ in range(2)]
    for process in both:
        assert process.wait() == 0
    assert flowc.lines("ran.txt") == ["Ann"] * 3
    runs = json.loads(flowc("runs", "--json").stdout)["runs"]
    assert sorted(run["name"] for run in runs) == ["report"] * 3
    assert len({run["id"] for run in runs}) == 3


def test_a_workflow_without_a_schedule_is_not_watched(flowc):
    flowc.write("nap.flow.yaml", NAP)
    done = flowc("watch", "nap.flow.yaml")
    assert (done.returncode, "has no schedule" in done.stderr) == (2, True)
