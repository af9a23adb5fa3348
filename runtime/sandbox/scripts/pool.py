"""Runs scripts: starts worker processes, bounds their time, turns what they say into results.

JavaScript has one worker for a run, which is started anew after it had to be killed; a Python
script has a process for each call. Three layers bound what a worker uses: the engine's
own limits on memory and processor time, which end a call with a place in the script; the operating
system's limits on the process; and the clock here, after which the process is killed. What it may
reach the sandbox holds: nothing of the network, no other program or process, no file but Python's.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import select
import signal
import struct
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ...errors import Failure
from ...event_loops import in_thread
from ...services import ScriptCall, ScriptResult
from ...state.frames import BadFrame, FrameBounds, read_frame
from ..confine import prepare_python
from ..confinement import Confinement
from ..policy import Limits, SandboxReport
from .answers import Reply, ScriptLimits, read_reply

_T = TypeVar("_T")
_HEADER = struct.Struct("!I")
_ENV = {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
"""All that a worker knows of its environment."""
_FOLDER = Path(__file__).resolve().parent
_NO_FOLDERS = Confinement(Path("/"), Path("/"))
"""Nothing is granted to scripts, so it does not matter here where a run was started."""
_BOUNDS = Limits(memory=0, file=1, disk=0, files=0, open=64, processes=0)
"""Memory and processor time a worker bounds itself. Of a file one byte: 0 would not be a limit."""


@dataclass(slots=True)
class ScriptWorkers:
    """`services.Scripts`. Processes start when they are needed and end with `close`."""

    limits: ScriptLimits = field(default_factory=ScriptLimits)
    confined: Confinement = _NO_FOLDERS
    _rooms: WeakKeyDictionary[asyncio.AbstractEventLoop, _Room] = field(
        default_factory=WeakKeyDictionary
    )

    async def evaluate(self, call: ScriptCall) -> ScriptResult:
        """Evaluate one call at a time of JavaScript, any number of Python."""
        job = _job(call, self.limits)
        if call.script.language == "python":
            worker = await self._begin("python")
            try:
                return await self._ask(worker, call, job)
            finally:
                await in_thread(worker.close)
        room = self._rooms.setdefault(asyncio.get_running_loop(), _Room())
        async with room.turn:
            if room.worker is None or not room.worker.alive:
                await room.close()
                room.worker = await self._begin("javascript")
            try:
                return await self._ask(room.worker, call, job)
            except BaseException:
                # Whatever ended the call, the next one has a process that is known to be well.
                await room.close()
                raise

    async def _begin(self, language: str) -> _Worker:
        """Return a new process. It ends with the thread that starts it (PR_SET_PDEATHSIG), which
        lasts as long as the event loop."""
        return await in_thread(
            partial(_Worker, language, self.limits, self.confined), _Worker.close
        )

    @property
    def sandboxed(self) -> bool:
        """See `services.Scripts`."""
        return self.confined.mode != "off"

    @property
    def processes(self) -> tuple[int, ...]:
        """Return the numbers of the processes that wait for calls; in the sandbox of those that
        keep them, see confine.py."""
        return tuple(room.worker.pid for room in self._rooms.values() if room.worker is not None)

    async def close(self) -> None:
        """End the workers. May be called twice."""
        for room in self._rooms.values():
            await room.close()

    async def _ask(self, worker: _Worker, call: ScriptCall, job: bytes) -> ScriptResult:
        if not worker.reported:
            self.confined.tell("snippet", await _wait_for(worker, worker.report))
        reply = await _wait_for(worker, partial(worker.ask, job, self.limits.seconds))
        return read_reply(call, reply, self.limits)


async def _wait_for(worker: _Worker, wait: Callable[[], _T]) -> _T:
    """Wait for the worker in a thread; kill it when nobody wants the answer any more."""
    waiting = asyncio.ensure_future(asyncio.to_thread(wait))
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        worker.kill()  # which ends the thread that waits for it
        await asyncio.wait([waiting])
        raise


@dataclass(slots=True)
class _Room:
    """The worker of one event loop (a server may have several), and whose turn it is."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    worker: _Worker | None = None

    async def close(self) -> None:
        """End the worker, if there is one."""
        worker, self.worker = self.worker, None
        if worker is not None:
            await in_thread(worker.close)


