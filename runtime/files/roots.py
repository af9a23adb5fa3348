"""The folders that a run may read and write, with all links resolved."""

from __future__ import annotations

import asyncio
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from ..errors import Failure
from .staging import replacing

MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Roots:
    """Relative paths start at `start`; their targets must lie below `start` or one of `granted`,
    links resolved (M22). Where it is `sealed`, there are no files at all."""

    start: Path
    granted: tuple[Path, ...] = ()
    sealed: bool = False

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
            place = (self.start / path).resolve()
        except (OSError, RuntimeError) as error:
            raise Failure(f"`{path}` leads nowhere: {error}", "refused") from None
        self._admit(place, path)
        return place

    def _admit(self, place: Path, path: str) -> None:
        if not any(place.is_relative_to(root.resolve()) for root in (self.start, *self.granted)):
            raise Failure(
                f"`{path}` lies outside the folders of this run",
                "refused",
                help="grant its folder with --root",
            )

    def show(self, place: Path) -> str:
        """Return a place as a person would write it: from the start folder, else in full."""
        start = self.start.resolve()
        return place.relative_to(start).as_posix() if place.is_relative_to(start) else str(place)

    def read_bytes(self, path: str) -> bytes:
        """Read a regular file of at most 16 MiB. Raise `Failure`."""
        place = self.locate(path)
        try:
            # Not blocking: a pipe must not hold the run.
            descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise _failure(path, error) from None
        try:
            # The path may have become a link since it was resolved.
            self._admit(Path(os.readlink(f"/proc/self/fd/{descriptor}")), path)
            return whole_file(descriptor, path, MAX_BYTES)[0]
        finally:
            os.close(descriptor)

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
        if os.path.isdir(place):
            raise Failure(f"`{path}` is a folder, not a file")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with replacing(place) as file:
                file.write(text.encode("utf-8", "replace"))
        except OSError as error:
            raise _failure(path, error) from None
        return place


@dataclass(frozen=True, slots=True)
class RootedFiles:
    """`services.Files`: the files of a workflow (M22). `base` is the workflow's file, and paths
    start at its folder, unless all of them are those of `only`."""

    roots: tuple[Path, ...] = ()
    only: Roots | None = None

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
        return self.only or Roots(Path(base).absolute().parent, self.roots)


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
    if isinstance(error, FileNotFoundError):
        return Failure(f"`{path}` does not exist")
    return Failure(f"`{path}`: {error.strerror or error}")
