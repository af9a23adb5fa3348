"""Edits that change words of a text or a title, and nothing else: what was found in the file stays.

Keep the notes short.               ->  Keep the notes rather short.
### 🔧 WORKFLOW STEP: Look around   ->  ### 🔧 WORKFLOW STEP: Look round
"""

from __future__ import annotations

import re
from typing import NamedTuple

_WORDS = re.compile(r"[^\W_][\w ,.]*|[ ]?")
_PROSE = re.compile(r"[^\W\d_]\w*[ ,.]")
_TITLE = re.compile(r"[^\W_](?:[\w ,.'-]*[\w.])?")
_OPENED = re.compile(r"\[[^\]]*\Z|\{[^}]*\Z|<[^>]*\Z")
MAX_LINE = 2000


class TitleEdit(NamedTuple):
    """A title that begins at character `start` of its line, before and after an edit."""

    start: int
    old: str
    new: str


def is_of_words(line: str, start: int, end: int, new: str) -> bool:
    """Return whether replacing the characters `start` to `end` of a line of prose by `new` changes
    words of it alone. The line begins with a word and goes on; the edit is not its first word, and
    is not inside of brackets, of code or of a word with other signs."""
    old = line[start:end]
    first = _PROSE.match(line)
    if first is None or start < first.end() or len(line) > MAX_LINE:
        return False
    if not (_WORDS.fullmatch(old.strip(" ") or " ") and _WORDS.fullmatch(new.strip(" ") or " ")):
        return False
    before, behind = line[:start], line[end:]
    if before.count("`") % 2 or before.count('"') % 2 or _OPENED.search(before):
        return False
    return _is_plain(before[-1:]) and _is_plain(behind[:1])


def title_edit(
    line: str, start: int, end: int, new: str, titles: re.Pattern[str]
) -> TitleEdit | None:
    """Return what becomes of a line's title when its characters `start` to `end` become `new`; None
    where the edit changes anything but a title of plain words. `titles` matches lines with a title,
    which is its group of this name."""
    found = titles.match(line) if len(line) <= MAX_LINE else None
    if found is None or start < found.start("title"):
        return None
    old, rest = found["title"].strip(), line[end:]
    title = line[found.start("title") : start] + new + rest
    if not _TITLE.fullmatch(old) or not _TITLE.fullmatch(title.rstrip(" ")):
        return None
    return TitleEdit(found.start("title"), old, title.rstrip(" "))


def _is_plain(sign: str) -> bool:
    return sign in ("", " ", ".", ",") or (sign.isalnum() and sign != "_")
