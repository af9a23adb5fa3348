"""What the offline rules require of a step or of the result: the predicates that QA measures.

Each tool's expectation follows from its arguments: louder by 6 dB is a mean level that is 6 dB
higher. Most are held against the step that the tool does: later steps change the sound again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..audio.calls.containers import CONTAINERS, a_file

Json = dict[str, Any]
Arguments = Mapping[str, Any]
_EDGES_HZ = (20, 40, 80, 160, 320, 640, 1250, 2500, 5000, 10_000, 20_000)
_FAR = 1.5
"""How far an edge of the spectrum lies from a cutoff: with 24 dB per octave 14 dB down."""
_DOWN_DB = {6: 3.0, 12: 6.0, 24: 12.0, 48: 24.0}
CHANGES_LEVEL = frozenset(
    {
        "highpass", "lowpass", "bandpass", "noise_gate", "compress", "loudness_norm", "peak_norm",
        "limit", "pitch_shift", "time_stretch", "gain", "reverb", "distort",
    }
)  # fmt: skip
"""Tools after which a level that was set before need not hold any more."""


def expected(tool: str, arguments: Arguments) -> list[Json]:
    """The predicates of one call, without their subject; `arguments` hold the tool's defaults."""
    return _EXPECTED[tool](arguments)


def always(format_name: str, tools: list[str]) -> list[Json]:
    """What holds for every result."""
    container = CONTAINERS[format_name].name
    found = [_check("format", "==", container, f"The result is {a_file(format_name)}")]
    if "distort" not in tools:
        found.append(_check("clipped_runs_added", "<=", 0, "No clipping is added"))
    return found


def _check(metric: str, op: str, value: Any, text: str, tolerance: float | None = None) -> Json:
    found: Json = {"metric": metric, "op": op, "value": value, "text": text}
    return found if tolerance is None else {**found, "tolerance": tolerance}


def _trim(a: Arguments) -> list[Json]:
    keep, at = a["keep_s"], f"({a['threshold_dbfs']:g})"
    found = []
    if a["edges"] in ("both", "start"):
        found.append(_check(f"leading_silence_s{at}", "<=", keep, "Silence at the start is cut"))
    if a["edges"] in ("both", "end"):
        found.append(_check(f"trailing_silence_s{at}", "<=", keep, "Silence at the end is cut"))
    return found


def _clip(a: Arguments) -> list[Json]:
    if a["end_s"] is None:
        return [_check("duration_change_s", "==", -a["start_s"], "The section begins later")]
    return [_check("duration_s", "==", a["end_s"] - a["start_s"], "The length of the section")]


def _low_edge(cutoff: float) -> int | None:
    return max((hz for hz in _EDGES_HZ if hz * _FAR <= cutoff), default=None)


def _high_edge(cutoff: float) -> int | None:
    return min((hz for hz in _EDGES_HZ if hz >= cutoff * _FAR), default=None)


def _highpass(a: Arguments) -> list[Json]:
    return _weaker("below", _low_edge(a["cutoff_hz"]), a["slope"])


def _lowpass(a: Arguments) -> list[Json]:
    return _weaker("above", _high_edge(a["cutoff_hz"]), a["slope"])


def _bandpass(a: Arguments) -> list[Json]:
    low, high = _low_edge(a["low_hz"]), _high_edge(a["high_hz"])
    return [*_weaker("below", low, a["slope"]), *_weaker("above", high, a["slope"])]


def _weaker(side: str, hz: int | None, slope: int) -> list[Json]:
    if hz is None:
        return [_check("samples_changed", "==", True, "The filter changes the sound")]
    text = f"Energy {side} {hz} Hz is weaker"
    return [_check(f"energy_{side}_change_db({hz})", "<=", -_DOWN_DB[slope], text, 0.0)]


def _gate(a: Arguments) -> list[Json]:
    return [_check("noise_floor_change_db", "<=", 0, "The quietest parts get no louder", 0.1)]


def _compress(a: Arguments) -> list[Json]:
    return [_check("rms_change_db", "<=", a["makeup_db"], "What is loud gets no louder")]


def _loudness(a: Arguments) -> list[Json]:
    target, most = a["target_lufs"], a["max_true_peak_dbtp"]
    return [
        _check("integrated_lufs", "==", target, f"Loudness of {target:g} LUFS"),
        _check("true_peak_dbtp", "<=", most, f"No true peak above {most:g} dBTP"),
    ]


def _peak(a: Arguments) -> list[Json]:
    return [_check("sample_peak_dbfs", "==", a["target_dbfs"], "The highest sample")]


def _limit(a: Arguments) -> list[Json]:
    most = a["ceiling_dbtp"]
    return [_check("true_peak_dbtp", "<=", most, f"No true peak above {most:g} dBTP")]


def _fade(a: Arguments) -> list[Json]:
    return [
        _check("rms_change_db", "<=", 0, "A fade makes nothing louder"),
        _check("duration_change_s", "==", 0, "A fade keeps the length"),
    ]


def _pitch(a: Arguments) -> list[Json]:
    shift = a["semitones"]
    return [
        _check("pitch_change_semitones", "==", shift, f"Pitch moved by {shift:g} semitones"),
        _check("duration_ratio", "==", 1, "The length stays"),
    ]


def _speed(a: Arguments) -> list[Json]:
    return [
        _check("duration_ratio", "==", round(1 / a["rate"], 6), f"Speed times {a['rate']:g}"),
        _check("pitch_change_semitones", "==", 0, "The pitch stays"),
    ]


def _gain(a: Arguments) -> list[Json]:
    gain = a["gain_db"]
    return [_check("rms_change_db", "==", gain, f"Level changed by {gain:g} dB")]


def _reverb(a: Arguments) -> list[Json]:
    return [
        _check("samples_changed", "==", True, "Reverb is added"),
        _check("noise_floor_change_db", ">=", 0, "Pauses are filled, not emptied"),
    ]


def _distort(a: Arguments) -> list[Json]:
    return [_check("samples_changed", "==", True, "The sound is distorted")]


def _invert(a: Arguments) -> list[Json]:
    return [
        _check("samples_changed", "==", True, "The polarity is turned"),
        _check("rms_change_db", "==", 0, "The level stays"),
    ]


def _convert(a: Arguments) -> list[Json]:
    found = []
    if a["channels"] is not None:
        found.append(_check("channels", "==", a["channels"], "The number of channels"))
    if a["sample_rate_hz"] is not None:
        found.append(_check("sample_rate_hz", "==", a["sample_rate_hz"], "The sample rate"))
    if a["subtype"] is not None:
        found.append(_check("subtype", "==", a["subtype"], "The sample format"))
    return found


_EXPECTED: dict[str, Callable[[Arguments], list[Json]]] = {
    "trim_silence": _trim,
    "clip": _clip,
    "highpass": _highpass,
    "lowpass": _lowpass,
    "bandpass": _bandpass,
    "noise_gate": _gate,
    "compress": _compress,
    "loudness_norm": _loudness,
    "peak_norm": _peak,
    "limit": _limit,
    "fade": _fade,
    "pitch_shift": _pitch,
    "time_stretch": _speed,
    "gain": _gain,
    "reverb": _reverb,
    "distort": _distort,
    "invert": _invert,
    "convert": _convert,
}
