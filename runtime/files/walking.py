"""The files below a folder of a run, one after another. Each folder is opened once, from its root
and without links below that, and its files from there: what is swapped meanwhile leads nowhere."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from flowc.compiler.source.door import open_file

from ..errors import Failure
from .roots import MAX_BYTES, Roots

MOST_FILES = 200_000
"""And as many folders."""
MOST_DEPTH = 200
NARROWER = "name a folder in it: `path`"
_HEAD = 8192
"""Bytes: a file with a NUL among its first ones is not text, however large it is."""


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """A regular file, or a link to one. `name` is that of the file in the folder `number`, which is
    open until the next file is asked for; `inner` the path from the start of the walk, "" of the
    start itself."""

    start: Path
    inner: str
    name: str
    number: int

    @property
    def place(self) -> Path:
        """Where it lies; of a link, the link."""
        return self.start / self.inner

    def text_bytes(self) -> bytes:
        """Return what a text file holds; nothing of one that cannot be read, is larger than 16 MiB
        or holds NUL characters."""
        try:
            number = open_file(self.name, self.number, follow=False)
        except (OSError, ValueError):
            return b""
        try:
            size = os.fstat(number).st_size
            data = b"" if size > MAX_BYTES else os.read(number, _HEAD)
            if b"\0" in data:
                return b""
            while len(data) <= MAX_BYTES and (more := os.read(number, size + 1)):
                data += more
            return data if len(data) <= MAX_BYTES else b""
        except OSError:
            return b""
        finally:
            os.close(number)


@dataclass(frozen=True, slots=True)
class Walk:
    """All files below `path`, in order of their paths. A link counts where it leads to a file in
    the roots. Folders by the names `skipped` are passed over, and real places that are `hidden`."""

    roots: Roots
    path: str
    skipped: frozenset[str]
    hidden: Callable[[Path], bool]

    def files(self) -> Iterator[WalkedFile]:
        """Yield them. Raise `Failure` where there is nothing, or too much."""
        start = self.roots.locate(self.path)
        info = self.roots.status(start)
        if info is None:
            raise Failure(f"`{self.path}` does not exist")
        if stat.S_ISREG(info.st_mode):
            with contextlib.suppress(OSError), self.roots.folder_at(start.parent) as number:
                yield WalkedFile(start, "", start.name, number)
            return
        left, room, more = [start], MOST_FILES, MOST_FILES
        while left:
            place = left.pop()
            if len(place.parts) - len(start.parts) > MOST_DEPTH:
                raise self._too_much(f"folders more than {MOST_DEPTH} deep")
            try:
                with self.roots.folder_at(place) as number:
                    folders, files = self._entries(number, room, more)
                    room, more = room - len(files), more - len(folders)
                    inner = "" if place == start else f"{place.relative_to(start)}/"
                    for name, is_link in files:
                        if not is_link:
                            yield WalkedFile(start, inner + name, name, number)
                        elif (target := self._target(place / name)) is not None:
                            with self.roots.folder_at(target.parent) as other:
                                yield WalkedFile(start, inner + name, target.name, other)
            except OSError:
                continue  # nobody may look into it, or it is gone
            below = (place / name for name in reversed(folders) if name not in self.skipped)
            left += (folder for folder in below if not self.hidden(folder))

    def _entries(
        self, number: int, most_files: int, most_folders: int
    ) -> tuple[list[str], list[tuple[str, bool]]]:
        """Return the names in an open folder, sorted: of folders, and of files, each with whether
        it is a link. Raise `Failure`, and OSError."""
        folders: list[str] = []
        files: list[tuple[str, bool]] = []
        with os.scandir(f"/proc/self/fd/{number}") as found:
            for entry in found:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                elif entry.is_file(follow_symlinks=False):
                    files.append((entry.name, False))
                elif entry.is_symlink():
                    files.append((entry.name, True))
                if len(files) > most_files or len(folders) > most_folders:
                    kind = "files" if len(files) > most_files else "folders"
                    raise self._too_much(f"more than {MOST_FILES:,} {kind}")
        return sorted(folders), sorted(files)

    def _target(self, link: Path) -> Path | None:
        """Return the file that a link leads to; None unless it is a tool's business."""
        try:
            target = self.roots.locate(str(link))
        except Failure:
            return None
        info = self.roots.status(target)
        is_file = info is not None and stat.S_ISREG(info.st_mode)
        return target if is_file and not self.hidden(target) else None

    def _too_much(self, what: str) -> Failure:
        return Failure(f"`{self.path}` holds {what}", help=NARROWER)
