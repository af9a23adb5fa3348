"""ID3 tags that others have made: some frames of them set anew, all others as they are.

Versions 2.3 and 2.4 can be edited so. What is written otherwise (2.2, compressed, with an extended
header) is left to those who make a tag of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .chapters import syncsafe

FRAMES = {
    "title": "TIT2",
    "artist": "TPE1",
    "album": "TALB",
    "date": "TDRC",
    "genre": "TCON",
    "tracknumber": "TRCK",
    "copyright": "TCOP",
    "comment": "COMM",
}
"""The frame that holds each field."""
_TWINS = {"date": (b"TYER", b"TDAT", b"TIME")}
"""Frames that say the same in older tags."""
_HEAD = 10
_UTF16, _UTF8 = b"\1", b"\3"
_OWN_COMMENT = "comment"
"""The description of a text frame that ffmpeg makes of a comment."""


class _Frame(NamedTuple):
    """A frame of a tag, with its header, and what is in it."""

    name: bytes
    whole: bytes
    body: bytes


def edit_tag(tag: bytes, said: Mapping[str, str]) -> bytes | None:
    """Return a tag, which begins with `ID3`, with some fields as they are said, "" for none; None
    where it is of a kind that is not edited."""
    if len(tag) < _HEAD or tag[3] not in (3, 4) or tag[5] & ~0x10:
        return None
    found = _frames_of(tag)
    if found is None:
        return None
    kept = b"".join(f.whole for f in found if not any(_is_of(f, name) for name in said))
    frames = kept + b"".join(_field(name, said[name], tag[3]) for name in said if said[name])
    return tag[:5] + b"\0" + syncsafe(len(frames)) + frames


def fields_in(tag: bytes) -> set[str]:
    """Return the fields that a tag of such a kind has."""
    frames = _frames_of(tag) if tag else None
    return {name for f in frames or () for name in FRAMES if _is_of(f, name)}


def _frames_of(tag: bytes) -> list[_Frame] | None:
    """Return all frames; None where something else stands among them."""
    found = [*_walk(tag)]
    end = _HEAD + sum(len(frame.whole) for frame in found)
    return None if tag[end:].strip(b"\0") else found


def _walk(tag: bytes) -> Iterator[_Frame]:
    at, base = _HEAD, 7 if tag[3] == 4 else 8
    while at + _HEAD <= len(tag) and tag[at : at + 4].isalnum():
        size = 0
        for byte in tag[at + 4 : at + 8]:
            size = size << base | byte
        end = at + _HEAD + size
        if end > len(tag):
            return
        yield _Frame(tag[at : at + 4], tag[at:end], tag[at + _HEAD : end])
        at = end


def _is_of(frame: _Frame, field: str) -> bool:
    """Tell whether a frame holds a field. Of comments it is the one without a description."""
    name, body = frame.name, frame.body
    if field == "comment":
        if name == b"COMM":
            return body[4:6] in (b"\0\0", b"\xff\xfe") or body[4:5] == b"\0"
        return name == b"TXXX" and _description(body).lower() == _OWN_COMMENT
    return name == FRAMES[field].encode() or name in _TWINS.get(field, ())


def _description(body: bytes) -> str:
    if body[:1] == _UTF16:
        return body[1:].decode("utf-16", "replace").partition("\0")[0]
    return body[1:].partition(b"\0")[0].decode("utf-8", "replace")


def _field(field: str, text: str, version: int) -> bytes:
    """Return the frame of a field, in the coding and the measure of the tag's version."""
    name = FRAMES[field]
    if version == 3 and field == "date" and len(text) == 4:
        name = "TYER"
    code = _UTF8 if version == 4 else _UTF16
    body = text.encode() if version == 4 else b"\xff\xfe" + text.encode("utf-16-le")
    if field == "comment":
        body = (b"eng\0" if version == 4 else b"eng\xff\xfe\0\0") + body
    size = 1 + len(body)
    length = syncsafe(size) if version == 4 else size.to_bytes(4, "big")
    return name.encode() + length + b"\0\0" + code + body
