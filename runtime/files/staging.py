"""New files that take their places in one step, and the removal of those that a kill left.

The writer of a file holds a lock on it, which ends with the process: a file without a lock was left
behind, and the next writer in that folder removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from flowc.compiler.source.door import open_folder

PREFIX = ".flowc-held-"


@contextmanager
def file_beside(place: Path) -> Iterator[Path]:
    """Yield an empty file in the folder of `place`, for `put_in_place`; remove it unless it was
    moved. The folder has its real name: no link is followed. Raise OSError."""
    folder = _folder_of(place)
    try:
        with _temporary(f"/proc/self/fd/{folder}") as (_, name):
            yield place.with_name(os.path.basename(name))
    finally:
        os.close(folder)


@contextmanager
def replacing(place: Path) -> Iterator[BinaryIO]:
    """Yield a file that replaces `place` when the block ends, and is on the disk then; after an
    error the old file stays. A link at `place` is replaced, not followed. The file gets the mode of
    the old one, else 0644. Raise OSError."""
    with _temporary(os.path.dirname(place)) as (number, name):
        # By its descriptor: its name could be made a link by others who write into the folder.
        with open(number, "wb", closefd=False) as file:
            yield file
        os.fchmod(number, _mode(place))
        os.fsync(number)
        os.replace(name, place)


def put_in_place(scratch: Path, place: Path) -> None:
    """Move a file in the folder of `place` there in one step; it gets the mode of the old file,
    else 0644. The folder has its real name: no link is followed. Raise OSError."""
    folder = _folder_of(place)
    try:
        here = Path(f"/proc/self/fd/{folder}")
        number = os.open(here / scratch.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.fchmod(number, _mode(here / place.name))
        finally:
            os.close(number)
        os.replace(here / scratch.name, here / place.name)
    finally:
        os.close(folder)


def _folder_of(place: Path) -> int:
    return open_folder(place.anchor, place.parent.parts[1:])


def hide_from_git(folder: Path) -> None:
    """Keep a folder out of version control, unless something says how already: nothing is written
    behind a link that lies there. Raise OSError."""
    with contextlib.suppress(FileExistsError), (folder / ".gitignore").open("x") as file:
        file.write("*\n")


def sweep(folder: str) -> None:
    """Remove the files of this kind without a lock, where that is possible."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.path for entry in entries if entry.name.startswith(PREFIX)]:
            with contextlib.suppress(OSError):
                _remove_unless_locked(name)


def _mode(place: Path) -> int:
    """Return the permissions of the file at the place, links not followed; 0644 without one."""
    try:
        mode = place.lstat().st_mode
    except FileNotFoundError:
        return 0o644
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else 0o644


@contextmanager
def _temporary(folder: str) -> Iterator[tuple[int, str]]:
    """Yield the descriptor and the name of an empty file; remove it unless it was moved."""
    folder = folder or os.curdir
    sweep(folder)
    number, name = _create(folder)
    try:
        yield number, name
    finally:
        if _is_there(number, name):
            os.unlink(name)
        os.close(number)


def _remove_unless_locked(name: str) -> None:
    number = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if stat.S_ISREG(os.fstat(number).st_mode):
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_there(number, name):
                os.unlink(name)
    finally:
        os.close(number)


def _create(folder: str) -> tuple[int, str]:
    while True:
        number, name = tempfile.mkstemp(prefix=PREFIX, dir=folder)
        # A file system without locks never sweeps anything.
        with contextlib.suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX)
        # A sweep may have removed the file before it was locked.
        if _is_there(number, name):
            return number, name
        os.close(number)


def _is_there(number: int, name: str) -> bool:
    try:
        return os.path.samestat(os.fstat(number), os.stat(name, follow_symlinks=False))
    except FileNotFoundError:
        return False
