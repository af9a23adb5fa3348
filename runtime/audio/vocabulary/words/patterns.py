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

import functools
import re
from dataclasses import dataclass
from math import isinf
from typing import Any, NamedTuple

from flowc.compiler.catalog.audio_formats import ENDINGS
from flowc.compiler.catalog.audio_model import AudioTool
from flowc.compiler.catalog.audio_phrases import MACROS

from ..details.texts import GLUE, Known, with_texts
from ..settings.table import BARE_NAMES
from .units import UNITS, SpokenWord, with_clocks, with_digits

_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?"
_TIME = r"[0-9]{1,3}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]+)?"
_BARE = {
    "low": (20, 2000),
    "high": (2000, 24_000),
    "level": (-60, -1),
    "peak": (-60, -0.1),
    "q": (0.1, 20),
    "rate": (32, 320),
    "samples": (8000, 192_000),
    "seconds": (0, 14_400),
    "alike": (0, 14_400),
    "bare": (-1e9, 1e9),
}
"""Kinds of numbers without a unit, and where they can only be Hz, dB, a Q or kilobits; `seconds`
stand where the phrase says what they are, `alike` has the unit of the other times, what is bare has
its name beside it."""
_NEAR_FULL = -4
"""Of what is normalised to this many dB and more, the peak is meant: no platform is so loud."""
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
ENDS = frozenset({
    ",", ";", ".", "!", "?", "and", "then", "afterwards", "finally", "und", "dann", "danach",
    "anschließend", "also", "außerdem", "sowie",
})  # fmt: skip
"""Words between clauses; some phrases hold an "and" of their own."""
_KNOWN = Known(ENDS, frozenset(unit for kind in UNITS.values() for unit in kind if unit))
_CLOCK_COMMA = re.compile(r"(?<=:[0-9]{2}),(?=[0-9]{1,3}(?![0-9:]))")
_SPAN = re.compile(r"(?<=[0-9][a-z]s)-(?=[0-9])|(?<=[0-9][smh])-(?=[0-9])|(?<=[0-9]min)-(?=[0-9])")
"""A dash between two times, as in "4s-19.5s", which is not a sign and binds no word."""
_WORD = re.compile(
    rf"(?P<quoted>{_QUOTED})|(?P<file>{SOUND_FILE})|{_TIME}|(?<![0-9]){_NUMBER}:1(?![0-9])|[+]\s+{_NUMBER}|(?<![0-9]){_NUMBER}|[0-9]+|%|[^\W\d_][^\W_]*(?:['’ʼ´`-][^\W_]+)*|\S",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"(?<![0-9,.])([0-9]+),([0-9]{1,2})(?=(?:-|[^\S\n]*)(?:[^\W\d]|%)|:1)")
"""A comma before one or two digits and a unit, as in "1,5 Sekunden"; it is as long as a point."""
_BARE_DECIMAL = re.compile(
    rf"((?<!\w)(?:{'|'.join(BARE_NAMES)})(?:\s+(?:of|von|auf|at|to|bei))?(?:\s*[=:])?\s*[0-9]+),"
    r"([0-9]{1,3})(?![0-9:]|,[0-9])",
    re.IGNORECASE,
)
"""A comma in a number without a unit behind the name of a setting: "Raumgröße 0,7"."""
_KHZ = 48
"""Up to here "mp3 at 48k" may be meant as kHz, above it is a bitrate."""
_APOSTROPHES = str.maketrans(dict.fromkeys("’ʼ´`", "'"))
_DASHES = str.maketrans({"\u2212": "-", "\u2011": "-", "\u2013": "-"})
_ANY_NUMBER = re.compile(rf"{_TIME}|{_NUMBER}(?::1)?")


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


