"""What is measured after a call of an audio tool: predicates that tell it from another call.

A call that does nothing, half, double or the opposite of what was asked for must not pass, so the
measures are those of the effect (docs/audio-editing.md), with the numbers of the call in them.
"""

from __future__ import annotations

from urllib.parse import quote

from .audio_formats import format_of
from .audio_model import MAX_BANDS, Arguments, Json, predicate

_GAIN_OFF_DB, _GATE_OFF_DB, _FILTER_OFF_DB, _FADE_OFF_DB = 1.0, 2.0, 1.5, 1.0
"""Misfits that signal processing as it should be stays below, on speech and on music."""
_SHORT_FADE = 0.02
"""Seconds. A fade that is not longer may differ twice as much: one syllable weighs more in it."""
MUTE_DB = -100
"""A gain that leaves nothing."""
_UNDER_HALF = 0.4
"""A value may be off by that much of itself, so that half of it is noticed, and double."""
SAME_SOUND_DB = -10.0
"""Of a section beside the sound it was cut from: lossy formats reach -15 dB and less."""
_MEAN_SHARE = {"opus": 0.45, "m4a": 0.12}
"""By how much of what was asked for a file may have more or less, as there is to hear."""
_KINDS = ("peak", "low_shelf", "high_shelf")
_SHAPE = {
    "channels": "The number of channels",
    "sample_rate_hz": "The sample rate",
    "subtype": "The sample format",
    "bitrate_kbps": "Kilobits a second",
}
DYNAMICS = ("threshold_db", "ratio", "attack_ms", "release_ms")


OWN = "*"
"""Stands for the sound that a step reads, where a measure names several."""


def measure_text(name: str, *said: float | str) -> str:
    """Return a metric with its numbers and texts, as requirements write it."""
    return f"{name}({','.join(_spell(one) for one in said)})"


def _spell(one: float | str) -> str:
    return quote(one, safe="/*=") if isinstance(one, str) else f"{one:.10g}"


def _section(a: Arguments) -> tuple[float, float]:
    """Return begin and end; 0 as an end is that of the file."""
    return float(a["start_s"]), float(a["end_s"] or 0)


def expect_trim(a: Arguments) -> list[Json]:
    """Silence at the ends is as long as what was to be kept, or as it was where that is less."""
    names = {"start": "leading", "end": "trailing"}
    ends = [int(a["edges"] in ("both", edge)) for edge in names]
    off = measure_text("cut_silence_off_s", a["threshold_dbfs"], a["keep_s"], *ends)
    return [
        predicate(off, "==", 0, "Nothing but silence is cut"),
        *(
        predicate(
            measure_text(f"{name}_left_s", a["threshold_dbfs"], a["keep_s"]), "==", 0,
            f"Silence at the {edge} is cut to {a['keep_s']:g} s",
        )
        for edge, name in names.items()
        if a["edges"] in ("both", edge)
        ),
    ]  # fmt: skip


def expect_clip(a: Arguments) -> list[Json]:
    """The section is there, and nothing else."""
    start, end = _section(a)
    same = predicate(measure_text("section_misfit_db", start, end), "<=", SAME_SOUND_DB,
                     f"It is the sound {_span_text(start, end)}")  # fmt: skip
    return [same, *_length(a, kept=True)]


def expect_cut(a: Arguments) -> list[Json]:
    """The section is gone, and nothing else."""
    start, end = _section(a)
    gone = predicate(measure_text("cut_misfit_db", start, end), "<=", SAME_SOUND_DB,
                     f"The sound {_span_text(start, end)} is gone")  # fmt: skip
    return [gone, *_length(a, kept=False)]


def _span_text(start: float, end: float) -> str:
    places = (f"{abs(one):g} s{' before the end' if one < 0 else ''}" for one in (start, end))
    begin, until = places
    return f"from {begin} to {until if end else 'the end'}"


