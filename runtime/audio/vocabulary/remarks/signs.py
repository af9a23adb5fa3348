"""Signs that part or adorn what is said: dashes, strokes, smileys, parentheses."""

from __future__ import annotations

import re

_SMILEY = re.compile(r"(?<=\s)[:;]-?[)(DP](?=\s|$)")
_DASH = re.compile(r"(?<=\s)[–—−-](?=\s+[^\W\d])")
_BREAK = re.compile(r"(?<=\s)[/>|](?=\s)|(?<=\w\s)\+(?=\s)|…|(?<=\w)\.{2,}|->")
_AS_WELL_AS = re.compile(r"\bas well as\b", re.I)
_QUARTER = re.compile(r"\b(?:a |one )?quarter of an? (second|minute|hour)\b", re.I)
_QUALITY = re.compile(r"((?:\bgüte|\bq)\s*(?:von|of|=)?\s*[0-9]+),([0-9])", re.I)
"""A comma in a number that has no unit."""
_KIND = re.compile(r"(?<=\w)-(?=(?:mp3|wav|flac|ogg|opus|m4a|aiff?|aac)\b(?!\.))", re.I)
_TITLE = re.compile(r"\b(?:title|titel|artist|interpret|album|comment|kommentar|name)\b", re.I)


def plain_text(request: str) -> str:
    """Return a request of the same length without signs that part or adorn what is said: dashes
    and strokes between words end a clause, parentheses and smileys are blanks."""
    text = _SMILEY.sub(_blanks, request.replace("\n", ";"))
    text = _AS_WELL_AS.sub("and       ", text)
    text = _QUARTER.sub(_quarter, text)
    text = _KIND.sub(" ", text)
    text = _QUALITY.sub(r"\1.\2", text)
    text = _BREAK.sub(lambda match: ";".ljust(len(match[0])), text)
    if not _TITLE.search(text):
        text = _DASH.sub(";", text).replace("(", " ").replace(")", " ")
    return text


def _quarter(match: re.Match[str]) -> str:
    """Return the number with its unit, blanks between them: the place of both ends stays."""
    return "0.25" + match[1].rjust(len(match[0]) - len("0.25"))


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])
