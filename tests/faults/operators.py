"""What an operator is: one kind of mistake that a person makes in a file, as a row of a table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

Change = str | Callable[[re.Match[str]], str]


@dataclass(frozen=True)
class Operator:
    """Replaces what `pattern` finds by `change`, a template or a function of the match. `repair` is
    what a diagnostic has to name, a template too; where it is empty the place alone is judged.
    `other` finds a line that may be named instead: the other end of what does not fit. A mistake
    after which the file means what it meant is passed over, unless it `counts`: then something that
    was written is lost."""

    name: str
    pattern: str
    change: Change
    repair: str = ""
    other: str = ""
    counts: bool = False


def typo(group: int = 1) -> Callable[[re.Match[str]], str]:
    """Return a change that exchanges two letters of a group, as a hurried hand does."""

    def change(found: re.Match[str]) -> str:
        start, end = (place - found.start() for place in found.span(group))
        whole = found.group()
        return whole[:start] + misspelt(whole[start:end]) + whole[end:]

    return change


def misspelt(word: str) -> str:
    """Return a word with two neighbouring letters exchanged in its middle, or one letter less."""
    for at in sorted(range(len(word) - 1), key=lambda place: abs(place - len(word) // 2)):
        one, other = word[at : at + 2]
        if one != other and one.isalnum() and other.isalnum():
            return word[:at] + other + one + word[at + 2 :]
    return word[:-1]
