"""A recording for which there is no room: the run says so, keeps what it did and goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

FLOW = """\
flow: 1
title: Fill
# flowc: workspace .
state: {out: {type: text}}
nodes:
%s
"""
COUNT = 6
LINE = "x" * 3_000


def step(n: int) -> str:
    text = f"printf '{n} ' >> ran.txt; printf {LINE}"
    return f'  - {{name: s{n}, exec: "{text}", into: out}}'


@pytest.fixture
def disk(flowc) -> Iterator[Path]:
    """A disk of sixteen kilobytes, in the working folder."""
    folder: Path = flowc.folder / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    command = [mount, "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_recording_without_room_loses_nothing_of_the_run(flowc, disk: Path) -> None:
    flowc.write("fill.flow.yaml", FLOW % "\n".join(map(step, range(COUNT))))
    record = ("--record", "disk/run.cassette.yaml")
    full = flowc("run", "fill.flow.yaml", "--allow-exec", "--run-id", "r", *record)
    assert full.returncode == 7, full.stdout + full.stderr
    assert "disk/run.cassette.yaml` cannot be written" in full.stderr
    assert "no space left on device" in full.stderr
    assert "then resume" in full.stderr
    assert "Traceback" not in full.stderr
    ran = (flowc.folder / "ran.txt").read_text().split()
    assert 0 < len(ran) < COUNT

    subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
    on = flowc("resume", "r")
    assert on.returncode == 0, on.stdout + on.stderr
    assert (flowc.folder / "ran.txt").read_text().split() == [str(n) for n in range(COUNT)]
    replay = ("--replay", record[1], "--store", "memory:")
    again = flowc("run", "fill.flow.yaml", "--allow-exec", *replay)
    assert again.returncode == 0, again.stdout + again.stderr
    assert len((flowc.folder / "ran.txt").read_text().split()) == COUNT
