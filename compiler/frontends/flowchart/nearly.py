"""Lines of a flowchart document that are nearly a section, a prompt's heading or a chart."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ...diagnostics.diagnostic import Fix
from ...source.source import Span
from ...source.spelling import Spelling
from .mermaid.placed_text import PlacedText, placed_text

NEARLY_INCLUDE = re.compile(
    r"^[ \t]*(?P<all>(?!!INCLUDE[ \t])[!@][ ]?(?i:i[mn][cdelopnrtuw]{4,6})[:( \t]{1,3}"
    r"['\"]?(?P<path>[\w./-]{1,200}\.\w{1,5})['\"]?\)?)[ \t]*\r?$",
    re.M,
)
"""A line that names a file as other languages include one."""
_HEADING = re.compile(
    r"^[ ]{0,3}(?:(?:[->*+]|\d{1,3}[.)])[ ]|\\)?(?:\#{1,6}[ \t]*|\*\*|__)"
    r"(?:[\"'*_]{1,2}|Prompt:[ ]?)?(?P<words>\w[^\n]{0,80}+)$",
    re.M,
)
_DETAILS = re.compile(r"^(?:nodes|agents|params|outputs|limits|start|state|tools):", re.M)
_COMPUTED = re.compile(r"(?P<name>\w{1,60}) ?[-+*/] ?\w{1,60}\Z")
_TWO_SET = re.compile(r"[^=,]{0,200}(?P<more>[,;] ?[A-Z_]\w{0,60} ?=)")
_FENCE = re.compile(
    r"^[ ]{0,3}(?P<mark>`{2,}|~{2,}|'{3})[ \t]*(?P<info>\w*)[^\n]*\n(?P<first>[^\n]*)", re.M
)
_CHART = re.compile(r"^[ \t]*(?:flowchart|graph)[ \t]+(?:TB|TD|BT|LR|RL)\b[^\n]*", re.M)

_SETEXT = re.compile(r"^(?P<words>\w[^\n]{0,80}+)\n[-=]{3,}[ \t]*$", re.M)
_PREFIXES = ("Prompt", "Assign", "Set", "Check", "Execute", "Ask", "Call")
_WORDS = Spelling(_PREFIXES)
_FIRST_WORD = re.compile(r"\s*(?P<word>[A-Za-z]{2,9})\s*:\s*")
_COLONLESS = re.compile(
    r"\s*(?P<word>Prompt|Set|Call|Execute|Assign)(?:[ ]?[;,.–—-][ ]*|[ ]+)(?=[\w'\"])"
)
_OPENINGS = {"[": "]", "(": ")", "{": "}"}
_OTHER_PREFIXES = {
    **dict.fromkeys(("Exec", "Run", "Shell", "Bash", "Command", "Cmd"), "Execute"),
    "Let": "Set",
    "Store": "Set",
    "If": "Check",
    "Question": "Ask",
    "Include": "Call",
}
"""What people write before a caption in place of its word."""


class NearlyPrefix(NamedTuple):
    """A word before a caption that is not as it should be: its place, the word as it is written and
    as it was meant, where the caption behind it begins, and that caption."""

    start: int
    end: int
    written: str
    meant: str
    behind: int
    caption: str

    @property
    def message(self) -> str:
        """What is wrong with it."""
        if self.written == self.meant:
            return f"`{self.written}` stands before a caption without its colon"
        return f"`{self.written}:` is not a word before a caption"

    @property
    def help(self) -> str:
        """What to write."""
        if self.written == self.meant:
            return f"write `{self.meant}: {self.caption[:60]}`"
        return f"did you mean `{self.meant}:`?"

    def fix(self, place: Span) -> Fix | None:
        """Return what repairs a word that is misspelt."""
        same = self.written == self.meant
        return None if same else Fix(f"write `{self.meant}`", place, self.meant, safe=True)


class NearlyChart(NamedTuple):
    """The line where a chart was meant to begin, and what to write."""

    line: PlacedText
    help: str


def nearly_headings(text: str) -> dict[str, PlacedText]:
    """Return by their words in small letters the lines that were probably meant as headings: of any
    level, without a blank or in bold."""
    found: dict[str, PlacedText] = {}
    for line in (*_HEADING.finditer(text), *_SETEXT.finditer(text)):
        words = line["words"].strip().rstrip("*_#:\"' ").lower()
        first = line[0].partition("\n")[0]
        found.setdefault(words, placed_text(first, line.start()).strip())
    return found


def nearly_prefix(caption: str, kind: str) -> NearlyPrefix | None:
    """Return the word before a caption that is nearly one of the usual ones, or lacks its colon.
    `kind` is what the node's id says that it does."""
    match = _FIRST_WORD.match(caption)
    written = match["word"].capitalize() if match else ""
    near = _OTHER_PREFIXES.get(written) or _WORDS.nearest(written)
    if match is not None and near is not None:
        return NearlyPrefix(
            *match.span("word"), match["word"], near, match.end(), caption[match.end() :]
        )
    match = _COLONLESS.match(caption)
    if match is None or match["word"].upper() != kind:
        return None
    word, behind = match["word"], match.end()
    return NearlyPrefix(*match.span("word"), word, word, behind, caption[behind:])


