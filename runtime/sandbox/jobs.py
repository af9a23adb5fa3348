"""A policy as a job for the launcher: rules, views, filters and limits, as one value."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import Failure
from .launch import bubblewrap, landlock, seccomp
from .policy import Limits, Policy

_FACTS = ("cpuinfo", "meminfo", "stat", "uptime", "loadavg", "version", "filesystems", "self")
"""Of /proc, where it is everybody's: what says nothing of other processes."""
_WAYS = (
    (False, False, False), (False, True, False), (True, False, False), (True, True, False),
    (True, True, True),
)  # fmt: skip
_SHARED = 64 * 1024 * 1024
_STACK = 16 * 1024 * 1024
BY_BUBBLEWRAP = "by bubblewrap"
"""The detail of the layers namespaces and mounts where bubblewrap makes them."""


@dataclass(frozen=True, slots=True)
class ConfinedProgram:
    """The program to start: `argv`, or the function `entry` of a Python module with `path` before
    the standard library and `argv` as sys.argv."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    entry: str = ""
    path: tuple[str, ...] = ()


def make_job(
    program: ConfinedProgram, policy: Policy, room: Path, required: Sequence[str]
) -> dict[str, Any]:
    """Return the job, of plain values only; `room` is the program's private folder. Raise `Failure`
    (kind refused) when a path to write is missing, or is not one that the profile writes."""
    held = {str(folder.path): folder.identity for folder in policy.held}
    writes = tuple(_writable(path, policy, held) for path in policy.writes)
    home = room / "home"
    home.mkdir(mode=0o700)
    reads = [(str(path), _real(path, held)) for path in policy.reads]
    reads = [(path, real) for path, real in reads if os.path.exists(real)]
    snippet, bounds = policy.profile == "snippet", policy.bounds
    return {
        "parent": os.getpid(),
        "argv": list(program.argv),
        "entry": program.entry,
        "path": list(program.path),
        "env": {**program.env, "HOME": str(home), "TMPDIR": str(room)},
        "cwd": str(policy.cwd or room),
        "required": list(required),
        "missing": {},
        "namespaces": True,
        "by": BY_BUBBLEWRAP,
        "landlock": True,
        "network": policy.network and not snippet,
        "rules": _rules(program, policy, writes, room),
        "inside": _of_own_view(snippet),
        "outside": _of_everything(snippet, reads, policy.hidden),
        "binds": _binds(reads, writes, room),
        "held": held,
        "hidden": [str(path) for path in policy.hidden],
        "links": _links(reads),
        "shared": 0 if snippet else _SHARED,
        "filters": _filters(snippet, bool(program.entry), policy.network, bool(policy.programs)),
        "limits": _limits(bounds, snippet),
        "watch": _watch(bounds, snippet and not policy.programs, room, writes),
    }


def _watch(bounds: Limits, alone: bool, room: Path, writes: tuple[Path, ...]) -> dict[str, Any]:
    """Return what the watcher looks at, see `launch.supervise.Watch`."""
    return {
        "seconds": float(bounds.seconds),
        "processes": 0 if alone else bounds.processes,
        "memory": 0 if alone else bounds.total,
        "disk": bounds.disk,
        "files": bounds.files,
        "grace": float(bounds.grace),
        "folders": [str(room)],
        "disks": [str(path) for path in writes],
    }


def _real(path: Path, held: dict[str, tuple[int, int]]) -> str:
    """Return the real name of a path; that of a held folder is the one by which it was opened."""
    return str(path) if str(path) in held else os.path.realpath(path)


def _writable(path: Path, policy: Policy, held: dict[str, tuple[int, int]]) -> Path:
    real = Path(_real(path, held))
    if not path.is_absolute() or not real.exists():
        raise Failure(f"`{path}` cannot be written in the sandbox: it is not there", "refused")
    if policy.profile == "snippet" and not real.is_file():
        raise Failure(f"`{path}` cannot be written by a snippet: it is not a file", "refused")
    return real


def _rules(
    program: ConfinedProgram, policy: Policy, writes: tuple[Path, ...], room: Path
) -> list[tuple[str, int]]:
    """Return what may be written, or is executed by a snippet, by its real path, for Landlock."""
    if policy.profile == "snippet":
        rules = [(str(path), landlock.FILE) for path in writes]
        rules.append((str(room), landlock.OWN))
        if not program.entry:
            rules += [(path, landlock.RUN) for path in _executables(program.argv[0], program.env)]
        for started in policy.programs:
            rules += [(path, landlock.RUN) for path in _executables(str(started), {})]
        return rules
    folder = landlock.WRITE | (landlock.MAKE_SYM if policy.symlinks else 0)
    return [(str(path), folder) for path in (*writes, room)]


def _executables(name: str, env: Mapping[str, str]) -> list[str]:
    """Return the files that executing a program opens to run: itself and the dynamic linker."""
    programs = [os.path.realpath(shutil.which(name, path=env.get("PATH")) or name)]
    folders = ("/lib64", "/lib", "/lib/aarch64-linux-gnu", "/lib/x86_64-linux-gnu")
    names = ("ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-musl-x86_64.so.1")
    linkers = [os.path.realpath(f"{folder}/{name}") for folder in folders for name in names]
    return list(dict.fromkeys(programs + [path for path in linkers if os.path.exists(path)]))


def _of_own_view(snippet: bool) -> list[tuple[str, int]]:
    """Return the rules where the program has a view of processes and files of its own: it holds
    nothing that may not be read."""
    rules = [("/", landlock.READ if snippet else landlock.RUN), ("/dev", landlock.FILE)]
    return rules if snippet else [*rules, ("/dev/shm", landlock.WRITE)]


def _of_everything(
    snippet: bool, reads: list[tuple[str, str]], hidden: tuple[Path, ...]
) -> list[tuple[str, int]]:
    """Return the rules where the program sees all files of the machine: of a folder with something
    hidden in it those for all else that is there now."""
    right = landlock.READ if snippet else landlock.RUN
    rules = [rule for _, real in reads for rule in _around(real, right, hidden)]
    rules += [(f"/dev/{name}", landlock.FILE) for name in bubblewrap.DEVICES]
    return rules + [(f"/proc/{name}", landlock.READ) for name in _FACTS]


def _around(path: str, right: int, hidden: tuple[Path, ...]) -> list[tuple[str, int]]:
    """Return the rules for a path without what is hidden below it."""
    if Path(path) in hidden:
        return []
    if not any(one.is_relative_to(path) for one in hidden):
        return [(path, right)]
    rules = [(path, landlock.READ_DIR)]
    with os.scandir(path) as entries:
        for entry in entries:
            if not entry.is_symlink():
                rules += _around(entry.path, right, hidden)
    return rules


def _binds(
    reads: list[tuple[str, str]], writes: tuple[Path, ...], room: Path
) -> list[tuple[str, str, bool]]:
    """Return a view of files: source, name inside, whether it may be written. A path below another
    one that says the same is part of it."""
    writable = [str(path) for path in (*writes, room)]
    view: list[tuple[str, str, bool]] = [(str(room), "/tmp", True)]
    view += [(path, path, True) for path in dict.fromkeys(writable)]
    covered = [*writable]
    covered.append("/proc")  # a view has its own
    for path in sorted({real for _, real in reads}, key=lambda real: real.count("/")):
        if path == "/" or any(path == one or path.startswith(f"{one}/") for one in covered):
            continue
        covered.append(path)
        view.append((path, path, False))
    return view


def _links(reads: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return symbolic links that lead to what is shown: those of the top folder (/bin on most
    systems), and the names of paths which have another real one."""
    # A name with `..` is walked step by step, through folders that are there.
    links = {path: real for path, real in reads if real != path and "/../" not in f"{path}/"}
    with os.scandir("/") as entries:
        links |= {entry.path: os.readlink(entry.path) for entry in entries if entry.is_symlink()}
    return list(links.items())


