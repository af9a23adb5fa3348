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
    """Return `raw` without blanks at its ends, wrapped lines joined by one blank."""
    text = raw.strip()
    return _WRAP.sub(" ", text) if "\n" in text else text


def locate(source: Source, start: int, raw: str) -> Located:
    """Return `raw`, which begins at offset `start`, without blanks at its ends. Wrapped lines are
    joined by one blank in the text; the span covers them as written."""
    text = raw.strip()
    start += raw.find(text)
    return _new(Located, (join_lines(text), Span(source.path, start, start + len(text))))
