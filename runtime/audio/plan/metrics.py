"""METRICS: what requirements on sound may speak of, each computed from measurements of the files.

A metric is a number of the file after, or says how it differs from the file before. One that has
no number says why: such a requirement is not measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Measurement = Mapping[str, Any]
THRESHOLD = -50.0
"""dBFS below which 20 ms count as silent, unless a metric says another one."""
_ABOVE_DB = 0.1
"""dBFS; from here on a peak lies above full scale."""
FILE = "FILE"
"""What a metric names in its parentheses where a file belongs."""
GONE_DB = -60.0
"""A band this far below the rest counts as gone."""


class Missing(NamedTuple):
    """No number, and why."""

    why: str


Measured = float | str | bool | Missing
Numbers = tuple[float, ...]
Said = tuple[float | str, ...]
"""What a metric takes in parentheses: numbers, and texts as addresses spell them."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The file before and the file after, each measured with the silence thresholds asked for;
    `effects` are measures of both together, by the metric as it is written: a number, or why there
    is none."""

    before: Mapping[float, Measurement]
    after: Mapping[float, Measurement]
    effects: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric. `at` names the numbers that it takes in parentheses, which may be left out when
    `free`; `each` names what follows them as often as one likes, a text where it has capitals;
    `tolerance` holds when a requirement says none; `both` says that the file before is needed; with
    `effect` a measure of both files together is. `parts` are those of a measurement that it is
    computed from; without one the header is enough."""

    name: str
    about: str
    unit: str
    compute: Callable[[Pair, Numbers], Measured]
    tolerance: float = 0.0
    kind: Literal["number", "text", "flag"] = "number"
    at: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    free: bool = False
    both: bool = False
    effect: bool = False
    parts: tuple[str, ...] = ("levels",)

    def spell(self, at: Said) -> str:
        """Return the metric with what is said in its parentheses: `fade_misfit_db(0,3)`."""
        said = [one if isinstance(one, str) else f"{one:.10g}" for one in at]
        return f"{self.name}({','.join(said)})" if at else self.name

    @property
    def form(self) -> str:
        """Return how it is written in general: `fade_misfit_db(in_s,out_s)`."""
        names = [*self.at, *self.each, *(["…"] if self.each else [])]
        return f"{self.name}({','.join(names)})" if names else self.name

    def value(self, pair: Pair, at: Said) -> Measured:
        """Return the number, text or truth value; `Missing` when there is none."""
        if self.effect:
            value = pair.effects.get(self.spell(at), "it was not measured")
            result: Measured = Missing(value) if isinstance(value, str) else value
        else:
            result = self.compute(pair, tuple(one for one in at if not isinstance(one, str)))
        if isinstance(result, float) and not math.isfinite(result):
            return Missing("no finite number came out")
        return result


def _after(pair: Pair) -> Measurement:
    return max(pair.after.values(), key=len)


def _before(pair: Pair) -> Measurement:
    return max(pair.before.values(), key=len)


def _of(key: str) -> Callable[[Pair, Numbers], Measured]:
    """Return a number of the file after."""

    def compute(pair: Pair, at: Numbers) -> Measured:
        return _number(_after(pair), key)

    return compute


def _number(numbers: Measurement, key: str) -> Measured:
    value = numbers[key]
    if value is None and numbers.get("silent") and not key.endswith(("_lufs", "_lu")):
        return Missing("all of it is silence")
    if value is None:
        why = "; ".join(numbers["notes"]) or f"the file has no `{key}`"
        return Missing(why)
    return value if isinstance(value, str | bool) else float(value)


def _change(key: str) -> Callable[[Pair, Numbers], Measured]:
    """Return how much higher a number is after than before."""

    def compute(pair: Pair, at: Numbers) -> Measured:
        after, before = _number(_after(pair), key), _number(_before(pair), key)
        if isinstance(after, float) and isinstance(before, float):
            return after - before
        why = before.why if isinstance(before, Missing) else "no number"
        return after if isinstance(after, Missing) else Missing(f"before: {why}")

    return compute


