"""Control groups of the kernel: what all processes of one program take together, bounded at once.

    group = lend().make(memory=8 << 30, tasks=1024)
    process = subprocess.Popen(…, pass_fds=group.descriptors)
    group.join(process.pid)    # what it starts from now on is in the group too
    group.exceeded_limit()     # the limit that was exceeded: "", "memory" or "processes"
    group.close()              # when all its processes have ended

A machine lends groups where flowc may make one: by version 1 below its own group, by version 2 in
the group that was delegated to it, which systemd marks (`Delegate=`). Processes of version 2 stand
in groups without children only, so flowc moves what stands in a delegated group into a child of it
once. Who has such a folder elsewhere names it in FLOWC_CONTROL_GROUP.

Files and rules: the kernel's admin-guide/cgroup-v1 and cgroup-v2, systemd's CGROUP_DELEGATION.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from .launch import sums

PLACE = "FLOWC_CONTROL_GROUP"
_PREFIX, _OWN = "flowc-", "flowc-own"
_DELEGATED = ("user.delegate", "trusted.delegate")
_ROUNDS = 5
_SHARES = ("io.weight", "io.bfq.weight", "blkio.weight", "blkio.bfq.weight")
"""Files of the share of the disk's time, of which a scheduler of the disk knows one, or none."""
_LEAST = 10
"""The share of the disk's time, where 100 is usual: a program waits for all others."""
_NAMES = {"memory": "memory", "pids": "pids", "blkio": "io", "io": "io"}
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class KernelCount:
    """A count of the kernel's: in the open file `number`, in the line that begins with `key`. Above
    0 the limit `limit` was exceeded."""

    number: int
    key: bytes
    limit: str

    def has_happened(self) -> bool:
        """Tell whether it has; a group that is gone says nothing."""
        return sums.count_of(self.number, self.key) > 0


class ControlGroup:
    """One group, a folder in the tree of each controller. See the module's text."""

    def __init__(self, lender: Lender) -> None:
        self._lender = lender
        self.folders: list[Path] = []
        self.events: list[KernelCount] = []
        self._read, self._write = os.pipe2(os.O_CLOEXEC)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Return what the launcher inherits: a pipe that says that it has joined, and the events'
        files."""
        return (self._read, *(event.number for event in self.events))

    @property
    def job(self) -> tuple[int, list[tuple[int, bytes, str]]]:
        """Return the same for the launcher's job."""
        return self._read, [(one.number, one.key, one.limit) for one in self.events]

    def join(self, number: int) -> None:
        """Move a process into the group, with all that it starts from now on, and tell it by the
        pipe whether that went well. The kernel takes some milliseconds for it."""
        try:
            for folder in self.folders:
                _write(folder / "cgroup.procs", str(number))
        except OSError:
            said = b"0"
        else:
            said = b"1"
        with contextlib.suppress(OSError):  # it has ended
            os.write(self._write, said)

    def exceeded_limit(self) -> str:
        """Return which limit was exceeded, "" for none."""
        return next((event.limit for event in self.events if event.has_happened()), "")

    def close(self) -> None:
        """Remove the group. May be called twice."""
        for number in (self._write, *self.descriptors) if self._write >= 0 else ():
            os.close(number)
        self._read, self._write, self.events = -1, -1, []
        self._lender.remove(self.folders)
        self.folders = []


@dataclass(frozen=True, slots=True)
class Lender:
    """The folders in which groups are made, for each controller ("memory", "pids", "io"); `version`
    of the kernel's interface. Without "memory" and "pids" nothing is lent, and `why` says why."""

    version: int = 0
    folders: Mapping[str, Path] = field(default_factory=dict)
    why: str = ""
    _left: list[Path] = field(default_factory=list, compare=False)

    @property
    def lends(self) -> bool:
        """Tell whether groups can be made."""
        return not self.why

    def make(self, memory: int, tasks: int) -> ControlGroup:
        """Return a group for a program: bytes of memory, swapped ones and files in memory included,
        and tasks at a time, threads included; 0 means no limit. Raise OSError."""
        self.remove([])
        group = ControlGroup(self)
        name = f"{_PREFIX}{os.getpid()}-{next(_numbers)}"
        try:
            for folder in dict.fromkeys(self.folders.values()):
                (folder / name).mkdir(mode=0o755)
                group.folders.append(folder / name)
            for controller, folder in self.folders.items():
                self._set(group, controller, folder / name, memory, tasks)
        except BaseException:
            group.close()
            raise
        return group

    def _set(
        self, group: ControlGroup, controller: str, folder: Path, memory: int, tasks: int
    ) -> None:
        first = self.version == 1
        if controller == "memory" and memory:
            _write(folder / ("memory.limit_in_bytes" if first else "memory.max"), str(memory))
            if first:
                with contextlib.suppress(OSError):  # a kernel that does not count swap by group
                    _write(folder / "memory.memsw.limit_in_bytes", str(memory))
            events = folder / ("memory.oom_control" if first else "memory.events")
            group.events.append(KernelCount(_open(events), b"oom_kill ", "memory"))
        elif controller == "pids" and tasks:
            _write(folder / "pids.max", str(tasks))
            group.events.append(KernelCount(_open(folder / "pids.events"), b"max ", "processes"))
        elif controller == "io":
            for name in _SHARES:
                with contextlib.suppress(OSError):
                    _write(folder / name, str(_LEAST))

    def remove(self, folders: list[Path]) -> None:
        """Remove groups. One whose last process is still ending is removed with the next."""
        rest = [*self._left, *folders]
        self._left.clear()
        self._left.extend(folder for folder in rest if not _remove(folder))

    def tidy(self) -> None:
        """Remove the groups that processes of flowc left which were killed."""
        for folder in set(self.folders.values()):
            for left in folder.glob(f"{_PREFIX}*-*"):
                owner = left.name.removeprefix(_PREFIX).partition("-")[0]
                if owner.isdigit() and not Path(f"/proc/{owner}").exists():
                    _remove(left)


