"""The JSON values that a checkpoint can hold, whether from a model, a tool or a person.

A value that the store would refuse or change is refused where it arrives, where a message can name
its owner. Later it would end the run in the middle, or come back different after a resume.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from typing_extensions import TypeAliasType

from .errors import RunError

if TYPE_CHECKING:
    from flowc.compiler.ir import TypeName

Json = TypeAliasType(
    "Json", "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
)
"""A JSON value. An object of its own, because LangGraph evaluates the types of its nodes."""
Write = tuple[str, Sequence[Any]]
"""A statement of a store, mostly one that writes, and the values in it."""
MAX_DEPTH = 200
"""The deepest nesting of lists and objects."""
_MOST, _LEAST = 2**64 - 1, -(2**63)
SHORT = 100
"""Characters of a text that may stand among other values, where it is written again with them."""


_CLASSES: dict[TypeName, tuple[type, ...]] = {
    "text": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "list": (list,),
    "object": (dict,),
    "any": (object,),
}


def fits(value: object, kind: TypeName) -> bool:
    """Return whether a value is of a declared type."""
    # In Python a truth value is a whole number too.
    is_number = not isinstance(value, bool) or kind in ("boolean", "any")
    return is_number and isinstance(value, _CLASSES[kind])


class NotStorable(ValueError):
    """A value that no checkpoint can hold; the message says why, as in "it holds …"."""


def storable_value(value: object) -> Json:
    """Return the value with U+FFFD for lone halves of surrogate pairs, which no file can hold.
    Raise `NotStorable` for a number beyond 64 bits, NaN, infinities, and too deep nesting."""
    converted: Json = _convert(value, 0)
    return converted


def is_plain(value: object) -> bool:
    """Return whether a value is one number, or one short text, that every JSON can hold."""
    if isinstance(value, str):
        return len(value) <= SHORT and value.isprintable()
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int)


def kept_value(value: object, name: str) -> Json:
    """Return the value as `storable_value` does. Raise `RunError` that names it for a person."""
    try:
        return storable_value(value)
    except NotStorable as error:
        raise RunError(f"{name} cannot be kept: {error}") from None


def unchanged_value(value: object, name: str) -> Json:
    """Return a value that somebody gave as it is kept: a tuple is a list. Raise `RunError` that
    names it for a person, also for a text that would be another one: it is not UTF-8."""
    kept = kept_value(value, name)
    text = json.dumps(value)
    if json.dumps(kept) != text:
        raise RunError(f"{name} is not UTF-8 text")
    if json.loads(text) != kept:
        raise RunError(f"{name} cannot be kept: a key of an object is not a text")
    return kept


def storable_object(value: Mapping[str, object]) -> dict[str, Any]:
    """Return the object as `storable_value` does."""
    converted: dict[str, Any] = _convert(dict(value), 0)
    return converted


def storable_text(text: str) -> str:
    """Return the text with U+FFFD for lone halves of surrogate pairs."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _convert(value: object, depth: int) -> Any:
    match value:
        case str():
            return storable_text(value)
        case None | bool():
            return value
        case int():
            if not _LEAST <= value <= _MOST:
                raise NotStorable("it holds a whole number beyond 64 bits")
            return value
        case float():
            # NaN - NaN and inf - inf are NaN, which differs from 0.
            if value - value != 0:
                raise NotStorable("it holds a number that is not finite")
            return value
        case _ if depth == MAX_DEPTH:
            raise NotStorable(f"it is nested more than {MAX_DEPTH} levels deep")
        case dict():
            return {_convert(k, depth): _convert(v, depth + 1) for k, v in value.items()}
        case list() | tuple():
            return [_convert(item, depth + 1) for item in value]
    raise NotStorable(f"it holds a {type(value).__name__}, which is not a JSON value")
