"""The audio tools that repair: one row each, with what is measured after a call."""

from __future__ import annotations

from .audio_expectations import expect_dehum, measure_text
from .audio_model import (
    DBFS,
    IN_OUT,
    Arguments,
    AudioTool,
    Json,
    Planning,
    ToolParameter,
    Wording,
    number,
    predicate,
)
from .audio_phrases import PHRASES

_PAUSE = number("threshold_dbfs", DBFS, -120, 0, "below this, 20 ms are a pause", -45)
_SOFTEN = number("soften_ms", "ms", 0, 1000, "how long a crossfade there is at a joint", 10)
_MOST_PARTS = 100


def _expect_denoise(a: Arguments) -> list[Json]:
    """The quietest frames are down by what was asked for, the loudest stay."""
    down = a["reduction_db"]
    within = max(1.0, round(0.25 * down, 2))
    return [
        predicate("quiet_frames_gain_db", "==", -down, f"Noise is weaker by {down:g} dB", within),
        predicate("loud_frames_gain_db", "==", 0, "What is loud stays", 1.0),
    ]


def _expect_declick(a: Arguments) -> list[Json]:
    """Clicks are gone, and little else is touched."""
    return [
        predicate("clicks_share", "<=", 0.25, "Three of four clicks are gone"),
        predicate("changed_share", "<=", 0.1, "Nine tenths of the sound stay as they were"),
    ]


def _expect_deess(a: Arguments) -> list[Json]:
    """The gain of the upper band follows the law of the de-esser."""
    misfit = measure_text("deess_misfit_db", a["freq_hz"], a["threshold_db"], a["most_db"])
    text = f"Sharp sounds above {a['freq_hz']:g} Hz are weaker by up to {a['most_db']:g} dB"
    return [predicate(misfit, "<=", 1, text)]


def _expect_pauses(a: Arguments) -> list[Json]:
    """As much is gone as pauses had too much."""
    misfit = measure_text("pauses_misfit_s", a["threshold_dbfs"], a["longest_s"])
    return [predicate(misfit, "<=", 0.05, f"No pause is longer than {a['longest_s']:g} s")]


def _expect_parts(a: Arguments) -> list[Json]:
    """The first part ends in the middle of the first pause."""
    misfit = measure_text("first_part_misfit_db", a["threshold_dbfs"], a["least_s"])
    return [predicate(misfit, "<=", -10, f"It is cut at pauses longer than {a['least_s']:g} s")]


def _expect_leveller(a: Arguments) -> list[Json]:
    """The gain follows the law of the leveller."""
    misfit = measure_text("leveller_misfit_db", a["window_s"], a["most_db"])
    text = f"Levels come together, by up to {a['most_db']:g} dB"
    return [predicate(misfit, "<=", 0.5, text)]


RESTORATION: tuple[AudioTool, ...] = (
    AudioTool(
        "dehum", "notches:dehum",
        "Take a hum out: narrow notches at its frequency and the multiples of it.",
        (*IN_OUT,
         number("hz", "Hz", 20, 400, "the hum: that of mains is 50 or 60", 50),
         ToolParameter("harmonics", "integer", "how many notches, the first among them", "", 1, 16,
                       4),
         number("depth_db", "dB", 1, 40, "how much each takes away", 24),
         number("width_hz", "Hz", 1, 20, "how wide each is at half of its depth", 2.5)),
        Planning((Wording("hum", "Remove the hum", "remove the 50 Hz hum", PHRASES["hum"],
                          "50 Hz and its first 4 multiples, 24 dB"),),
            changes_level=True, sets={"the hum": "hz"}),
        expects=expect_dehum,
    ),
    AudioTool(
        "denoise", "spectral:denoise",
        "Weaken steady noise (hiss, fans): learnt from the quietest frames, or from a section.",
        (*IN_OUT,
         number("reduction_db", "dB", 1, 40, "how much noise is weakened", 12),
         number("noise_start_s", "s", 0, 14_400, "where there is only noise; None finds it", None),
         number("noise_end_s", "s", 0, 14_400, "until where", None)),
        Planning((Wording("noise", "Reduce the noise", "reduce the noise by 12 dB",
                          PHRASES["noise"], "12 dB, noise as in the quietest frames"),),
            changes_level=True, sets={"the noise reduction": "reduction_db"}),
        expects=_expect_denoise, most_channels=8,
    ),
    AudioTool(
        "declick", "clicks:declick",
        "Take clicks and crackle out; what stands there is filled from what is around it.",
        (*IN_OUT,
         number("times", "times", 6, 200, "how far above what is usual a click stands out", 30),
         number("most_ms", "ms", 0.1, 10, "how long a click is at most", 3)),
        Planning((Wording("clicks", "Remove the clicks", "remove the clicks", PHRASES["clicks"],
                          "up to 3 ms long"),), changes_level=True),
        expects=_expect_declick, most_channels=8,
    ),
    AudioTool(
        "deess", "spectral:deess",
        "Weaken sharp s sounds: only a band, only while it is strong there.",
        (*IN_OUT,
         number("freq_hz", "Hz", 2000, 16_000, "where the band begins", 5000),
         number("threshold_db", "dB", -40, 10, "its level beside that of the voice", -15),
         number("most_db", "dB", 1, 30, "how much it is weakened at most", 8)),
        Planning((Wording("de-ess", "De-ess", "de-ess by 8 dB", PHRASES["de-ess"],
                          "above 5 kHz, by up to 8 dB"),),
            changes_level=True, sets={"the de-esser": "most_db"}),
        expects=_expect_deess, most_channels=8,
    ),
    AudioTool(
        "shorten_pauses", "cutting:shorten_pauses",
        "Cut pauses that are too long down to a length; pauses at the ends stay.",
        (*IN_OUT,
         number("longest_s", "s", 0.1, 60, "what is left of a longer pause", 0.8),
         _PAUSE, _SOFTEN),
        Planning((Wording("pauses", "Shorten the pauses", "shorten pauses to 0.8 s",
                          PHRASES["pauses"], "0.8 s, below -45 dBFS"),),
            sets={"the longest pause": "longest_s"}),
        expects=_expect_pauses,
    ),
    AudioTool(
        "split_silence", "cutting:split_silence",
        "Cut into files in the middle of pauses: NAME.wav, NAME-2.wav and so on.",
        (*IN_OUT,
         number("least_s", "s", 0.1, 60, "how long a pause is at least", 1),
         _PAUSE),
        Planning((Wording("split", "Split at pauses", "split at pauses of 1 s", PHRASES["split"],
                          "pauses of more than 1 s below -45 dBFS", "parts"),),
            sets={"the pause to split at": "least_s"}),
        expects=_expect_parts, most_parts=_MOST_PARTS,
    ),
    AudioTool(
        "leveller", "leveller:leveller",
        "Bring quiet and loud stretches together, slowly, as a hand on the fader does.",
        (*IN_OUT,
         number("most_db", "dB", 1, 30, "how much it raises or lowers at most", 10),
         number("window_s", "s", 0.5, 30, "how long a stretch is", 3)),
        Planning((Wording("leveller", "Even out the levels", "even out the levels",
                          PHRASES["leveller"], "by up to 10 dB, over 3 s"),),
            changes_level=True, sets={"the range of the leveller": "most_db"}),
        expects=_expect_leveller,
    ),
)  # fmt: skip
