"""Numbers and units as people say them: "half a second", "4 to 1", "35 cents"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..details.words import SpokenWord as SpokenWord

UNITS: dict[str, Mapping[str, float]] = {
    "hz": {"hz": 1, "hertz": 1, "er": 1, "cycle": 1, "khz": 1000, "k": 1000, "kilohertz": 1000},
    "db": {"db": 1, "decibel": 1, "decibels": 1, "dezibel": 1},
    "dbfs": {"dbfs": 1, "db": 1},
    "top": {"dbfs": 1, "db": 1},
    "dbtp": {"dbtp": 1, "db tp": 1, "db true peak": 1, "db": 1},
    "ceiling": {"dbtp": 1, "db tp": 1, "db true peak": 1, "db": 1, "dbfs": 1},
    "lufs": {"lufs": 1, "lkfs": 1, "lu": 1},
    "s": {
        "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "sek": 1, "sekunde": 1,
        "sekunden": 1, "ms": 0.001, "msec": 0.001, "millisecond": 0.001, "milliseconds": 0.001,
        "millisekunde": 0.001, "millisekunden": 0.001, "min": 60, "mins": 60, "minute": 60,
        "minutes": 60, "minuten": 60, "h": 3600, "hour": 3600, "hours": 3600, "std": 3600,
        "stunde": 3600, "stunden": 3600, "quarter second": 0.25, "viertelsekunde": 0.25,
    },
    "span": {},
    "ms": {
        "ms": 1, "msec": 1, "millisecond": 1, "milliseconds": 1, "millisekunde": 1,
        "millisekunden": 1, "s": 1000, "sec": 1000, "second": 1000, "seconds": 1000, "sek": 1000,
        "sekunde": 1000, "sekunden": 1000,
    },
    "semitones": {
        "semitone": 1, "semitones": 1, "st": 1, "half step": 1, "half steps": 1, "octave": 12,
        "octaves": 12, "halbton": 1, "halbtöne": 1, "oktave": 12, "oktaven": 12, "ton": 2,
        "tone": 2, "tones": 2, "ganzton": 2, "ganztöne": 2, "whole step": 2, "whole steps": 2,
        "whole tone": 2, "whole tones": 2,
        "cent": 0.01, "cents": 0.01, "quarter tone": 0.5, "quarter tones": 0.5,
        "viertelton": 0.5, "vierteltöne": 0.5, "minor third": 3, "major third": 4,
        "perfect fourth": 5, "perfect fifth": 7, "kleine terz": 3, "große terz": 4, "quarte": 5,
        "quinte": 7,
    },
    "percent": {"%": 1, "percent": 1, "prozent": 1},
    "share": {"%": 0.01, "percent": 0.01, "prozent": 0.01},
    "link": {"%": 1, "percent": 1, "prozent": 1},
    "fold": {"x": 1, "times": 1, "fold": 1, "fach": 1, "mal": 1, "- fach": 1, "- fold": 1},
    "times": {
        "x": 1, "times": 1, "fold": 1, "fach": 1, "fache": 1, "facher": 1, "mal": 1, "- mal": 1,
        "- fach": 1, "- fache": 1, "- facher": 1,
    },
    "bit": {"bit": 1, "bits": 1, "- bit": 1},
    "kbps": {"kbit / s": 1, "kbps": 1, "kbit": 1, "kb / s": 1, "kbits": 1, "k": 1,
             "kilobit": 1, "kilobits": 1},
    "kbit": {"kbit / s": 1, "kbps": 1, "kbit": 1, "kb / s": 1, "kbits": 1,
             "kilobit": 1, "kilobits": 1},
    "ratio": {":1": 1},
    "low": {"": 1},
    "high": {"": 1},
    "level": {"": 1},
    "peak": {"": 1},
    "q": {"": 1},
    "rate": {"": 1},
    "samples": {"": 1},
    "bare": {"": 1},
    "seconds": {"": 1},
    "alike": {"": 1},
}  # fmt: skip
"""The units of each kind of value, and what one of them is in the first one."""
UNITS["signed"] = UNITS["db"]  # with its sign
UNITS["span"] = UNITS["s"]  # a length, which no time of a clock is
_SPOKEN = {
    word: str(first + step * number)
    for first, step, words in (
        (1, 1, "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
               "fifteen sixteen seventeen eighteen nineteen"),
        (1, 1, "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
               "fünfzehn sechzehn siebzehn achtzehn neunzehn"),
        (20, 10, "twenty thirty forty fifty sixty seventy eighty ninety"),
        (20, 10, "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"),
        (1.5, 1, "eineinhalb zweieinhalb dreieinhalb viereinhalb fünfeinhalb sechseinhalb "
                 "siebeneinhalb achteinhalb neuneinhalb zehneinhalb elfeinhalb zwölfeinhalb"),
        (1.5, 1, "anderthalb"),
    )
    for number, word in enumerate(words.split())
}  # fmt: skip
_ARTICLES = frozenset({"a", "an", "one", "ein", "eine", "einer", "einen"})
_ONE_OF = frozenset({"first", "last", "ersten", "erste", "letzten", "letzte"})
_HALF = frozenset({"half", "halbe", "halben", "halber"})
_ONCE = frozenset({
    "viertelsekunde", "ton", "tone", "second", "sekunde", "minute", "semitone", "octave", "halbton",
    "oktave", "decibel", "hour", "stunde", "ganzton", "viertelton", "whole step", "whole tone",
    "quarter tone", "minor third", "major third", "perfect fourth", "perfect fifth", "kleine terz",
    "große terz", "quarte", "quinte", "quarter second", "half step",
})  # fmt: skip
"""Units of which an article says how many there are."""
_HOURS = frozenset({"h", "hour", "hours", "std", "stunde", "stunden"})
_MINUTES = frozenset({"min", "mins", "minute", "minutes", "minuten"})
_SECONDS = frozenset({"s", "sec", "secs", "second", "seconds", "sek", "sekunde", "sekunden"})
_PARTS = (_HOURS, _MINUTES, _SECONDS)
_CLOCK = re.compile(r"[0-9]{1,3}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]+)?")
_SHORT = re.compile(r"(?:([0-9]+)h)?(?:([0-9]+)m(?:in)?)?(?:([0-9]+(?:\.[0-9]+)?)s(?:ec)?)?")


def with_digits(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return words with numbers in digits: `half a second` are `0.5` and `second`, as `a second` is
    `1` of them."""
    found: list[SpokenWord] = []
    for number, word in enumerate(words):
        if word.text in _HALF and [one.text for one in words[number + 1 : number + 2]] == ["step"]:
            found.append(word)  # "a half step" is one
            continue
        after = words[number + 1].text if number + 1 < len(words) else ""
        if (two := " ".join(one.text for one in words[number + 1 : number + 3])) in _ONCE:
            after = two
        digits = _SPOKEN.get(word.text) or _of_tens(word.text)
        if found and found[-1].text == "minus" and digits[:1].isdigit():
            found[-1] = SpokenWord(f"-{digits}", found[-1].start, word.end)
        elif digits == "1" and _is_ratio([one.text for one in found[-2:]], after):
            found[-2:] = [SpokenWord(f"{found[-2].text}:1", found[-2].start, word.end)]
        elif digits in _HALF and (spoken := [w.text for w in found[-3:]])[1:] == ["and", "a"]:
            if spoken[0] in _ONCE and len(found) > 3 and found[-4].text.isdigit():
                found[-4] = found[-4]._replace(text=f"{found[-4].text}.5")  # "a minute and a half"
                del found[-2:]
                found[-1] = found[-1]._replace(end=word.end)
                continue
            whole = f"{spoken[0]}.5" if spoken[0].isdigit() else "0.5"
            found[-3:] = [SpokenWord(whole, found[-3].start, word.end)]
        elif found and word.text in _ARTICLES and found[-1].text in _HALF:
            found[-1] = SpokenWord("0.5", found[-1].start, word.end)
        elif word.text in _ONCE and found and found[-1].text in _ONE_OF:
            found += [word._replace(text="1"), word]
        elif after in _ONCE and word.text in _HALF:
            found.append(word._replace(text="0.5"))
        elif after in _ONCE and word.text in _ARTICLES:
            found.append(word._replace(text="1"))
        else:
            found.append(word._replace(text=digits))
    return found


