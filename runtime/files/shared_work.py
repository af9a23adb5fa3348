"""Work on many files, shared among the cores: each process is a copy of this one."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import NoReturn

SHARE = 64 * 1024
"""Bytes that are worth a process: beginning one takes some milliseconds."""

Work = Callable[[str], object]
"""From a path to a JSON value."""


def share_work(sizes: Mapping[str, int], work: Work) -> Generator[tuple[str, object], None, None]:
    """Do the work for each path, as many at a time as there are cores, and yield what came of it in
    any order. `sizes` are those of the files in bytes. What a process did not come to, because it
    was killed or failed, is done here, and so is all of it where no process can be begun."""
    count = min(len(os.sched_getaffinity(0)), sum(sizes.values()) // SHARE, len(sizes))
    largest = sorted(sizes, key=lambda path: -sizes[path])
    shares = [largest[n::count] for n in range(count)] if count > 1 else [largest]
    done: set[str] = set()
    with contextlib.ExitStack() as ends:
        others = [ends.enter_context(_copy(share, work)) for share in _possible(shares[1:])]
        for path in shares[0]:
            done.add(path)
            yield path, work(path)
        for rows in others:
            for path, value in rows():
                done.add(path)
                yield path, value
    yield from ((path, work(path)) for path in sizes if path not in done)


def _possible(shares: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    return shares if hasattr(os, "memfd_create") else ()


@contextlib.contextmanager
def _copy(share: Sequence[str], work: Work) -> Iterator[Callable[[], Iterator[tuple[str, object]]]]:
    """Do a share in another process, which ends with this block; yield what waits for it and gives
    what it wrote. A file in memory holds that: nothing waits while it is not read."""
    try:
        room = os.memfd_create("flowc-check")
        process = os.fork()
    except OSError:  # no more processes, or no memory for them
        yield lambda: iter(())
        return
    if process == 0:
        _do(share, work, room)
    waited = False

    def rows() -> Iterator[tuple[str, object]]:
        nonlocal waited
        os.waitpid(process, 0)
        waited = True
        os.lseek(room, 0, os.SEEK_SET)
        with open(room, "rb", closefd=False) as file:
            for line in file:
                # A process that was killed may leave half a line.
                if line.endswith(b"\n"):
                    path, value = json.loads(line)
                    yield path, value

    try:
        yield rows
    finally:
        if not waited:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        os.close(room)


def _do(share: Sequence[str], work: Work, room: int) -> NoReturn:
    """Write a line for each path into `room` and end the process. Whoever asked does it again when
    something fails, and says what."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = os.getppid()
    try:
        with open(room, "wb", buffering=0, closefd=False) as file:
            for path in share:
                if os.getppid() != parent:
                    break
                file.write(json.dumps((path, work(path))).encode() + b"\n")
    finally:
        os._exit(0)