@cache
def _filters(
    snippet: bool, entry: bool, network: bool, starts: bool
) -> dict[tuple[bool, bool, bool], bytes]:
    """Return the filter of system calls for each combination of namespaces, mounts, and both of
    them by bubblewrap; empty where the numbers of this machine are not known."""
    filters = {}
    for inside, mounts, caged in _WAYS:
        try:
            filters[inside, mounts, caged] = seccomp.build(
                platform.machine(),
                snippet,
                executes=not entry,
                starts=starts,
                network=network,
                unix=inside and mounts and network,
                namespaces=inside,
                # Bubblewrap leaves devices as they are: root could change those of the machine.
                mounts=mounts and not (caged and os.geteuid() == 0),
                # There bubblewrap is number 1, and the watcher comes after it.
                watchers=(1, 2) if caged else (1,),
            )
        except KeyError:
            filters[inside, mounts, caged] = b""
    return filters


def _limits(bounds: Limits, snippet: bool) -> list[tuple[str, int, int]]:
    """Return name, soft and hard limit. A shell's memory is counted by what it can write to:
    interpreters reserve much more address space than they use."""
    sizes = [
        ("memory" if snippet else "data", bounds.memory),
        ("file", bounds.file),
        ("open", bounds.open),
    ]
    limits = [(name, value, value) for name, value in sizes if value]
    if bounds.cpu:
        # The soft limit sends a signal that names the reason; the hard one only kills.
        limits.append(("cpu", bounds.cpu, bounds.cpu + 1))
    if snippet:
        limits += [("stack", _STACK, _STACK), ("locked", 0, 0)]
    return [*limits, ("core", 0, 0), ("messages", 0, 0)]
