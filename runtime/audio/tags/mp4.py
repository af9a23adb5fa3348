"""Files of MPEG-4 (ISO/IEC 14496-12): how long their sound is, and their tags as iTunes has them.

A file is boxes in boxes: four bytes of length, four of a name, and what is in it. What a box says
of itself is not believed: it ends where the box around it ends.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import BinaryIO, NamedTuple

from ..door import open_place
from .chapters import MOST, Chapter, order_chapters

MARK = b"ftyp"
"""Bytes 4 to 8 of such a file."""
_LARGEST = 64 * 1024 * 1024
_MOST_BOXES = 10_000
_CHAPTER_TICKS = 10_000_000
"""Of a second, in lists of chapters."""
_LONGEST_TEXT = 1024
_LONG, _HEAD = 16, 8
_ENTRY = 8 + 28
"""Where the boxes of an entry for sound begin."""
LOSSLESS = "ALAC"
_CODECS = {b"mp4a": "AAC", b"alac": LOSSLESS}
_DEPTH = 9
"""Where in the settings of ALAC the bits of a word are."""
_TEXTS = {
    "title": b"\xa9nam", "artist": b"\xa9ART", "album": b"\xa9alb", "date": b"\xa9day",
    "genre": b"\xa9gen", "comment": b"\xa9cmt", "copyright": b"cprt", "albumartist": b"aART",
    "composer": b"\xa9wrt", "lyrics": b"\xa9lyr",
}  # fmt: skip
_UTF8, _JPEG, _PNG = 1, 13, 14
_HANDLER = b"\0" * 8 + b"mdirappl" + b"\0" * 9


class Track(NamedTuple):
    """The first sound of a file: its codec (`AAC`, `ALAC_16`), its length without what the coder
    put before and behind it, the kilobits a second that it was made with, 0 where the file does not
    say, and the chapters of the file."""

    codec: str
    seconds: Fraction
    bitrate: int
    chapters: tuple[Chapter, ...] = ()


def read_track(file: BinaryIO) -> Track | None:
    """Return the first sound of an open file; None where there is none."""
    movie = _movie(file)
    try:
        scale = _scale(movie)
        for name, track in _boxes(movie):
            if name == b"trak" and (found := _track(track, scale)):
                chapters = _list_of(movie) or _texts(movie, track, file)
                return found._replace(chapters=order_chapters(chapters, float(found.seconds)))
    except (struct.error, LookupError, ZeroDivisionError):
        return None
    return None


def add_items(
    place: str,
    fields: Mapping[str, str],
    cover: bytes,
    cover_type: str,
    chapters: Sequence[Chapter] = (),
) -> None:
    """Write tags into a finished file whose last box is `moov`, without tags so far."""
    items = b"".join(_items_of(fields))
    if cover:
        items += _item(b"covr", _PNG if cover_type == "image/png" else _JPEG, cover)
    with open(place, "r+b", opener=open_place) as file:
        at, size = next(((at, size) for name, at, size in _tops(file) if name == b"moov"), (0, 0))
        file.seek(at + _HEAD)
        inner = b"".join(
            _box(name, bytes(body)) for name, body in _boxes(file.read(size)) if name != b"udta"
        )
        file.seek(at)
        more = _box(b"chpl", _chapter_list(chapters)) if chapters else b""
        file.write(_box(b"moov", inner + _box(b"udta", _meta(items) + more)))
        file.truncate()


def edit_items(file: BinaryIO, said: Mapping[str, str]) -> list[bytes | range] | None:
    """Return the parts of a file with some fields as they are said, "" for none: bytes, or which
    bytes of the old file; None where its boxes do not fill it. The sound stays where it is: what
    says where it is (`moov`) moves to the end, and leaves a free place before the sound."""
    tops = [*_tops(file)]
    end = os.fstat(file.fileno()).st_size
    places = [at for name, at, _ in tops if name == b"moov"]
    file.seek(tops[-1][1] if tops else 0)
    is_open = struct.unpack(">I", file.read(4).ljust(4, b"\1"))[0] == 0
    movie = _movie(file)
    if len(places) != 1 or is_open or tops[-1][1] + _HEAD + tops[-1][2] != end or not movie:
        return None
    at, after = places[0], places[0] + _HEAD + len(movie)
    inner = [(name, bytes(body)) for name, body in _boxes(movie)]
    user = next((body for name, body in inner if name == b"udta"), b"")
    others = b"".join(_box(name, body) for name, body in inner if name != b"udta")
    moov = _box(b"moov", others + _box(b"udta", _user_with(user, said)))
    if after == end:
        return [range(at), moov]
    return [range(at), _box(b"free", bytes(len(movie))), range(after, end), moov]


def _user_with(user: bytes, said: Mapping[str, str]) -> bytes:
    """Return what is in `udta` with some items anew."""
    boxes = [(name, bytes(body)) for name, body in _boxes(user)]
    meta = next((body for name, body in boxes if name == b"meta"), b"")
    gone = {_TEXTS.get(name, b"trkn") for name in said}
    gone |= {b"gnre"} if "genre" in said else set()
    items = b""
    # Some write `meta` without its version and flags.
    for name, body in _boxes(meta[4:] if meta[4:8] != b"hdlr" else meta):
        if name == b"ilst":
            items = b"".join(_box(n, bytes(b)) for n, b in _boxes(body) if n not in gone)
    items += b"".join(_items_of({name: text for name, text in said.items() if text}))
    return _meta(items) + b"".join(_box(name, body) for name, body in boxes if name != b"meta")


def _items_of(fields: Mapping[str, str]) -> Iterator[bytes]:
    for name, text in fields.items():
        if name in _TEXTS:
            yield _item(_TEXTS[name], _UTF8, text.encode())
    for name, box, form in (("tracknumber", b"trkn", ">4H"), ("discnumber", b"disk", ">3H")):
        number, _, count = fields.get(name, "").partition("/")
        place, total = (
            int("".join(filter(str.isdecimal, part))[:9] or 0) for part in (number, count)
        )
        if 0 < place < 65_536:
            rest = (0,) if form == ">4H" else ()
            numbers = struct.pack(form, 0, place, total if total < 65_536 else 0, *rest)
            yield _item(box, 0, numbers)


def _meta(items: bytes) -> bytes:
    return _box(b"meta", bytes(4) + _box(b"hdlr", _HANDLER) + _box(b"ilst", items))


def _movie(file: BinaryIO) -> bytes:
    for name, at, size in _tops(file):
        if name == b"moov" and size <= _LARGEST:
            file.seek(at + _HEAD)
            return file.read(size)
    return b""


def _tops(file: BinaryIO) -> Iterator[tuple[bytes, int, int]]:
    """Yield the boxes of a file: name, where it begins, bytes in it."""
    end, at = os.fstat(file.fileno()).st_size, 0
    for _ in range(_MOST_BOXES):
        file.seek(at)
        head = file.read(_LONG)
        if len(head) < _HEAD:
            return
        size, name = struct.unpack(">I4s", head[:_HEAD])
        if size == 1 and len(head) == _LONG:
            size = struct.unpack(">Q", head[_HEAD:])[0]
        size = size if _HEAD <= size <= end - at else end - at
        yield name, at, size - _HEAD
        at += size


def _boxes(data: bytes | memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Yield the boxes in a box: name, what is in it."""
    view, at = memoryview(data), 0
    while len(view) - at >= _HEAD:
        size, name = struct.unpack(">I4s", view[at : at + _HEAD])
        size = max(size, _HEAD)
        yield name, view[at + _HEAD : at + size]
        at += size


