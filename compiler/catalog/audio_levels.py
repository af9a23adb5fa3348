"""The audio tools that set levels, filters and dynamics: one row each."""

from __future__ import annotations

from .audio_expectations import (
    MUTE_DB,
    expect_bandpass,
    expect_compress,
    expect_eq,
    expect_gain,
    expect_gate,
    expect_highpass,
    expect_limit,
    expect_loudness,
    expect_lowpass,
    expect_peak,
)
from .audio_model import (
    DBFS,
    IN_OUT,
    MAX_BANDS,
    SECTION,
    AudioTool,
    Json,
    Planning,
    ToolParameter,
    Wording,
    choice,
    number,
    section_arguments,
)
from .audio_phrases import PHRASES

_CUTOFF = number("cutoff_hz", "Hz", 10, 96_000, "where the level is down by 3 dB")
_SLOPE = choice("slope", (6, 12, 24, 48), "steepness (Butterworth)", 12, "dB per octave")
_LINK = number(
    "link_percent",
    "%",
    0,
    100,
    "how far channels move together: below 100 the image moves",
    100,
)
LOW_EDGE, HIGH_EDGE = "the lower edge of the spectrum", "the upper edge of the spectrum"
"""What filters set."""


def _one_band(said: Json) -> Json:
    """Return the arguments for one band."""
    return {"bands": [said]}


