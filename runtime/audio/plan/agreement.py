"""Requirements held against words: what a text says, its metric has to measure.

A model may write "Loudness is -16 LUFS" above a metric of length, or a tolerance that lets anything
pass. Numbers with units are read out of both; what does not agree is refused before any work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from ...errors import Failure
from .metrics import Metric, Said
from .predicates import Predicate, metric_of, names_of

_UNITS: Mapping[str, tuple[str, float]] = {
    "lufs": ("LUFS", 1), "lkfs": ("LUFS", 1), "lu": ("LUFS", 1), "dbtp": ("dB", 1),
    "dbfs": ("dB", 1), "db": ("dB", 1), "khz": ("Hz", 1000), "hz": ("Hz", 1), "ms": ("s", 0.001),
    "s": ("s", 1), "sec": ("s", 1), "second": ("s", 1), "seconds": ("s", 1), "sekunden": ("s", 1),
    "minutes": ("s", 60), "min": ("s", 60), "semitone": ("semitones", 1),
    "semitones": ("semitones", 1), "halbtöne": ("semitones", 1), "%": ("%", 1),
    "percent": ("%", 1), "prozent": ("%", 1),
}  # fmt: skip
"""Units as people write them: the kind, and how many of its first one they are."""
_QUANTITY = re.compile(
    r"(?<![\w.:])(?P<number>[+-]?\d+(?:[.,]\d+)?)\s*(?P<unit>"
    + "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
    + r")(?![\w])",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?<![\w:])(?:(\d+):)?(\d{1,2}):(\d{2}(?:\.\d+)?)(?![\w:])")
_NAMES = (
    ("hz", "Hz"), ("_ms", "s"), ("_s", "s"), ("db", "dB"), ("dbtp", "dB"), ("dbfs", "dB"),
)  # fmt: skip
"""What the numbers in a metric's parentheses are, by the ends of their names."""
_TOPICS: Mapping[str, tuple[str, ...]] = {
    "loud": ("integrated", "loudness", "rms", "momentary", "range", "loud_frames"),
    "lufs": ("integrated", "loudness", "range"),
    "true peak": ("true_peak",),
    "pitch": ("pitch",),
    "duration": ("duration", "section", "cut"),
    "sample rate": ("sample_rate",),
    "fade": ("fade", "duration"),
}
"""Words of a text, and how the metrics begin that can speak of them."""
_CHANGES = frozenset({
    "loudness_change_lu", "rms_change_db", "duration_change_s", "pitch_change_semitones",
    "quiet_frames_gain_db", "loud_frames_gain_db",
})  # fmt: skip
"""Metrics of which a number below 0 is less."""
_MORE = frozenset({"louder", "higher", "longer", "raised", "lauter", "höher", "länger"})
_LESS = frozenset({
    "quieter", "softer", "lower", "shorter", "lowered", "deeper", "leiser", "tiefer", "kürzer",
})  # fmt: skip
_WAYS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    **dict.fromkeys(("louder", "lauter"), (1, ("dB", "LU"))),
    **dict.fromkeys(("quieter", "softer", "leiser"), (-1, ("dB", "LU"))),
    **dict.fromkeys(("deeper", "tiefer"), (-1, ("semitones",))),
    **dict.fromkeys(("longer", "länger"), (1, ("s",))),
    **dict.fromkeys(("shorter", "kürzer"), (-1, ("s",))),
}
"""Words of a request that say more or less of one thing only, and the kinds of its units."""
_COMPARED = frozenset({"than", "als", "up", "down", "raise", "lower"})
"""Words beside which those of `_WAYS` may tell how the sound is."""
_BOUND_BEFORE = re.compile(
    r"\b(?:at (?:most|least)|\w+(?:er|re|ss) than|no more|below|under|above|maxim(?:um|al)|max|"
    r"minim(?:um|al)|up to|exceed\w*|höchstens|mindestens|unter|über|bis zu|\w+er als)\b|[<>≤≥]",
    re.IGNORECASE,
)
_BOUND_BEHIND = re.compile(
    r"\s*(?:at (?:most|least)|or (?:less|more|shorter|longer|quieter|louder)|max(?:imum)?|minimum|"
    r"oder (?:weniger|mehr)|höchstens|mindestens)\b",
    re.IGNORECASE,
)
"""Words before and behind a number that make it a bound."""
_BOUNDED = ("true_peak", "sample_peak")
"""How metrics begin whose number in a request is a bound without saying so."""
_WIDEST = 4.0
"""Times its own tolerance that a requirement may be wide."""
_PART = 0.4
"""Of its value a requirement may be wide whose metric has no tolerance: half of it is noticed."""
_WORST_MISFIT_DB = 4.0
_CLOSE = 1e-6


