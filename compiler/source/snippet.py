"""Draw the lines that a diagnostic is about, with its places underlined.

   |
14 |     CHECK_TESTS{RESULT == 'ok'} --> PROMPT_FIX
   |     -----------                     ^^^^^^^^^^ nobody wrote this activity
   |     |
   |     the edge begins here
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Literal

from .records import dataclass
from .source import Source

Style = Literal["error", "warning", "frame", "second", "strong", "plain"]
_SGR: dict[Style, str] = {
    "error": "1;31", "warning": "1;33", "frame": "1;34", "second": "1;36", "strong": "1",
    "plain": "",
}  # fmt: skip
_TAB = "    "
_AS_PICTURE = "\ufe0f"
_CONTEXT = 2
"""Lines kept at each end of a span over many lines; what lies between is left out."""


@dataclass(frozen=True, slots=True)
class Underline:
    """Characters `start` to `end` (offsets) underlined, with a few words; `primary` in `^`."""

    start: int
    end: int
    style: Style
    text: str = ""
    primary: bool = True


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours for a terminal, or none."""

    enabled: bool = False

    def __call__(self, text: str, style: Style) -> str:
        if not self.enabled or style == "plain" or not text.strip():
            return text
        return f"\x1b[{_SGR[style]}m{text}\x1b[0m"


@dataclass(frozen=True, slots=True)
class _Under:
    """An underline on one line, in screen columns."""

    start: int
    end: int
    mark: Underline


def visible(text: str) -> str:
    """Replace control and direction characters: a file cannot steer the terminal."""
    return text.translate(_replacements()) if not text.isprintable() else text


@cache
def _replacements() -> dict[int, str]:
    """Map every hidden character to what is shown in its place; a tab stays."""
    signs = {code: chr(0x2400 + code) for code in range(0x20) if code != 9}
    return dict.fromkeys(_hidden_characters(), "\ufffd") | signs


