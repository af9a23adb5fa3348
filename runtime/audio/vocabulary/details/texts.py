"""Names without quotes, as if they stood in quotes: "title Night Shift, date 2024".

A name has the capital letters that it is written with. It ends at the next comma, at "and" or at
the end. What has a number with a unit, a format or a file in it is not a name, nor is what may be
one wish or two ("title Night Shift and Mono").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from flowc.compiler.catalog.audio_formats import SPOKEN
from flowc.compiler.catalog.wordings.tags import (
    DATE_FIELDS,
    LINKS,
    NAMED_FIELDS,
    NUMBER_FIELDS,
    TAG_WORDS,
    WRITES,
)

from .words import SpokenWord

GLUE = "\u2060"
"""Stands for the blanks of a text in quotes, which is one word."""
QUOTES = frozenset('"“„«»')
_SIGNS = frozenset({":", "="})
_AS = frozenset({"as", "als"})
_AND = frozenset({"and", "und"})
_ARTICLES = frozenset({"the", "a", "an", "der", "die", "das", "den", "dem", "ein", "eine", "einen"})
_FROM = frozenset({"from", "of", "in", "this", "vom", "aus", "im", "von", "seit", "since", "für"})
_IN = frozenset({"in", "im"})
"""Before a field they tell where a sound is from: "from the album", "aus dem Jahr"."""
_CONNECTORS = frozenset({"of", "the", "der", "die", "das", "des", "den", "vom", "von", "de", "la"})
"""Words within a name that may have a small letter, where one with a capital follows."""
_STATES = frozenset({*SPOKEN, "mono", "stereo", "hz", "khz", "db", "lufs", "bit"})
"""Words that say what a file is to be: beside others in a name they may be a wish."""
_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
_PART = re.compile(r"-[0-9]{2}")
"""What follows the year in "2024-05-01", as the words of a text are told apart."""
_NUMBER = re.compile(r"[0-9]{1,4}")


class Known(NamedTuple):
    """Words that end a clause, and units."""

    ends: frozenset[str]
    units: frozenset[str]


def with_texts(words: list[SpokenWord], text: str, known: Known) -> list[SpokenWord]:
    """Return words in which each name of a tag is one, as if it stood in quotes: what follows
    "title:" up to the next clause, and what has capital letters behind "title" or before "as the
    title"."""
    found: list[SpokenWord] = []
    at = 0
    while at < len(words):
        start, end = _behind_sign(words, at, known)
        if end == start:
            start, end = _behind_field(words, at, text, known)
        if end > start:
            found += [*words[at:start], _quotation(words[start:end], text, start != at)]
            at = end
        elif length := _before_field(words, at, text, known):
            found.append(_quotation(words[at : at + length], text, True))
            at += length
        else:
            found.append(words[at])
            at += 1
    return found


def _quotation(words: Sequence[SpokenWord], text: str, bare: bool) -> SpokenWord:
    start, end = words[0].start, words[-1].end
    one, other = "«»" if bare else '""'
    return SpokenWord(GLUE.join(f"{one}{text[start:end]}{other}".split()), start, end)


def _behind_sign(words: list[SpokenWord], at: int, known: Known) -> tuple[int, int]:
    """Return where the name begins and ends that stands at a place behind "title:"."""
    end = at
    if at > 1 and words[at - 2].text in TAG_WORDS and words[at - 1].text in _SIGNS:
        while end < len(words) and words[end].text not in known.ends:
            end += 1
    said = [word.text for word in words[at:end]]
    named = said and said[0][0] not in QUOTES and not _has_unit(said, known)
    return at, end if named else at


def _behind_field(words: list[SpokenWord], at: int, text: str, known: Known) -> tuple[int, int]:
    """Return where the name begins and ends that belongs to the field at a place."""
    field, used = _field_at(words, at)
    if not field or _is_from(words, at):
        return at, at
    start = at + used
    while start < len(words) and words[start].text in LINKS:
        start += 1
    end = start + _length(words, start, field, text, known)
    return (start, end) if end > start else (at, at)


