"""Each row of the table of exit codes, and what JSON says of a run that ended on the way."""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from flowc.runtime.db.url import PATIENCE
from stores import ask, fresh_store

from .conftest import ROOT, Flowc, environment

HELLO = "flow: 1\noutputs: [said]\nnodes:\n  - {name: say, assign: {said: '\"hello\"'}}\n"
BAD = "flow: 1\nnodes:\n  - {name: stop, end: failed}\n"
ASKS = "flow: 1\nstate: {who: text}\nnodes:\n  - {name: who, ask: Who?, into: who}\n"
GATE = "flow: 1\nnodes:\n  - {name: sure, gate: approval, mode: strict, question: Sure?}\n"
GROWS = """\
flow: 1
state: {log: {type: list, reducer: append}, turn: {type: integer, default: 0}}
outputs: [turn]
nodes:
  - name: more
    assign: {log: '["TEXT"]', turn: turn + 1}
    next: [{when: turn < 60, to: more}, done]
  - {name: done, end: success}
"""
WAITS = """\
# flowc: workspace .
flow: 1
outputs: [out]
state: {out: text, log: any}
nodes:
  - {name: one, exec: "touch begun; while [ ! -e go ]; do sleep 0.02; done", into: log}
  - {name: say, assign: {out: {text: done}}}
"""
ROW = re.compile(r"^\| (\d+) \| (.+) \|$", re.MULTILINE)


def rows_of(page: str) -> list[int]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [int(code) for code, _ in ROW.findall(text)]


def in_shell(flowc: Flowc, *words: str, limit: int = 0) -> subprocess.CompletedProcess[str]:
    """flowc in a process that may write files of `limit` bytes at most."""

    def confine() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        [sys.executable, "-m", "flowc", *words],
        cwd=flowc.folder,
        env=environment(flowc.home),
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=confine if limit else None,
        check=False,
    )


def run_of(text: str, *more: str) -> Callable[[Flowc], tuple[int, str]]:
    def run(flowc: Flowc) -> tuple[int, str]:
        flowc.write("it.flow.yaml", text)
        done = flowc("run", "it.flow.yaml", "--run-id", "r", "--json", *more)
        return done.returncode, done.stdout

    return run


def no_room(flowc: Flowc) -> tuple[int, str]:
    flowc.write("it.flow.yaml", HELLO)
    command = f"{sys.executable} -m flowc run it.flow.yaml > /dev/full"
    done = subprocess.run(
        ["sh", "-c", command], cwd=flowc.folder, env=environment(flowc.home), check=False
    )
    return done.returncode, ""


def cut_off(flowc: Flowc) -> tuple[int, str]:
    flowc.write("it.flow.yaml", GROWS.replace("TEXT", "x" * 9000))
    words = ("run", "it.flow.yaml", "--run-id", "r", "--json")
    done = in_shell(flowc, *words, limit=600_000)
    return done.returncode, done.stdout


def interrupted(flowc: Flowc) -> tuple[int, str]:
    flowc.write("it.flow.yaml", WAITS)
    run = flowc.begin("run", "it.flow.yaml", "--run-id", "r", "--json", "--allow-exec")
    flowc.until((flowc.folder / "begun").exists, "the command begins")
    run.send_signal(signal.SIGTERM)
    flowc.write("go", "")
    return run.wait(), run.stdout.read()


def untrusted(flowc: Flowc) -> tuple[int, str]:
    """In a folder of somebody who trusts none."""
    flowc.write("it.flow.yaml", WAITS)
    words = ("run", "it.flow.yaml", "--run-id", "r", "--json", "--allow-exec")
    done = flowc(*words, XDG_CONFIG_HOME=str(flowc.folder / "nobody"))
    return done.returncode, done.stdout


CASES: dict[int, tuple[Callable[[Flowc], tuple[int, str]], str]] = {
    0: (run_of(HELLO), "success"),
    1: (run_of(BAD), "failed"),
    2: (run_of(HELLO, "--nonsense"), ""),
    3: (no_room, ""),
    4: (run_of(ASKS), "paused"),
    5: (run_of(GROWS, "--max-steps", "3"), "stopped"),
    6: (run_of(GATE, "--answers", "no.yaml"), "error"),
    7: (cut_off, "error"),
    8: (untrusted, "refused"),
    130: (interrupted, "interrupted"),
}


def test_both_tables_list_the_same_codes() -> None:
    assert rows_of("cli.md") == list(CASES)
    assert rows_of("running.md") == [code for code in CASES if code != 3]


