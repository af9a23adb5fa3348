"""What is said of a clause that the rules cannot read: what they do not know, and what is near.

CONCEPTS are words for what people want, each with what there is that comes nearest to it: the first
row with one of the words, or of their senses in capitals, decides, so what is special stands before
what is general.
"""

from __future__ import annotations

from collections.abc import Sequence

from flowc.compiler.source.spelling import Spelling

from .peeling import foreign_setting
from .words.meanings import ANYWHERE
from .words.patterns import is_number
from .words.rules import fit_of, known_words, nearest_example
from .words.sentences import (
    alone_text,
    is_known,
    is_unit,
    meaning_of,
    one_of_several,
    parts_in,
    senses_of,
)
from .words.units import SpokenWord

NOTHING = "nothing"
"""Stands where nothing comes near to what is wanted."""

CONCEPTS: tuple[tuple[str, str], ...] = (
    ("measure measuring miss messen zeig zeige", "flowc audio measure FILE"),
    ("beep bleep bleeped piepton piepen überpiepen schimpfwort censor zensieren zensiere",
     "mute from 0:05 to 0:08"),
    ("tune minor major tonart moll dur", "lower the pitch by 3 semitones"),
    ("reverse backwards rückwärts swap vertausche detect erkenne transcribe transkribiere "
     "subtitles untertitel vocals isolate autotune twice zweimal loop translate übersetze übersetz "
     "transcript type tell summarise summarize schreib schreibe separate trenn trenne karaoke "
     "playback surround duck email upload vertauschen tauschen tausche send generate picture",
     NOTHING),
    ("title titel artist interpret künstler album genre tag tags metadata metadaten cover",
     "flowc audio apply 'TAG(…)'"),
    ("DENOISE microphone mikrofon mikro rustles rustling raschelt", "reduce the noise by 12 dB"),
    ("HIGHPASS", "high-pass at 80 Hz"), ("LOWPASS", "low-pass at 12 kHz"),
    ("REVERB", "add a little reverb"), ("COMPRESS", "compress 3:1 at -20 dB"),
    ("octave octaves oktave semitone semitones halbton halbtöne PITCH",
     "lower the pitch by 3 semitones"),
    ("coughs cough hustet husten boring verse strophe mistake versprecher swearing beep bleep "
     "censor replace gehustet mute muted stummschalten schneid schneide herausschneiden",
     "cut out from 0:05 to 0:08"),
    ("wind plosive plosives pops popping thump rumbling mud muddy boomy handling",
     "high-pass at 80 Hz"),
    ("de-ess deess de-esser sibilance sibilant harsh sharp zischen zischlaute", "de-ess by 8 dB"),
    ("click clicks clicking crackle crackling ticks knacken knackser knistern",
     "remove the clicks"),
    ("hum buzz mains brummen netzbrummen", "remove the 50 Hz hum"),
    ("noise noisy hiss denoise background rauschen hintergrundgeräusche hintergrund grundrauschen "
     "noise-reduction static air fan", "reduce the noise by 12 dB"),
    ("ums uhs breaths breathing atmer atemgeräusche atmen", "noise gate at -50 dB"),
    ("even uneven consistent leveller leveler balance ausgleichen", "even out the levels"),
    ("radio megaphone walkie-talkie funkgerät", "band-pass from 300 Hz to 3 kHz"),
    ("dynamics punchy komprimieren compressed compress compression", "compress 3:1 at -20 dB"),
    ("gaps pauses pausen sprechpausen", "shorten pauses to 0.8 s"),
    ("split chapters parts tracks teilen", "split at pauses of 1 s"),
    ("join append concatenate merge intro outro jingle", "append outro.wav"),
    ("mix background-music music-bed underneath", "put music.wav under the voice 12 dB lower"),
    ("echo echoes cathedral church room hallig kathedrale spacious", "add a little reverb"),
    ("chipmunk deeper darth key tune pitch tonhöhe höher tiefer", "lower the pitch by 3 semitones"),
    ("faster slower tempo speed schneller langsamer quicker bpm", "speed up by 10 %"),
    ("wma webm xyz format caf", "export flac"),
    ("mp4", "export m4a"),
    ("bright brighter dull warm warmer clear clearer crisp presence klarer", "boost 3 kHz by 4 dB"),
    ("bass treble eq equalise equalize", "more bass by 3 dB"),
    ("fade blende einblenden ausblenden eingeblendet ausgeblendet", "fade in 0.5 s and out 2 s"),
    ("lufs lkfs", "normalise to -16 LUFS and -1 dBTP"),
    ("louder loud lauter up", "louder by 6 dB"),
    ("quieter quiet softer leiser down", "quieter by 6 dB"),
    ("left right channel links rechts kanal", "mono"),
    ("normalise normalize normalisiere loudness lufs mastering master",
     "normalise to -16 LUFS and -1 dBTP"),
    ("part section teil abschnitt piece last letzten letzte ende trim crop",
     "keep from 0:05 to 0:20"),
    ("clipping clipped distorted peaks", "limit peaks to -1 dBTP"),
    ("silence silent stille", "trim silence"),
    ("interview chorus refrain", "keep from 0:05 to 0:20"),
    ("every jede", "split at pauses of 1 s"),
)  # fmt: skip
_TURNED = {
    "lower the pitch by 3 semitones": "raise the pitch by 3 semitones",
    "slow down by 10 %": "speed up by 10 %",
    "cut 3 kHz by 4 dB": "boost 3 kHz by 4 dB",
    "less bass by 3 dB": "more bass by 3 dB",
    "quieter by 6 dB": "louder by 6 dB",
}
"""Examples, each with the one that goes up."""
_UPS = frozenset({"UP", "MORE", "LOUDER", "HIGHER", "FASTER", "TOOQUIET"})
_DOWNS = frozenset({
    "DOWN", "LESS", "QUIETER", "DEEPER", "SLOWER", "TOOLOUD", "DROP", "REMOVE", "CUT",
})  # fmt: skip
UP, DOWN = "louder by 6 dB", "quieter by 6 dB"
_TOO = {"quiet": UP, "leise": UP, "loud": DOWN, "laut": DOWN}
"""Who finds it too quiet wants it louder."""


