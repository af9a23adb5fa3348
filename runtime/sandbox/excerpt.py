"""Keeps the beginning and the end of an output of any length in bounded memory."""

from __future__ import annotations

import codecs


class Excerpt:
    """Takes bytes and keeps at most `limit` of them, with the count of the rest."""

    def __init__(self, limit: int) -> None:
        self._half = max(1, limit // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        # Cut seldom, so that many small pieces do not move the bytes again and again.
        if len(self._tail) > 2 * self._half:
            del self._tail[: -self._half]

    @property
    def cut(self) -> bool:
        """Whether bytes are missing."""
        return self.total > len(self._head) + min(len(self._tail), self._half)

    def text(self) -> str:
        """Return the text; bytes that are not UTF-8 are shown as U+FFFD."""
        tail = self._tail[-self._half :]
        cut = self.total - len(self._head) - len(tail)
        if cut == 0:
            return (self._head + tail).decode("utf-8", "replace")
        # Half a character on either side of the cut is dropped, not shown as damage.
        head = codecs.getincrementaldecoder("utf-8")("replace").decode(bytes(self._head))
        start = next((i for i in range(min(4, len(tail))) if tail[i] & 0xC0 != 0x80), 0)
        end = tail[start:].decode("utf-8", "replace")
        return f"{head}\n[… {cut:,} bytes cut …]\n{end}"
