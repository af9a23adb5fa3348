"""Processes that read and compile what requests bring, shared by everything in this process."""

from __future__ import annotations

import asyncio
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ..records.errors import FaultCode, ServiceFault
from .compile import Compiled
from .read_body import SMALL, BodyValues, read_body
from .request_worker import CompileJob, Job, ReadJob, read_message, write_message

PROCESSES = 2
SECONDS = 20.0
_MODULE = f"{__package__}.request_worker"


@dataclass(slots=True)
class RequestPool:
    """At most `processes` processes, each started when it is needed first; they end with the
    pipes that lead to them, so with this process at the latest. `seconds`: after so long a text is
    given up, and its process ended."""

    processes: int = PROCESSES
    seconds: float = SECONDS
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

    async def compile(
        self, source: str, file: str, format: str | None = None, team: str | None = None
    ) -> Compiled:
        """Compile a text of a request away from the event loop: see `compile_here`. Raises
        `ServiceFault` for a text that takes too long, or too much memory."""
        return await self._compile(CompileJob(source, file, format, team, whole=True))

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
        """Return what came of a job; None when it takes too long, or too much memory."""
        process = self._take()
        ending = threading.Timer(self.seconds, process.kill)
        ending.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            write_message(process.stdin, job, parts)
            outcome: object = read_message(process.stdout)
        except (EOFError, OSError):
            process.kill()
            process.communicate()
            return None
        finally:
            ending.cancel()
        self.idle.put(process)
        return outcome

    def _take(self) -> subprocess.Popen[bytes]:
        """Return a process that waits for a job; its environment holds nothing of the service."""
        try:
            while (known := self.idle.get_nowait()).poll() is not None:
                known.communicate()
        except queue.Empty:
            path = os.pathsep.join(part for part in sys.path if part)
            return subprocess.Popen(
                [sys.executable, "-P", "-m", _MODULE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={"PYTHONPATH": path, "PATH": os.environ.get("PATH", os.defpath)},
            )
        return known

    def _excess(self, code: FaultCode, what: str, verb: str) -> ServiceFault:
        return ServiceFault(
            code,
            f"{what} takes more than {self.seconds:g} seconds to {verb}, or too much memory",
            recovery=("divide the workflow into several", "send a smaller text"),
        )


POOL = RequestPool()
"""The processes of this process that compile."""
READERS = RequestPool(1)
"""The one that reads bodies: nobody waits there for a text that takes long to compile."""
