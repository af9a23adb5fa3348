"""The pattern language of the offline vocabulary: words, alternatives, options, values.

    (high-pass|highpass) [filter] at {hz}      matches "high-pass filter at 80 Hz"

`(a|b c)` is one of several, `[x]` may be left out, `{hz}` is a number with its unit. A pattern fits
a whole clause or does not fit: no word is passed over.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?"
_TIME = r"[0-9]{1,3}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]+)?"
_UNITS: dict[str, Mapping[str, float]] = {
    "hz": {"hz": 1, "hertz": 1, "khz": 1000, "kilohertz": 1000},
    "db": {"db": 1, "decibel": 1, "decibels": 1},
    "dbfs": {"dbfs": 1, "db": 1},
    "dbtp": {"dbtp": 1, "db tp": 1, "db true peak": 1, "db": 1},
    "lufs": {"lufs": 1, "lkfs": 1, "lu": 1},
    "s": {
        "s": 1, "sec": 1, "second": 1, "seconds": 1, "ms": 0.001, "milliseconds": 0.001,
        "min": 60, "minute": 60, "minutes": 60,
    },
    "semitones": {"semitone": 1, "semitones": 1, "octave": 12, "octaves": 12},
    "percent": {"%": 1, "percent": 1},
    "times": {"x": 1, "times": 1},
    "bit": {"bit": 1, "bits": 1, "- bit": 1},
}  # fmt: skip
"""The units of each kind of value, and what one of them is in the first one."""
SHOWN = {
    "hz": "Hz", "db": "dB", "dbfs": "dBFS", "dbtp": "dBTP", "lufs": "LUFS", "s": "seconds",
    "semitones": "semitones", "percent": "%", "times": "times", "bit": "bit", "ratio": "N:1",
}  # fmt: skip
_TOKENS = re.compile(r"[()\[\]|]|\{[a-z]+[0-9]?\}|[^\s()\[\]|{}]+")
_WORD = re.compile(
    rf"{_TIME}|{_NUMBER}:1(?![0-9])|[+]\s+{_NUMBER}|{_NUMBER}|%|[^\W\d_][^\W_]*(?:['’-][^\W_]+)*|\S"
)
_DASHES = str.maketrans({"\u2212": "-", "\u2011": "-", "\u2013": "-"})


_ANY_NUMBER = re.compile(rf"{_TIME}|{_NUMBER}(?::1)?")


class Word(NamedTuple):
    """A word, number or sign of a text in small letters, and where it stands."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern. `words` are all that it knows, the units of its values among them."""

    text: str
    regex: re.Pattern[str]
    words: frozenset[str]
    kinds: Mapping[str, str]

    def match(self, clause: str) -> dict[str, float] | None:
        """The values of a clause as `spelled` gives it, by the name of the slot, in the first unit
        of their kind; None when the pattern does not fit the whole of it."""
        found = self.regex.fullmatch(clause)
        if found is None:
            return None
        values: dict[str, float] = {}
        for name, kind in self.kinds.items():
            if (number := found[name]) is not None:
                unit = found[f"{name}_unit"] if kind != "ratio" else ""
                values[name] = _value(number, kind, (unit or "").strip())
        return values


def words_in(text: str) -> list[Word]:
    """The words of a text: `-16LUFS` are `-16` and `lufs`."""
    return [
        Word("".join(match[0].lower().split()), match.start(), match.end())
        for match in _WORD.finditer(text.translate(_DASHES))
    ]


def spelled(text: str) -> str:
    """A text as patterns are matched with it: each word with a blank behind it."""
    return "".join(f"{word.text} " for word in words_in(text))


def is_number(word: str) -> bool:
    """Whether a word is a number, a ratio or a time."""
    return _ANY_NUMBER.fullmatch(word) is not None


@functools.cache
def pattern(text: str) -> Pattern:
    """Compile a pattern. A text that is none is a fault of ours."""
    reader = _Reader(_TOKENS.findall(text))
    regex = reader.sequence()
    assert reader.at == len(reader.tokens), text
    return Pattern(text, re.compile(regex), frozenset(reader.words), reader.kinds)


class _Reader:
    """Reads a pattern's tokens into a regular expression over spelled text."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.words: set[str] = set()
        self.kinds: dict[str, str] = {}

    def sequence(self) -> str:
        parts: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at] not in ")]|":
            token = self.tokens[self.at]
            self.at += 1
            if token in "([":
                parts.append(self.alternatives(")" if token == "(" else "]"))
            elif token.startswith("{"):
                parts.append(self.slot(token[1:-1]))
            else:
                self.words.add(token)
                parts.append(re.escape(f"{token} "))
        return "".join(parts)

    def alternatives(self, closing: str) -> str:
        ways = [self.sequence()]
        while self.tokens[self.at] == "|":
            self.at += 1
            ways.append(self.sequence())
        assert self.tokens[self.at] == closing
        self.at += 1
        return f"(?:{'|'.join(ways)})" + ("?" if closing == "]" else "")

    def slot(self, name: str) -> str:
        kind = name.rstrip("0123456789")
        self.kinds[name] = kind
        if kind == "ratio":
            return rf"(?P<{name}>{_NUMBER}):1 "
        if kind == "number":
            return rf"(?P<{name}>{_NUMBER})(?P<{name}_unit>) "
        units = _UNITS[kind]
        self.words.update(word for unit in units for word in unit.split())
        longest = sorted(units, key=len, reverse=True)
        shown = "|".join(re.escape(unit) for unit in longest)
        # A time of day's form, 1:30, needs no unit.
        number = rf"{_TIME}(?= )|{_NUMBER}(?= (?:{shown}) )" if kind == "s" else _NUMBER
        unit = rf"(?P<{name}_unit> (?:{shown}))"
        return rf"(?P<{name}>{number}){unit if kind != 's' else unit + '?'} "


def _value(number: str, kind: str, unit: str) -> float:
    if ":" in number:
        seconds = 0.0
        for part in number.split(":"):
            seconds = seconds * 60 + float(part)
        return seconds
    return float(number) * _UNITS.get(kind, {}).get(unit, 1)