class _Worker:
    """One process and the pipes to it."""

    def __init__(self, language: str, limits: ScriptLimits, where: Confinement) -> None:
        module, cpu = "-", limits.cpu
        if language == "javascript":
            module, cpu = _quickjs(), 0
        # In the sandbox the launcher sees to it that the process does not outlive flowc.
        parent = os.getpid() if where.mode == "off" else 0
        given = (language, module, parent, limits.memory, cpu)
        self._most = limits.result * 6 + 65536  # a character is at most six as JSON
        self.reported = False
        reads = () if module == "-" else (Path(module),)
        policy = where.code(reads, _BOUNDS)
        args = tuple(map(str, given))
        self._start = prepare_python("worker:main", args, (_FOLDER,), _ENV, policy)
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        try:
            self._process = self._start.popen(stdin=pipe, stdout=pipe, stderr=nowhere)
        except OSError as error:
            self._start.close()
            raise Failure(f"no process for scripts can be started: {error.strerror}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._write, self._read = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._write, False)
        os.set_blocking(self._read, False)

    @property
    def pid(self) -> int:
        return self._process.pid

    def report(self) -> SandboxReport:
        """Return how it is confined; wait for the launcher. Raise `Failure` (kind refused) when
        the sandbox did not start it."""
        report = self._start.report()
        self.reported = True
        return report

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, job: bytes, seconds: float) -> Reply:
        """Give a call and wait for both answers, in a thread of its own."""
        deadline = time.monotonic() + seconds
        place: Any = None
        try:
            self._send(job, deadline)
            place = self._receive(deadline)
            return Reply(place, self._receive(deadline))
        except TimeoutError:
            return Reply(place, ended="time")
        except (EOFError, OSError):
            self.kill()
            return Reply(place, ended="exit", code=self._process.returncode or 0)
        except BadFrame as bad:
            return Reply(place, ended="garbled", why=str(bad))

    def _send(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            self._wait(self._write, select.POLLOUT, deadline)
            view = view[os.write(self._write, view) :]

    def _receive(self, deadline: float) -> Any:
        (size,) = _HEADER.unpack(self._take(_HEADER.size, deadline))
        if size > self._most:
            raise BadFrame(f"it is longer than {self._most:,} bytes")
        return read_frame(self._take(size, deadline), FrameBounds(self._most))

    def _take(self, size: int, deadline: float) -> bytes:
        parts = []
        while size:
            self._wait(self._read, select.POLLIN, deadline)
            part = os.read(self._read, min(size, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _wait(self, descriptor: int, event: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(descriptor, event)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError

    def kill(self) -> None:
        """End the process and what it started. May be called twice, and from another thread."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """Kill it and remove its files, when no thread waits for it. May be called twice."""
        self.kill()
        self._start.close()


def _quickjs() -> str:
    """Return the file of the engine; the worker loads it by itself, flowc never does."""
    spec = importlib.util.find_spec("_quickjs")
    if spec is None or not isinstance(spec.loader, importlib.machinery.ExtensionFileLoader):
        raise Failure("scripts in JavaScript need the package quickjs-ng", "refused")
    return str(spec.loader.path)


def _job(call: ScriptCall, limits: ScriptLimits) -> bytes:
    digest = hashlib.sha256(call.seed.encode("utf-8", "surrogatepass")).digest()
    job = {
        "source": call.script.source,
        "file": call.script.file,
        "function": call.function,
        "seconds": limits.cpu,
        "setting": {
            "now": call.time,
            "seed": struct.unpack("!4i", digest[:16]),
            "logLines": limits.log_lines,
            "logChars": limits.log_chars,
            "resultChars": limits.result,
        },
    }
    arguments = {
        "function": call.function,
        "args": call.args,
        "shares": call.shares,
        "fixed": call.fixed,
        "kept": call.kept,
        "wants": call.wants,
        "threads": {
            name: {"messages": t.messages, "max_chars": t.max_chars, "keep_min": t.keep_min}
            for name, t in call.threads.items()
        },
    }
    messages = [json.dumps(part, separators=(",", ":")).encode() for part in (job, arguments)]
    return b"".join(_HEADER.pack(len(message)) + message for message in messages)
