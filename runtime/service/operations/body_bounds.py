"""What a request's body may look like before anybody parses it.

A parser of JSON is one call that nothing interrupts: a megabyte of brackets takes it seconds. So
the body is looked through first, a piece at a time, and refused beyond a depth and a number of
values.
"""

from __future__ import annotations

import re

from ..records.errors import ServiceFault

MAX_DEPTH = 64
"""Arrays and objects inside one another."""
MAX_MARKS = 50_000
"""Brackets, commas and colons outside of strings: so many are parsed in a few milliseconds."""
MAX_ESCAPES = 200_000
"""Backslashes: about one for each line end and quotation mark of a text."""
PIECE = 16_384
"""Bytes that are looked at at once: a body beyond its bounds is not looked at to its end."""
_MARKS = b"[]{},:"
_OTHERS = bytes(sorted(set(range(256)) - set(_MARKS)))
_DEEPER = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_LONG_NUMBER = re.compile(rb"[0-9.eE+-]{1001}")
"""A number of so many characters is a way to spend time: a float has 17 digits."""


def refuse_beyond_bounds(body: bytes) -> None:
    """Raise `ServiceFault` for a body that is nested too deeply, or has too many values or a number
    that is too long. Whether it is JSON at all is left to its parser."""
    in_string, depth, found, escapes, rest = 0, 0, 0, 0, b""
    for begin in range(0, len(body), PIECE):
        piece = rest + body[begin : begin + PIECE]
        escapes += piece.count(b"\\")
        if escapes > MAX_ESCAPES:
            raise _refusal(f"more than {MAX_ESCAPES:,} escapes")
        piece = piece.replace(b"\\\\", b"").replace(b'\\"', b"")  # other quotation marks count
        rest = b"\\" if piece.endswith(b"\\") else b""
        parts = piece.split(b'"')
        outside = b" ".join(parts[in_string::2])
        in_string = (in_string + len(parts) - 1) % 2
        marks = outside.translate(None, _OTHERS)
        found += len(marks)
        if found > MAX_MARKS:
            raise _refusal(f"more than {MAX_MARKS:,} brackets, commas and colons")
        if _LONG_NUMBER.search(outside):
            raise _refusal("a number of more than 1,000 characters")
        for mark in marks:
            depth += _DEEPER.get(mark, 0)
            if depth > MAX_DEPTH:
                raise _refusal(f"more than {MAX_DEPTH} arrays and objects inside one another")


def _refusal(excess: str) -> ServiceFault:
    fault = f"the body has {excess}"
    return ServiceFault("INVALID_REQUEST", fault, recovery=("send a smaller or flatter value",))
