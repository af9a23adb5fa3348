"""A living document on disk: read as a whole, and replaced as a whole.

A change is a function from one document to another. It is made under a lock, on what the file holds
at that moment, and only the bytes that it means to change differ afterwards: the byte-order mark,
the ends of lines and whatever people wrote stay. A reader sees the old text or the new one; what a
crash may leave is a hidden file beside it, which the next change takes away.

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

from ..errors import Failure
from ..files.roots import whole_file

MAX_BYTES = 10 * 1024 * 1024
_TRIES = 20
"""How often a change begins anew because somebody else saved the file in the middle of it."""
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


class _Seen(NamedTuple):
    """The file as it was read: its text, and what tells whether it is still that file."""

    text: str
    mode: int
    owner: tuple[int, int]
    stamp: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A document at a place; `shown` is what people call it."""

    place: Path
    shown: str

    def read(self) -> PlanDocument:
        """The document as it is now. Raises `Failure`: it is not there, no regular file, larger
        than 10 MiB, or not UTF-8."""
        return read_plan(self._look().text)

    def change(self, change: Change, announce: Announce = lambda before, after: None) -> str:
        """Replace the document by what `change` makes of it and return its new text. Leave the
        file alone when nothing changes. Raise `Failure`; a `PlanError` of `change` becomes one of
        the kind `refused`."""
        with self._locked(0o600) as descriptor:
            for _ in range(_TRIES):
                seen = self._look()
                try:
                    after = change(read_plan(seen.text)).text
                except PlanError as refused:
                    raise Failure(f"{self.shown}: {refused}", "refused") from None
                if after == seen.text:
                    return after
                self._check_size(len(_bytes_of(after)), "would become")
                announce(seen.text, after)
                if self._replace(descriptor, seen, after):
                    return after
        raise Failure(f"`{self.shown}` is being changed all the time by somebody else")

    def create(self, text: str, announce: Announce = lambda before, after: None) -> None:
        """Write a document that is not there yet, with the mode 0644 under the process's mask.
        Raises `Failure` when it is there."""
        with self._locked(0o666) as descriptor:
            if os.path.lexists(self.place):
                raise Failure(f"`{self.shown}` is there already")
            self._check_size(len(_bytes_of(text)), "would be")
            announce("", text)
            with self._telling():
                _fill(descriptor, text)
                os.replace(self._next, self.place)
                _settle(self.place.parent)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One process at a time, whether there is a document or not. Raises `Failure`."""
        with self._locked(0o600):
            yield

    def forget_alone(self) -> None:
        """Remove what a process that was killed while `alone` left of that."""
        if os.path.lexists(self._next):
            with suppress(Failure), self.alone():
                pass

    @property
    def _next(self) -> Path:
        """Where the next text is put together; one place, so that a crash leaves one at most."""
        return self.place.with_name(f".{self.place.name}.next")

    @contextmanager
    def _locked(self, mode: int) -> Iterator[int]:
        """The open file for the next text, which one process has at a time. Becoming the document
        or going away ends the lock, so whoever waited for it looks for a new one."""
        with self._telling():
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
            if _is_same(descriptor, self._next):
                return descriptor
            os.close(descriptor)

    def _look(self) -> _Seen:
        with self._telling():
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
        return _Seen(text, stat.S_IMODE(info.st_mode), (info.st_uid, info.st_gid), _stamp(info))

    def _check_size(self, size: int, what: str) -> None:
        """Also before it is written: what nobody could read again must not take its place."""
        if size > MAX_BYTES:
            raise Failure(
                f"`{self.shown}` {what} larger than {MAX_BYTES // 2**20} MiB",
                help="shorten what its steps do not need: results, notes, lines of the log",
            )

    def _replace(self, descriptor: int, seen: _Seen, text: str) -> bool:
        """Whether the new text is in place; not when somebody has saved the file meanwhile."""
        with self._telling():
            info = os.fstat(descriptor)
            if seen.owner != (info.st_uid, info.st_gid):
                os.fchown(descriptor, *seen.owner)
            os.fchmod(descriptor, seen.mode)
            _fill(descriptor, text)
            if _stamp(os.stat(self.place, follow_symlinks=False)) != seen.stamp:
                return False
            os.replace(self._next, self.place)
            _settle(self.place.parent)
        return True

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            if self.place.parent.is_dir():
                raise Failure(f"there is no document `{self.shown}`") from None
            raise Failure(f"there is no folder for `{self.shown}`") from None
        except OSError as error:
            help = _REMEDY.get(error.errno or 0, "")
            what = (error.strerror or str(error)).lower()
            raise Failure(f"`{self.shown}` cannot be changed: {what}", help=help) from None


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _fill(descriptor: int, text: str) -> None:
    """Make a file hold a text and nothing else, on the disk."""
    data = _bytes_of(text)
    os.ftruncate(descriptor, 0)
    view = memoryview(data)
    at = 0
    while at < len(data):
        at += os.pwrite(descriptor, view[at:], at)
    os.fsync(descriptor)


def _settle(folder: Path) -> None:
    """A file's new name is on the disk when its folder is."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _stamp(info: os.stat_result) -> tuple[int, int, int]:
    return (info.st_ino, info.st_size, info.st_mtime_ns)


def _is_same(descriptor: int, place: Path) -> bool:
    try:
        there = os.stat(place, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(descriptor), there)