def _length(a: Arguments, kept: bool) -> list[Json]:
    """Return what the length has to be where a section is kept, or all but it; none where that
    depends on how long the sound was, as the samples say it then."""
    start, end = _section(a)
    if (start < 0) == (end <= 0):
        inside = predicate("duration_s", "==", round(end - start, 6), "The length of the section")
        outside = predicate(
            "duration_change_s", "==", round(start - end, 6), "Nothing else is gone"
        )
        return [inside if kept else outside]
    if start < 0:
        return []
    left = round(start - end, 6)  # what lies outside: before the start, and behind an end
    outside = predicate("duration_change_s", "==", -left, "Nothing else is gone")
    return [outside if kept else predicate("duration_s", "==", left, "The rest is all of it")]


def expect_join(a: Arguments) -> list[Json]:
    """All of them are there, in this order."""
    misfit = measure_text("joined_misfit_db", a["crossfade_s"], *a["inputs"])
    return [predicate(misfit, "<=", SAME_SOUND_DB, "One sound follows the other")]


def expect_mix(a: Arguments) -> list[Json]:
    """Each of them is there from its offset on, with its gain or as far below the first."""
    names, ends = a["inputs"], float(a["length"] == "first")
    offsets, gains = (a[name] or [0.0] * len(names) for name in ("offsets_s", "gains_db"))
    rows = [one for row in zip(offsets, gains, names, strict=True) for one in row]
    if a["below_db"] is None:
        misfit, text = measure_text("mix_misfit_db", ends, *rows), "All of them are to be heard"
    else:
        misfit = measure_text("laid_misfit_db", ends, a["below_db"], *rows)
        text = f"What is added lies {a['below_db']:g} dB below the first"
    return [predicate(misfit, "<=", _GAIN_OFF_DB, text)]


def expect_fade(a: Arguments) -> list[Json]:
    """The level takes its course at both ends."""
    parts = [f"{n} over {a[k]:g} s" for n, k in (("in", "in_s"), ("out", "out_s")) if a[k]]
    misfit = measure_text("fade_misfit_db", a["in_s"], a["out_s"])
    shortest = min((a[name] for name in ("in_s", "out_s") if a[name]), default=1.0)
    most = round(_FADE_OFF_DB + min(_SHORT_FADE / shortest, 1.0), 2)
    return [
        predicate(misfit, "<=", most, f"It fades {' and '.join(parts) or 'nowhere'}"),
        predicate("duration_change_s", "==", 0, "A fade keeps the length"),
    ]


def expect_gain(a: Arguments) -> list[Json]:
    """The level has moved by that much."""
    text = f"Level changed by {a['gain_db']:g} dB"
    if a["start_s"] or a["end_s"]:
        start, end = _section(a)
        misfit = measure_text("level_misfit_db", a["gain_db"], start, end)
        said = "Silence" if a["gain_db"] <= MUTE_DB else text
        most = _part_of(a["gain_db"], 0.1, _GAIN_OFF_DB)
        return [
            predicate(misfit, "<=", most, f"{said} {_span_text(start, end)}, and nowhere else"),
            predicate("duration_change_s", "==", 0, "The length stays"),
        ]
    return [predicate("rms_change_db", "==", a["gain_db"], text)]


def expect_peak(a: Arguments) -> list[Json]:
    """The highest sample lies there."""
    text = f"The highest sample is at {a['target_dbfs']:g} dBFS"
    return [predicate("sample_peak_dbfs", "==", a["target_dbfs"], text)]


def expect_loudness(a: Arguments) -> list[Json]:
    """The loudness is reached below the peak."""
    target, most = a["target_lufs"], a["max_true_peak_dbtp"]
    loudness = predicate("integrated_lufs", "==", target, f"Loudness of {target:g} LUFS")
    return [loudness, expect_true_peak(most)]


def expect_true_peak(most: float) -> Json:
    """Return what holds of a sound whose peaks are held."""
    return predicate("true_peak_dbtp", "<=", most, f"No true peak above {most:g} dBTP")


