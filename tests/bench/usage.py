"""What a command takes: time, processor, and at most memory and disk, with all its processes."""

from __future__ import annotations

import os
import resource
import select
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_EVERY_S = 0.02


class Usage(NamedTuple):
    """Seconds of wall and processor; the most bytes of memory, shared pages divided among those who
    share them, of the largest process alone, shared pages whole, and of files below the folder
    beside those that were there."""

    wall: float
    processor: float
    memory: int
    largest: int
    disk: int


def usage_of(argv: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> Usage:
    """Run a command in a folder to its end; looked at 50 times a second. Raise
    `CalledProcessError`."""
    held, begin, before = _size(folder), time.monotonic(), _processor()
    memory = largest = disk = 0
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(argv, cwd=folder, env=env, stdout=nowhere, stderr=nowhere) as process:
        ended = select.poll()
        ended.register(end := os.pidfd_open(process.pid), select.POLLIN)
        while not ended.poll(_EVERY_S * 1000):
            family = tuple(_family(process.pid))
            memory = max(memory, _memory(family))
            largest = max(largest, *map(_most, family))
            disk = max(disk, _size(folder) - held)
        os.close(end)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, argv)
    return Usage(time.monotonic() - begin, _processor() - before, memory, largest, disk)


def _processor() -> float:
    """Return what all processes that have ended took, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _family(pid: int) -> Iterator[int]:
    """Yield a process and all below it."""
    left = [pid]
    while left:
        yield (one := left.pop())
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            left += map(int, _read(task).split())


def _memory(family: Iterable[int]) -> int:
    """Return the proportional set sizes, bytes. A child that has not begun its own program yet
    lives in the memory of its parent, which counts once."""
    texts = {_read(Path(f"/proc/{pid}/smaps_rollup")) for pid in family}
    lines = (line.split() for text in texts for line in text.splitlines())
    return sum(int(words[1]) * 1024 for words in lines if words[0] == "Pss:")


def _most(pid: int) -> int:
    """Return the most memory that a process has had so far, bytes."""
    lines = (line.split() for line in _read(Path(f"/proc/{pid}/status")).splitlines())
    return sum(int(words[1]) * 1024 for words in lines if words[0] == "VmHWM:")


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_blocks * 512
        except OSError:
            continue
    return total
