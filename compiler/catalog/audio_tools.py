"""The audio tools as data: parameters with units and ranges, what streams, what a file may be.

`flowc check` and a model's tool list know them from here without importing anything; the work is
done by runtime/audio, in a process of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ..ir import Effect

ParameterKind = Literal[
    "input", "inputs", "output", "pattern", "number", "integer", "numbers", "choice", "flag",
    "bands",
]  # fmt: skip


class _Required:
    """Stands for "no default"."""

    def __repr__(self) -> str:
        return "required"


REQUIRED = _Required()
MAX_BANDS = 16
MAX_INPUTS = 32
BAND_TYPES = ("peak", "low_shelf", "high_shelf")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument. `low` and `high` (in `unit`, both included) bound each number; a choice is one
    of `choices`; with `optional` None may be given as well."""

    name: str
    kind: ParameterKind
    about: str
    unit: str = ""
    low: float = 0.0
    high: float = 0.0
    default: Any = REQUIRED
    choices: tuple[Any, ...] = ()
    optional: bool = False


@dataclass(frozen=True, slots=True)
class AudioTool:
    """A tool. With `streams` it holds a few seconds of sound in memory whatever the length;
    files above `most_minutes` or with more than `most_channels` are refused by the tool's name."""

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    effect: Effect = "idempotent"
    streams: bool = True
    most_minutes: int = 240
    most_channels: int = 64

    def parameter(self, name: str) -> Parameter:
        """The parameter of that name, which there is."""
        return next(p for p in self.parameters if p.name == name)


def _number(
    name: str, unit: str, low: float, high: float, about: str, default: Any = REQUIRED
) -> Parameter:
    optional = default is None
    return Parameter(name, "number", about, unit, low, high, default, optional=optional)


def _choice(name: str, choices: tuple[Any, ...], about: str, default: Any, unit: str) -> Parameter:
    given = (about, unit, 0.0, 0.0, default, choices)
    return Parameter(name, "choice", *given, optional=default is None)


_INPUT = Parameter("input", "input", "the sound file that is read")
_OUTPUT = Parameter("output", "output", "the sound file that is written; its ending is the format")
_INPUTS = Parameter("inputs", "inputs", "the sound files, in order", low=1, high=MAX_INPUTS)
_IN_OUT = (_INPUT, _OUTPUT)
_CUTOFF = _number("cutoff_hz", "Hz", 10, 96_000, "where the level is down by 3 dB")
_SLOPE = _choice("slope", (6, 12, 24, 48), "steepness (Butterworth)", 12, "dB per octave")
_DBFS = "dBFS"
SUBTYPES = ("PCM_16", "PCM_24", "PCM_32", "FLOAT", "VORBIS", "OPUS", "MPEG_LAYER_III")

