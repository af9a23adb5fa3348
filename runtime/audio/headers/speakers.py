"""Which speaker each channel is for. Channels are in the order of wav files everywhere but in files
of Vorbis and Opus, which have an order of their own."""

from __future__ import annotations

import os

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
