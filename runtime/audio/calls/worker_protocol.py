"""A worker process: it reads a question in JSON and answers in one JSON line.

It is started by `sandbox.modules`, with the bytes of memory and the seconds of processor time that
it may take at the end of sys.argv. With `STAYS` before these it answers one question after the
other, over a socket that is its standard input. A message is its kind, its length and that much
JSON:

    flowc to worker    Q {…}
    worker to flowc    A {"result" or "failure"}
    worker to flowc    E the same, from one that has worked for long and ends
    worker to flowc    O {"place", "flags"}

The last is answered by an errno and, where that is 0, a descriptor.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ...errors import Failure
from ..door import open_by

STAYS = "stays"
HEADER = struct.Struct("!cI")
ERRNO = struct.Struct("!I")
_LONG_S = 2.0
"""Work beside which the start of a process is not seen; a new one has in its memory nothing of
what was done before."""
_MALLOC = {-8: 1, -3: 32 * 1024 * 1024, -1: 64 * 1024 * 1024}
"""Options of glibc's malloc: how many heaps, from how many bytes on a piece lies outside of them,
how many free bytes stay at the end of one. Else each block of sound, a megabyte, comes new from the
kernel, which has to clear it."""
_IDLE_S = 30.0
"""How long a process waits for its next question."""


def answer_with(
    work: Callable[[dict[str, Any]], dict[str, Any]], load: Callable[[], object] = lambda: None
) -> None:
    """Limit this process, read the question, and answer with what came of `work`. One that stays
    calls `load` before its first question, which may be long in coming."""
    memory, seconds = map(int, sys.argv[-2:])
    _limit_resources(memory, seconds)
    if sys.argv[-3] == STAYS:
        load()
        _Line(socket.socket(fileno=0)).serve(work, seconds)
        return
    answer = _own_output()
    response = _answer(work, json.loads(sys.stdin.buffer.read()))
    with open(answer, "w", encoding="ascii") as file:
        json.dump(response, file)


class _Line:
    """The socket to flowc."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    def serve(self, work: Callable[[dict[str, Any]], dict[str, Any]], seconds: int) -> None:
        """Answer questions until there are no more."""
        self._line.settimeout(_IDLE_S)
        open_by(self._open)
        while question := self._receive():
            # The limit is for all that the process has done so far.
            begin = time.process_time()
            most = int(begin) + 1 + seconds
            resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
            answer = _answer(work, json.loads(question))
            if time.process_time() - begin > _LONG_S:
                self._send(b"E", answer)
                return
            self._send(b"A", answer)

    def _open(self, place: str, flags: int) -> int:
        self._send(b"O", {"place": place, "flags": flags})
        said, found, _, _ = socket.recv_fds(self._line, ERRNO.size, 1)
        number = ERRNO.unpack(said)[0]
        if number:
            raise OSError(number, os.strerror(number))
        os.set_inheritable(found[0], False)
        return found[0]

    def _send(self, kind: bytes, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode("ascii")
        self._line.sendall(HEADER.pack(kind, len(data)) + data)

    def _receive(self) -> bytes:
        """Return the next question; nothing when none came in time, or will."""
        try:
            head = self._line.recv(HEADER.size, socket.MSG_WAITALL)
            if len(head) < HEADER.size:
                return b""
            return self._line.recv(HEADER.unpack(head)[1], socket.MSG_WAITALL)
        except OSError:
            return b""


def _answer(work: Callable[[dict[str, Any]], dict[str, Any]], question: dict[str, Any]) -> Any:
    from .call import Unwritable

    try:
        return {"result": work(question)}
    except Failure as failure:
        facts = {"message": failure.message, "help": failure.help}
        return {"failure": {**facts, "unwritable": isinstance(failure, Unwritable)}}
    except MemoryError:
        return {"failure": {"message": "there is not enough memory for this", "help": ""}}


def _limit_resources(memory: int, seconds: int) -> None:
    """Leave no core, take limited resources."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file too large is an error, not an end
    with suppress(AttributeError):  # another libc
        for option, value in _MALLOC.items():
            ctypes.CDLL(None).mallopt(option, value)


def _own_output() -> int:
    """Keep standard output for the answer: what libraries print there goes nowhere."""
    own = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return own