def _find(data: bytes | memoryview, *names: bytes) -> memoryview:
    """Return what is in a box by its name and those around it. Raise LookupError."""
    view = memoryview(data)
    for name in names:
        view = dict(_boxes(view))[name]
    return view


def _scale(movie: bytes) -> int:
    """Return the ticks a second of the lengths in edit lists."""
    return _clock(_find(movie, b"mvhd"))[0]


def _clock(header: memoryview) -> tuple[int, int]:
    """Return the ticks a second and the length of `mvhd` or `mdhd`."""
    form, at = (">IQ", 20) if header[0] == 1 else (">II", 12)
    scale, length = struct.unpack_from(form, header, at)
    return int(scale), int(length)


def _track(track: memoryview, movie_scale: int) -> Track | None:
    media = _find(track, b"mdia")
    if bytes(_find(media, b"hdlr")[8:12]) != b"soun":
        return None
    scale, ticks = _clock(_find(media, b"mdhd"))
    seconds = Fraction(ticks, scale)
    edits = [(length, start) for length, start in _edits(track) if start >= 0]
    if edits:
        seconds -= Fraction(edits[0][1], scale)
        told = Fraction(sum(length for length, _ in edits), movie_scale)
        # Lengths of edits are rounded, often to milliseconds: those near the exact one say nothing.
        if 0 < told < seconds - Fraction(1, movie_scale):
            seconds = told
    kind = _find(media, b"minf", b"stbl", b"stsd")[8:]
    name = bytes(kind[4:8])
    codec = _CODECS.get(name, name.decode("ascii", "replace").strip().upper())
    if codec == LOSSLESS:
        codec += _word_of(kind[_ENTRY:])
    return Track(codec, max(seconds, Fraction()), _bitrate(kind[_ENTRY:]))


def _word_of(entry: memoryview) -> str:
    """Return `_16` for words of 16 bits; nothing where ALAC does not say how long they are."""
    config = dict(_boxes(entry)).get(b"alac", memoryview(b""))
    return f"_{config[_DEPTH]}" if len(config) > _DEPTH else ""


Starts = list[tuple[float, float | None, str]]


