"""Processes that read and compile what requests bring, shared by everything in this process."""

from __future__ import annotations

import asyncio
import os
import pickle
import queue
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from flowc.compiler.source.gc_pause import collector_at_rest

from ..records.errors import FaultCode, ServiceFault
from .compile import Compiled, compile_here
from .read_body import SIMPLE, SMALL, BodyValues, SentForm, read_body, read_form
from .request_worker import SIZE_BYTES, CompileJob, FormJob, Job, ReadJob, unpickle_parts

PROCESSES = 2
SECONDS = 20.0
PATIENCE = 180.0
PIECE = 65_536
"""Bytes that are handed over at once."""
KNOWN = 16_384
"""Characters of a text that compiled before which are compiled where they are: at worst that takes
a third of a second of a thread, and a process takes one to begin."""
_MODULE = f"{__package__}.request_worker"


@dataclass(slots=True)
class RequestPool:
    """At most `processes` processes, each started when it is needed first; they end with the
    pipes that lead to them, so with this process at the latest. A text is given up that takes more
    than `seconds` of a processor. What has not been done after `patience` seconds says nothing of
    the text: the machine is busy, or this process was stopped for a while."""

    processes: int = PROCESSES
    seconds: float = SECONDS
    patience: float = PATIENCE
    threads: ThreadPoolExecutor = field(init=False)
    idle: queue.SimpleQueue[subprocess.Popen[bytes]] = field(default_factory=queue.SimpleQueue)

    def __post_init__(self) -> None:
        self.threads = ThreadPoolExecutor(self.processes, "requests")

    async def read(self, operation: str, by_name: bool, parts: Sequence[bytes]) -> BodyValues:
        """Return what a body, which came in parts, holds for an operation; unless it is small, it
        is read away from the event loop. Raises `ServiceFault` for one that takes too long, or too
        much memory."""
        size = sum(map(len, parts))
        if size <= SMALL:
            return read_body(operation, by_name, b"".join(parts))
        read = await self._hand_over(ReadJob(operation, by_name, size), parts)
        if isinstance(read, BodyValues):
            return read
        raise self._excess("INVALID_REQUEST", "the body", "read")

    async def read_form(self, kind: str, parts: Sequence[bytes]) -> SentForm:
        """Return the form in a body of that content type, read in the same way."""
        size = sum(map(len, parts))
        if size <= SMALL and kind.startswith(SIMPLE):
            return read_form(kind, b"".join(parts))
        form = await self._hand_over(FormJob(kind, size), parts)
        if isinstance(form, SentForm):
            return form
        raise self._excess("INVALID_REQUEST", "the form", "read")

    async def compile(
        self, source: str, file: str, format: str | None = None, team: str | None = None
    ) -> Compiled:
        """Compile a text of a request away from the event loop: see `compile_here`. Raises
        `ServiceFault` for a text that takes too long, or too much memory."""
        return await self._compile(CompileJob(source, file, format, team, whole=True))

    async def compile_again(
        self, source: str, file: str, format: str | None = None, team: str | None = None
    ) -> Compiled:
        """Compile a text that has compiled before, away from the event loop: see `compile_here`.
        One of at most `KNOWN` characters needs no process, so that a worker has none to begin."""
        if len(source) + len(team or "") > KNOWN:
            return await self.compile(source, file, format, team)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, compile_here, source, file, format, team)

    async def check(
        self, source: str, file: str, format: str | None = None, team: str | None = None
    ) -> Compiled:
        """The same without the compiled workflow, which is large for a large text."""
        return await self._compile(CompileJob(source, file, format, team, whole=False))

    async def _compile(self, job: CompileJob) -> Compiled:
        compiled = await self._hand_over(job)
        if isinstance(compiled, Compiled):
            return compiled
        raise self._excess("INVALID_WORKFLOW_DEFINITION", "the text", "compile")

    async def _hand_over(self, job: Job, parts: Sequence[bytes] = ()) -> object:
        return await asyncio.get_running_loop().run_in_executor(self.threads, self._do, job, parts)

    def _do(self, job: Job, parts: Sequence[bytes]) -> object:
        """Return what came of a job; None when it takes too long, or too much memory. Raises
        `ServiceFault` when the machine is too busy for it."""
        process = self._take()
        assert process.stdin is not None
        assert process.stdout is not None
        end = time.monotonic() + self.patience
        try:
            _send(process.stdin.fileno(), job, parts, end)
            size = _receive(process.stdout.fileno(), SIZE_BYTES, end)
            answer = _receive(process.stdout.fileno(), int.from_bytes(size, "big"), end)
        except (EOFError, OSError) as error:
            process.kill()
            process.communicate()
            if isinstance(error, TimeoutError):
                message = f"this machine is busy: a text was not read for {self.patience:g} s"
                raise ServiceFault("UNAVAILABLE", message) from None
            return None
        self.idle.put(process)
        with collector_at_rest():
            return unpickle_parts(answer)

    def _take(self) -> subprocess.Popen[bytes]:
        """Return a process that waits for a job; its environment holds nothing of the service."""
        try:
            while (known := self.idle.get_nowait()).poll() is not None:
                known.communicate()
        except queue.Empty:
            path = os.pathsep.join(part for part in sys.path if part)
            begun = subprocess.Popen(
                [sys.executable, "-P", "-m", _MODULE, str(self.seconds)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={"PYTHONPATH": path, "PATH": os.environ.get("PATH", os.defpath)},
            )
            assert begun.stdin is not None
            os.set_blocking(begun.stdin.fileno(), False)
            return begun
        return known

    def _excess(self, code: FaultCode, what: str, verb: str) -> ServiceFault:
        return ServiceFault(
            code,
            f"{what} takes more than {self.seconds:g} seconds of a processor to {verb},"
            " or too much memory",
            recovery=("divide the workflow into several", "send a smaller text"),
        )


def _send(stream: int, job: Job, parts: Sequence[bytes], end: float) -> None:
    """Write a job behind its size, and the parts of what follows it. The thread gives way to the
    event loop between two pieces. Raises `OSError` when nobody has read them until `end`."""
    told = pickle.dumps(job, pickle.HIGHEST_PROTOCOL)
    for part in (len(told).to_bytes(SIZE_BYTES, "big"), told, *parts):
        rest = memoryview(part)
        while rest:
            if not select.select([], [stream], [], max(0, end - time.monotonic()))[1]:
                raise TimeoutError
            rest = rest[os.write(stream, rest[:PIECE]) :]


def _receive(stream: int, size: int, end: float) -> bytes:
    """Return the next `size` bytes. Raises `OSError` at `end`, `EOFError` when the process died."""
    pieces, missing = [], size
    while missing:
        if not select.select([stream], [], [], max(0, end - time.monotonic()))[0]:
            raise TimeoutError
        pieces.append(os.read(stream, min(missing, PIECE)))
        if not pieces[-1]:
            raise EOFError
        missing -= len(pieces[-1])
    return b"".join(pieces)


POOL = RequestPool()
"""The processes of this process that compile."""
READERS = RequestPool(1)
"""The one that reads bodies: nobody waits there for a text that takes long to compile."""