@functools.cache
def _compile(regex: str) -> re.Pattern[str]:
    """Return a pattern compiled at its first use: most are never asked, and there are more of them
    than `re` keeps."""
    return re.compile(regex)


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
        fit = _compile(self.regex).fullmatch(clause)
        return None if fit is None else self._arguments(fit)

    def begin(self, clause: str, at: int) -> tuple[dict[str, Any], int] | None:
        """Return the arguments that a clause says from a place on, and where they end; None when
        the pattern does not fit there."""
        fit = _compile(self.regex).match(clause, at)
        arguments = None if fit is None else self._arguments(fit)
        return None if fit is None or arguments is None else (arguments, fit.end())

    def _arguments(self, fit: re.Match[str]) -> dict[str, Any] | None:
        said = [slot for slot in self.slots if slot.group and fit[slot.group] is not None]
        units = {slot.group: (fit[f"{slot.group}_unit"] or "").strip() for slot in said}
        times = {units[slot.group] for slot in said if slot.kind in ("s", "span")}
        arguments: dict[str, Any] = {}
        for slot in said:
            unit = units[slot.group]
            if slot.kind == "alike":
                if len(times) != 1 or "" in times:
                    return None
                slot, unit = slot._replace(kind="s"), min(times)
            value = _argument(slot, fit[slot.group], unit)
            if value is None or arguments.get(slot.names[0], value) != value:
                return None
            arguments.update(dict.fromkeys(slot.names, value))
        for slot in self.slots:
            if not slot.group:
                arguments.setdefault(slot.names[0], slot.value)
        return arguments


def with_points(text: str) -> str:
    """Return a text of the same length with decimal points for decimal commas."""
    plain = _SPAN.sub("\u2192", text.translate(_DASHES))
    plain = _BARE_DECIMAL.sub(r"\1.\2", _DECIMAL.sub(r"\1.\2", plain))
    return _CLOCK_COMMA.sub(".", plain)


def words_in(text: str) -> list[SpokenWord]:
    """Return the words of a text: `-16LUFS` are `-16` and `lufs`."""
    plain = with_points(text)
    words = [
        SpokenWord(_spelling_of(match, text), match.start(), match.end())
        for match in _WORD.finditer(plain)
    ]
    return with_clocks(with_digits(with_texts(words, text, _KNOWN)))


def _spelling_of(match: re.Match[str], text: str) -> str:
    """Return a word in small letters; the name of a file, and what is quoted, as it is written."""
    written = text[match.start() : match.end()]
    if match["quoted"]:
        return GLUE.join(written.split())
    plain = match[0].lower()
    plain = plain.translate(_APOSTROPHES) if len(plain) > 1 else plain
    return written if match["file"] else "".join(plain.split())


def sounds_in(text: str) -> tuple[str, ...]:
    """Return the names of sound files that a text holds, each once."""
    return tuple(dict.fromkeys(match[0] for match in _FILE.finditer(text)))


def spell(text: str) -> str:
    """Return a text as patterns are matched with it: each word with a blank behind it."""
    return "".join(f"{word.text} " for word in words_in(text))


def is_number(word: str) -> bool:
    """Tell whether a word is a number, a ratio or a time."""
    return _ANY_NUMBER.fullmatch(word) is not None


def pattern(text: str, tool: AudioTool | None) -> Pattern:
    """Read a phrase that a tool's row has; "please" may stand before it. A text that is not
    a pattern is a fault of ours."""
    return phrase(f"{_POLITE} {text} [please|bitte|thanks|danke]", tool)


def phrase(text: str, tool: AudioTool | None = None) -> Pattern:
    """Read a phrase as `pattern` does, without "please"."""
    reader = _Reader(_TOKENS.findall(_expand(text)), tool)
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
        if slot.kind == "signed":
            number = rf"[+-]{_NUMBER.removeprefix('[+-]?')}"
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
    if text == "true":
        return True
    return _plain(float(text)) if _ANY_NUMBER.fullmatch(text) else text


def _argument(slot: PhraseSlot, number: str, unit: str) -> Any:
    """Return what a number is as an argument; None when it contradicts the words around it. The
    name of a file is itself."""
    if slot.kind == "file":
        return number
    if slot.kind == "text":
        return number[1:-1].replace(GLUE, " ")
    value = 0.0
    for part in number.split(":"):
        value = value * 60 + float(part)
    if slot.kind == "kbps" and unit == "k" and value <= _KHZ:
        return None
    value *= UNITS[slot.kind].get(unit, 1)
    if isinf(value):
        return None  # a number of more than 308 digits
    up = slot.sign == "+"
    if slot.sign == "-" and number[0] == "+":
        return None  # "less bass +3 dB"
    match slot.kind:
        case "low" | "high" | "level" | "peak" | "q" | "rate" | "samples" | "seconds":
            least, most = _BARE[slot.kind]
            return _plain(value) if least <= value <= most else None
        case "top":
            return _plain(value) if _NEAR_FULL <= value < 0 else None
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