def nearest_concept(words: Sequence[str]) -> str:
    """Return an example of what comes nearest to what the words want; "" where none is known, and
    `NOTHING` where there is none."""
    wanted = {*words} | senses_of(words)
    if "too" in words or "zu" in words:
        for word, example in _TOO.items():
            if word in words:
                return example
    if wanted & {"how", "wie"} and wanted & {"loud", "laut", "LOUD"}:
        return "flowc audio measure FILE"
    for row, example in CONCEPTS:
        if not {*row.split()}.isdisjoint(wanted):
            return _in_direction(example, wanted)
    return ""


def _in_direction(example: str, senses: set[str]) -> str:
    """Return an example, or the opposite one where the words say that other direction alone."""
    ups, downs = not _UPS.isdisjoint(senses), not _DOWNS.isdisjoint(senses)
    if ups and not downs:
        return _TURNED.get(example, example)
    if downs and not ups:
        return {up: down for down, up in _TURNED.items()}.get(example, example)
    return example


_NEVER = (
    (frozenset(["stems", "stem", "instruments", "instrumente", "karaoke"]),
     "what is mixed cannot be separated into its parts again"),
    (frozenset(["surround", "quadraphonic", "quadrofonie", "raumton", "5.1", "7.1"]),
     "a result is mono or stereo: ask for one of them"),
)  # fmt: skip
"""Words for what no tool can do, and why."""
_PARTS = frozenset({"PART", "STEM", "VOICES", "BACKGROUND"})
_UP, _DOWN = frozenset({"UP", "LOUDER", "TOOQUIET"}), frozenset({"DOWN", "QUIETER", "TOOLOUD"})
_GONE = frozenset({"REMOVE", "CUT", "TAKE", "AWAY"})
_FAULTS = frozenset(
    {"HUM", "NOISE", "CLICKS", "SHARP", "RUMBLE", "PAUSES", "SILENCE", "MUCH", "HARSH"}
)
_WORK = _GONE | {"DOWN", "LESS", "TRIM", "FILTER", "SPLIT", "FADE"}
_WORDS_OF_LEAVING = frozenset({
    "don't", "dont", "without", "ohne", "keinen", "keinem", "keiner", "keinesfalls", "avoid",
    "untouched", "unangetastet", "unverändert", "unchanged", "alone", "ruhe", "anfassen", "lassen",
})  # fmt: skip
_AS_IT_IS = ("as it is", "as they are", "so wie", "wie es ist", "wie sie ist", "wie sie sind",
             "wie er ist")  # fmt: skip
_OF_TIME = frozenset({"JUST", "FIRST", "LAST", "START", "END", "SECTION", "SILENCE", "PAUSES"})
_STATEMENTS = frozenset({
    "is", "are", "isn't", "aren't", "ist", "sind", "sounds", "klingt", "can't", "cannot", "hört",
    "hear", "enough", "genug", "versteht", "understand",
})  # fmt: skip
"""With these a negation says how the sound is, not what is to be left."""
_BESIDE = frozenset({"LEVEL", "LITTLE", "MORE", "LESS", "TAKE"})


