"""Namespaces: a view of processes, network, users and files that holds what is inside only.

Entering makes the view for children of this process; the first of them is number 1 in it, sets the
files up, and takes everything with it when it ends.
"""

from __future__ import annotations

import ctypes
import os

_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000

_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = (
    1, 2, 4, 8, 32, 4096, 16384, 1 << 18
)  # fmt: skip
_MOUNT_SETATTR = 442
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_RECURSIVE = 0x8000
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4
_AT_FDCWD = -100
_DETACH = 2
_DEVICES = ("null", "zero", "full", "random", "urandom")
_LINKS = (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"))


def enter(libc: ctypes.CDLL, network: bool) -> None:
    """New namespaces of users, mounts, processes, IPC and host name, and an empty network unless
    `network`. Ids stay as they are. Raises OSError where the system does not allow it."""
    uid, gid = os.geteuid(), os.getegid()
    flags = _NEWUSER | _NEWNS | _NEWPID | _NEWIPC | _NEWUTS | (0 if network else _NEWNET)
    _checked(libc.unshare(flags), "unshare")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        target = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(target, text.encode())
        finally:
            os.close(target)


def show_only(
    libc: ctypes.CDLL,
    root: str,
    binds: list[tuple[str, str, bool]],
    links: list[tuple[str, str]],
    shared: int,
) -> None:
    """Replace the tree of files by one that holds what `binds` (source, name inside, writable) say,
    `links` (name, target), an empty /dev and a /proc of its own where the system gives one. It is
    put together at the empty folder `root`. /dev/shm has `shared` bytes, and is left out at 0.
    Paths are absolute, and real ones where they name a source. Raises OSError."""
    _mount(libc, "none", "/", None, _REC | _PRIVATE)
    _mount(libc, "tmpfs", root, "tmpfs", _NOSUID | _NODEV, "size=1m,mode=755")
    for source, name, writable in sorted(binds, key=lambda bind: bind[1].count("/")):
        _bind(libc, source, root + name, writable)
    _devices(libc, root, shared)
    os.makedirs(f"{root}/proc", exist_ok=True)
    # What can be set in /proc/sys asks for the user, not for capabilities: nothing can be set.
    flags = _NOSUID | _NODEV | _NOEXEC | _RDONLY
    proc = libc.mount(b"proc", f"{root}/proc".encode(), b"proc", ctypes.c_ulong(flags), None)
    if proc != 0:
        # Where a container hides parts of /proc the kernel gives no whole one: then none is shown.
        _mount(libc, "tmpfs", f"{root}/proc", "tmpfs", _NOSUID | _NODEV | _RDONLY, "size=4k")
    for name, target in links:
        _link(root + name, target)
    _mount(libc, "none", root, None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV)
    os.chdir(root)
    _checked(libc.syscall(_PIVOT_ROOT[os.uname().machine], b".", b"."), "pivot_root")
    _checked(libc.umount2(b".", _DETACH), "umount")
    os.chdir("/")


def _bind(libc: ctypes.CDLL, source: str, target: str, writable: bool) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    elif not os.path.lexists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o600))
    _mount(libc, source, target, None, _BIND | _REC)
    attributes = _ATTR_NOSUID | _ATTR_NODEV | (0 if writable else _ATTR_RDONLY)
    packed = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    done = libc.syscall(
        _MOUNT_SETATTR, _AT_FDCWD, target.encode(), _RECURSIVE, packed, ctypes.c_size_t(32)
    )
    _checked(done, f"mount_setattr {target}")


def _devices(libc: ctypes.CDLL, root: str, shared: int) -> None:
    os.makedirs(f"{root}/dev", exist_ok=True)
    for name in _DEVICES:
        os.close(os.open(f"{root}/dev/{name}", os.O_CREAT | os.O_WRONLY, 0o600))
        _mount(libc, f"/dev/{name}", f"{root}/dev/{name}", None, _BIND)
    for name, target in _LINKS:
        _link(f"{root}/dev/{name}", target)
    if shared:
        os.mkdir(f"{root}/dev/shm")
        _mount(libc, "tmpfs", f"{root}/dev/shm", "tmpfs", _NOSUID | _NODEV, f"size={shared}")


def _link(name: str, target: str) -> None:
    if not os.path.lexists(name):
        os.makedirs(os.path.dirname(name), exist_ok=True)
        os.symlink(target, name)


def _mount(
    libc: ctypes.CDLL, source: str, target: str, kind: str | None, flags: int, data: str = ""
) -> None:
    done = libc.mount(
        source.encode(), target.encode(), kind.encode() if kind else None, ctypes.c_ulong(flags),
        data.encode() or None,
    )  # fmt: skip
    _checked(done, f"mount {target}")


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
