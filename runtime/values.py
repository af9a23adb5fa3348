"""Which JSON values a checkpoint can hold, wherever they come from: a model, a tool, a person.

A value that the store would refuse or change is found at the door, where it can be said whose it
is. Behind the door it would end the run in the middle, or come back different after a resume.
"""

from __future__ import annotations

from typing import Any

from .services import Json

MAX_DEPTH = 200
"""How deep lists and objects may be nested."""
_MOST, _LEAST = 2**64 - 1, -(2**63)


class Unfit(ValueError):
    """A value that cannot be kept; the message says why, as in "it holds …"."""


def keepable(value: Any) -> Json:
    """The value, halves of surrogate pairs (which no file can hold) shown as U+FFFD. Raises `Unfit`
    for a number beyond 64 bits, NaN and infinities, and what is nested too deeply."""
    return _kept(value, 0)


def keepable_text(text: str) -> str:
    """The text, halves of surrogate pairs shown as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _kept(value: Any, depth: int) -> Any:
    match value:
        case str():
            return keepable_text(value)
        case None | bool():
            return value
        case int():
            if not _LEAST <= value <= _MOST:
                raise Unfit("it holds a whole number beyond 64 bits")
            return value
        case float():
            if value - value != 0:
                raise Unfit("it holds a number that is not finite")
            return value
        case _ if depth == MAX_DEPTH:
            raise Unfit(f"it is nested more than {MAX_DEPTH} levels deep")
        case dict():
            return {_kept(k, depth): _kept(v, depth + 1) for k, v in value.items()}
        case list() | tuple():
            return [_kept(item, depth + 1) for item in value]
    raise Unfit(f"it holds a {type(value).__name__}, which is no JSON value")