LEVELS: tuple[AudioTool, ...] = (
    AudioTool(
        "gain", "chains:gain",
        "Make all of it, or one section, louder or quieter by a fixed amount; -100 dB mutes it.",
        (*IN_OUT,
         number("gain_db", "dB", MUTE_DB, 60, "positive is louder"),
         *SECTION,
         number("soften_ms", "ms", 0, 1000, "how fast the level moves at the ends of a section",
                10)),
        Planning((Wording("gain", "Change the level", "louder by 6 dB", PHRASES["gain"]),
                  Wording("mute", "Mute a section", "mute from 0:05 to 0:08", PHRASES["mute"])),
            changes_level=True, moves=("the gain", "gain_db", 0.0), builds=section_arguments),
        expects=expect_gain,
    ),
    AudioTool(
        "peak_norm", "loudness:peak_norm",
        "Bring the highest sample to a level.",
        (*IN_OUT, number("target_dbfs", DBFS, -60, 0, "the highest sample", -1)),
        Planning((Wording("peak level", "Set the peak", "normalise the peak to -3 dBFS",
                          PHRASES["peak level"], order="sets level"),),
            changes_level=True, sets={"the peak": "target_dbfs"}),
        expects=expect_peak,
    ),
    AudioTool(
        "loudness_norm", "loudness:loudness_norm",
        "Bring the integrated loudness to a level; peaks above the maximum are limited.",
        (*IN_OUT,
         number("target_lufs", "LUFS", -40, -5, "integrated loudness", -16),
         number("max_true_peak_dbtp", "dBTP", -20, 0, "no true peak is higher", -1)),
        Planning((Wording("loudness", "Set the loudness", "normalise to -16 LUFS and -1 dBTP",
                          PHRASES["loudness"],
                          "-16 LUFS, no true peak above -1 dBTP", "sets level"),),
            changes_level=True, sets={"the loudness": "target_lufs"}),
        expects=expect_loudness,
    ),
    AudioTool(
        "highpass", "filters:highpass",
        "Weaken what lies below a frequency.",
        (*IN_OUT, _CUTOFF, _SLOPE),
        Planning((Wording("high-pass", "High-pass", "high-pass at 80 Hz",
                          PHRASES["high-pass"], "24 dB per octave; rumble lies below 80 Hz"),),
            changes_level=True, sets={LOW_EDGE: "cutoff_hz"}),
        expects=expect_highpass,
    ),
    AudioTool(
        "lowpass", "filters:lowpass",
        "Weaken what lies above a frequency.",
        (*IN_OUT, _CUTOFF, _SLOPE),
        Planning((Wording("low-pass", "Low-pass", "low-pass at 8 kHz",
                          PHRASES["low-pass"], "24 dB per octave"),),
            changes_level=True, sets={HIGH_EDGE: "cutoff_hz"}),
        expects=expect_lowpass,
    ),
    AudioTool(
        "bandpass", "filters:bandpass",
        "Keep what lies between two frequencies.",
        (*IN_OUT,
         number("low_hz", "Hz", 10, 96_000, "lower edge, down by 3 dB"),
         number("high_hz", "Hz", 10, 96_000, "upper edge, down by 3 dB"),
         _SLOPE),
        Planning((Wording("band-pass", "Band-pass", "band-pass from 300 Hz to 3 kHz",
                          PHRASES["band-pass"], "24 dB per octave"),),
            changes_level=True, sets={LOW_EDGE: "low_hz", HIGH_EDGE: "high_hz"}),
        expects=expect_bandpass,
    ),
    AudioTool(
        "eq", "filters:eq",
        "Raise or lower bands: [{type: peak | low_shelf | high_shelf, freq_hz, gain_db, q}].",
        (*IN_OUT, ToolParameter("bands", "bands", "what is raised or lowered", "", 1, MAX_BANDS)),
        Planning((Wording("equaliser", "Equalise", "boost 3 kHz by 4 dB", PHRASES["equaliser"],
                          "one band; bass below 120 Hz, treble above 6 kHz; narrow is a Q "
                          "of 4"),),
            changes_level=True, builds=_one_band),
        expects=expect_eq,
    ),
    AudioTool(
        "compress", "plugins:compress",
        "Make what is loud quieter; all channels by the same gain.",
        (*IN_OUT,
         number("threshold_db", DBFS, -80, 0, "where it begins", -20),
         number("ratio", ":1", 1, 50, "3 means 3 dB in, 1 dB out", 3),
         number("attack_ms", "ms", 0.01, 1000, "how fast it acts", 5),
         number("release_ms", "ms", 1, 5000, "how fast it lets go", 100),
         number("makeup_db", "dB", -40, 40, "gain afterwards", 0),
         _LINK),
        Planning((Wording("compress", "Compress", "compress 3:1 at -20 dB",
                          PHRASES["compress"], "3:1 above -20 dBFS"),),
            changes_level=True,
            sets={"the ratio": "ratio", "the threshold of the compressor": "threshold_db"}),
        expects=expect_compress,
    ),
    AudioTool(
        "limit", "loudness:limit",
        "Hold true peaks below a ceiling.",
        (*IN_OUT,
         number("ceiling_dbtp", "dBTP", -40, 0, "no true peak is higher", -1),
         number("release_ms", "ms", 1, 5000, "how fast it lets go", 100),
         number("lookahead_ms", "ms", 0.1, 20, "how long before a peak it begins", 5)),
        Planning((Wording("limit", "Limit", "limit peaks to -1 dBTP",
                          PHRASES["limit"], "-1 dBTP", "sets level"),),
            changes_level=True, sets={"the highest true peak": "ceiling_dbtp"}),
        expects=expect_limit,
    ),
    AudioTool(
        "noise_gate", "plugins:noise_gate",
        "Weaken what is quieter than a threshold; all channels by the same gain.",
        (*IN_OUT,
         number("threshold_db", DBFS, -120, 0, "where it begins", -50),
         number("ratio", ":1", 1, 50, "how much it weakens", 10),
         number("attack_ms", "ms", 0.01, 1000, "how fast it opens", 1),
         number("release_ms", "ms", 1, 5000, "how fast it closes", 100),
         _LINK),
        Planning((Wording("noise gate", "Gate the noise", "noise gate at -50 dB",
                          PHRASES["noise gate"], "-50 dBFS, 10:1"),),
            changes_level=True, sets={"the threshold of the gate": "threshold_db"}),
        expects=expect_gate,
    ),
)  # fmt: skip
