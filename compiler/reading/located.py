"""Text with its place."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..source.source import Source, Span

_WRAP = re.compile(r"[ \t\r]*\n\s*")


class Located(NamedTuple):
    """A text and the characters of the file that it stands in."""

    text: str
    span: Span


_new = tuple.__new__


def join_lines(raw: str) -> str:
    """`raw` without blanks at its ends, wrapped lines joined by one blank."""
    text = raw.strip()
    return _WRAP.sub(" ", text) if "\n" in text else text


def locate(source: Source, start: int, raw: str) -> Located:
    """`raw`, which begins at offset `start`, without blanks at its ends; wrapped lines are joined
    by one blank in the text, while the span covers what the file says."""
    text = raw.strip()
    start += raw.find(text)
    span = Span(source.path, start, start + len(text))
    return _new(Located, (_WRAP.sub(" ", text) if "\n" in text else text, span))