@pytest.mark.parametrize("code", CASES)
def test_each_row_of_the_table_of_exit_codes(flowc: Flowc, code: int) -> None:
    flowc.write("no.yaml", "sure: no\n")
    run, status = CASES[code]
    found, out = run(flowc)
    assert found == code
    told = json.loads(out) if out else {}
    assert told.get("status", "") == status
    if status:
        assert told["run"] == (None if status == "refused" else "r")
    if status in ("paused", "stopped", "error", "interrupted"):
        assert told["resume"].startswith("flowc resume r")


def test_a_full_disk_in_mid_run_is_told_as_json_and_the_run_goes_on(flowc: Flowc) -> None:
    code, out = cut_off(flowc)
    told = json.loads(out)
    assert (code, told["status"], told["error"]["kind"]) == (7, "error", "store")
    assert "the disk is full" in told["error"]["message"]
    assert 0 < told["variables"]["turn"] <= told["nodes"] < 60, "what the last checkpoint has"
    assert told["seconds"] > 0
    done = in_shell(flowc, *shlex.split(told["resume"])[1:])
    assert (done.returncode, done.stdout.strip()) == (0, "60")


@pytest.fixture
def tight(flowc: Flowc) -> Path:
    """A folder on a disk of 600 kB."""
    folder = flowc.folder / "tight"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be made here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False)


def test_a_small_disk_that_fills_up_ends_with_7_and_says_how_to_go_on(flowc, tight) -> None:
    flowc.write("it.flow.yaml", GROWS.replace("TEXT", "x" * 9000))
    store = f"sqlite:///{tight}/runs.db"
    done = flowc("run", "it.flow.yaml", "--run-id", "r", "--store", store)
    assert done.returncode == 7, done.stderr
    assert f"go on: flowc resume r --store {store}" in done.stderr
    subprocess.run(["mount", "-o", "remount,size=9m", str(tight)], check=True)
    done = flowc("resume", "r", "--store", store)
    assert (done.returncode, done.stdout.strip()) == (0, "60")


def leave(folder: Path, pages: int) -> None:
    """Fill the disk up to that many pages."""
    free = os.statvfs(folder).f_bavail
    (folder / "full").write_bytes(b"x" * 4096 * max(0, free - pages))


@pytest.mark.parametrize("pages", [0, 5, 9, 20])
@pytest.mark.parametrize(
    "words", [("run", "it.flow.yaml", "--run-id"), ("resume", "--answer", "who=Emil"), ("resume",)]
)
def test_wherever_a_disk_fills_up_the_code_is_7_and_json_says_how_to_go_on(
    flowc, tight, words, pages
) -> None:
    """The store cannot be made, or the run not begun, resumed, answered or ended."""
    flowc.write("it.flow.yaml", ASKS)
    subprocess.run(["mount", "-o", "remount,size=4m", str(tight)], check=True)
    store = ("--store", f"sqlite:///{tight}/runs.db", "--json")
    begun = words[0] == "resume"
    if begun:
        assert flowc("run", "it.flow.yaml", "--run-id", "r", *store).returncode == 4
    leave(tight, pages)
    command = (words[0], *words[1:], "r") if not begun else ("resume", "r", *words[1:])
    done = flowc(*command, *store)
    if done.returncode == 4:
        assert (words, pages) == (("resume",), 20), "nothing has to be written there"
        return
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"], told["error"]["kind"]) == (7, "error", "store")
    assert "the disk is full" in told["error"]["message"]
    assert "go on: flowc resume r --store" in flowc(*command, *store[:2]).stderr or not begun
    (tight / "full").unlink()
    if begun:
        assert told["run"] == "r"
        more = words[1:] if words[1:] else ("--answer", "who=Emil")
        done = flowc(*shlex.split(told["resume"])[1:], *more)
        assert done.returncode == 0, done.stderr
    else:
        assert (told["run"], told["resume"]) == (None, None)
        assert flowc(*command, *store).returncode == 4


IMPATIENT = """
import sys
from flowc.runtime.db import url
url.PATIENCE = 6.0
from flowc.runtime.cli import main
sys.argv = ["flowc", "run", "it.flow.yaml", "--run-id", "r", "--json", "--allow-exec"]
sys.exit(main())
"""


def test_a_deleted_store_is_waited_for_once(flowc: Flowc) -> None:
    """Up to 30 s, as the page on durability says, here 6: not three times that."""
    assert PATIENCE == 30
    flowc.write("it.flow.yaml", WAITS)
    command, env = [sys.executable, "-c", IMPATIENT], environment(flowc.home)
    with subprocess.Popen(command, cwd=flowc.folder, env=env, stdout=subprocess.PIPE) as run:
        flowc.until((flowc.folder / "begun").exists, "the command begins")
        for file in (flowc.folder / ".flowc").glob("runs.db*"):
            if file.is_file():
                file.unlink()
        began = time.monotonic()
        flowc.write("go", "")
        told = json.loads(run.communicate(timeout=120)[0])
    assert run.returncode == 7
    assert 5 < time.monotonic() - began < 14
    assert (told["run"], told["error"]["kind"]) == ("r", "store")
    assert "was moved, deleted or replaced" in told["error"]["message"]