def _list_of(movie: bytes) -> Starts:
    """Return the chapters of Nero's list; no chapters where a file has no such list."""
    try:
        body = bytes(_find(movie, b"udta", b"chpl"))
        at = 8 if body[0] else 4
        count, at = body[at], at + 1
        found: Starts = []
        for _ in range(count):
            start, size = struct.unpack_from(">QB", body, at)
            title = body[at + 9 : at + 9 + size].decode("utf-8", "replace")
            found.append((start / _CHAPTER_TICKS, None, title))
            at += 9 + size
    except (LookupError, struct.error):
        return []
    return found


def _chapter_list(chapters: Sequence[Chapter]) -> bytes:
    """Return such a list."""
    body = struct.pack(">IIB", 1 << 24, 0, len(chapters))
    for chapter in chapters:
        title = chapter.title.encode()[:255].decode("utf-8", "ignore").encode()
        body += struct.pack(">QB", round(chapter.start * _CHAPTER_TICKS), len(title)) + title
    return body


def _texts(movie: bytes, sound: memoryview, file: BinaryIO) -> Starts:
    """Return the chapters of the track of texts that a sound names, none where it names none."""
    try:
        number = struct.unpack_from(">I", _find(sound, b"tref", b"chap"))[0]
        tracks = [body for name, body in _boxes(movie) if name == b"trak"]
        track = next(one for one in tracks if _number_of(one) == number)
        scale, _ = _clock(_find(track, b"mdia", b"mdhd"))
        table = _find(track, b"mdia", b"minf", b"stbl")
        found: Starts = []
        ticks = 0
        for length, (place, size) in zip(_lengths(table), _samples(table), strict=False):
            file.seek(place)
            data = file.read(min(size, _LONGEST_TEXT))
            count = struct.unpack_from(">H", data)[0]
            title = data[2 : 2 + count].decode("utf-8", "replace")
            found.append((ticks / scale, (ticks + length) / scale, title))
            ticks += length
    except (LookupError, struct.error, StopIteration, ZeroDivisionError):
        return []
    return found


def _number_of(track: memoryview) -> int:
    header = _find(track, b"tkhd")
    return int(struct.unpack_from(">I", header, 20 if header[0] == 1 else 12)[0])


def _lengths(table: memoryview) -> Iterator[int]:
    """Yield how many ticks each sample takes."""
    rows = _find(table, b"stts")
    for row in range(min(struct.unpack_from(">I", rows, 4)[0], MOST)):
        count, length = struct.unpack_from(">II", rows, 8 + row * 8)
        yield from (length for _ in range(min(count, MOST)))


def _samples(table: memoryview) -> Iterator[tuple[int, int]]:
    """Yield where each sample of a table stands in the file, and its bytes."""
    sizes, runs = _find(table, b"stsz"), _find(table, b"stsc")
    same, count = struct.unpack_from(">II", sizes, 4)
    wide = b"co64" in dict(_boxes(table))
    places = _find(table, b"co64" if wide else b"stco")
    starts = [struct.unpack_from(">II", runs, 8 + n * 12)
              for n in range(min(struct.unpack_from(">I", runs, 4)[0], MOST))]  # fmt: skip
    number = 0
    for chunk in range(min(struct.unpack_from(">I", places, 4)[0], MOST)):
        width = 8 if wide else 4
        at = struct.unpack_from(">Q" if wide else ">I", places, 8 + chunk * width)[0]
        in_chunk = next((many for first, many in reversed(starts) if first <= chunk + 1), 1)
        for _ in range(in_chunk):
            if number >= min(count, MOST):
                return
            size = same or struct.unpack_from(">I", sizes, 12 + number * 4)[0]
            yield at, size
            at, number = at + size, number + 1


def _edits(track: memoryview) -> Iterator[tuple[int, int]]:
    """Yield the edits of a track: how long they are, and where they begin in the sound."""
    try:
        edits = _find(track, b"edts", b"elst")
    except LookupError:
        return
    form = struct.Struct(">QqI" if edits[0] == 1 else ">IiI")
    count = min(struct.unpack_from(">I", edits, 4)[0], (len(edits) - 8) // form.size)
    for number in range(count):
        length, start, _ = form.unpack_from(edits, 8 + number * form.size)
        yield length, start


def _bitrate(entry: memoryview) -> int:
    """Return what the description of a decoder says: the most kilobits a second there are."""
    try:
        about = bytes(_find(entry, b"esds")[4:])
    except LookupError:
        return 0
    # Descriptors 3 and 4 (ISO/IEC 14496-1): each a tag, a length of up to four bytes, its fields.
    at = _fields_of(about, 0, 3)
    at = _fields_of(about, at + 3, 4)
    most, mean = struct.unpack_from(">II", about, at + 5)
    return round(int(most or mean) / 1000)


def _fields_of(about: bytes, at: int, tag: int) -> int:
    """Return where the fields of a descriptor begin. Raise LookupError."""
    if about[at] != tag:
        raise LookupError(tag)
    at += 1
    while about[at] & 0x80:
        at += 1
    return at + 1


def _item(name: bytes, kind: int, value: bytes) -> bytes:
    return _box(name, _box(b"data", struct.pack(">II", kind, 0) + value))


def _box(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", _HEAD + len(content)) + name + content
