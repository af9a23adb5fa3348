"""Living documents: how their files are recognised. What reads them is imported on demand."""

from __future__ import annotations

import re

from flowc.grammar.plan_lexing import CLOSING, MARK

from ...reading.protocol import Frontend, Reader
from ...source.source import Source

_HEADING = (
    r"[ ]{0,3}\#\#[ \t]+(?:[0-9]+[.)]?[ \t]*)?(?P<section>request[ ]summary"
    r"|product[ ]requirements|processing[ ]plan|final[ ]output|workflow[ ]log)\b"
)
_WORDS = (
    "request summary",
    "product requirements",
    "processing plan",
    "final output",
    "workflow log",
)
"""The five sections, one of which every document has."""
_FIRST = re.compile(f"^{_HEADING}", re.MULTILINE | re.IGNORECASE | re.VERBOSE)
_FENCE_OR_HEADING = re.compile(
    rf"^(?:[ \t]*{MARK}[^\n]*(?:\n|\Z)(?:(?!{CLOSING})[^\n]*\n)*+[^\n]*|{_HEADING})",
    re.MULTILINE | re.IGNORECASE | re.VERBOSE,
)


def claims(source: Source) -> int:
    """Return 90 for a file with the section of the plan and another one of the five; 60 with any
    two, with the plan alone, or with a request alone; 30 when they all stand in fences: a page
    about the format."""
    text = source.text
    lowered = text.lower() if "##" in text else ""
    if not any(word in lowered for word in _WORDS) or _FIRST.search(text) is None:
        return 0
    matches = (match["section"] for match in _FENCE_OR_HEADING.finditer(text))
    sections = {section.lower() for section in matches if section}
    if "processing plan" in sections:
        return 90 if len(sections) > 1 else 60
    if len(sections) == 1:
        is_request = "request summary" in sections and "**Original Request:**" in text
        return 60 if is_request else 0
    return 60 if sections else 30


def _reader() -> Reader:
    from .editing import plan_editing
    from .parse import parse

    return Reader(parse, plan_editing)


PLAN = Frontend(
    name="plan",
    title="living document: a plan, the state of its steps and a log",
    suffixes=(".md",),
    claims=claims,
    reader=_reader,
    comment=("<!--", "-->"),
)
