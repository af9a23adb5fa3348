"""MP3 files that do not say how long they are: their frames are counted, and they are read with
a frame before the first that says so.

Recorders, streams and files that were cut write no such frame. libsndfile estimates the length by
the first frames then, too long or too short, and reads as far as that.
"""

from __future__ import annotations

import mmap
import os
from typing import NamedTuple

_KBITS = {
    1: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""Kilobits a second of layer III by the index in a frame's header, of MPEG-1 and of MPEG-2
(ISO/IEC 11172-3, 2.4.2.3; ISO/IEC 13818-3, 2.4.2.3)."""
_RATES = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
"""Samples a second by the two bits of the version: 3 is MPEG-1, 2 MPEG-2, 0 MPEG-2.5."""
_NAMES = (b"Xing", b"Info", b"VBRI")
_OTHERS = (b"RIFF", b"RF64", b"fLaC", b"OggS", b"FORM", b"caff")
"""How files of other kinds begin."""
_SEARCH = 65_536
"""Bytes in which the next frame is looked for."""
_LAYER_III = 1
_WITHOUT_CHECKSUM = 0x01


class FrameHeader(NamedTuple):
    """Four bytes at the start of a frame: what has to be the same in all frames, and how many
    bytes the frame has."""

    kind: tuple[int, int]
    size: int


def read_header(data: bytes) -> FrameHeader | None:
    """Return what four bytes say; None where they are not the header of a frame of layer III."""
    if len(data) < 4 or data[0] != 0xFF or data[1] & 0xE0 != 0xE0:
        return None
    version, layer = data[1] >> 3 & 3, data[1] >> 1 & 3
    bits, rate = data[2] >> 4, data[2] >> 2 & 3
    if version == 1 or layer != _LAYER_III or bits in (0, 15) or rate == 3:
        return None
    hz = _RATES[version][rate]
    kbits = _KBITS[1 if version == 3 else 2][bits]
    size = (144 if version == 3 else 72) * kbits * 1000 // hz + (data[2] >> 1 & 1)
    return FrameHeader((version, hz), size)


class Mp3WithLength:
    """The bytes of a file from its first frame on, behind one more frame that says how many there
    are; to be read as a file. `size` is how many bytes there are then."""

    def __init__(self, number: int, first: int, frame: bytes) -> None:
        self._number, self._first, self._frame = number, first, frame
        self.size = len(frame) + os.fstat(number).st_size - first
        self._at = 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place and return it."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def tell(self) -> int:
        """Return the place."""
        return self._at

    def read(self, count: int = -1) -> bytes:
        """Return at most so many bytes from the place on."""
        count = self.size - self._at if count < 0 else count
        data = self._frame[self._at : self._at + count]
        if len(data) < count:
            place = self._first + self._at + len(data) - len(self._frame)
            data += os.pread(self._number, count - len(data), place)
        self._at += len(data)
        return data


def with_length(number: int, path: str) -> Mp3WithLength | None:
    """Return the open file `number` with a frame that says its length; None where it says it, or
    is not a file of MPEG layer III. What its `path` names mp3 may begin in the midst of a frame."""
    head = os.pread(number, 4, 0)
    starts = head[:3] == b"ID3" or read_header(head) is not None
    if len(head) < 4 or not (starts or (path.lower().endswith(".mp3") and head not in _OTHERS)):
        return None
    with mmap.mmap(number, 0, access=mmap.ACCESS_READ) as data:
        first = _next_frame(data, _after_tag(data), None)
        if first is None:
            return None
        header = read_header(data[first : first + 4])
        if header is None or any(name in data[first : first + 200] for name in _NAMES):
            return None
        count = _count_frames(data, first, header)
        frame = _frame_of_length(data[first : first + 4], header, count)
    return Mp3WithLength(number, first, frame) if frame else None


def _after_tag(data: mmap.mmap) -> int:
    """Return where the tag of ID3 ends that the file begins with: 0 without one."""
    if data[:3] != b"ID3":
        return 0
    size = 0
    for byte in data[6:10]:
        size = size << 7 | byte & 0x7F
    return 10 + size + (10 if data[5] & 0x10 else 0)


def _next_frame(data: mmap.mmap, at: int, kind: tuple[int, int] | None) -> int | None:
    """Return where the next frame begins that another one of its kind follows, or the end."""
    for place in range(at, min(at + _SEARCH, len(data) - 4)):
        if data[place] != 0xFF:
            continue
        header = read_header(data[place : place + 4])
        if header is None or (kind is not None and header.kind != kind):
            continue
        after = read_header(data[place + header.size : place + header.size + 4])
        if (after and after.kind == header.kind) or place + header.size == len(data):
            return place
    return None


def _count_frames(data: mmap.mmap, first: int, header: FrameHeader) -> int:
    count, at = 0, first
    while at + 4 <= len(data):
        found = read_header(data[at : at + 4])
        if found is None or found.kind != header.kind:
            place = _next_frame(data, at, header.kind)
            if place is None:
                break
            at = place
            continue
        count += at + found.size <= len(data)
        at += found.size
    return count


def _frame_of_length(first: bytes, header: FrameHeader, count: int) -> bytes:
    """Return a frame with the header of the first one, silent but for the number of frames; its
    bitrate is the lowest that leaves room for that."""
    is_mono = first[3] >> 6 == 3
    is_old = header.kind[0] == 3
    side = (17 if is_mono else 32) if is_old else (9 if is_mono else 17)
    says = bytes(side) + b"Info" + (1).to_bytes(4, "big") + count.to_bytes(4, "big")
    for bits in range(1, 15):
        rate = bits << 4 | first[2] & 0x0F
        plain = bytes([first[0], first[1] | _WITHOUT_CHECKSUM, rate, first[3]])
        found = read_header(plain)
        if found is not None and found.size >= len(plain) + len(says):
            return (plain + says).ljust(found.size, b"\0")
    return b""
