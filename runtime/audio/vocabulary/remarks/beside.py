"""Faults of which a sentence tells: a wish beside it mends them, and they are of all the sound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..words.circumstances import SCOPES, words_of
from ..words.sentences import senses_of
from .moods import is_destination, is_event, is_intention, is_of_past, is_passive
from .statements import FAULTS, HARMLESS, OF_ALL, SCOPED, values_in

_SOURCES = frozenset({"PART", "STEM", "VOICES", "PERSON"})
_PLACES = SCOPES - words_of(
    "take takes beat beats note notes word words wort wörter sentence sentences satz sätze phrase"
)
_SIDES = _SOURCES | {
    "LEFT", "RIGHT", "CHANNEL", "JUST", "EACH", "SILENCE", "MUTE", "MONO", "STEREO", "SWAP", "BOTH",
}  # fmt: skip
_LEVELS = words_of("gain")
_CUTTING = words_of("clip cut")
TREATMENTS = words_of(
    "eq highpass lowpass bandpass denoise dehum declick deess noise_gate compress leveller limit "
    "reverb channels invert shift distort shorten_pauses pitch_shift time_stretch trim_silence "
    "reverse add_noise split_silence fade"
)
"""Tools by which a sound is made another one, as who complains of it wants."""


FAULT_TOOLS = words_of("denoise dehum declick deess highpass shorten_pauses leveller")
"""Tools that mend a fault, whose name says which."""
OF_TOOLS: dict[str, frozenset[str]] = {
    "loudness_norm": frozenset({"PODCAST", "STREAM", "BROADCAST"}),
    "time_stretch": frozenset({"LONG", "SPEED", "MUCH", "FASTER", "SLOWER"}),
    "fade": frozenset({"HARSH", "START", "END", "SECTION", "STOP"}),
    "pad": frozenset({"START", "END"}),
    "channels": _SIDES | {"MORE"},
    "convert": frozenset({"MONO", "STEREO"}),
    "bandpass": frozenset({"PHONE"}),
    "invert": frozenset({"PHASE"}),
    "lowpass": frozenset({"NOISE", "SHARP", "HARSH", "TREBLE"}),
    "highpass": frozenset({"RUMBLE", "BASS", "HUM", "NOISE"}),
    "eq": frozenset({"DULL", "HARSH", "SHARP", "BASS", "TREBLE", "RUMBLE"}),
    "distort": frozenset({"HARSH"}),
    "reverse": frozenset({"FLIP", "BACKWARDS", "START", "END"}),
    "denoise": frozenset({"NOISE", "BACKGROUND"}),
    "noise_gate": frozenset({"PAUSES", "SILENCE", "NOISE", "BACKGROUND", "EACH"}),
    "dehum": frozenset({"HUM"}),
    "declick": frozenset({"CLICKS"}),
    "deess": frozenset({"SHARP", "HARSH"}),
    "leveller": frozenset({"QUIET", "LOUD", "TOOQUIET", "TOOLOUD", "VOICES", "LEVEL"}),
    "compress": frozenset({"DYNAMICS", "LEVEL", "LOUD", "QUIET"}),
    "shorten_pauses": frozenset({"PAUSES", "SILENCE", "LONG"}),
    "trim_silence": frozenset({"SILENCE", "BEFORE", "AFTER", "START", "END", "MUTE"}),
    "split_silence": frozenset({"PAUSES", "SILENCE", "FILES", "EACH"}),
    "pitch_shift": frozenset({"PITCH", "HIGHER", "DEEPER", "TREBLE", "BASS"}),
}
"""What is told of a sound for which a tool is asked."""


class Beside(NamedTuple):
    """What is understood beside some words: its own words and its tools; the tool of the wish at
    once behind, "" without one; whether some of it stands before them; whether a section from a
    time to another is cut or changed; and of the wish at once behind whether it begins politely,
    and whether it points back."""

    words: Sequence[str]
    tools: frozenset[str]
    after: str
    before: bool = False
    section: bool = False
    polite: bool = False
    points: bool = False


def is_beside(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether what words speak of is mended beside them, and no part is meant alone."""
    lasting = not LASTING.isdisjoint(words)
    passive = is_passive(words) and not is_event(words)
    if not (lasting or {*values_in(words)} <= {*beside.words}) or passive:
        return False
    words = _without_names(_without_purpose(words))
    said = senses_of(words) - _PASSING
    if beside.after in TREATMENTS:
        said -= {"NOT", "NOTHING", "WITHOUT"}
    own = frozenset().union(*(OF_TOOLS.get(tool, frozenset()) for tool in beside.tools))
    if beside.tools & _CUTTING and is_event(words):
        said -= {"JUST", "UP", "DOWN", "AWAY"}
    if said & {"LEFT", "RIGHT"} and "channels" not in beside.tools:
        return False
    placed = (said & (_ENDS | {"SECTION"})) - own or not _PLACES.isdisjoint(words)
    if placed and (not is_of_past(words) or "JUST" in said or beside.before):
        return False
    scoped = (said & SCOPED) - {"ASIDE"} - own
    if beside.before and scoped & {"STEM", "PART"} and not beside.tools <= OF_ALL:
        return False
    if scoped and not beside.tools <= OF_ALL and (scoped - _SOURCES or beside.tools & _LEVELS):
        return False
    if is_intention(words):
        said -= {"WANT"}
    if is_destination(words):
        said -= {"PHONE", "EACH"}
    about = senses_of(beside.words)
    return all(not about.isdisjoint(FAULTS.get(one, ())) for one in said - HARMLESS - own)


_ENDS = frozenset({"START", "END", "FIRST", "LAST", "TILL", "EACH", "JUST"})
_PASSING = frozenset({"LAY", "ABOVE", "BELOW", "BACKGROUND", "FREQUENCY"})
"""Senses of small words and names that ask for nothing in a sentence that tells something."""


LASTING = words_of("dauert dauerte lasts lasted runs ran")
_ACCEPTING = words_of("has have plays accepts takes loads reads hat spielt nimmt liest")
_NAMES = words_of(
    "backing string bottom speicher mix mixed play plays spielt schicke over line speech speaker "
    "speakers mixing master mastering recorded playback drauf"
)
"""Words that do not ask for work in a sentence that tells something."""


def _without_purpose(words: Sequence[str]) -> Sequence[str]:
    """Return the words before "for our museum speakers" and the like."""
    for at in range(2, len(words) - 1):
        if words[at] in ("for", "für") and words[at + 1] in _OWNERS:
            return words[:at]
    return words


_OWNERS = words_of(
    "my our his her their a an mein meine meinen unser unsere unseren ein eine einen"
)


def _without_names(words: Sequence[str]) -> list[str]:
    """Return the words without those that are names here: "our hall", "only has an old phone"."""
    found: list[str] = []
    for word, after in zip(words, [*words[1:], ""], strict=True):
        hall = word == "hall" and found and found[-1] in ("our", "the", "a", "this", "church")
        only = word in ("only", "just") and after in _ACCEPTING
        if word not in _NAMES and not hall and not only:
            found.append(word)
    return found
