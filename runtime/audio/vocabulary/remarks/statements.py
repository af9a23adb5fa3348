"""What people say around a wish: reasons, greetings, purposes. A remark asks for nothing.

"My mouth was dry, please remove the clicks" is one wish and one remark. What may be a wish is never
taken for a remark: words that say what is done, numbers, complaints of the sound ("it is muffled")
and negations keep a clause from being one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..words.circumstances import words_of
from ..words.patterns import SOUND_FILE, is_number
from ..words.sentences import is_known, is_unit, senses_of

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
_PASTS = words_of(
    "had been did went came got kept thought ran stood sat played began started ended spoke "
    "talked sang fell broke took gave stayed lived used recorded moved walked drove passed "
    "opened closed drifted leaned leaning wrote forgot happened meant hatte hatten ging gingen "
    "kam kamen fiel stand lag lief saß sprach sagte spielte begann endete dauerte passierte "
    "entstanden aufgenommen gesprochen gesungen thinks walks speaks talks whispers shouts chokes "
    "lives works holds stands sits learn learning spricht singt steht liegt sitzt läuft vergeht"
)
"""Verbs of what was, and of what people do: who says so asks for nothing."""
_EVENTS = words_of(
    "rang rings drops dropped coughs coughed sneezes sneezed knocks knocked barks barked swears "
    "swore klingelt klingelte bellt bellte hustet hustete klopft klopfte fällt fiel blättere "
    "gehustet reads read mentioned said says sagt verhaspelt"
)
"""Verbs of what disturbs: who says so wants it gone, which a section that is cut or muted does."""
_SOUNDS = words_of(
    "it it's this that that's everything sound sounds voice voices recording audio mix track "
    "music song vocals file speech signal tone es das alles ton klang stimme stimmen aufnahme "
    "musik lied ganze sprache datei spur words wörter band tape"
)
_HEARING = words_of(
    "hear hears heard understand understood hören hört hörst gehört versteht verstehen "
    "verstanden intelligible echo"
)
NEGATIONS = words_of(
    "not no never none nobody nothing nicht kein keine keinen nie niemand nichts but"
)
CAUSES = frozenset({"because", "weil", "denn"})
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


def is_remark(words: Sequence[str], beside: Sequence[str], sections: bool) -> bool:
    """Tell whether the words of a clause ask for nothing. `beside` are those of the clauses that
    are understood: of a fault that one of them mends it may speak. With `sections` one of them
    changes a section, in which something may have happened."""
    because, purpose = words[0] in CAUSES, words[0] in PURPOSE and len(words) > 2
    while len(words) > 1 and words[0] in LEADS | CAUSES | PURPOSE:
        words = words[1:]
    said, about = senses_of(words), senses_of(beside)
    told = said - HARMLESS
    if said & {"LEFT", "RIGHT"} and not about & {"LEFT", "RIGHT", "SWAP", "CHANNEL", "BOTH"}:
        return False
    mended = all(not about.isdisjoint(FAULTS.get(one, ())) for one in told)
    if not mended or not {*values_in(words)} <= {*beside} or not WISHES.isdisjoint(words):
        return purpose and _is_purpose(words, told)
    if not NEGATIONS.isdisjoint(words) or not _HEARING.isdisjoint(words) or _is_too(words):
        return False
    if told:  # a fault: of all of the sound, in words that are known
        return said.isdisjoint(SCOPED) and all(map(is_known, words))
    if purpose:
        return _is_purpose(words, told)
    if because:
        return not _is_complaint(words)
    return _is_statement(words, sections) and not _is_complaint(words) and _is_past(words)


def _is_past(words: Sequence[str]) -> bool:
    """Tell whether a statement is of what was, or of somebody: how something is may be what is to
    be mended; nor of what happens again, or at an end."""
    if not _AGAIN.isdisjoint(words):
        return False
    at = next((n for n, word in enumerate(words) if word in _PRESENT), None)
    if at is None:
        return senses_of(words).isdisjoint({"START", "END", "FIRST", "LAST"})
    before = words[: at + 1]
    return not _OF_SOMEBODY.isdisjoint(before) or "PERSON" in senses_of(before)


_PRESENT = words_of("is are it's that's there's ist sind")
_OF_SOMEBODY = words_of("i we he she they ich wir er")
_AGAIN = words_of("again twice nochmal nochmals zweimal wieder auch also")


def is_scoped(words: Sequence[str]) -> bool:
    """Tell whether words speak of a part or of somebody, whom alone a change of level may mean."""
    return not senses_of(words).isdisjoint(SCOPED - {"ASIDE"})


def _is_too(words: Sequence[str]) -> bool:
    """Tell whether something is too much, but for where somebody is: "too close to the mic"."""
    pairs = zip(words, [*words[1:], ""], strict=True)
    return any(one in ("too", "zu") and two not in _DISTANCES for one, two in pairs)


_DISTANCES = words_of("close far near nah nahe weit dicht")


def _is_purpose(words: Sequence[str], told: frozenset[str]) -> bool:
    """Tell whether words say what somebody can do then: "so the students can follow"."""
    quiet = not told and NEGATIONS.isdisjoint(words) and _HEARING.isdisjoint(words)
    plain = senses_of(words).isdisjoint({"JUST", "PART", "STEM"}) and not [*values_in(words)]
    at = next((n for n, word in enumerate(words) if word in _ABLE), 0)
    somebody = "PERSON" in senses_of(words[:at]) or not {"they", "alle"}.isdisjoint(words[:at])
    able = somebody or (words[-1] in _ABLE and "PERSON" in senses_of(words))
    return quiet and plain and able and {"like", "wie"}.isdisjoint(words)


_ABLE = words_of("can could kann können können.")


def values_in(words: Sequence[str]) -> Iterator[str]:
    """Yield the numbers that have a unit or are times, the files, and what is quoted."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        unit = after and (is_unit(after) or after in _SIZES)
        named = word[0] in _QUOTES or re.fullmatch(SOUND_FILE, word)
        if named or (is_number(word) and (":" in word or unit)):
            yield word


_QUOTES = '"“„«»'
_SIZES = frozenset({"mb", "gb", "kb", "bpm", "mbit"})


def _is_statement(words: Sequence[str], sections: bool = False) -> bool:
    """Tell whether words say something of somebody: who asks for work begins with a verb, or names
    the work."""
    verbs = STATES | _PASTS | (_EVENTS if sections else frozenset())
    named = is_known(words[0]) and senses_of(words[:1]) <= {"ASIDE"}
    if words[0] not in SUBJECTS and not named and words[1:2] and words[1] not in verbs:
        return False
    return words[0] in STATES or not verbs.isdisjoint(words[1:])


_SETTINGS = words_of("for für auf in im on at from bei aus von my our mein meine unser unsere")
"""Words behind "is" that begin a place, a time or an owner, and no complaint."""


def _is_complaint(words: Sequence[str]) -> bool:
    """Tell whether words say how the sound is: "it is muffled" wishes that it were not."""
    at = next((n for n, word in enumerate(words) if word in STATES), None)
    if at is None:
        return not _SOUNDS.isdisjoint(words[:2])
    before = words[: at + 1]
    is_sound = not _SOUNDS.isdisjoint(before) or not senses_of(before).isdisjoint({"PART", "STEM"})
    return is_sound and _SETTINGS.isdisjoint(words[at + 1 : at + 2])


def is_told_of(words: Sequence[str]) -> bool:
    """Tell whether words say where something is, and not what to do: "my mic is on the left"."""
    return _is_statement(words)
