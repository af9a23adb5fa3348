"""Frames: what another process, server or model says as JSON, read with bounds on everything.

Whoever writes a frame may be hostile: three million brackets, a number of a million digits, names
nobody asked for. Depth and number of values are counted before the text is parsed, so that nothing
that is refused has been built; what is built costs memory in proportion to `most`.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..values import MAX_DEPTH

MIB = 1024 * 1024
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
"""A text in quotes, or the beginning of one that never ends: it always matches, in one pass."""
_BRACKET = re.compile(rb"[\[{\]}]")
_OPENING, _APART = (b"[", b"{"), b","


class BadFrame(ValueError):
    """A frame that is not read; the message says why, as in "it is …"."""


@dataclass(frozen=True, slots=True)
class FrameBounds:
    """The most bytes, levels of lists and objects, and values that a frame may have."""

    size: int = 16 * MIB
    depth: int = MAX_DEPTH + 8
    values: int = 2_000_000


FRAME = FrameBounds()
"""The bounds of a frame for which nothing else is said. Deeper than what a run may keep, so that an
answer with parts around such a value can be read; `values.storable_value` refuses the rest."""


def read_frame(text: str | bytes, bounds: FrameBounds = FRAME) -> Any:
    """Return the JSON value of a frame. Raise `BadFrame`."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    require_bounds(data, bounds)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"it is not JSON: {error}") from None


def read_object(
    text: str | bytes,
    types: Mapping[str, type | tuple[type, ...]],
    bounds: FrameBounds = FRAME,
) -> dict[str, Any]:
    """Return the object of a frame, with the types of those of its fields that `types` names; what
    else it holds is left out. Raise `BadFrame` where a field has another type, or is missing and
    may not be None."""
    return fields_of(read_frame(text, bounds), types)


def fields_of(value: object, types: Mapping[str, type | tuple[type, ...]]) -> dict[str, Any]:
    """Return the fields of a value as `read_object` does."""
    if not isinstance(value, dict):
        raise BadFrame("it is not an object")
    for name, kind in types.items():
        found = value.get(name)
        # In Python a truth value is a whole number too.
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is int):
            raise BadFrame(f"its `{name}` is a {type(found).__name__}")
    return {name: value.get(name) for name in types}


def read_literal(line: bytes, most: int) -> dict[str, Any]:
    """Return the dictionary of a line that the launcher writes, a literal of Python: it has no JSON
    where it runs. Raise `BadFrame`."""
    if len(line) > most:
        raise BadFrame(f"it is longer than {most:,} bytes")
    if any(line.count(one) > MAX_DEPTH for one in (b"[", b"{", b"(")):
        raise BadFrame("it holds too many lists")
    try:
        value = ast.literal_eval(line.decode())
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise BadFrame(f"it is not a literal: {error}") from None
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise BadFrame("it is not a dictionary")
    return value


def require_bounds(data: bytes, bounds: FrameBounds) -> None:
    """Raise `BadFrame` for what is too large, too wide or too deep."""
    if len(data) > bounds.size:
        raise BadFrame(f"it is longer than {bounds.size:,} bytes")
    if _most_values(data) <= bounds.values and _most_depth(data) <= bounds.depth:
        return  # as nearly always: counted with whatever stands in texts
    bare = _STRING.sub(b"", data)
    if _most_values(bare) > bounds.values:
        raise BadFrame(f"it holds more than {bounds.values:,} values")
    depth = 0
    for bracket in _BRACKET.finditer(bare):
        depth += 1 if bracket[0] in _OPENING else -1
        if depth > bounds.depth:
            raise BadFrame(f"it is nested more than {bounds.depth} levels deep")


def _most_values(data: bytes) -> int:
    return 1 + data.count(_APART) + _most_depth(data)


def _most_depth(data: bytes) -> int:
    return sum(data.count(one) for one in _OPENING)
