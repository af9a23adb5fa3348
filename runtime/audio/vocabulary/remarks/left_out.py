"""What a request says is not to be done, or stays as it is: "but don't compress it"."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence

from flowc.compiler.catalog.wordings.left_out import BESIDE, KEPT, LEFT_OUT, NOT, tools_by_words

from ..words.circumstances import words_of

_NOT, _BESIDE = words_of(NOT), words_of(BESIDE)
_LONGEST = 14
Called = Collection[tuple[str, Mapping[str, object]]]
"""The tools of a plan, each with what it is told."""


def left_out(words: Sequence[str]) -> frozenset[str]:
    """Return the tools that words leave out, "tool" or "tool.parameter"; none where they say
    anything more, such as how much, where or when. "So" begins what follows from it: "I don't
    want the chipmunk effect so keep the pitch"."""
    if len(words) > _LONGEST:
        return frozenset()
    at = words.index("so") if "so" in words[1:-1] else len(words)
    parts = [part for part in (words[:at], words[at + 1 :]) if part]
    found = [_left_out_by(part) for part in parts]
    return frozenset().union(*found) if all(found) else frozenset()


def _left_out_by(words: Sequence[str]) -> frozenset[str]:
    rows = KEPT if _NOT.isdisjoint(words) else LEFT_OUT
    return _tools_of(tuple(word for word in words if word not in _NOT | _BESIDE), rows)


@functools.lru_cache(maxsize=256)
def _tools_of(said: tuple[str, ...], rows: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """Return the tools of words that are one of the rows after the other."""
    known = _by_words(rows)
    if not said:
        return frozenset()
    for count in (2, 1):
        tools = known.get(" ".join(said[:count]), frozenset())
        if tools and len(said) <= count:
            return tools
        if tools and (others := _tools_of(said[count:], rows)):
            return tools | others
    return frozenset()


@functools.cache
def _by_words(rows: tuple[tuple[str, str], ...]) -> Mapping[str, frozenset[str]]:
    return tools_by_words(rows)


def is_kept(tools: Collection[str], called: Called) -> bool:
    """Tell whether a plan calls none of the tools that are left out."""
    for tool, arguments in called:
        own = {tool, *(f"{tool}.{name}" for name, value in arguments.items() if value)}
        if not own.isdisjoint(tools):
            return False
    return True


_START, _END = words_of("start beginning front anfang"), words_of("end ending back ende schluss")
_UNTOUCHED = words_of("leave leaving alone untouched nothing nichts lass lasse ruhe unangetastet")
_AT_START = frozenset({("fade", "in_s"), ("pad", "start_s"), ("clip", "start_s")})
_AT_END = frozenset({("fade", "out_s"), ("pad", "end_s"), ("clip", "end_s")})


def is_end_kept(words: Sequence[str], called: Called) -> bool:
    """Tell whether words leave the one end of a sound as it is, and a plan changes the other end
    alone: "trim the silence at the start, but leave the end alone"."""
    said = [word for word in words if word not in _BESIDE | {"at", "am", "in", "as", "is"}]
    ends = [word for word in said if word in _START | _END]
    others = {*said} - {*ends}
    if len(ends) != 1 or not others or not others <= _UNTOUCHED:
        return False
    edge, mine = ("end", _AT_END) if ends[0] in _START else ("start", _AT_START)
    return bool(called) and all(
        arguments.get("edges") == edge
        if tool == "trim_silence"
        else {(tool, name) for name, value in arguments.items() if value} <= mine and arguments
        for tool, arguments in called
    )