def expect_limit(a: Arguments) -> list[Json]:
    """Peaks are held at the ceiling, and not below it."""
    most = a["ceiling_dbtp"]
    held = predicate(
        measure_text("true_peak_held_db", most), "==", 0, f"Peaks stop at {most:g} dBTP"
    )
    return [expect_true_peak(most), held]


def expect_highpass(a: Arguments) -> list[Json]:
    """The spectrum is that behind the filter."""
    return [_filter("highpass", "low", a["cutoff_hz"], a["slope"])]


def expect_lowpass(a: Arguments) -> list[Json]:
    """The spectrum is that behind the filter."""
    return [_filter("lowpass", "high", a["cutoff_hz"], a["slope"])]


def _filter(kind: str, part: str, hz: float, slope: int) -> Json:
    text = f"What is {'below' if part == 'low' else 'above'} {hz:g} Hz is weaker"
    misfit = measure_text(f"{kind}_misfit_db", hz, slope)
    return predicate(misfit, "<=", _FILTER_OFF_DB, text)


def expect_bandpass(a: Arguments) -> list[Json]:
    """The spectrum is that behind both filters."""
    misfit = measure_text("bandpass_misfit_db", a["low_hz"], a["high_hz"], a["slope"])
    text = f"{a['low_hz']:g} Hz to {a['high_hz']:g} Hz are left"
    return [predicate(misfit, "<=", _FILTER_OFF_DB, text)]


def expect_eq(a: Arguments) -> list[Json]:
    """The spectrum is that behind all bands."""
    numbers = [
        number
        for band in a["bands"]
        for number in (_KINDS.index(band["type"]), band["freq_hz"], band["gain_db"], band["q"])
    ]
    names = ", ".join(f"{band['gain_db']:+g} dB at {band['freq_hz']:g} Hz" for band in a["bands"])
    most = _part_of(max(abs(band["gain_db"]) for band in a["bands"]), 0.3, _FILTER_OFF_DB)
    return [predicate(measure_text("eq_misfit_db", *numbers), "<=", most, names)]


def _part_of(value: float, least: float, most: float) -> float:
    """Return how far what is measured may lie from a value, at least and at most so far."""
    return round(min(max(abs(value) * _UNDER_HALF, least), most), 3)


def expect_dehum(a: Arguments) -> list[Json]:
    """The spectrum is that behind all notches, and as it was at as many multiples above them,
    as far as a measure takes numbers."""
    hz, count = a["hz"], a["harmonics"]
    numbers = [
        number
        for times in range(1, min(2 * count, MAX_BANDS) + 1)
        for number in (0, times * hz, -a["depth_db"] * (times <= count), times * hz / a["width_hz"])
    ]
    text = f"The hum of {a['hz']:g} Hz is weaker by {a['depth_db']:g} dB"
    return [predicate(measure_text("eq_misfit_db", *numbers), "<=", _FILTER_OFF_DB, text)]


def expect_compress(a: Arguments) -> list[Json]:
    """The gain follows the law of the compressor."""
    numbers = (*(a[name] for name in DYNAMICS), a["makeup_db"])
    text = f"{a['ratio']:g}:1 above {a['threshold_db']:g} dBFS"
    return [predicate(measure_text("compress_misfit_db", *numbers), "<=", _GAIN_OFF_DB, text)]


def expect_gate(a: Arguments) -> list[Json]:
    """The gain follows the law of the gate."""
    misfit = measure_text("gate_misfit_db", *(a[name] for name in DYNAMICS))
    text = f"What is below {a['threshold_db']:g} dBFS is weaker"
    return [predicate(misfit, "<=", _GATE_OFF_DB, text)]


def expect_reverb(a: Arguments) -> list[Json]:
    """The sound itself keeps its share, and the rest is there."""
    share = round(1 - a["wet_level"], 6)
    text = f"{a['wet_level']:g} of it is reverberation"
    return [predicate("direct_share", "==", share, text, _part_of(a["wet_level"], 0.01, 0.04))]


