"""Line lexers for markdown: one compiled alternation, one token per structural line.

A fenced block is one token, a run of prose lines is one token, and so is a list with its heading
and the items' wrapped lines; blank lines and rules give none. Tokens carry offsets (`start_pos`,
`end_pos`), from which spans and columns follow; no lines are counted. No pattern here backtracks
over more than the line it stands in.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterator
from typing import Any

from lark import Token
from lark.lexer import Lexer

KEYWORDS: dict[str, str] = {
    "WORKFLOW STEP": "STEP",
    "TOOLS": "TOOLS",
    "TOOL": "TOOL",
    "INPUTS": "INPUTS",
    "OUTPUTS": "OUTPUTS",
    "ASSERT": "ASSERT",
}
"""The keyword of a step markdown heading, and the token its line becomes."""

SIGNS: dict[str, str] = {
    "STEP": "🔧",
    "TOOL": "🛠️",
    "TOOLS": "🛠️",
    "INPUTS": "📥",
    "OUTPUTS": "📤",
    "ASSERT": "✅",
}
"""The sign before each keyword; U+FE0F behind it may be missing (S16)."""

MARKERS: dict[str, str] = {
    f"### {sign} {word}": kind
    for word, kind in KEYWORDS.items()
    for sign in (SIGNS[kind], SIGNS[kind].rstrip("\ufe0f"))
}
"""Every heading of the usual form, up to its colon, and its token: what needs no second look."""

_SIGNS = frozenset(SIGNS.values()) | {"🛠"}

LISTS = frozenset({"TOOLS", "INPUTS", "OUTPUTS", "ASSERT"})

ICON = r"[^\x00-\x08\x0a-\x1f\x21-\x7f]*"
"""Anything that is not ASCII, and blanks. One class: a nested repetition would be exponential."""

HEADING = re.compile(
    rf"[ ]{{0,3}}(?P<hashes>\#{{1,6}})[ \t]*+(?P<icon>:[a-z_]{{2,30}}:[ ]?|{ICON})"
    r"(?P<word>[A-Za-z][A-Za-z\u00a0 _-]{0,30}):"
)
"""A heading that could be a keyword's: its hashes, its sign, its word up to the colon."""

COLONLESS = re.compile(
    rf"[ ]{{0,3}}(?P<hashes>\#{{1,6}})[ \t]*+(?P<icon>{ICON})"
    rf"(?P<word>{'|'.join(KEYWORDS)})(?![\w:-])"
)
"""The same without the colon: only a keyword as it is written."""

FENCE = r"""
    [ ]{0,3}(?P<mark>`{3,}+(?=[^`\n]*(?:\n|\Z))|~{3,}+)[^\n]*(?:\n|\Z)
    (?:(?![ ]{0,3}(?P=mark)[`~]*[ \t]*\r?(?:\n|\Z))[^\n]*\n)*+
    [^\n]*(?:\n|\Z)
"""
"""A fenced block up to its closing line, or to the end of the file when nothing closes it."""

SPACED_FENCE = r"""
    [ ]{0,3}(?P<mark>`[ ]`[ ]`)[^\n`]*(?:\n|\Z)
    (?:(?![ ]{0,3}(?P=mark)[ \t]*\r?(?:\n|\Z))[^\n]*\n)*+
    [^\n]*(?:\n|\Z)
"""
"""The same with blanks between the backticks, as damaged documents write it (S24)."""

_REAL_FENCE = re.compile(r"^[ ]{0,3}(?:`{3}|~{3})", re.MULTILINE)
_BULLET = r"[ \t]*(?:-[ \t]*|[*+][ \t]+|[0-9]{1,9}[.)][ \t]+)"
_RULE = r"[ \t]*(?:-[ \t]*){3,}+\r?(?:\n|\Z)|[ \t]*(?:\*[ \t]*){3,}+\r?(?:\n|\Z)"


_BLANK = r"[ \t]*\r?\n"


def _special(opening: str) -> str:
    """Match what ends a run of prose and a wrapped item."""
    heading = r"\#{1,2}[ \t]|\#{3,6}(?!\#)"
    return rf"[ ]{{0,3}}(?:{heading}|{opening})|{_BULLET}|{_RULE}|[ \t]*\r?(?:\n|\Z)"


def _item(opening: str) -> str:
    """Match a bullet with its wrapped lines: those directly below, and indented ones below a
    gap."""
    more = rf"(?!{_special(opening)})[^\n]+(?:\n|\Z)"
    return rf"{_BULLET}[^\n]*(?:\n|\Z)(?:{more}|(?:{_BLANK})++(?=[ ]{{2}}|\t){more})*+"


def _items(opening: str) -> str:
    return rf"(?:(?!{_RULE}){_item(opening)}(?:{_BLANK}|{_RULE})*+)++"


def _lines(fence: str, opening: str) -> re.Pattern[str]:
    return re.compile(
        rf"""
        (?P<BLANK>(?:{_BLANK}|{_RULE})+|[ \t]+\Z)
      | (?P<HEADING>[ ]{{0,3}}(?:\#{{1,2}}[ \t]|\#{{3,6}}(?!\#))[^\n]*(?:\n|\Z))
      | (?P<FENCE>{fence})
      | (?P<BULLETS>{_items(opening)})
      | (?P<PROSE>[^\n]+(?:\n|\Z)(?:(?!{_special(opening)})[^\n]+(?:\n|\Z))*+)
        """,
        re.VERBOSE,
    )


