"""German words that were written without umlauts: "rueckwaerts", "fuege", "Hoehen"."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .circumstances import words_of
from .rules import known_words
from .sentences import is_known
from .units import SpokenWord

_LETTERS = {"ae": "ä", "oe": "ö", "ue": "ü", "ss": "ß"}
_MOST = 4
"""Pairs of letters in one word that may stand for another."""


def with_umlauts(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return the words, with an umlaut in those that nobody knows without it."""
    return [word._replace(text=_with_umlauts(word.text)) for word in _with_pronouns(words)]


def _with_pronouns(words: list[SpokenWord]) -> Iterator[SpokenWord]:
    """Yield the words, those such as "mach's" in two."""
    for word in words:
        verb = word.text.removesuffix("'s")
        if verb != word.text and verb in _ORDERS:
            yield word._replace(text=verb)
            yield word._replace(text="es")
        else:
            yield word._replace(text=_SHORT.get(word.text, word.text))


_SHORT = {"brauch": "brauche", "hätt": "hätte", "möcht": "möchte", "bräucht": "bräuchte"}


_ORDERS = words_of(
    "mach spiel leg stell dreh nimm gib schneid kürz zieh bring pack lass häng misch wandel heb "
    "exportier speicher blend senk setz kehr teil trenn fahr hol tu schieb"
)


def _with_umlauts(word: str) -> str:
    if not word.isalpha() or _knows(word):
        return word
    places = [at for at in range(len(word) - 1) if word[at : at + 2] in _LETTERS][:_MOST]
    ways = product((True, False), repeat=len(places))
    spellings = (
        _replace(word, {p for p, one in zip(places, way, strict=True) if one}) for way in ways
    )
    return next((one for one in spellings if _knows(one)), word)


def _replace(word: str, places: set[int]) -> str:
    found, at = "", 0
    while at < len(word):
        pair = at in places
        found += _LETTERS[word[at : at + 2]] if pair else word[at]
        at += 2 if pair else 1
    return found


def _knows(word: str) -> bool:
    return word in known_words() or is_known(word)
