"""Private folders among the machine's temporary files, and the removal of those that a kill left.

The user of a folder holds a lock on the folder itself, so that programs inside find no file to
remove. The kernel frees the lock when the process dies, and a later process removes the folder.

    with make_room() as room:
        (room.folder / "notes").write_text("private")
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

PREFIX = "flowc-held-"
"""The prefix of the names of private folders."""
_SWEPT: set[tuple[str, str]] = set()
"""The folders and prefixes that this process has swept."""


@dataclass(slots=True)
class Room:
    """A private folder, by its real name. `lock` is the descriptor that locks it, which ends with
    the process and which child processes do not inherit."""

    folder: Path
    lock: int

    def remove(self) -> None:
        """Remove the folder with all its files, then free its lock. A second call does nothing."""
        if self.lock >= 0:
            try:
                remove_tree(self.folder)
            finally:
                os.close(self.lock)
                self.lock = -1

    def __enter__(self) -> Room:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def make_room(prefix: str = PREFIX) -> Room:
    """Create a private folder (mode 0700) with a lock. The first one of a process sweeps those that
    others left. Raise OSError."""
    place = (tempfile.gettempdir(), prefix)
    if place not in _SWEPT:
        _SWEPT.add(place)
        sweep([prefix])
    while True:
        folder = Path(os.path.realpath(tempfile.mkdtemp(prefix=prefix)))
        try:
            lock = _lock(folder)
        except OSError:
            with contextlib.suppress(OSError):
                folder.rmdir()
            raise
        if lock is not None:
            return Room(folder, lock)


def left_behind(prefixes: Iterable[str] = (PREFIX,), parent: Path | None = None) -> list[Path]:
    """Return this user's folders without a lock, among the temporary files or in `parent`."""
    return list(_free_folders(tuple(prefixes), parent))


def sweep(prefixes: Iterable[str] = (PREFIX,), parent: Path | None = None) -> list[Path]:
    """Remove those folders, and return them."""
    removed = []
    for folder in _free_folders(tuple(prefixes), parent):
        remove_tree(folder)
        if not folder.exists():
            removed.append(folder)
    return removed


def _free_folders(prefixes: tuple[str, ...], parent: Path | None) -> Iterator[Path]:
    """Yield this user's folders with such a name that nobody else has locked, in order, each locked
    until the next one is asked for."""
    try:
        entries = sorted(os.scandir(parent or tempfile.gettempdir()), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        lock = _try_lock(entry) if entry.name.startswith(prefixes) else None
        if lock is not None:
            try:
                yield Path(entry.path)
            finally:
                os.close(lock)


def _lock(folder: Path) -> int | None:
    """Lock the folder and return the descriptor; None when another process has the lock, or a sweep
    has removed the folder. Raise OSError."""
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    locked = False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        locked = os.path.samestat(os.fstat(lock), os.lstat(folder))
    except (BlockingIOError, FileNotFoundError):
        return None
    finally:
        if not locked:
            os.close(lock)
    return lock if locked else None


def _try_lock(entry: os.DirEntry[str]) -> int | None:
    """Lock a folder of this user and return the descriptor, or None when that is not possible."""
    try:
        info = entry.stat(follow_symlinks=False)
        own = stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid()
        return _lock(Path(entry.path)) if own else None
    except OSError:
        return None


def remove_tree(folder: Path | str, within: int | None = None) -> None:
    """Remove a folder, which lies in an open one if that is given: with unreadable parts, and
    however deep it is. No link is followed. What cannot be removed stays."""
    with contextlib.suppress(OSError):
        number = _open_own(folder, within)
        try:
            _empty(number)
        finally:
            os.close(number)
        os.rmdir(folder, dir_fd=within)


def _empty(top: int) -> None:
    """Remove what lies in a folder. The folders in its folders are moved up into it first: so their
    depth needs neither open files nor the stack."""
    left, moved = os.listdir(top), count()
    while left:
        name = left.pop()
        with contextlib.suppress(OSError):
            if _unlink(name, top):
                continue
            folder = _open_own(name, top)
            try:
                for inner in os.listdir(folder):
                    with contextlib.suppress(OSError):
                        if not _unlink(inner, folder):
                            os.close(_open_own(inner, folder))
                            place = f"{PREFIX}{os.getpid()}-{next(moved)}"
                            os.rename(inner, place, src_dir_fd=folder, dst_dir_fd=top)
                            left.append(place)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)


def _unlink(name: str, folder: int) -> bool:
    """Remove anything but a folder; return whether that is what it was."""
    try:
        os.unlink(name, dir_fd=folder)
    except (IsADirectoryError, PermissionError):
        return False
    return True


def _open_own(name: Path | str, within: int | None) -> int:
    """Open a folder that is to be emptied, which it may have to allow first."""
    flags = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    held = os.open(name, flags | os.O_PATH, dir_fd=within)
    try:
        with contextlib.suppress(OSError):
            os.chmod(f"/proc/self/fd/{held}", 0o700)
        return os.open(".", flags | os.O_RDONLY, dir_fd=held)
    finally:
        os.close(held)
