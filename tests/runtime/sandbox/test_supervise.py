"""When the watcher looks through all processes of the machine, which takes milliseconds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.sandbox.launch import namespaces, privileges, supervise


def test_more_new_processes_than_may_be_there_are_looked_at_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there, newest = [7], 1000
    monkeypatch.setattr(supervise, "_LOOK", 3600.0)
    monkeypatch.setattr(supervise, "below", lambda view: there)
    monkeypatch.setattr(supervise, "_newest", lambda: newest)
    limits = {"seconds": 0, "processes": 24, "disk": 0, "grace": 1, "folders": [], "disks": []}
    watch = supervise.Watch(limits, inside=False)
    assert watch.exceeded_limit() == ""
    there = [*range(100)]
    newest += 24
    assert watch.exceeded_limit() == "", "it is looked again when it is time"
    newest += 1
    assert watch.exceeded_limit() == "processes"


@pytest.mark.skipif(not Path("/proc/loadavg").exists(), reason="/proc tells it")
def test_the_newest_process_is_known_here() -> None:
    supervise.keep_in_sight()
    assert supervise._newest() > 0


def test_folders_are_looked_through_a_tenth_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, walks = [100.0], []

    def size(folder: str, since: float) -> int:
        walks.append(clock[0])
        clock[0] += 1.0
        return 0

    monkeypatch.setattr(supervise.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(supervise, "_size", size)
    limits = {"seconds": 0, "processes": 0, "disk": 9, "grace": 1, "folders": ["/x"], "disks": []}
    watch = supervise.Watch(limits, inside=False)
    for _ in range(300):
        assert watch.exceeded_limit() == ""
        clock[0] += 0.1
    assert len(walks) == 4


def test_where_the_first_place_is_not_given_a_better_one_is(monkeypatch: Any) -> None:
    set_to: list[tuple[int, ...]] = []

    def refuse(pid: int, policy: int, param: os.sched_param) -> None:
        if policy == os.SCHED_FIFO:
            raise PermissionError
        set_to.append((policy, param.sched_priority))

    nice = os.getpriority(os.PRIO_PROCESS, 0)
    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    monkeypatch.setattr(os, "setpriority", lambda which, who, value: set_to.append((value,)))
    before = privileges.go_first()
    assert set_to == [(-15,)]
    privileges.take_turns(before)
    assert set_to[1:] == [(os.sched_getscheduler(0), 0), (nice,)]


@pytest.mark.parametrize(
    ("release", "own"),
    [("6.14.0", True), ("6.18-rc1", True), ("7.0.1-fc", True), ("6.13.12", False), ("5.15", False)],
)
def test_a_bound_of_numbers_is_set_where_it_is_the_namespaces_own(release: str, own: bool) -> None:
    """Elsewhere it would be that of the whole machine."""
    assert namespaces.bounds_are_own(release) == own


def test_where_no_proc_is_mounted_nothing_is_counted(monkeypatch: Any, tmp_path: Path) -> None:
    number = os.open(tmp_path, os.O_RDONLY)
    monkeypatch.setattr(supervise, "_proc", number)
    assert supervise.below(view=False) == []
    assert supervise._newest() == 0
    os.close(number)
