"""Tags of sound files: what they are called, who made them, their cover; kept from file to file.

libsndfile writes the fields, except into mp3 files, where it takes UTF-8 for Latin-1: these get a
tag of their own (ID3v2.4). A cover is written into mp3 and m4a, into flac (a PICTURE block, RFC
9639), and into wav and aiff as an ID3 tag in a chunk, which holds also what aiff has no field for.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from tinytag import TinyTag, TinyTagException

from ..door import open_place
from .chapters import Chapter, comments, id3_frames, read_comments, read_id3, syncsafe
from .chunks import one_number, track_in
from .comments import add_to_flac, add_to_ogg, replace_bytes
from .id3 import FRAMES
from .more import MORE, in_lines, read_more, unkept, with_total
from .mp4 import MARK, Track, add_items, read_track

FIELDS = FRAMES
"""The fields that are kept, by libsndfile's names, each with the frame that holds it in mp3."""
LONGEST = 4000
"""Characters of a field."""
_LARGEST_COVER = 8 * 1024 * 1024
_MOST_KBPS = 100_000
_NAMES = {"date": "year", "tracknumber": "track"}
"""Fields whose name is another one in tinytag."""
_DAMAGED = (TinyTagException, ValueError, LookupError, ArithmeticError, TypeError, struct.error)
"""What tags that were written badly, or to do harm, lead to."""
_ID3_MOST = (1 << 28) - 1
_AIFF = ("title", "artist", "comment", "copyright")
"""All that libsndfile writes into aiff files."""
_UNREAD = ("artist",)
"""Of these what most programs look for in the ID3 tag alone."""
_CHUNKS = {"WAV": (b"id3 ", "<I"), "AIFF": (b"ID3 ", ">I")}
"""The chunk that holds an ID3 tag, and how its length is written."""
_COVERED = ("MP3", "M4A", "FLAC", *_CHUNKS)
"""Containers that a cover is written into."""
_CHAPTERED = (*_COVERED, "OGG")
"""Those that chapters are written into."""
_LARGEST_TAG = 16 * 1024 * 1024
_MOST_CHUNKS = 1000
SET = "set"
_MARK = b"flowc on the way\0"
"""The owner of a private frame, in files that a plan makes on the way."""


@dataclass(frozen=True, slots=True)
class Tags:
    """The fields that a file has, by the names of `FIELDS`, its cover with the type of the picture,
    its chapters, and of a lossy file its kilobits a second, 0 where nobody knows. `on_way` marks a
    file that a plan made on the way after TAG: `SET`, or which file has the same samples. `more` is
    what goes along beside the fields, `unkept` what does not, by its names."""

    fields: Mapping[str, str] = field(default_factory=dict)
    cover: bytes = b""
    cover_type: str = ""
    chapters: tuple[Chapter, ...] = ()
    bitrate: int = 0
    on_way: str = ""
    more: Mapping[str, str] = field(default_factory=dict)
    unkept: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.fields or self.cover or self.chapters or self.more)

    def lost_in(self, container: str) -> list[str]:
        """Return what a file of that container does not keep, in words."""
        lost = ["the cover"] if self.cover and container not in _COVERED else []
        if self.chapters and container not in _CHAPTERED:
            lost.append("the chapters")
        return [*lost, *self.unkept]


def read_tags(file: BinaryIO) -> Tags:
    """Return the tags of an open file; none where they cannot be read."""
    try:
        found = TinyTag.get(file_obj=file, duration=True, image=True)
        values, rate = {**found.as_dict()}, found.bitrate or 0.0
        track = _track_of(file)
        rate = track.bitrate if track else rate
        bitrate = round(rate) if 0 < rate < _MOST_KBPS else 0
        image = found.images.any
        seconds = float(found.duration or 0.0)
    except _DAMAGED:
        return Tags()
    chapters = track.chapters if track else _chapters_of(file, values, seconds)
    _, mark, on_way = _id3_of(file).partition(_MARK)
    fields = _fields_of(file, values)
    cover = image.data if image is not None and image.data else b""
    cover = b"" if len(cover) > _LARGEST_COVER else bytes(cover)
    kind = (image.mime_type if image is not None and cover else "") or "image/jpeg"
    way = on_way.partition(b"\0")[0].decode("ascii", "replace") if mark else ""
    more, lost = read_more(values), unkept(file, values)
    return Tags(fields, cover, kind if cover else "", chapters, bitrate, way, more, lost)


def _fields_of(file: BinaryIO, values: Mapping[str, object]) -> dict[str, str]:
    """Return the fields among the values that tinytag found; a comment keeps its lines."""
    track = ""
    with suppress(*_DAMAGED):  # tinytag reads no `3/12` in wav
        track = track_in(file) if "track" not in values else ""
    # ffmpeg has a frame of its own for a comment.
    comment = in_lines(values.get("comment")) or in_lines(values.get("_comment"))
    fields = {}
    for name in FIELDS:
        text = clean(with_total(values, _NAMES.get(name, name)))
        text = {"comment": comment, "tracknumber": text or clean(track)}.get(name, text)
        if text:
            fields[name] = text
    return fields


def _track_of(file: BinaryIO) -> Track | None:
    """Return what an MPEG-4 file says of its sound; None for any other file."""
    file.seek(0)
    return read_track(file) if file.read(8)[4:] == MARK else None


