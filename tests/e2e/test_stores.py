"""A store that cannot be used is said in words, with the right exit code, before anything runs."""

from __future__ import annotations

import os
import sqlite3

import pytest

CHART = """# Mark

# Workflow
<!-- flowc: workspace . -->
```mermaid
flowchart TD
    START --> EXECUTE_MARK["Execute: echo marked >> ran.txt"] --> SUCCESS
```
"""


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("sqlite:///folder", "is a folder"),
        ("sqlite:///mark.wf.md", "is not a database of flowc"),
        ("sqlite:///mark.wf.md/runs.db", "cannot be opened"),
        ("redis://localhost", "a store cannot be at"),
        ("sqlite:///", "the store has no path"),
        ("memory", "write memory:, or ./memory for a file"),
        (":memory:", "write memory:, or ./:memory: for a file"),
        ("postgres", "write postgresql://USER@HOST/DATABASE"),
    ],
)
def test_a_store_that_cannot_be_opened(flowc, url, said):
    flowc.write("mark.wf.md", CHART)
    (flowc.folder / "folder").mkdir()
    done = flowc("run", "mark.wf.md", "--allow-exec", "--store", url)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert flowc.lines("ran.txt") == []


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("there", [False, True])
def test_a_pipe_beside_a_store_is_waited_for_by_nobody(flowc, end, there):
    flowc.write("mark.wf.md", CHART)
    if there:
        flowc("run", "mark.wf.md", "--run-id", "brave-otter")
        (flowc.folder / ".flowc/runs.db").rename(flowc.folder / ".flowc/kept")
        for left in (flowc.folder / ".flowc").glob("runs.db-*"):
            left.unlink()
        (flowc.folder / ".flowc/kept").rename(flowc.folder / ".flowc/runs.db")
    (flowc.folder / ".flowc").mkdir(exist_ok=True)
    pipe = flowc.folder / f".flowc/runs.db{end}"
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    for words in (("run", "mark.wf.md", "--allow-exec"), ("runs",), ("show", "brave-otter")):
        done = flowc(*words)
        said = "there are no runs here" in done.stderr and words[0] != "run" and not there and end
        assert done.returncode == 2
        assert said or "a pipe, a socket or a device" in done.stderr, (words, done.stderr)
    assert flowc.lines("ran.txt") == []


@pytest.mark.parametrize("command", ["runs", "show", "history", "resume", "pause", "stop"])
def test_looking_at_runs_makes_no_store(flowc, command):
    args = [command] if command == "runs" else [command, "brave-otter"]
    done = flowc(*args)
    assert done.returncode == 2
    assert "there are no runs here: .flowc/runs.db is not there" in done.stderr
    assert not (flowc.folder / ".flowc").exists()


def test_a_run_that_is_not_there(flowc):
    flowc.write("mark.wf.md", CHART)
    flowc("run", "mark.wf.md", "--run-id", "brave-otter")
    done = flowc("resume", "brave-ottr")
    assert done.returncode == 2
    assert "there is no run `brave-ottr`" in done.stderr
    assert "did you mean `brave-otter`?" in done.stderr


def test_a_name_that_is_taken(flowc):
    flowc.write("mark.wf.md", CHART)
    flowc("run", "mark.wf.md", "--run-id", "one")
    again = flowc("run", "mark.wf.md", "--run-id", "one")
    assert again.returncode == 2
    assert "there is a run `one` already" in again.stderr


def test_a_run_in_memory_leaves_nothing(flowc):
    flowc.write("mark.wf.md", CHART)
    done = flowc("run", "mark.wf.md", "--allow-exec", "--store", "memory:")
    assert done.returncode == 0
    assert "not kept" in done.stderr
    assert "flowc graph" not in done.stderr
    assert not (flowc.folder / ".flowc").exists()


def test_the_usual_store_is_private_and_not_under_version_control(flowc):
    flowc.write("mark.wf.md", CHART)
    flowc("run", "mark.wf.md", "--allow-exec")
    store = flowc.folder / ".flowc" / "runs.db"
    assert store.stat().st_mode & 0o077 == 0
    assert (flowc.folder / ".flowc" / ".gitignore").read_text() == "*\n"
    with sqlite3.connect(store) as db:
        assert db.execute("pragma journal_mode").fetchone() == ("wal",)


def test_a_full_disk_loses_nothing(flowc):
    full = "/dev/full"
    if not os.path.exists(full):
        pytest.skip("no /dev/full here")
    flowc.write("mark.wf.md", CHART)
    done = flowc("run", "mark.wf.md", "--allow-exec", "--store", f"sqlite:///{full}")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert flowc.lines("ran.txt") == []


def test_a_resume_whose_workflow_is_gone_names_run_and_file(flowc):
    flowc.write("mark.wf.md", CHART)
    assert flowc("run", "mark.wf.md", "--run-id", "brave-otter").returncode == 4
    (flowc.folder / "mark.wf.md").rename(flowc.folder / "moved.wf.md")
    done = flowc("resume", "brave-otter", "--answer", "yes")
    assert done.returncode == 2
    assert "the workflow of run brave-otter is gone: mark.wf.md" in done.stderr
    assert "put the file back" in done.stderr

    (flowc.folder / "moved.wf.md").rename(flowc.folder / "mark.wf.md")
    assert flowc("resume", "brave-otter", "--answer", "yes").returncode == 0
    assert flowc.lines("ran.txt") == ["marked"]
