"""Where a run's lines go: plain lines in a pipe; on a terminal, live lines below them.

A live line is rewritten in place until its node is done. Everything goes to one stream (stderr), so
that stdout holds the result alone.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TextIO

from flowc.compiler.source.snippet import visible

if TYPE_CHECKING:
    from flowc.compiler.ir import Workflow

Tone = Literal["good", "bad", "warn", "ask", "dim", "strong"]
_SGR: dict[Tone, str] = {
    "good": "32", "bad": "1;31", "warn": "1;33", "ask": "1;36", "dim": "2", "strong": "1",
}  # fmt: skip
_PIPE_WIDTH = 120
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_UP_AND_CLEAR = "\x1b[1A\x1b[2K"

Ink = Callable[[str, Tone], str]


@dataclass(frozen=True, slots=True)
class Marks:
    """The signs in front of a node's line."""

    done: str = "✓"
    ask: str = "?"
    fail: str = "✗"
    busy: str = "▸"
    note: str = "!"


_ASCII_MARKS = Marks(done="+", fail="x", busy=">")


@dataclass(slots=True)
class Screen:
    """Writes lines to `stream`; `live` says that it is a terminal that can rewrite lines."""

    stream: TextIO
    live: bool
    color: bool
    marks: Marks = Marks()
    _rows: list[str] = field(default_factory=list)

    @property
    def width(self) -> int:
        """Columns; a pipe has a fixed number."""
        return self._size().columns if self.live else _PIPE_WIDTH

    @property
    def height(self) -> int:
        """Lines of the terminal."""
        return self._size().lines

    def _size(self) -> os.terminal_size:
        """Return the terminal's size now, or that of the environment."""
        try:
            size = os.get_terminal_size(self.stream.fileno())
        except (OSError, ValueError):
            size = os.terminal_size((0, 0))
        return size if size.columns and size.lines else shutil.get_terminal_size((_PIPE_WIDTH, 24))

    def ink(self, text: str, tone: Tone) -> str:
        """Return the text in a colour, or as it is."""
        return f"\x1b[{_SGR[tone]}m{text}\x1b[0m" if self.color and text else text

    def print(self, *lines: str) -> None:
        """Print lines that stay, above the live ones."""
        self.update(lines, self._rows)

    def update(self, lines: Sequence[str], rows: Sequence[str]) -> None:
        """Add lines that stay and replace the live ones, at once. A row must fit the width; without
        a terminal there are no live rows."""
        if lines or (self.live and list(rows) != self._rows):
            self._draw(rows, "".join(f"{line}\n" for line in lines))

    def settle(self) -> None:
        """Take the live lines away, before a prompt or the end."""
        self.update((), ())

    def _lines_taken(self) -> int:
        """Return the lines that the live rows take now: a narrower terminal wraps them."""
        width = max(self.width, 1)
        return sum(max(1, -(-len(_COLOURS.sub("", row)) // width)) for row in self._rows)

    def _draw(self, rows: Sequence[str], above: str) -> None:
        clear = _UP_AND_CLEAR * self._lines_taken()
        self._rows = list(rows) if self.live else []
        self.stream.write(clear + above + "".join(f"{row}\n" for row in self._rows))
        self.stream.flush()


def screen_on(stream: TextIO) -> Screen:
    """Return a screen as the stream allows it: live on a terminal, colours unless NO_COLOR is set,
    plain signs where the encoding has no others."""
    terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
    color = terminal and not os.environ.get("NO_COLOR")
    try:
        "✓✗▸·→…".encode(stream.encoding or "ascii")
        marks = Marks()
    except (UnicodeEncodeError, LookupError):
        marks = _ASCII_MARKS
    return Screen(stream, live=terminal, color=color, marks=marks)


def one_line(text: str, room: int) -> str:
    """Return a stranger's text in one line of at most `room` characters: blanks joined, control
    signs made visible, the rest cut with an ellipsis."""
    line = visible(" ".join(text[: room * 4 + 80].split()))
    return line if len(line) <= room else line[: max(room - 1, 0)] + "…"


def seconds_of(value: float) -> str:
    """Return `0.4 s`, `2 m 05 s`, `1 h 02 m`, `3 d 04 h`."""
    if value < 59.95:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} m {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} m" if hours < 48 else f"{hours // 24} d {hours % 24:02d} h"


def count_of(number: int, noun: str) -> str:
    """Return `1 node`, `6 nodes`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def tokens_of(number: int) -> str:
    """Return `340 tokens`, `1.2k tokens`."""
    return count_of(number, "token") if number < 1000 else f"{number / 1000:.1f}k tokens"


def written_size(workflow: Workflow) -> str:
    """Return how many nodes and edges the file writes, in words; implied ones are left out."""
    implied = {e.target for e in workflow.edges if e.implied}
    plain = {e.target for e in workflow.edges if not e.implied}
    nodes = [n for n in workflow.nodes if n.id not in implied - plain or n.id == workflow.entry]
    edges = sum(not e.implied for e in workflow.edges)
    return f"{count_of(len(nodes), 'node')}, {count_of(edges, 'edge')}"
