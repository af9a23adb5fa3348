"""Words that fit a rule and mean another place, another thing or another file: they are refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

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
_POINTERS = words_of("das ihn")
_OF_OTHER = words_of(
    "fading compressed filtered ducked reversed normalised normalized faded looped"
)
_AFTERWARDS = words_of("afterwards danach thereafter hinterher anschließend")
_OF_VALUES = words_of("eq distort deess compress limit denoise")
_AT_HEAD = words_of(
    "in from between at during within von bei zwischen ab im während first last ersten letzten 1"
)
_ALL = words_of("all everything whole alles ganze ganzen entire result everywhere überall")
_OF_FILE = words_of("convert loudness_norm peak_norm limit tag concat mix split split_silence")
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
            wrong = wrong or not _BACK.isdisjoint(words)  # later for some, earlier for others
        case "pitch_shift":
            bare = words[0] == "pitch" and len(words) > 1 and is_number(words[1])
            wrong = bare and words[1][0] not in "+-"  # "pitch 3 semitones"
        case "reverse":
            wrong = not _TURNED.isdisjoint(words)
        case "time_stretch":
            wrong = _is_of_speed(words, fit.arguments.get("rate"))
        case "fade":
            ends = not _INS.isdisjoint(words) and not _OUTS.isdisjoint(words)
            wrong = ends and len({"in_s", "out_s"} & {*fit.arguments}) == 1
        case "eq":
            wrong = _band_of(fit).get("freq_hz", 0) > _HIGHEST_HZ  # "44.1 kHz -3 dB"
        case "loudness_norm":
            bare = "max_true_peak_dbtp" in fit.arguments and "target_lufs" not in fit.arguments
            wrong = bare and senses_of(words) <= {"NORM", "PEAK", "AT", "TO", "MOST"}
        case "denoise":
            wrong = any(is_number(word) and word[0] == "+" for word in words)
    return wrong or (last is not None and _is_behind(name, fit, words, last, held))


def _is_of_speed(words: Sequence[str], rate: object) -> bool:
    """Tell whether words say a speed, and not how much it changes: "slower: 70 % speed" is 70 %."""
    for number, sign, of in zip(words, words[1:], [*words[2:], ""], strict=False):
        if number.replace(".", "", 1).isdecimal() and sign in _PERCENT:
            share = float(number) / 100
            if not _LENGTHS.isdisjoint(words):
                return True  # "down to 80 % of its length"
            if of in _SPEEDS or (share >= 1 and _BY.isdisjoint(words)):
                return rate != share
    return False


_INS, _OUTS = words_of("in ein"), words_of("out aus")
_HIGHEST_HZ = 24_000
_BY = words_of("by um")
_BACK = words_of("back zurück")
_LENGTHS = words_of("length duration länge dauer")
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
    numbered = any(map(is_number, held))
    if name == "eq" and not numbered and former in _REPAIRS | {"eq"}:
        again = former == "eq" and "shelf" in words
        return again or is_number(words[0])  # "more bass, 100 Hz +3 dB"
    if name == "gain" and former == "eq" and len(words) == _BARE:
        return True  # "bass -3 dB, +2 dB"
    if former in ("mix", "concat") and words[0] in _OF_OTHER:
        return True  # "mix in music.wav, fading in over 3 s"
    taken = held[-1] == "aus" and not _POINTERS.isdisjoint(words)
    if not name and former == "cut" and (taken or words[0] == "use"):
        return True  # "schneide 0:10 bis 0:20 aus und speicher das als mp3"
    own = not {"start_s", "end_s"}.isdisjoint(fit.arguments) or name in _OF_FILE or not name
    own = own or (name == "fade" and bool(senses_of(words) & {"START", "END"}))
    return is_headed(last, held) and not own and _ALL.isdisjoint(words)


def _band_of(fit: Fit) -> Mapping[str, Any]:
    """Return the one band that a clause is of."""
    bands = fit.arguments.get("bands") or [fit.arguments]
    return {"freq_hz": 0, **bands[0]}


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
