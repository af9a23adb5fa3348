"""Landlock: which files a process and all it starts may open, and how. The kernel's own list of
what is allowed, from Linux 5.13; what its versions can do is in `HANDLED`."""

from __future__ import annotations

import ctypes
import os
import stat

from .privileges import check, check_identity

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
REMOVE_DIR, REMOVE_FILE, MAKE_CHAR, MAKE_DIR = 16, 32, 64, 128
MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK = 256, 512, 1024, 2048
MAKE_SYM, REFER, TRUNCATE, IOCTL_DEV = 4096, 8192, 16384, 32768

READ = READ_FILE | READ_DIR
RUN = READ | EXECUTE
FILE = READ_FILE | WRITE_FILE | TRUNCATE
"""One file: its content, nothing else."""
OWN = READ | FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG
"""A snippet's private folder: files and folders."""
WRITE = RUN | FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_FIFO | MAKE_SOCK | REFER
"""Everything below a folder, except devices and symbolic links."""

_ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_NET = 3
_SCOPES = 3
SIGNALS = 6
"""The version from which signals and abstract sockets stay inside."""


def rights_of(version: int) -> int:
    """Return the rights that a version of Landlock knows."""
    rights = 0x1FFF
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)):
        rights |= right if version >= since else 0
    return rights


def restrict(
    libc: ctypes.CDLL,
    rules: list[tuple[str, int]],
    held: dict[str, tuple[int, int]],
    network: bool,
) -> int:
    """Confine this thread to `rules` (path, rights); a missing path is left out. `held` has device
    and inode of paths that were granted. Return the version in force. Raise OSError when the kernel
    has no Landlock or refuses, and when something else has the name of what was granted."""
    version = check(libc.syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION))
    rights = rights_of(version)
    attributes = (ctypes.c_uint64 * 3)(rights, 0, 0)
    size = 8  # the kernel refuses a field that its version does not know
    if version >= 4:
        attributes[1] = 0 if network else _NET
        size = 16
    if version >= SIGNALS:
        attributes[2] = _SCOPES
        size = 24
    ruleset = check(libc.syscall(_CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), 0))
    try:
        for path, allowed in rules:
            _allow(libc, ruleset, path, allowed & rights, held.get(path))
        check(libc.syscall(_RESTRICT, ruleset, 0))
    finally:
        os.close(ruleset)
    return version


def _allow(
    libc: ctypes.CDLL, ruleset: int, path: str, rights: int, identity: tuple[int, int] | None
) -> None:
    try:
        target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        info = os.fstat(target)
        check_identity(info, identity, path)
        if not stat.S_ISDIR(info.st_mode):
            rights &= _ON_FILES
        rule = rights.to_bytes(8, "little") + target.to_bytes(4, "little")
        check(libc.syscall(_ADD, ruleset, _PATH_BENEATH, rule, 0))
    finally:
        os.close(target)
