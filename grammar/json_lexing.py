"""Tokens of JSON: one compiled alternation.

Nothing is refused here. What JSON does not have becomes a token of its own kind (a word without
quotes, a text with the wrong quotes or without an end, a comment), and the parser reports it.

Every pattern is linear: repeated groups are possessive and their alternatives begin with different
characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_COLON = r"[ \t\r\n]*+:"
_TEXT = r'"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+"'
_LOOSE = r"""(?!\#)(?:[^\s"'{}()\[\],:/]|/(?![/*]))++"""
_OTHER_TEXT = r"""'(?:[^'\\\n]|\\[^\n])*+'|"(?:[^"\\\n]|\\[^\n])*+\""""

TOKEN = re.compile(
    rf"""[ \t\r\n]*+(?:
  (?P<KEY>{_TEXT}{_COLON})
 |(?P<TEXT>{_TEXT})
 |(?P<COMMA>,)
 |(?P<OPEN_OBJECT>\{{)
 |(?P<CLOSE_OBJECT>\}})
 |(?P<NUMBER>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?=[\s,\]}}]|\Z))
 |(?P<WORD>(?:true|false|null)(?=[\s,\]}}]|\Z))
 |(?P<OPEN_LIST>\[)
 |(?P<CLOSE_LIST>\])
 |(?P<PARENTHESIS>[()])
 |(?P<LOOSE_KEY>(?:{_OTHER_TEXT}|{_LOOSE}){_COLON}(?!//))
 |(?P<LOOSE_TEXT>{_OTHER_TEXT})
 |(?P<UNENDED>["'][^\n]*+)
 |(?P<COMMENT>//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?
    |(?:\#|--[ ])[^\n]*+)
 |(?P<COLON>:)
 |(?P<LOOSE>{_LOOSE}|.)
 |(?P<END>\Z))
""",
    re.X | re.S,
)


def tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of every token in character offsets; the last one is END."""
    match, pos, kind = TOKEN.match, 0, ""
    while kind != "END":
        token = match(text, pos)
        assert token is not None
        assert token.lastgroup is not None
        kind = token.lastgroup
        start, pos = token.span(kind)
        yield kind, start, pos
