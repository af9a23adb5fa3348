"""A step document as written: texts with their places, and the steps made of them."""

from __future__ import annotations

import re
from dataclasses import field
from typing import NamedTuple

from lark import Token

from ...ir import Input, Output
from ...source.records import dataclass
from ...source.source import Source, Span

_WRAP = re.compile(r"[ \t\r]*\n\s*")


class Located(NamedTuple):
    """A text and the characters of the file that it stands in."""

    text: str
    span: Span


_new = tuple.__new__  # `Located(…)` goes through a `__new__` in Python, once for every item


def join_lines(raw: str) -> str:
    """Return `raw` without blanks at its ends, wrapped lines joined by one blank."""
    text = raw.strip()
    return _WRAP.sub(" ", text) if "\n" in text else text


def locate(source: Source, start: int, raw: str) -> Located:
    """Return `raw`, which begins at offset `start`, without blanks at its ends. Wrapped lines are
    joined by one blank in the text; the span covers them as written."""
    text = raw.strip()
    start += raw.find(text)
    return _new(Located, (join_lines(text), Span(source.path, start, start + len(text))))


@dataclass(slots=True)
class Step:
    """One step as written. `span` is its name, or else its heading; `end` the offset behind its
    last line."""

    number: int
    name: str
    span: Span
    section: str
    end: int = 0
    description: Located | None = None
    tools: list[Located] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    asserts: list[Located] = field(default_factory=list)
    sections: list[Token] = field(default_factory=list)
    odd_fence: Span | None = None

    @property
    def label(self) -> str:
        """What messages call the step: its 1-based number and, if it has one, its name."""
        return f"step {self.number + 1} (`{self.name}`)" if self.name else f"step {self.number + 1}"


@dataclass(slots=True)
class StepDocument:
    """A whole file as written: its first level-1 heading, the prose before the steps, the steps."""

    title: str = ""
    prose: str = ""
    steps: list[Step] = field(default_factory=list)
