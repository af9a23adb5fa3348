"""The birth of a store in a SQLite file: whole, or not at all.

A file that is made in its place can be found half made by the next command: with SQLite's rollback
journal beside it, or without a table. So it is made in a folder of its own, in WAL mode and with
its layout, closed (which leaves no log behind), and linked to its name. Of several processes that
make it at once one links first; the others use what is there. A rename would put an empty store in
the place of one that holds runs already.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import errno
import fcntl
import os
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import RunError, StoreFailed
from ..files.tempdirs import remove_tree
from .high_water import forget_all
from .sqlite import explain_errors
from .url import Location

_NO_LINKS = frozenset((errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS))
"""What systems of files say that have no hard links."""
_YOUNG = 60.0
"""Seconds."""


@asynccontextmanager
async def nursery(location: Location) -> AsyncIterator[Location | None]:
    """Give the place in which to make the store, which gets its name when the block ends; None
    where it is there already. Raise `RunError` when it cannot be made."""
    # In a thread: a server refuses to wait for a disk on its event loop.
    nest = await asyncio.to_thread(_nest, location)
    if nest is None:
        yield None
        return
    try:
        yield dataclasses.replace(location, path=nest.file)
        with explain_errors(location):
            await asyncio.to_thread(_put, nest, location.leases)
    except RunError as error:
        said = error.__cause__
        if isinstance(error, StoreFailed) or not isinstance(said, sqlite3.DatabaseError):
            raise
        # Nobody else has written to a file that is being made: this is its disk's doing.
        raise StoreFailed(
            f"the store {location.url} cannot be made: the disk is full or faulty ({said})",
            help="make room, or choose another place with `--store`",
        ) from error
    finally:
        await asyncio.to_thread(nest.remove)


@dataclass(frozen=True, slots=True)
class _Nest:
    """A folder beside the store, held by a lock that ends with the process."""

    folder: Path
    target: Path
    descriptor: int

    @property
    def file(self) -> Path:
        return self.folder / self.target.name

    def remove(self) -> None:
        remove_tree(self.folder)
        os.close(self.descriptor)


def _nest(location: Location) -> _Nest | None:
    path = location.path
    if path is None:
        return None
    prefix = f".{path.name}.new-"
    _sweep_all(path.parent, prefix)
    if path.exists():
        return None
    with explain_errors(location):
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=path.parent, prefix=prefix))
        descriptor = _open(folder)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return _Nest(folder, path, descriptor)


def _sweep_all(parent: Path, prefix: str) -> None:
    """Remove what processes left that were killed while they made the store: whichever opens it
    next looks, also where another one has made it meanwhile."""
    with contextlib.suppress(OSError):
        for name in os.listdir(parent):
            if name.startswith(prefix):
                _sweep(parent / name)


def _sweep(left: Path) -> None:
    """Remove a folder whose process is gone. A young one may not be held yet."""
    with contextlib.suppress(OSError):
        if abs(time.time() - left.lstat().st_mtime) < _YOUNG:
            return
        descriptor = _open(left)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_tree(left)
        finally:
            os.close(descriptor)


def _open(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _put(nest: _Nest, leases: Path | None) -> None:
    """Give the store its name. The numbers that lie there are of one that was deleted, unless
    another process was faster: then they are of its runs."""
    if not nest.target.exists():
        forget_all(leases)
        _link(nest.file, nest.target)


def _link(new: Path, path: Path) -> None:
    """Give the file its name, unless another process was faster."""
    try:
        os.link(new, path)
    except FileExistsError:
        return
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _move(new, path)


def _move(new: Path, path: Path) -> None:
    """Do the same without links: one process after another looks whether the name is free."""
    descriptor = _open(path.parent)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if not path.exists():
            new.rename(path)
    finally:
        os.close(descriptor)
