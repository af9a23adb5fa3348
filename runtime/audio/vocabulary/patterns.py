"""The pattern language of the offline vocabulary: words, alternatives, options, values.

    {slope=24} (high-pass|highpass) [filter] at {cutoff_hz}    matches "high-pass filter at 80 Hz"

`(a|b c)` is one of several, `[x]` may be left out, a word in capitals is one of `MACROS`: `IT` is
"it", "this", "the file" or nothing. A name in braces is an argument of the tool: a number with the
unit that the parameter has, or with another (`{rate:percent}`); `{second:file}` is the name of a
sound file, `{title:text}` stands in quotes.
`{+gain_db}` has to be a raise, `{-gain_db}` lowers with either sign,
`{in_s,out_s}` are two arguments of one value, `{edges=start}` is an argument that holds unless
a value has said otherwise. A pattern fits a whole clause or does not fit: no word is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from flowc.compiler.catalog.audio_formats import ENDINGS
from flowc.compiler.catalog.audio_model import AudioTool
from flowc.compiler.catalog.audio_phrases import MACROS

_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?"
_TIME = r"[0-9]{1,3}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]+)?"
UNITS: dict[str, Mapping[str, float]] = {
    "hz": {"hz": 1, "hertz": 1, "cycle": 1, "khz": 1000, "k": 1000, "kilohertz": 1000},
    "db": {"db": 1, "decibel": 1, "decibels": 1, "dezibel": 1},
    "dbfs": {"dbfs": 1, "db": 1},
    "dbtp": {"dbtp": 1, "db tp": 1, "db true peak": 1, "db": 1},
    "lufs": {"lufs": 1, "lkfs": 1, "lu": 1},
    "s": {
        "s": 1, "sec": 1, "second": 1, "seconds": 1, "ms": 0.001, "milliseconds": 0.001,
        "min": 60, "minute": 60, "minutes": 60, "sekunde": 1, "sekunden": 1, "minuten": 60,
        "millisekunden": 0.001, "quarter second": 0.25, "viertelsekunde": 0.25,
    },
    "ms": {"ms": 1, "milliseconds": 1, "s": 1000, "seconds": 1000},
    "semitones": {
        "semitone": 1, "semitones": 1, "half step": 1, "half steps": 1, "octave": 12,
        "octaves": 12, "halbton": 1, "halbtöne": 1, "oktave": 12, "oktaven": 12, "ton": 2,
        "tone": 2, "tones": 2, "ganzton": 2, "ganztöne": 2,
    },
    "percent": {"%": 1, "percent": 1, "prozent": 1},
    "share": {"%": 0.01, "percent": 0.01, "prozent": 0.01},
    "times": {"x": 1, "times": 1, "fold": 1, "fach": 1, "fache": 1, "mal": 1},
    "bit": {"bit": 1, "bits": 1, "- bit": 1},
    "kbps": {"kbit / s": 1, "kbps": 1, "kbit": 1, "kb / s": 1, "kbits": 1, "k": 1,
             "kilobit": 1, "kilobits": 1},
    "kbit": {"kbit / s": 1, "kbps": 1, "kbit": 1, "kb / s": 1, "kbits": 1,
             "kilobit": 1, "kilobits": 1},
    "ratio": {":1": 1},
    "low": {"": 1},
    "high": {"": 1},
    "level": {"": 1},
    "q": {"": 1},
}  # fmt: skip
"""The units of each kind of value, and what one of them is in the first one."""
_BARE = {"low": (20, 2000), "high": (2000, 24_000), "level": (-60, -1), "q": (0.1, 20)}
"""Kinds of numbers without a unit, and where they can only be Hz, dB or the Q of a band."""
_KINDS = {":1": "ratio", "dB per octave": "db"}
"""The kinds of parameters whose unit is not the name of a kind; the phrase says "per octave"."""
_POLITE = (
    "[please|bitte|can you|could you|would you|i want|i would like|i need|we need|i'd like|"
    "kannst du|könntest du|ich brauche|ich möchte|just] [please|bitte|to|dass]"
)
_MACRO = re.compile(r"\b(?:" + "|".join(MACROS) + r")\b")
_SLOT = re.compile(
    r"\{(?P<sign>[+-]?)(?P<names>[a-z_,]+)(?::(?P<kind>\w+))?(?:=(?P<value>[^\s}]*))?\}"
)
_TOKENS = re.compile(r"[()\[\]|]|\{[^}]*\}|[^\s()\[\]|{}]+")
SOUND_FILE = rf"[^\s,;:?!\"'`(){{}}\[\]]+\.(?:{'|'.join(ENDINGS)})(?![\w-]|\.\w)"
"""A name of a sound file in a text."""
_FILE = re.compile(SOUND_FILE, re.IGNORECASE)
_QUOTED = '"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«'
_GLUE = "\u2060"
"""Stands for the blanks of a text in quotes, which is one word."""
_WORD = re.compile(
    rf"(?P<quoted>{_QUOTED})|(?P<file>{SOUND_FILE})|{_TIME}|(?<![0-9]){_NUMBER}:1(?![0-9])|[+]\s+{_NUMBER}|(?<![0-9]){_NUMBER}|[0-9]+|%|[^\W\d_][^\W_]*(?:['’-][^\W_]+)*|\S",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"(?<![0-9,.])([0-9]+),([0-9]{1,2})(?=[ -]?[^\W\d]|:1| ?%)")
"""A comma before one or two digits and a unit, as in "1,5 Sekunden"; it is as long as a point."""
_SPOKEN = {
    word: str(first + step * number)
    for first, step, words in (
        (1, 1, "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
               "fifteen sixteen seventeen eighteen nineteen"),
        (1, 1, "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
               "fünfzehn sechzehn siebzehn achtzehn neunzehn"),
        (20, 10, "twenty thirty forty fifty sixty seventy eighty ninety"),
        (20, 10, "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"),
        (1.5, 1, "eineinhalb zweieinhalb dreieinhalb viereinhalb"),
        (1.5, 1, "anderthalb"),
    )
    for number, word in enumerate(words.split())
}  # fmt: skip
_ARTICLES = frozenset({"a", "an", "one", "ein", "eine", "einer", "einen"})
_ONE_OF = frozenset({"first", "last", "ersten", "erste", "letzten", "letzte"})
_HALF = frozenset({"half", "halbe", "halben", "halber"})
_ONCE = frozenset({
    "viertelsekunde", "ton", "tone", "second", "sekunde", "minute", "semitone", "octave", "halbton",
    "oktave", "decibel",
})  # fmt: skip
"""Units of which an article says how many there are."""
_KHZ = 48
"""Up to here "mp3 at 48k" may be meant as kHz, above it is a bitrate."""
_DASHES = str.maketrans({"\u2212": "-", "\u2011": "-", "\u2013": "-"})
_ANY_NUMBER = re.compile(rf"{_TIME}|{_NUMBER}(?::1)?")


class SpokenWord(NamedTuple):
    """A word, number or sign of a text in small letters, and its place."""

    text: str
    start: int
    end: int


class PhraseSlot(NamedTuple):
    """Braces of a pattern: the arguments it fills, and the group that holds its number, whose unit
    is in the next group; or its constant value."""

    names: tuple[str, ...]
    kind: str = ""
    sign: str = ""
    group: str = ""
    value: Any = None

    @property
    def placeholder(self) -> str:
        """Return what a person reads in its place."""
        return f"{{{self.kind}}}" if self.group else ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern as a regular expression. `words` are all that it knows, the units of its values
    among them."""

    text: str
    regex: str
    words: frozenset[str]
    slots: tuple[PhraseSlot, ...]

    def match(self, clause: str) -> dict[str, Any] | None:
        """Return the arguments that a clause of `spell` says; None when the pattern does not fit
        the whole of it, or a value contradicts the words."""
        fit = re.fullmatch(self.regex, clause)  # compiled by the first: most are never asked
        if fit is None:
            return None
        arguments: dict[str, Any] = {}
        for slot in self.slots:
            if not slot.group:
                arguments.setdefault(slot.names[0], slot.value)
            elif (number := fit[slot.group]) is not None:
                value = _argument(slot, number, (fit[f"{slot.group}_unit"] or "").strip())
                if value is None:
                    return None
                arguments.update(dict.fromkeys(slot.names, value))
        return arguments


