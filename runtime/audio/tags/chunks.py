"""Wav and aiff files with other fields in them: the chunks of their tags are made anew, and all
others stay, byte for byte.

A wav file has fields in a list of texts (`LIST INFO`), an aiff file some in chunks of their own;
both may have an ID3 tag in a chunk.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO, NamedTuple

from .id3 import edit_tag, fields_in

INFO = {
    "title": b"INAM", "artist": b"IART", "album": b"IPRD", "date": b"ICRD", "genre": b"IGNR",
    "tracknumber": b"ITRK", "copyright": b"ICOP", "comment": b"ICMT",
}  # fmt: skip
"""The fields of a wav file."""
_INFO_TWINS = {"title": (b"TITL",), "tracknumber": (b"IPRT", b"TRCK"), "date": (b"YEAR",)}
OWN = {"title": b"NAME", "artist": b"AUTH", "comment": b"ANNO", "copyright": b"(c) "}
"""The fields of an aiff file that have a chunk."""
_HEAD, _FIRST = 8, 12
_MOST = (1 << 32) - 1
_MOST_CHUNKS = 10_000
_LARGEST_TAG = 16 * 1024 * 1024
_OLD_ID3 = (b"id3 ", b"ID3 ")

Part = bytes | range
"""Of a new file: bytes, or which bytes of the old one."""


class _Chunk(NamedTuple):
    name: bytes
    at: int
    size: int


def edit_chunks(
    file: BinaryIO, said: Mapping[str, str], new_tag: Callable[[Mapping[str, str]], bytes]
) -> list[Part] | None:
    """Return the parts of a wav or aiff file with some fields as they are said, "" for none; None
    where its chunks do not fill it. `new_tag` makes an ID3 tag of fields, and of all
    that is known where they are none."""
    file.seek(0)
    head = file.read(_FIRST)
    form = ">I" if head[:4] == b"FORM" else "<I"
    size = os.fstat(file.fileno()).st_size
    chunks = _chunks_of(file, form, size)
    if chunks is None:
        return None
    kept: list[Part] = []
    info, tag = b"", b""
    for chunk in chunks:
        body = _body(file, chunk)
        if chunk.name in _OLD_ID3:
            tag = body
        elif chunk.name == b"LIST" and body[:4] == b"INFO":
            info = body[4:]
        elif form == "<I" or not any(chunk.name == OWN.get(name) for name in said):
            kept.append(range(chunk.at, min(chunk.at + _HEAD + chunk.size, size)))
            kept += [b"\0"] * (chunk.size % 2)
    if form == "<I":
        more = _info_with(info, said) + _id3_with(b"id3 ", form, tag, _both(tag, said), new_tag)
    else:
        own = {name: text for name, text in said.items() if name in OWN and text}
        more = b"".join(_chunk(OWN[name], form, text.encode()) for name, text in own.items())
        rest = {n: t for n, t in said.items() if n not in OWN or n in fields_in(tag)}
        more += _id3_with(b"ID3 ", form, tag, rest, new_tag)
    return _whole(head, form, kept, more)


def _both(tag: bytes, said: Mapping[str, str]) -> Mapping[str, str]:
    """Return what a tag beside a list of texts has to say: what it says already, and what
    only it can."""
    there = fields_in(tag)
    return {n: t for n, t in said.items() if n in there or one_number(n, t) != t}


def track_in(file: BinaryIO) -> str:
    """Return the number of the track in the list of texts of a wav file, "" for none."""
    file.seek(0)
    if file.read(4) != b"RIFF":
        return ""
    names = (INFO["tracknumber"], *_INFO_TWINS["tracknumber"])
    for chunk in _chunks_of(file, "<I", os.fstat(file.fileno()).st_size) or ():
        body = _body(file, chunk)
        for name, text in _texts(body[4:]) if body[:4] == b"INFO" else ():
            if name in names:
                return text.decode("utf-8", "replace").strip("\0 ")
    return ""


def one_number(field: str, text: str) -> str:
    """Return what the list of texts of a wav file holds of a field: of `3/7` the number alone,
    and an ID3 tag has to say the rest."""
    return text.partition("/")[0] if field == "tracknumber" else text


def _chunks_of(file: BinaryIO, form: str, end: int) -> list[_Chunk] | None:
    found: list[_Chunk] = []
    at, large = _FIRST, 0
    while at + _HEAD <= end and len(found) < _MOST_CHUNKS:
        file.seek(at)
        name, size = struct.unpack(f"{form[0]}4sI", file.read(_HEAD))
        if name == b"ds64":
            large = struct.unpack("<QQ", file.read(16))[1]
        if name == b"data" and size == _MOST and large:
            size = large
        if at + _HEAD + size > end:
            return None
        found.append(_Chunk(name, at, size))
        at += _HEAD + size + size % 2
    return found if at >= end else None


def _body(file: BinaryIO, chunk: _Chunk) -> bytes:
    """Return what is in a chunk of tags, and nothing of any other."""
    if chunk.name not in (*_OLD_ID3, b"LIST") or chunk.size > _LARGEST_TAG:
        return b""
    file.seek(chunk.at + _HEAD)
    return file.read(chunk.size)


def _info_with(info: bytes, said: Mapping[str, str]) -> bytes:
    gone = {one for name in said for one in (INFO[name], *_INFO_TWINS.get(name, ()))}
    kept = b"".join(_chunk(name, "<I", body) for name, body in _texts(info) if name not in gone)
    new = b"".join(
        _chunk(INFO[n], "<I", one_number(n, t).encode() + b"\0") for n, t in said.items() if t
    )
    return _chunk(b"LIST", "<I", b"INFO" + kept + new) if kept or new else b""


def _texts(info: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + _HEAD <= len(info):
        name, size = struct.unpack_from("<4sI", info, at)
        yield name, info[at + _HEAD : at + _HEAD + size]
        at += _HEAD + size + size % 2


def _id3_with(
    name: bytes,
    form: str,
    tag: bytes,
    said: Mapping[str, str],
    new_tag: Callable[[Mapping[str, str]], bytes],
) -> bytes:
    """Return the chunk of an ID3 tag with some fields as they are said; none without a tag."""
    given = {field: text for field, text in said.items() if text}
    if not tag and not given:
        return b""
    edited = edit_tag(tag, said) if tag else new_tag(given)
    return _chunk(name, form, new_tag({}) if edited is None else edited)


def _chunk(name: bytes, form: str, body: bytes) -> bytes:
    return name + struct.pack(form, len(body)) + body + b"\0" * (len(body) % 2)


def _whole(head: bytes, form: str, kept: list[Part], more: bytes) -> list[Part] | None:
    """Return all parts, behind a header that says how many bytes they are."""
    count = 4 + sum(map(len, kept)) + len(more)
    if head[:4] == b"RF64":
        first = kept[0]
        if not isinstance(first, range):
            return None
        # The sizes of 64 bits begin behind the header of the first chunk.
        sizes: list[Part] = [range(first.start, first.start + _HEAD), struct.pack("<Q", count)]
        return [head, *sizes, range(first.start + 16, first.stop), *kept[1:], more]
    if count > _MOST:
        return None
    return [head[:4] + struct.pack(form, count) + head[8:], *kept, more]
