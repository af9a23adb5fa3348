"""MP3 files that do not say how long they are: their frames are counted, and they are read with
a frame before the first that says so.

Recorders, streams and files that were cut write no such frame. libsndfile estimates the length by
the first frames then, too long or too short, and reads as far as that. Where frames go on behind
the length that a file says, as in files that were joined byte by byte, it would leave them out.

LAME writes such a frame into a file of few kilobits a second neither, as its own has 156 bytes
behind the head and frames have one size. Players take the silence at both ends for sound then.
"""

from __future__ import annotations

import mmap
import os
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from ...errors import Failure
from ..door import open_place
from ..tags.comments import replace_bytes

_KBITS = {
    1: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""Kilobits a second of layer III by the index in a frame's header, of MPEG-1 and of MPEG-2
(ISO/IEC 11172-3, 2.4.2.3; ISO/IEC 13818-3, 2.4.2.3)."""
_RATES = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
"""Samples a second by the two bits of the version: 3 is MPEG-1, 2 MPEG-2, 0 MPEG-2.5."""
_SAYS, _SAYS_OTHERWISE = (b"Xing", b"Info"), b"VBRI"
_HAS_FRAMES, _HAS_BYTES, _HAS_QUALITY = 1, 2, 8
_FEW = 2
"""Frames that may be more than those that a file says: programs differ in what they count."""
_OTHERS = (b"RIFF", b"RF64", b"fLaC", b"OggS", b"FORM", b"caff")
"""How files of other kinds begin."""
_SEARCH = 65_536
"""Bytes in which the first frame is looked for."""
_CODER = b"LAME3.100"
"""The program whose delay it is; players look for the delay behind its name."""
_CODER_DELAY = 576
"""Samples that LAME puts before the sound. A decoder adds 529, which it knows of itself."""
_MOST_PADDING = 4095
_MPEG_1 = 3
_LAYER_III = 1
_WITHOUT_CHECKSUM = 0x01


class FrameHeader(NamedTuple):
    """Four bytes at the start of a frame: what has to be the same in all frames, and how many
    bytes the frame has."""

    kind: tuple[int, int]
    size: int

    @property
    def samples(self) -> int:
        """Return how many samples of each channel a frame holds."""
        return 1152 if self.kind[0] == _MPEG_1 else 576

    @property
    def seconds(self) -> float:
        """Return how long the sound of a frame is."""
        return self.samples / self.kind[1]


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
    is not a file of MPEG layer III. What its `path` names mp3 may begin in the midst of a frame.
    Raise `Failure` where more frames follow than belong to the first sound."""
    head = os.pread(number, 4, 0)
    starts = head[:3] == b"ID3" or read_header(head) is not None
    if len(head) < 4 or not (starts or (path.lower().endswith(".mp3") and head not in _OTHERS)):
        return None
    with mmap.mmap(number, 0, access=mmap.ACCESS_READ) as data:
        begin = _after_tag(data)
        first = _next_frame(data, begin, begin + _SEARCH)
        header = None if first is None else read_header(data[first : first + 4])
        if first is None or header is None:
            return None
        says = _read_length(data, first)
        if says is not None and says.frames:
            if _goes_on(data, first, header, says):
                raise _failure_of_several(path, says.frames * header.seconds)
            return None
        if says is not None:
            first += header.size  # a frame that says something else than how many there are
        count, others = _count_frames(data, first, header)
        if others > _FEW:
            raise _failure_of_several(path, count * header.seconds)
        head = data[first : first + 4]
        frame = _frame_of_length(head, header, count) if read_header(head) else b""
    return Mp3WithLength(number, first, frame) if frame else None


class _Length(NamedTuple):
    """How many frames follow a first one that says so, and how many bytes there are with it; 0
    where it does not say."""

    frames: int = 0
    size: int = 0


def _read_length(data: mmap.mmap, first: int) -> _Length | None:
    """Return what the first frame says; None where it is a frame as any other."""
    head = data[first : first + 200]
    at = max(head.find(name) for name in _SAYS)
    if at < 0:
        return _Length() if _SAYS_OTHERWISE in head else None
    words = [int.from_bytes(head[at + 4 * n : at + 4 * n + 4], "big") for n in range(1, 4)]
    flags, numbers = words[0], words[1:]
    frames = numbers.pop(0) if flags & _HAS_FRAMES else 0
    return _Length(frames, numbers[0] if flags & _HAS_BYTES else 0)


def _goes_on(data: mmap.mmap, first: int, header: FrameHeader, says: _Length) -> bool:
    """Tell whether there are more frames than a file says. All are counted only where frames stand
    behind the bytes that it says, or it does not say how many: there can be hundreds of thousands.
    """
    if says.size:
        behind = _walk(data, first + says.size)
        if sum(1 for _ in zip(range(_FEW + 1), behind, strict=False)) <= _FEW:
            return False
    count, others = _count_frames(data, first + header.size, header)
    return count + others > says.frames + _FEW


def _failure_of_several(path: str, seconds: float) -> Failure:
    return Failure(
        f"`{path}` goes on behind its first {seconds:.2f} s with frames that do not belong to them:"
        " several mp3 files follow each other in it",
        help=f"make one sound of them first: `ffmpeg -i {shlex.quote(path)} whole.wav`",
    )


def _after_tag(data: mmap.mmap) -> int:
    """Return where the tag of ID3 ends that the file begins with: 0 without one."""
    if data[:3] != b"ID3":
        return 0
    size = 0
    for byte in data[6:10]:
        size = size << 7 | byte & 0x7F
    return 10 + size + (10 if data[5] & 0x10 else 0)


def _next_frame(data: mmap.mmap, at: int, end: int) -> int | None:
    """Return where the next frame begins, at a place before `end`, that another one of its kind
    follows, or the end of the file."""
    place = data.find(b"\xff", at, end)
    while place >= 0:
        header = read_header(data[place : place + 4])
        if header is not None:
            after = read_header(data[place + header.size : place + header.size + 4])
            if (after and after.kind == header.kind) or place + header.size == len(data):
                return place
        place = data.find(b"\xff", place + 1, end)
    return None


def _walk(data: mmap.mmap, at: int, kind: tuple[int, int] | None = None) -> Iterator[FrameHeader]:
    """Yield the frames from a place on. Behind what is not a frame of the kind before it,
    frames of any kind are looked for, as far as the end of the file."""
    while at + 4 <= len(data):
        found = read_header(data[at : at + 4])
        if found is None or found.kind != kind:
            place = _next_frame(data, at, len(data))
            found = None if place is None else read_header(data[place : place + 4])
            if place is None or found is None:
                return
            at = place
        at, kind = at + found.size, found.kind
        if at <= len(data):
            yield found


def _count_frames(data: mmap.mmap, first: int, header: FrameHeader) -> tuple[int, int]:
    """Return how many frames there are from a place on, of the kind of a header and of others."""
    count = others = 0
    for found in _walk(data, first, header.kind):
        count, others = (count + 1, others) if found.kind == header.kind else (count, others + 1)
    return count, others


def _frame_of_length(
    first: bytes, header: FrameHeader, count: int, flags: int = _HAS_FRAMES, rest: bytes = b""
) -> bytes:
    """Return a frame with the header of the first one, silent but for the number of frames, and the
    rest that the flags tell of; its bitrate is that of the first, or the next that has room."""
    is_mono = first[3] >> 6 == 3
    is_old = header.kind[0] == _MPEG_1
    side = (17 if is_mono else 32) if is_old else (9 if is_mono else 17)
    says = bytes(side) + b"Info" + flags.to_bytes(4, "big") + count.to_bytes(4, "big") + rest
    for bits in range(first[2] >> 4, 15):
        rate = bits << 4 | first[2] & 0x0F
        plain = bytes([first[0], first[1] | _WITHOUT_CHECKSUM, rate, first[3]])
        found = read_header(plain)
        if found is not None and found.size >= len(plain) + len(says):
            return (plain + says).ljust(found.size, b"\0")
    return b""


def say_length(place: str, samples: int) -> None:
    """Write into the finished mp3 file at `place`, which LAME has made, that `samples` of each
    channel are the sound, where it does not say so. Raise OSError."""
    with (
        open(place, "rb", opener=open_place) as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        first, size = data[:4], len(data)
        header = read_header(first)
        if header is None or _read_length(data, 0) is not None:
            return
        count, _ = _count_frames(data, 0, header)
    padding = count * header.samples - _CODER_DELAY - samples
    if not 0 <= padding <= _MOST_PADDING:
        return  # another coder, whose delay nobody knows
    rest = _bytes_and_delay(size, padding)
    frame = _frame_of_length(first, header, count, _HAS_FRAMES | _HAS_BYTES | _HAS_QUALITY, rest)
    whole = _bytes_and_delay(size + len(frame), padding)
    replace_bytes(place, 0, 0, frame.replace(rest, whole))


def _bytes_and_delay(size: int, padding: int) -> bytes:
    """Return what stands behind the number of frames: the bytes of the file, with this frame, and
    LAME's part, of which only the samples before and behind the sound are known."""
    count = size.to_bytes(4, "big")
    delays = (_CODER_DELAY << 12 | padding).to_bytes(3, "big")
    quality, unknown = bytes(4), bytes(12)
    return count + quality + _CODER + unknown + delays + bytes(4) + count + bytes(4)