AUDIO_TOOLS: tuple[AudioTool, ...] = (
    AudioTool(
        "measure",
        "Measure a file: loudness, peaks, levels, silence, clipping, where the energy lies.",
        (_INPUT, _number("silence_dbfs", _DBFS, -120, 0, "below this, 20 ms are silent", -50)),
        effect="pure",
    ),
    AudioTool(
        "compare",
        "Measure two files and give the differences, b minus a.",
        (
            Parameter("a", "input", "the file before"),
            Parameter("b", "input", "the file after"),
            _number("silence_dbfs", _DBFS, -120, 0, "below this, 20 ms are silent", -50),
        ),
        effect="pure",
    ),
    AudioTool(
        "trim_silence",
        "Cut silence off the ends.",
        (
            *_IN_OUT,
            _number("threshold_dbfs", _DBFS, -120, 0, "below this, 20 ms are silent", -50),
            _number("keep_s", "s", 0, 10, "silence that is left", 0.05),
            _choice("edges", ("both", "start", "end"), "which ends", "both", ""),
        ),
    ),
    AudioTool(
        "clip",
        "Keep one section of a file.",
        (
            *_IN_OUT,
            _number("start_s", "s", 0, 14_400, "where it begins", 0),
            _number("end_s", "s", 0, 14_400, "where it ends; None for the end of the file", None),
        ),
    ),
    AudioTool(
        "split",
        "Cut a file at points into numbered files.",
        (
            _INPUT,
            Parameter("output_pattern", "pattern", "the files written, such as part-{n}.wav"),
            Parameter("points_s", "numbers", "where it is cut, ascending", "s", 0, 14_400),
        ),
    ),
    AudioTool(
        "concat",
        "One file after the other.",
        (_INPUTS, _OUTPUT, _number("crossfade_s", "s", 0, 30, "how far they overlap", 0)),
    ),
    AudioTool(
        "mix",
        "Several files at once. Levels add up: nothing is turned down.",
        (
            _INPUTS,
            _OUTPUT,
            Parameter("offsets_s", "numbers", "when each begins", "s", 0, 14_400, None, (), True),
            Parameter("gains_db", "numbers", "gain of each", "dB", -60, 40, None, (), True),
        ),
    ),
    AudioTool(
        "fade",
        "Fade in at the start, out at the end.",
        (
            *_IN_OUT,
            _number("in_s", "s", 0, 600, "length of the fade in", 0),
            _number("out_s", "s", 0, 600, "length of the fade out", 0),
            _choice("shape", ("equal_power", "linear"), "the curve", "equal_power", ""),
        ),
    ),
    AudioTool(
        "gain",
        "Make louder or quieter by a fixed amount.",
        (*_IN_OUT, _number("gain_db", "dB", -100, 60, "positive is louder")),
    ),
    AudioTool(
        "peak_norm",
        "Bring the highest sample to a level.",
        (*_IN_OUT, _number("target_dbfs", _DBFS, -60, 0, "the highest sample", -1)),
    ),
    AudioTool(
        "loudness_norm",
        "Bring the integrated loudness to a level; peaks above the maximum are limited.",
        (
            *_IN_OUT,
            _number("target_lufs", "LUFS", -40, -5, "integrated loudness", -16),
            _number("max_true_peak_dbtp", "dBTP", -20, 0, "no true peak is higher", -1),
        ),
    ),
    AudioTool("highpass", "Weaken what lies below a frequency.", (*_IN_OUT, _CUTOFF, _SLOPE)),
    AudioTool("lowpass", "Weaken what lies above a frequency.", (*_IN_OUT, _CUTOFF, _SLOPE)),
    AudioTool(
        "bandpass",
        "Keep what lies between two frequencies.",
        (
            *_IN_OUT,
            _number("low_hz", "Hz", 10, 96_000, "lower edge, down by 3 dB"),
            _number("high_hz", "Hz", 10, 96_000, "upper edge, down by 3 dB"),
            _SLOPE,
        ),
    ),
    AudioTool(
        "eq",
        "Raise or lower bands: [{type: peak | low_shelf | high_shelf, freq_hz, gain_db, q}].",
        (*_IN_OUT, Parameter("bands", "bands", "what is raised or lowered", "", 1, MAX_BANDS)),
    ),
    AudioTool(
        "compress",
        "Make what is loud quieter; each channel by itself.",
        (
            *_IN_OUT,
            _number("threshold_db", _DBFS, -80, 0, "where it begins", -20),
            _number("ratio", ":1", 1, 50, "3 means 3 dB in, 1 dB out", 3),
            _number("attack_ms", "ms", 0.01, 1000, "how fast it acts", 5),
            _number("release_ms", "ms", 1, 5000, "how fast it lets go", 100),
            _number("makeup_db", "dB", -40, 40, "gain afterwards", 0),
        ),
    ),
    AudioTool(
        "limit",
        "Hold true peaks below a ceiling.",
        (
            *_IN_OUT,
            _number("ceiling_dbtp", "dBTP", -40, 0, "no true peak is higher", -1),
            _number("release_ms", "ms", 1, 5000, "how fast it lets go", 100),
        ),
    ),
    AudioTool(
        "noise_gate",
        "Weaken what is quieter than a threshold; each channel by itself.",
        (
            *_IN_OUT,
            _number("threshold_db", _DBFS, -120, 0, "where it begins", -50),
            _number("ratio", ":1", 1, 50, "how much it weakens", 10),
            _number("attack_ms", "ms", 0.01, 1000, "how fast it opens", 1),
            _number("release_ms", "ms", 1, 5000, "how fast it closes", 100),
        ),
    ),
    AudioTool(
        "reverb",
        "Add reverberation (an algorithm, not the model of a room).",
        (
            *_IN_OUT,
            _number("room_size", "0 to 1", 0, 1, "how long it rings", 0.4),
            _number("wet_level", "0 to 1", 0, 1, "its share; the rest is the sound itself", 0.2),
            _number("damping", "0 to 1", 0, 1, "how soon high tones fade", 0.5),
            _number("tail_s", "s", 0, 30, "how much longer the file gets", 0),
        ),
        most_channels=2,
    ),
    AudioTool(
        "pitch_shift",
        "Higher or lower at the same speed.",
        (*_IN_OUT, _number("semitones", "semitones", -24, 24, "12 is an octave up")),
        streams=False,
        most_minutes=10,
        most_channels=8,
    ),
    AudioTool(
        "time_stretch",
        "Faster or slower at the same pitch.",
        (*_IN_OUT, _number("rate", "times", 0.25, 4, "1.25 is faster: 60 s become 48 s")),
        streams=False,
        most_minutes=10,
        most_channels=8,
    ),
    AudioTool(
        "add_noise",
        "Add noise at a distance from the signal; the same seed gives the same noise.",
        (
            *_IN_OUT,
            _number("snr_db", "dB", -40, 120, "signal above noise"),
            _choice("color", ("white", "pink", "brown"), "its spectrum", "white", ""),
            Parameter("seed", "integer", "which noise", "", 0, 2**32 - 1, 0),
        ),
    ),
    AudioTool(
        "convert",
        "Another sample rate, number of channels or sample format; the ending is the container.",
        (
            *_IN_OUT,
            Parameter("sample_rate_hz", "integer", "None keeps it", "Hz", 4000, 384_000, None,
                      optional=True),
            Parameter("channels", "integer", "1 or 2; None keeps them", "", 1, 2, None,
                      optional=True),
            _choice("subtype", SUBTYPES, "how samples are stored; None for the best usual", None,
                    ""),
            Parameter("dither", "flag", "noise of one step before 16 bits", default=True),
        ),
    ),
    AudioTool(
        "distort",
        "Overdrive: amplify, then bend (soft) or cut (hard) at full scale.",
        (
            *_IN_OUT,
            _number("drive_db", "dB", 0, 60, "gain before", 12),
            _choice("shape", ("soft", "hard"), "how it clips", "soft", ""),
        ),
    ),
    AudioTool(
        "shift",
        "Move the sound later or, negative, earlier; the length stays.",
        (
            *_IN_OUT,
            _number("offset_s", "s", -14_400, 14_400, "positive is later"),
            Parameter("wrap", "flag", "what falls off one end comes in at the other",
                      default=False),
        ),
    ),
    AudioTool("invert", "Turn the polarity round.", _IN_OUT),
    AudioTool(
        "synth",
        "Make a test signal: something like speech or music over a hum, silence at its ends.",
        (
            _OUTPUT,
            _choice("kind", ("speech", "music"), "what it is like", "speech", ""),
            _number("duration_s", "s", 4, 14_400, "how long it is, silence included", 10),
        ),
    ),
)  # fmt: skip


