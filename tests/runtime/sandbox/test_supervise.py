"""When the watcher looks through all processes of the machine, which takes milliseconds."""

from __future__ import annotations

from pathlib import Path

import pytest
from flowc.runtime.sandbox.launch import supervise


def test_more_new_processes_than_may_be_there_are_looked_at_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there, newest = [7], 1000
    monkeypatch.setattr(supervise, "_LOOK", 3600.0)
    monkeypatch.setattr(supervise, "below", lambda pid, inside: there)
    monkeypatch.setattr(supervise, "_newest", lambda: newest)
    limits = {"seconds": 0, "processes": 24, "disk": 0, "grace": 1, "folders": [], "disks": []}
    watch = supervise.Watch(limits, inside=False)
    assert watch.broken() == ""
    there = [*range(100)]
    newest += 24
    assert watch.broken() == "", "it is looked again when it is time"
    newest += 1
    assert watch.broken() == "processes"


@pytest.mark.skipif(not Path("/proc/loadavg").exists(), reason="/proc tells it")
def test_the_newest_process_is_known_here() -> None:
    assert supervise._newest() > 0
