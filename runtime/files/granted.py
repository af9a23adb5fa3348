"""Folders and files that were granted, each opened once. A name may lead elsewhere a moment later,
when another command swaps what lies there; what is open stays what it is. The launcher opens a name
again where it confines a program, and binds nothing but what has that device and inode.

Links above a granted folder are the person's. Below it none is followed: what lies there may have
been made by a command.
"""

from __future__ import annotations

import contextlib
import os
import stat
import weakref
from pathlib import Path

from flowc.compiler.source.door import open_folder

_MODE = 0o777
_FLAGS = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC


class LinkedFolder(OSError):
    """There is a link where none is followed."""


class GrantedPlace:
    """A folder or a file by its real name, held open as long as this lives: so its inode is nobody
    else's."""

    def __init__(self, path: Path, number: int) -> None:
        info = os.fstat(number)
        self.path = path
        self.number = number
        self.identity = (info.st_dev, info.st_ino)
        weakref.finalize(self, os.close, number)


def open_granted(folder: Path) -> GrantedPlace:
    """Open a folder that a person named. Raise OSError."""
    real = Path(os.path.realpath(folder))
    return GrantedPlace(real, os.open(real, _FLAGS | os.O_NOFOLLOW))


def open_granted_file(place: Path) -> GrantedPlace:
    """Open a file by its real name. Raise `LinkedFolder` where a link stands, and OSError."""
    folder = open_folder(place.anchor, place.parent.parts[1:])
    try:
        number = os.open(place.name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    finally:
        os.close(folder)
    if stat.S_ISLNK(os.fstat(number).st_mode):
        os.close(number)
        raise LinkedFolder(f"`{place}` is a link")
    return GrantedPlace(place, number)


def open_below(top: GrantedPlace, name: str) -> GrantedPlace:
    """Open the folder `name` below another one; what of it is missing is made. Raise ValueError for
    a name that leads out, `LinkedFolder` where a link is on the way, and OSError."""
    path = Path(os.path.normpath(top.path / name))
    number = os.dup(top.number)
    try:
        for part in path.relative_to(top.path).parts:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, _MODE, dir_fd=number)
            if stat.S_ISLNK(os.stat(part, dir_fd=number, follow_symlinks=False).st_mode):
                raise LinkedFolder(f"`{part}` is a link")
            below = os.open(part, _FLAGS | os.O_NOFOLLOW, dir_fd=number)
            os.close(number)
            number = below
        return GrantedPlace(path, number)
    except BaseException:
        os.close(number)
        raise