def is_nearly_details(info: str, body: str) -> bool:
    """Return whether a fenced block was probably meant as details: of the language, with a key."""
    return re.match(r"ya?ml\b|flow\b", info, re.I) is not None and bool(_DETAILS.search(body))


_OF_A_WORD = re.compile(
    r"'(?:t(?:is|was|il)|em|cause|n|round|\d\ds?)\b|.*(?:s'|in'|\d['\"])\Z", re.I | re.S
)
"""An apostrophe of a word at an end of a text, as in `'tis` and `the dogs'`; feet and inches."""


def odd_value(value: str, has: Callable[[str], bool]) -> tuple[str, str] | None:
    """Return message and help for a value that SET takes as a text though it looks like a sum over
    one of the variables, a constant with one quotation mark, or another SET."""
    if not value:
        return None
    computed = _COMPUTED.match(value)
    if computed and has(computed["name"]):
        help = "compute with `assign` in a block of details, ```yaml flow"
        return f"SET computes nothing: `{value}` is the text as it stands", help
    for sign in "'\"":
        lone = value.count(sign) == 1 and sign in (value[0], value[-1]) and value != sign
        if lone and not _OF_A_WORD.match(value):
            where = "end" if value[0] == sign else "beginning"
            return (
                f"the text has one `{sign}`, which is part of it",
                f"write `{sign}` at its {where} too",
            )
    if value[-1] in ";,." and has(value[:-1]):
        return f"the `{value[-1]}` makes a text of it: `{value}`", f"write `{value[:-1]}`"
    two = _TWO_SET.match(value)
    if two:
        return (
            f"SET sets one variable: `{two['more']}` is part of the value",
            "write two activities",
        )
    return None


def bracket_help(caption: str) -> str:
    """Return what to do about a bracket that a caption begins with and that nothing in it closes;
    "" where there is none."""
    closing = _OPENINGS.get(caption[:1])
    if closing is None or caption.count(caption[0]) <= caption.count(closing):
        return ""
    return f"take the `{caption[0]}` away, or end the node with one `{closing}` more"


def nearest_heading(headings: Mapping[str, PlacedText], words: str) -> PlacedText | None:
    """Return the line that was probably meant as a heading of these words: it says them, goes on
    behind them, or nearly says them."""
    words = words.lower()
    longer = (line for said, line in headings.items() if said.startswith(f"{words} "))
    found = headings.get(words) or next(longer, None)
    if found is None and (near := Spelling(headings).nearest(words)):
        return headings[near]
    return found


def nearly_chart(text: str, start: int) -> NearlyChart | None:
    """Return where the chart of a section that begins at `start` was meant to begin."""
    chart, fence = _CHART.search(text, start), _FENCE.search(text, start)
    if chart is not None and (fence is None or chart.start() < fence.start()):
        line = placed_text(chart[0], chart.start()).strip()
        return NearlyChart(line, "write ```mermaid in a line above it")
    if fence is None:
        return None
    mark, first = fence["mark"], placed_text(fence["first"], fence.start("first")).strip()
    if not mark.startswith(("```", "~~~")):
        opening = placed_text(fence[0].partition("\n")[0], fence.start()).strip()
        return NearlyChart(opening, "a fence has three backticks: write ```mermaid")
    if fence["info"].lower() not in ("", "mermaid"):
        if _CHART.match(first.text) is None:
            return None
        opening = placed_text(fence[0].partition("\n")[0], fence.start()).strip()
        return NearlyChart(opening, "the language of a chart is mermaid: write ```mermaid")
    if not first.text:
        return None
    return NearlyChart(first, "a chart begins with a line such as `flowchart TD`")


def line_above(text: str, start: int, end: int) -> PlacedText | None:
    """Return the last line with a text between two places."""
    last = len(text[start:end].rstrip())
    begin = text.rfind("\n", start, start + last) + 1
    line = placed_text(text[begin : start + last], begin).strip()
    return line if begin > start and line.text else None
