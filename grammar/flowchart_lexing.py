"""Tokens of a mermaid flowchart: one compiled alternation per place in a statement.

`-->` after a node is a link, `x` before `--x` is its tail and not a node, `end` is a keyword at the
start of a statement only: what may come depends on what stands before, so there are two patterns.
Nothing is refused here. Characters that fit nowhere become a BAD token that reaches to the end of
the line, and the parser reports it.

Every pattern is linear: repeated groups are possessive, their alternatives begin with different
characters, and what may span lines stops at its own opening mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lark import Token

_ID = r"(?:[\w.!\#$*+?/\\']|-(?=[\w!\#$*+?/\\']))++"
_QUOTED = r'"[^"]*"'


def _shape(opening: str, closing: str) -> str:
    """Return a caption between two marks: quoted (may span lines) or up to the closing mark."""
    return rf'{opening}(?:{_QUOTED}|(?!{closing})[^"\n])*+{closing}'


_SHAPES = "|".join(
    _shape(opening, closing)
    for opening, closing in (
        (r"\(\(\(", r"\)\)\)"),
        (r"\(\(", r"\)\)"),
        (r"\(\[", r"\]\)"),
        (r"\[\[", r"\]\]"),
        (r"\[\(", r"\)\]"),
        (r"\[[/\\]", r"[/\\]\]"),
        (r"\[\|", r"\|\]"),
        (r"\{\{", r"\}\}"),
        (r"\[", r"\]"),
        (r"\{", r"\}"),
        (r"\(", r"\)"),
        (r">", r"\]"),
    )
)
_LINKS = "|".join(
    (
        r"[xo<]?--+[-xo>]",
        r"[xo<]?==+[=xo>]",
        r"[xo<]?-\.++-[xo>]?",
        r"~~~+",
        rf'[xo<]?--(?:{_QUOTED}|[^-\n"]|-(?!-))*+--+[-xo>]',
        rf'[xo<]?==(?:{_QUOTED}|[^=\n"]|=(?!=))*+==+[=xo>]',
        rf'[xo<]?-\.(?:{_QUOTED}|[^.\n"]|\.++(?!-))*+\.++-[xo>]?',
    )
)
_GAP = r"""
  (?P<SPACE>[ \t\r]+)
 |(?P<DIRECTIVE>%%\{(?:(?!%%)[\s\S])*+%%)
 |(?P<COMMENT>%%[^\n]*)
 |(?P<SEP>[;\n])
"""
_STATEMENT = re.compile(
    rf"""{_GAP}
 |(?P<HEADER>(?:flowchart(?:-elk)?|graph)
   (?:[ \t]+(?:TB|TD|BT|LR|RL)\b|[ \t]+[<>^v](?=\s|;))?(?![\w-]))
 |(?P<PRESENTATION>(?:style|linkStyle|classDef|class|click)[ \t](?:{_QUOTED}|[^\n;"])*+"?
   |accDescr[ \t]*\{{[^{{}}]*+\}}|(?:accTitle|accDescr)[ \t]*:[^\n]*)
 |(?P<SUBGRAPH>subgraph(?![\w-])(?:{_QUOTED}|[^\n;"])*+)
 |(?P<DIRECTION>direction[ \t]+(?:TB|TD|BT|LR|RL)(?![\w-]))
 |(?P<END>end(?=[ \t\r]*(?:[;\n]|%%|\Z)))
 |(?P<ID>{_ID})
 |(?P<BAD>[^\n]+)
""",
    re.X,
)
_NODE = re.compile(rf"{_GAP}|(?P<ID>{_ID})|(?P<BAD>[^\n]+)", re.X)
_AFTER_NODE = re.compile(
    rf"""{_GAP}
 |(?P<LINK>{_LINKS})
 |(?P<AMP>&)
 |(?P<ATTRIBUTES>@\{{(?:"(?:[^"\\]|\\.)*+"|[^"{{}}])*+\}})
 |(?P<EDGE_ID>{_ID}@(?!\{{))
 |(?P<SHAPE>{_SHAPES})
 |(?P<CLASS>:::[\w-]+(?:,[\w-]+)*)
 |(?P<ID>{_ID})
 |(?P<BAD>[^\n]+)
""",
    re.X,
)
_AFTER_LINK = re.compile(
    rf"""{_GAP}
 |(?P<LABEL>\|(?:{_QUOTED}|[^|\n"])*+\|)
 |(?P<ID>{_ID})
 |(?P<BAD>[^\n]+)
""",
    re.X,
)
_FRONT_MATTER = re.compile(
    r"\s*---[ \t]*\r?\n(?:(?!---[ \t]*\r?$)[^\n]*\n)*+---[ \t]*(?=\r?$)", re.M
)
_PATTERN_AFTER = {
    "SEP": _STATEMENT,
    "LINK": _AFTER_LINK,
    "LABEL": _NODE,
    "AMP": _NODE,
    "EDGE_ID": _AFTER_NODE,
}
_OPEN_ENDED = frozenset({"LINK", "LABEL"})
"""After these a line break is a blank: the target may stand on the next line (F12)."""


def tokens(text: str) -> Iterator[Token]:
    """Yield the chart's tokens with character offsets, closed by a SEP at the end (F1–F12)."""
    pos, last = 0, "SEP"
    matter = _FRONT_MATTER.match(text)
    if matter:
        pos = matter.end()
    while pos < len(text):
        match = _PATTERN_AFTER.get(last, _AFTER_NODE).match(text, pos)
        assert match is not None
        assert match.lastgroup is not None
        kind, start, pos = match.lastgroup, pos, match.end()
        if kind in ("SPACE", "DIRECTIVE", "COMMENT"):
            continue
        if kind == "SEP" and last in _OPEN_ENDED and text[start] == "\n":
            continue
        yield Token(kind, match.group(), start_pos=start, end_pos=pos)
        last = "SEP" if kind in ("HEADER", "END") else kind
    yield Token("SEP", "", start_pos=len(text), end_pos=len(text))
