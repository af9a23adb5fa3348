"""Captions: the marks around a node's text give its shape, and the text is read without them.

`[["`two **words**`"]]` is a subroutine that says `two **words**`; `#quot;` is a quotation mark.
"""

from __future__ import annotations

import html
import re
from html.entities import html5

from .placed_text import PlacedText, placed_text

_SHAPES: tuple[tuple[str, str, str], ...] = (
    ("(((", ")))", "doublecircle"),
    ("((", "))", "circle"),
    ("([", "])", "stadium"),
    ("[[", "]]", "subroutine"),
    ("[(", ")]", "cylinder"),
    ("[/", "/]", "lean_right"),
    ("[\\", "\\]", "lean_left"),
    ("[/", "\\]", "trapezoid"),
    ("[\\", "/]", "inv_trapezoid"),
    ("[|", "|]", "rect"),
    ("{{", "}}", "hexagon"),
    ("[", "]", "square"),
    ("{", "}", "diamond"),
    ("(", ")", "round"),
    (">", "]", "odd"),
)
_ENTITY = re.compile(r"#(?:\d{1,7}|[A-Za-z]\w{0,30});")
_BREAK = re.compile(r"<br\s*/?>", re.I)


def shape_of(text: PlacedText) -> tuple[str, PlacedText]:
    """Return the shape's name and the caption of `[text]`, `{text}`, `((text))` and the like
    (F3)."""
    opening, closing, name = next(
        shape
        for shape in _SHAPES
        if text.text.startswith(shape[0])
        and text.text.endswith(shape[1])
        and len(text.text) >= len(shape[0]) + len(shape[1])
    )
    return name, caption_text(text[len(opening) : len(text.text) - len(closing)].strip())


def caption_text(text: PlacedText) -> PlacedText:
    """Return a caption without its quotes and backticks, entities decoded (F4)."""
    if len(text.text) >= 2 and text.text[0] == text.text[-1] == '"':
        text = text[1:-1]
        if len(text.text) >= 2 and text.text[0] == text.text[-1] == "`":
            text = text[1:-1]
        text = text.strip()
    entities = {
        match.group().lower(): _decode(match.group()) for match in _ENTITY.finditer(text.text)
    }
    return text.replace(_ENTITY, entities) if entities else text


def plain(text: str) -> str:
    """Return the caption text of a text without places."""
    return caption_text(placed_text(text.strip())).text


def break_lines(text: PlacedText, by: str) -> PlacedText:
    """Replace `<br>` in all its spellings by a blank or a line break."""
    return text.replace(_BREAK, by)


def _decode(entity: str) -> str:
    """Decode `#quot;` and `#9829;`; an unknown entity stays as written."""
    name = entity[1:-1]
    if name.isdigit():
        return html.unescape(f"&#{name};") or entity
    return html5.get(f"{name};", entity)