def _floor_change(pair: Pair, at: Numbers) -> Measured:
    """Return how much higher the noise floor is. That of digital silence lies below all others."""
    after, before = (m["noise_floor_dbfs"] for m in (_after(pair), _before(pair)))
    if after is None and before is None:
        return 0.0
    if after is None or before is None:
        return GONE_DB if after is None else -GONE_DB
    return float(after - before)


def _clipped_added(pair: Pair, at: Numbers) -> Measured:
    """Return how many more places are cut. What lay above full scale before, as floating-point
    samples can, was not cut there yet."""
    after, before = _after(pair), _before(pair)
    peaks = [m["sample_peak_dbfs"] or 0.0 for m in (before, after)]
    was_cut = peaks[0] > _ABOVE_DB >= peaks[1]
    return float(after["clipped_runs"] - (0 if was_cut else before["clipped_runs"]))


def _silence(key: str) -> Callable[[Pair, Numbers], Measured]:
    def compute(pair: Pair, at: Numbers) -> Measured:
        numbers = pair.after[at[0] if at else THRESHOLD]
        return Missing("all of it is silence") if numbers["silent"] else float(numbers[key])

    return compute


def _ratio(pair: Pair, at: Numbers) -> Measured:
    return float(_after(pair)["duration_s"] / _before(pair)["duration_s"])


def _is_changed(pair: Pair, at: Numbers) -> Measured:
    return bool(_after(pair)["pcm_sha256"] != _before(pair)["pcm_sha256"])


def _dc(pair: Pair, at: Numbers) -> Measured:
    return max(abs(float(value)) for value in _after(pair)["dc_offset"])


def _below(pair: Pair, at: Numbers) -> Measured:
    """Return the energy below a frequency beside that above four times the frequency, which the
    filter that is judged leaves alone: a later gain changes both."""
    return _beside(pair, at[0], lambda m: (_share(m, at[0]), 1 - _share(m, 4 * at[0])))


def _above(pair: Pair, at: Numbers) -> Measured:
    """Return the energy above a frequency beside that below a quarter of it."""
    return _beside(pair, at[0], lambda m: (1 - _share(m, at[0]), _share(m, at[0] / 4)))


def _left(key: str) -> Callable[[Pair, Numbers], Measured]:
    """Return how much more silence is left than was to be kept, or than there was."""

    def compute(pair: Pair, at: Numbers) -> Measured:
        threshold, keep = at
        before, after = pair.before[threshold], pair.after[threshold]
        if after["silent"] or before["silent"]:
            return Missing("all of it is silence")
        return float(after[key] - min(before[key], keep))

    return compute


def _cut_off(pair: Pair, at: Numbers) -> Measured:
    """Return by how much more was cut off than the silence at the ends that was not to be kept."""
    threshold, keep, *ends = at
    before, after = pair.before[threshold], pair.after[threshold]
    if before["silent"]:
        return Missing("all of it is silence")
    silence = (before["leading_silence_s"], before["trailing_silence_s"])
    wanted = sum(max(one - keep, 0.0) for one, cut in zip(silence, ends, strict=True) if cut)
    return float(before["duration_s"] - after["duration_s"] - wanted)


def _overshoot(pair: Pair, at: Numbers) -> Measured:
    """Return how far the true peak lies above a ceiling, or above where it was below that."""
    before, after = (_number(m, "true_peak_dbtp") for m in (_before(pair), _after(pair)))
    if isinstance(before, float) and isinstance(after, float):
        return after - min(before, at[0])
    return Missing("all of it is silence")


def _over(pair: Pair, at: Numbers) -> Measured:
    """Return how far the true peak lies above full scale, where it did not before."""
    before, after = (_number(m, "true_peak_dbtp") for m in (_before(pair), _after(pair)))
    if isinstance(before, float) and isinstance(after, float):
        return max(after, 0.0) - max(before, 0.0)
    return 0.0


