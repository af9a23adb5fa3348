"""Edits that change words of a text and nothing else: what was found in the file stays as it is.

Keep the notes short.   ->  Keep the notes rather short.
"""

from __future__ import annotations

import re

_WORDS = re.compile(r"[^\W_][\w ,.]*|[ ]?")
_PROSE = re.compile(r"[^\W\d_]\w*[ ,.]")
_OPENED = re.compile(r"\[[^\]]*\Z|\{[^}]*\Z|<[^>]*\Z")
MAX_LINE = 2000


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


def _is_plain(sign: str) -> bool:
    return sign in ("", " ", ".", ",") or (sign.isalnum() and sign != "_")
