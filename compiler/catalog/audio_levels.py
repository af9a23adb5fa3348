"""The audio tools that set levels, filters and dynamics: one row each."""

from __future__ import annotations

from .audio_expectations import (
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
    AudioTool,
    Planning,
    ToolParameter,
    Wording,
    choice,
    number,
)

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
_LEVEL = "(volume|level|gain)"
_AT_MOST = "[of|at|to|below] [at most] {max_true_peak_dbtp}"
_PEAK = f"[[and|with|at|,] [a] [maximum] [true peak|peak|peaks] {_AT_MOST}]"
_PEAK_ALONE = f"(and|with|,) [a] [maximum] (true peak|peak|peaks) {_AT_MOST}"
LOW_EDGE, HIGH_EDGE = "the lower edge of the spectrum", "the upper edge of the spectrum"
"""What filters set."""


LEVELS: tuple[AudioTool, ...] = (
    AudioTool(
        "gain", "chains:gain",
        "Make louder or quieter by a fixed amount.",
        (*IN_OUT, number("gain_db", "dB", -100, 60, "positive is louder")),
        Planning((Wording("gain", "Change the level", "louder by 6 dB", (
            "[make it] louder [by] {+gain_db}",
            "[make it] (quieter|softer) [by] {-gain_db}",
            "make it {+gain_db} louder",
            "make it {-gain_db} (quieter|softer)",
            "turn it up [by] {+gain_db}",
            "turn it down [by] {-gain_db}",
            f"(raise|increase|boost|turn up) (it|[the] {_LEVEL}) [by] {{+gain_db}}",
            f"(lower|reduce|decrease|turn down) (it|[the] {_LEVEL}) [by] {{-gain_db}}",
            "[apply] [a] gain [of] {gain_db}",
        )),),
            changes_level=True, moves=("the gain", "gain_db", 0.0)),
        expects=expect_gain,
    ),
    AudioTool(
        "peak_norm", "chains:peak_norm",
        "Bring the highest sample to a level.",
        (*IN_OUT, number("target_dbfs", DBFS, -60, 0, "the highest sample", -1)),
        Planning((Wording("peak level", "Set the peak", "normalise the peak to -3 dBFS", (
            "(normalise|normalize) [the] (peak|peaks) to {target_dbfs}",
        ), order="sets level"),),
            changes_level=True, sets={"the peak": "target_dbfs"}),
        expects=expect_peak,
    ),
    AudioTool(
        "loudness_norm", "loudness:loudness_norm",
        "Bring the integrated loudness to a level; peaks above the maximum are limited.",
        (*IN_OUT,
         number("target_lufs", "LUFS", -40, -5, "integrated loudness", -16),
         number("max_true_peak_dbtp", "dBTP", -20, 0, "no true peak is higher", -1)),
        Planning((Wording("loudness", "Set the loudness", "normalise to -16 LUFS and -1 dBTP", (
            f"(normalise|normalize) IT [the|its] [loudness] to {{target_lufs}} {_PEAK}",
            # A level alone, "to -14 dB", may be meant as a loudness or as a peak.
            f"(normalise|normalize) IT [the|its] [loudness] [{_PEAK_ALONE}]",
            f"(bring|set) (it|the loudness|its loudness) to {{target_lufs}} {_PEAK}",
        ), "-16 LUFS, no true peak above -1 dBTP", "sets level"),),
            changes_level=True, sets={"the loudness": "target_lufs"}),
        expects=expect_loudness,
    ),
    AudioTool(
        "highpass", "plugins:highpass",
        "Weaken what lies below a frequency.",
        (*IN_OUT, _CUTOFF, _SLOPE),
        Planning((Wording("high-pass", "High-pass", "high-pass at 80 Hz", (
            "{slope=24} [apply] [a] (high-pass|highpass|high pass|low-cut|low cut) [filter] IT "
            "[at|above|from] {cutoff_hz} [with {slope} per octave]",
            "(remove|cut|reduce|filter out) [the] [low] rumble [(below|under) {cutoff_hz}] "
            "{cutoff_hz=80} {slope=24}",
            "{slope=24} (remove|cut|filter out) everything (below|under) {cutoff_hz}",
        ), "24 dB per octave; rumble lies below 80 Hz"),),
            changes_level=True, sets={LOW_EDGE: "cutoff_hz"}),
        expects=expect_highpass,
    ),
    AudioTool(
        "lowpass", "plugins:lowpass",
        "Weaken what lies above a frequency.",
        (*IN_OUT, _CUTOFF, _SLOPE),
        Planning((Wording("low-pass", "Low-pass", "low-pass at 8 kHz", (
            "{slope=24} [apply] [a] (low-pass|lowpass|low pass|high-cut|high cut) [filter] IT "
            "[at|below|from] {cutoff_hz} [with {slope} per octave]",
            "{slope=24} (remove|cut|reduce|filter out) [the] hiss above {cutoff_hz}",
            "{slope=24} (remove|cut|filter out) everything above {cutoff_hz}",
        ), "24 dB per octave"),),
            changes_level=True, sets={HIGH_EDGE: "cutoff_hz"}),
        expects=expect_lowpass,
    ),
    AudioTool(
        "bandpass", "plugins:bandpass",
        "Keep what lies between two frequencies.",
        (*IN_OUT,
         number("low_hz", "Hz", 10, 96_000, "lower edge, down by 3 dB"),
         number("high_hz", "Hz", 10, 96_000, "upper edge, down by 3 dB"),
         _SLOPE),
        Planning((Wording("band-pass", "Band-pass", "band-pass from 300 Hz to 3 kHz", (
            "{slope=24} [apply] [a] (band-pass|bandpass|band pass) [filter] [from|between] "
            "{low_hz} (to|and|-) {high_hz}",
        ), "24 dB per octave"),),
            changes_level=True, sets={LOW_EDGE: "low_hz", HIGH_EDGE: "high_hz"}),
        expects=expect_bandpass,
    ),
    AudioTool(
        "eq", "plugins:eq",
        "Raise or lower bands: [{type: peak | low_shelf | high_shelf, freq_hz, gain_db, q}].",
        (*IN_OUT, ToolParameter("bands", "bands", "what is raised or lowered", "", 1, MAX_BANDS)),
        "a list of bands does not fit into one phrase",
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
        Planning((Wording("compress", "Compress", "compress 3:1 at -20 dB", (
            "compress IT [by|with|at] [{ratio}] [(at|above|from) {threshold_db}] "
            "[with {attack_ms} attack] [with {makeup_db} [of] (makeup|make-up) [gain]]",
        ), "3:1 above -20 dBFS"),),
            changes_level=True,
            sets={"the ratio": "ratio", "the threshold of the compressor": "threshold_db"}),
        expects=expect_compress,
    ),
    AudioTool(
        "limit", "loudness:limit",
        "Hold true peaks below a ceiling.",
        (*IN_OUT,
         number("ceiling_dbtp", "dBTP", -40, 0, "no true peak is higher", -1),
         number("release_ms", "ms", 1, 5000, "how fast it lets go", 100)),
        Planning((Wording("limit", "Limit", "limit peaks to -1 dBTP", (
            "limit IT [the] [peaks|true peaks] [to|at] [{ceiling_dbtp}]",
        ), "-1 dBTP", "sets level"),),
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
        Planning((Wording("noise gate", "Gate the noise", "noise gate at -50 dB", (
            "[apply] [a] (gate|noise-gate|noise gate) [the noise] [at|below] [{threshold_db}]",
        ), "-50 dBFS, 10:1"),),
            changes_level=True, sets={"the threshold of the gate": "threshold_db"}),
        expects=expect_gate,
    ),
)  # fmt: skip
