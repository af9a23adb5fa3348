"""One child process with its descendants: its output, its end, and a thorough kill (Linux)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from ..event_loops import in_thread
from .confine import Confined

_CHUNK = 65536
MARK = "FLOWC_COMMAND"
_ROUNDS = 50
_GUARD = 'read -r group && { read -r _; kill -KILL "-$group"; }'
"""Reads from a pipe that flowc holds open: when flowc dies, however it dies, the read ends and the
command's process group with it."""


class Started:
    """A process in a session of its own, standard input closed, its outputs in a pipe each, or both
    in one (`merged`), where their order is kept. Of a confined program it is the keeper, which ends
    with flowc by itself; of another one a guard does that. `mark` is what its environment has under
    `MARK`. Everything here may block."""

    def __init__(self, start: Confined, folder: Path, mark: str, merged: bool = False) -> None:
        self.mark = mark
        self.guard = None if start.room else _start_guard()
        pipes = [os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK) for _ in range(1 if merged else 2)]
        self.pipes = tuple(read for read, _ in pipes)
        for _, write in pipes:
            os.set_blocking(write, True)
        try:
            nowhere, (out, err) = subprocess.DEVNULL, (pipes[0][1], pipes[-1][1])
            self.process = start.popen(folder, stdin=nowhere, stdout=out, stderr=err)
        except BaseException:
            for read in self.pipes:
                os.close(read)
            self.end_guard()
            raise
        finally:
            for _, write in pipes:
                os.close(write)
        self.keeper = self.process.pid if start.room else None
        if self.guard is not None:
            os.write(self.guard[1], b"%d\n" % self.process.pid)
        self.watch = os.pidfd_open(self.process.pid)

    def kill(self) -> None:
        """Kill the session, and every descendant that left it but carries the mark."""
        # The child is not reaped before this, so its number cannot belong to somebody else.
        for _ in range(_ROUNDS):
            parents = _living()
            members = _below(self.process.pid, parents)
            members |= {pid for pid in parents if _belongs(pid, self.process.pid, self.mark)}
            if not members:
                return
            if self.keeper is not None:
                # It and the watcher below it take the orphans of the rest, so they go last.
                top = {pid for pid in members if self.keeper in (pid, parents[pid])}
                members = (members - top) or top
            for pid in members:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    def end(self) -> int:
        """Kill what is left, close and reap. Return the exit code, negative for a signal. May be
        called twice."""
        if self.pipes:
            self.kill()
            for descriptor in (*self.pipes, self.watch):
                os.close(descriptor)
            self.pipes = ()
            self.end_guard()
        return self.process.wait()

    def end_guard(self) -> None:
        """End the guard, if there is one."""
        if self.guard is not None:
            process, own_end = self.guard
            process.kill()
            process.wait()
            os.close(own_end)


class Child:
    """A process that was started, in the running event loop, which tells each of `on_output` what
    comes from the pipe of its place."""

    def __init__(self, started: Started, on_output: Sequence[Callable[[bytes], None]]) -> None:
        self._started = started
        self._loop = asyncio.get_running_loop()
        self.ended = asyncio.Event()
        self._silent = asyncio.Event()
        self._is_open = True
        self._speaking = set(started.pipes)
        for pipe, tell in zip(started.pipes, on_output, strict=True):
            self._loop.add_reader(pipe, self._read, pipe, tell)
        self._loop.add_reader(started.watch, self._end)

    def _read(self, pipe: int, tell: Callable[[bytes], None]) -> None:
        try:
            data = os.read(pipe, _CHUNK)
        except BlockingIOError:
            return
        if data:
            tell(data)
            return
        self._loop.remove_reader(pipe)
        self._speaking.discard(pipe)
        if not self._speaking:
            self._silent.set()

    def _end(self) -> None:
        self._loop.remove_reader(self._started.watch)
        self.ended.set()

    def terminate(self) -> None:
        """Ask the whole process group to end."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._started.process.pid, signal.SIGTERM)

    async def close(self, patience: float = 1.0) -> int:
        """Kill what is left, read what is in the pipes, reap. Return the exit code, negative for a
        signal."""
        await in_thread(self._started.kill)
        await self.ended.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._silent.wait()
        return await self.abandon()

    async def abandon(self) -> int:
        """Close at once, without waiting for output. May be called twice."""
        if self._is_open:
            self._is_open = False
            for descriptor in (*self._started.pipes, self._started.watch):
                self._loop.remove_reader(descriptor)
        return await in_thread(self._started.end)


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
