"""What an assertion becomes when a mark in it that has no partner gets one.

    "abc in result.text         "abc" in result.text
    result.kind in ["a", "b"    result.kind in ["a", "b"]

A sentence does not become an expression over known names by one more mark, so whatever does was
meant as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from ...expr.ast import Binary, Call, Each, Expr, Unary
from ...expr.parse import parse_assertion
from ...source.records import dataclass

_LONGEST = 300
"""A longer text is a paragraph; nobody means it as an expression."""
_MOST = 24
"""Places tried for one mark."""
_OPERATOR = (
    r"(?:[=!<>]=*|(?i:contains|matches|starts[ \t]+with|ends[ \t]+with|in|not|equals|exists|and|or"
    r"|differs)\b)"
)
_CLOSES = re.compile(rf"(?<=\S)(?=[ \t]*(?:[)\],]|\Z|[ \t](?:{_OPERATOR})))")
"""Where a text or a list may end: before an operator, a mark or the end."""
_OPENS = re.compile(rf"(?:\A|(?<=[(\[,])|(?<=[ \t]))(?=\S)|(?<=[(\[,])[ \t]*(?=\S)|{_OPERATOR}")
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_TEXTS = re.compile(r"\"[^\"]*\"|'[^']*'")
_CURLY = str.maketrans("“”„‘’", '"""\'\'')
_OTHER_POINT = re.compile(r"(?<=[\w\])])(?:->|\.{2,3}|\?\.|::)(?=[A-Za-z_])")
"""What other languages write before a field."""
_LONE_POINT = re.compile(r"(?<=[\w\])])\.(?=[ \t]+(?:[=!<>]|contains\b|exists\b|matches\b))")
_OTHER_INDEX = re.compile(r"(?<=\w)\((\d{1,4})\)(?=[.\s\[]|\Z)")
_ENDS = re.compile(rf"(?:{_OPERATOR})[ \t]*\Z")
_BEGINS = re.compile(rf"(?:{_OPERATOR})(?<![!])(?<!not)")
_PAIRS = (("(", ")"), ("[", "]"))


@dataclass(frozen=True, slots=True)
class Correction:
    """What is wrong with a text, and the text with its partner; "" where nobody can know it."""

    message: str
    text: str = ""


def repair_of(text: str, known: Set[str]) -> Correction | None:
    """Return the repair of a text that is not an expression, None for what is a sentence."""
    if len(text) > _LONGEST:
        return None
    for message, tried in _tries(text):
        if _is_meant(parse_assertion(tried, "", 0, known)):
            return Correction(message, tried)
    for tried in _with_other_side(text):
        if _is_meant(parse_assertion(tried, "", 0, known)):
            return Correction("one side of it is missing")
    return None


def _is_meant(expr: Expr | None) -> bool:
    """Whether it asks something: a name or a field alone may be a word of a sentence."""
    return isinstance(expr, Binary | Call | Each | Unary)


def _tries(text: str) -> Iterator[tuple[str, str]]:
    plain = text.translate(_CURLY)
    if plain != text:
        yield "a text stands in straight quotes", plain
        text = plain
    if _OTHER_POINT.search(text):
        yield "a field stands behind one point", _OTHER_POINT.sub(".", text)
    if _LONE_POINT.search(text):
        yield "no field stands behind the point", _LONE_POINT.sub("", text)
    if _OTHER_INDEX.search(text):
        yield "an element stands in square brackets", _OTHER_INDEX.sub(r"[\1]", text)
    if text.startswith("[") and text.endswith("]"):
        yield "it stands in brackets", text[1:-1].strip()
    if "`" in text:
        text = text.replace("`", "").strip()
        yield "a backtick has no meaning in an expression", text
    for quote in "\"'":
        if _APOSTROPHE.sub("", text).count(quote) % 2:
            for place in _places(text):
                yield "the text is not closed", text[:place] + quote + text[place:]
            yield "the text is not closed", text + quote + _closers(text)
    outside = _TEXTS.sub("", text)
    for opening, closing in _PAIRS:
        missing = outside.count(opening) - outside.count(closing)
        if missing in (1, -1):
            mark = closing if missing > 0 else opening
            for place in _places(text):
                yield f"`{mark}` is missing", text[:place] + mark + text[place:]


def _closers(text: str) -> str:
    """The marks that are missing behind a text that nothing closes."""
    outside = _TEXTS.sub("", text)
    return "".join(end for begin, end in _PAIRS if outside.count(begin) > outside.count(end))


def _places(text: str) -> list[int]:
    """Where a mark may stand: at ends of what is between operators first, then at beginnings."""
    closes = [found.start() for found in _CLOSES.finditer(text)]
    opens = [found.start() for found in _OPENS.finditer(text)]
    return [*dict.fromkeys((*closes, *opens))][:_MOST]


def _with_other_side(text: str) -> Iterator[str]:
    if _ENDS.search(text):
        yield f"{text} 0"
    if _BEGINS.match(text):
        yield f"0 {text}"
