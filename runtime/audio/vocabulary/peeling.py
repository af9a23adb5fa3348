"""A clause with the settings of its tool, in it or in the pieces behind it.

What is left of a piece without the settings has to be read as a clause of the tool; a piece behind
it has to consist of settings alone. Words that make a setting another one ("at least", "not") keep
it from being read.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from flowc.compiler.catalog.audio_model import BAND_PARAMETERS, REQUIRED

from ...errors import Failure
from .pieces import RequestPiece, longest_fit, read_alone
from .settings.table import ASKED, HEADS, SETTINGS, USUAL, WEAK, Knob
from .words.patterns import Pattern, is_number, pattern, phrase
from .words.rules import Fit, Rule, rules
from .words.sentences import is_unit
from .words.units import SpokenWord

_MOST_PIECES = 12
_MOST_BASES = 2
"""Pieces of a mere name with a value: "de-esser, 6 kHz"."""
_JOINING = frozenset({"", ",", ";", ".", "and", "und", "sowie"})
_WITH = frozenset({"with", "mit", "and", "und", "plus", "using", ":", "having", "at", "bei"})
_ARTICLES = frozenset({
    "a", "an", "the", "its", "ein", "eine", "einen", "einem", "einer", "der", "die", "das", "den",
    "dem", "seine", "ihre",
})  # fmt: skip
_DEFINITE = frozenset({"the", "der", "die", "das", "den", "dem"})
_OPINIONS = frozenset({
    "fast", "quick", "slow", "short", "long", "gentle", "high", "low", "small", "large", "big",
    "narrow", "wide", "broad",
    "schnelle", "schnellem", "schnellen", "langsame", "langsamem", "langsamen", "kurze", "kurzem",
    "kurzen", "lange", "langem", "langen", "hohe", "hohem", "niedrige", "kleine", "große",
})  # fmt: skip
"""What people think of a value that they say."""
_AROUND = _WITH | _ARTICLES | frozenset({
    "please", "bitte", "also", "auch", "gib", "give", "it", "ihm", "ihr", "use", "set", "nimm",
    "dazu", "hinterher", "let", "make", "put", "add", "stelle", "stell", "setze", "noch", "then",
    "want", "i", "thanks", "danke", "afterwards", "say", "as", "well", "too", "um",
})  # fmt: skip
"""Words that add nothing in a piece of settings alone."""
_HEDGES = frozenset({
    "most", "least", "than", "als", "höchstens", "mindestens", "maximal", "more", "less", "mehr",
    "weniger", "not", "no", "nicht", "kein", "keine", "keinen", "keinem", "keiner", "without",
    "ohne", "never", "nie", "but", "außer", "except", "up", "zu", "under", "over", "unter", "über",
    "above", "below", "between", "zwischen", "or", "oder", "don't", "by", "um", "another", "extra",
    "instead", "statt", "bis",
})  # fmt: skip
"""Words before a setting that make it another one."""
_HEDGES_BEHIND = frozenset({
    "or", "oder", "more", "less", "mehr", "weniger", "höchstens", "mindestens", "maximal", "longer",
    "shorter", "higher", "lower", "länger", "kürzer", "höher", "tiefer", "bis", "till", "until",
    "→", "-", "not", "nicht", "max", "min", "minimum", "maximum",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Peeled:
    """A piece without the settings in it; None for `words` where one of them cannot be read."""

    words: list[SpokenWord]
    settings: list[tuple[str, Any, str]]
    """Parameter, value, and how it is said."""
    sure: bool
    """Whether each has a name that no other wish has."""

    @property
    def is_alone(self) -> bool:
        """Tell whether the piece says settings and nothing else."""
        return bool(self.settings) and all(word.text in _AROUND for word in self.words)


def with_settings(pieces: list[RequestPiece], at: int, plain: tuple[Fit | None, int]) -> (
    tuple[Fit, int] | None
):  # fmt: skip
    """Return the clause from a place on with its settings, and how many pieces it is; None where
    no setting is said. Raise `Failure` (refused) for two values of one
    setting."""
    some = pieces[at : at + _MOST_PIECES]
    said = {word.text for piece in some for word in piece.words}
    found: list[tuple[Fit, int]] = []
    for tool, words in _words().items():
        if words & said and (own := _of_tool(tool, some)):
            found.append(own)
    if len(found) != 1:
        return None
    fit, used = found[0]
    before, count = plain
    if before and (count >= used or before.rule is not fit.rule):
        return None
    return fit, used


def foreign_setting(text: str, words: list[SpokenWord]) -> str:
    """Return whose settings a clause says that the rules cannot read, where its own tool has none
    of that name; "" for other clauses."""
    own = _peeled_by(words)
    named = {tool: one for tool, one in own.items() if one.settings}
    if not named:
        return ""
    owners = " or ".join(name.upper() for name in sorted(named))
    most = max(named.values(), key=lambda one: len(one.settings))
    said = "`, `".join(dict.fromkeys(said for _, _, said in most.settings))
    several = len({said for _, _, said in most.settings}) > 1
    if most.is_alone:
        is_one = "are settings" if several else "is a setting"
        return f"`{text}` {is_one} of {owners}, and no such clause is at once before it"
    other = _tool_of(most)
    if not other or other in named:
        return ""
    they_are = "they are settings" if several else "it is a setting"
    return f"{other.upper()} in `{text}` has no `{said}`: {they_are} of {owners}"


def _tool_of(peeled: Peeled) -> str:
    """Return the tool of which words without their settings speak; "" for none."""
    fit = read_alone(peeled.words) if peeled.words else None
    return fit.rule.tool.name if fit and fit.rule.tool else ""


def _peeled_by(words: list[SpokenWord]) -> dict[str, Peeled]:
    """Return words without the settings of each tool whose settings may be in them."""
    said = {word.text for word in words}
    every = {tool: _peel(tool, words) for tool, known in _words().items() if known & said}
    return {tool: peeled for tool, peeled in every.items() if peeled}


def _of_tool(tool: str, pieces: list[RequestPiece]) -> tuple[Fit, int] | None:
    """Return the clause of a tool that pieces begin with, with its settings, and how many pieces it
    is; None where they begin with none, or say no settings."""
    peeled: list[Peeled] = []
    added: list[bool] = []
    others: list[bool] = []
    for piece in pieces:
        own = _peel(tool, piece.words)
        if own is None:
            break
        alone = own.is_alone and piece.before in _JOINING and bool(peeled)
        other = alone and not own.sure and _is_of_other(tool, piece.words)
        peeled.append(own)
        added.append(alone and not other)
        others.append(other)
    # "gain 4 dB" behind a shelf is a wish of its own only where the shelf has its gain.
    for taken in (added, [*map(any, zip(added, others, strict=True))]):
        ends = [*map(any, zip(taken, others, strict=True))]
        bases = [*_before(ends, pieces, peeled)]
        base, used = _base_of(tool, bases, peeled[0]) if bases else (None, 0)
        if base is None:
            continue
        if used == len(bases):
            used += next((n for n, one in enumerate(taken[used:]) if not one), len(taken) - used)
        settings = [one for own in peeled[:used] for one in own.settings]
        fit = _with_values(base, settings)
        if _is_complete(fit):
            return (fit, used) if settings else None
    return None


def _before(
    ends: list[bool], pieces: list[RequestPiece], peeled: list[Peeled]
) -> Iterator[RequestPiece]:
    """Yield the pieces before the first that says settings alone, without their settings."""
    if not peeled or not peeled[0].words:
        return
    for is_end, piece, own in zip(ends, pieces, peeled, strict=False):
        if is_end or not own.words:
            return
        yield RequestPiece(piece.before, own.words)


def _is_of_other(tool: str, words: list[SpokenWord]) -> bool:
    """Tell whether words are a wish of their own, for another tool."""
    fit = read_alone(words)
    return fit is not None and (fit.rule.tool is None or fit.rule.tool.name != tool)


def _base_of(tool: str, bases: list[RequestPiece], first: Peeled) -> tuple[Fit | None, int]:
    """Return the clause without its settings, and how many pieces it is."""
    fit, used = longest_fit(bases, 0)
    if fit and used > 1 and first.settings and (alone := read_alone(bases[0].words)):
        fit, used = alone, 1  # "reverb with room size 0.6 and fade out"
    for count in range(min(len(bases), _MOST_BASES), used if fit else 0, -1):
        spelled = bases[0].spelling + "".join(f"{b.before} {b.spelling}" for b in bases[1:count])
        if head := next(_heads(tool, spelled), None):
            fit, used = head, count
            break
    right = fit is not None and fit.rule.tool is not None and fit.rule.tool.name == tool
    return (fit if right else None), used


def _with_values(base: Fit, settings: list[tuple[str, Any, str]]) -> Fit:
    """Return a clause with its settings."""
    assert base.rule.tool is not None
    tool = base.rule.tool.name
    banded = "bands" in base.arguments
    arguments = dict(base.arguments["bands"][0] if banded else base.arguments)
    said: dict[str, str] = {}
    for name, value, text in settings:
        before = arguments.get(name, value)
        if before != value and (name in said or (tool, name, before) not in USUAL):
            one = f"`{said[name]}` and `{text}`" if name in said else f"`{text}` and {before}"
            raise Failure(
                f"the offline rules refuse this request: {one} contradict each other: both say the "
                f"{name} of {tool}",
                "refused",
                help="ask for one of them",
            )
        arguments[name], said[name] = value, text
    return Fit(base.rule, {"bands": [arguments]} if banded else arguments)


def _is_complete(fit: Fit) -> bool:
    """Tell whether all that the tool has to be told is said."""
    assert fit.rule.tool is not None
    if "bands" in fit.arguments:
        needed, given = BAND_PARAMETERS, fit.arguments["bands"][0]
    else:
        needed, given = fit.rule.tool.parameters, fit.arguments
    missing = {p.name for p in needed if p.default is REQUIRED} | ASKED[fit.rule.tool.name]
    return missing <= {*given, "input", "output", "inputs"}


class SettingSpan(NamedTuple):
    """A setting in words: from which to which, and what it says."""

    begin: int
    end: int
    arguments: dict[str, Any]
    sure: bool


def _peel(tool: str, words: list[SpokenWord]) -> Peeled | None:
    """Return words without the settings of a tool in them; None where one may be meant in another
    way."""
    texts = [word.text for word in words]
    spans = _spans(tool, texts)
    chosen = _from_left(spans)
    if chosen != _from_right(spans):
        return None  # "3 dB makeup -20 dB"
    rest: list[SpokenWord] = []
    settings: list[tuple[str, Any, str]] = []
    at = 0
    for begin, end, arguments, _ in [*chosen, SettingSpan(len(words), len(words), {}, True)]:
        rest += words[at:begin]
        at = end
        if not arguments:
            continue
        before = rest[-1].text if rest else ""
        while rest and rest[-1].text in _ARTICLES | _OPINIONS:
            rest.pop()
        while rest and rest[-1].text in _WITH:
            rest.pop()
        said = texts[begin:end]
        named = any(map(is_number, said)) or before not in _DEFINITE  # "the hard drive"
        if not named or (rest and rest[-1].text in _HEDGES) or _is_hedged(texts[end : end + 2]):
            return None
        settings += [(name, value, " ".join(said)) for name, value in arguments.items()]
    return Peeled(rest, settings, all(span.sure for span in chosen))


def _spans(tool: str, texts: list[str]) -> list[SettingSpan]:
    """Return the settings of a tool that begin at each of the words, the longest of each."""
    spelled = "".join(f"{text} " for text in texts)
    places = [0]
    for text in texts:
        places.append(places[-1] + len(text) + 1)
    found: list[SettingSpan] = []
    for begin, start in enumerate(places[:-1]):
        own = [(fit, sure) for one, sure in _patterns()[tool] if (fit := one.begin(spelled, start))]
        stop = max((end for (_, end), _ in own), default=0)
        best = [(arguments, sure) for (arguments, end), sure in own if end == stop]
        if best and all(arguments == best[0][0] for arguments, _ in best):
            sure = any(sure for _, sure in best)
            found.append(SettingSpan(begin, places.index(stop), best[0][0], sure))
    return found


def _from_left(spans: list[SettingSpan]) -> list[SettingSpan]:
    """Return the first of the spans, the first behind it, and so on."""
    found: list[SettingSpan] = []
    for span in spans:
        if not found or span.begin >= found[-1].end:
            found.append(span)
    return found


def _from_right(spans: list[SettingSpan]) -> list[SettingSpan]:
    """Return the last of the spans, the last before it, and so on."""
    found: list[SettingSpan] = []
    for span in sorted(spans, key=lambda one: (-one.end, one.begin)):
        if not found or span.end <= found[-1].begin:
            found.append(span)
    return found[::-1]


def _is_hedged(behind: Sequence[str]) -> bool:
    """Tell whether words behind a setting make it another one, or its number one of a unit."""
    if not behind:
        return False
    first, second = behind[0], behind[-1]
    if first in ("at", "to") and (second in ("most", "least") or first == "to"):
        return True
    return first in _HEDGES_BEHIND or is_unit(first)


def _heads(tool: str, spelled: str) -> Iterator[Fit]:
    """Yield what the mere name of a tool says."""
    for rule, one in _head_patterns():
        if rule.tool and rule.tool.name == tool and (said := one.match(spelled)) is not None:
            assert rule.planning is not None
            yield Fit(rule, rule.planning.builds(said))


@functools.cache
def _head_patterns() -> tuple[tuple[Rule, Pattern], ...]:
    by_name = {rule.wording.name: rule for rule in rules()}
    return tuple((by_name[name], pattern(text, by_name[name].tool)) for name, text in HEADS)


@functools.cache
def _patterns() -> dict[str, list[tuple[Pattern, bool]]]:
    """Return the settings of each tool as patterns, and whether each is sure."""
    found: dict[str, list[tuple[Pattern, bool]]] = {}
    for one in SETTINGS:
        found.setdefault(one.tool, []).extend((phrase(text), sure) for text, sure in _phrases(one))
    return found


def _phrases(one: Knob) -> Iterator[tuple[str, bool]]:
    """Yield the phrases of a setting, and whether each belongs to the tool alone."""
    slots = "|".join(f"{{{one.parameter}:{kind}}}" for kind in one.kinds.split("|"))
    value = f"({slots})"
    names = sorted(one.names.split("|"), key=len, reverse=True) if one.names else []
    for sure in (True, False):
        if some := "|".join(name for name in names if (name in WEAK) is not sure):
            yield f"({some}) {_IS} [just|only|nur|exactly|genau] {value}", sure
            yield f"{value} [of|an|-] ({some})", sure
    for text in one.phrases:
        yield " ".join(value if token == "V" else token for token in text.split()), False


_IS = "[of|von|auf|at|to|bei|=|:|set to|should be|soll sein]"


@functools.cache
def _words() -> dict[str, frozenset[str]]:
    """Return the words of the settings of each tool."""
    units = {"db", "s", "ms", "hz", "of", "a", "the", "and", "with", "to", "at", "in"}
    return {
        tool: frozenset().union(*(one.words for one, _ in some)) - units
        for tool, some in _patterns().items()
    }
