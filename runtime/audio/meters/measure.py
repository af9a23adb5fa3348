"""All that is measured of a file, in one pass: JSON values with their units in the names."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from math import log10
from typing import TYPE_CHECKING, Any

import numpy as np
from flowc.compiler.catalog.audio_model import PARTS

from ..ahead import ahead, beside
from .known import facts_of
from .levels import CLIPPED_RUN, EDGES_HZ, LevelMeter, Spectrum, SpectrumMeter, shift_between
from .loudness import Loudness, LoudnessMeter, decibels, weights_of

if TYPE_CHECKING:
    from ..calls.files import Sound

Measurement = dict[str, Any]
_DIFFERENCES = (
    "duration_s", "integrated_lufs", "momentary_max_lufs", "short_term_max_lufs", "range_lu",
    "true_peak_dbtp", "sample_peak_dbfs", "rms_dbfs", "leading_silence_s", "trailing_silence_s",
    "noise_floor_dbfs", "clipped_runs", "strongest_hz",
)  # fmt: skip


def measure(
    sound: Sound, silence_dbfs: float = -50.0, parts: Collection[str] = PARTS
) -> Measurement:
    """Return the numbers of a file, or only some parts of them; None where there is none, with the
    reason under `notes`. Samples that are not finite numbers are counted and taken for zero. Raise
    `Failure` for a file cut off."""
    if not parts:
        return {**_header(sound), "notes": []}
    return examine(sound, silence_dbfs, parts)[0]


def examine(
    sound: Sound, silence_dbfs: float, parts: Collection[str] = PARTS
) -> tuple[Measurement, Spectrum | None]:
    """Return the same numbers, and the mean spectrum where it is one of the parts."""
    levels = LevelMeter(sound.rate, sound.channels)
    loudness = (
        LoudnessMeter(sound.rate, sound.channels, sound.speakers) if "loudness" in parts else None
    )
    spectra = SpectrumMeter(sound.rate, sound.channels) if "spectrum" in parts else None
    digest = hashlib.sha256(f"{sound.rate} {sound.channels}\n".encode())
    with beside(loudness.feed if loudness is not None else len) as weigh:
        for raw in ahead(sound.raw_blocks()):
            digest.update(np.ascontiguousarray(raw).data)
            block = levels.feed(raw)
            weigh(block)
            if spectra is not None:
                spectra.feed(block)
    loud = loudness.end() if loudness is not None else None
    spectrum = spectra.end() if spectra is not None else None
    if not levels.not_finite:
        facts_of(sound).levels = levels
    numbers = {
        **_header(sound),
        **(_loudness(loud) if loud is not None else {}),
        **_levels(levels),
        **_silence(levels, sound.rate, silence_dbfs),
        **(_bands(levels, spectrum, sound.rate) if spectrum is not None else {}),
        "pcm_sha256": digest.hexdigest(),
        "notes": _notes(sound, levels, loud),
    }
    return numbers, spectrum


def _header(sound: Sound) -> Measurement:
    return {
        "file": sound.path,
        "format": sound.format,
        "subtype": sound.subtype,
        "sample_rate_hz": sound.rate,
        "channels": sound.channels,
        "frames": sound.frames,
        "duration_s": sound.seconds,
        "bitrate_kbps": sound.bitrate,
    }


def _loudness(loud: Loudness) -> Measurement:
    return {
        "integrated_lufs": loud.integrated,
        "momentary_max_lufs": loud.momentary_max,
        "short_term_max_lufs": loud.short_term_max,
        "range_lu": loud.range,
        "true_peak_dbtp": loud.true_peak,
    }


def compare(a: Sound, b: Sound, silence_dbfs: float = -50.0) -> dict[str, Any]:
    """Return both measurements and, for each number, b minus a; None where one of them is None. The
    `pitch_semitones` of the difference are how far the spectrum has moved as a whole."""
    (before, spectrum), (after, other) = (examine(sound, silence_dbfs) for sound in (a, b))
    comparison = _differences(before, after)
    assert spectrum is not None
    assert other is not None
    comparison["difference"]["pitch_semitones"] = shift_between(spectrum, other)
    return comparison


def _differences(a: Measurement, b: Measurement) -> dict[str, Any]:
    delta: dict[str, Any] = {}
    for name in _DIFFERENCES:
        before, after = a[name], b[name]
        delta[name] = None if before is None or after is None else after - before
    below = {band["hz"]: band["dbfs"] for band in a["energy_below"]}
    delta["energy_below"] = [
        {"hz": band["hz"], "db": band["dbfs"] - below[band["hz"]]}
        for band in b["energy_below"]
        if below.get(band["hz"]) is not None and band["dbfs"] is not None
    ]
    same = a["pcm_sha256"] == b["pcm_sha256"]
    return {"a": a, "b": b, "difference": delta, "same_samples": same}


def _levels(levels: LevelMeter) -> Measurement:
    count = max(levels.count, 1)
    rms = float(np.sqrt(levels.squares.mean() / count))
    return {
        "sample_peak_dbfs": decibels(float(levels.peaks.max(initial=0.0))),
        "rms_dbfs": decibels(rms),
        "dc_offset": [float(value) for value in levels.sums / count],
        "clipped_runs": levels.clipped_runs,
        "not_finite": levels.not_finite,
    }


def _silence(levels: LevelMeter, rate: int, threshold: float) -> Measurement:
    bounds = levels.silence(threshold)
    first, last = bounds if bounds is not None else (levels.count, levels.count)
    frames = levels.frames()
    floor, loud = (np.percentile(frames, share) if len(frames) else 0.0 for share in (5, 95))
    known = floor > 0 and loud > 0
    return {
        "silence_dbfs": threshold,
        "silent": bounds is None,
        "leading_silence_s": first / rate,
        "trailing_silence_s": (levels.count - last) / rate if bounds is not None else 0.0,
        "noise_floor_dbfs": decibels(float(floor)),
        "snr_estimate_db": 20 * log10(float(loud / floor)) if known else None,
    }


def _bands(levels: LevelMeter, spectrum: Spectrum, rate: int) -> Measurement:
    mean = float(levels.squares.mean()) / max(levels.count, 1)
    bands = []
    for hz in EDGES_HZ:
        if hz < rate / 2:
            share = spectrum.share_below(hz)
            level = 10 * log10(share * mean) if share * mean > 0 else None
            bands.append({"hz": hz, "share": share, "dbfs": level})
    return {"energy_below": bands, "strongest_hz": spectrum.strongest()}


def _notes(sound: Sound, levels: LevelMeter, loud: Loudness | None) -> list[str]:
    notes = []
    weights = weights_of(sound.channels, sound.speakers)
    if levels.not_finite:
        notes.append(f"{levels.not_finite} samples are not finite numbers: taken for zero")
    if loud is None:
        pass
    elif weights is None:
        notes.append(f"no loudness: where {sound.channels} channels stand is not known")
    elif loud.integrated is None:
        short = levels.count < 0.4 * sound.rate
        why = "shorter than 0.4 s" if short else "everything is below -70 LUFS"
        notes.append(f"no integrated loudness: {why}")
    elif loud.range is None:
        notes.append("no loudness range: shorter than 3 s, or too quiet")
    if levels.clipped_runs:
        places = f"{levels.clipped_runs} place{'s' * (levels.clipped_runs != 1)}"
        notes.append(f"{places} with {CLIPPED_RUN} or more samples at full scale")
    if sound.channels > 2 and weights is not None:
        named = "the speakers that the file names" if sound.speakers else "the order of wav"
        notes.append(f"channels weighted {weights} ({named})")
    return notes
