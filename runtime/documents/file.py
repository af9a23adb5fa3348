"""A living document on disk: read as a whole, and replaced as a whole.

A change is a function from one document to another. It runs under a lock, on the file's text at
that moment, and touches only the bytes that it means to change: the byte-order mark, the ends of
lines and people's text stay. A reader sees the old text or the new one; a crash may leave a hidden
file beside it, which the next change removes.

    file = DocumentFile(place, "workflow_….md")
    file.change(lambda document: document.set("Status", "READY", step="step_1"))
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from flowc.compiler.plan import PlanDocument, PlanError, read_plan
from flowc.compiler.source.door import open_folder

from ..errors import Failure, reason_of
from ..files.roots import whole_file

MAX_BYTES = 10 * 1024 * 1024
_TRIES = 20
"""The number of times that a change begins, because somebody else saved the file meanwhile."""
_REMEDY = {
    errno.ENOSPC: "make room on the disk, then resume the run",
    errno.EDQUOT: "make room on the disk, then resume the run",
    errno.EROFS: "the document is changed in place: its folder has to be writable",
    errno.EACCES: "the document is changed in place: its folder has to be writable",
    errno.EPERM: "the document is changed in place: its folder has to be writable",
}

Change = Callable[[PlanDocument], PlanDocument]
Announce = Callable[[str, str], None]
"""Called with the text before and the text after a change, before the file is touched."""


class _Version(NamedTuple):
    """The file as it was read: its text, and its `stamp`, which another version does not have."""

    text: str
    mode: int
    owner: tuple[int, int]
    stamp: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A document at a place, the folder of which has its real name; `shown` is its name for people.
    What has become a link meanwhile, of the folders above it too, is not followed."""

    place: Path
    shown: str

    def read(self) -> PlanDocument:
        """Return the document as it is now. Raise `Failure`: it is missing, not a regular file,
        larger than 10 MiB, or not UTF-8."""
        with self._in_folder() as held:
            return held.read()

    def change(self, change: Change, announce: Announce = lambda before, after: None) -> str:
        """Change the document and return its new text; without a change the file is not touched.
        Raise `Failure`, of kind `refused` when `change` raises `PlanError`."""
        with self._in_folder() as held:
            return held.change(change, announce)

    def create(self, text: str, announce: Announce = lambda before, after: None) -> None:
        """Write a new document, with the mode 0644 under the process's mask. Raise `Failure` when
        it exists."""
        with self._in_folder() as held:
            held.create(text, announce)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let one process at a time into the block. Raise `Failure`."""
        with self._in_folder() as held, held.alone():
            yield

    def forget_alone(self) -> None:
        """Remove the file that a process left when it was killed while `alone`."""
        with self._in_folder() as held:
            held.forget_alone()

    @contextmanager
    def _in_folder(self) -> Iterator[_HeldDocument]:
        """Open the folder for as long as the block lasts."""
        try:
            folder = open_folder(self.place.anchor, self.place.parent.parts[1:])
        except OSError as error:
            if isinstance(error, FileNotFoundError):
                raise Failure(f"there is no folder for `{self.shown}`") from None
            message = f"the folder of `{self.shown}` cannot be opened: {reason_of(error)}"
            raise Failure(message, "refused", help="name it by its own path, no link") from None
        try:
            yield _HeldDocument(Path(f"/proc/self/fd/{folder}", self.place.name), self.shown)
        finally:
            os.close(folder)


@dataclass(frozen=True, slots=True)
class _HeldDocument:
    """The same in a folder that is open."""

    place: Path
    shown: str

    def read(self) -> PlanDocument:
        return read_plan(self._look().text)

    def change(self, change: Change, announce: Announce) -> str:
        with self._lock(0o600) as descriptor:
            for _ in range(_TRIES):
                version = self._look()
                try:
                    after = change(read_plan(version.text)).text
                except PlanError as refused:
                    raise Failure(f"{self.shown}: {refused}", "refused") from None
                if after == version.text:
                    return after
                self._check_size(len(_bytes_of(after)), "would become")
                announce(version.text, after)
                if self._replace(descriptor, version, after):
                    return after
        raise Failure(f"`{self.shown}` is being changed all the time by somebody else")

    def create(self, text: str, announce: Announce) -> None:
        with self._lock(0o666) as descriptor:
            if os.path.lexists(self.place):
                raise Failure(f"`{self.shown}` is there already")
            self._check_size(len(_bytes_of(text)), "would be")
            announce("", text)
            with self._failures():
                _fill(descriptor, text)
                os.replace(self._next, self.place)
                _sync_folder(self.place.parent)

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._lock(0o600):
            yield

    def forget_alone(self) -> None:
        if os.path.lexists(self._next):
            with suppress(Failure), self.alone():
                pass

    @property
    def _next(self) -> Path:
        """Return the place of the next text: one, so that a crash leaves one file at most."""
        return self.place.with_name(f".{self.place.name}.next")

    @contextmanager
    def _lock(self, mode: int) -> Iterator[int]:
        """Open the file for the next text, which one process has at a time."""
        with self._failures():
            descriptor = self._take_lock(mode)
        try:
            yield descriptor
        finally:
            if _is_same(descriptor, self._next):
                os.unlink(self._next)
            os.close(descriptor)

    def _take_lock(self, mode: int) -> int:
        while True:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            descriptor = os.open(self._next, flags, mode)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # The file may have become the document, or be gone, while this process waited.
            if _is_same(descriptor, self._next):
                if os.fstat(descriptor).st_nlink == 1:
                    return descriptor
                os.unlink(self._next)  # another name of a file, which would be written over
            os.close(descriptor)

    def _look(self) -> _Version:
        with self._failures():
            if self.place.is_symlink():
                raise Failure(
                    f"`{self.shown}` is a link, and would be replaced by a file",
                    "refused",
                    help="name the file that it leads to",
                )
            # Not blocking: a pipe must not hold the run.
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
            descriptor = os.open(self.place, flags)
            try:
                self._check_size(os.fstat(descriptor).st_size, "is")
                data, info = whole_file(descriptor, self.shown, MAX_BYTES)
            finally:
                os.close(descriptor)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Failure(
                f"`{self.shown}` is not UTF-8 text (byte {error.start})", help="save it as UTF-8"
            ) from None
        return _Version(text, stat.S_IMODE(info.st_mode), (info.st_uid, info.st_gid), _stamp(info))

    def _check_size(self, size: int, what: str) -> None:
        if size > MAX_BYTES:
            raise Failure(
                f"`{self.shown}` {what} larger than {MAX_BYTES // 2**20} MiB",
                help="shorten what its steps do not need: results, notes, lines of the log",
            )

    def _replace(self, descriptor: int, version: _Version, text: str) -> bool:
        """Put the new text in place, and return False when somebody saved the file meanwhile."""
        with self._failures():
            info = os.fstat(descriptor)
            if version.owner != (info.st_uid, info.st_gid):
                os.fchown(descriptor, *version.owner)
            os.fchmod(descriptor, version.mode)
            _fill(descriptor, text)
            if _stamp(os.stat(self.place, follow_symlinks=False)) != version.stamp:
                return False
            os.replace(self._next, self.place)
            _sync_folder(self.place.parent)
        return True

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise Failure(f"there is no document `{self.shown}`") from None
        except OSError as error:
            help = _REMEDY.get(error.errno or 0, "")
            message = f"`{self.shown}` cannot be changed: {reason_of(error)}"
            raise Failure(message, help=help) from None


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _fill(descriptor: int, text: str) -> None:
    """Write a text to the disk as the whole content of a file."""
    data = _bytes_of(text)
    os.ftruncate(descriptor, 0)
    view = memoryview(data)
    at = 0
    while at < len(data):
        at += os.pwrite(descriptor, view[at:], at)
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    """Write a folder to the disk, and so the new name of a file in it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _stamp(info: os.stat_result) -> tuple[int, int, int]:
    return (info.st_ino, info.st_size, info.st_mtime_ns)


def _is_same(descriptor: int, place: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(place, follow_symlinks=False))
    except FileNotFoundError:
        return False