@pytest.mark.parametrize("text", [HELLO, BAD])
def test_resuming_an_ended_run_prints_its_result_and_ends_as_it_did(flowc: Flowc, text) -> None:
    flowc.write("it.flow.yaml", text)
    first = flowc("run", "it.flow.yaml", "--run-id", "r", "--json")
    again = flowc("resume", "r", "--json")
    assert again.returncode == first.returncode
    then, now = json.loads(first.stdout), json.loads(again.stdout)
    for name in ("run", "status", "result", "variables", "nodes", "error", "resume", "file"):
        assert now[name] == then[name], name
    (flowc.folder / "it.flow.yaml").unlink()
    shown = flowc("resume", "r", "--answer", "who=Emil")
    assert shown.returncode == first.returncode
    assert shown.stdout.strip() == (then["result"] or "")
    assert f"run r has ended: {then['status']}" in shown.stderr
    assert "came too late" in shown.stderr


def test_the_limit_of_the_file_holds_and_no_hidden_one(flowc: Flowc) -> None:
    loop = GROWS.replace("'[\"TEXT\"]'", "'[]'").replace("turn < 60", "turn < 10100")
    flowc.write("it.flow.yaml", loop.replace("nodes:", "limits: {steps: 1000000}\nnodes:", 1))
    done = flowc("run", "it.flow.yaml", "--json", "--store", "memory:")
    assert done.returncode == 0, done.stderr[-500:]
    assert json.loads(done.stdout)["result"] == 10100


def test_the_command_that_json_names_goes_beyond_a_limit_of_the_caller(flowc: Flowc) -> None:
    code, out = run_of(GROWS, "--max-steps", "70")(flowc)
    assert code == 5
    resume = json.loads(out)["resume"]
    assert resume == "flowc resume r --max-steps 140"
    done = flowc(*shlex.split(resume)[1:])
    assert (done.returncode, done.stdout.strip()) == (0, "60")


EARLY = """
import os, signal, sys
from flowc.runtime.cli import main

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Finder())
sys.argv = ["flowc", "run", "it.flow.yaml", "--run-id", "r"]
sys.exit(main())
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(
    "name",
    [
        "flowc.compiler.source.gc_pause",
        "typer",
        "flowc.runtime.engine.engine",
        "langgraph.checkpoint.base",
    ],
)
def test_a_signal_before_the_run_begins_ends_with_130(flowc: Flowc, number: int, name: str) -> None:
    flowc.write("it.flow.yaml", HELLO)
    program = EARLY.format(name=name, number=int(number))
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=flowc.folder,
        env=environment(flowc.home),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr.strip() in ("", "interrupted")
    assert flowc("run", "it.flow.yaml", "--run-id", "r").returncode == 0


def test_a_database_in_sql_ascii_is_refused_at_once(flowc: Flowc) -> None:
    with fresh_store("postgresql", flowc.folder) as other:
        name = f"{other.rpartition('/')[2]}_ascii"
        ask(other, f"create database {name} template template0 encoding 'SQL_ASCII' locale 'C'")
        flowc.write("it.flow.yaml", HELLO)
        store = f"{other.rpartition('/')[0]}/{name}"
        try:
            for _ in range(2):
                done = flowc("run", "it.flow.yaml", "--store", store)
                assert done.returncode == 2
                assert "has the encoding SQL_ASCII" in done.stderr
                assert "createdb -T template0 -E UTF8" in done.stderr
        finally:
            ask(other, f"drop database {name} with (force)")


def test_a_planted_extension_in_what_was_written_is_refused_in_words(flowc: Flowc) -> None:
    flowc.write("it.flow.yaml", ASKS)
    assert flowc("run", "it.flow.yaml", "--run-id", "r").returncode == 4
    planted = b"\xc7\x17\x05" + b"\x94\xa2os\xa6system\x91\xa4true\xa4call\xc0"
    with sqlite3.connect(flowc.folder / ".flowc/runs.db") as store:
        changed = store.execute("update flow_writes set slot = ?", (b"\0\3" + planted,))
        assert changed.rowcount > 0
    refused = flowc("resume", "r", "--answer", "who=Emil")
    assert refused.returncode == 2, refused.stderr
    assert "damaged" in refused.stderr or "changed" in refused.stderr
    assert "msgpack" not in refused.stderr
    assert "internal fault" not in refused.stderr
