"""Wishes that point back: "from 0:48 to 1:02 he is far away, raise it by 3 dB there"."""

from __future__ import annotations

from collections.abc import Sequence

from ..words.circumstances import words_of
from ..words.patterns import is_number
from ..words.sentences import is_unit, senses_of
from .statements import HARMLESS, NEGATIONS, SUBJECTS

_POINTERS = words_of(
    "it its that this them those these there both dort da das die den es ihn sie dies diese "
    "dieser diesen beides alles weg bit stelle section part teil abschnitt"
)
_LONGEST_POINTER = 10
_PLACES = frozenset({"from", "between", "at", "von", "zwischen", "bei", "ab", "in", "im"})
_LIMITS = frozenset({
    "KEEP", "NOT", "NOTHING", "LEFT", "RIGHT", "BACKGROUND", "HUM", "NOISE", "CLICKS", "RUMBLE",
    "SHARP", "HARSH", "BASS",
    "TREBLE", "PART", "STEM", "TOOLOUD", "SILENCE", "PAUSES", "EXCEPT",
})  # fmt: skip
"""Senses of a fault: a wish behind them may point back to the fault, and not to the section."""


def points_back(words: Sequence[str]) -> bool:
    """Tell whether a wish names what it is for only by a word that points back: "remove it"."""
    return not _POINTERS.isdisjoint(words) and len(words) <= _LONGEST_POINTER


def may_be_told(words: Sequence[str]) -> bool:
    """Tell whether words say what is where, to which a wish points back. Of them the unknown ones
    may be the name of it."""
    begins = words[0] in SUBJECTS | _PLACES
    return begins and NEGATIONS.isdisjoint(words)


_WHERE = frozenset({
    "FROM", "TO", "TILL", "AND", "AT", "BEFORE", "AFTER", "FIRST", "LAST", "START", "END", "ABOVE",
    "BELOW", "IN", "OF", "NACH",
})  # fmt: skip
_THINGS = frozenset({
    "HUM", "NOISE", "CLICKS", "SHARP", "RUMBLE", "PAUSES", "SILENCE", "LEFT", "RIGHT", "BACKWARDS",
    "PHASE", "CHANNEL", "SWAP",
})  # fmt: skip
TIMES = frozenset({"FROM", "TO", "TILL", "AND"})
TOLD = (_WHERE, _WHERE | _THINGS, frozenset({"FIRST", "LAST"}))
"""Senses of the words that tell where something is, or what and where, or at which end."""


def told_words(
    words: Sequence[str], kept: frozenset[str], beside: frozenset[str] = frozenset()
) -> list[str]:
    """Return the numbers, with their units, and the words of these senses; none where the words
    name a fault or a part beside a place: the wish may mean either. Of what is
    `beside` they may tell."""
    said = senses_of(words) - beside
    if said & {"LEFT", "RIGHT", "BACKGROUND"} and any(map(is_number, words)):
        return []
    if not kept & _THINGS and not said.isdisjoint(_LIMITS):
        return []
    if said - kept - HARMLESS - _WHERE - {"WANT", "PHONE", "BACKGROUND"}:
        return []
    return [
        word for word in words
        if is_number(word) or is_unit(word) or word in ("and", "und") or senses_of([word]) & kept
    ]  # fmt: skip
