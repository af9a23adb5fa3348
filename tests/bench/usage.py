"""What a command takes: time, processor, and at most memory and disk, with all its processes."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_EVERY_S = 0.05


class Usage(NamedTuple):
    """Seconds of wall and processor; the most bytes of memory, shared pages divided among those who
    share them, and of files below the folder beside those that were there."""

    wall: float
    processor: float
    memory: int
    disk: int


def usage_of(argv: Sequence[str], folder: Path) -> Usage:
    """Run a command in a folder to its end; looked at 20 times a second. Raise
    `CalledProcessError`."""
    held, begin, before = _size(folder), time.monotonic(), _processor()
    memory = disk = 0
    with subprocess.Popen(
        argv, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while process.poll() is None:
            memory = max(memory, sum(map(_memory, _family(process.pid))))
            disk = max(disk, _size(folder) - held)
            time.sleep(_EVERY_S)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, argv)
    return Usage(time.monotonic() - begin, _processor() - before, memory, disk)


def _processor() -> float:
    """Return what all processes that have ended took, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _family(pid: int) -> Iterator[int]:
    """Yield a process and all below it."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (text := _read(entry / "stat")):
            parent = int(text.rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    left = [pid]
    while left:
        yield (one := left.pop())
        left += children.get(one, [])


def _memory(pid: int) -> int:
    """Return the proportional set size, bytes."""
    for line in _read(Path(f"/proc/{pid}/smaps_rollup")).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


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
