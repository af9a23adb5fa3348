"""What a request says is not to be done, or stays as it is: "but don't compress it"."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence

from flowc.compiler.catalog.wordings.left_out import BESIDE, KEPT, LEFT_OUT, NOT, tools_by_words

from ..words.circumstances import words_of

_NOT, _BESIDE = words_of(NOT), words_of(BESIDE)
_LONGEST = 14
Called = Collection[tuple[str, Mapping[str, object]]]
"""The tools of a plan, each with its arguments."""


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
    """Return the tools of words with one negation, or with one before each of them: it stands
    before all that it leaves out, or behind one thing at the end ("die Pausen nicht kürzen")."""
    places = [at for at, word in enumerate(words) if word in _NOT]
    said = [word for word in words if word not in _NOT | _BESIDE or word in _JOINING]
    while said and said[-1] in _JOINING:
        said.pop()
    while said and said[0] in _JOINING:
        said.pop(0)
    rows = LEFT_OUT if places else KEPT
    if not places:
        return _tools_of(tuple(said), rows)
    before = [word for word in words[: places[0]] if word not in _BESIDE]
    joined = len(places) - 1 <= sum(word in _JOINING for word in words)
    single = words[places[0]] in _BEHIND and _JOINING.isdisjoint(said)
    if not joined or (before and not single):
        return frozenset()
    return _tools_of(tuple(said), rows)


_JOINING = words_of("or oder nor noch and und")
_BEHIND = words_of("nicht not nichts nothing")


@functools.lru_cache(maxsize=256)
def _tools_of(said: tuple[str, ...], rows: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """Return the tools of words that are one of the rows, or some with "or" or "and" between."""
    known = _by_words(rows)
    for count in (2, 1):
        tools = known.get(" ".join(said[:count]), frozenset())
        if tools and len(said) <= count:
            return tools
        after = said[count : count + 1]
        if tools and after and after[0] in _JOINING:
            rest = [word for n, word in enumerate(said[count:]) if n or word not in _JOINING]
            while rest and rest[0] in _JOINING:
                rest.pop(0)
            others = _tools_of(tuple(rest), rows)
            return tools | others if others else frozenset()
    return frozenset()


def goes_on_with(words: Sequence[str]) -> bool:
    """Tell whether words are nothing but the name of what may be left out: "compression" behind "no
    EQ and"."""
    plain = [word for word in words if word not in _BESIDE]
    by_words = {**_by_words(LEFT_OUT), **_by_words(KEPT)}
    return " ".join(plain) in by_words or (bool(plain) and {*plain} <= _PROPERTIES)


def is_negation(words: Sequence[str]) -> bool:
    """Tell whether words leave something out by a negation, and do not only say what is kept."""
    return not _NOT.isdisjoint(words)


def is_negated_behind(words: Sequence[str]) -> bool:
    """Tell whether words leave out what stands before their negation: "Brummen nicht entfernen"."""
    return words[0] not in _NOT and not _BEHIND.isdisjoint(words)


VERBS_OF_WORK = words_of(
    "compress limit normalise normalize denoise gate deess de-ess komprimieren normalisieren "
    "entrauschen limitieren ausblenden einblenden"
)
"""Words for work that are an order behind a comma: "no EQ, normalise"."""
_PROPERTIES = words_of("level levels volume loudness pitch key tempo speed length pegel lautstärke")


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