def with_points(text: str) -> str:
    """Return a text of the same length with decimal points for decimal commas."""
    return _DECIMAL.sub(r"\1.\2", text.translate(_DASHES))


def words_in(text: str) -> list[SpokenWord]:
    """Return the words of a text: `-16LUFS` are `-16` and `lufs`."""
    plain = with_points(text)
    words = [
        SpokenWord(_spelling_of(match, text), match.start(), match.end())
        for match in _WORD.finditer(plain)
    ]
    return _with_digits(words)


def _spelling_of(match: re.Match[str], text: str) -> str:
    """Return a word in small letters; the name of a file, and what is quoted, as it is written."""
    written = text[match.start() : match.end()]
    if match["quoted"]:
        return _GLUE.join(written.split())
    return written if match["file"] else "".join(match[0].lower().split())


def sounds_in(text: str) -> tuple[str, ...]:
    """Return the names of sound files that a text holds, each once."""
    return tuple(dict.fromkeys(match[0] for match in _FILE.finditer(text)))


def _with_digits(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return words with numbers in digits: `half a second` are `0.5` and `second`, as `a second` is
    `1` of them."""
    found: list[SpokenWord] = []
    for number, word in enumerate(words):
        after = words[number + 1].text if number + 1 < len(words) else ""
        digits = _SPOKEN.get(word.text, word.text)
        if found and found[-1].text == "minus" and digits[:1].isdigit():
            found[-1] = SpokenWord(f"-{digits}", found[-1].start, word.end)
        elif digits == "1" and _is_ratio([one.text for one in found[-2:]], after):
            found[-2:] = [SpokenWord(f"{found[-2].text}:1", found[-2].start, word.end)]
        elif digits in _HALF and (spoken := [w.text for w in found[-3:]])[1:] == ["and", "a"]:
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


def _is_ratio(before: list[str], after: str) -> bool:
    """Tell whether a 1 ends a ratio such as "4 to 1"; before a unit it does not."""
    units = {unit for kind in UNITS.values() for unit in kind}
    return before[1:] == ["to"] and before[0].isdigit() and after not in units


def spell(text: str) -> str:
    """Return a text as patterns are matched with it: each word with a blank behind it."""
    return "".join(f"{word.text} " for word in words_in(text))


def is_number(word: str) -> bool:
    """Tell whether a word is a number, a ratio or a time."""
    return _ANY_NUMBER.fullmatch(word) is not None


def pattern(text: str, tool: AudioTool | None) -> Pattern:
    """Read a phrase that a tool's row has; "please" may stand before it. A text that is not
    a pattern is a fault of ours."""
    reader = _Reader(
        _TOKENS.findall(f"{_POLITE} {_expand(text)} [please|bitte|thanks|danke]"), tool
    )
    regex = reader.sequence()
    assert reader.at == len(reader.tokens), text
    return Pattern(text, regex, frozenset(reader.words), tuple(reader.slots))


def _expand(text: str) -> str:
    """Return a pattern with its macros replaced; one may name others."""
    while _MACRO.search(text):
        text = _MACRO.sub(lambda match: MACROS[match[0]], text)
    return text


def show(pattern: Pattern) -> str:
    """Return a pattern as people read it: `{hz}` is a number of Hertz, `{hz2}` a second one."""
    slots = iter(pattern.slots)
    shown: list[str] = []

    def replace(match: re.Match[str]) -> str:
        slot = next(slots)
        shown.append(slot.placeholder)
        number = shown.count(slot.placeholder)
        return slot.placeholder.replace("}", f"{number}}}") if number > 1 else slot.placeholder

    return " ".join(_SLOT.sub(replace, pattern.text).split())


class _Reader:
    """Reads a pattern's tokens into a regular expression over spelled text."""

    def __init__(self, tokens: list[str], tool: AudioTool | None) -> None:
        self.tokens = tokens
        self.tool = tool
        self.at = 0
        self.words: set[str] = set()
        self.slots: list[PhraseSlot] = []

    def sequence(self) -> str:
        parts: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at] not in ")]|":
            token = self.tokens[self.at]
            self.at += 1
            if token in "([":
                parts.append(self.alternatives(")" if token == "(" else "]"))
            elif token.startswith("{"):
                parts.append(self.slot(token))
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

    def slot(self, token: str) -> str:
        group = f"v{len(self.slots)}"
        slot = slot_of(token, self.tool, group)
        self.slots.append(slot)
        if not slot.group:
            return ""
        if slot.kind == "ratio":
            return rf"(?P<{group}>{_NUMBER})(?P<{group}_unit>):1 "
        if slot.kind == "file":
            return rf"(?P<{group}>(?i:{SOUND_FILE}))(?P<{group}_unit>) "
        if slot.kind == "text":
            return rf"(?P<{group}>{_QUOTED})(?P<{group}_unit>) "
        if slot.kind in _BARE:
            return rf"(?P<{group}>{_NUMBER})(?P<{group}_unit>) "
        units = UNITS[slot.kind]
        self.words.update(word for unit in units for word in unit.split())
        longest = sorted(units, key=len, reverse=True)
        shown = "|".join(re.escape(unit) for unit in longest)
        # A time of day's form, 1:30, needs no unit.
        number = rf"{_TIME}(?= )|{_NUMBER}(?= (?:{shown}) )" if slot.kind == "s" else _NUMBER
        unit = rf"(?P<{group}_unit> (?:{shown}))"
        return rf"(?P<{group}>{number}){unit if slot.kind != 's' else unit + '?'} "


