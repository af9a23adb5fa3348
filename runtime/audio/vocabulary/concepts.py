"""CONCEPTS: words for what people want, each with what there is that comes nearest to it.

A request that no phrase fits is refused; the refusal names the nearest thing that exists. The first
row with one of the words, or of their senses in capitals, decides, so what is special stands before
what is general.
"""

from __future__ import annotations

from collections.abc import Sequence

from .sentences import senses_of

NOTHING = "nothing"
"""Stands where nothing comes near to what is wanted."""

CONCEPTS: tuple[tuple[str, str], ...] = (
    ("tune minor major tonart moll dur", "lower the pitch by 3 semitones"),
    ("reverse backwards rückwärts swap vertausche detect erkenne transcribe transkribiere "
     "subtitles untertitel vocals isolate autotune twice zweimal loop translate übersetze "
     "surround duck email upload vertauschen tauschen tausche send generate picture", NOTHING),
    ("title titel artist interpret künstler album genre tag tags metadata metadaten cover",
     "flowc audio apply 'TAG(…)'"),
    ("DENOISE microphone mikrofon mikro rustles rustling raschelt", "reduce the noise by 12 dB"),
    ("HIGHPASS", "high-pass at 80 Hz"), ("LOWPASS", "low-pass at 12 kHz"),
    ("REVERB", "add a little reverb"), ("COMPRESS", "compress 3:1 at -20 dB"),
    ("octave octaves oktave semitone semitones halbton halbtöne PITCH",
     "lower the pitch by 3 semitones"),
    ("coughs cough hustet husten boring verse strophe mistake versprecher swearing beep bleep "
     "censor replace gehustet mute muted stummschalten",
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
    ("fade blende einblenden ausblenden", "fade in 0.5 s and out 2 s"),
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
