"""Places of a text as a language client counts them.

A client counts lines from 0, at every `\\n`, `\\r\\n` and lone `\\r`, and columns in units of the
agreed encoding (UTF-16 by default); flowc counts characters from the text's beginning, without a
byte-order mark.
"""

from __future__ import annotations

import bisect
import re

_ENDS = re.compile(r"\r\n?|\n")


class Lines:
    """Offsets of a text as lines and columns, and back. The nearest existing place stands for one
    outside."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.body = text.removeprefix("\ufeff")
        self.encoding = encoding
        self._mark = len(text) - len(self.body)
        self._starts = [0]
        if "\r" in self.body:
            self._starts += [m.end() for m in _ENDS.finditer(self.body)]
        else:
            find, at = self.body.find, 0
            while (at := find("\n", at) + 1) > 0:
                self._starts.append(at)
        self._wide: dict[int, tuple[list[int], list[int]]] = {}

    def replace(self, start: int, end: int, text: str) -> Lines:
        """Return the lines with `text` in place of the characters from `start` to `end`."""
        body = self.body[:start] + text + self.body[max(start, end) :]
        return Lines("\ufeff" * self._mark + body, self.encoding)

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 0, of a character."""
        offset = max(0, min(offset, len(self.body)))
        line = bisect.bisect_right(self._starts, offset) - 1
        column = offset - self._starts[line]
        places, extra = self._extra(line)
        column += extra[bisect.bisect_left(places, column)]
        return line, column + (self._marks() if line == 0 else 0)

    def end(self, line: int) -> tuple[int, int]:
        """Return line and column of the end of a line's text."""
        return self.position(self.end_offset(line))

    def end_offset(self, line: int) -> int:
        """Return the character where a line's text ends."""
        return self._end(min(line, len(self._starts) - 1))

    def offset(self, line: int, column: int) -> int:
        """Return the character at a line and column."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.body)
        start, end = self._starts[line], self._end(line)
        if line == 0:
            column = max(0, column - self._marks())
        places, extra = self._extra(line)
        # The units before each wide character; the column's character follows the last of them.
        units = [place + more for place, more in zip(places, extra, strict=False)]
        before = bisect.bisect_left(units, column)
        inside = column - extra[before]
        if before and inside <= places[before - 1]:
            inside = places[before - 1] + 1
        return max(start, min(start + inside, end))

    def _marks(self) -> int:
        """Return the units of the byte-order mark, when the client's text has one."""
        return self._mark * (3 if self.encoding == "utf-8" else 1)

    def _end(self, line: int) -> int:
        """Return the end of a line's text, before its line end."""
        if line + 1 >= len(self._starts):
            return len(self.body)
        end = self._starts[line + 1]
        return end - (2 if self.body[max(0, end - 2) : end] == "\r\n" else 1)

    def _extra(self, line: int) -> tuple[list[int], list[int]]:
        """Return the characters of a line that take more than one unit, and for each number of them
        the units beyond characters."""
        known = self._wide.get(line)
        if known is None:
            text = self.body[self._starts[line] : self._end(line)]
            known = ([], [0])
            if self.encoding != "utf-32" and not text.isascii():
                places, extra = known
                for place, char in enumerate(text):
                    more = _more(char, self.encoding)
                    if more:
                        places.append(place)
                        extra.append(extra[-1] + more)
            self._wide[line] = known
        return known


def _more(char: str, encoding: str) -> int:
    code = ord(char)
    if encoding == "utf-16":
        return 1 if code > 0xFFFF else 0
    return 0 if code < 0x80 else 1 if code < 0x800 else 2 if code < 0x10000 else 3


class Shift:
    """Places of an older text in a newer one, where one part was edited."""

    def __init__(self, old: str, new: str) -> None:
        self.head = _common(old, new)
        self.tail = _common(old[self.head :][::-1], new[self.head :][::-1])
        self.old, self.new = len(old), len(new)

    def keeps(self, start: int, end: int) -> bool:
        """Return whether a place of the older text stands in the newer one as it was."""
        return end <= self.head or start >= self.old - self.tail

    def to_new(self, offset: int) -> int:
        """Return the place in the newer text."""
        return self._move(offset, self.old, self.new)

    def to_old(self, offset: int) -> int:
        """Return the place in the older text."""
        return self._move(offset, self.new, self.old)

    def _move(self, offset: int, there: int, here: int) -> int:
        if offset < self.head:
            return offset
        if offset >= there - self.tail:
            return offset + here - there
        return min(offset, here - self.tail)


def _common(old: str, new: str) -> int:
    """Return how many characters the beginnings of two texts have in common."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if old[low:middle] == new[low:middle] else (low, middle - 1)
    return low
