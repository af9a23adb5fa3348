"""Runs a program for a built-in tool in the profile `shell`: what it looks at may be hostile.

run = ConfinedPrograms(confinement)
end = run(ProgramJob(("/usr/bin/git", "status"), env, folder.path, held=(folder,)))
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass

from ..errors import Failure
from ..files.programs import ProgramEnd, ProgramJob
from .confine import prepare
from .confinement import Confinement

_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class ConfinedPrograms:
    """`programs.RunProgram`, held as `confined` says. It waits, in the thread that calls it."""

    confined: Confinement

    def __call__(self, job: ProgramJob) -> ProgramEnd:
        """See `programs.RunProgram`."""
        with prepare(job.argv, job.env, self.confined.looking(job)) as start:
            folder = "/" if start.room else job.cwd
            nowhere, pipe = subprocess.DEVNULL, subprocess.PIPE
            try:
                process = start.popen(folder, stdin=nowhere, stdout=pipe, stderr=pipe)
            except OSError as error:
                raise Failure(f"no process can be started: {error.strerror or error}") from None
            end = _end_of(process, job)
            self.confined.tell("shell", start.report(0.0))
            if not end.cut and (why := start.kill_reason()):
                if why == "time":
                    raise TimeoutError
                raise Failure(f"{os.path.basename(job.argv[0])} was killed: {why}")
        return end


def _end_of(process: subprocess.Popen[bytes], job: ProgramJob) -> ProgramEnd:
    """Return the end of a process, and the beginning of what it says. Raise `TimeoutError`."""
    said: dict[str, bytearray] = {"output": bytearray(), "complaint": bytearray()}
    deadline, cut = time.monotonic() + job.seconds, False
    with process, selectors.DefaultSelector() as ready:
        try:
            for name, stream in zip(said, (process.stdout, process.stderr), strict=True):
                assert stream is not None
                ready.register(stream, selectors.EVENT_READ, name)
            while ready.get_map() and not cut:
                for key, _ in _readable(ready, deadline):
                    data = os.read(key.fd, _CHUNK)
                    said[key.data] += data
                    if not data:
                        ready.unregister(key.fileobj)
                cut = any(len(text) > job.most for text in said.values())
            if not cut:
                process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        finally:
            if process.poll() is None:  # of a confined program it is the keeper: all ends with it
                os.killpg(process.pid, signal.SIGKILL)
    output, complaint = (bytes(text[: job.most]) for text in said.values())
    return ProgramEnd(process.returncode, output, complaint, cut)


def _readable(
    ready: selectors.BaseSelector, deadline: float
) -> list[tuple[selectors.SelectorKey, int]]:
    """Wait until there is something to read. Raise `TimeoutError`."""
    found = ready.select(max(0.0, deadline - time.monotonic()))
    if not found:
        raise TimeoutError
    return found
