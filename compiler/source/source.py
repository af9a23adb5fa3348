"""Sources and spans: the compiler's only door to the disk.

A `Span` is a half-open range of character offsets in one file's decoded text. Lines and columns are
computed when somebody asks for them, both counted from 1, columns in characters.
"""

from __future__ import annotations

import bisect
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import field

from .door import NotRegular, OutsideFolder, TooLarge, lies_in, read_file
from .records import dataclass

MAX_BYTES = 64 * 1024 * 1024
"""Larger files are refused as unreadable (FC0001) instead of filling the memory."""
NOT_FOUND = "not found"


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
    """The file cannot be read as text; `reason` says why, in words for the user, and `help` what
    they can do about it, where that is not the same for every file."""

    def __init__(self, path: str, reason: str, help: str = "") -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason
        self.help = help


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


Grants = Mapping[str, str] | None


@dataclass(slots=True)
class SourceSet:
    """Every file that one compilation has read, by the path under which it is shown.

    `overrides` maps paths to texts that stand in for the disk (editors, tests, standard input).
    `entry` is the file that a person named. What it names in turn lies in its folder, links
    resolved, or is `granted`: files by their real paths, with the SHA-256 (hex) of the bytes that a
    person saw, or None for all files; where that is a function, it is asked when the first such
    file is named. Those that were read are `outside`. `missing` are those that could not be read,
    with the reason, and the names that were looked for in vain; `listed` the folders whose names
    were asked for: what a compilation found holds as long as all of it stays.
    """

    overrides: dict[str, str] = field(default_factory=dict)
    files: dict[str, Source] = field(default_factory=dict)
    granted: Grants | Callable[[], Grants] = field(default_factory=dict)
    entry: str | None = None
    outside: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)

    def add(self, source: Source) -> Source:
        self.files[source.path] = source
        return source

    def begin(self, path: str) -> Source:
        """Read the file that a person named, wherever it lies; a link that leads out of its own
        folder is the folder's word and not the person's. Raise `Unreadable`."""
        self.entry = path
        return self.read(path, below=os.path.dirname(path) or os.curdir)

    def read(self, path: str, *, below: str | None = None) -> Source:
        """Read a file once. Raise `Unreadable`: missing, a folder, not UTF-8, too large, or neither
        granted nor `below` a folder, which is the entry's where none is named."""
        path = os.path.normpath(path)
        if path in self.files:
            return self.files[path]
        if below is None:
            below = os.sep if self.entry is None else os.path.dirname(self.entry) or os.curdir
        try:
            return self.add(Source(path, self._text(path, below)))
        except Unreadable as error:
            self.missing[path] = error.reason
            raise

    def exists(self, path: str) -> bool:
        """Tell whether anything has this name."""
        found = os.path.exists(path)
        if not found:
            self.missing[path] = NOT_FOUND
        return found

    def lacks(self, path: str) -> bool:
        """Tell whether nothing has this name, without a look at where it lies. What cannot be found
        out is still there: whoever opens it gets the reason."""
        path = os.path.normpath(path)
        if path in self.overrides or path in self.files:
            return False
        try:
            os.lstat(path)
        except FileNotFoundError:
            self.missing[path] = NOT_FOUND
            return True
        except (OSError, ValueError):
            return False
        return False

    def names_in(self, folder: str, most: int) -> list[str]:
        """Return the first names of files in a folder, sorted; none where it cannot be listed."""
        self.listed.add(folder)
        try:
            names = sorted(os.listdir(folder or os.curdir))[:most]
        except OSError:
            return []
        return [name for name in names if os.path.isfile(os.path.join(folder, name))]

    def _text(self, path: str, below: str) -> str:
        if not lies_in(_real(path), _real(below)):
            return self._read_granted(path)
        if path in self.overrides:
            return self.overrides[path]
        return decode(path, _read_bytes(path, below))

    def _read_granted(self, path: str) -> str:
        """Return the text of a file outside of the entry's folder. What is not granted is not
        opened, nor is it said whether it is there."""
        real = _real(path)
        granted = self.granted() if callable(self.granted) else self.granted
        self.granted = granted
        known = None if granted is None else granted.get(real)
        if granted is not None and known is None:
            raise self._refusal(path, "and nobody granted it")
        data = _read_bytes(real, os.sep)
        digest = hashlib.sha256(data).hexdigest()
        if known not in (None, digest):
            raise self._refusal(path, "and is not what was granted any more")
        self.outside[real] = digest
        return self.overrides[path] if path in self.overrides else decode(path, data)

    def _refusal(self, path: str, why: str) -> Unreadable:
        help = f"flowc trust {self.entry}: shows it and asks"
        is_entry = self.entry is not None and path == os.path.normpath(self.entry)
        where = "is a link out of its folder" if is_entry else "lies outside the workflow's folder"
        return Unreadable(path, f"{where}, {why}", help)

    def get(self, path: str) -> Source | None:
        return self.files.get(path)

    def text_at(self, span: Span | None) -> str:
        """Return the text of a place; "" where it is not known."""
        source = self.get(span.file) if span else None
        return source.text[span.start : span.end] if span and source else ""


def read_text(path: str) -> str:
    """Decode a UTF-8 file, byte-order mark dropped. Raise `Unreadable`."""
    return decode(path, _read_bytes(path, os.sep))


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        # No file has such a name, or it was swapped just now: opening it finds that out.
        return os.path.abspath(path)


def _read_bytes(path: str, below: str) -> bytes:
    try:
        return read_file(path, MAX_BYTES, None if below == os.sep else below)
    except FileNotFoundError:
        reason = NOT_FOUND
    except IsADirectoryError:
        reason = "is a folder, not a file"
    except NotRegular:
        reason = "is a pipe or a device, not a file (`-` reads standard input)"
    except TooLarge:
        reason = f"is larger than {MAX_BYTES // 2**20} MiB"
    except PermissionError:
        reason = "may not be read (permission denied)"
    except OutsideFolder:
        reason = "became a link while it was read"
    except (OSError, ValueError) as error:
        reason = f"cannot be read ({error})"
    raise Unreadable(path, reason)


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
