"""Processes that compile texts of requests, shared by everything in this process."""

from __future__ import annotations

import asyncio
import os
import queue
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ..records.errors import ServiceFault
from .compile import Compiled
from .compile_worker import Job, read_message, write_message

PROCESSES = 2
SECONDS = 20.0
_MODULE = f"{__package__}.compile_worker"


@dataclass(slots=True)
class CompilePool:
    """At most `PROCESSES` processes, each started when it is needed first; they end with the
    pipes that lead to them, so with this process at the latest. `seconds`: after so long a text is
    given up, and its process ended."""

    seconds: float = SECONDS
    threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(PROCESSES, "compile")
    )
    idle: queue.SimpleQueue[subprocess.Popen[bytes]] = field(default_factory=queue.SimpleQueue)

    async def compile(
        self, source: str, file: str, format: str | None = None, team: str | None = None
    ) -> Compiled:
        """Compile a text of a request away from the event loop: see `compile_here`. Raises
        `ServiceFault` for a text that takes too long, or too much memory."""
        return await self._hand_over((source, file, format, team, True))

    async def check(
        self, source: str, file: str, format: str | None = None, team: str | None = None
    ) -> Compiled:
        """The same without the compiled workflow, which is large for a large text."""
        return await self._hand_over((source, file, format, team, False))

    async def _hand_over(self, job: Job) -> Compiled:
        return await asyncio.get_running_loop().run_in_executor(self.threads, self._do, job)

    def _do(self, job: Job) -> Compiled:
        process = self._take()
        ending = threading.Timer(self.seconds, process.kill)
        ending.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            write_message(process.stdin, job)
            compiled = read_message(process.stdout)
        except (EOFError, OSError):
            process.kill()
            process.communicate()
            raise self._excess() from None
        finally:
            ending.cancel()
        self.idle.put(process)
        if not isinstance(compiled, Compiled):
            raise self._excess()
        return compiled

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

    def _excess(self) -> ServiceFault:
        return ServiceFault(
            "INVALID_WORKFLOW_DEFINITION",
            f"the text takes more than {self.seconds:g} seconds to compile, or too much memory",
            recovery=("divide the workflow into several", "send a smaller text"),
        )


POOL = CompilePool()
"""The processes of this process."""
