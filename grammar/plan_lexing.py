"""The line lexer of living documents: one regular expression, one token for each piece.

A fenced block is one token, and so are a field with its wrapped lines and a run of bullets. Blank
lines give none. Tokens carry offsets; no lines are counted. No pattern backtracks over more than
the line it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lark import Token

from .lexing import LineLexer

MARK = r"(?P<mark>`{3,}+(?=[^`\n]*(?:\n|\Z))|~{3,}+)"
"""The mark that opens a fence; the tag behind one of backticks holds no backtick."""

CLOSING = r"[ \t]*(?P=mark)(?:`*|~*)[ \t]*\r?(?:\n|\Z)"
"""The line that closes a fence: its mark or a longer one, at any indentation."""

_END = r"(?:\n|\Z)"
_BLANK = r"[ \t]*\r?\n"
_BULLET = r"(?:[*+-]|[0-9]{1,9}[.)])[ \t]"
_RULE = rf"[ ]{{0,3}}(?:-{{3,}}|\*{{3,}}|_{{3,}})[ \t]*\r?{_END}"
_FIELD = r"[ ]?[*+-][ \t]+\*\*[^*:\n]++:\*\*"
_LOG = r"[ ]?[*+-][ \t]+`[^`\n]++`:"
_STEP = r"[ ]{0,3}\#{3}[ \t]+[Ss][Tt][Ee][Pp][ \t]+[0-9{]"
_SPECIAL = rf"{_BLANK}|[ \t]*{_BULLET}|[ \t]*(?:`{{3}}|~{{3}})|[ ]{{0,3}}\#{{1,6}}[ \t]|{_RULE}"
_MORE = rf"(?:(?!{_SPECIAL})[^\n]+{_END})*+"
"""The lines that a paragraph is wrapped over."""

LINES = re.compile(
    rf"""
    (?P<BLANK>(?:{_BLANK})+|[ \t]+\Z)
  | (?P<FIELD>{_FIELD}[^\n]*{_END}{_MORE})
  | (?P<FENCE>[ \t]*{MARK}[^\n]*{_END}(?:(?!{CLOSING})[^\n]*\n)*+[^\n]*{_END})
  | (?P<LOG>{_LOG}[^\n]*{_END}{_MORE})
  | (?P<STEP>{_STEP}[^\n]*{_END})
  | (?P<SECTION>[ ]{{0,3}}\#\#[ \t][^\n]*{_END})
  | (?P<TITLE>[ ]{{0,3}}\#[ \t][^\n]*{_END})
  | (?P<ITEMS>(?:(?!{_FIELD}|{_LOG}|{_RULE})[ \t]*{_BULLET}[^\n]*{_END}{_MORE})++)
  | (?P<TEXT>[^\n]+{_END}{_MORE})
    """,
    re.VERBOSE,
)


class PlanLexer(LineLexer):
    """Lexer of living documents; a byte-order mark at the very beginning is skipped."""

    def split(self, text: str, position: int) -> Iterator[Token]:
        match_at, end = LINES.match, len(text)
        if position == 0 and text.startswith("\ufeff"):
            position = 1
        while position < end:
            match = match_at(text, position)
            assert match is not None, "the alternation ends with a run of any characters"
            start, position = position, match.end()
            kind = match.lastgroup
            if kind == "BLANK":
                continue
            yield Token(kind or "TEXT", match[0], start_pos=start, end_pos=position)
