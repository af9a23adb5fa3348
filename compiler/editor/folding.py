"""Folding: which lines of a file belong together, whatever the format and however broken the text.

    ### 🔧 WORKFLOW STEP: Look around      ─┐ a heading, up to the next one of its level
    ```                                     │ ─┐ a fence
    Find a place.                           │  │
    ```                                     │ ─┘
    ### 🔧 WORKFLOW STEP: Say it           ─┘

Only the text is looked at, in one pass, so that a half-written file folds too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal as Lit

from ..reading.editing import Editing
from ..source.records import dataclass

MAX_FOLDS = 20_000
"""Folds of one file: beyond them nobody folds, and editors become slow."""
MAX_DEPTH = 200


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines that belong together, from `first` to `last`, both counted from 0 and folded away below
    the first one."""

    first: int
    last: int
    kind: Lit["region", "comment"] = "region"


def folds_of(text: str, editing: Editing) -> tuple[Fold, ...]:
    """Return the folds of a text, in the order of their first lines. `editing` says how the format
    nests: by brackets, by indentation, or by headings and fences. Lines end at `\\n`, `\\r\\n` or a
    lone `\\r`, as editors count them."""
    lines = re.split(r"\r\n|\r|\n", text)
    match editing.keys:
        case "json":
            found = _by_brackets(lines)
        case "yaml":
            found = _by_indentation(lines)
        case _:
            found = _by_headings(lines, editing.within)
    folds = []
    for fold in found:
        folds.append(fold)
        if len(folds) == MAX_FOLDS:
            break
    return tuple(sorted(folds, key=lambda fold: (fold.first, -fold.last)))


# Possessive (`*+`): a quote that is never closed must not be tried from every character.
_JSON_MARK = re.compile(r'"(?:[^"\\]|\\.)*+"?|(?P<open>[{\[])|(?P<close>[}\]])')


def _by_brackets(lines: list[str]) -> Iterator[Fold]:
    """Yield objects and lists of several lines, up to the line before the one that closes them."""
    opened: list[int] = []
    for number, line in enumerate(lines):
        for mark in _JSON_MARK.finditer(line):
            if mark["open"]:
                opened.append(number)
            elif mark["close"] and opened:
                first = opened.pop()
                if number - 1 > first:
                    yield Fold(first, number - 1)


_BLOCK = re.compile(r"(?:^|[\s:-])[|>][-+0-9]*\s*(?:#.*)?$")


def _by_indentation(lines: list[str]) -> Iterator[Fold]:
    """Yield lines with what is indented below them, and comments of several lines. An item of a
    list ends before the next dash of its column; a list may stand in the column of its key."""
    opened: list[tuple[int, int]] = []  # the column and line of what may hold more
    comment: int | None = None
    text: int | None = None  # the column of the key whose text these lines are
    last = -1
    for number, line in enumerate(lines):
        inner = line.lstrip(" ")
        column = len(line) - len(inner)
        if not inner.strip():
            continue
        if text is not None and column > text:
            last = number
            continue
        text = column if _BLOCK.search(line) else None
        if inner.startswith("#"):
            comment, text = number if comment is None else comment, None
            continue
        if comment is not None:
            yield from _comment(lines, comment, number - 1)
            comment = None
        own = column + 1 if inner.startswith("- ") or inner.rstrip() == "-" else column
        while opened and opened[-1][0] >= own:
            _, first = opened.pop()
            if last > first:
                yield Fold(first, last)
        if len(opened) < MAX_DEPTH:
            opened.append((own, number))
        last = number
    if comment is not None:
        yield from _comment(lines, comment, len(lines) - 1)
    for _, first in reversed(opened):
        if last > first:
            yield Fold(first, last)


def _comment(lines: list[str], first: int, last: int) -> Iterator[Fold]:
    while last > first and not lines[last].strip():
        last -= 1
    if last > first:
        yield Fold(first, last, "comment")


_HEADING = re.compile(r"(?P<marks>#{1,6})(?:\s|$)")
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})(?P<info>[^`]*)$")
_SUBGRAPH = re.compile(r"\s*subgraph\b")
_END = re.compile(r"\s*end\s*;?\s*$")
_CHART = re.compile(r"\s*(?:flowchart|graph)\b")


def _by_headings(lines: list[str], within: re.Pattern[str] | None) -> Iterator[Fold]:
    """Yield sections of headings, fences, comments of HTML and subgraphs of charts."""
    headings: list[tuple[int, int]] = []
    fence: tuple[str, int] | None = None
    comment: int | None = None
    subgraphs: list[int] = []
    is_chart = any(_CHART.match(line) for line in lines[:50])
    last = -1  # the last line with something on it
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        if comment is not None:
            if "-->" in line:
                if number > comment:
                    yield Fold(comment, number, "comment")
                comment = None
        elif (mark := _FENCE.match(line)) is not None and _toggles(fence, mark):
            if fence is None:
                fence = (mark["marks"], number)
                subgraphs = []
                is_chart = is_chart or "mermaid" in mark["info"]
            else:
                yield Fold(fence[1], number)
                fence = None
        elif fence is None and (heading := _HEADING.match(line)) is not None:
            deeper = within is not None and within.match(line) is not None
            level = 2 * len(heading["marks"]) + deeper
            while headings and headings[-1][0] >= level:
                _, first = headings.pop()
                if last > first:
                    yield Fold(first, last)
            headings.append((level, number))
        elif fence is None and line.lstrip().startswith("<!--") and "-->" not in line:
            comment = number
        elif is_chart and _SUBGRAPH.match(line):
            subgraphs.append(number)
        elif is_chart and subgraphs and _END.match(line):
            yield Fold(subgraphs.pop(), number)
        last = number
    if fence is not None and last > fence[1]:
        yield Fold(fence[1], last)
    for _, first in reversed(headings):
        if last > first:
            yield Fold(first, last)


def _toggles(fence: tuple[str, int] | None, mark: re.Match[str]) -> bool:
    """Return whether a line of fence marks opens a fence or closes the open one."""
    if fence is None:
        return True
    marks = mark["marks"]
    return marks[0] == fence[0][0] and len(marks) >= len(fence[0]) and not mark["info"].strip()
