"""Where a bracket of JSON was meant to end, told by how the lines are indented.

{
  "a": {
    "b": 1        here: the next line is not further in than the one of the `{`
  "c": 2
}
"""

from __future__ import annotations

from typing import NamedTuple

from flowc.grammar.json_lexing import tokens

_ENDS = {"CLOSE_OBJECT": "OPEN_OBJECT", "CLOSE_LIST": "OPEN_LIST"}


class UnclosedBracket(NamedTuple):
    """A bracket that nothing closes: its kind and place, and the end of what stands last in it."""

    kind: str
    start: int
    end: int


def unclosed_bracket(text: str) -> UnclosedBracket | None:
    """Return the first bracket that the indentation ends before anything closes it; None where
    every line is where its brackets want it."""
    open: list[tuple[str, int, int]] = []
    last, line = 0, 0
    for kind, start, end in tokens(text):
        newline = text.rfind("\n", last, start) + 1 if start > last else 0
        first = newline > 0 and not text[newline:start].strip(" \t")
        line = newline or line
        indent = start - line if first else -1
        if open and kind != "COMMENT" and kind != "COMMA" and (first or kind == "END"):
            opener, place, outer = open[-1]
            closes = _ENDS.get(kind) == opener
            if kind == "END" or indent < outer or (indent == outer and not closes):
                return UnclosedBracket(opener, place, last)
        if kind in ("OPEN_OBJECT", "OPEN_LIST"):
            begin = text[line:start]
            open.append((kind, start, len(begin) - len(begin.lstrip(" \t"))))
        elif open and kind in _ENDS:
            if _ENDS[kind] != open[-1][0]:
                return None
            open.pop()
        last = end
    return None
