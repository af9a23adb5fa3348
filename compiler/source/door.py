"""The door to the disk. What is opened is a regular file of a bounded size, or a folder.

Nothing waits for a pipe and no device is touched. Where a path must lie below a folder, its links
are resolved first; then it is opened from that folder, name by name, and no link is followed any
more: what was swapped in between is refused.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator

_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_MODE = 0o777
_PIECE = 1 << 20


class OutsideFolder(OSError):
    """A path leads out of the folder that it must lie below."""


class NotRegular(OSError):
    """A pipe, a socket or a device stands where a file should."""


class TooLarge(OSError):
    """A file has more bytes than are wanted of it."""


def read_file(path: str | os.PathLike[str], most: int, below: str | None = None) -> bytes:
    """Return the bytes of a file, at most `most`; `below` is the folder that it must lie in, links
    resolved. Raise `OutsideFolder`, `NotRegular`, `TooLarge` or another OSError, and ValueError for
    a path with a NUL character."""
    number = open_file(path) if below is None else _open_inside(path, below)
    try:
        return read_whole(number, most)
    except TooLarge as error:
        error.filename = os.fspath(path)
        raise
    finally:
        os.close(number)


def digest_of_file(path: str | os.PathLike[str], most: int) -> tuple[str, int]:
    """Return the SHA-256 (hex) of a file of at most `most` bytes, and how many it has. Raise as
    `read_file` does."""
    number = open_file(path)
    with open(number, "rb", buffering=0) as file:
        made, size = hashlib.sha256(), 0
        while piece := file.read(_PIECE):
            size += len(piece)
            if max(size, os.fstat(number).st_size) > most:
                raise TooLarge(errno.EFBIG, f"larger than {most} bytes", os.fspath(path))
            made.update(piece)
        return made.hexdigest(), size


def read_whole(number: int, most: int) -> bytes:
    """Return the bytes of an open file. Raise `TooLarge` and another OSError."""
    with open(number, "rb", closefd=False) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise TooLarge(errno.EFBIG, f"larger than {most} bytes")
    return data


def open_file(
    name: str | os.PathLike[str], folder: int | None = None, *, follow: bool = True
) -> int:
    """Open a regular file, in an open folder or not. Raise `NotRegular`, IsADirectoryError and
    another OSError, and ValueError."""
    # By its status first: opening a device can act on it.
    _require_regular(name, os.stat(name, dir_fd=folder, follow_symlinks=follow))
    number = os.open(name, _FILE | os.O_NOFOLLOW * (not follow), dir_fd=folder)
    try:
        _require_regular(name, os.fstat(number))
    except BaseException:
        os.close(number)
        raise
    return number


def open_folder(
    name: str | os.PathLike[str], parts: Iterable[str] = (), *, make: bool = False
) -> int:
    """Open a folder by its real name, or the one that `open_below` finds from it. Raise OSError."""
    number = os.open(name, _FOLDER | os.O_NOFOLLOW)
    try:
        return open_below(number, parts, make=make)
    finally:
        os.close(number)


def open_below(folder: int, parts: Iterable[str], *, make: bool = False) -> int:
    """Open the folder below an open one to which the names lead, no link followed; what of it is
    missing is made, if it is to be. Raise OSError."""
    number = os.dup(folder)
    try:
        for part in parts:
            below = _open_part(number, part, make=make)
            os.close(number)
            number = below
    except BaseException:
        os.close(number)
        raise
    return number


def walk(
    folder: str | os.PathLike[str], *, follow: bool = False
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each folder from the top with the names of its folders and of its files, as `os.walk`
    does, which ends with a fault where folders lie a thousand deep."""
    left = [os.fspath(folder)]
    while left:
        place = left.pop()
        folders: list[str] = []
        names: list[str] = []
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    (folders if _is_folder(entry) else names).append(entry.name)
        except OSError:
            continue  # nobody may look into it, or it is gone
        yield place, folders, names
        below = (os.path.join(place, name) for name in reversed(folders))
        left += (path for path in below if follow or not os.path.islink(path))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def lies_in(real: str, folder: str) -> bool:
    """Tell whether a path is a folder or lies below it; both are real."""
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)


def _open_part(folder: int, part: str, *, make: bool) -> int:
    try:
        return os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    with contextlib.suppress(FileExistsError):  # made by somebody else: opened like any other
        os.mkdir(part, _MODE, dir_fd=folder)
    return os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)


def _open_inside(path: str | os.PathLike[str], below: str) -> int:
    real, top = os.path.realpath(path), os.path.realpath(below)
    if not lies_in(real, top):
        raise OutsideFolder(f"{path} lies outside {below}")
    *folders, name = os.path.relpath(real, top).split(os.sep)
    number = open_folder(top, folders)
    try:
        return open_file(name, number, follow=False)
    finally:
        os.close(number)


def _require_regular(name: str | os.PathLike[str], info: os.stat_result) -> None:
    if stat.S_ISDIR(info.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(name))
    if not stat.S_ISREG(info.st_mode):
        raise NotRegular(errno.EINVAL, "not a regular file", os.fspath(name))
