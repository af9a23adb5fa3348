"""Lines of a flowchart document that are nearly a section, a prompt's heading or a chart."""

from __future__ import annotations

import re
from typing import NamedTuple

from .mermaid.placed_text import PlacedText, placed_text

_HEADING = re.compile(r"^[ ]{0,3}(?:\#{1,6}[ \t]*|\*\*|__)(?P<words>\w[^\n]{0,80}+)$", re.M)
_FENCE = re.compile(
    r"^[ ]{0,3}(?P<mark>`{2,}|~{2,}|'{3})[ \t]*(?P<info>\w*)[^\n]*\n(?P<first>[^\n]*)", re.M
)
_CHART = re.compile(r"^[ \t]*(?:flowchart|graph)[ \t]+(?:TB|TD|BT|LR|RL)\b[^\n]*", re.M)

OTHER_PREFIXES = {
    **dict.fromkeys(("Exec", "Run", "Shell", "Bash", "Command", "Cmd"), "Execute"),
    "Let": "Set",
    "Store": "Set",
    "If": "Check",
    "Question": "Ask",
    "Include": "Call",
}
"""What people write before a caption in place of its word."""


class NearlyChart(NamedTuple):
    """The line where a chart was meant to begin, and what to write."""

    line: PlacedText
    help: str


def nearly_headings(text: str) -> dict[str, PlacedText]:
    """Return by their words in small letters the lines that were probably meant as headings: of any
    level, without a blank or in bold."""
    found: dict[str, PlacedText] = {}
    for line in _HEADING.finditer(text):
        words = line["words"].strip().rstrip("*_#: ").lower()
        found.setdefault(words, placed_text(line[0], line.start()).strip())
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
    if fence["info"].lower() not in ("", "mermaid") or not first.text:
        return None
    return NearlyChart(first, "a chart begins with a line such as `flowchart TD`")


def line_above(text: str, start: int, end: int) -> PlacedText | None:
    """Return the last line with a text between two places."""
    last = len(text[start:end].rstrip())
    begin = text.rfind("\n", start, start + last) + 1
    line = placed_text(text[begin : start + last], begin).strip()
    return line if begin > start and line.text else None
