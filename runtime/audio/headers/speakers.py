"""Which speaker each channel is for. Channels are in the order of wav files everywhere but in files
of Vorbis and Opus, which have an order of their own."""

from __future__ import annotations

import os
import re

from ..door import open_place
from ..tags.comments import add_to_flac
from .chunks import Chunk, find_chunks
from .file_bytes import FileBytes

_VORBIS = {
    3: (0, 2, 1),
    5: (0, 2, 1, 3, 4),
    6: (0, 2, 1, 5, 3, 4),
    7: (0, 2, 1, 6, 5, 3, 4),
    8: (0, 2, 1, 7, 5, 6, 3, 4),
}
"""By the number of channels, where in a file of Vorbis or Opus each channel of a wav file is
(Vorbis I, 4.3.9; RFC 7845, 5.1.1.2): left, centre, right, sides, those behind, LFE. Other numbers
of channels have the same order."""
_CODED = ("VORBIS", "OPUS")
_OPUS, _FAMILY, _SPEAKERS = b"OpusHead", 18, 1
"""How the first packet of Opus begins, where in it the meaning of channels is, and that of
speakers; there are others, whose channels have no places."""

_NAMES = ("FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR", "TC")
LFE, BACK, SIDES = 0x8, 0x30, 0x600
"""Bits of a mask: the speaker of low sounds, those behind to the left and right, at the sides."""
_USUAL = {3: 0x7, 4: 0x33, 5: 0x37, 6: 0x3F, 7: 0x70F, 8: 0x63F}
"""By the number of channels, the speakers that files of FLAC (RFC 9639), Vorbis and Opus have, and
that wav files are taken to have which name none."""
_MPEG_4 = (0x7, 0xB, 0x33, 0x107, 0x37, 0x3F, 0x70F, 0x63F)
"""Those that a file of MPEG-4 can have, and other programs know."""
_FIXED = ("OGG", "AIFF")
"""Containers that have no other speakers than the usual ones, or name none."""
_EXTENSIBLE, _MASK_AT, _LEAST = 0xFFFE, 20, 40
"""The code of a format of wav files that names speakers, where it does, and its size in bytes."""
_COMMENT = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK"
_IN_COMMENTS = re.compile(_COMMENT.encode() + rb"=0x([0-9a-fA-F]{1,8})", re.IGNORECASE)
_MOST_BLOCKS, _LONGEST = 100, 1 << 20
_COMMENTS_OF_FLAC = 4


def order_in(subtype: str, channels: int) -> tuple[int, ...]:
    """Return where in a file to write, whose samples are coded as `subtype`, each channel of a wav
    file is, counted from 0; () where all are in their places."""
    return _VORBIS.get(channels, ()) if subtype in _CODED else ()


def order_of(number: int, subtype: str, channels: int) -> tuple[int, ...]:
    """Return the same of the open file `number`."""
    head = os.pread(number, 512, 0) if subtype == "OPUS" else b""
    at = head.find(_OPUS) + _FAMILY
    is_placed = at < _FAMILY or head[at : at + 1] == bytes([_SPEAKERS])
    return order_in(subtype, channels) if is_placed else ()


def inverse_of(order: tuple[int, ...]) -> tuple[int, ...]:
    """Return the order that undoes another one."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def speakers_of(number: int, container: str, channels: int) -> int:
    """Return the speakers that the open file `number` names, a bit for each as in wav files
    (FL 1, FR 2, FC 4, LFE 8 and so on); 0 where it names none, or another count of them."""
    if channels not in _USUAL:
        return 0
    data = FileBytes(number)
    if container == "WAV":
        mask = _mask_of_wav(data)
    elif container == "FLAC":
        mask = _mask_of_flac(data) or _USUAL[channels]
    else:
        mask = _USUAL[channels] if container == "OGG" else 0
    return mask if mask.bit_count() == channels else 0


def write_speakers(place: str, container: str, channels: int, speakers: int) -> None:
    """Name the speakers in a finished file, as far as its container can; 0 are unknown."""
    if not speakers or channels not in _USUAL:
        return
    if container == "FLAC" and not is_usual(speakers, channels):
        add_to_flac(place, [f"{_COMMENT}=0x{speakers:X}"])
    if container == "WAV":
        with open(place, "r+b", opener=open_place) as file:
            form = _extensible(FileBytes(file.fileno()))
            if form is not None:
                os.pwrite(file.fileno(), speakers.to_bytes(4, "little"), form.begin + _MASK_AT)


def is_usual(speakers: int, channels: int) -> bool:
    """Tell whether these are the speakers that so many channels usually are for."""
    return _behind(speakers) == _USUAL.get(channels)


def speakers_in_mpeg_4(speakers: int, channels: int) -> int:
    """Return the speakers that a file of MPEG-4 gets: the same where it can have them, else those
    that so many channels usually are for; 0 for few channels."""
    mask = _behind(speakers)
    return mask if mask in _MPEG_4 else _USUAL.get(channels, 0)


def lost_speakers(container: str, channels: int, speakers: int) -> str:
    """Return what becomes of the places of channels that a file of that container cannot name, in
    words; "" where it can."""
    can = _behind(speakers) in _MPEG_4 if container == "M4A" else container not in _FIXED
    if not speakers or can or is_usual(speakers, channels):
        return ""
    names = " ".join(_names(speakers))
    usual = " ".join(_names(_USUAL.get(channels, 0)))
    taken = f": players take them for {usual}" if usual else ""
    return f"the places of the channels ({names}) cannot be written into this file{taken}"


def _names(speakers: int) -> list[str]:
    return [name for bit, name in enumerate(_NAMES) if speakers >> bit & 1]


def _behind(speakers: int) -> int:
    """Return a mask in which the only surrounds are those behind: programs write 5.1 both ways."""
    both = speakers & (BACK | SIDES | 0x100)
    return speakers & ~SIDES | BACK if both == SIDES else speakers


def _extensible(data: FileBytes) -> Chunk | None:
    for chunk in find_chunks(data):
        if chunk.name == b"fmt ":
            code = int.from_bytes(data[chunk.begin : chunk.begin + 2], "little")
            return chunk if code == _EXTENSIBLE and chunk.size >= _LEAST else None
    return None


def _mask_of_wav(data: FileBytes) -> int:
    form = _extensible(data)
    at = form.begin + _MASK_AT if form else 0
    return int.from_bytes(data[at : at + 4], "little") if form else 0


def _mask_of_flac(data: FileBytes) -> int:
    """Return the mask of the comment that has it; 0 without one."""
    at = 4
    for _ in range(_MOST_BLOCKS):
        head = data[at : at + 4]
        if len(head) < 4:
            break
        size = int.from_bytes(head[1:], "big")
        if head[0] & 0x7F == _COMMENTS_OF_FLAC:
            found = _IN_COMMENTS.search(data[at + 4 : at + 4 + min(size, _LONGEST)])
            return int(found[1], 16) if found else 0
        if head[0] & 0x80:
            break
        at += 4 + size
    return 0
