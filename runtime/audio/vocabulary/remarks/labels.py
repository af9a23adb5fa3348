"""Short remarks that say no whole sentence: who is louder than whom, what is heard,
what the sound is or is for, and what a section holds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..words.circumstances import CONTENTS, SCOPES, words_of
from ..words.frames import NOUNS
from ..words.patterns import is_number
from ..words.sentences import is_known, senses_of
from .beside import FAULT_TOOLS, OF_TOOLS, TREATMENTS, Beside
from .moods import WANTED, begins, has_verb, is_present
from .statements import NEGATIONS, OF_ALL, STATES, values_in

_LONGEST = 40
_SHORT = 8
_LEVELS = words_of("quieter louder softer leiser lauter")
_THAN = words_of("than als")
_STATE = words_of("is are was were ist sind war waren isn't speaks spoke talks spricht sprach")


def is_comparison(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words beside a leveller say who is louder than whom."""
    told = [_LEVELS, _THAN, _STATE]
    levelled = beside.tools <= {"leveller", "loudness_norm"} and "leveller" in beside.tools
    return (
        levelled
        and 4 <= len(words) <= _LONGEST
        and begins(words)
        and not any(some.isdisjoint(words) for some in told)
        and (WANTED | _ORDERED).isdisjoint(words)
        and not [*values_in(words)]
    )


_ORDERED = words_of("make sure end to be so sodass dass bis wo danach dann then until where that")


_SITUATED = frozenset({"IN", "AT", "OF", "FROM", "BACKGROUND", "ASIDE", "PERSON", "LITTLE", "MUCH"})


