"""The pages of Ogg files (RFC 3533): whether a stream comes to its end, and is the only one.

libsndfile reads a file whose end is missing as if it were whole, and of streams that follow each
other the first, at times with a length that means nothing.
"""

from __future__ import annotations

import shlex
from typing import NamedTuple

from ...errors import Failure
from .file_bytes import FileBytes

MARK = b"OggS"
_HEAD = 27
_BEGINS, _ENDS = 2, 4
"""Bits of a page: the first and the last one of its stream."""
_TAIL = 1024
"""Bytes behind the last page that may be something else, such as a tag."""


class _Pages(NamedTuple):
    """Streams that begin behind the sound of others, those that have no end, and the bytes behind
    the last whole page."""

    later: int
    open: int
    rest: int


def check_pages(path: str, data: FileBytes, seconds: float) -> None:
    """Raise `Failure`, with the remedy, for an Ogg file whose stream does not end, or that another
    one follows. `seconds` is how much can be read of it."""
    found = _walk(data)
    name, ending = shlex.quote(path), "opus" if path.lower().endswith(".opus") else "ogg"
    if found.later:
        raise Failure(
            f"`{path}` holds {found.later + 1} streams, one behind the other: only one is read",
            help=f"make one sound of them first: `ffmpeg -i {name} whole.wav`",
        )
    if found.open or found.rest > _TAIL:
        raise Failure(
            f"`{path}` is cut off or damaged: {seconds:.2f} s can be read, and the end of"
            " the stream is missing",
            help="get the whole file; where this is all that there is,"
            f" `ffmpeg -i {name} -c copy whole.{ending}` gives it an end",
        )


def _walk(data: FileBytes) -> _Pages:
    at = later = 0
    streams: set[bytes] = set()
    has_sound = False
    while len(head := data[at : at + _HEAD]) == _HEAD and head[:4] == MARK:
        end = at + _HEAD + head[-1] + sum(data[at + _HEAD : at + _HEAD + head[-1]])
        if end > len(data):
            break
        serial = head[14:18]
        if head[5] & _BEGINS:
            streams.add(serial)
            later += has_sound
        else:
            has_sound = True
        if head[5] & _ENDS:
            streams.discard(serial)
        at = end
    return _Pages(later, len(streams), len(data) - at)