def slot_of(token: str, tool: AudioTool | None, group: str) -> PhraseSlot:
    """Return what braces say; their number is in the group of that name."""
    parts = _SLOT.fullmatch(token)
    assert parts is not None, token
    names = tuple(parts["names"].split(","))
    if parts["value"] is not None:
        return PhraseSlot(names, value=_constant(parts["value"]))
    kind = parts["kind"] or _kind(names[0], tool)
    return PhraseSlot(names, kind, parts["sign"], group)


def _kind(name: str, tool: AudioTool | None) -> str:
    assert tool is not None
    unit = tool.parameter(name).unit
    return _KINDS.get(unit, unit.lower())


def value_of(slot: PhraseSlot, number: str, unit: str) -> Any:
    """Return what a number or file that stands alone is as an argument; None where it is none."""
    if not slot.group:
        return None
    if slot.kind == "file":
        return number if _FILE.fullmatch(number) else None
    if slot.kind == "text":
        return _argument(slot, number, "") if re.fullmatch(_QUOTED, number) else None
    if _FILE.fullmatch(number):
        return None
    if slot.kind == "ratio":
        return _argument(slot, number, "") if unit == ":1" else None
    clock = ":" in number
    if clock != (slot.kind == "s" and not unit) or (not clock and unit not in UNITS[slot.kind]):
        return None
    return _argument(slot, number, unit)


