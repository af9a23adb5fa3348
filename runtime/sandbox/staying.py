"""A confined process that stays: it does one job after the other and keeps what it has imported.

It may open no file by its name. For each that its job reads or writes it asks here, and gets a
descriptor. So what it can reach changes from job to job, and its sandbox does not.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import socket
import subprocess
import time
from pathlib import Path

from flowc.compiler.source.door import open_folder

from ..audio.calls.subprocess_call import LONGEST, WorkerExit, WorkerJob
from ..audio.calls.worker_protocol import ERRNO, HEADER
from ..errors import Failure
from ..state.frames import BadFrame, read_object
from .confine import Confined
from .policy import SandboxReport

_COMPLAINT = 65_536
_REQUEST = {"place": str, "flags": int}
_LONGEST_REQUEST = 65_536
_PATIENCE = 5.0
"""Seconds for its end when it says nothing more."""
_FLAGS = os.O_ACCMODE | os.O_TRUNC
_SAFE = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class StayingProcess:
    """One process. `known` are the places of what it has read and written: a hostile file among
    them may have taken it over, so it gets no other sound. `stays` tells whether it has done a
    job and waits for the next."""

    def __init__(self, start: Confined) -> None:
        self._start = start
        self._complaint = b""
        self._is_free = True
        self.known: set[Path] = set()
        self.stays = False
        self._line, theirs = socket.socketpair()
        try:
            nowhere, pipe = subprocess.DEVNULL, subprocess.PIPE
            self._process = start.popen(stdin=theirs, stdout=nowhere, stderr=pipe)
        except OSError as error:
            self._line.close()
            start.close()
            raise Failure(f"no process can be started: {error.strerror}") from None
        finally:
            theirs.close()
        assert self._process.stderr is not None
        self._errors = self._process.stderr.fileno()
        os.set_blocking(self._errors, False)

    @property
    def is_alive(self) -> bool:
        """Tell whether it still waits for jobs: after a while without one it ends."""
        poll = select.poll()
        poll.register(self._line, select.POLLIN)
        return not poll.poll(0) and self._process.poll() is None

    def work(self, job: WorkerJob) -> WorkerExit:
        """Have it do a job; block until it is done. Raise `TimeoutError`."""
        deadline = time.monotonic() + job.seconds
        self._is_free = False
        try:
            self._send(HEADER.pack(b"Q", len(job.question)) + job.question, deadline)
            while True:
                kind, size = HEADER.unpack(self._take(HEADER.size, deadline))
                if size > (_LONGEST_REQUEST if kind == b"O" else LONGEST):
                    raise BadFrame("it is too long")
                data = self._take(size, deadline)
                if kind != b"O":
                    self._is_free, self.stays = True, kind == b"A"
                    return WorkerExit(0, data, self._complaint)
                self._hand_over(job, data)
        except (EOFError, ConnectionError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PATIENCE)
            self.kill()
            self._drain()
        except BadFrame as bad:
            self.kill()
            self._complaint = str(bad).encode()
        return WorkerExit(self._process.returncode or 0, b"", self._complaint)

    def report(self) -> SandboxReport:
        """Return how it is confined. Raise `Failure` (kind refused) when it was not started."""
        return self._start.report()

    def kill(self) -> None:
        """End it. May be called from another thread, and twice."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """End it and remove its files, when no thread waits for it."""
        self._line.close()  # which ends one that has nothing to do
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE if self._is_free else 0)
        self.kill()
        assert self._process.stderr is not None
        self._process.stderr.close()
        self._start.close()

    def _hand_over(self, job: WorkerJob, data: bytes) -> None:
        asked = read_object(data, _REQUEST)
        place, flags = Path(asked["place"]), asked["flags"] & _FLAGS
        writes = flags != os.O_RDONLY
        try:
            if place not in job.writes and (writes or place not in job.reads):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            number = _open(place, flags)
        except OSError as error:
            self._line.sendall(ERRNO.pack(error.errno or errno.EIO))
            return
        try:
            socket.send_fds(self._line, [ERRNO.pack(0)], [number])
        finally:
            os.close(number)

    def _send(self, data: bytes, deadline: float) -> None:
        self._line.settimeout(max(0.001, deadline - time.monotonic()))
        self._line.sendall(data)

    def _take(self, size: int, deadline: float) -> bytes:
        """Return so many bytes; keep the end of what it complains of meanwhile."""
        data = bytearray()
        poll = select.poll()
        poll.register(self._line, select.POLLIN)
        poll.register(self._errors, select.POLLIN)
        while len(data) < size:
            left = deadline - time.monotonic()
            ready = dict(poll.poll(max(0.0, left) * 1000))
            if not ready:
                raise TimeoutError
            if self._errors in ready and not self._drain():
                poll.unregister(self._errors)
            if self._line.fileno() in ready:
                part = self._line.recv(size - len(data))
                if not part:
                    raise EOFError
                data += part
        return bytes(data)

    def _drain(self) -> bool:
        """Take what it complains of; False when there will be no more."""
        try:
            while part := os.read(self._errors, _COMPLAINT):
                self._complaint = (self._complaint + part)[-_COMPLAINT:]
        except BlockingIOError:
            return True
        return False


def _open(place: Path, flags: int) -> int:
    """Open a file by its real name, no link followed. Raise OSError."""
    folder = open_folder(place.anchor, place.parent.parts[1:])
    try:
        return os.open(place.name, flags | _SAFE, dir_fd=folder)
    finally:
        os.close(folder)
