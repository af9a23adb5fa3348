"""A clause read by the senses of its words, whatever their order, where no phrase fits it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from flowc.compiler.catalog.audio_formats import SPOKEN

from .frames import other_spellings
from .meanings import ANYWHERE, MEANINGS
from .patterns import SOUND_FILE, PhraseSlot, is_number, slot_of, value_of
from .rules import SEPARATORS, Fit, Rule, rules
from .senses import PASSED, SENSES
from .units import UNITS

_ENDINGS = ("ungen", "est", "ing", "en", "em", "es", "et", "ed", "st", "e", "s", "t", "n")
_LEAST = 4
"""Letters that are left of a word without its ending."""
_LONGEST = 8
"""Words of a sense."""
_POLITE = frozenset({"please", "bitte", "thanks", "danke", "thank", "you"})
_FILE = re.compile(SOUND_FILE, re.IGNORECASE)
_HELD = ("REMOVE", "CUT", "UP", "DOWN", "LESS", "AWAY", "MUTE")
"""Senses that go on in the next clause: "remove the hum and the noise"."""


_HEADS = ("FADEIN", "START", "LEADING", "BEFORE")
_TAILS = ("FADEOUT", "END", "TRAILING", "AFTER")
_NEGATIONS = ("", "NOT", "NOTHING", "EXCEPT")
_MOVES = ("LOUDER", "QUIETER", "UP", "DOWN", "MORE", "LESS")
"""Senses of which two in two clauses are two changes."""


class SpokenValue(NamedTuple):
    """A number with its unit, or the name of a file."""

    number: str
    unit: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """A row of `MEANINGS`. `needs` has alternatives; of `slots` those in `optional` may lack."""

    rule: Rule
    slots: tuple[PhraseSlot, ...]
    optional: frozenset[PhraseSlot]
    formats: bool
    needs: tuple[frozenset[str], ...]
    takes: frozenset[str]

    def fit(self, senses: Sequence[str], values: Sequence[SpokenValue], kind: str) -> Fit | None:
        """Return the call that these senses and values say; None where it is not this one."""
        said = frozenset(senses)
        if {"PART", "JUST"} <= said:
            return None
        if not said <= self.takes or any(said.isdisjoint(ways) for ways in self.needs):
            return None
        if bool(kind) != self.formats:
            return None
        arguments: dict[str, Any] = {"format": kind} if kind else {}
        left = list(self.slots)
        for value in values:
            slot = next((s for s in left if value_of(s, *value) is not None), None)
            if slot is None:
                return None
            left.remove(slot)
            arguments.update(dict.fromkeys(slot.names, value_of(slot, *value)))
        if any(slot.group and slot not in self.optional for slot in left):
            return None
        for slot in left:
            if not slot.group:
                arguments.setdefault(slot.names[0], slot.value)
        planning = self.rule.planning
        if self.is_turned(senses):
            one, two = (slot.names[0] for slot in self.slots[:2])
            arguments[one], arguments[two] = arguments[two], arguments[one]
        return Fit(self.rule, planning.builds(arguments) if planning else arguments)

    def is_turned(self, senses: Sequence[str]) -> bool:
        """Tell whether the end is said before the start: "fade out over 5 s and in over 1 s"."""
        if self.rule.wording.name not in ("fade", "padding") or len(self.slots) != 2:
            return False
        if self.slots[0].kind != self.slots[1].kind or len(self.slots[0].names) > 1:
            return False
        end, start = _first(senses, _TAILS), _first(senses, _HEADS)
        return -1 < end < start


def _first(senses: Sequence[str], wanted: Sequence[str]) -> int:
    """Return the place of the first of the wanted senses that is said at all; -1 without one."""
    return next((senses.index(sense) for sense in wanted if sense in senses), -1)


def meaning_of(clause: Sequence[str]) -> Fit | None:
    """Return what a clause of `patterns.words_in` means, if it can mean one thing only; of the
    clause as it is or else in another spelling."""
    spellings = (one.split() for one in other_spellings("".join(f"{word} " for word in clause)))
    ways = (_meaning_of(tuple(one)) for one in (clause, *spellings))
    return next((fit for fit in ways if fit), None)


@functools.lru_cache(maxsize=512)
def _meaning_of(clause: tuple[str, ...]) -> Fit | None:
    read = _read([*clause])
    if read is None:
        return None
    senses, values, kinds = read
    moves = [sense for sense in senses if sense in _MOVES]
    parted = any(word in SEPARATORS for word in clause)
    if len(kinds) > 1 or (parted and (len(moves) > 1 or _is_two_things(senses))):
        return None
    if parted and _is_part_beside(clause, senses):
        return None
    kind = kinds[0] if kinds else ""
    for each in (_share_units(values), values):
        if found := [fit for m in _meanings() if (fit := m.fit(senses, each, kind)) is not None]:
            break
    first = found[0] if found else None
    same = all((fit.rule, fit.arguments) == (first.rule, first.arguments) for fit in found if first)
    return first if same else None


_THINGS = frozenset({"NOISE", "HUM", "BASS", "TREBLE", "SHARP"})


def _is_two_things(senses: Sequence[str]) -> bool:
    """Tell whether a level is named beside what else may be raised or lowered."""
    return "LEVEL" in senses and not _THINGS.isdisjoint(senses)


_FAULTS = _THINGS | {"CLICKS", "RUMBLE", "PAUSES", "SILENCE"}
_PARTS = frozenset({"PART", "STEM", "VOICES"})


def _is_part_beside(clause: Sequence[str], senses: Sequence[str]) -> bool:
    """Tell whether a part is to go beside a fault: "the hum and the voice"."""
    for at, word in enumerate(clause):
        if word in ("and", "und"):
            near = [one for one in clause[at + 1 : at + 4] if one not in _ARTICLES]
            around = (*near[:1], *clause[at - 1 : at])
            beside = any(senses_of([one]) & _PARTS for one in around)
            if beside and (not _FAULTS.isdisjoint(senses) or len(near) == 1):
                return True
    return False


_ARTICLES = frozenset(["the", "a", "an", "my", "our", "der", "die", "das", "den", "mein", "meine"])


def verb_of(clause: Sequence[str]) -> str:
    """Return the word of a clause whose sense goes on in the next one; "" without one."""
    return next((word for word in clause if _sense(word) in _HELD), "")


def is_unit(word: str) -> bool:
    """Tell whether a word is a unit, or begins one."""
    return word in _units()


def is_known(word: str) -> bool:
    """Tell whether a word has a sense, alone or in its parts, or is the name of a sound file. Words
    of negation are told as if they had none: what they change is not known."""
    parts = [word] if _sense(word) else word.split("-")
    return _FILE.fullmatch(word) is not None or all(
        _sense(part) not in _NEGATIONS or part in _units() for part in parts
    )


_WISHFUL = frozenset({
    "should", "must", "soll", "sollte", "muss", "like", "wie", "want", "will", "make", "mach",
    "machen", "sound", "sounds", "klingen", "klingt", "undo", "nochmal",
})  # fmt: skip
"""Words that add nothing beside others, and alone may ask for something."""


def adds_nothing(words: Sequence[str]) -> bool:
    """Tell whether words are polite, or fill a gap, and no more."""
    if all(word in _POLITE for word in words):
        return True
    if not _WISHFUL.isdisjoint(words):
        return False
    read = _read([*words])
    fills = read is not None and "FILLER" in read[0] and {*read[0]} <= {PASSED, "FILLER"}
    return read is not None and fills and not read[1] and not read[2]


def senses_of(words: Sequence[str]) -> frozenset[str]:
    """Return the senses of the words that have one."""
    found: set[str] = set()
    at = 0
    while at < len(words):
        sense, used = _longest(words, at)
        found.add(sense)
        at += max(used, 1)
    return frozenset(found - {"", PASSED, "FILLER"})


_MUSIC = ("music", "musik")


def parts_in(words: Iterable[str]) -> list[str]:
    """Return the words for a part of a sound, one for each part."""
    parts = [word for word in words if "PART" in senses_of([word])]
    voice = (word for word in parts if not word.startswith(_MUSIC))
    music = (word for word in parts if word.startswith(_MUSIC))
    found = (next(voice, ""), next(music, ""))
    return [word for word in found if word]


def one_of_several(words: Sequence[str]) -> str:
    """Return the part that is set against another, or against the rest; "" without one."""
    parts = parts_in(words)
    if len(parts) > 1 or (parts and "JUST" in senses_of(words)):
        return parts[0]
    return ""


def alone_text(part: str, text: str) -> str:
    """Return why a part of the sound cannot be changed."""
    return f"`{part}` in `{text}` is a part of the sound, and only all of it can be changed"


def _read(words: list[str]) -> tuple[list[str], list[SpokenValue], list[str]] | None:
    """Return senses, values and formats; None where a word has no sense."""
    senses: list[str] = []
    values: list[SpokenValue] = []
    kinds: list[str] = []
    at, before = 0, ""
    while at < len(words):
        word = words[at]
        if _FILE.fullmatch(word):
            values.append(SpokenValue(word, ""))
            at += 1
        elif is_number(word) and (counted := _longest(words, at))[1] > 1:
            senses.append(counted[0])  # "two speakers"
            at += counted[1]
        elif is_number(word):
            value, used = _quantity(words, at)
            values.append(value if value.unit else value._replace(unit=before))
            before = ""
            at += used
        elif word in _units() and is_number("".join(words[at + 1 : at + 2])):
            before, at = word, at + 1
            continue
        else:
            sense, used = _longest(words, at)
            one = word if word in SPOKEN else word.removesuffix("s")  # "as mp3s"
            if one in SPOKEN and used < 2:
                kinds.append(SPOKEN[one])
                at += 1
            elif sense in _SETTINGS and (place := _preposition(sense, senses, words[:at])):
                senses[place - 1 :] = [PASSED]
                at += used
            elif sense:
                senses.append(sense)
                at += used
            elif "-" in word.strip("-"):
                words[at : at + 1] = word.split("-")
            elif word in (",", ";", ".", "!", "?"):
                at += 1
            elif parts := _compound(word):
                words[at : at + 1] = parts
            else:
                return None
    return senses, values, kinds


_PREPOSITIONS = frozenset({"WITH", "FROM", "OF", "IN", "AT", "TO", "NACH"})
_GENITIVES = frozenset({"der", "des", "meines", "meiner", "unseres", "unserer", "seines", "ihrer"})
_OF_FAULTS = frozenset({"NOISE", "HUM", "RUMBLE", "CLICKS", "SHARP", "SILENCE", "PAUSES"})


_SETTINGS = ("ASIDE", "PERSON")
_FOR = frozenset({"for", "für", "fürs", "to", "an"})


def _preposition(sense: str, senses: Sequence[str], words: Sequence[str]) -> int:
    """Return the place, from 1 on, of the preposition among senses that a person or a place
    follows; that of the blank behind it for a genitive; 0 where there is neither."""
    if sense == "PERSON" and _FOR.isdisjoint(words[-3:]):
        return 0
    for place in range(len(senses), 0, -1):
        if senses[place - 1] in _PREPOSITIONS:
            return place
        if senses[place - 1] != PASSED:
            genitive = not _GENITIVES.isdisjoint(words[-2:]) and senses[place - 1] in _OF_FAULTS
            return place + 1 if genitive else 0
    return 0


def _quantity(words: list[str], at: int) -> tuple[SpokenValue, int]:
    """Return the number at a place with its unit, and how many words they are."""
    number = words[at]
    if ":" in number and number.endswith(":1"):
        return SpokenValue(number.removesuffix(":1"), ":1"), 1
    begin = at + 1
    if words[begin : begin + 1] in (["more"], ["weitere"]) and words[begin + 1 : begin + 2]:
        words[begin : begin + 2] = words[begin : begin + 2][::-1]  # "two more decibels"
    if words[begin : begin + 1] == ["-"] and words[begin + 1 : begin + 2]:
        begin += 1
    if words[begin : begin + 1] and (parts := words[begin].split("-"))[0] in _units():
        words[begin : begin + 1] = [part for part in parts if part]
    for count in (3, 2, 1):
        unit = " ".join(words[begin : begin + count])
        if unit in _units():
            return SpokenValue(number, unit), begin + count - at
    return SpokenValue(number, ""), 1


def _share_units(values: list[SpokenValue]) -> list[SpokenValue]:
    """Return values of which one without a unit has that of the next: "10 to 12 seconds"."""
    found: list[SpokenValue] = []
    for number, value in enumerate(values):
        bare = is_number(value.number) and not value.unit and ":" not in value.number
        after = values[number + 1].unit if number + 1 < len(values) else ""
        before = values[number - 1].unit if number else ""
        timed = before in UNITS["s"] and after not in UNITS["s"]  # "seconds 15 to 22, 4 dB lower"
        unit = before if timed else after or before
        found.append(value._replace(unit=unit) if bare else value)
    return found


def _longest(words: Sequence[str], at: int) -> tuple[str, int]:
    """Return the sense of the most words from a place on, and how many."""
    for count in range(min(_LONGEST, len(words) - at), 0, -1):
        if sense := _sense(" ".join(words[at : at + count])):
            return sense, count
    return "", 0


def _compound(word: str) -> list[str]:
    """Return the two words that a German compound is made of; none where they have no senses."""
    for at in range(_LEAST, len(word) - _LEAST + 1):
        one, other = word[:at], word[at:]
        for first in (one, one.removesuffix("s")):
            if len(first) >= _LEAST and _sense(first) and _sense(other):
                return [first, other]
    return []


def _sense(words: str) -> str:
    exact, stems = _lexicon()
    if found := exact.get(words) or stems.get(_stem(words), ""):
        return found
    return exact.get(words.removesuffix("'s").removesuffix("\u2019s"), "")  # "Spotify's"


@functools.cache
def _lexicon() -> tuple[dict[str, str], dict[str, str]]:
    """Return the senses by their words, and by words without endings that have one alone."""
    exact: dict[str, str] = {}
    for sense, words in SENSES.items():
        for word in words.split("|"):
            exact.setdefault(word, sense)
    stems: dict[str, set[str]] = {}
    for word, sense in exact.items():
        stems.setdefault(_stem(word), set()).add(sense)
    return exact, {stem: min(senses) for stem, senses in stems.items() if len(senses) == 1}


def _stem(word: str) -> str:
    """Return words without the ending of the last one: "drop it" has none."""
    last = word.rpartition(" ")[2]
    for ending in _ENDINGS:
        if last.endswith(ending) and len(last) - len(ending) >= _LEAST:
            return word.removesuffix(ending)
    return word


@functools.cache
def _units() -> frozenset[str]:
    return frozenset(unit for units in UNITS.values() for unit in units)


@functools.cache
def _meanings() -> tuple[Meaning, ...]:
    return tuple(_rows())


def _rows() -> Iterator[Meaning]:
    by_name = {rule.wording.name: rule for rule in rules()}
    for name, values, needs, may in MEANINGS:
        rule = by_name[name]
        tokens = [token for token in values.split() if token.rstrip("?") != "{format}"]
        slots = tuple(slot_of(t.rstrip("?"), rule.tool, f"v{n}") for n, t in enumerate(tokens))
        optional = (slot for slot, t in zip(slots, tokens, strict=True) if t.endswith("?"))
        ways = tuple(frozenset(one.split("~")) for one in needs.split())
        denied = {one.removeprefix("!") for one in may.split() if one.startswith("!")}
        takes = ANYWHERE.union(may.split(), *ways) - denied
        yield Meaning(rule, slots, frozenset(optional), "{format}" in values, ways, takes)
