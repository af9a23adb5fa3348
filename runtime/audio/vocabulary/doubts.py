"""Wishes that fit a rule and may mean something else, each of which is refused and not guessed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .words.circumstances import words_of
from .words.patterns import is_number, sounds_in
from .words.rules import Fit
from .words.sentences import senses_of

_SHAPES = words_of("eq deess highpass lowpass bandpass declick denoise dehum")
_MENDING = words_of("declick denoise dehum")
_USUAL_RATES = frozenset({44_100, 48_000, 96_000})
_LOWERING = frozenset({"DOWN", "LESS", "REMOVE", "CUT", "AWAY", "TAKE"})
_RAISING = frozenset({"UP", "MORE", "LOUDER", "HIGHER"})
_POSITIONS = words_of("from ab nach after second sekunde")
_BOUNDS = words_of("to bis von")
_KEEPING = frozenset({"KEEP", "TAKE", "WANT", "MONO", "SAVE", "CONVERT"})
_SMALL = words_of("reverse time_stretch pitch_shift")
_FILTERED = words_of("high-passed low-passed highpassed lowpassed filtered gefiltert")
_ADDING = words_of("insert add füge fügen einfügen ein")


def is_doubtful(
    fit: Fit, words: Sequence[str], last: Fit | None, before: Sequence[str], pieces: int
) -> bool:
    """Tell whether words that fit a rule may mean something else, alone or behind the clause with
    the meaning `last` and the words `before`; `pieces` is in how many they are parted."""
    name = fit.rule.tool.name if fit.rule.tool else ""
    if name not in _BETWEEN and not any(map(is_number, words)) and not _DURING.isdisjoint(words):
        return True  # "denoise it during the speech"
    if name in _REPAIRS and {"is", "ist"} & {*words} and "JUST" in senses_of(words):
        return True  # "the hum is only on my track"
    alone = _ALONE.get(name)
    if alone is not None and alone(fit, words):
        return True
    if last and name == "gain" and pieces > 1 and _is_section(fit) and not _is_section(last):
        # "remove the hum and the first 3 seconds, 2 dB louder"
        return bool(senses_of(before) & _LOWERING)
    return last is not None and _is_doubtful_behind(fit, name, words, last, before)


_DURING = words_of("during while between während zwischen")
_BETWEEN = words_of(
    "mix concat leveller compress shorten_pauses split split_silence pad channels noise_gate"
)
_REPAIRS = words_of("denoise dehum declick deess highpass")


def _is_section(fit: Fit) -> bool:
    return not {"start_s", "end_s"}.isdisjoint(fit.arguments)


def _is_doubtful_behind(
    fit: Fit, name: str, words: Sequence[str], last: Fit, before: Sequence[str]
) -> bool:
    """Tell whether words may belong to the clause before them, or do less than it does."""
    said, held = senses_of(words), senses_of(before)
    former = last.rule.tool.name if last.rule.tool else ""
    if not {"erst", "zuerst"}.isdisjoint(words):
        return True  # "fade out 3 s, but first cut the last 10 s"
    if name == "convert" and "sample_rate_hz" in fit.arguments and former in _SHAPES:
        usual = former in _MENDING and fit.arguments["sample_rate_hz"] in _USUAL_RATES
        return len(words) <= 2 and not usual  # "boost the treble, 8 kHz"
    if fit.rule.wording.name == "equaliser" and not said & (_RAISING | _LOWERING):
        signed = any(is_number(word) and word[0] in "+-" for word in words)
        return bool(held & _LOWERING) and not signed  # "3 dB of bass out and 2 dB of treble"
    if name == "channels" and len(fit.arguments.get("order", ())) == 1:
        return "JUST" in said and not said & _KEEPING  # "3 dB louder, but only the left channel"
    if former == "clip" and "JUST" in held and not held & _KEEPING and name in ("gain", "eq"):
        return True  # "only from 1:00 to 2:00, 3 dB louder"
    small = (name in _SMALL and len(words) <= _SHORT) or not _FILTERED.isdisjoint(words)
    if former in ("mix", "concat") and small:
        return True  # "mix music.wav in, 10 % faster"
    if former in ("mix", "concat") and not {"there", "dort", "da", "darin"}.isdisjoint(words):
        return True
    if name == "trim_silence" and "edges" in fit.arguments and words[0] in _NEXT:
        return True  # "before that, remove the silence"
    own = not {"recording", "aufnahme"}.isdisjoint(words)
    if former == "concat" and own and name in _OF_EITHER and _ALL.isdisjoint(words):
        return True  # "put intro.wav in front and make the recording 3 dB louder"
    if former == "reverb" and name == "shift":
        return True  # "reverb room size 0.8 and delay 20 ms"
    if former == "split" and name == "split_silence":
        return True
    return former in ("mix", "concat") and name == "shift"


_SHORT = 4
_NEXT = words_of("in at before davor vorher zuvor beforehand zum")
_OF_EITHER = words_of("clip cut gain fade")
_ALL = words_of("whole all everything ganze alles total result ergebnis")


def _is_position(fit: Fit, words: Sequence[str]) -> bool:
    """Tell whether a fade is said to begin somewhere: "fade in from 0:10"."""
    if any(":" in word and is_number(word) for word in words):
        return True  # "fade out by 3:00"
    return any(
        is_number(two) and (one in _POSITIONS or (one in _BOUNDS and ":" in two))
        for one, two in pairwise(words)
    )


def _is_from_clock(fit: Fit, words: Sequence[str]) -> bool:
    """Tell whether a time of a clock is taken for the length of an end: "from 3:00 to the end"."""
    ends = fit.arguments.get("end_s", 0)
    clocks = any(":" in word and is_number(word) for word in words)
    return isinstance(ends, int | float) and ends < 0 and clocks


def _is_other_file(fit: Fit, words: Sequence[str]) -> bool:
    """Tell whether the sound is joined to a file, and not the file to it: "append it to b.wav"."""
    behind = not {"voice", "stimme", "music", "musik", "speech"}.isdisjoint(words) and (
        not {"behind", "hinter"}.isdisjoint(words)
    )
    return behind or any(
        one in ("to", "an", "of") and sounds_in(two) for one, two in pairwise(words)
    )


def _is_every_pause(fit: Fit, words: Sequence[str]) -> bool:
    """Tell whether pauses are to go, or a place or one of them is named: "cut every pause"."""
    said = senses_of(words)
    places = not {"at", "an", "bei", "wherever", "where", "wo"}.isdisjoint(words)
    clocks = any(":" in word and is_number(word) for word in words)
    if clocks or not _MOST.isdisjoint(words):
        return True
    parts = "ATLEAST" in said and not {"part", "parts", "each"}.isdisjoint(words) and "EACH" in said
    return parts or ("CUT" in said and "FILES" not in said and not places)


_MOST = words_of("longest längste längsten längster")


def _is_silence_added(fit: Fit, words: Sequence[str]) -> bool:
    """Tell whether silence is to come in, and not to take the place of what is heard."""
    if not {"before", "after", "bevor", "nachdem"}.isdisjoint(words) and not (
        {"you", "i", "du", "ich"}.isdisjoint(words)
    ):
        return True  # "turn it down before you cut out 1:10 to 1:20"
    muted = fit.arguments.get("gain_db") == _MUTED
    return muted and "SILENCE" in senses_of(words) and not _ADDING.isdisjoint(words)


_MUTED = -100


def _is_new_file(fit: Fit, words: Sequence[str]) -> bool:
    """Tell whether a section is to become a file of its own: "cut 1:00 to 1:30 to a new file"."""
    spelling = " ".join(words)
    return "new file" in spelling or "neue datei" in spelling or "neuen datei" in spelling


def _is_of_phone(fit: Fit, words: Sequence[str]) -> bool:
    """Tell whether the sound goes to a telephone: "put it on my phone"."""
    spelling = " ".join(words)
    return "on my phone" in spelling or "auf mein" in spelling or "aufs " in spelling


def _is_place(fit: Fit, words: Sequence[str]) -> bool:
    """Tell whether words only say where: "in the podcast"."""
    return words[0] in ("in", "im") and not any(map(is_number, words)) and len(words) <= _SHORT


def _is_left(fit: Fit, words: Sequence[str]) -> bool:
    """Tell whether silence is to be left, and not added: "leave half a second of silence"."""
    return not {"leave", "lass", "lassen"}.isdisjoint(words)


def _is_repeat(fit: Fit, words: Sequence[str]) -> bool:
    """Tell whether the sound is to be heard several times: "play it 3 times"."""
    times = not {"times", "mal"}.isdisjoint(words)
    return times and senses_of(words).isdisjoint({"FASTER", "SPEED", "SLOWER"})


def _is_right_there(fit: Fit, words: Sequence[str]) -> bool:
    return "right there" in " ".join(words)


def _is_click_track(fit: Fit, words: Sequence[str]) -> bool:
    return "click track" in " ".join(words)


_ALONE = {
    "fade": _is_position,
    "clip": _is_from_clock,
    "cut": _is_new_file,
    "bandpass": _is_of_phone,
    "loudness_norm": _is_place,
    "concat": _is_other_file,
    "split_silence": _is_every_pause,
    "gain": _is_silence_added,
    "pad": _is_left,
    "time_stretch": _is_repeat,
    "channels": _is_right_there,
    "declick": _is_click_track,
}
"""What may be meant by the words for a tool beside what it does."""
