"""Sizes: how large the texts of a picture are when a browser draws them, in pixels.

No font is at hand when a page is written, so widths are those of a wide sans-serif face with some
slack: a text may get more room than it needs, never less.
"""

from __future__ import annotations

import unicodedata

from ...source.records import dataclass
from ..picture.picture import Look, Picture, PictureEdge, Shown

LINE_HEIGHT = 18.0
SMALL_HEIGHT = 14.0
LABEL_HEIGHT = 16.0
LONGEST_LABEL = 40
_SIZE, _SMALL = 13.0, 10.5
_NARROW = frozenset("fijlrtI.,:;'|!()[]{}/\\ ")
_WIDE = frozenset("mwMWQOGD@%&_—…")
_SIDES: dict[Look, float] = {"choose": 26, "ask": 24, "gate": 22, "tool": 22, "call": 20}
"""Room that a shape needs left and right of its text beyond the usual."""
_USUAL_SIDE, _ABOVE = 14.0, 9.0


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of a box."""

    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Sized:
    """A picture with the size of each node's box, by id, and of each line's label (0 without)."""

    picture: Picture
    nodes: dict[str, Size]
    labels: tuple[Size, ...]


def measure(picture: Picture) -> Sized:
    """The picture with its sizes."""
    return Sized(
        picture,
        {node.id: _node(node) for node in picture.nodes},
        tuple(_label(line) for line in picture.lines),
    )


def is_mono(node: Shown) -> bool:
    """Whether the caption is a command and set as one."""
    return node.look == "exec" and bool(node.note)


def _node(node: Shown) -> Size:
    factor = 1.12 if is_mono(node) else 1.0
    small = [text for text in (node.note, node.tally) if text]
    widest = max(
        *(text_width(text, _SIZE) * factor for text in node.lines),
        *(text_width(text, _SMALL) for text in small),
        24.0,
    )
    side = _SIDES.get(node.look, _USUAL_SIDE)
    height = len(node.lines) * LINE_HEIGHT + len(small) * SMALL_HEIGHT + 2 * _ABOVE
    return Size(round(widest + 2 * side), round(height))


def _label(line: PictureEdge) -> Size:
    text = line.text(LONGEST_LABEL)
    return Size(round(text_width(text, _SMALL) + 10), LABEL_HEIGHT) if text else Size(0, 0)


def text_width(text: str, size: float) -> float:
    """An upper bound for the width of `text` in a sans-serif face of `size` pixels."""
    return sum(_em(char) for char in text) * size * 1.04


def _em(char: str) -> float:
    if char in _NARROW:
        return 0.36
    if char in _WIDE:
        return 0.92
    if char.isascii():
        return 0.70 if char.isupper() else 0.59
    return 1.0 if unicodedata.east_asian_width(char) in "WF" else 0.75
