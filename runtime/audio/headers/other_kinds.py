"""Files of W64, CAF, AU and FLAC: whether the sound is as long as the header says.

libsndfile reads what is there of W64 and AU, takes whatever is behind the sound of W64 for sound,
and says of a CAF file that is cut off, or was written into a pipe, that it is malformed.
"""

from __future__ import annotations

import shlex
import struct
from collections.abc import Iterator

from ...errors import Failure
from .chunks import Chunk, check_whole, failure_of_more
from .file_bytes import FileBytes

W64, CAF, FLAC = b"riff", b"caff", b"fLaC"
AU = {b".snd": "big", b"dns.": "little"}
"""How files of AU begin, and the order of their bytes."""
KINDS = (W64, CAF, FLAC, *AU)
"""How files that are looked into here begin."""
_UNSAID_AU, _UNSAID_CAF = 0xFFFF_FFFF, (1 << 64) - 1
_UNSAID_LONG = 1 << 62
_HEADS = {W64: (40, 24), CAF: (8, 12)}
"""The bytes of the header of a file, and of that of each chunk."""
_ENDINGS = {W64: "w64", CAF: "caf"}
_TAIL = 1024
"""Bytes behind the last chunk that may be something else, such as a tag."""
_FEW = 64
"""The same in a file of W64, where they are heard."""
_MOST = 10_000
_STEP = 1 << 20
_JOINED = FLAC + b"\0\0\0\x22"
"""How a file of FLAC begins, whose first block always has this size."""
_TOTAL = (1 << 36) - 1
"""The bits of that block that say how many samples there are; 0 where nobody knew."""


def check_other(path: str, data: FileBytes, seconds: float) -> None:
    """Raise `Failure`, with the remedy, for a file of W64, CAF, AU or FLAC that is cut off, or goes
    on behind its sound. `seconds` is how much can be read of it."""
    mark = data[0:4]
    if mark == FLAC:
        _check_flac(path, data, seconds)
        return
    sound = _sound_of(data, mark)
    if sound is None or not sound.size or sound.size >= _UNSAID_LONG:
        return
    check_whole(path, data, sound, seconds, _ENDINGS.get(mark, "au"))
    end = _end_of(sound, mark)
    if mark == W64 and len(data) - end > _FEW:
        raise failure_of_more(path, seconds * sound.size / (len(data) - sound.begin))
    if _goes_on(data, mark, end):
        raise failure_of_more(path, seconds)


def check_caf(path: str, data: FileBytes) -> None:
    """Raise `Failure`, with the remedy, for a CAF file whose sound is cut off or says no length."""
    sound = _sound_of(data, CAF)
    if sound is None:
        return
    if sound.size == _UNSAID_CAF:
        raise Failure(
            f"`{path}` does not say how long it is: it was written into a pipe",
            help=f"`ffmpeg -i {shlex.quote(path)} -c copy whole.caf` makes a header that says it",
        )
    check_whole(path, data, sound, _seconds_of_caf(data, len(data) - sound.begin), "caf")


def _check_flac(path: str, data: FileBytes, seconds: float) -> None:
    if not int.from_bytes(data[18:26], "big") & _TOTAL:
        raise Failure(
            f"`{path}` does not say how long it is: it was written into a pipe",
            help=f"`ffmpeg -i {shlex.quote(path)} whole.flac` makes one that says it",
        )
    for place in range(len(_JOINED), len(data), _STEP):
        if data[place : place + _STEP + len(_JOINED) - 1].find(_JOINED) >= 0:
            raise failure_of_more(path, seconds)


def _goes_on(data: FileBytes, mark: bytes, at: int) -> bool:
    """Tell whether there is something behind the sound that is not a chunk, a tag or zeros."""
    while data[at : at + 4] != mark and (chunk := _chunk_at(data, mark, at)):
        if not chunk.name.isalnum() or _end_of(chunk, mark) > len(data):
            break
        at = _end_of(chunk, mark)
    return data[at : at + 4] == mark or (
        len(data) - at > _TAIL
        and any(data[place : place + _STEP].strip(b"\0") for place in range(at, len(data), _STEP))
    )


def _seconds_of_caf(data: FileBytes, size: int) -> float:
    """Return how long so many bytes are; 0 where a packet has no size of its own."""
    form = next((one for one in _chunks(data, CAF) if one.name == b"desc"), None)
    if form is None or form.size < 32:
        return 0.0
    rate, packet, frames = struct.unpack(">d8xII", data[form.begin : form.begin + 24])
    return size / packet * frames / rate if packet and rate > 0 else 0.0


def _sound_of(data: FileBytes, mark: bytes) -> Chunk | None:
    if mark in AU:
        order = ">" if AU[mark] == "big" else "<"
        head = data[4:12]
        begin, size = struct.unpack(f"{order}II", head) if len(head) == 8 else (0, 0)
        return Chunk(mark, begin, 0 if size == _UNSAID_AU else size)
    return next((one for one in _chunks(data, mark) if one.name == b"data"), None)


def _chunks(data: FileBytes, mark: bytes) -> Iterator[Chunk]:
    """Yield the chunks of a file of W64 or CAF."""
    at, _ = _HEADS[mark]
    for _ in range(_MOST):
        if (chunk := _chunk_at(data, mark, at)) is None:
            return
        yield chunk
        at = _end_of(chunk, mark)


def _chunk_at(data: FileBytes, mark: bytes, at: int) -> Chunk | None:
    _, size = _HEADS.get(mark, (0, 0))
    head = data[at : at + size]
    if not head or len(head) < size:
        return None
    if mark == CAF:
        return Chunk(head[:4], at + size, int.from_bytes(head[4:], "big"))
    # The size of a chunk of W64 counts its own head.
    return Chunk(head[:4], at + size, max(int.from_bytes(head[16:], "little") - size, 0))


def _end_of(chunk: Chunk, mark: bytes) -> int:
    end = chunk.begin + chunk.size
    return end + -end % 8 if mark == W64 else end
