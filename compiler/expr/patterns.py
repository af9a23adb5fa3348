"""Patterns: the regular expressions of `matches`, searched in time linear in the text.

RE2 runs them, so that no pattern from a workflow can hang a run: `(a+)+$` included. What needs
backtracking does not exist in it: look-around, back references, repetition over 1,000.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re2

MAX_CHARACTERS = 1_000
"""A longer pattern is refused."""


def pattern_fault(pattern: str) -> str | None:
    """Return why `pattern` is not a valid regular expression, in a few words; None when it is."""
    read = _compile(pattern)
    return read if isinstance(read, str) else None


def pattern_matches(pattern: str, text: str) -> bool:
    """Return whether the valid `pattern` matches anywhere in `text` (M32)."""
    return bool(_compile(pattern).search(_encodable(text)))


def captures(pattern: str, text: str, most: int) -> Iterator[dict[str, str | None]]:
    """Yield what the groups of the valid `pattern` found at its first `most` places in `text`: by
    number, 0 for the whole, and by name; None for a group that took no part."""
    found = _compile(pattern).finditer(_encodable(text))
    for match in itertools.islice(found, most):
        groups = {str(n): text for n, text in enumerate((match.group(), *match.groups()))}
        yield groups | match.groupdict()


_REASONS = {
    "missing )": "a `(` is not closed",
    "unexpected )": "a `)` closes nothing",
    "missing ]": "a `[` is not closed",
    "no argument for repetition operator": "nothing stands before `{}` that could be repeated",
    "bad repetition operator": "`{}` repeats a repetition",
    "invalid repetition size": "`{}` is not a number of repetitions up to 1,000",
    "invalid perl operator": "`{}` does not exist: look-around is not supported",
    "invalid escape sequence": "`{}` does not exist: back references are not supported",
    "invalid character class range": "`{}` is not a range or class of characters",
    "trailing \\": "it ends with a single `\\`",
}
"""RE2's words for what is wrong, and ours; `{}` is the part of the pattern it is about."""


@functools.lru_cache(maxsize=512)
def _compile(pattern: str) -> Any:
    if len(pattern) > MAX_CHARACTERS:
        return f"it has more than {MAX_CHARACTERS} characters"
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(_encodable(pattern), options)
    except re2.error as error:
        return _reason(error)


def _reason(error: re2.error) -> str:
    raw = error.args[0]
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    kind, _, part = text.partition(": ")
    return _REASONS.get(kind, text).replace("{}", part)


def _encodable(text: str) -> str:
    """Replace half a surrogate pair, which is not a character: JSON may smuggle one in."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
