"""Semantic tokens: what each name of a file is, for editors that show it in colour.

The protocol's words stand in `TYPES` and `MODIFIERS`; a token names its place in them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..reading.editing import Kind
from ..source.records import dataclass
from ..source.source import Span
from .symbols import Symbols

TYPES: dict[Kind, str] = {
    "node": "function",
    "variable": "variable",
    "prompt": "macro",
    "tool": "method",
    "workflow": "namespace",
    "function": "function",
    "agent": "class",
    "thread": "event",
    "role": "interface",
    "file": "namespace",
}
"""The protocol's type of token for a kind of name."""
MODIFIERS: dict[str, tuple[str, ...]] = {
    "define": ("declaration", "definition"),
    "write": ("modification",),
    "read": (),
    "name": (),
}
"""The protocol's modifiers for what a place does with a name."""
MAX_LENGTH = 200
"""Characters of a token: a place that covers more says something in other words."""


@dataclass(frozen=True, slots=True)
class Token:
    """A name on one line: its place, the protocol's type and modifiers."""

    span: Span
    type: str
    modifiers: tuple[str, ...]


def tokens_of(symbols: Symbols, file: str, start: int, end: int) -> Iterator[Token]:
    """Yield the names of a file between two offsets, in order, none of them overlapping another:
    of two places the inner one counts."""
    source = symbols.sources.get(file)
    if source is None:
        return
    waiting: Token | None = None
    for mention in symbols.all:
        span = mention.span
        if span.file != file or span.end <= start or span.start >= end:
            continue
        text = source.text[span.start : min(span.end, span.start + MAX_LENGTH + 1)]
        if not text or len(text) > MAX_LENGTH or "\n" in text or "\r" in text:
            continue
        token = Token(span, TYPES[mention.kind], MODIFIERS[mention.act])
        if waiting is not None and span.start < waiting.span.end:
            # A name inside a longer place; two names of one place keep the first.
            if span.end < waiting.span.end:
                waiting = token
            continue
        if waiting is not None:
            yield waiting
        waiting = token
    if waiting is not None:
        yield waiting
