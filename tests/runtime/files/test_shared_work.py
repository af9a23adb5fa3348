"""Work on many files: every path once, whatever becomes of the processes."""

from __future__ import annotations

import os
import signal
from contextlib import closing

import pytest
from flowc.runtime.files.shared_work import SHARE, share_work

SIZES = {f"file {n}": SHARE for n in range(9)}
HERE = os.getpid()


@pytest.fixture(autouse=True)
def two_cores():
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core shares with nobody")


def test_each_path_is_done_once_and_by_more_than_one_process():
    found = list(share_work(SIZES, lambda path: [path, os.getpid()]))
    assert sorted(path for path, _ in found) == sorted(SIZES)
    assert all(path == value[0] for path, value in found)
    assert len({value[1] for _, value in found}) > 1


def test_a_little_work_is_not_shared():
    found = list(share_work({"a": 10, "b": 10}, lambda path: os.getpid()))
    assert found == [("a", HERE), ("b", HERE)]


def test_what_a_killed_process_did_not_come_to_is_done_here():
    def work(path: str) -> int:
        if os.getpid() != HERE and path == "file 3":
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    found = dict(share_work(SIZES, work))
    assert found.keys() == SIZES.keys()
    assert found["file 3"] == HERE


def test_what_fails_elsewhere_is_done_here_which_says_why():
    def work(path: str) -> str:
        if os.getpid() != HERE:
            raise ValueError(path)
        return path

    assert dict(share_work(SIZES, work)) == {path: path for path in SIZES}


def test_the_other_processes_end_with_the_work():
    ready, begun = os.pipe()
    never, _ = os.pipe()

    def work(path: str) -> str:
        if os.getpid() != HERE:
            os.write(begun, b"%d\n" % os.getpid())
            os.read(never, 1)
        return path

    with closing(share_work(SIZES, work)) as rows:
        next(rows)
        process = int(os.read(ready, 20).split()[0])
        os.kill(process, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