@cache
def lend() -> Lender:
    """Return what this machine lends, tried once for each process."""
    return find_lender(Path("/proc/self"), os.environ.get(PLACE, ""))


def find_lender(proc: Path, place: str) -> Lender:
    """Return what a machine lends whose /proc/self is `proc`; `place` is the folder that a person
    named, "" for none."""
    try:
        lender = _lend_from(place) if place else _find(proc)
        if lender.lends:
            lender.tidy()
            trial = lender.make(1 << 30, 64)
            if not any((folder / name).is_file() for folder in trial.folders for name in _SHARES):
                folders = {name: path for name, path in lender.folders.items() if name != "io"}
                lender = replace(lender, folders=folders)
            trial.close()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Lender(why=f"no group can be made: {reason}")
    return lender


def _find(proc: Path) -> Lender:
    """Look where this process stands. Raise OSError or ValueError."""
    own: dict[str, str] = {}
    for line in (proc / "cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        own |= dict.fromkeys(controllers.split(","), path)
    mounts = list(_mounts((proc / "mountinfo").read_text()))
    first: dict[str, Path] = {}
    for kind, root, point, options in mounts:
        for controller in options if kind == "cgroup" else ():
            if controller in own and controller in _NAMES:
                folder = _below(point, root, own[controller])
                if os.access(folder, os.W_OK | os.X_OK):
                    first[_NAMES[controller]] = folder
    if {"memory", "pids"} <= first.keys():
        return Lender(1, first)
    for kind, root, point, _ in mounts:
        if kind == "cgroup2" and "" in own:
            return _find_delegated(_below(point, root, own[""]), Path(point))
    return Lender(why="no group of flowc's own may be written")


def _find_delegated(own: Path, top: Path) -> Lender:
    """Return the delegated group that this process stands in, or in a child of."""
    for folder in (own, own.parent):
        if folder.is_relative_to(top) and _is_delegated(folder):
            return _lend_from(str(folder))
    return Lender(
        why="no group was delegated to flowc; try `systemd-run --user --scope -p Delegate=yes`"
    )


def _lend_from(name: str) -> Lender:
    """Return what the folder of a delegated group (version 2) lends: its controllers are enabled
    for its children. Raise OSError or ValueError."""
    folder = Path(name)
    if not folder.is_absolute() or not (folder / "cgroup.controllers").is_file():
        raise ValueError(f"{name} is not the folder of a control group of version 2")
    offered = set((folder / "cgroup.controllers").read_text().split())
    wanted = [one for one in ("memory", "pids", "io") if one in offered]
    if not {"memory", "pids"} <= offered:
        return Lender(why=f"{name} has no controllers of memory and pids")
    enabled = (folder / "cgroup.subtree_control").read_text().split()
    if missing := [one for one in wanted if one not in enabled]:
        empty(folder)
        _write(folder / "cgroup.subtree_control", " ".join(f"+{one}" for one in missing))
    return Lender(2, dict.fromkeys(wanted, folder))


def empty(folder: Path) -> None:
    """Move the processes that stand in a group of version 2 into a child of it: only then may it
    bound children. Raise OSError."""
    child = folder / _OWN
    for _ in range(_ROUNDS):
        numbers = (folder / "cgroup.procs").read_text().split()
        if not numbers:
            return
        child.mkdir(exist_ok=True)
        for number in numbers:
            with contextlib.suppress(ProcessLookupError):
                _write(child / "cgroup.procs", number)


def _mounts(text: str) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield kind, root, mount point and options of each mounted tree of groups."""
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        root, point = before.split()[3:5]
        kind, _, options = after.split()[:3]
        if kind.startswith("cgroup"):
            # Other characters stand as \040: no such name is looked for.
            yield kind, root, point, options.split(",")


def _below(point: str, root: str, path: str) -> Path:
    """Return the folder of a group, of which a container may see a part of the tree only."""
    return Path(os.path.normpath(f"{point}/{os.path.relpath(path, root)}"))


def _is_delegated(folder: Path) -> bool:
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    for name in _DELEGATED:
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _remove(folder: Path) -> bool:
    """Remove a group, and tell whether it is gone."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _open(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


def _write(path: Path, text: str) -> None:
    number = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(number, text.encode())
    finally:
        os.close(number)
