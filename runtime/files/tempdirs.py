"""Private folders among the machine's temporary files, and those that killed processes left there.

Whoever uses a folder holds a lock on it, on the folder itself: what runs inside finds no file that
it could remove. The kernel frees the lock when the process has died, however it did, and a later
process removes a folder whose lock is free.

    with make_room() as room:
        (room.folder / "notes").write_text("private")
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

PREFIX = "flowc-held-"
"""What the name of every private folder begins with."""
_SWEPT: set[str] = set()
"""The names for which this process has looked what others left."""


@dataclass(slots=True)
class Room:
    """A folder of our own, by its real name. `lock` is the descriptor that holds it, which ends
    with the process; it is not inherited by programs that are started."""

    folder: Path
    lock: int

    def remove(self) -> None:
        """Remove the folder with all that is in it, then let go of it. A second time does
        nothing."""
        if self.lock >= 0:
            try:
                remove_tree(self.folder)
            finally:
                os.close(self.lock)
                self.lock = -1

    def __enter__(self) -> Room:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()


def make_room(prefix: str = PREFIX) -> Room:
    """A new private folder (mode 0700), held. The first one of a process has those removed that
    others left. Raises OSError."""
    if prefix not in _SWEPT:
        _SWEPT.add(prefix)
        sweep([prefix])
    while True:
        folder = Path(os.path.realpath(tempfile.mkdtemp(prefix=prefix)))
        try:
            lock = _held(folder)
        except OSError:
            with contextlib.suppress(OSError):
                folder.rmdir()
            raise
        if lock is not None:
            return Room(folder, lock)


def left_behind(prefixes: Iterable[str] = (PREFIX,), parent: Path | None = None) -> list[Path]:
    """The folders of this user that nobody holds, among the temporary files or in `parent`."""
    found = []
    for folder in _candidates(tuple(prefixes), parent):
        lock = _free(folder)
        if lock is not None:
            os.close(lock)
            found.append(folder)
    return found


def sweep(prefixes: Iterable[str] = (PREFIX,), parent: Path | None = None) -> list[Path]:
    """Remove those, and tell which."""
    removed = []
    for folder in _candidates(tuple(prefixes), parent):
        lock = _free(folder)
        if lock is None:
            continue
        try:
            remove_tree(folder)
        finally:
            os.close(lock)
        if not folder.exists():
            removed.append(folder)
    return removed


def _candidates(prefixes: tuple[str, ...], parent: Path | None) -> list[Path]:
    """Folders of that name which are ours: of another user's nothing is said or done."""
    try:
        entries = sorted(os.scandir(parent or tempfile.gettempdir()), key=lambda entry: entry.name)
    except OSError:
        return []
    found = []
    for entry in entries:
        if not entry.name.startswith(prefixes):
            continue
        with contextlib.suppress(OSError):
            about = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(about.st_mode) and about.st_uid == os.geteuid():
                found.append(Path(entry.path))
    return found


def _held(folder: Path) -> int | None:
    """A descriptor that holds the folder; None when somebody else does, or it is not there any
    more: a sweep may have come between its making and its lock. Raises OSError."""
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    kept = False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        kept = os.path.samestat(os.fstat(lock), os.lstat(folder))
    except (BlockingIOError, FileNotFoundError):
        return None
    finally:
        if not kept:
            os.close(lock)
    return lock if kept else None


def _free(folder: Path) -> int | None:
    """The same for a folder of whoever; None too for one that cannot be opened or locked."""
    try:
        return _held(folder)
    except OSError:
        return None


def remove_tree(folder: Path) -> None:
    """Remove a folder, parts of which may have been made unreadable."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError:
        for place, _, _ in os.walk(folder):
            with contextlib.suppress(OSError):
                os.chmod(place, 0o700)
                for entry in os.scandir(place):
                    if entry.is_dir(follow_symlinks=False):
                        os.chmod(entry.path, 0o700)
        shutil.rmtree(folder, ignore_errors=True)
