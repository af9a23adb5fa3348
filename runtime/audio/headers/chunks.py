"""The chunks of wav and aiff files: whether the sound is as long as the header says.

libsndfile reads what is there, whatever the header says. Programs that write into a pipe cannot
know the length, and leave a number that means this; such a file ends where it ends.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import NamedTuple

from ...errors import Failure
from .file_bytes import FileBytes

RIFF, FORM = (b"RIFF", b"RF64", b"BW64"), b"FORM"
MARKS = (*RIFF, b"RIFX", FORM)
"""How files of chunks begin."""
_SOUND = (b"data", b"SSND")
_COMPRESSED = {
    0x50: "mp2", 0x55: "mp3", 0xFF: "aac", 0x160: "wma", 0x161: "wma", 0x162: "wma",
    0x1610: "aac", 0x2000: "ac3", 0x674F: "ogg", 0x6750: "ogg", 0x6751: "ogg", 0xF1AC: "flac",
}  # fmt: skip
"""Codes of sound in a wav file that is one of another format, but for its first bytes."""
_OTHERS = frozenset(
    (b"LIST", b"id3 ", b"ID3 ", b"bext", b"fact", b"cue ", b"PEAK", b"JUNK", b"junk", b"smpl",
     b"inst", b"iXML", b"axml", b"afsp", b"PAD ", b"FLLR", b"umid", b"_PMX", b"NAME", b"AUTH",
     b"ANNO", b"(c) ", b"COMT", b"MARK", b"INST", b"APPL", b"AESD", b"MIDI")
)  # fmt: skip
"""Chunks that stand behind the sound; the end of one may be missing."""
_UNSAID = (0, 0x7F00_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)
"""What sox, ffmpeg, arecord and others write for a length that they do not know, or a little more
or less."""
_NEAR = 0x2000
_UNSAID_LONG = 1 << 62
_MISSING = 64
"""Bytes that may be missing: some programs count their header as sound."""
_TAIL = 1024
"""Bytes behind the last chunk that may be something else, such as a tag."""
_MOST = 10_000
_STEP = 1 << 20


class Chunk(NamedTuple):
    """A part of a file: where what is in it begins, and how many bytes it is said to have."""

    name: bytes
    begin: int
    size: int


def find_chunks(data: FileBytes) -> Iterator[Chunk]:
    """Yield the chunks of a file up to the one with the sound; of an RF64 file its true size."""
    order = "big" if data[0:4] in (FORM, b"RIFX") else "little"
    long, at = 0, 12
    for _ in range(_MOST):
        head = data[at : at + 8]
        if len(head) < 8:
            return
        chunk = Chunk(head[:4], at + 8, _number(head[4:], order))
        if chunk.name == b"ds64":
            long = _number(data[at + 16 : at + 24], order)
        if chunk.name in _SOUND:
            yield chunk._replace(size=long) if chunk.size == 0xFFFF_FFFF and long else chunk
            return
        yield chunk
        at = chunk.begin + chunk.size + chunk.size % 2


def check_coding(path: str, data: FileBytes) -> None:
    """Raise `Failure`, with the remedy, for a wav file whose sound is that of another format."""
    form = next((one for one in find_chunks(data) if one.name == b"fmt "), None)
    code = _number(data[form.begin : form.begin + 2], "little") if form else 0
    if kind := _COMPRESSED.get(code):
        raise Failure(
            f"`{path}` is a wav file with {kind} inside: that is not read",
            help=f"make it a plain one first: `ffmpeg -i {shlex.quote(path)} plain.wav`",
        )


def check_chunks(path: str, data: FileBytes, seconds: float) -> None:
    """Raise `Failure`, with the remedy, for a file of chunks whose sound is longer or shorter than
    its header says. `seconds` is how much can be read of it."""
    sound = next((one for one in find_chunks(data) if one.name in _SOUND), None)
    if sound is None or _is_unsaid(sound.size):
        return
    ending = "aiff" if data[0:4] == FORM else "wav"
    check_whole(path, data, sound, seconds, ending)
    if _goes_on(data, sound.begin + sound.size):
        raise failure_of_more(path, seconds)


def check_whole(path: str, data: FileBytes, sound: Chunk, seconds: float, ending: str) -> None:
    """Raise `Failure`, with the remedy, where less is there of the sound than its header says, of
    which `seconds` are; files of this kind have that ending."""
    there = len(data) - sound.begin
    if there + _MISSING < sound.size:
        whole = seconds * sound.size / there if there > 0 else 0.0
        raise Failure(
            f"`{path}` is cut off or damaged: its header says {whole:.2f} s,"
            f" {seconds:.2f} s could be read",
            help="get the whole file; where this is all that there is,"
            f" `ffmpeg -i {shlex.quote(path)} -c copy whole.{ending}` makes a header for it",
        )


def failure_of_more(path: str, seconds: float) -> Failure:
    """Return the failure of a file that goes on behind its sound of so many seconds."""
    return Failure(
        f"`{path}` goes on behind the {seconds:.2f} s that its header says: its length is wrong"
        " there, or several files follow each other in it",
        help="write it anew from its source, or with a program that reads it to its end",
    )


def _is_unsaid(size: int) -> bool:
    return size >= _UNSAID_LONG or any(abs(size - one) < _NEAR for one in _UNSAID[1:]) or not size


def _goes_on(data: FileBytes, at: int) -> bool:
    """Tell whether there is something behind the sound that is not a chunk, a tag or zeros."""
    order = "big" if data[0:4] in (FORM, b"RIFX") else "little"
    for _ in range(_MOST):
        at += at % 2 and data[at : at + 4] not in _OTHERS
        head = data[at : at + 8]
        size = _number(head[4:], order)
        if head[:4] in MARKS:
            return True
        if head[:4] not in _OTHERS and not (_is_name(head[:4]) and at + 8 + size <= len(data)):
            break
        at += 8 + size
    return len(data) - at > _TAIL and any(
        data[place : place + _STEP].strip(b"\0") for place in range(at, len(data), _STEP)
    )


def _is_name(name: bytes) -> bool:
    return len(name) == 4 and all(0x20 <= byte < 0x7F for byte in name)


def _number(data: bytes, order: str) -> int:
    return int.from_bytes(data, "big" if order == "big" else "little")