def _of_tens(word: str) -> str:
    """Return "twenty-five" in digits, and other words as they are."""
    tens, _, ones = (_SPOKEN.get(part, part) for part in word.partition("-"))
    whole = tens.isdigit() and ones.isdigit() and tens[-1] == "0" and len(ones) == 1
    return str(int(tens) + int(ones)) if whole and len(tens) == 2 else word


def with_clocks(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return words in which every time of several units is one of a clock: `1 minute 30 seconds`
    and `1m30s` are `1:30`, as `1:30 min` is."""
    found: list[SpokenWord] = []
    at = 0
    while at < len(words):
        clock, used = _clock_at([word.text for word in words[at : at + 8]])
        text = clock or words[at].text
        found.append(SpokenWord(text, words[at].start, words[at + used - 1].end))
        at += used
    return found


_LONGEST = 40
"""Letters of a time such as `1h02m30s`; a number may have hundreds of digits."""
_BOUNDS = (["to"], ["till"], ["until"], ["bis"], ["-"], ["–"])


def _clock_at(words: list[str]) -> tuple[str, int]:
    """Return the clock that words begin with, and how many they are; "" and 1 without one."""
    first, unit = words[0], "".join(words[1:2])
    if first in _MINUTES and _CLOCK.fullmatch(unit):  # "minute 1:30"
        return unit, 2
    if _CLOCK.fullmatch(first):
        hours = unit in _HOURS and first.count(":") == 1
        return (f"{first}:00" if hours else first), 1 + (hours or unit in _MINUTES | _SECONDS)
    short = _SHORT.fullmatch(first + unit) if first.isdigit() else None
    if short and len(first + unit) < _LONGEST and sum(map(bool, short.groups())) > 1:
        return _as_clock([float(part or 0) for part in short.groups()]), 2
    parts, at, last = [0.0, 0.0, 0.0], 0, -1
    while words[at + 1 : at + 2] and re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", words[at]):
        place = next((n for n, names in enumerate(_PARTS) if words[at + 1] in names), -1)
        if place <= last:
            break
        parts[place], last, used = float(words[at]), place, at + 2
        at = used + (words[used : used + 1] in (["and"], ["und"]))
    bare = words[at : at + 1] and words[at].isdigit() and words[at + 1 : at + 2] in _BOUNDS
    if last == 1 and bare and int(words[at]) < 60:  # "1 min 20 to 2:30"
        parts[2], used = float(words[at]), at + 1
    whole = all(part.is_integer() for part in parts[:2])
    return (_as_clock(parts), used) if whole and sum(map(bool, parts)) > 1 else ("", 1)


def _as_clock(parts: list[float]) -> str:
    total = sum(part * of for part, of in zip(parts, (3600, 60, 1), strict=True))
    minutes, seconds = divmod(total, 60)
    text = f"{seconds:06.3f}".rstrip("0").rstrip(".")
    if minutes < 60:
        return f"{minutes:.0f}:{text}"
    return f"{minutes // 60:.0f}:{minutes % 60:02.0f}:{text}"


def _is_ratio(before: list[str], after: str) -> bool:
    """Tell whether a 1 ends a ratio such as "4 to 1"; before a unit it does not."""
    units = {unit for kind in UNITS.values() for unit in kind}
    return before[1:] in (["to"], ["zu"]) and before[0].isdigit() and after not in units
