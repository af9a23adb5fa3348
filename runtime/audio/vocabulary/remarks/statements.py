"""Words and senses by which a statement, a fault and a wish are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..words.circumstances import words_of
from ..words.patterns import SOUND_FILE, is_number
from ..words.sentences import is_unit

HARMLESS = frozenset({
    "ASIDE", "PERSON", "FILLER", "PART", "STEM", "BY", "OF", "WITH", "IN", "AND", "TO", "NACH",
    "FROM", "AT", "READY",
    "SECTION", "ALL", "FIRST", "LAST", "START", "END", "BEFORE", "AFTER", "VOICES", "SOME", "TILL",
    "FILES", "EACH", "STOP", "LITTLE", "CHANNEL", "SPEED", "LEFT", "RIGHT", "LONG", "MUCH",
    "FASTER", "SLOWER", "HIGHER", "DEEPER", "JUST",
})  # fmt: skip
"""Senses that a statement about somebody may have."""
SCOPED = frozenset({
    "PART", "STEM", "VOICES", "SECTION", "FIRST", "LAST", "START", "END", "BEFORE", "AFTER", "TILL",
    "LEFT", "RIGHT", "CHANNEL", "EACH", "JUST", "ASIDE", "PERSON",
})  # fmt: skip
"""Senses of a part: the fault of a part is not a fault of all of the sound."""
FAULTS = {
    "DULL": {"TREBLE", "EQ"},
    "TOOQUIET": {"LOUDER", "UP", "MORE", "LOUDNESS", "NORM", "EVEN"},
    "TOOLOUD": {"QUIETER", "DOWN", "LESS", "LOUDNESS", "NORM", "EVEN"},
    "HARSH": {"SHARP", "DEESS", "TREBLE"},
    "BACKWARDS": {"FLIP"}, "DISTORT": {"DOWN", "QUIETER", "LESS", "LIMIT"},
    "SWAP": {"SWAP"}, "SILENCE": {"PAUSES"}, "PAUSES": {"SILENCE", "SPLIT"},
    **{one: {one} for one in ("HUM", "NOISE", "CLICKS", "SHARP", "RUMBLE", "PITCH")},
}  # fmt: skip
"""What is wrong with a sound, each with what may be asked for to mend it."""
WISHES = words_of(
    "please bitte can could would should must need needs want wants let make mach kannst "
    "könntest kann können soll sollen sollte sollten muss müssen brauche brauchen braucht möchte "
    "möchten wish wünsche will gern gerne hätte i'd like wie has hat have haben"
)
"""Words that a statement without a wish does not have; "it has to be shorter"."""
SUBJECTS = words_of(
    "i we he she they it this that these those there the my our his her their your a an someone "
    "somebody one many some most who i'm we're it's that's there's he's she's they're i've we've "
    "der die das dem den ich wir er sie es mein meine meinem unser unsere unserem jemand ein "
    "eine einer viele einige dieser diese dieses hier in im on am at auf bei from von pastor da"
)
STATES = words_of(
    "was were is are i'm we're it's that's there's he's she's they're i've we've war waren ist "
    "sind wurde wurden"
)
NEGATIONS = words_of(
    "not no never none nobody nothing nicht kein keine keinen nie niemand nichts but"
)
PURPOSE = frozenset({"so", "damit", "sodass"})
OF_ALL = words_of(
    "convert clip cut split split_silence pad loudness_norm peak_norm add_noise time_stretch tag "
    "channels trim_silence shift reverse"
)
"""Tools that change all of a sound, or a section of it, and never one voice in it."""
LEADS = words_of(
    "hinterher followed so also therefore hence thus deshalb daher darum zwar nämlich then dann "
    "dabei dazu afterwards danach dahinter anschließend finally please bitte : - oh well anyway "
    "und and plus"
)


def values_in(words: Sequence[str]) -> Iterator[str]:
    """Yield the numbers that have a unit or are times, the files, and what is quoted."""
    for word, after in zip(words, [*words[1:], ""], strict=False):
        unit = after and (is_unit(after) or after in _SIZES)
        named = word[0] in _QUOTES or re.fullmatch(SOUND_FILE, word)
        if named or (is_number(word) and (":" in word or unit)):
            yield word


_QUOTES = '"“„«»'
_SIZES = frozenset({"mb", "gb", "kb", "bpm", "mbit"})