def _listing(opening: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{_BLANK}|{_RULE})*+{_items(opening)}")


_REAL, _SPACED = "`{3}|~{3}", "`[ ]`[ ]`"
_ANY_FENCE = f"{_REAL}|{_SPACED}"

ITEM = re.compile(
    rf"^(?!{_RULE})(?P<bullet>{_BULLET}){_item(_ANY_FENCE).removeprefix(_BULLET)}",
    re.MULTILINE,
)
"""One item of a list, and its bullet."""


def line_patterns(text: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of the lines of `text` and of a list's items below its heading. Fences
    with blanks count only when no real one is there."""
    damaged = "` ` `" in text and not _REAL_FENCE.search(text)
    return _patterns(*((SPACED_FENCE, _SPACED) if damaged else (FENCE, _REAL)))


@functools.cache  # compiled when a file needs them: each pair is a fiftieth of a cold start
def _patterns(fence: str, opening: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return _lines(fence, opening), _listing(opening)


_OTHER_WORDS = {"STEP": "WORKFLOW STEP", "ASSERTION": "ASSERT", "ASSERTIONS": "ASSERT"}
"""Words that stand for a keyword behind its sign."""


@functools.lru_cache(maxsize=512)
def nearest_keyword(word: str, sign: str = "") -> str | None:
    """Return the keyword that a heading's word stands for, also in other letters or misspelt."""
    plain = re.sub(r"[\u00a0 _-]+", " ", word).strip().upper()
    if sign in _SIGNS:
        plain = _OTHER_WORDS.get(plain, plain)
    if plain in KEYWORDS:
        return plain
    close = difflib.get_close_matches(plain, KEYWORDS, n=1, cutoff=0.78)
    return close[0] if close else None


def keyword_heading(line: str) -> tuple[re.Match[str], str] | None:
    """Take a keyword's heading apart, and return its token with it; what stands below does not
    count.

    A keyword counts anywhere below level 2 (S15) and, in higher headings, behind a sign. So does a
    misspelt one in capitals, or in small letters behind a keyword's own sign, or `workflow step`:
    it is read, and
    reported, while `## TOOLS: which` and `### 🚀 Tools: which` stay headings. One without its colon
    counts behind its own sign, and below level 2 where nothing else stands that it could mean.
    """
    match = COLONLESS.match(line)
    if match is not None:
        word, rest = match["word"], line[match.end() :].partition("\n")[0].strip()
        alone = len(match["hashes"]) > 2 and (word == "WORKFLOW STEP" or not rest)
        if alone or match["icon"].strip() in _SIGNS:
            return match, KEYWORDS[word]
    match = HEADING.match(line)
    if match is None:
        return None
    word, sign, level = match["word"], match["icon"].strip(), len(match["hashes"])
    if word in KEYWORDS and (sign or level > 2):
        return match, KEYWORDS[word]
    capitals = word.isupper() and (sign or level > 2)
    step = level > 2 and word.upper() == "WORKFLOW STEP"
    close = nearest_keyword(word, sign) if capitals or step or sign in _SIGNS else None
    return (match, KEYWORDS[close]) if close else None


def heading_token(line: str) -> str:
    """Return the token that a heading line becomes."""
    kind = MARKERS.get(line.partition(":")[0]) if ":" in line else None
    if kind is not None:
        return kind
    found = keyword_heading(line)
    return found[1] if found else _plain_heading(line)


def _plain_heading(line: str) -> str:
    marks = line.lstrip(" ")
    level = len(marks) - len(marks.lstrip("#"))
    return "TITLE" if level == 1 else "SECTION" if level == 2 else "HEADING"


class LineToken(Token):
    """A token with its kind and offsets. A file has very many, so `__new__` bypasses Lark's."""

    __slots__ = ()
    line = column = end_line = end_column = None

    def __new__(cls, kind: str, value: str, start: int, end: int) -> LineToken:
        token = str.__new__(cls, value)
        token.type = kind
        token.value = value
        token.start_pos = start
        token.end_pos = end
        return token


class LineLexer(Lexer):
    """A Lark lexer of lines: subclasses split the text that is left."""

    __future_interface__ = 1

    def __init__(self, lexer_conf: object) -> None:
        del lexer_conf

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Token]:
        del parser_state
        text = getattr(lexer_state.text, "text", lexer_state.text)
        return self.split(text, lexer_state.line_ctr.char_pos)

    def split(self, text: str, position: int) -> Iterator[Token]:
        """Yield the tokens from an offset on."""
        raise NotImplementedError


class StepLexer(LineLexer):
    """Lexer of step markdown. A list heading and the items directly below it (blank lines aside)
    are one token; items anywhere else are BULLETS, which belong to the prose."""

    def split(self, text: str, position: int) -> Iterator[Token]:
        lines, listing = line_patterns(text)
        match_at, items_at = lines.match, listing.match
        end = len(text)
        while position < end:
            match = match_at(text, position)
            assert match is not None, "the alternation ends with a run of any characters"
            start, position = position, match.end()
            kind = match.lastgroup or "PROSE"
            if kind == "BLANK":
                continue
            value = match[0]
            if kind == "HEADING":
                kind = heading_token(value)
                if kind in LISTS and (items := items_at(text, position)) is not None:
                    position = items.end()
                    value = text[start:position]
            yield LineToken(kind, value, start, position)
