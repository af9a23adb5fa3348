"""What a request says is not to be done: "but don't compress it"."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence

from flowc.compiler.catalog.wordings.left_out import BESIDE, NOT, tools_left_out

from ..words.circumstances import words_of

_NOT, _BESIDE = words_of(NOT), words_of(BESIDE)
_LONGEST = 14
Called = Collection[tuple[str, Mapping[str, object]]]
"""The tools of a plan, each with what it is told."""


def left_out(words: Sequence[str]) -> frozenset[str]:
    """Return the tools that words leave out, "tool" or "tool.parameter"; none where they say
    anything more, such as how much, where or when."""
    if len(words) > _LONGEST or _NOT.isdisjoint(words):
        return frozenset()
    said = [word for word in words if word not in _NOT | _BESIDE]
    return _tools_of(tuple(said))


@functools.lru_cache(maxsize=256)
def _tools_of(said: tuple[str, ...]) -> frozenset[str]:
    """Return the tools of words that are one of the rows after the other."""
    rows = _rows()
    if not said:
        return frozenset()
    for count in (2, 1):
        tools = rows.get(" ".join(said[:count]), frozenset())
        if tools and len(said) <= count:
            return tools
        if tools and (others := _tools_of(said[count:])):
            return tools | others
    return frozenset()


@functools.cache
def _rows() -> Mapping[str, frozenset[str]]:
    return tools_left_out()


def is_kept(tools: Collection[str], called: Called) -> bool:
    """Tell whether a plan calls none of the tools that are left out."""
    for tool, arguments in called:
        own = {tool, *(f"{tool}.{name}" for name, value in arguments.items() if value)}
        if not own.isdisjoint(tools):
            return False
    return True