def expect_pitch(a: Arguments) -> list[Json]:
    """The spectrum has moved, the length has not."""
    text = f"Pitch moved by {a['semitones']:g} semitones"
    return [
        predicate(
            "pitch_change_semitones", "==", a["semitones"], text, _part_of(a["semitones"], 0.1, 0.3)
        ),
        predicate("duration_ratio", "==", 1, "The length stays"),
    ]


def expect_speed(a: Arguments) -> list[Json]:
    """The length has changed, the spectrum has not moved."""
    return [
        predicate("duration_ratio", "==", round(1 / a["rate"], 6), f"Speed times {a['rate']:g}"),
        predicate("pitch_change_semitones", "==", 0, "The pitch stays"),
    ]


def expect_noise(a: Arguments) -> list[Json]:
    """What was added has its distance from the sound."""
    text = f"Noise {a['snr_db']:g} dB below the sound"
    return [predicate("added_db", "==", -a["snr_db"], text)]


def expect_shape(a: Arguments) -> list[Json]:
    """The header says so."""
    found = [
        predicate(name, "==", a[name], text) for name, text in _SHAPE.items() if a[name] is not None
    ]
    kind = "opus" if a["subtype"] == "OPUS" else format_of(a["output"])
    if a["bitrate_kbps"] and kind in _MEAN_SHARE:
        found[-1]["tolerance"] = a["bitrate_kbps"] * _MEAN_SHARE[kind]
    return found


def expect_drive(a: Arguments) -> list[Json]:
    """What is quiet, and not bent, is amplified by the drive."""
    text = f"Driven by {a['drive_db']:g} dB"
    return [predicate("quiet_gain_db", "==", a["drive_db"], text)]


def expect_shift(a: Arguments) -> list[Json]:
    """The sound is later by that much."""
    misfit = measure_text("shift_misfit_db", a["offset_s"], int(a["wrap"]))
    enters = "what left at the other end" if a["wrap"] else "silence"
    return [
        predicate("delay_s", "==", a["offset_s"], f"{a['offset_s']:g} s later"),
        predicate(misfit, "<=", SAME_SOUND_DB, f"What comes in is {enters}"),
    ]


def expect_pad(a: Arguments) -> list[Json]:
    """The sound is there, and silence around it."""
    start, end = a["start_s"], a["end_s"]
    around = predicate(measure_text("pad_misfit_db", start, end), "<=", SAME_SOUND_DB,
                       f"Silence of {start:g} s before it and {end:g} s behind it")  # fmt: skip
    return [around, predicate("duration_change_s", "==", start + end, "It is longer by that")]


def expect_reversed(a: Arguments) -> list[Json]:
    """The last sample comes first."""
    text = "It is the sound from its end to its start"
    return [predicate("reverse_misfit_db", "<=", SAME_SOUND_DB, text)]


def expect_channels(a: Arguments) -> list[Json]:
    """Each channel is the one that was chosen."""
    order = [int(number) for number in a["order"]]
    names = ", ".join(f"channel {number}" if number else "silence" for number in order)
    chosen = measure_text("channels_misfit_db", *order)
    return [
        predicate(chosen, "<=", SAME_SOUND_DB, f"The channels are {names} of the sound before"),
        predicate("channels", "==", len(order), "As many channels as were chosen"),
    ]


def expect_tags(a: Arguments) -> list[Json]:
    """The tags say so."""
    names = a.keys() - {"input", "output", "subtype"}
    said = [f"{name}={a[name]}" for name in sorted(names) if a[name] is not None]
    return (
        [predicate(measure_text("tags_misfit", *said), "==", 0, "The tags say so")] if said else []
    )


def expect_turned(a: Arguments) -> list[Json]:
    """Every sample has the other sign."""
    return [predicate("correlation", "==", -1, "The polarity is turned")]