class Quantity(NamedTuple):
    """A number with the kind of its unit, in the first unit of that kind, as it was written, and
    whether words make it a bound."""

    number: float
    kind: str
    text: str
    is_bound: bool = False


def quantities_in(text: str) -> Iterator[Quantity]:
    """Yield the numbers of a text that have a unit, and times such as 1:30."""
    plain = text.replace("\u2212", "-").replace("\u2011", "-")
    before = 0
    for match in _QUANTITY.finditer(plain):
        kind, times = _UNITS[match["unit"].lower()]
        bound = _BOUND_BEFORE.search(plain, before, match.start())
        bound = bound or _BOUND_BEHIND.match(plain, match.end())
        before = match.end()
        number = float(match["number"].replace(",", ".")) * times
        yield Quantity(number, kind, match[0], bound is not None)
    for match in _CLOCK.finditer(plain):
        hours, minutes, seconds = (float(part or 0) for part in match.groups())
        yield Quantity(hours * 3600 + minutes * 60 + seconds, "s", match[0])


def check_agreement(predicate: Predicate) -> None:
    """Raise `Failure` where the words of a requirement speak of something else than its metric, or
    where it would let anything pass."""
    metric, at = metric_of(predicate.metric)
    _check_width(predicate, metric)
    said = list(quantities_in(predicate.text))
    own = [*_numbers(predicate, metric, at)]
    kinds = {kind for _, kind in own}
    if said and not kinds & {one.kind for one in said} and "%" not in {one.kind for one in said}:
        other = (
            f"{metric.name} is in {metric.unit}" if metric.unit else f"{metric.name} has no unit"
        )
        raise _disagree(predicate, f"`{said[0].text}` is not what {other}")
    for one in said:
        same = [number for number, kind in own if kind == one.kind]
        if same and not any(_is_near(number, one.number) for number in same):
            raise _disagree(predicate, f"`{one.text}` is not in `{predicate.condition}`")
    words = predicate.text.lower()
    if (way := _direction(words)) and metric.name in _CHANGES and _goes(predicate) == -way:
        raise _disagree(predicate, f"that is {'more' if way < 0 else 'less'}")
    topics = [starts for word, starts in _TOPICS.items() if word in words]
    if topics and not any(metric.name.startswith(start) for t in topics for start in t):
        raise _disagree(predicate, f"`{metric.name}` measures {metric.about}")


def _direction(words: str) -> int:
    """Return 1 for words that say more, -1 for those that say less, 0 for neither and for both."""
    said = set(re.findall(r"[^\W\d]+", words))
    return int(not said.isdisjoint(_MORE)) - int(not said.isdisjoint(_LESS))


def _goes(predicate: Predicate) -> int:
    """Return 1 where only changes above 0 fit, or -1 where only those below it do; else 0."""
    value = predicate.value
    if isinstance(value, str | bool) or not value:
        return 0
    if predicate.op in ("==", ">=", ">") and value > 0:
        return 1
    return -1 if predicate.op in ("==", "<=", "<") and value < 0 else 0


def _check_width(predicate: Predicate, metric: Metric) -> None:
    if metric.tolerance and predicate.tolerance > _WIDEST * metric.tolerance:
        most = f"at most {_WIDEST * metric.tolerance:g} {metric.unit}".rstrip()
        raise Failure(f"`{predicate.condition}` is too wide to tell anything", help=most)
    value = predicate.value
    if (
        metric.kind == "number"
        and not metric.tolerance
        and predicate.tolerance > _PART * abs(float(value)) > 0
    ):
        most = f"at most {_PART * abs(float(value)):g} {metric.unit}".rstrip()
        raise Failure(f"`{predicate.condition}` is too wide to tell anything", help=most)
    if "misfit" in metric.name and (
        predicate.op not in ("<=", "<") or float(predicate.value) > _WORST_MISFIT_DB
    ):
        help = f"write `{metric.form} <= N` with N of at most {_WORST_MISFIT_DB:g}"
        raise Failure(f"`{predicate.condition}` says nothing: a misfit is to be small", help=help)


