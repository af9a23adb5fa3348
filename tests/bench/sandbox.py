"""What the sandbox costs a call, beside the same program started as a bare subprocess.

By the clock, and in processor time of all processes concerned, which a busy machine changes less.
Both sides of a pair end in the same program. "isolation" is what the layers add to a start that has
none of them, but the same folders and processes; "all" is what remains when the start of the
launcher's interpreter is taken away: folders, processes, layers, cleaning up. Without a namespace
the watcher looks through /proc for what is left, which costs about what the layers cost.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from timing import line

ROUNDS = 15
ENV = {"PATH": os.environ.get("PATH", os.defpath), "HOME": "/nowhere"}


def report() -> None:
    """Print milliseconds per call."""
    from flowc.runtime.sandbox.confine import probe

    print(f"one call in the sandbox ({probe('shell').level}), per call")
    with tempfile.TemporaryDirectory() as folder:
        took = _took(_sides(Path(folder)))
    for name, other, title in (
        ("shell", "bash", "shell: bash -c :, bare beside it"),
        ("snippet", "python", "snippet: empty code, bare Python beside it"),
        ("snippet", "open", "isolation: all layers, the same start without any"),
        ("snippet", "launcher", "all: the launcher's imports alone"),
    ):
        for kind in (0, 1):
            ours, theirs = took[name][kind] * 1000, took[other][kind] * 1000
            unit = "ms" if kind == 0 else "ms of processor time"
            more = f"{theirs:.1f}: {ours - theirs:+.1f} {unit}"
            line(title if kind == 0 else "", f"{ours:.1f}", more)


def _took(sides: dict[str, Callable[[], object]]) -> dict[str, tuple[float, float]]:
    """Seconds of each side by the clock and of the processor: medians, after a round to warm up."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    for turn in range(ROUNDS + 1):
        for name, side in sides.items():
            began, used = time.perf_counter(), _used()
            side()
            if turn:
                times[name].append((time.perf_counter() - began, _used() - used))
    return {
        name: (statistics.median(w for w, _ in pairs), statistics.median(c for _, c in pairs))
        for name, pairs in times.items()
    }


def _used() -> float:
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in found)


def _sides(folder: Path) -> dict[str, Callable[[], object]]:
    from flowc.runtime.sandbox import confine
    from flowc.runtime.sandbox.policy import Policy, python_reads, shell_reads

    shell = Policy("shell", reads=shell_reads(ENV), writes=(folder,), cwd=folder)
    snippet = Policy("snippet", python_reads())
    here = Path(confine.__file__).parent
    python = confine._interpreter()
    imports = f"import sys; sys.path.insert(0, {str(here)!r}); import launch.start"

    def in_shell() -> None:
        _wait(confine.prepare(("bash", "-c", ":"), ENV, shell))

    def in_snippet() -> None:
        _wait(confine.prepare_python("launch.start:nothing", (), (here,), {}, snippet))

    def without_layers() -> None:
        make, confine.make_job = confine.make_job, _open_job
        try:
            in_snippet()
        finally:
            confine.make_job = make

    return {
        "bash": lambda: subprocess.run(("bash", "-c", ":"), env=ENV, check=True),
        "shell": in_shell,
        "python": lambda: subprocess.run((python, "-I", "-S", "-c", "pass"), check=True),
        "snippet": in_snippet,
        "open": without_layers,
        "launcher": lambda: subprocess.run((python, "-I", "-S", "-c", imports), check=True),
    }


def _open_job(*args: Any) -> dict[str, Any]:
    from flowc.runtime.sandbox import jobs

    job = jobs.make_job(*args)
    nothing = {"namespaces": False, "landlock": False, "required": [], "limits": []}
    return job | nothing | {"filters": dict.fromkeys(job["filters"], b"")}


def _wait(start: Any) -> None:
    with start:
        process = start.popen(stdin=subprocess.DEVNULL)
        if process.wait() != 0:
            sys.exit(f"the call failed: {process.returncode}")
        start.report()