def _chapters_of(
    file: BinaryIO, values: Mapping[str, object], seconds: float
) -> tuple[Chapter, ...]:
    """Return the chapters of any file but those of MPEG-4; none where they cannot be read."""
    try:
        if tag := _id3_of(file):
            return read_id3(tag, seconds)
    except _DAMAGED:
        return ()
    return read_comments({name: _text(value) for name, value in values.items()}, seconds)


def _id3_of(file: BinaryIO) -> bytes:
    """Return the ID3 tag of a file, at its start or in a chunk; nothing where there is none."""
    file.seek(0)
    head = file.read(12)
    if head[:3] == b"ID3":
        size = sum((b & 0x7F) << move for b, move in zip(head[6:10], (21, 14, 7, 0), strict=True))
        return head + file.read(min(size, _LARGEST_TAG))
    names = {b"RIFF": _CHUNKS["WAV"], b"FORM": _CHUNKS["AIFF"]}
    name, form = names.get(head[:4], (b"", ""))
    for _ in range(_MOST_CHUNKS if name else 0):
        chunk = file.read(8)
        if len(chunk) < 8:
            break
        size = struct.unpack(form, chunk[4:])[0]
        if chunk[:4].lower() == name.lower():
            return file.read(min(size, _LARGEST_TAG))
        file.seek(size + size % 2, os.SEEK_CUR)
    return b""


def _text(value: object) -> str:
    text = str(value[0] if isinstance(value, list) and value else value or "")
    return clean(text)


def clean(text: str) -> str:
    """Return a field in one line, without what no tag may hold, at most `LONGEST` characters."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(plain.split())[:LONGEST]


def set_fields(file: object, container: str, tags: Tags) -> None:
    """Give the fields to a soundfile that nothing was written into yet."""
    if container in ("MP3", "M4A"):
        return
    for name, text in tags.fields.items():
        if container != "AIFF" or name in _AIFF:
            setattr(file, name, one_number(name, text) if container == "WAV" else text)


def add_blocks(place: str, container: str, tags: Tags) -> None:
    """Write into a finished file what libsndfile cannot: the tag of an mp3 file, a cover."""
    if container in _CHUNKS:
        wav = container == "WAV"
        rest = {
            name: text
            for name, text in tags.fields.items()
            if (one_number(name, text) != text if wav else name not in _AIFF or name in _UNREAD)
        }
        if rest or tags.cover or tags.chapters or tags.on_way or tags.more:
            _append(place, *_CHUNKS[container], id3_tag(replace(tags, fields=rest)))
    if container == "MP3" and tags:
        replace_bytes(place, 0, 0, id3_tag(tags))
    if container == "M4A" and tags:
        add_items(place, {**tags.fields, **tags.more}, tags.cover, tags.cover_type, tags.chapters)
    said = [f"{MORE[name][1]}={text}" for name, text in tags.more.items()]
    said += comments(tags.chapters)
    if container == "OGG" and said:
        add_to_ogg(place, said)
    if container == "FLAC" and said:
        add_to_flac(place, said)
    if container == "FLAC" and tags.cover:
        picture = _picture(tags)
        # The first block, of 34 bytes, is not the last: libsndfile adds a comment.
        replace_bytes(place, 4 + 4 + 34, 0, struct.pack(">I", 6 << 24 | len(picture)) + picture)


def id3_tag(tags: Tags) -> bytes:
    """Return a tag of ID3v2.4 that says all of it."""
    frames = b""
    for name, text in tags.fields.items():
        language = b"eng\0" if name == "comment" else b""
        frames += _frame(FIELDS[name], b"\3" + language + text.encode())
    for name, text in tags.more.items():
        language = b"eng\0" if name == "lyrics" else b""
        frames += _frame(MORE[name][0], b"\3" + language + text.encode())
    if tags.cover:
        kind = tags.cover_type.encode("ascii", "replace")
        frames += _frame("APIC", b"\0" + kind + b"\0\3\0" + tags.cover)
    if tags.chapters:
        frames += b"".join(_frame(name, content) for name, content in id3_frames(tags.chapters))
    if tags.on_way:
        frames += _frame("PRIV", _MARK + tags.on_way.encode() + b"\0")
    assert len(frames) <= _ID3_MOST
    return b"ID3\4\0\0" + syncsafe(len(frames)) + frames


def _frame(name: str, content: bytes) -> bytes:
    return name.encode() + syncsafe(len(content)) + b"\0\0" + content


def _picture(tags: Tags) -> bytes:
    kind = tags.cover_type.encode("ascii", "replace")
    head = struct.pack(">II", 3, len(kind)) + kind + struct.pack(">I", 0)
    return head + struct.pack(">5I", 0, 0, 0, 0, len(tags.cover)) + tags.cover


def _append(place: str, name: bytes, form: str, data: bytes) -> None:
    """Write a chunk behind all others of a wav or aiff file, and how long that is now. A file of
    more than 4 GB, RF64, stays as it is."""
    with open(place, "r+b", opener=open_place) as file:
        if file.read(4) == b"RF64":
            return
        end = file.seek(0, os.SEEK_END)
        file.write(b"\0" * (end % 2) + name + struct.pack(form, len(data)) + data)
        file.write(b"\0" * (len(data) % 2))
        whole = file.tell()
        file.seek(4)
        file.write(struct.pack(form, whole - 8))