@cache
def _hidden_characters() -> frozenset[int]:
    """Return the characters that control a terminal or the direction of writing, and surrogates."""
    controls, directions = range(0x7F, 0xA0), (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
    separators = (0x061C, 0x200E, 0x200F, 0x2028, 0x2029)
    return frozenset((*controls, *directions, *separators, *range(0xD800, 0xE000)))


def excerpt(
    source: Source, marks: Iterable[Underline], gutter: int, paint: Paint, width: int
) -> list[str]:
    """Return the lines under the marks, numbered in a column `gutter` wide, about `width` wide."""
    tidy = [_trim(source, mark) for mark in marks]
    tall = next(
        (m for m in tidy if m.primary and _lines(source, m)[1] > _lines(source, m)[0]), None
    )
    flat = [m if m is tall else _first_line(source, m) for m in tidy]
    drawing = _Drawing(source, flat, tall, gutter, paint, width)
    shown = sorted({n for m in flat for n in _shown_lines(*_lines(source, m))})
    blank = f"{' ' * gutter} {paint('|', 'frame')}"
    rows, before = [blank], None
    for number in _fill_gaps(shown):
        if before is not None and number > before + 1:
            rows.append(paint("...", "frame"))
        rows += drawing.line(number)
        before = number
    return rows


def last_line(source: Source, marks: Iterable[Underline]) -> int:
    """Return the largest line number that `excerpt` shows."""
    return max(_lines(source, _trim(source, mark))[1] for mark in marks)


@dataclass(frozen=True, slots=True)
class _Drawing:
    """The marks of one file; `tall` is the one that goes over several lines."""

    source: Source
    marks: list[Underline]
    tall: Underline | None
    gutter: int
    paint: Paint
    width: int

    def line(self, number: int) -> list[str]:
        """Return the rows of a line: its text, and what is underlined in it."""
        source, tall, paint, gutter = self.source, self.tall, self.paint, self.gutter
        text = source.line_text(number)
        begin = source.line_starts()[number - 1]
        here = [m for m in self.marks if m is not tall and _lines(source, m)[0] == number]
        low, high = _window(text, begin, here or ([tall] if tall else []), self.width - gutter - 5)
        shown, columns = _screen(text, low, high)
        unders = [u for m in here if (u := _under(m, begin, low, high, columns)) is not None]
        margin, tail = self._margin(number, tall, begin + low, columns) if tall else (("", ""), [])
        lead = f"{' ' * gutter} {paint('|', 'frame')} "
        rows = [f"{paint(f'{number:>{gutter}} |', 'frame')} {margin[0]}{shown}".rstrip()]
        rows += [f"{lead}{margin[1]}{row}".rstrip() for row in _underline(unders, paint)]
        return rows + [f"{lead}{row}".rstrip() for row in tail]

    def _margin(
        self, number: int, tall: Underline, begin: int, columns: list[int]
    ) -> tuple[tuple[str, str], list[str]]:
        """Return two columns that bracket a span over several lines, for this line and for rows
        under it, and the rows that open or close the span."""
        # 3 |   steps:           the span begins inside of a line: a row opens it
        #   |  __^
        # 4 | | - name: x
        # 5 | | - name: y
        #   | |_________^ words
        first, last = _lines(self.source, tall)
        bar, style = self.paint("|", tall.style) + " ", tall.style
        if not first <= number <= last:
            return ("  ", "  "), []
        if number == first:
            start = self.source.line_starts()[first - 1]
            if not self.source.text[start : tall.start].strip():
                return (self.paint("/", style) + " ", bar), []
            column = columns[min(max(tall.start - begin, 0), len(columns) - 1)]
            return ("  ", "  "), [" " + self.paint("_" * (column + 1) + "^", style)]
        if number < last:
            return (bar, bar), []
        column = columns[min(max(tall.end - begin, 0), len(columns) - 1)]
        closing = self.paint("|" + "_" * max(column, 1) + "^", style)
        return (bar, bar), [f"{closing} {self.paint(visible(tall.text), style)}".rstrip()]


def _underline(unders: list[_Under], paint: Paint) -> list[str]:
    """Return the row of `^` and `-`, with the rightmost words beside it and the others below."""
    if not unders:
        return []
    canvas: dict[int, tuple[str, Style]] = {}
    for under in sorted(unders, key=lambda u: u.mark.primary):
        sign = "^" if under.mark.primary else "-"
        canvas |= dict.fromkeys(range(under.start, under.end), (sign, under.mark.style))
    waiting = sorted((u for u in unders if u.mark.text), key=lambda u: u.start)
    first = _row(canvas, paint)
    if waiting and waiting[-1].end == max(canvas) + 1:
        last = waiting.pop()
        first += " " + paint(visible(last.mark.text), last.mark.style)
    rows = [first]
    if waiting:
        rows.append(_row({u.start: ("|", u.mark.style) for u in waiting}, paint))
    while waiting:
        last = waiting.pop()
        bars = _row({u.start: ("|", u.mark.style) for u in waiting if u.start < last.start}, paint)
        used = max((u.start for u in waiting if u.start < last.start), default=-1) + 1
        words = paint(visible(last.mark.text), last.mark.style)
        rows.append(bars + " " * (last.start - used) + words)
    return rows


def _row(canvas: dict[int, tuple[str, Style]], paint: Paint) -> str:
    """Return the painted characters of a sparse row; neighbours of one style share a colour
    code."""
    out, run, at = "", "", 0
    style: Style = "plain"
    for column in sorted(canvas):
        sign, wanted = canvas[column]
        if column > at or wanted != style:
            out += paint(run, style) + " " * (column - at)
            run, style = "", wanted
        run += sign
        at = column + 1
    return out + paint(run, style)


def _under(mark: Underline, begin: int, low: int, high: int, columns: list[int]) -> _Under | None:
    """Return where a mark stands on the screen; None when the shown part of the line lacks it."""
    start, end = mark.start - begin - low, mark.end - begin - low
    if end < 0 or start > high - low:
        return None
    left = columns[max(start, 0)]
    right = columns[min(max(end, 0), high - low)]
    return _Under(left, max(right, left + 1), mark)


def _window(text: str, begin: int, marks: list[Underline], room: int) -> tuple[int, int]:
    """Return the range of a line's characters to show: all, or `room` of them around the mark."""
    room = max(room, 40)
    if len(text) <= room:
        return 0, len(text)
    focus = next((m for m in marks if m.primary), marks[0] if marks else None)
    start = max(focus.start - begin, 0) if focus else 0
    length = min(focus.end - focus.start, room // 2) if focus else 0
    low = max(0, min(start - (room - length) // 2, len(text) - room))
    return low, min(low + room, len(text))


def _screen(text: str, low: int, high: int) -> tuple[str, list[int]]:
    """Return what to print of `text[low:high]`, and the screen column of each character and the
    end."""
    piece = text[low:high]
    if piece.isascii() and piece.isprintable():
        shown, columns = piece, list(range(len(piece) + 1))
    else:
        parts, columns, column = [], [0], 0
        before = ""
        for char in piece:
            parts.append(_TAB if char == "\t" else visible(char))
            column += len(_TAB) if char == "\t" else _cells(char, before)
            columns.append(column)
            before = char
        shown = "".join(parts)
    if low > 0:
        shown = "…" + shown[1:]
    if high < len(text):
        shown = shown[:-1] + "…"
    return shown, columns


def _cells(char: str, before: str) -> int:
    """Return how many terminal columns a character takes: 0, 1 or 2. A selector that turns the sign
    before it into a picture (as in 🛠️) makes that sign wide."""
    if char.isascii():
        return 1
    if char == _AS_PICTURE:
        return 1 if before and not before.isascii() and _cells(before, "") == 1 else 0
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 1 if ord(char) in _hidden_characters() else 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _trim(source: Source, mark: Underline) -> Underline:
    """Return the mark inside the text, without the blanks and line ends at its end."""
    start = max(0, min(mark.start, len(source.text)))
    end = max(start, min(mark.end, len(source.text)))
    if end > start and source.text[end - 1] in "\r\n":
        end = max(start, start + len(source.text[start:end].rstrip()))
    return replace(mark, start=start, end=end)


def _first_line(source: Source, mark: Underline) -> Underline:
    """Return the part of a mark that lies on its first line."""
    first, last = _lines(source, mark)
    if first == last:
        return mark
    end = source.line_starts()[first - 1] + len(source.line_text(first))
    return replace(mark, end=max(mark.start, end))


def _lines(source: Source, mark: Underline) -> tuple[int, int]:
    return source.position(mark.start).line, source.position(mark.end).line


def _shown_lines(first: int, last: int) -> set[int]:
    if last - first <= 2 * _CONTEXT + 1:
        return set(range(first, last + 1))
    return {*range(first, first + _CONTEXT), *range(last - _CONTEXT + 1, last + 1)}


def _fill_gaps(lines: list[int]) -> list[int]:
    """Fill a gap of one line: dots would take as much room and say less."""
    gaps = [n + 1 for n, after in pairwise(lines) if after == n + 2]
    return sorted([*lines, *gaps])