def schema_of(tool: AudioTool) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {p.name: _property(p) for p in tool.parameters},
        "required": [p.name for p in tool.parameters if p.default is REQUIRED],
        "additionalProperties": False,
    }


def _property(parameter: Parameter) -> dict[str, Any]:
    unit = f" ({parameter.unit})" if parameter.unit else ""
    about = parameter.about[:1].upper() + parameter.about[1:]
    schema = {"description": f"{about}{unit}.", **_typed(parameter)}
    if parameter.optional and "type" in schema:
        schema["type"] = [schema["type"], "null"]
    if parameter.default is not REQUIRED:
        schema["default"] = parameter.default
    return schema


def _typed(parameter: Parameter) -> dict[str, Any]:
    bounds = {"minimum": parameter.low, "maximum": parameter.high}
    match parameter.kind:
        case "input" | "output" | "pattern":
            return {"type": "string", "minLength": 1}
        case "inputs":
            return {"type": "array", "items": {"type": "string"}, "minItems": 1}
        case "number" | "integer":
            return {"type": parameter.kind, **bounds}
        case "numbers":
            return {"type": "array", "items": {"type": "number", **bounds}}
        case "choice":
            none = [None] if parameter.optional else []
            return {"enum": [*parameter.choices, *none]}
        case "flag":
            return {"type": "boolean"}
        case "bands":
            return {"type": "array", "items": _BAND, "minItems": 1, "maxItems": MAX_BANDS}


BAND_PARAMETERS: tuple[Parameter, ...] = (
    _choice("type", BAND_TYPES, "the form", REQUIRED, ""),
    _number("freq_hz", "Hz", 10, 96_000, "where it lies"),
    _number("gain_db", "dB", -40, 40, "positive raises"),
    _number("q", "", 0.1, 20, "how narrow", 0.7071),
)
"""What each element of `bands` may say."""
_BAND = {
    "type": "object",
    "properties": {p.name: _property(p) for p in BAND_PARAMETERS},
    "required": [p.name for p in BAND_PARAMETERS if p.default is REQUIRED],
    "additionalProperties": False,
}
