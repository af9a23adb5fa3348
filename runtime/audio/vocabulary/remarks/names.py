"""Names of what a sound is, whom it is for or where it comes from, which add nothing to a wish.

Of "convert this footstep loop to mono" or "for a perception experiment" the words of the name need
not be known. A name begins with an article or a preposition, and has no word of a part in time, an
instrument or a voice: what is asked for those is asked for less than all of the sound.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from flowc.compiler.catalog.audio_formats import SPOKEN

from ..words.circumstances import CONTENTS, SCOPES, words_of
from ..words.patterns import is_number
from ..words.rules import Fit
from ..words.sentences import is_unit, senses_of
from ..words.units import SpokenWord
from .statements import NEGATIONS, WISHES

_OBJECTS = words_of(
    "the this that my our his her their these those das dieses den diesen die diese mein meine "
    "meinen unser unsere unseren dem der"
)
_BEHIND = words_of("for für fürs zum zur of from von vom aus")
_WITHIN = words_of("in im on am at auf bei beim of von vom from aus to zu")
_GROUPS = words_of("chor choir band orchester orchestra ensemble chorus")
"""Who sings and plays: what is for them is not of their part alone."""
_INSIDE = words_of("in im over across on auf über")
_ORIGINS = words_of("of from von vom aus des der")
_FAULTS = words_of("denoise dehum declick deess")
_PLAIN = words_of("a an ein eine einen einem einer des eines")
_NEVER = words_of(
    "ad ads advert jingle coda chorus name names surname surnames whisper whispers giggle "
    "giggles outtakes ad-libs zweite second andere lyrics text transcript subtitles songtext "
    "untertitel noten score midi cover picture image bild rest other others anderen anderer "
    "version versions duet duett loop schleife key tonart half hälfte same first last only just "
    "not back backs front top bottom middle silence loud quiet laut leise lauten leisen bass "
    "treble beginning anfang ende end start"
)
_NOUNS = frozenset({
    "NOISE", "HUM", "CLICKS", "RUMBLE", "SHARP", "PAUSES", "SILENCE", "BASS", "TREBLE", "LEVEL",
    "PITCH", "SPEED", "PEAK", "LOUDNESS", "CHANNEL", "VOICES", "PART", "STEM", "SECTION", "REVERB",
    "BACKGROUND", "FREQUENCY",
})  # fmt: skip
"""Senses of what a name before it would tell the kind of: "the wind noise"."""
_PLAIN_SENSES = frozenset({"ASIDE", "PERSON", "WITH", "OF", "FROM", "IN", "AT", "TO"})
_SHAPING = words_of("as als in to auf please bitte should soll needs muss")
_MOST_WORDS = 6
_MOST_NAMES = 4


def _spans(words: list[str]) -> list[tuple[int, int]]:
    """Return where names stand: an article or a preposition and the words behind it that have no
    meaning in a wish, of which at least one is none."""
    found: list[tuple[int, int]] = []
    at, section = 0, sum(":" in word for word in words) > 1
    while at < len(words):
        begin, at = at, at + 1
        inside = words[begin] in _INSIDE and not CONTENTS.isdisjoint(words[begin + 1 : begin + 3])
        if begin and words[begin - 1] in ("as", "als"):
            continue
        if not inside and words[begin] not in _OBJECTS | _BEHIND:
            continue
        end = begin + 1
        chained = words[begin] in _BEHIND
        while (
            end < len(words)
            and end - begin <= _MOST_WORDS
            and (_is_name(words[end]) or (chained and words[end] in _WITHIN | _GROUPS))
        ):
            end += 1
        named = [word for word in words[begin + 1 : end] if word not in _OBJECTS | _PLAIN]
        apart = not senses_of(words[end : end + 1]) & _NOUNS
        if words[begin] not in _OBJECTS and any(map(is_number, words[end : end + 1])):
            apart = False  # "from xyzzy 1.5 s to 4 s"
        if not begin and words[0] in _OBJECTS:  # who begins with it may tell something of it
            apart = words[end : end + 1] == [] or words[end] in _SHAPING
        spoken = [word for word in words[begin:end] if not word.endswith("'s")]
        plain = senses_of([word for word in spoken if word not in _GROUPS]) <= _PLAIN_SENSES
        parted = not SCOPES.isdisjoint(named) and not section
        if named and apart and plain and _NEVER.isdisjoint(named) and not parted:
            found.append((begin, end))
            at = end
    return found


def _is_name(word: str) -> bool:
    """Tell whether a word means nothing in a wish, and is not a verb or a word of grammar."""
    if word in _OBJECTS | _PLAIN or (word.endswith("'s") and word not in _GRAMMAR):
        return True
    if word in SPOKEN or word.removesuffix("s") in SPOKEN:
        return False
    if not word[0].isalpha() or is_number(word) or is_unit(word) or "." in word:
        return False
    if word in NEGATIONS | WISHES | _BEHIND | _GRAMMAR:
        return False
    return senses_of([word]) <= {"ASIDE", "PERSON"}


_GRAMMAR = words_of(
    "that which who where when while if and or as than then so with without by is are was were "
    "be ist sind war waren dass wo wenn während als oder und mit ohne durch über unter vor nach "
    "like wie it them him they she he i we you ich wir er sie es man here there hier dort mich "
    "uns mir sound sounds klingt klingen becomes become wird werden gets get goes geht kommt "
    "stays bleibt but aber because weil since denn up down out off away ab an auf aus ein zurück "
    "um weg"
)


def without_names(words: list[SpokenWord]) -> Iterator[tuple[list[SpokenWord], list[list[str]]]]:
    """Yield the words without some of the names in them, more of them first, and the names."""
    texts = [word.text for word in words]
    spans = _spans(texts)[:_MOST_NAMES]
    for count in range(len(spans), 0, -1):
        for some in combinations(spans, count):
            gone = {at for begin, end in some for at in range(begin, end)}
            rest = [word for at, word in enumerate(words) if at not in gone]
            if rest:
                yield rest, [_name(texts, begin, end) for begin, end in some]


def wish_of_asker(words: list[SpokenWord]) -> Iterator[list[SpokenWord]]:
    """Yield what somebody else asks for: "24 bit at 96 kHz" of "the archive asks for 24 bit at
    96 kHz"."""
    texts = [word.text for word in words]
    at = next((n for n, text in enumerate(texts[:_MOST_WORDS]) if text in _ASKING), 0)
    somebody = texts[:at]
    if not at or somebody[0] not in _OBJECTS | _PERSONS or not all(map(_may_ask, somebody)):
        return
    known = somebody[-1] in _PERSONS or senses_of(somebody[-1:]) & {"PERSON", "ASIDE"}
    if not (known or somebody[-1].endswith(_ASKERS)) or not _NEVER.isdisjoint(somebody):
        return
    at += 1
    while texts[at : at + 1] and (texts[at] in _ASKED or senses_of([texts[at]]) == {"PERSON"}):
        at += 1
    rest = words[at:]
    while rest and rest[-1].text in _ASKING_ENDS:
        rest = rest[:-1]
    if rest:
        yield rest
        yield from (some for some, _ in without_names(rest))


