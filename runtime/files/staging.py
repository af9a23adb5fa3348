"""Files that are being put together beside their places, and what is left of them after a kill.

Whoever writes one holds a lock on it, which ends with the process: a file that nobody holds was
left behind, and the next to write into that folder takes it away.
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

PREFIX = ".flowc-held-"


@contextmanager
def held_beside(place: Path) -> Iterator[Path]:
    """An empty file in the folder of what `place` leads to, to be filled and moved there with
    `put_in_place`; one that was not moved is removed. Raises OSError."""
    with _held(os.path.dirname(os.path.realpath(place))) as (_, name):
        yield Path(name)


@contextmanager
def replacing(place: Path) -> Iterator[BinaryIO]:
    """A file to write to, which stands at `place` when the block ends and is kept on the disk; when
    it fails, what was there stays. A link at `place` is replaced, not followed. It gets the mode of
    the file that was there, else 0644. Raises OSError."""
    with _held(os.path.dirname(place)) as (number, name):
        # By its descriptor: its name could be made a link by others who write into the folder.
        with open(number, "wb", closefd=False) as file:
            yield file
        os.fchmod(number, _mode(place))
        os.fsync(number)
        os.replace(name, place)


def put_in_place(scratch: Path, place: Path) -> None:
    """Move a file to where `place` leads, at once; it gets the mode of what was there, else 0644.
    Raises OSError."""
    real = Path(os.path.realpath(place))
    os.chmod(scratch, _mode(real))
    os.replace(scratch, real)


def sweep(folder: str) -> None:
    """Remove the files of this kind that nobody holds; what cannot be told or removed stays."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.path for entry in entries if entry.name.startswith(PREFIX)]:
            with contextlib.suppress(OSError):
                _remove_unless_held(name)


def _mode(place: Path) -> int:
    """The permissions of the file at the place, which is not followed; 0644 without one."""
    try:
        found = place.lstat().st_mode
    except FileNotFoundError:
        return 0o644
    return stat.S_IMODE(found) if stat.S_ISREG(found) else 0o644


@contextmanager
def _held(folder: str) -> Iterator[tuple[int, str]]:
    """An empty file, removed at the end unless it was moved: its descriptor and its name."""
    folder = folder or os.curdir
    sweep(folder)
    number, name = _made(folder)
    try:
        yield number, name
    finally:
        if _is_there(number, name):
            os.unlink(name)
        os.close(number)


def _remove_unless_held(name: str) -> None:
    """Whoever makes one looks whether it is there still when they have the lock."""
    number = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if stat.S_ISREG(os.fstat(number).st_mode):
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_there(number, name):
                os.unlink(name)
    finally:
        os.close(number)


def _made(folder: str) -> tuple[int, str]:
    while True:
        number, name = tempfile.mkstemp(prefix=PREFIX, dir=folder)
        # Where there are no locks, nobody can have one, and nothing is ever swept.
        with contextlib.suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX)
        if _is_there(number, name):
            return number, name
        os.close(number)


def _is_there(number: int, name: str) -> bool:
    try:
        return os.path.samestat(os.fstat(number), os.stat(name, follow_symlinks=False))
    except FileNotFoundError:
        return False
