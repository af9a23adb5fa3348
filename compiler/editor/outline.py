"""The outline of a file: what it defines, each with the lines that belong to it, one in another.

Look around      a step, with its heading and all below it
  PLACE          what it writes
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import field

from ..reading.editing import Kind, Mention
from ..source.records import dataclass
from .folding import Fold
from .symbols import Symbols


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """Something defined: its kind and name, a title for people, where the name stands (offsets),
    and the lines that belong to it, counted from 0."""

    kind: Kind
    name: str
    title: str
    start: int
    end: int
    lines: tuple[int, int]
    inner: list[OutlineEntry] = field(default_factory=list)


def outline_of(
    symbols: Symbols, file: str, folds: Sequence[Fold], line_of: Callable[[int], int]
) -> list[OutlineEntry]:
    """Return what a file defines, in order, things inside of others. `line_of` gives the line of an
    offset, counted from 0."""
    workflow = symbols.workflow
    titles = {n.id: " ".join(n.title.split()) for n in workflow.nodes} if workflow else {}
    defined = [m for m in symbols.all if m.act == "define" and m.span.file == file]
    rows = [(mention, line_of(mention.span.start)) for mention in defined]
    blocks = _blocks(rows, folds)
    top: list[OutlineEntry] = []
    opened: list[OutlineEntry] = []
    for (mention, _), lines in zip(rows, blocks, strict=True):
        title = titles.get(mention.name, "") if mention.kind == "node" else ""
        span = mention.span
        place = OutlineEntry(mention.kind, mention.name, title, span.start, span.end, lines)
        while opened and not _holds(opened[-1], place):
            opened.pop()
        (opened[-1].inner if opened else top).append(place)
        opened.append(place)
    return top


def _holds(outer: OutlineEntry, inner: OutlineEntry) -> bool:
    first, last = inner.lines
    return outer.lines[0] <= first and last <= outer.lines[1] and outer.lines != inner.lines


def _blocks(rows: list[tuple[Mention, int]], folds: Sequence[Fold]) -> list[tuple[int, int]]:
    """Return the lines that belong to each definition: those of the innermost fold around it when
    it is the first that is defined there and no other of its kind is; else its own line alone."""
    places: dict[Kind, list[int]] = {}
    for mention, line in rows:
        places.setdefault(mention.kind, []).append(line)
    waiting = sorted(folds, key=lambda fold: (fold.first, -fold.last))[::-1]
    opened: list[Fold] = []
    blocks: list[tuple[int, int]] = []
    before = -1
    for mention, line in rows:
        while waiting and waiting[-1].first <= line:
            opened.append(waiting.pop())
        while opened and opened[-1].last < line:
            opened.pop()
        block = (line, line)
        if opened and before < opened[-1].first:
            fold, own = opened[-1], places[mention.kind]
            if bisect_right(own, fold.last) - bisect_left(own, fold.first) == 1:
                block = (fold.first, fold.last)
        blocks.append(block)
        before = line
    return blocks