def _may_ask(word: str) -> bool:
    return word in _PERSONS or _is_name(word)


_ASKERS = (
    "station", "sender", "verlag", "publisher", "archive", "archiv", "policy", "platform", "portal",
    "client", "label", "shop", "store", "system", "software", "engine", "server", "hoster", "jury",
    "festival", "school", "schule", "editor", "museum", "library", "agency", "agentur", "kunde",
    "redaktion", "anlage", "programm", "partner", "broadcaster", "plattform",
)  # fmt: skip
"""How the words for who asks for a format end."""
_PERSONS = words_of("they he she")
_ASKING = words_of(
    "wants want needs need requires require expects expect asks ask demands accepts takes "
    "wünscht verlangt verlangen fordert erwartet braucht möchte nimmt akzeptiert wollen hätte"
)
_ASKED = words_of(
    "for only nur this that it these them our my the us unsere unseren unser meine meinen mein "
    "das es sie ihn dateien files file datei gern gerne from to have haben mit"
)
_ASKING_ENDS = words_of("an haben bitte please only haben")


def wish_at_last(words: list[SpokenWord]) -> Iterator[list[SpokenWord]]:
    """Yield what comes last: "a limiter" of "finish with a limiter" and "am Ende ein Limiter"."""
    texts = [word.text for word in words]
    for lead in _LAST:
        if tuple(texts[: len(lead)]) == lead and len(texts) > len(lead):
            yield words[len(lead) :]


