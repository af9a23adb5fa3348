"""When a processor of this machine stood still, or did what no program here asked for: a watcher on
each, which goes before every other program, notes when it was called late.

A virtual machine is paused by the machine around it. To the programs in it that looks like time of
theirs: the clock of a thread runs on, and no counter tells. Nothing is noted where a program may
not go first.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

TICK = 0.0005
LATE = 0.0005
"""Seconds: a watcher that is called so much later than it asked was kept from it."""


@dataclass(frozen=True)
class Pauses:
    """By processor: the spans in which it stood still, in seconds of `time.perf_counter`."""

    each: dict[int, list[tuple[float, float]]] = field(default_factory=dict)

    def within(self, begin: float, end: float, processor: int) -> float:
        """Return for how long of a span a processor stood still."""
        spans = self.each.get(processor, [])
        return sum(max(0.0, min(end, e) - max(begin, b)) for b, e in spans)

    def anywhere(self, begin: float, end: float) -> float:
        """The same for the processor that stood still longest."""
        return max((self.within(begin, end, one) for one in self.each), default=0.0)

    def told(self) -> str:
        """Say how often and how long at most."""
        lengths = [1000 * (e - b) for spans in self.each.values() for b, e in spans]
        return f"{len(lengths)} pauses, the longest {max(lengths, default=0):.1f} ms"


@contextlib.contextmanager
def watched() -> Iterator[Pauses]:
    """Watch every processor; the pauses are there when the body has ended."""
    pauses = Pauses()
    processors = sorted(os.sched_getaffinity(0))
    watchers = [
        subprocess.Popen(
            [sys.executable, __file__, str(one)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for one in processors
    ]
    try:
        yield pauses
    finally:
        for processor, watcher in zip(processors, watchers, strict=True):
            told = watcher.communicate()[0]
            pauses.each[processor] = [(b, e) for b, e in json.loads(told)]


def go_first(priority: int, thread: int = 0) -> bool:
    """Let a thread go before every other program; say whether that is allowed."""
    try:
        parameters = os.sched_param(priority)
        os.sched_setscheduler(thread, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, parameters)
    except OSError:
        return False
    return True


def own_processor() -> int:
    """Return the processor that this thread runs on."""
    with open("/proc/thread-self/stat", encoding="ascii") as file:
        return int(file.read().rpartition(")")[2].split()[36])


def main() -> None:
    """Be the watcher of one processor until the standard input ends: print the pauses."""
    os.sched_setaffinity(0, {int(sys.argv[1])})
    found: list[tuple[float, float]] = []
    os.set_blocking(0, False)
    if go_first(2):
        while os.getppid() != 1:
            begin = time.perf_counter()
            time.sleep(TICK)
            end = time.perf_counter()
            if end - begin > TICK + LATE:
                found.append((begin + TICK, end))
            with contextlib.suppress(BlockingIOError):
                if not os.read(0, 1):
                    break
    print(json.dumps(found))


if __name__ == "__main__":
    main()
