"""What else files say of a sound beside the fields that TAG sets: kept where a file has a place for
it, and named where not."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from typing import BinaryIO

MORE = {
    "albumartist": ("TPE2", "ALBUMARTIST"),
    "composer": ("TCOM", "COMPOSER"),
    "discnumber": ("TPOS", "DISCNUMBER"),
    "lyrics": ("USLT", "LYRICS"),
}
"""Each with its frame in an ID3 tag, and its name among comments."""
_LONGEST = 20_000
_AS = {"discnumber": ("disc",), "lyrics": ("lyrics", "uslt", "unsyncedlyrics")}
"""Names of tinytag."""
_TOTALS = {"track": "track_total", "disc": "disc_total"}
_KNOWN = {
    "title", "artist", "album", "year", "genre", "track", "copyright", "comment", "_comment",
    "albumartist", "composer", "disc", "lyrics", "uslt", "unsyncedlyrics", "track_total",
    "disc_total",
}  # fmt: skip
_OF_PROGRAMS = {
    "encoder",
    "encoded_by",
    "encoder_settings",
    "isft",
    "itch",
    "vendor",
    "itunsmpb",
}
"""What a program says of itself or of its file, which is another one now."""
_OF_FILE = {"filename", "filesize", "mime_type", "duration", "channels", "bitrate", "bitdepth",
            "samplerate", "is_lossless"}  # fmt: skip
_CHAPTER = re.compile(r"chapter[0-9]{2,4}(name|url)?")
_PLAIN_CHUNKS = {
    b"fmt ", b"data", b"fact", b"PEAK", b"JUNK", b"junk", b"FLLR", b"PAD ", b"id3 ", b"ID3 ",
    b"ds64", b"COMM", b"SSND", b"FVER", b"NAME", b"AUTH", b"ANNO", b"(c) ", b"APPL",
}  # fmt: skip
_MOST_CHUNKS, _MOST_NAMED = 1000, 8


def read_more(values: Mapping[str, object]) -> dict[str, str]:
    """Return what there is of `MORE` among the values that tinytag found."""
    found = {}
    for name in MORE:
        for key in _AS.get(name, (name,)):
            text = with_total(values, key)
            if text and name not in found:
                found[name] = text
    return found


def with_total(values: Mapping[str, object], key: str) -> str:
    """Return a value as text: the number of a track or a disc with how many there are."""
    text, total = (in_lines(values.get(one)) for one in (key, _TOTALS.get(key, "")))
    return f"{text}/{total}" if text and total.strip("0") and "/" not in text else text


def in_lines(value: object) -> str:
    """Return a value as text that keeps its lines, without what no tag may hold."""
    text = str(value[0] if isinstance(value, list) and value else value or "")
    lines = text.replace("\r\n", "\n").splitlines()
    plain = ("".join(c if c.isprintable() else " " for c in line).rstrip() for line in lines)
    return "\n".join(plain).strip()[:_LONGEST]


def unkept(file: BinaryIO, values: Mapping[str, object]) -> tuple[str, ...]:
    """Return what the file says and flowc writes into no other file, by its names."""
    names = [
        name
        for name in values
        if name not in _KNOWN | _OF_PROGRAMS | _OF_FILE and not _CHAPTER.fullmatch(name)
    ]
    chunks = [name for name in _chunks_of(file) if name not in _PLAIN_CHUNKS]
    told = [f"the chunk `{name.decode('ascii', 'replace').strip()}`" for name in chunks]
    told += [f"`{''.join(c if c.isprintable() else '?' for c in name[:40])}`" for name in names]
    told = [*dict.fromkeys(told)]
    rest = len(told) - _MOST_NAMED
    return (*told[:_MOST_NAMED], f"{rest} more tags") if rest > 0 else (*told,)


def _chunks_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the names of the chunks of a wav or aiff file, but for its list of texts."""
    file.seek(0)
    head = file.read(12)
    form = {b"RIFF": "<4sI", b"FORM": ">4sI"}.get(head[:4], "")
    at = 12
    for _ in range(_MOST_CHUNKS if form else 0):
        file.seek(at)
        chunk = file.read(12)
        if len(chunk) < 8:
            return
        name, size = struct.unpack_from(form, chunk)
        if chunk[8:] != b"INFO" and chunk[:4].isascii():
            yield name
        at += 8 + size + size % 2
