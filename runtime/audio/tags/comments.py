"""Comments beside those that libsndfile writes, put into finished flac and ogg files.

A flac file has a block of them (RFC 9639), an ogg file a packet: the second one, of vorbis together
with the third on pages of their own (RFC 3533, RFC 7845).
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple

from ..door import open_place

_BLOCK, _COMMENTS, _PADDING = 4, 4, 1
_PAGE = 27
_MOST_SEGMENTS = 255
_MAGICS = {b"\x03vorbis": 2, b"OpusTags": 1}
"""How the packet of comments begins, and how many packets stand before the sound with it."""
_LARGEST_HEAD = 32 * 1024 * 1024
_MIRROR = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_TWINS = {
    "date": ("YEAR",),
    "tracknumber": ("TRACK", "TRACKTOTAL", "TOTALTRACKS"),
    "comment": ("DESCRIPTION", "COMMENTS"),
}
"""Names under which a field may stand as well."""


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
    head = _read_head(data)
    if head is not None:
        packets = [_with(head.packets[0], len(head.magic), comments), *head.packets[1:]]
        pages = b"".join(_pages_with(packets, data[14:18]))
        replace_bytes(place, head.begin, head.end - head.begin, pages)


def edit_flac(file: BinaryIO, said: Mapping[str, str]) -> list[bytes | range] | None:
    """Return the parts of a flac file with some fields as they are said, "" for none: bytes, or
    which bytes of the old file; None where its blocks are not whole. Padding is left out."""
    end = os.fstat(file.fileno()).st_size
    file.seek(0)
    if file.read(_BLOCK) != b"fLaC":
        return None
    at, blocks, is_last = _BLOCK, [], False
    comments = struct.pack("<II", 0, 0)
    while not is_last:
        head = file.read(_BLOCK)
        size = int.from_bytes(head[1:], "big")
        body = file.read(size)
        if len(head) < _BLOCK or len(body) < size:
            return None
        kind, is_last = head[0] & 0x7F, bool(head[0] & 0x80)
        if kind == _COMMENTS:
            comments = body
        elif kind != _PADDING:
            blocks.append((kind, body))
        at += _BLOCK + size
    blocks.insert(1, (_COMMENTS, _with(comments, 0, (), said)))
    if any(len(body) >= 1 << 24 for _, body in blocks):
        return None
    parts: list[bytes | range] = [b"fLaC"]
    for number, (kind, body) in enumerate(blocks, 1):
        mark = 0x80 if number == len(blocks) else 0
        parts += [bytes([kind | mark]) + len(body).to_bytes(3, "big"), body]
    return [*parts, range(at, end)]


def edit_ogg(file: BinaryIO, said: Mapping[str, str]) -> list[bytes | range] | None:
    """Return the parts of an ogg file with some fields as they are said, "" for none; None where it
    is not one stream from its begin to its end. Numbers and checksums of pages are not set."""
    end = os.fstat(file.fileno()).st_size
    file.seek(0)
    data = file.read(_LARGEST_HEAD)
    head = _read_head(data)
    if head is None or not _is_one_stream(file, data[14:18], end):
        return None
    packets = [_with(head.packets[0], len(head.magic), (), said), *head.packets[1:]]
    pages = b"".join(_pages_with(packets, data[14:18]))
    return [data[: head.begin], pages, range(head.end, end)]


def number_pages(number: int, serial: bytes = b"") -> None:
    """Number the pages of an open ogg file anew, and sum them up; with `serial` their stream gets
    that name of four bytes."""
    at = count = 0
    while len(header := os.pread(number, _PAGE, at)) == _PAGE and header[:4] == b"OggS":
        sizes = os.pread(number, header[-1], at + _PAGE)
        page = bytearray(os.pread(number, _PAGE + len(sizes) + sum(sizes), at))
        page[14:22] = (serial or header[14:18]) + struct.pack("<I", count)
        page[22:26] = bytes(4)
        page[22:26] = struct.pack("<I", _checksum(bytes(page)))
        os.pwrite(number, bytes(page), at)
        at, count = at + len(page), count + 1


def _checksum(page: bytes) -> int:
    """Return Ogg's CRC: that of zlib with every bit mirrored and nothing inverted."""
    mirrored = zlib.crc32(page.translate(_MIRROR), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int(f"{mirrored:032b}"[::-1], 2)


class _OggHead(NamedTuple):
    """The packets of an ogg file from the comments to the last before the sound, where their pages
    begin and end, and how the comments begin."""

    magic: bytes
    packets: list[bytes]
    begin: int
    end: int


def _read_head(data: bytes) -> _OggHead | None:
    """Return what stands before the sound; None where it is not on pages of its own."""
    pages = _pages(data)
    at = next(pages, (b"", b"", 0))[2]
    packets: list[bytes] = []
    part, end, magic = b"", at, b""
    for segments, body, after in pages:
        begin, end = 0, after
        for size in segments:
            part += body[begin : begin + size]
            begin += size
            if size < _MOST_SEGMENTS:
                packets.append(part)
                part = b""
        magic = next((m for m in _MAGICS if packets and packets[0].startswith(m)), b"")
        if len(packets) >= _MAGICS.get(magic, 1):
            break
    if not magic or part or len(packets) != _MAGICS[magic]:
        return None
    return _OggHead(magic, packets, at, end)


def _is_one_stream(file: BinaryIO, serial: bytes, end: int) -> bool:
    at = count = 0
    while at < end:
        header = os.pread(file.fileno(), _PAGE, at)
        begins = len(header) == _PAGE and bool(header[5] & 2)
        if header[:4] != b"OggS" or header[14:18] != serial or begins != (count == 0):
            return False
        sizes = os.pread(file.fileno(), header[-1], at + _PAGE)
        at, count = at + _PAGE + len(sizes) + sum(sizes), count + 1
    return at == end


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


def _with(
    block: bytes, at: int, comments: Sequence[str], said: Mapping[str, str] | None = None
) -> bytes:
    """Return a list of comments, which begins at a place, with more of them at its end, and with
    fields as they are said in the place of those that there are."""
    said = said or {}
    begin = at + 4 + struct.unpack_from("<I", block, at)[0]
    count = struct.unpack_from("<I", block, begin)[0]
    gone = {one for name in said for one in (name.upper(), *_TWINS.get(name, ()))}
    texts: list[bytes] = []
    end = begin + 4
    for _ in range(count):
        size = struct.unpack_from("<I", block, end)[0]
        text = block[end + 4 : end + 4 + size]
        if text.partition(b"=")[0].decode("ascii", "replace").upper() not in gone:
            texts.append(text)
        end += 4 + size
    texts += [f"{name.upper()}={text}".encode() for name, text in said.items() if text]
    texts += [text.encode() for text in comments]
    packed = b"".join(struct.pack("<I", len(text)) + text for text in texts)
    return block[:begin] + struct.pack("<I", len(texts)) + packed + block[end:]


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