def _disagree(predicate: Predicate, why: str) -> Failure:
    text = f"`{predicate.text[:80]}` and `{predicate.condition}` speak of different things: {why}"
    return Failure(text, help="give each requirement the metric that measures it")


def check_numbers(request: str, predicates: Iterable[Predicate]) -> None:
    """Raise `Failure` for a number of the request that no requirement has, or only as a bound where
    the request says no bound, or with the other sign."""
    predicates = list(predicates)
    for one in quantities_in(request):
        having = [predicate for predicate in predicates if _has(predicate, one)]
        if not having:
            raise Failure(
                f"`{one.text}` of the request is in no requirement",
                help="require what is measured of it, with that number",
            )
        why = [_why_not_exact(predicate, one, request) for predicate in having]
        if all(why):
            reason = f"`{having[0].condition}` does not say `{one.text}` as the request does"
            raise Failure(reason, help=why[0])


def _has(predicate: Predicate, one: Quantity) -> bool:
    metric, at = metric_of(predicate.metric)
    known = list(_numbers(predicate, metric, at))
    if "misfit" in metric.name:
        known = known[1:]  # the first is how far it may be off
    if one.kind == "%":
        wanted = {sign * one.number / 100 + rest for sign in (1, -1) for rest in (0, 1)}
        wanted |= {1 / value for value in wanted if value}
        return any(_is_near(number, value, 1e-3) for number, _ in known for value in wanted)
    return any(kind == one.kind and _is_near(number, one.number) for number, kind in known)


def _why_not_exact(predicate: Predicate, one: Quantity, request: str) -> str:
    """Return what would say the number as the request does; "" where the requirement does so."""
    metric, _ = metric_of(predicate.metric)
    value = predicate.value
    if isinstance(value, str | bool) or not _is_near(float(value) * _times(metric), one.number):
        return ""  # it stands in the parentheses, or is a share
    exact = replace(predicate, op="==")
    if metric.name in _CHANGES and (way := _way_of(one, request)) and way * value < 0:
        return f"write `{replace(exact, value=-value).condition}`"
    if predicate.op == "==" or one.is_bound or metric.name.startswith(_BOUNDED):
        return ""
    return f"write `{exact.condition}`"


def _times(metric: Metric) -> float:
    return _UNITS.get(metric.unit.lower(), ("", 1))[1]


def _way_of(one: Quantity, request: str) -> int:
    """Return whether the request says that this is more (1) or less (-1); 0 where it does not."""
    if one.text[0] in "+-":
        return -1 if one.text[0] == "-" else 1
    said = set(re.findall(r"[^\W\d]+", request.lower()))
    ways = {way for word, (way, kinds) in _WAYS.items() if word in said and one.kind in kinds}
    return ways.pop() if len(ways) == 1 and said.isdisjoint(_COMPARED) else 0


def _numbers(predicate: Predicate, metric: Metric, at: Said) -> Iterator[tuple[float, str]]:
    """Yield the numbers of a predicate with the kinds of their units."""
    if not isinstance(predicate.value, str | bool):
        unit = metric.unit.lower()
        kind, times = _UNITS.get(unit, (unit, 1))
        yield float(predicate.value) * times, kind
    for name, number in zip(names_of(metric, len(at)), at, strict=True):
        kind = next((kind for end, kind in _NAMES if name.endswith(end)), "")
        if not isinstance(number, str):
            yield number / 1000 if name.endswith("_ms") else number, kind


def _is_near(one: float, other: float, within: float = _CLOSE) -> bool:
    """Tell whether two numbers are the same but for the sign: "3 dB quieter" is -3 dB."""
    return abs(abs(one) - abs(other)) <= within + _CLOSE * abs(other)