def _beside(
    pair: Pair, hz: float, shares: Callable[[Measurement], tuple[float, float]]
) -> Measured:
    levels = []
    for numbers in (_before(pair), _after(pair)):
        if not any(band["hz"] == hz for band in numbers["energy_below"]):
            edges = ", ".join(str(band["hz"]) for band in numbers["energy_below"])
            return Missing(f"energy is measured below {edges} Hz")
        if numbers["rms_dbfs"] is None:
            return Missing("all of it is silence")
        part, rest = shares(numbers)
        if rest < 1e-6:
            return Missing("there is nothing else in the file to compare with")
        levels.append(10 * math.log10(max(part, 1e-12) / rest))
    before, after = levels
    return min(after - before, GONE_DB) if after <= GONE_DB else after - before


def _share(numbers: Measurement, hz: float) -> float:
    """Return the share of the energy below a frequency; between the measured edges that of the
    nearest one below."""
    known = [band for band in numbers["energy_below"] if band["hz"] <= hz + 0.5]
    return float(known[-1]["share"]) if known else 0.0


def _effect(
    name: str,
    about: str,
    unit: str,
    tolerance: float = 0.0,
    at: tuple[str, ...] = (),
    each: tuple[str, ...] = (),
) -> Metric:
    """Return a metric that `flowc.runtime.audio.meters.effects` measures."""
    return Metric(
        name, about, unit, _is_changed, tolerance, at=at, each=each, both=True, effect=True,
        parts=(),
    )  # fmt: skip


