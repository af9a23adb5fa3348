"""When the watcher looks through all processes of the machine, which takes milliseconds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.sandbox.launch import namespaces, privileges, supervise


class Machine(supervise.Host):
    """A machine whose clock, processes and sizes a test sets."""

    def __init__(self) -> None:
        self.now, self.number, self.there = 100.0, 1000, [7]
        self.walks: list[float] = []

    def clock(self) -> float:
        return self.now

    def below(self, view: bool) -> list[int]:
        return self.there

    def newest(self) -> int:
        return self.number

    def size(self, folder: str, since: float) -> tuple[int, int]:
        self.walks.append(self.now)
        self.now += 1.0
        return 0, 0

    def nameless(self, view: bool) -> int:
        return 0


def test_more_new_processes_than_may_be_there_are_looked_at_at_once() -> None:
    machine = Machine()
    limits: dict[str, Any] = {
        "seconds": 0,
        "processes": 24,
        "memory": 0,
        "disk": 0,
        "files": 0,
        "grace": 1,
        "folders": [],
        "disks": [],
    }
    watch = supervise.Watch(limits, inside=False, host=machine)
    assert watch.exceeded_limit() == ""
    machine.there = [*range(100)]
    machine.number += 24
    assert watch.exceeded_limit() == "", "it is looked again when it is time"
    machine.number += 1
    assert watch.exceeded_limit() == "processes"


def test_memory_is_added_up_a_tenth_of_the_time_however_long_the_folders_take() -> None:
    class Slow(Machine):
        def __init__(self) -> None:
            super().__init__()
            self.added: list[float] = []

        def memory(self, view: bool, most: int) -> int:
            self.added.append(self.now)
            self.now += 0.2
            return most + (len(self.added) > 3)

    machine = Slow()
    limits: dict[str, Any] = {
        "seconds": 0,
        "processes": 0,
        "memory": 9,
        "disk": 9,
        "files": 9,
        "grace": 1,
        "folders": ["/x"],
        "disks": [],
    }
    watch, said = supervise.Watch(limits, inside=False, host=machine), ""
    while not said and machine.now < 200:
        said = watch.exceeded_limit()
        machine.now += 0.1
    assert said == "memory"
    gaps = [two - one for one, two in zip(machine.added, machine.added[1:], strict=False)]
    assert all(1.8 < gap < 3.5 for gap in gaps), gaps


@pytest.mark.skipif(not Path("/proc/loadavg").exists(), reason="/proc tells it")
def test_the_newest_process_is_known_here() -> None:
    supervise.keep_in_sight()
    assert supervise._newest() > 0


def test_folders_are_looked_through_a_tenth_of_the_time() -> None:
    machine = Machine()
    limits: dict[str, Any] = {
        "seconds": 0,
        "processes": 0,
        "memory": 0,
        "disk": 9,
        "files": 9,
        "grace": 1,
        "folders": ["/x"],
        "disks": [],
    }
    watch = supervise.Watch(limits, inside=False, host=machine)
    for _ in range(300):
        assert watch.exceeded_limit() == ""
        machine.now += 0.1
    assert len(machine.walks) == 4


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


def test_where_no_proc_is_mounted_nothing_is_counted(tmp_path: Path) -> None:
    supervise.keep_in_sight(str(tmp_path))
    try:
        assert supervise.below(view=False) == []
        assert supervise._newest() == 0
    finally:
        supervise.keep_in_sight()
