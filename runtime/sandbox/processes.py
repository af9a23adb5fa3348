"""One child process with its descendants: its output, its end, and a thorough kill (Linux)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from .confine import Confined

_CHUNK = 65536
MARK = "FLOWC_COMMAND"
_ROUNDS = 50
_GUARD = 'read -r group && { read -r _; kill -KILL "-$group"; }'
"""Reads from a pipe that flowc holds open: when flowc dies, however it dies, the read ends and the
command's process group with it."""


class Child:
    """A process in a session of its own, standard input closed, both outputs in one pipe. Of a
    confined program it is the keeper, which ends with flowc by itself; of another one a guard does
    that. `mark` is what its environment has under `MARK`.

    Must be made inside a running event loop; `kill` and `close` may be called at any time."""

    def __init__(
        self, start: Confined, folder: Path, mark: str, on_output: Callable[[bytes], None]
    ) -> None:
        self.mark = mark
        self._on_output = on_output
        self._loop = asyncio.get_running_loop()
        self.ended = asyncio.Event()
        self._silent = asyncio.Event()
        self._guard = None if start.room else _start_guard()
        self._pipe, write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        os.set_blocking(write, True)
        try:
            nowhere, same = subprocess.DEVNULL, subprocess.STDOUT
            self._process = start.popen(folder, stdin=nowhere, stdout=write, stderr=same)
        except BaseException:
            os.close(self._pipe)
            self._end_guard()
            raise
        finally:
            os.close(write)
        self._keeper = self._process.pid if start.room else None
        if self._guard is not None:
            os.write(self._guard[1], b"%d\n" % self._process.pid)
        self._watch = os.pidfd_open(self._process.pid)
        self._loop.add_reader(self._pipe, self._read)
        self._loop.add_reader(self._watch, self._end)

    def _read(self) -> None:
        try:
            data = os.read(self._pipe, _CHUNK)
        except BlockingIOError:
            return
        if data:
            self._on_output(data)
        else:
            self._loop.remove_reader(self._pipe)
            self._silent.set()

    def _end(self) -> None:
        self._loop.remove_reader(self._watch)
        self.ended.set()

    def terminate(self) -> None:
        """Ask the whole process group to end."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)

    def kill(self) -> None:
        """Kill the session, and every descendant that left it but carries the mark."""
        # The child is not reaped before this, so its number cannot belong to somebody else.
        for _ in range(_ROUNDS):
            parents = _living()
            members = _below(self._process.pid, parents)
            members |= {pid for pid in parents if _belongs(pid, self._process.pid, self.mark)}
            if not members:
                return
            if self._keeper is not None:
                # It and the watcher below it take the orphans of the rest, so they go last.
                top = {pid for pid in members if self._keeper in (pid, parents[pid])}
                members = (members - top) or top
            for pid in members:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    async def close(self, patience: float = 1.0) -> int:
        """Kill what is left, read what is in the pipe, reap. Return the exit code, negative for a
        signal."""
        self.kill()
        await self.ended.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._silent.wait()
        return self.abandon()

    def abandon(self) -> int:
        """Close at once, without waiting for output. May be called twice."""
        if self._pipe >= 0:
            self.kill()
            for descriptor in (self._pipe, self._watch):
                self._loop.remove_reader(descriptor)
                os.close(descriptor)
            self._pipe = -1
            self._end_guard()
        return self._process.wait()

    def _end_guard(self) -> None:
        if self._guard is not None:
            process, own_end = self._guard
            process.kill()
            process.wait()
            os.close(own_end)


def _start_guard() -> tuple[subprocess.Popen[bytes], int]:
    """Start a guard that waits for the number of a process group, and the end of its pipe that only
    flowc holds. It starts first, so that no command is ever without one."""
    read, own_end = os.pipe()
    try:
        guard = subprocess.Popen(
            ("/bin/sh", "-c", _GUARD, "flowc-guard"),
            env={},
            stdin=read,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except BaseException:
        os.close(own_end)
        raise
    finally:
        os.close(read)
    return guard, own_end


def _living() -> dict[int, int]:
    """Yield every living process but this one, and its parent."""
    own = os.getpid()
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != own:
            with contextlib.suppress(OSError, ValueError):
                state, parent, *_ = _stat(int(name))
                if state not in (b"Z", b"X"):
                    parents[int(name)] = int(parent)
    return parents


def _below(top: int, parents: dict[int, int]) -> set[int]:
    """Return the descendants of a process, itself included while it lives."""
    members, front = {top} & parents.keys(), {top}
    while front:
        front = {pid for pid, parent in parents.items() if parent in front} - members
        members |= front
    return members


def _stat(pid: int) -> list[bytes]:
    """Return state, parent, group, session, … The name before them may hold anything."""
    stat = Path(f"/proc/{pid}/stat").read_bytes()
    return stat[stat.rindex(b")") + 2 :].split()


def _belongs(pid: int, session: int, mark: str) -> bool:
    """Tell whether a process is in the session or marked."""
    try:
        if int(_stat(pid)[3]) == session:
            return True
        environ = Path(f"/proc/{pid}/environ").read_bytes()
    except (OSError, ValueError):
        return False
    return f"{MARK}={mark}".encode() in environ.split(b"\0")
