"""A word of a text, and its place."""

from __future__ import annotations

from typing import NamedTuple


class SpokenWord(NamedTuple):
    """A word, number or sign of a text in small letters, and its place."""

    text: str
    start: int
    end: int
