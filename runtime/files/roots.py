"""The folders that a run may read and write: its door to files, on top of the compiler's.

Each folder is opened once. What a path leads to is found out by name, links resolved, and must lie
in one of them; then it is opened from there, and no link is followed any more. So a folder that
another process swaps for a link meanwhile leads nowhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from flowc.compiler.source.door import (
    NotRegular,
    TooLarge,
    open_below,
    open_file,
    read_whole,
)

from ..errors import Failure
from .granted import GrantedPlace, open_granted
from .staging import replacing

MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Roots:
    """Relative paths start at `start`; their targets must lie below `start` or one of `granted`,
    links resolved (M22). Where it is `sealed`, there are no files at all; where it stands
    `alone`, what lies around it is somebody else's."""

    start: Path
    granted: tuple[Path, ...] = ()
    sealed: bool = False
    alone: bool = False
    _opened: dict[Path, GrantedPlace] = field(default_factory=dict, init=False, compare=False)

    def __post_init__(self) -> None:
        for root in () if self.sealed else (self.start, *self.granted):
            self._open(root)

    def locate(self, path: str) -> Path:
        """Return the target of a path, which need not exist. Raise `Failure` (refused) outside."""
        if self.sealed:
            raise Failure(
                f"`{path}` is a file of this machine, and the workflow came by a request",
                "refused",
                help="whoever runs the service can give its team a folder",
            )
        if "\0" in path or not path:
            raise Failure("a path is empty or holds a NUL character", "refused")
        try:
            place = (self._real(self.start) / path).resolve()
        except (OSError, RuntimeError) as error:
            raise Failure(f"`{path}` leads nowhere: {error}", "refused") from None
        if self.around(place) is None:
            raise Failure(
                f"`{path}` lies outside the folders of this run",
                "refused",
                help="grant its folder with --root",
            )
        return place

    def tops(self) -> tuple[Path, ...]:
        """Return the roots by their real names."""
        return tuple(self._real(root) for root in (self.start, *self.granted))

    def folders(self) -> tuple[GrantedPlace, ...]:
        """Return the roots that are there, as they were opened, the start folder first. Raise
        `Failure` where that is missing."""
        start, *others = (self._open(root) for root in (self.start, *self.granted))
        if start is None:
            raise Failure(f"the folder {self.start} is not there")
        return (start, *(folder for folder in others if folder is not None))

    def around(self, place: Path) -> Path | None:
        """Return the root that a real place lies in, as it was named; None outside of all."""
        roots = (self.start, *self.granted)
        return next((root for root in roots if place.is_relative_to(self._real(root))), None)

    def show(self, place: Path) -> str:
        """Return a place as a person would write it: from the start folder, else in full."""
        start = self._real(self.start)
        return place.relative_to(start).as_posix() if place.is_relative_to(start) else str(place)

    def status(self, place: Path) -> os.stat_result | None:
        """Return the status of a located place, no link followed; None where nothing is there."""
        try:
            with self.folder_at(place.parent if self._is_below(place) else place) as number:
                name = place.name if self._is_below(place) else f"/proc/self/fd/{number}/"
                return os.stat(name, dir_fd=number, follow_symlinks=False)
        except OSError:
            return None

    def read_bytes(self, path: str) -> bytes:
        """Read a regular file of at most 16 MiB. Raise `Failure`."""
        place = self.locate(path)
        try:
            if not self._is_below(place):
                raise IsADirectoryError
            with self.folder_at(place.parent) as folder:
                number = open_file(place.name, folder, follow=False)
            try:
                return read_whole(number, MAX_BYTES)
            finally:
                os.close(number)
        except OSError as error:
            raise _failure(path, error) from None

    def read_text(self, path: str) -> str:
        """Read the same as text. Raise `Failure` when it is not UTF-8."""
        data = self.read_bytes(path)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise Failure(f"`{path}` is not UTF-8 text (byte {error.start})") from None

    def write_text(self, path: str, text: str) -> Path:
        """Replace a file in one step, and create its folders: a reader sees the old text or the new
        one. Raise `Failure`."""
        place = self.locate(path)
        try:
            if not self._is_below(place):
                raise IsADirectoryError
            with self.folder_at(place.parent, make=True) as folder:
                inner = Path(f"/proc/self/fd/{folder}", place.name)
                if os.path.isdir(inner):
                    raise IsADirectoryError
                with replacing(inner) as file:
                    file.write(text.encode("utf-8", "replace"))
        except OSError as error:
            raise _failure(path, error) from None
        return place

    def remove(self, path: str) -> None:
        """Remove a file, where there is one. Raise `Failure`."""
        place = self.locate(path)
        try:
            if not self._is_below(place):
                raise IsADirectoryError
            with contextlib.suppress(FileNotFoundError), self.folder_at(place.parent) as folder:
                os.unlink(place.name, dir_fd=folder)
        except OSError as error:
            raise _failure(path, error) from None

    def _open(self, root: Path, *, make: bool = False) -> GrantedPlace | None:
        """Open a root where that was not done before; None while it is not there."""
        if root not in self._opened:
            try:
                if make:
                    root.mkdir(parents=True, exist_ok=True)
                self._opened[root] = open_granted(root)
            except OSError:
                return None
        return self._opened[root]

    def _real(self, root: Path) -> Path:
        opened = self._opened.get(root)
        return Path(os.path.realpath(root)) if opened is None else opened.path

    def _is_below(self, place: Path) -> bool:
        root = self.around(place)
        return root is not None and place != self._real(root)

    @contextmanager
    def folder_at(self, place: Path, *, make: bool = False) -> Iterator[int]:
        """Yield the descriptor of a folder at a located place. Raise OSError."""
        root = self.around(place)
        top = None if root is None else self._open(root, make=make)
        if top is None:
            raise FileNotFoundError
        number = open_below(top.number, place.relative_to(top.path).parts, make=make)
        try:
            yield number
        finally:
            os.close(number)


