"""Sources and spans: the compiler's only door to the disk.

A `Span` is a half-open range of character offsets in one file's decoded text. Lines and columns are
computed when somebody asks for them, both counted from 1, columns in characters.
"""

from __future__ import annotations

import bisect
import os
import stat
from dataclasses import field
from pathlib import Path

from .records import dataclass

MAX_BYTES = 64 * 1024 * 1024
"""Larger files are refused as unreadable (FC0001) instead of filling the memory."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters `start` to `end` (exclusive) of `file`; `start == end` is a position."""

    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spanned:
    """What may have been read from a file: where it stands there says nothing of what it means."""

    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file: `line` and `column`, both from 1."""

    line: int
    column: int


class Unreadable(Exception):
    """The file cannot be read as text; `reason` says why, in words for the user."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Source:
    """One file's text. Line ends stay as written; a byte-order mark is dropped."""

    path: str
    text: str
    _starts: list[int] = field(default_factory=list, compare=False, repr=False)

    def line_starts(self) -> list[int]:
        """Return the offset of each line's first character; computed once."""
        if not self._starts:
            self._starts.append(0)
            find, at = self.text.find, 0
            while (at := find("\n", at) + 1) > 0:
                self._starts.append(at)
        return self._starts

    def position(self, offset: int) -> Position:
        """Return the line and column of an offset, clamped to the text."""
        offset = max(0, min(offset, len(self.text)))
        starts = self.line_starts()
        line = bisect.bisect_right(starts, offset)
        return Position(line, offset - starts[line - 1] + 1)

    def line_text(self, line: int) -> str:
        """Return a line (from 1) without its line end; "" when there is no such line."""
        starts = self.line_starts()
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].rstrip("\r\n")

    def span(self, start: int, end: int | None = None) -> Span:
        """Return a span of this file; `end` defaults to `start` (a position)."""
        return Span(self.path, start, start if end is None else end)


@dataclass(slots=True)
class SourceSet:
    """Every file that one compilation has read, by the path under which it is shown.

    `overrides` maps paths to texts that stand in for the disk (editors, tests, standard input).
    """

    overrides: dict[str, str] = field(default_factory=dict)
    files: dict[str, Source] = field(default_factory=dict)

    def add(self, source: Source) -> Source:
        self.files[source.path] = source
        return source

    def read(self, path: str) -> Source:
        """Read a file once. Raise `Unreadable`: missing, a folder, not UTF-8, too large."""
        path = os.path.normpath(path)
        if path in self.files:
            return self.files[path]
        if path in self.overrides:
            return self.add(Source(path, self.overrides[path]))
        return self.add(Source(path, read_text(path)))

    def get(self, path: str) -> Source | None:
        return self.files.get(path)

    def text_at(self, span: Span | None) -> str:
        """Return the text of a place; "" where it is not known."""
        source = self.get(span.file) if span else None
        return source.text[span.start : span.end] if span and source else ""


def read_text(path: str) -> str:
    """Decode a UTF-8 file, byte-order mark dropped. Raise `Unreadable`."""
    file = Path(path)
    try:
        if file.is_dir():
            raise Unreadable(path, "is a folder, not a file")
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            # A pipe without a writer would hold the compiler, a device would fill the memory.
            raise Unreadable(path, "is a pipe or a device, not a file (`-` reads standard input)")
        if status.st_size > MAX_BYTES:
            raise Unreadable(path, f"is larger than {MAX_BYTES // 2**20} MiB")
        data = file.read_bytes()
    except FileNotFoundError:
        raise Unreadable(path, "not found") from None
    except PermissionError:
        raise Unreadable(path, "may not be read (permission denied)") from None
    except (OSError, ValueError) as error:
        raise Unreadable(path, f"cannot be read ({error})") from None
    return decode(path, data)


def decode(path: str, data: bytes) -> str:
    """Decode UTF-8 bytes. Raise `Unreadable` naming the first bad byte and its line."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            path, f"is not UTF-8 (byte 0x{data[error.start]:02x} in line {line})"
        ) from None
    return text.removeprefix("\ufeff")