_DB = "dB"
_HEADER: tuple[str, ...] = ()
_LOUDNESS, _SPECTRUM = ("loudness",), ("spectrum",)
_OFF = "0 is as asked for; how far"
_DETECTOR = ("threshold_db", "ratio", "attack_ms", "release_ms")
_LIST: tuple[Metric, ...] = (
    Metric("integrated_lufs", "loudness by BS.1770", "LUFS", _of("integrated_lufs"), 0.5,
           parts=_LOUDNESS),
    Metric("true_peak_dbtp", "the highest value between samples", "dBTP",
           _of("true_peak_dbtp"), 0.1, parts=_LOUDNESS),
    Metric("sample_peak_dbfs", "the highest sample", "dBFS", _of("sample_peak_dbfs"), 0.1),
    Metric("rms_dbfs", "the mean level", "dBFS", _of("rms_dbfs"), 0.5),
    Metric("range_lu", "the loudness range", "LU", _of("range_lu"), 0.5, parts=_LOUDNESS),
    Metric("noise_floor_dbfs", "an estimate: the quietest frames", "dBFS",
           _of("noise_floor_dbfs"), 1.0),
    Metric("duration_s", "the length", "s", _of("duration_s"), 0.05, parts=_HEADER),
    Metric("leading_silence_s", "silence at the start, below -50 dBFS or as given", "s",
           _silence("leading_silence_s"), 0.03, at=("dbfs",), free=True),
    Metric("trailing_silence_s", "silence at the end, below -50 dBFS or as given", "s",
           _silence("trailing_silence_s"), 0.03, at=("dbfs",), free=True),
    Metric("silent", "whether all of it is silence", "", _of("silent"), kind="flag"),
    Metric("clipped_runs", "places at full scale", "places", _of("clipped_runs")),
    Metric("not_finite", "samples that are not finite numbers", "samples", _of("not_finite")),
    Metric("dc_offset", "the largest of all channels", "", _dc, 0.001),
    Metric("strongest_hz", "the highest peak of the spectrum", "Hz", _of("strongest_hz"), 5.0,
           parts=_SPECTRUM),
    Metric("format", "the container: WAV, FLAC, MP3, OGG, AIFF or M4A", "", _of("format"),
           kind="text", parts=_HEADER),
    Metric("subtype", "how samples are stored: PCM_16, FLOAT, …", "", _of("subtype"), kind="text",
           parts=_HEADER),
    Metric("sample_rate_hz", "samples a second", "Hz", _of("sample_rate_hz"), parts=_HEADER),
    Metric("bitrate_kbps", "kilobits a second of a lossy file", "kbit/s", _of("bitrate_kbps"), 3.0,
           parts=_HEADER),
    Metric("channels", "how many there are", "channels", _of("channels"), parts=_HEADER),
    Metric("loudness_change_lu", "louder (+) or quieter (-) than before", "LU",
           _change("integrated_lufs"), 0.5, both=True, parts=_LOUDNESS),
    Metric("rms_change_db", "the mean level beside that before", _DB, _change("rms_dbfs"), 0.1,
           both=True),
    Metric("range_change_lu", "the loudness range beside that before", "LU", _change("range_lu"),
           0.5, both=True, parts=_LOUDNESS),
    Metric("noise_floor_change_db", "the quietest frames beside those before", _DB, _floor_change,
           1.0, both=True),
    Metric("energy_below_change_db", "the energy below a frequency (20, 40, 80, … Hz), beside that "
           "above four times it", _DB, _below, 0.0, at=("hz",), both=True, parts=_SPECTRUM),
    Metric("energy_above_change_db", "the energy above a frequency (320, 640, 1250, … Hz), beside "
           "that below a quarter of it", _DB, _above, 0.0, at=("hz",), both=True, parts=_SPECTRUM),
    Metric("duration_change_s", "longer (+) or shorter (-)", "s", _change("duration_s"), 0.05,
           both=True, parts=_HEADER),
    Metric("duration_ratio", "the length divided by that before", "times", _ratio, 0.005,
           both=True, parts=_HEADER),
    Metric("clipped_runs_added", "places at full scale that were not there before", "places",
           _clipped_added, both=True),
    Metric("samples_changed", "whether it is another sound at all", "", _is_changed, kind="flag",
           both=True),
    Metric("true_peak_added_db", "the true peak above full scale beside that before", _DB, _over,
           0.05, both=True, parts=_LOUDNESS),
    Metric("true_peak_held_db", "the true peak above a ceiling, or above where it was below that",
           _DB, _overshoot, 0.4, at=("dbtp",), both=True, parts=_LOUDNESS),
    Metric("leading_left_s", "silence at the start beyond what was to be kept", "s",
           _left("leading_silence_s"), 0.03, at=("dbfs", "keep_s"), both=True),
    Metric("trailing_left_s", "silence at the end beyond what was to be kept", "s",
           _left("trailing_silence_s"), 0.03, at=("dbfs", "keep_s"), both=True),
    Metric("cut_silence_off_s", "how much more was cut off than the silence at the start (1) and "
           "at the end (1) that was not to be kept", "s", _cut_off, 0.005,
           at=("dbfs", "keep_s", "start", "end"), both=True),
)  # fmt: skip
_EFFECTS: tuple[Metric, ...] = (
    _effect("fade_misfit_db", f"{_OFF} the level's course lies from these fades", _DB,
            at=("in_s", "out_s")),
    _effect("compress_misfit_db", f"{_OFF} the gain lies from that of this compressor", _DB,
            at=(*_DETECTOR, "makeup_db")),
    _effect("gate_misfit_db", f"{_OFF} the gain lies from that of this gate", _DB, at=_DETECTOR),
    _effect("highpass_misfit_db", f"{_OFF} the spectrum lies from that behind this filter", _DB,
            at=("hz", "slope")),
    _effect("lowpass_misfit_db", f"{_OFF} the spectrum lies from that behind this filter", _DB,
            at=("hz", "slope")),
    _effect("bandpass_misfit_db", f"{_OFF} the spectrum lies from that behind these filters", _DB,
            at=("low_hz", "high_hz", "slope")),
    _effect("eq_misfit_db", f"{_OFF} the spectrum lies from that behind these bands; kind is 0 for "
            "a peak, 1 for a low shelf, 2 for a high shelf", _DB,
            each=("kind", "hz", "db", "q")),
    _effect("section_misfit_db", "the energy of what is not this section of the sound before; "
            "-10 and less is the section; negative counts from the end, 0 is the end", _DB,
            at=("start_s", "end_s")),
    _effect("shift_misfit_db", "the energy of what is not the sound before, moved, with what "
            "leaves at one end coming in at the other (1) or silence there (0)", _DB,
            at=("offset_s", "wrap")),
    _effect("level_misfit_db", f"{_OFF} the gain of a section lies from this, and that of the rest "
            "from 0", _DB, at=("db", "start_s", "end_s")),
    _effect("pad_misfit_db", "the energy of what is not the sound before with that much silence "
            "before and behind it; -10 and less is that", _DB, at=("start_s", "end_s")),
    _effect("reverse_misfit_db", "the same of the sound before played backwards", _DB),
    _effect("channels_misfit_db", "the same of these channels of the sound before; 0 is silence",
            _DB, each=("channel",)),
    _effect("cut_misfit_db", "the energy of what is not all but this section", _DB,
            at=("start_s", "end_s")),
    _effect("leveller_misfit_db", f"{_OFF} the gain lies from that of this leveller", _DB,
            at=("window_s", "most_db")),
    _effect("deess_misfit_db", f"{_OFF} the gain of the band above a frequency lies from that of "
            "this de-esser", _DB, at=("hz", "threshold_db", "most_db")),
    _effect("quiet_frames_gain_db", "the gain of the quietest tenth of what is not silence", _DB,
            1.0),
    _effect("loud_frames_gain_db", "the gain of the loudest tenth", _DB, 1.0),
    _effect("clicks_share", "the share of the clicks that is left", "", 0.0),
    _effect("changed_share", "the share of the samples that are others than before", "", 0.0),
    _effect("pauses_misfit_s", f"{_OFF} the length lies from that with pauses cut to this", "s",
            at=("dbfs", "longest_s")),
    _effect("first_part_misfit_db", "the energy of what is not the sound up to the middle of its "
            "first pause; -10 and less is that", _DB, at=("dbfs", "least_s")),
    _effect("joined_misfit_db", "the same of these files joined in this order, of which * is the "
            "sound before: the one that is found least", _DB, at=("crossfade_s",), each=(FILE,)),
    _effect("laid_misfit_db", f"{_OFF} the mean level of each further file lies from that many dB "
            "below the first; ends is 1 where the first says the length", _DB,
            at=("ends", "below_db"), each=("offset_s", "db", FILE)),
    _effect("mix_misfit_db", f"{_OFF} the gain of each file in the sum lies from this", _DB,
            at=("ends",), each=("offset_s", "db", FILE)),
    _effect("tags_misfit", "how many tags are not as said", "tags", each=("NAME=TEXT",)),
    _effect("response_db", "the energy of a third of an octave around a frequency beside that "
            "before", _DB, 1.0, at=("hz",)),
    _effect("delay_s", "later (+) or earlier (-) than before", "s", 0.01),
    _effect("correlation", "1 the same samples, -1 turned round", "", 0.01),
    _effect("added_db", "the level of what was added beside that of the sound", _DB, 0.5),
    _effect("direct_share", "the share of the sound itself in the result", "", 0.04),
    _effect("quiet_gain_db", "the gain of the smallest samples", _DB, 1.0),
    _effect("pitch_change_semitones", "how far the spectrum has moved", "semitones", 0.3),
)  # fmt: skip
METRICS: dict[str, Metric] = {metric.name: metric for metric in (*_LIST, *_EFFECTS)}
"""By name."""
