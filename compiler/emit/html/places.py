"""Places: the lines of the user's files that a page shows beside a node.

A node's own line is known from its span; the spans of what it holds (prompts, outputs, criteria)
say which further lines belong to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from ...ir import Node
from ...source.records import dataclass
from ...source.source import SourceSet, Span

NEAR = 6
"""Lines that may lie between two lines of one excerpt."""
AROUND = 3
"""Lines shown before and after."""
LONGEST, MAX_EXCERPTS, MAX_CHARACTERS = 60, 3, 400


@dataclass(frozen=True, slots=True)
class SourceExcerpt:
    """Lines of a file (from 1) as texts, and which of them (`first` to `last`) are the node's. In
    line `first` the characters `columns` (from 0) are its name, when it has one there."""

    file: str
    start: int
    lines: tuple[str, ...]
    first: int
    last: int
    columns: tuple[int, int] | None = None


def excerpts_of(node: Node, sources: SourceSet) -> tuple[SourceExcerpt, ...]:
    """Where the node stands: its own place first, then others that belong to it."""
    if node.span is None:
        return ()
    regions = _regions(node, sources)[:MAX_EXCERPTS]
    return tuple(
        _excerpt(region, sources, None if number else node.span)
        for number, region in enumerate(regions)
    )


def _regions(node: Node, sources: SourceSet) -> list[tuple[str, int, int]]:
    """Runs of lines (file, first, last), that with the node's own span first."""
    lines: set[tuple[str, int]] = set()
    own: tuple[str, int] | None = None
    for span in _spans(node):
        source = sources.get(span.file)
        if source is None:
            continue
        first = source.position(span.start).line
        last = min(source.position(max(span.start, span.end - 1)).line, first + LONGEST)
        own = own or (span.file, first)
        lines.update((span.file, line) for line in range(first, last + 1))
    runs: list[tuple[str, int, int]] = []
    for file, line in sorted(lines):
        if runs and runs[-1][0] == file and line - runs[-1][2] <= NEAR:
            runs[-1] = (file, runs[-1][1], line)
        else:
            runs.append((file, line, line))
    runs = [(file, a, min(b, a + LONGEST)) for file, a, b in runs]
    return sorted(runs, key=lambda r: not (own and r[0] == own[0] and r[1] <= own[1] <= r[2]))


def _spans(value: object) -> Iterator[Span]:
    """Every span in a value of the IR, its own first."""
    if isinstance(value, Span):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _spans(item)
    elif is_dataclass(value):
        span = getattr(value, "span", None)
        if span is not None:
            yield span
        for field in fields(value):
            if field.name != "span":
                yield from _spans(getattr(value, field.name))


def _excerpt(region: tuple[str, int, int], sources: SourceSet, own: Span | None) -> SourceExcerpt:
    file, first, last = region
    source = sources.files[file]
    start = max(1, first - AROUND)
    end = min(len(source.line_starts()), last + AROUND)
    lines = tuple(_clip(source.line_text(line)) for line in range(start, end + 1))
    columns = None
    if own is not None:
        at, stop = source.position(own.start), source.position(own.end)
        if at.line == first and stop.line == first and at.column < MAX_CHARACTERS:
            columns = (at.column - 1, stop.column - 1)
    return SourceExcerpt(file, start, lines, first, last, columns)


def _clip(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"