def _before_field(words: list[SpokenWord], at: int, text: str, known: Known) -> int:
    """Return how many words at a place are a name before "as the title"; 0 for none."""
    if at and words[at - 1].text not in known.ends and words[at - 1].text not in WRITES:
        return 0
    for field, place in _fields_behind(words, at):
        used = _length(words, at, field, text, known, limit=place)
        behind = [word.text for word in words[at + used : place]]
        if used and behind in (["as"], ["als"], ["in", "as"], ["as", "the"], ["in", "as", "the"],
                               ["als", "der"], ["als", "das"], ["ein", "als"]):  # fmt: skip
            return used
    return 0


def _fields_behind(words: list[SpokenWord], at: int) -> Iterator[tuple[str, int]]:
    """Yield the fields behind a place in one clause, each with its place."""
    for place in range(at + 1, min(len(words), at + _LONGEST)):
        if words[place].text in (",", ";"):
            return
        if field := _field_at(words, place)[0]:
            yield field, place


_LONGEST = 12


def _field_at(words: list[SpokenWord], at: int) -> tuple[str, int]:
    """Return the field that words at a place name, and how many words they are; "" for none."""
    two = " ".join(word.text for word in words[at : at + 2])
    if two in NUMBER_FIELDS:
        return two, 2
    one = words[at].text
    return (one, 1) if one in NAMED_FIELDS | DATE_FIELDS | NUMBER_FIELDS else ("", 1)


def _is_from(words: list[SpokenWord], at: int) -> bool:
    """Tell whether a field only tells where something is from: "from the album Moorland"."""
    before = [word.text for word in words[max(0, at - 2) : at]]
    if before[-1:] and before[-1] in _ARTICLES:
        before.pop()
    return bool(before) and before[-1] in (_FROM if words[at].text in DATE_FIELDS else _FROM - _IN)


def _length(
    words: list[SpokenWord], at: int, field: str, text: str, known: Known, limit: int = -1
) -> int:
    """Return how many words at a place are what this field holds; 0 for none."""
    first = words[at].text if at < len(words) else ""
    shape = _DATE if field in DATE_FIELDS else _NUMBER if field in NUMBER_FIELDS else None
    if shape:
        end = at + 1
        while shape is _DATE and _PART.fullmatch("".join(w.text for w in words[end : end + 2])):
            end += 2
        date = "".join(word.text for word in words[at:end])
        after = words[end].text if end < len(words) else ""
        return end - at if shape.fullmatch(date) and after not in known.units else 0
    if not first or not text[words[at].start].isalnum() or text[words[at].start].islower():
        return 0
    end = last = at
    while end < (limit if limit >= 0 else len(words)):
        written = text[words[end].start : words[end].end]
        if written[0].isupper() or (written[0].isdigit() and end > at):
            last = end + 1
        elif words[end].text not in _CONNECTORS:
            break
        end += 1
    said = [word.text for word in words[at:last]]
    if not said or _has_unit([*said, *(word.text for word in words[last : last + 1])], known):
        return 0
    if {*said} & WRITES or "." in "".join(said) or (len(said) > 1 and {*said} & _STATES):
        return 0
    return 0 if _goes_on(words, last, text, known) else last - at


def _goes_on(words: list[SpokenWord], at: int, text: str, known: Known) -> bool:
    """Tell whether words with capital letters follow behind "and", which may be of the name: "Simon
    and Garfunkel"; and are not another field, nor a name before one."""
    if at + 1 >= len(words) or words[at].text not in _AND:
        return False
    end = at + 1
    while end < len(words) and words[end].text not in known.ends:
        if words[end].text in TAG_WORDS or words[end].text in _AS:
            return False
        end += 1
    rest = words[at + 1 : end]
    return bool(rest) and all(text[word.start].isupper() for word in rest)


def _has_unit(words: Sequence[str], known: Known) -> bool:
    return any(
        one.lstrip("+-")[:1].isdigit() and two in known.units for one, two in pairwise(words)
    )
