"""Runs modules of flowc's own in the profile `snippet`: what they read may be hostile, as sound is.

    process = OwnModules(confinement)
    end = await process(WorkerJob(module, question, args, reads, writes, seconds))

The process is new for each job, or, where the job says so, one that has done another of the same
sounds. Memory and processor time it bounds itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import py_compile
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from typing import Any

from ..audio.calls.subprocess_call import LONGEST, WorkerExit, WorkerJob
from ..audio.calls.worker_protocol import STAYS
from ..errors import Failure
from ..event_loops import in_thread
from .confine import Confined, prepare_python, probe
from .confinement import Confinement
from .policy import Limits, python_reads
from .staying import StayingProcess

_ENTRY = "launch.own:main"
_FOLDER = Path(__file__).resolve().parent
_ENV = {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"}
"""All that a module knows of its environment, beside the folders of programs that it may start."""
_BOUNDS = Limits(memory=0, file=0, disk=0, files=0, open=64, processes=0)
_STARTED = 32
"""Processes and threads of a module that starts programs."""
_PACKAGES = ("flowc", "flowc.grammar", "flowc.compiler", "flowc.runtime")
_AUDIO = "flowc.runtime.audio"
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class OwnModules:
    """`subprocess_call.Process`, held as `confined` says. `packages` are folders of packages
    besides flowc's own, by name; `most` bounds the bytes that a module says. Of processes that stay
    one at most is `waiting` for its next job."""

    confined: Confinement
    packages: Mapping[str, str] = field(default_factory=dict)
    most: int = LONGEST
    waiting: list[StayingProcess] = field(default_factory=list)

    async def __call__(self, job: WorkerJob) -> WorkerExit:
        """See `subprocess_call.Process`. Raise `Failure` (kind refused) when the sandbox does not
        hold, or did not start it."""
        if self.confined.mode != "off":
            # Tried once, and for as long as a start takes: not in the way of what runs beside.
            await asyncio.to_thread(probe, "snippet")
        if job.leaves is not None:
            return await self._stay(job)
        with self._prepare(job) as start:
            end = await _run(start, job, self.most)
            self.confined.tell("snippet", start.report(0.0))
            start.kill_reason()
        return end

    async def close(self) -> None:
        """End the process that waits."""
        while self.waiting:
            await in_thread(self.waiting.pop().close)

    async def _stay(self, job: WorkerJob) -> WorkerExit:
        known = {*job.reads, *(job.leaves or ())}
        process = await self._process_for(job)
        waited = process.stays
        try:
            end = await _wait_for(process, job)
            self.confined.tell("snippet", process.report())
        except BaseException:
            await in_thread(process.close)
            raise
        process.known |= known
        if end.output and process.stays and not self.waiting:
            self.waiting.append(process)
            return end
        await in_thread(process.close)
        # One that has waited for too long may have ended just before it got the job.
        return end if end.output or end.code or not waited else await self._stay(job)

    async def _process_for(self, job: WorkerJob) -> StayingProcess:
        """Return the one that waits, if it knows all that the job reads or nothing yet, or a new
        one."""
        if self.waiting:
            process = self.waiting.pop()
            if process.is_alive and (not process.known or process.known.issuperset(job.reads)):
                return process
            await in_thread(process.close)
        return self.start(job)

    def start(self, job: WorkerJob) -> StayingProcess:
        """Return a new process for jobs such as this one, which may come later."""
        alone = replace(job, reads=(), writes=(), args=(STAYS, *job.args))
        return StayingProcess(self._prepare(alone))

    def _prepare(self, job: WorkerJob) -> Confined:
        folders = {**_folders(), **self.packages}
        # Of flowc's other packages these modules import only what is imported here as well.
        _compile(_AUDIO)
        names = [word for pair in folders.items() for word in pair]
        own = tuple(map(Path, folders.values()))
        bounds = replace(_BOUNDS, processes=_STARTED) if job.programs else _BOUNDS
        programs = tuple(job.programs)
        policy = self.confined.code((*own, *job.reads), bounds, tuple(job.writes), programs)
        env = dict(_ENV)
        if programs:
            env["PATH"] = os.pathsep.join(str(path.parent) for path in programs)
        args = (job.module, str(len(folders)), *names, *job.args)
        return prepare_python(_ENTRY, args, (_FOLDER, *_site_folders()), env, policy)


async def _wait_for(process: StayingProcess, job: WorkerJob) -> WorkerExit:
    """Wait for a job in a thread; end the process when nobody wants the answer any more."""
    waiting = asyncio.ensure_future(asyncio.to_thread(partial(process.work, job)))
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        process.kill()  # which ends the thread that waits for it
        await asyncio.wait([waiting])
        raise


async def _run(start: Confined, job: WorkerJob, most: int) -> WorkerExit:
    """Start the process and wait for its end. Raise `TimeoutError`, `Failure`."""
    try:
        process = await asyncio.create_subprocess_exec(
            *start.argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=start.env,
            cwd="/",
            pass_fds=start.pass_fds,
            start_new_session=True,
            limit=_CHUNK,
        )
    except OSError as error:
        raise Failure(f"no process can be started: {error.strerror}") from None
    start.release()
    await in_thread(lambda: start.join(process.pid))
    try:
        async with asyncio.timeout(job.seconds):
            output, complaint, _ = await asyncio.gather(
                _end_of(process.stdout, most),
                _end_of(process.stderr, most),
                _give(process.stdin, job.question),
            )
            await process.wait()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return WorkerExit(process.returncode or 0, output, complaint)


async def _end_of(stream: asyncio.StreamReader | None, most: int) -> bytes:
    """Return the end of what comes: a module that was taken over may write without end."""
    assert stream is not None
    end = bytearray()
    while data := await stream.read(_CHUNK):
        end += data
        del end[: -(most + 1)]  # one byte too long is how it is seen that it was
    return bytes(end)


async def _give(stream: asyncio.StreamWriter | None, question: bytes) -> None:
    """Write the question; a process may end without having read it."""
    assert stream is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        stream.write(question)
        await stream.drain()
    stream.close()


@cache
def _folders() -> dict[str, str]:
    """Return where flowc's packages are."""
    folders = {name: _folder_of(name) for name in _PACKAGES}
    return {name: folder for name, folder in folders.items() if folder}


def _folder_of(package: str) -> str:
    """Return where a package is, which is found and not imported; "" when it is missing."""
    spec = find_spec(package)
    places: Any = spec.submodule_search_locations if spec is not None else None
    return os.path.realpath(next(iter(places))) if places else ""


@cache
def _site_folders() -> tuple[Path, ...]:
    """Return the folders of installed packages, in the order of sys.path."""
    allowed = {os.path.realpath(path) for path in python_reads()}
    places = [path for path in sys.path if os.path.realpath(path) in allowed]
    if numpy := _folder_of("numpy"):
        places.append(os.path.dirname(numpy))
    return tuple(Path(os.path.realpath(path)) for path in dict.fromkeys(places))


@cache
def _compile(package: str) -> None:
    """Keep the modules of a package and of those in it compiled: what is confined cannot, and would
    do it each time. Where nothing may be written here either, it takes its time."""
    for place in Path(_folder_of(package)).rglob("*.py"):
        cached = cache_from_source(str(place))
        with contextlib.suppress(OSError, py_compile.PyCompileError):
            fresh = os.path.exists(cached) and os.stat(cached).st_mtime >= place.stat().st_mtime
            if not fresh:
                py_compile.compile(str(place), doraise=True)