def _is_fault_name(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words only name the fault that the wish at once behind mends: "fan in the
    background, please denoise"."""
    own = OF_TOOLS[beside.after] if beside.after in FAULT_TOOLS else frozenset()
    said = senses_of(words)
    return (
        bool(said & own)
        and said <= own | _SITUATED
        and len(words) <= _SHORT
        and all(map(is_known, words))
        and not any(map(is_number, words))
        and not has_verb(words)
    )


def is_purpose(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words only say what the sound is for: "for a hearing test", "zum Mitsingen im
    Kurs". Who or what is named by an article that all know may be what is to be changed."""
    if words[0] not in _FOR or not 2 <= len(words) <= _SHORT:
        return False
    if words[0] == "wird" and words[1] not in _OWNED - {"an"}:
        return False
    free = words[0] in _TO_DO or words[1] in _OWNED
    said = senses_of(words)
    told = said <= {"ASIDE", "PERSON", "WITH", "IN", "AT", "OF", "TO", "PHONE", "FILLER"}
    return (
        (free or beside.tools <= OF_ALL - {"clip", "cut"})
        and (bool(beside.tools) or beside.section)
        and told
        and not any(map(is_number, words))
        and SCOPES.isdisjoint(words)
        and (WANTED | NEGATIONS | _LAPSES).isdisjoint(words)
        and STATES.isdisjoint(words)
        and not any(map(_COMPOUND.match, words))
    )


_COMPOUND = re.compile("rückwärts|lauter|leiser|schnell|langsam|mono|stereo")
"""How words begin that ask for something for all their length."""
_FOR = words_of("for für fürs zum zur wird")
_TO_DO = words_of("zum zur fürs")
_OWNED = words_of("a an my our ein eine einen mein meine meinen unser unsere unseren")
_LAPSES = words_of(
    "bit while moment second time times beat bar now once change start end ende anfang schluss "
    "teil moment mal now jetzt"
)


def is_label(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words only name the fault that is mended at once behind, or what the sound is
    before anything is asked for: "fan in the background, denoise", "game sound, as ogg"."""
    return _is_fault_name(words, beside) or (not beside.before and _is_source_name(words))


def _is_source_name(words: Sequence[str]) -> bool:
    kinds = all(senses_of([word]) & _KINDS for word in words[:-1])
    return 2 <= len(words) <= _MOST and words[-1] in _WHOLES and kinds


_WHOLES = (NOUNS | CONTENTS) - words_of("track take spur loop master mix sample")
_KINDS = frozenset({"ASIDE", "PERSON", "STEM", "PART", "PHONE"})
_MOST = 4


def is_heard(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words say what is heard in a sound that is cleaned: "you can hear a car"."""
    hears = tuple(words[:2]) in _HEARING or tuple(words[:3]) in _HEARING
    asks = not (NEGATIONS | (WANTED - {"can"}) | {"too", "zu"}).isdisjoint(words)
    cleaned = bool(beside.tools & _CLEANING) and beside.tools <= TREATMENTS
    faults = senses_of(words) <= _HEARD and SCOPES.isdisjoint(words)
    return hears and cleaned and faults and not asks and not [*values_in(words)]


_HEARD = frozenset({
    "ASIDE", "PERSON", "IN", "AT", "OF", "FROM", "WITH", "BACKGROUND", "NOISE", "HUM", "CLICKS",
    "SHARP", "RUMBLE",
})  # fmt: skip


_HEARING = {
    *((one, "can", "hear") for one in words_of("i you we one")),
    *((one, "hear") for one in words_of("i you we")),
    ("man", "hört"), ("ich", "höre"), ("wir", "hören"), ("da", "hört"),
}  # fmt: skip
_CLEANING = words_of("denoise noise_gate dehum declick deess highpass")


def is_place(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words say what a section holds that is cut out, muted or changed: "my dog barks
    there", "that was the coffee break", "the laughter is too loud"."""
    if _is_gone(words, beside):
        return True
    if not beside.section or not beside.before or len(words) > _LONGEST:
        return False
    asks = not (WANTED | NEGATIONS | _LAPSED).isdisjoint(words) or [*values_in(words)]
    if asks or beside.tools or not begins(words) or not senses_of(words).isdisjoint(_OTHERS):
        return False
    told = tuple(words[:2]) in _THAT and words[2:3] != [] and words[2] in _SOME
    pointing = words[0] in _THERE or words[-1] in _THERE or told
    loud = tuple(words[-2:]) in _TOO and len(words) == _LOUD and words[1] in _LAUGHTER
    return (pointing and is_present([*words, *_WAS & {*words}])) or loud


def _is_gone(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words at once behind what is cut off say what was there: "da ist nur Applaus",
    "it's privileged"."""
    there = tuple(words[:2]) in _THERE_IS or (words[:1] == ["there's"])
    it_is = words[0] in ("it's", "that's") and len(words) == 2 and not is_known(words[1])
    cut = beside.before and beside.tools == {"clip"}
    plain = (WANTED | NEGATIONS | _LAPSED).isdisjoint(words) and not [*values_in(words)]
    said = senses_of(words) <= {"ASIDE", "PERSON", "JUST", "PART", "STEM", "VOICES"}
    return plain and said and ((there and cut) or (it_is and beside.before and beside.section))


_THERE_IS = {(one, two) for one in ("da", "there", "dort") for two in ("ist", "sind", "is", "are")}
_WAS = words_of("was war waren were")
_THERE = words_of("there da dort")
_THAT = {("that", "was"), ("das", "war"), ("das", "waren")}
_SOME = words_of("the a an my our only just der die das ein eine mein meine unser unsere nur")
_TOO = {("too", "loud"), ("zu", "laut")}
_LOUD = 5
_LAUGHTER = words_of(
    "laughing laughter laugh applause clapping cough coughing shouting scream lachen gelächter "
    "applaus klatschen husten geschrei"
)
_OTHERS = frozenset({
    "REMOVE", "CUT", "KEEP", "ADD", "MORE", "LESS", "UP", "DOWN", "LOUDER", "QUIETER", "JUST",
    "EXCEPT", "MUTE", "SILENCE", "REVERB", "FADE", "FADEIN", "FADEOUT", "LAY", "FROM", "TILL",
})  # fmt: skip
_LAPSED = words_of(
    "error accident oversight irrtum file datei other andere anderen idea plan wunsch keeper part "
    "quatsch unsinn much viel wenig early früh late spät already schon done erledigt goes go comes "
    "come kommt kommen gehört belongs hin in nochmals klingelton ringtone "
    "mistake typo versehen joke scherz spaß wrong falsch good gut nice schön best beste better "
    "besser important wichtig stays bleibt bleiben again nochmal then dann instead stattdessen "
    "example beispiel fine okay ok enough genug reicht right richtig perfect perfekt forget vergiss"
)