def complaint_of(text: str, words: list[SpokenWord]) -> str:
    """Return why the rules cannot read a clause, with the nearest that they can."""
    plain = [word.text for word in words]
    if _is_left_alone(plain):
        if part := next(iter(parts_in(plain)), ""):
            return alone_text(part, text)
        return (
            f"`{text}` says what is not to be done: only what is asked for is done, so leave it out"
        )
    if foreign := foreign_setting(text, words):
        return foreign
    known = known_words()
    strange = [word for word in plain if not (word in known or is_number(word) or is_known(word))]
    near = nearest_concept(plain)
    if reason := next((why for some, why in _NEVER if not some.isdisjoint(plain)), ""):
        return f"`{text}`: {reason}"
    if part := one_of_several(plain):
        return alone_text(part, text)
    if not strange and (part := _part_in(plain)):
        return _with_hint(alone_text(part, text), _level_wanted(plain) or near)
    if not strange:
        known_only = f"`{text}` has only known words, but no phrase that is known"
        if two := _two(text, words):
            return f"{known_only}: a comma belongs between `{two[0]}` and `{two[1]}`"
        example = near or nearest_example(plain)
        return _with_hint(known_only, example)
    names = ", ".join(f"`{word}`" for word in dict.fromkeys(strange))
    said = f"they do not know {names} in `{text}`"
    if slip := _slip(plain, strange[0]):
        return f"{said} (did you mean `{slip}`?)"
    return _with_hint(said, near)


def _is_left_alone(words: list[str]) -> bool:
    """Tell whether a clause says what is not to be done; "no hum" says what is to be done."""
    spelling, senses = " ".join(words), senses_of(words)
    if any(phrase in spelling for phrase in _AS_IT_IS):
        return True
    if not _STATEMENTS.isdisjoint(words) or "MOST" in senses:
        return False
    if "KEEP" in senses and not senses & _OF_TIME and not any(map(is_number, words)):
        return True
    at = next((n for n, word in enumerate(words) if _leaves(word)), len(words))
    if at == len(words) or any(map(is_number, words[:at])):
        return False  # "3 % slower without a change of pitch" says what is to be done
    return not senses & _FAULTS or bool(senses & _WORK)


def _leaves(word: str) -> bool:
    return word in _WORDS_OF_LEAVING or not senses_of([word]).isdisjoint({"NOT", "NOTHING"})


def _part_in(words: list[str]) -> str:
    """Return the word for what is a part of a sound, where that part alone is to be changed: for an
    instrument, or for anything that is to be louder, quieter or gone; "" without one."""
    gone = senses_of(words) <= _PARTS | _GONE | ANYWHERE
    alone = gone or _level_wanted(words)
    for word in words:
        sense = senses_of([word])
        if not sense.isdisjoint({"STEM", "ASIDE", "PERSON"}) or (
            not sense.isdisjoint(_PARTS) and alone
        ):
            return word
    return ""


def _level_wanted(words: list[str]) -> str:
    """Return how the whole is made louder or quieter, where that is all that is wanted."""
    senses = senses_of(words)
    if not senses <= _PARTS | _UP | _DOWN | ANYWHERE | _BESIDE:
        return ""
    return UP if senses & _UP else DOWN if senses & _DOWN else ""


def _with_hint(said: str, example: str) -> str:
    return f"{said}: near it is `{example}`" if example and example != NOTHING else said


def _slip(words: list[str], strange: str) -> str:
    """Return the known word that was meant: with it the clause is one that the rules read."""
    if len(strange) < 4:
        return ""
    longer = [word for word in known_words() if len(word) > 3]
    nearest = Spelling(longer).nearest(strange)
    if not nearest:
        return ""
    clause = [nearest if word == strange else word for word in words]
    fit = fit_of("".join(f"{word} " for word in clause)) or meaning_of(clause)
    return nearest if fit is not None else ""


_LONGEST = 60
"""Words of a clause in which a missing comma is looked for."""


def _is_of_value(word: str) -> bool:
    return is_number(word) or is_unit(word) or word in ("to", "auf", "by", "um")


def _two(text: str, words: list[SpokenWord]) -> tuple[str, str] | None:
    """Return the two clauses that stand there without a comma between them."""
    for at in range(1, len(words) if len(words) <= _LONGEST else 0):
        parts = words[:at], words[at:]
        if any(all(_is_of_value(word.text) for word in part) for part in parts):
            continue
        if all(fit_of("".join(f"{w.text} " for w in part)) for part in parts):
            cut = words[0].start
            return text[: words[at - 1].end - cut], text[words[at].start - cut :]
    return None
