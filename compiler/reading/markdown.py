"""Markdown pieces that dialects share: what a fenced block holds."""

from __future__ import annotations

import re
from typing import NamedTuple

_OPENING = re.compile(r"[ \t]*(`[ ]`[ ]`|`+|~+)([^\n]*)")


class Fence(NamedTuple):
    """A fenced block: the mark that opens it, its language tag, and where its body lies in it."""

    mark: str
    info: str
    start: int
    end: int
    closed: bool


def read_fence(block: str) -> Fence:
    """Take a fenced block apart; `block` begins with the opening line and ends with the closing
    one, unless nothing closes it. Offsets count from the block's first character."""
    if block.startswith("```\n") and block.endswith("\n```\n"):
        return Fence("```", "", 4, max(4, len(block) - 4), True)
    opening = _OPENING.match(block)
    assert opening is not None, "a fence begins with its mark"
    mark, info = opening[1], opening[2].strip()
    body = block.find("\n") + 1
    last = block.rfind("\n", 0, len(block) - 1) + 1
    closing = block[last:].strip()
    closed = 0 < body <= last and closing.startswith(mark) and not closing.strip("`~ ")
    if not closed:
        return Fence(mark, info, body or len(block), len(block), False)
    return Fence(mark, info, body, last, True)