@dataclass(frozen=True, slots=True)
class RootedFiles:
    """`services.Files`: the files of a workflow (M22). `base` is the workflow's file, and paths
    start at its folder, unless all of them are those of `only`. The folders of the files `bases`
    are opened at once: later, what the run started may have made one of them a link."""

    roots: tuple[Path, ...] = ()
    only: Roots | None = None
    bases: tuple[str, ...] = ()
    _opened: dict[Path, Roots] = field(default_factory=dict, init=False, compare=False)

    def __post_init__(self) -> None:
        for base in self.bases:
            self._of(base)

    def read(self, path: str, base: str) -> str:
        """Return the text of a file. Raise `Failure`: refused outside the roots."""
        return self._of(base).read_text(path)

    async def write(self, path: str, text: str, base: str) -> str:
        """Replace a file's text; return its path from the workflow's folder. Raise `Failure`."""
        return await asyncio.to_thread(self._write, path, text, base)

    def _write(self, path: str, text: str, base: str) -> str:
        roots = self._of(base)
        return roots.show(roots.write_text(path, text))

    def _of(self, base: str) -> Roots:
        folder = Path(base).absolute().parent
        if self.only is None and folder not in self._opened:
            self._opened[folder] = Roots(folder, self.roots)
        return self.only or self._opened[folder]


def whole_file(descriptor: int, shown: str, most: int) -> tuple[bytes, os.stat_result]:
    """Read an open regular file of at most `most` bytes, and its status. Raise `Failure`."""
    info = os.fstat(descriptor)
    if stat.S_ISDIR(info.st_mode):
        raise Failure(f"`{shown}` is a folder, not a file")
    if not stat.S_ISREG(info.st_mode):
        raise Failure(f"`{shown}` is not a regular file", "refused")
    with open(descriptor, "rb", closefd=False) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise Failure(f"`{shown}` is larger than {most // 2**20} MiB")
    return data, info


def _failure(path: str, error: OSError) -> Failure:
    match error:
        case FileNotFoundError():
            return Failure(f"`{path}` does not exist")
        case IsADirectoryError():
            return Failure(f"`{path}` is a folder, not a file")
        case NotRegular():
            return Failure(f"`{path}` is not a regular file", "refused")
        case TooLarge():
            return Failure(f"`{path}` is larger than {MAX_BYTES // 2**20} MiB")
    return Failure(f"`{path}`: {error.strerror or error}")
