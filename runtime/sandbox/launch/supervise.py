"""Two processes that stand above the confined program: the keeper, and the watcher between.

The watcher reaps, counts and bounds what the program starts; descendants that leave the program's
session stay below it, as number 1 of their namespace or as their subreaper. When it ends, they do.
The keeper is what flowc started: it lives as long as flowc and the watcher, and takes on the
program's exit code. When the keeper ends, however that comes, the watcher sees its pipe closed.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` imports enum, as slow as ctypes
import ctypes
import os
import select
import time

from . import sums

TYPE_CHECKING = False  # `typing` and `collections` take longer than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

REFUSED = 96
"""The exit code of what has started nothing foreign."""
_SUBREAPER = 36
_SIGKILL, _SIGTERM = 9, 15
_STOPPING = (1, 2, 3, 15)
_TICK, _LOOK = 0.025, 0.1
"""Seconds between two looks, and between those for which all processes of the machine are looked
through: a program without a namespace of its own is found among them."""
_ROUNDS = 200
_REST = 9
_STAT = 4096
_NOBODY = 255
_proc = -1


class Watch:
    """The limits that the watcher enforces while the program runs. 0 means no limit: seconds by the
    clock, processes at a time, bytes of memory that all have for themselves; bytes and files that
    are written below `folders` or taken from the disk of `disks`, and bytes of files without a
    name, such as removed ones and shared memory; `grace` is how long the program may take to end
    when it is asked to. `events` are counts of a control group: an open file, the line's key, and
    the limit that was exceeded when it is not 0."""

    def __init__(
        self,
        limits: dict[str, Any],
        inside: bool,
        host: Host | None = None,
        events: Iterable[tuple[int, bytes, str]] = (),
    ) -> None:
        self.host = host or Host()
        self.events = tuple(events)
        self.seconds: float = limits["seconds"]
        self.processes: int = limits["processes"]
        self.memory: int = limits["memory"]
        self.disk: int = limits["disk"]
        self.files: int = limits["files"]
        self.grace: float = limits["grace"]
        self.folders: list[str] = limits["folders"]
        self.disks: list[str] = limits["disks"]
        self._view = inside and _has_view()
        self._began = self.host.clock()
        self._since = time.time()
        self._free = [self.host.free(path) for path in self.disks]
        self._looks, self._newest, self._rested = 0.0, 0, 0.0
        self._weighs = 0.0

    @property
    def busy(self) -> bool:
        """Tell whether anything has to be looked at again and again."""
        return bool(self.processes or self.memory or self.disk or self.files or self.events)

    def left(self) -> float:
        """Return the seconds until the time is over."""
        return self._began + self.seconds - self.host.clock() if self.seconds else 3600.0

    def exceeded_limit(self) -> str:
        """Return which limit is exceeded: "time", "processes", "memory", "disk", "files", or ""."""
        if self.left() <= 0:
            return "time"
        if limit := self.group_limit():
            return limit
        if not self._view and not self._due():
            return ""
        if self.processes and len(self.host.below(self._view)) > self.processes:
            return "processes"
        if self.memory and self._weigh() > self.memory:
            return "memory"
        return self._walk() if self.disk or self.files else ""

    def group_limit(self) -> str:
        """Return which limit of its control group was exceeded; "" for none."""
        counted = (limit for number, key, limit in self.events if sums.count_of(number, key))
        return next(counted, "")

    def _weigh(self) -> int:
        """Return the memory of all, a tenth of the time at most; 0 between."""
        began = self.host.clock()
        if began < self._weighs:
            return 0
        size = self.host.memory(self._view, self.memory)
        end = self.host.clock()
        self._weighs = end + max(_LOOK, _REST * (end - began))
        return size

    def _walk(self) -> str:
        """Look through the folders, a tenth of the time at most: this runs before every usual
        process, and there may be a hundred thousand files."""
        began = self.host.clock()
        if began < self._rested:
            return ""
        exceeded = self._too_much()
        end = self.host.clock()
        self._rested = end + _REST * (end - began)
        return exceeded

    def _due(self) -> bool:
        """Tell whether to look through all processes: every so often, and at once when more were
        begun on the machine since than the program may have, or it would be many before it is
        seen."""
        now, newest = self.host.clock(), self.host.newest()
        if now < self._looks and abs(newest - self._newest) <= (self.processes or newest):
            return False
        self._looks, self._newest = now + _LOOK, newest
        return True

    def _too_much(self) -> str:
        size, files = self.host.nameless(self._view), 0
        for folder in self.folders:
            size, files = _plus((size, files), self.host.size(folder, 0.0))
        for number, path in enumerate(self.disks):
            if self._exceeds(size, files):
                break
            # Others write to the same disk, so the folder itself is looked through: when that much
            # is gone from the disk, and then again when more of it is.
            room, places = self.host.free(path)
            before = self._free[number]
            if self._exceeds(size + before[0] - room, files + before[1] - places):
                size, files = _plus((size, files), self.host.size(path, self._since))
                left = self.disk - size - self.disk // 8, self.files - files - self.files // 8
                self._free[number] = room + left[0], places + left[1]
        return self._exceeds(size, files)

    def _exceeds(self, size: int, files: int) -> str:
        if self.disk and size > self.disk:
            return "disk"
        return "files" if self.files and files > self.files else ""


def _plus(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]


def keep(parent: int, watcher: int, lifeline: int, status: int, inside: bool) -> None:
    """Stay until the watcher has ended, then end as the program did. Who asks this process to end
    asks the watcher, by the pipe: there may be another program between. `inside`: it is number 1 of
    a namespace, and nothing outlives it. Does not return."""
    os.set_blocking(lifeline, False)

    def stop(number: int, frame: object) -> None:
        try:
            os.write(lifeline, b"s")
        except OSError:  # it has ended, or was asked often enough
            return

    for number in _STOPPING:
        _signal.signal(number, stop)
    poll = select.poll()
    with_watcher, with_parent = os.pidfd_open(watcher), os.pidfd_open(parent)
    poll.register(with_watcher, select.POLLIN)
    poll.register(with_parent, select.POLLIN)
    while not (ready := [number for number, _ in poll.poll()]):
        continue
    if with_watcher not in ready:
        os._exit(_NOBODY)  # flowc is gone; the watcher takes the others with it
    _, ended = os.waitpid(watcher, 0)
    if not inside:
        kill_all(inside=False)
    data = os.read(status, 4)
    refused = os.WIFEXITED(ended) and os.WEXITSTATUS(ended) == REFUSED
    wait_status = int.from_bytes(data, "little") if data else ended if refused else _SIGKILL
    if os.WIFSIGNALED(wait_status):
        number = os.WTERMSIG(wait_status)
        if number != _SIGKILL:
            _signal.signal(number, 0)
            _signal.pthread_sigmask(1, [number])
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(wait_status))


def watch(
    program: int,
    lifeline: int,
    status: int,
    limits: Watch,
    inside: bool,
    tell: Callable[[dict[str, Any]], None],
) -> None:
    """Stay until the program has ended or has to; end what is left of it. Does not return.
    `inside`: this is number 1 of its namespace."""
    os.set_blocking(lifeline, False)
    why, deadline = "", 0.0
    wait_status = None
    while wait_status is None:
        tick = min(1.0, max(0.0, limits.left()))
        if limits.busy or deadline:
            tick = _TICK
        _signal.sigtimedwait((17, *_STOPPING), tick)
        wait_status = _reap(program)
        if wait_status is not None:
            break
        heard = _hear(lifeline)
        if heard == "stop" and not deadline:
            deadline = time.monotonic() + limits.grace
            _each(inside, _SIGTERM)
        why = "stopped" if deadline and time.monotonic() >= deadline else limits.exceeded_limit()
        if not why and heard == "parent":
            why = heard
        if why:
            kill_all(inside)
            wait_status = _reap(program, wait=True)
    why = why or limits.group_limit()
    tell({"end": {"why": why, "status": wait_status}})
    os.write(status, (wait_status or 0).to_bytes(4, "little"))
    kill_all(inside)
    os._exit(0)


def adopt(libc: ctypes.CDLL) -> None:
    """Become the one to whom orphans below fall."""
    libc.prctl(_SUBREAPER, 1, 0, 0, 0)


def ignore_stops() -> None:
    """Let a program that is started ignore being asked to end: what is below it is asked."""
    for number in _STOPPING:
        _signal.signal(number, _signal.SIG_IGN)


def prepare_watcher() -> None:
    """Take signals one at a time."""
    _signal.pthread_sigmask(0, (17, *_STOPPING))


def keep_in_sight(proc: str = "/proc") -> None:
    """Hold the /proc that is there before anything is mounted over it: it has all processes below,
    by numbers of its own, also where a namespace gets none."""
    global _proc
    _proc = os.open(proc, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def below(view: bool) -> list[int]:
    """Return the living descendants of this process; where it has a view of its own namespace, all
    others in that."""
    if view:
        return [number for number in _numbers_in("/proc") if number != os.getpid()]
    return [number for number, _ in _family()]


def _has_view() -> bool:
    """Tell whether /proc is that of the namespace that this is number 1 of."""
    try:
        return os.readlink("/proc/self") == str(os.getpid())
    except OSError:
        return False


def _newest() -> int:
    """Return the process that was begun last; 0 where nobody says."""
    try:
        return int(_read("loadavg").split()[-1])
    except (OSError, ValueError, IndexError):
        return 0


def _numbers_in(proc: str | int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(proc) if name.isdigit()]
    except OSError:
        return []


def _read(name: str) -> bytes:
    number = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=_proc)
    try:
        return os.read(number, _STAT)
    finally:
        os.close(number)


def _family() -> list[tuple[int, int]]:
    """Return the living descendants of this process, each with its process group."""
    children: dict[int, list[tuple[int, int]]] = {}
    for number in _numbers_in(_proc):
        try:
            # The name in parentheses may hold anything.
            state, parent, group = _read(f"{number}/stat").rpartition(b")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if state not in b"ZX":
            children.setdefault(int(parent), []).append((number, int(group)))
    try:
        family, front = [], [int(os.readlink("self", dir_fd=_proc))]
    except (OSError, ValueError):  # nothing is mounted there
        return []
    while front:
        more = [child for one in front for child in children.get(one, ())]
        family += more
        front = [number for number, _ in more]
    return family


def kill_all(inside: bool) -> None:
    """End every descendant and reap those that are ours."""
    for _ in range(_ROUNDS):
        _each(inside, _SIGKILL)
        while _any_child_ended():
            continue
        if inside or not below(view=False):
            return
        time.sleep(0.001)


def _each(inside: bool, number: int) -> None:
    if inside:
        targets = {-1}
    else:
        # A group is signalled at one moment, which the fastest to fork do not outrun. Groups below
        # are none of ours: the program began with a session of its own.
        family = _family()
        own = os.getpgrp()
        targets = {-group for _, group in family if group != own} | {pid for pid, _ in family}
    for target in sorted(targets):
        try:
            os.kill(target, number)
        except OSError:
            continue


def _any_child_ended() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False


def _reap(program: int, wait: bool = False) -> int | None:
    """Return the program's status when it has ended; others are reaped on the way."""
    while True:
        try:
            pid, status = os.waitpid(program if wait else -1, 0 if wait else os.WNOHANG)
        except ChildProcessError:
            return _SIGKILL
        if pid == program:
            return status
        if pid == 0:
            return None


def _hear(lifeline: int) -> str:
    """Return what the keeper wants: "stop", "parent" when it has ended, or ""."""
    try:
        return "stop" if os.read(lifeline, 64) else "parent"
    except BlockingIOError:
        return ""


def _nameless(view: bool) -> int:
    """Return the bytes of files without a name of the descendants."""
    return _in_proc(view, sums.without_name)


def _memory(view: bool, most: int) -> int:
    """Return the bytes of memory that the descendants have for themselves."""
    return _in_proc(view, lambda numbers, proc: sums.own_memory(numbers, proc, most))


def _in_proc(view: bool, add: Callable[[list[int], int], int]) -> int:
    if not view:
        return add(below(view), _proc)
    proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return add(below(view), proc)
    finally:
        os.close(proc)


class Host:
    """The machine as the watcher sees it, and its clock, which nobody sets."""

    clock = staticmethod(time.monotonic)
    below = staticmethod(below)
    newest = staticmethod(_newest)
    size = staticmethod(sums.in_folder)
    free = staticmethod(sums.free)
    nameless = staticmethod(_nameless)
    memory = staticmethod(_memory)
