"""A file with other tags and the same sound: what is coded is copied, byte for byte.

Of the tags the fields that are said are set, and all others stay, those as well that flowc has no
name for.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from dataclasses import replace
from typing import BinaryIO

from ..door import open_place
from .chunks import Part, edit_chunks
from .comments import edit_flac, edit_ogg, number_pages
from .id3 import edit_tag, fields_in
from .mp4 import edit_items
from .tags import Tags, id3_tag

_STEP = 1024 * 1024
_ID3V1 = 128
_HEAD = 10


def copy_with_fields(
    file: BinaryIO, place: str, container: str, said: Mapping[str, str], tags: Tags
) -> bool:
    """Write an open file into the existing one at `place`, with some fields as they are said, ""
    for none. `tags` are all that it is to have, for where its own cannot be edited. Return False,
    with nothing written, where the file is not built as its container is. Raise OSError."""
    try:
        parts = _parts_of(file, container, said, tags)
    except (struct.error, LookupError, ValueError):
        return False
    if parts is None:
        return False
    with open(place, "r+b", opener=open_place) as target:
        target.truncate()
        for part in parts:
            _copy(file, target, part)
        target.flush()
        if container == "OGG":
            number_pages(target.fileno())
        os.fsync(target.fileno())
    return True


def _parts_of(
    file: BinaryIO, container: str, said: Mapping[str, str], tags: Tags
) -> list[Part] | None:
    match container:
        case "MP3":
            return _edit_mp3(file, said, tags)
        case "OGG":
            return edit_ogg(file, said)
        case "FLAC":
            return edit_flac(file, said)
        case "M4A":
            return edit_items(file, said)
        case _:

            def new_tag(fields: Mapping[str, str]) -> bytes:
                return id3_tag(replace(tags, fields=fields or tags.fields))

            return edit_chunks(file, said, new_tag)


def _edit_mp3(file: BinaryIO, said: Mapping[str, str], tags: Tags) -> list[Part]:
    """Return a new tag, and the frames. A tag of the first version, at the end, would say something
    else: what it alone says goes into the new one."""
    end = os.fstat(file.fileno()).st_size
    file.seek(0)
    head = file.read(_HEAD)
    old, begin = b"", 0
    if head[:3] == b"ID3":
        size = sum((b & 0x7F) << move for b, move in zip(head[6:], (21, 14, 7, 0), strict=True))
        old = head + file.read(size)
        begin = min(_HEAD + size + (_HEAD if head[5] & 0x10 else 0), end)
    only: Mapping[str, str] = {}
    file.seek(max(end - _ID3V1, begin))
    if file.read(3) == b"TAG":
        end = max(end - _ID3V1, begin)
        only = {name: text for name, text in tags.fields.items() if name not in fields_in(old)}
    edited = edit_tag(old, {**only, **said}) if old else None
    if edited is None:
        edited = id3_tag(tags) if tags else b""
    return [edited if len(edited) > _HEAD else b"", range(begin, end)]


def _copy(file: BinaryIO, target: BinaryIO, part: Part) -> None:
    if isinstance(part, bytes):
        target.write(part)
        return
    file.seek(part.start)
    left = len(part)
    while left and (data := file.read(min(left, _STEP))):
        target.write(data)
        left -= len(data)
