"""Giving up for good: privileges, open descriptors, and resources beyond a limit."""

from __future__ import annotations

import ctypes
import os
import resource

TYPE_CHECKING = False  # `typing` and `collections` take longer than all of this
if TYPE_CHECKING:
    from collections.abc import Iterable

_PDEATHSIG, _DUMPABLE, _CAPBSET_DROP, _SECUREBITS, _NO_NEW_PRIVS, _AMBIENT = 1, 4, 24, 28, 38, 47
_KEEP_NOTHING = 0x2F
"""No root, no setuid fix-up, no ambient capabilities, each locked."""
_LAST_CAPABILITY = 63
_CAPABILITY_VERSION = 0x20080522
_KILL = 9
_STALE = 116
_URGENT = -15

LIMITS = {
    "cpu": resource.RLIMIT_CPU,
    "memory": resource.RLIMIT_AS,
    "data": resource.RLIMIT_DATA,
    "file": resource.RLIMIT_FSIZE,
    "open": resource.RLIMIT_NOFILE,
    "stack": resource.RLIMIT_STACK,
    "processes": resource.RLIMIT_NPROC,
    "core": resource.RLIMIT_CORE,
    "locked": resource.RLIMIT_MEMLOCK,
    "messages": resource.RLIMIT_MSGQUEUE,
}


def check(result: int, call: str = "") -> int:
    """Return the result of a system call. Raise OSError with the call's name when it failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}" if call else os.strerror(number))
    return result


def check_identity(info: os.stat_result, identity: tuple[int, int] | None, path: str) -> None:
    """Raise OSError unless a folder is the one that was granted, by device and inode; None is any
    folder."""
    if identity is not None and (info.st_dev, info.st_ino) != tuple(identity):
        raise OSError(_STALE, f"`{path}` is no longer the folder that was granted")


def no_new_privileges(libc: ctypes.CDLL) -> None:
    """Let no program that is started gain rights by its owner or its file. Raise OSError."""
    check(libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def go_first() -> tuple[int, int]:
    """Run before every usual process from now on, where the system lets us: root may. A process
    that has to stop thousands cannot wait for a turn among them. Return what `take_turns` needs."""
    policy, nice = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        _go_sooner(nice)
    return policy, nice


def _go_sooner(nice: int) -> None:
    try:
        os.setpriority(os.PRIO_PROCESS, 0, min(nice, _URGENT))
    except OSError:
        return


def take_turns(before: tuple[int, int]) -> None:
    """Run as before `go_first`, but never before every usual process. Raise OSError."""
    policy, nice = before
    usual = policy in (os.SCHED_OTHER, os.SCHED_BATCH, os.SCHED_IDLE)
    os.sched_setscheduler(0, policy if usual else os.SCHED_OTHER, os.sched_param(0))
    os.setpriority(os.PRIO_PROCESS, 0, nice)


def die_with_parent(libc: ctypes.CDLL) -> None:
    """Die when the thread that made this process ends."""
    libc.prctl(_PDEATHSIG, _KILL, 0, 0, 0)


def hide(libc: ctypes.CDLL) -> None:
    """Let no other process of the user read this one's memory and environment."""
    libc.prctl(_DUMPABLE, 0, 0, 0, 0)


def drop_capabilities(libc: ctypes.CDLL) -> None:
    """Give up all capabilities, those included that root would regain by starting a program.
    Raise OSError."""
    if os.geteuid() == 0:
        # Both need capabilities that an unprivileged process has no use for.
        libc.prctl(_SECUREBITS, _KEEP_NOTHING, 0, 0, 0)
        for number in range(_LAST_CAPABILITY + 1):
            if libc.prctl(_CAPBSET_DROP, number, 0, 0, 0) != 0:
                break
    libc.prctl(_AMBIENT, 4, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    none = (ctypes.c_uint32 * 6)()
    check(libc.capset(header, none))


def close_descriptors(keep: Iterable[int]) -> None:
    """Close every descriptor but the first three and `kept`."""
    low = 3
    for number in sorted(keep):
        os.closerange(low, number)
        low = number + 1
    os.closerange(low, 1 << 20)


def limit(limits: Iterable[tuple[str, int, int]]) -> None:
    """Set limits: name in `LIMITS`, soft, hard. Never above what the process may have itself.
    Raise OSError or ValueError."""
    for name, soft, hard in limits:
        kind = LIMITS[name]
        most = resource.getrlimit(kind)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(kind, (soft, hard))
