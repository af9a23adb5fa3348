"""Chapters of sound files, and where they are after an edit that moves the sound.

In an ID3 tag they are frames (ID3v2 Chapter Frame Addendum), in flac and ogg files comments
(`CHAPTER001=00:01:02.500`, `CHAPTER001NAME=…`), in files of MPEG-4 a list or a track of texts.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

MOST = 255
"""Chapters of a file: so many hold a list of MPEG-4, and a table of contents of ID3."""
_LONGEST = 200
_LEAST_S = 0.001
_TIME = re.compile(r"([0-9]{1,4}):([0-9]{2}):([0-9]{2}(?:\.[0-9]{1,9})?)")
_HEAD = 10
_PLACES = struct.Struct(">4I")
_NOWHERE = 0xFFFFFFFF
_ENCODINGS = {0: "latin-1", 1: "utf-16", 2: "utf-16-be", 3: "utf-8"}


class Chapter(NamedTuple):
    """A part of a sound, seconds from its beginning, and its title."""

    start: float
    end: float
    title: str


class SoundSpan(NamedTuple):
    """What an edit keeps of a sound from `start` to `end`, at `at` in the result; there it takes
    `stretch` times as long. Seconds."""

    start: float
    end: float
    at: float
    stretch: float = 1.0


def order_chapters(
    found: Iterable[tuple[float, float | None, str]], seconds: float
) -> tuple[Chapter, ...]:
    """Return chapters in order, within a sound of that length. One without an end ends where the
    next begins."""
    rows = sorted((row for row in found if 0 <= row[0] < seconds), key=lambda row: row[0])[:MOST]
    starts = [*(row[0] for row in rows), seconds][1:]
    return tuple(
        Chapter(start, min(end if end is not None else after, seconds), _plain(title))
        for (start, end, title), after in zip(rows, starts, strict=True)
    )


def move_chapters(chapters: Sequence[Chapter], pieces: Sequence[SoundSpan]) -> tuple[Chapter, ...]:
    """Return chapters as they lie after an edit: without those of which nothing is kept, and one of
    several pieces from where its first begins to where its last ends."""
    found: list[Chapter] = []
    for chapter in chapters:
        parts = []
        for piece in pieces:
            start, end = max(chapter.start, piece.start), min(chapter.end, piece.end)
            if end - start >= _LEAST_S:
                first, last = (
                    piece.at + (place - piece.start) * piece.stretch for place in (start, end)
                )
                parts.append((first, last))
        if parts:
            begin, end = min(p[0] for p in parts), max(p[1] for p in parts)
            found.append(Chapter(begin, end, chapter.title))
    return tuple(sorted(found))


def read_id3(tag: bytes, seconds: float) -> tuple[Chapter, ...]:
    """Return the chapters of a tag that begins with `ID3`."""
    found = []
    for name, body in _frames(tag[_HEAD:], tag[3]):
        if name != b"CHAP":
            continue
        _, _, rest = body.partition(b"\0")
        if len(rest) < _PLACES.size:
            continue
        start, end, _, _ = _PLACES.unpack_from(rest)
        title = next((t for n, t in _frames(rest[_PLACES.size :], tag[3]) if n == b"TIT2"), b"")
        found.append((start / 1000, end / 1000, _text(title)))
    return order_chapters(found, seconds)


def id3_frames(chapters: Sequence[Chapter]) -> Iterator[tuple[str, bytes]]:
    """Yield the frames of chapters: name, and what is in them."""
    names = [b"chp%d\0" % number for number in range(len(chapters))]
    yield "CTOC", b"toc\0\3" + bytes([len(names)]) + b"".join(names)
    for name, chapter in zip(names, chapters, strict=True):
        places = (round(chapter.start * 1000), round(chapter.end * 1000), _NOWHERE, _NOWHERE)
        title = b"\3" + chapter.title.encode()
        inner = b"TIT2" + syncsafe(len(title)) + b"\0\0" + title
        yield "CHAP", name + _PLACES.pack(*places) + inner


def read_comments(values: Mapping[str, str], seconds: float) -> tuple[Chapter, ...]:
    """Return the chapters of comments, whose names are in small letters."""
    found = []
    for name, text in values.items():
        time = _TIME.fullmatch(text) if re.fullmatch(r"chapter[0-9]{2,4}", name) else None
        if time:
            start = int(time[1]) * 3600 + int(time[2]) * 60 + float(time[3])
            found.append((start, None, values.get(f"{name}name", "")))
    return order_chapters(found, seconds)


def comments(chapters: Sequence[Chapter]) -> Iterator[str]:
    """Yield the comments of chapters."""
    for number, chapter in enumerate(chapters):
        whole = round(chapter.start * 1000)
        minutes, rest = divmod(whole, 60_000)
        time = f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"
        yield f"CHAPTER{number:03}={time}"
        yield f"CHAPTER{number:03}NAME={chapter.title}"


def syncsafe(number: int) -> bytes:
    """Return four bytes of seven bits each."""
    return bytes(number >> shift & 0x7F for shift in (21, 14, 7, 0))


def _frames(data: bytes, version: int) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + _HEAD <= len(data) and data[at : at + 4].isalnum():
        size = data[at + 4 : at + 8]
        count = int.from_bytes(size, "big")
        if version >= 4:
            count = sum(
                (byte & 0x7F) << move for byte, move in zip(size, (21, 14, 7, 0), strict=True)
            )
        yield data[at : at + 4], data[at + _HEAD : at + _HEAD + count]
        at += _HEAD + count


def _text(body: bytes) -> str:
    coding = _ENCODINGS.get(body[0], "latin-1") if body else "latin-1"
    return body[1:].decode(coding, "replace")


def _plain(title: str) -> str:
    shown = "".join(c if c.isprintable() else " " for c in title)
    return " ".join(shown.split())[:_LONGEST]
