"""Values: how JSON values are read as text, number or truth value, and compared.

A value that came from a model, a command or a person is a text; beside a number or a truth value it
is read as one when it looks like one: `"3" == 3` and `"true" == true`. Two texts are never numbers.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

Json = Any
Number = int | float

MAX_TEXT = 16 * 1024 * 1024
"""The longest text that an expression may make, in characters: a loop cannot fill the memory."""

_NUMBER = re.compile(
    r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,3})?", re.ASCII
)

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'", "/": "/"}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_SURROGATE = re.compile("[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]")


class EvaluationError(Exception):
    """An expression has no value; the message says why, in words for the user."""


def text_of(value: Json) -> str:
    """Return the text form: null is empty, 3.0 is `3`, true is `true`, lists and objects are
    JSON."""
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int():
            return _digits(value)
        case float():
            return _plain(value)
        case _:
            return json_text(value)


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # Python refuses to write thousands of digits
        raise EvaluationError("the number is too large") from None


def _plain(value: float) -> str:
    if not math.isfinite(value):
        raise EvaluationError(f"{value} is not a number")
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)


def json_text(value: Json) -> str:
    """Return the JSON text of a value, keys in their order, non-ASCII as it is."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise EvaluationError("the value cannot be written as JSON") from None


def read_number(value: Json) -> Number | None:
    """Return a number, or the number that a text reads as without blanks around it, or None."""
    if type(value) is int:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else None
    if not isinstance(value, str) or len(value) > 1000:
        return None
    written = value.strip()
    if not _NUMBER.fullmatch(written):
        return None
    number = float(written) if re.search(r"[.eE]", written) else int(written)
    return number if math.isfinite(number) else None


def require_finite(number: Number) -> Number:
    """Return the number. Raise `EvaluationError` for one beyond about 10^308."""
    too_large = number.bit_length() > 1023 if isinstance(number, int) else not math.isfinite(number)
    if too_large:
        raise EvaluationError("the number is too large")
    return number


def truth_of(value: Json) -> bool:
    """Return the truth of a value. Null, false, 0, an empty text, list or object, and the texts
    `false` and `0` are false."""
    if isinstance(value, str):
        written = value.strip()
        return bool(written) and written.lower() != "false" and read_number(written) != 0
    return bool(value)


def equal(left: Json, right: Json) -> bool:
    """Return whether JSON values are equal; a text beside a number or truth value is read as
    one."""
    try:
        return _equal(left, right)
    except RecursionError:
        raise EvaluationError("the values are nested too deeply to compare") from None


def _equal(left: Json, right: Json) -> bool:
    if isinstance(left, str) != isinstance(right, str):
        text, other = (left, right) if isinstance(left, str) else (right, left)
        if isinstance(other, bool):
            return bool(text.strip().lower() == text_of(other))
        if isinstance(other, int | float):
            return read_number(text) == other
        return False
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[k], right[k]) for k in left)
    return bool(left == right)


def _same(left: Json, right: Json) -> bool:
    return isinstance(left, str) == isinstance(right, str) and _equal(left, right)


def order_of(left: Json, right: Json) -> int:
    """Return -1, 0 or 1, by number when both sides read as numbers, otherwise by text (M33)."""
    numbers = read_number(left), read_number(right)
    if numbers[0] is not None and numbers[1] is not None:
        return (numbers[0] > numbers[1]) - (numbers[0] < numbers[1])
    texts = text_of(left), text_of(right)
    return (texts[0] > texts[1]) - (texts[0] < texts[1])


def kind_of(value: Json) -> str:
    """Return what a value is called in messages, with its article."""
    match value:
        case None:
            return "null"
        case bool():
            return "a truth value"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"a {type(value).__name__}"


def preview(value: Json) -> str:
    """Return a value in a message: a text by its beginning, anything else by its kind."""
    if not isinstance(value, str):
        return kind_of(value)
    line = value.strip().split("\n", 1)[0]
    return f"`{line}`" if len(line) <= 40 and line == value.strip() else f"`{line[:40]}…`"


def unquote(body: str) -> str:
    """Return the text that a quoted body means. An unknown escape stays as written, so that a
    regular expression may be quoted without doubling: `"\\d+"`."""

    def one(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return _ESCAPES.get(match[2], match[0])

    return _SURROGATE.sub(_join_surrogates, _ESCAPE.sub(one, body))


def _join_surrogates(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