_LAST = (
    ("finish", "with"), ("finish", "off", "with"), ("finish", "at"), ("end", "with"), ("finish",),
    ("after", "that"), ("after", "this"),
    ("at", "the", "end"), ("at", "the", "very", "end"), ("as", "the", "last", "step"),
    ("as", "a", "last", "step"), ("am", "ende"), ("ganz", "am", "ende"), ("zum", "schluss"),
    ("am", "schluss"), ("ganz", "zum", "schluss"), ("zum", "ende"), ("als", "letztes"),
    ("to", "finish"), ("last", "of", "all"),
)  # fmt: skip
AT_LAST = words_of(
    "loudness_norm peak_norm limit compress eq highpass lowpass bandpass deess denoise dehum "
    "declick leveller convert tag noise_gate"
)
"""Tools that never mean the end of the sound where people say "at the end"."""


def may_be_named(fit: Fit, words: list[str], names: list[list[str]]) -> bool:
    """Tell whether a meaning holds for all of a sound or of a section, whatever it is called. What
    is repaired may be of something as well: "the crackle of the old record"."""
    name, said = fit.rule.tool.name if fit.rule.tool else "", senses_of(words)
    if "JUST" in said and name not in ("clip", "channels"):
        return False
    if all(one[-1] == _HEAD for one in names):
        return True
    if all(one[0] in _PURPOSES for one in names):
        free = all(
            one[0] in ("zum", "zur")
            or one[1] not in _DEFINITE
            or _is_somewhere(one)
            or not _GROUPS.isdisjoint(one)
            for one in names
        )
        if not free:
            return name in _FREE
        return name not in ("gain", "cut") and fit.rule.wording.name != "clip away"
    if all(_is_content(one) for one in names):
        return not name or name in _REPAIRS
    if name == "clip" and "JUST" in said and all(one[0] in _PARTING for one in names):
        return all(map(_is_content, names))
    people = [one for one in names if "PERSON" in senses_of(one) and CONTENTS.isdisjoint(one)]
    strange = not people
    if {"start_s", "end_s"} <= fit.arguments.keys():
        plain = not said & {"FILTER", "REMOVE"} or not _DELETING.isdisjoint(words)
        return strange and plain
    if name in _FAULTS:
        return strange and all(one[0] in _ORIGINS and one[1] in _OBJECTS for one in names)
    if name.startswith("split"):
        return strange
    return (not name or name in _CALLED) and all(one[0] in _THIS for one in names)


def _is_content(name: list[str]) -> bool:
    """Tell whether a name is of what all of a sound is: "the discussion"."""
    plain = {*name} - _OBJECTS - _PLAIN - _BEHIND - _INSIDE
    return plain <= CONTENTS


def _name(texts: list[str], begin: int, end: int) -> list[str]:
    """Return the words of a name; with a sign where it tells the kind of all of the sound."""
    kind = texts[begin] in _OBJECTS and texts[end : end + 1] and texts[end] in _HEADS
    return [*texts[begin:end], *([_HEAD] if kind else [])]


_HEAD = "*"
_HEADS = words_of(
    "recording file track audio song clip aufnahme datei tonspur mitschnitt podcast interview "
    "session tape recordings"
)
"""Words for all of a sound: "my practice recording" is that."""


def _is_somewhere(name: list[str]) -> bool:
    return bool(senses_of(name) & {"PERSON", "ASIDE"})


_FREE = words_of("convert pad split split_silence add_noise tag") | {""}
_THIS = words_of("this these dieses diesen diese dieser diesem")
_DEFINITE = words_of("the den die das dem der")
_DELETING = words_of("delete erase lösche löschen lösch")
_REPAIRS = _FAULTS | words_of(
    "leveller compress limit noise_gate shorten_pauses loudness_norm convert tag"
)
_PARTING = words_of("of from von vom")
_PURPOSES = words_of("for für fürs zum zur")
_CALLED = words_of("convert tag loudness_norm peak_norm reverse split split_silence")
"""Tools that take all of a sound, whatever it is called."""
