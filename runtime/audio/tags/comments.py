"""Comments beside those that libsndfile writes, put into finished flac and ogg files.

A flac file has a block of them (RFC 9639), an ogg file a packet: the second one, of vorbis together
with the third on pages of their own (RFC 3533, RFC 7845).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence

from ..door import open_place

_BLOCK, _COMMENTS = 4, 4
_PAGE = 27
_MOST_SEGMENTS = 255
_MAGICS = {b"\x03vorbis": 2, b"OpusTags": 1}
"""How the packet of comments begins, and how many packets stand before the sound with it."""


def add_to_flac(place: str, comments: Sequence[str]) -> None:
    """Add comments to the block that has them."""
    with open(place, "rb", opener=open_place) as file:
        at = _BLOCK
        while True:
            file.seek(at)
            head = file.read(_BLOCK)
            if len(head) < _BLOCK:
                return
            size = int.from_bytes(head[1:], "big")
            if head[0] & 0x7F == _COMMENTS:
                block = _with(file.read(size), 0, comments)
                break
            if head[0] & 0x80:
                return
            at += _BLOCK + size
    whole = head[:1] + len(block).to_bytes(3, "big") + block
    replace_bytes(place, at, _BLOCK + size, whole)


def add_to_ogg(place: str, comments: Sequence[str]) -> None:
    """Add comments to the packet that has them. Numbers and checksums of pages are not set."""
    with open(place, "rb", opener=open_place) as file:
        data = file.read(1024 * 1024)
    pages = _pages(data)
    at = next(pages)[2]
    packets: list[bytes] = []
    part, end, count = b"", at, 1
    for segments, body, after in pages:
        begin, end = 0, after
        for size in segments:
            part += body[begin : begin + size]
            begin += size
            if size < _MOST_SEGMENTS:
                packets.append(part)
                part = b""
        magic = next((m for m in _MAGICS if packets and packets[0].startswith(m)), b"")
        count = _MAGICS.get(magic, 1)
        if len(packets) >= count:
            break
    if not packets or not magic or len(packets) != count:
        return
    packets[0] = _with(packets[0], len(magic), comments)
    replace_bytes(place, at, end - at, b"".join(_pages_with(packets, data[14:18])))


def replace_bytes(place: str, at: int, count: int, data: bytes) -> None:
    """Put `data` in the place of some bytes that are not more; move the rest from its end on."""
    step = 1024 * 1024
    with open(place, "r+b", opener=open_place) as file:
        end, first = os.fstat(file.fileno()).st_size, at + count
        while end > first:
            begin = max(first, end - step)
            file.seek(begin)
            part = file.read(end - begin)
            file.seek(begin + len(data) - count)
            file.write(part)
            end = begin
        file.seek(at)
        file.write(data)


def _with(block: bytes, at: int, comments: Sequence[str]) -> bytes:
    """Return a list of comments, which begins at a place, with more of them at its end."""
    begin = at + 4 + struct.unpack_from("<I", block, at)[0]
    count = struct.unpack_from("<I", block, begin)[0]
    end = begin + 4
    for _ in range(count):
        end += 4 + struct.unpack_from("<I", block, end)[0]
    texts = [text.encode() for text in comments]
    more = b"".join(struct.pack("<I", len(text)) + text for text in texts)
    head = block[:begin] + struct.pack("<I", count + len(texts))
    return head + block[begin + 4 : end] + more + block[end:]


def _pages(data: bytes) -> Iterator[tuple[bytes, bytes, int]]:
    """Yield the lengths of segments of each page, what is in it, and where it ends."""
    at = 0
    while data[at : at + 4] == b"OggS":
        segments = data[at + _PAGE : at + _PAGE + data[at + _PAGE - 1]]
        begin = at + _PAGE + len(segments)
        at = begin + sum(segments)
        yield segments, data[begin:at], at


def _pages_with(packets: Sequence[bytes], serial: bytes) -> Iterator[bytes]:
    """Yield packets on pages."""
    segments: list[tuple[bool, bytes]] = []
    for packet in packets:
        parts = [packet[i : i + 255] for i in range(0, len(packet), 255)]
        if len(packet) % 255 == 0:
            parts.append(b"")
        segments += [(number > 0, part) for number, part in enumerate(parts)]
    for first in range(0, len(segments), _MOST_SEGMENTS):
        page = segments[first : first + _MOST_SEGMENTS]
        lengths = bytes(len(part) for _, part in page)
        # A page on which no packet ends has no position.
        granule = bytes(8) if any(size < _MOST_SEGMENTS for size in lengths) else b"\xff" * 8
        head = b"OggS\0" + bytes([page[0][0]]) + granule + serial + bytes(8)
        yield head + bytes([len(page)]) + lengths + b"".join(part for _, part in page)
