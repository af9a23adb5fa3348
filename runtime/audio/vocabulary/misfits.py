"""Words that fit a rule and mean another place, another thing or another file: they are refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from .words.circumstances import words_of
from .words.patterns import is_number, sounds_in
from .words.rules import Fit
from .words.sentences import senses_of

_SPARED = re.compile(
    "\\bbis auf (die|den|das|der|ersten|letzten|erste|letzte|eine|einen|[0-9:]+ (bis|-))\\b|"
    "\\bup to the last\\b"
)
_MIXED = words_of(
    "mix overlay misch mische mischen einmischen dazumischen reinmischen blend overlayed fold"
)
_START = words_of("start beginning anfang")
_ARTICLES = words_of("the den der dem die das")
_BOTH = words_of(
    "both each beide beiden beides ends enden end start anfang ende sides side seiten vorne vorn "
    "hinten je jeweils around rundherum before after davor danach front back beginning"
)
_FAULTS = frozenset({"NOISE", "HUM", "CLICKS", "SHARP", "RUMBLE", "PAUSES", "HARSH"})
_DOWN = words_of("less down quieter weniger runter leiser off lower weg reduce raus take nimm")
_LESS = words_of("less off weniger weg reduce reduzieren reduziere nimm take")
_REPAIRS = words_of("denoise dehum declick deess")
_OBJECTS = words_of(
    "it them that everything all whole volume level recording sound file alles ganze es lautstärke "
    "pegel aufnahme loudness"
)
_AFTERWARDS = words_of("afterwards danach thereafter hinterher anschließend")
_OF_VALUES = words_of("eq distort deess compress limit denoise")
_AT_HEAD = words_of(
    "in from between at during within von bei zwischen ab im während first last ersten letzten 1"
)
_ALL = words_of("all everything whole alles ganze ganzen entire result everywhere überall")
_OF_FILE = words_of("convert loudness_norm peak_norm tag concat mix split split_silence")
_TURNED = words_of("inverted flipped invertiert umgedreht inverse")
_BARE = 2


def is_of_other_place(
    fit: Fit, words: Sequence[str], last: Fit | None, held: Sequence[str]
) -> bool:
    """Tell whether words that fit a rule may mean something else than it does, alone or behind the
    clause with the meaning `last` and the words `held`."""
    name = fit.rule.tool.name if fit.rule.tool else ""
    spelled = " ".join(words)
    if _SPARED.search(spelled):
        return True  # "bis auf die ersten 10 s", "up to the last 10 s"
    wrong = False
    match name:
        case "concat":
            pairs = pairwise(words)
            into = any(two == "into" and bool(sounds_in(one)) for one, two in pairs)
            wrong = into or not _MIXED.isdisjoint(words)
        case "pad":
            same = fit.arguments.get("start_s") == fit.arguments.get("end_s")
            wrong = same and _BOTH.isdisjoint(words)  # "2 s silence"
        case "shift":
            wrong = any(one in _ARTICLES and two in _START for one, two in pairwise(words))
        case "pitch_shift":
            bare = words[0] == "pitch" and len(words) > 1 and is_number(words[1])
            wrong = bare and words[1][0] not in "+-"  # "pitch 3 semitones"
        case "reverse":
            wrong = not _TURNED.isdisjoint(words)
        case "time_stretch":
            wrong = _is_of_speed(words, fit.arguments.get("rate"))
        case "denoise":
            wrong = any(is_number(word) and word[0] == "+" for word in words)
    return wrong or (last is not None and _is_behind(name, fit, words, last, held))


def _is_of_speed(words: Sequence[str], rate: object) -> bool:
    """Tell whether words say a speed, and not how much it changes: "slower: 70 % speed" is 70 %."""
    for number, sign, of in zip(words, words[1:], words[2:], strict=False):
        if number.replace(".", "", 1).isdigit() and sign in _PERCENT and of in _SPEEDS:
            return rate != float(number) / 100
    return False


_PERCENT = words_of("% percent prozent")
_SPEEDS = words_of("speed tempo geschwindigkeit of")


def _is_behind(name: str, fit: Fit, words: Sequence[str], last: Fit, held: Sequence[str]) -> bool:
    """Tell whether words may belong to the clause before them."""
    former, said = last.rule.tool.name if last.rule.tool else "", senses_of(held)
    if name == "gain" and _OBJECTS.isdisjoint(words):
        bare = len(words) == _BARE and former in _OF_VALUES and not any(map(is_number, held))
        much = said & _FAULTS and "MUCH" in said and not _DOWN.isdisjoint(words)
        less = former in _REPAIRS and not _LESS.isdisjoint(words)
        if bare or much or less:
            return True  # "more bass, +2 dB", "too much noise, 6 dB quieter", "denoise, 6 dB less"
    own = not {"start_s", "end_s"}.isdisjoint(fit.arguments) or name in _OF_FILE or not name
    own = own or (name == "fade" and bool(senses_of(words) & {"START", "END"}))
    return is_headed(last, held) and not own and _ALL.isdisjoint(words)


def is_headed(last: Fit, held: Sequence[str]) -> bool:
    """Tell whether a clause begins with the section that it changes, which may hold for what
    follows: "in the first minute 3 dB louder and denoise"."""
    former = last.rule.tool.name if last.rule.tool else ""
    section = not {"start_s", "end_s"}.isdisjoint(last.arguments)
    begun = [word for word in held[:2] if word not in _ARTICLES]
    head = begun and (begun[0] in _AT_HEAD or is_number(begun[0]))
    return former == "gain" and section and bool(head)


def is_behind_section(words: Sequence[str], last: Fit | None) -> bool:
    """Tell whether words say that something is done behind the section before them: "2 dB quieter
    afterwards"."""
    section = last is not None and not {"start_s", "end_s"}.isdisjoint(last.arguments)
    pairs = {*pairwise(words)}
    after = not _AFTERWARDS.isdisjoint(words) or pairs & {("after", "that"), ("after", "it")}
    return section and bool(after)
