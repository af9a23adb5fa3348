"""A process that runs scripts: bound by the operating system first, then calls as JSON in and out.

It is started by `confine.prepare_python`, without site packages and without flowc, so that a
script has nothing around it that flowc has; with LANGUAGE MODULE PARENT MEMORY SECONDS in sys.argv.

A message is four bytes of length and that much JSON. A call is two of them, what is to be done and
what it is given, so that the second goes to the script as it came. It is answered twice: with the
place where the function stands, so that a call that has to be killed can still be said where, and
with what came of it.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import resource
import signal
import struct
import sys
import time

_HEADER = struct.Struct("!I")
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_RESERVE = 512 * 1024 * 1024
"""Bytes of address space beside what a script may use: the interpreter's own."""


def confine(parent: int, memory: int, seconds: int) -> None:
    """Gain no rights, leave no core, take bounded memory, and die with the process `parent`; 0: the
    sandbox sees to that. With `seconds` the processor time of the whole process is bounded too."""
    libc = ctypes.CDLL(None, use_errno=True)
    if parent:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if parent and os.getppid() != parent:
        os._exit(1)
    bounds = {resource.RLIMIT_CORE: 0, resource.RLIMIT_AS: memory + _RESERVE}
    for kind, bound in bounds.items():
        resource.setrlimit(kind, (bound, bound))
    if seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def close_doors() -> None:
    """Let no file, socket or process be opened or grow from here on."""
    for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
        resource.setrlimit(kind, (0, 0))


class Pipe:
    """The pipe to flowc."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write

    def receive(self) -> str:
        """Return the next message; "" when flowc has closed the pipe."""
        header = self._take(_HEADER.size)
        return self._take(_HEADER.unpack(header)[0]).decode("ascii") if header else ""

    def send(self, text: str) -> None:
        """Send one JSON text."""
        data = text.encode("utf-8", "backslashreplace")
        data = _HEADER.pack(len(data)) + data
        while data:
            data = data[os.write(self._write, data) :]

    def _take(self, size: int) -> bytes:
        parts = []
        while size:
            part = os.read(self._read, min(size, 1 << 20))
            if not part:
                return b""
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def main() -> None:
    """Serve calls until the pipe is closed."""
    language, module, parent, memory, seconds = sys.argv[1:]
    confine(int(parent), int(memory), int(seconds))
    time.tzset()  # TZ may have been set after this process began
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file that must not grow is an OSError
    # The script's own standard input and output lead nowhere: the pipes have other numbers.
    line = Pipe(os.dup(0), os.dup(1))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    serve = importlib.import_module(f"worker_{language}").server(module, int(memory))
    if language == "javascript":
        close_doors()
    while job := line.receive():
        serve(json.loads(job), line.receive(), line.send)