def _constant(text: str) -> Any:
    return _plain(float(text)) if _ANY_NUMBER.fullmatch(text) else text


def _argument(slot: PhraseSlot, number: str, unit: str) -> Any:
    """Return what a number is as an argument; None when it contradicts the words around it. The
    name of a file is itself."""
    if slot.kind == "file":
        return number
    if slot.kind == "text":
        return number[1:-1].replace(_GLUE, " ")
    value = 0.0
    for part in number.split(":"):
        value = value * 60 + float(part)
    if slot.kind == "kbps" and unit == "k" and value <= _KHZ:
        return None
    value *= UNITS[slot.kind].get(unit, 1)
    up = slot.sign == "+"
    match slot.kind:
        case "low" | "high" | "level" | "q":
            least, most = _BARE[slot.kind]
            return _plain(value) if least <= value <= most else None
        case "bit":
            return f"PCM_{value:g}"
        case "share" if slot.sign:
            return _plain(value) if (value > 1 if up else 0 < value < 1) else None
        case "percent" | "times":
            if slot.kind == "percent":
                rate = 1 + value / 100 if up else 1 - value / 100
            else:
                rate = value if up else 1 / (value or float("inf"))
            return _plain(rate) if (rate > 1 if up else 0 < rate < 1) else None
    if slot.sign == "-":
        return -abs(_plain(value))
    return _plain(value) if value > 0 or not up else None


def _plain(value: float) -> float | int:
    return int(value) if value == int(value) else round(value, 6)
