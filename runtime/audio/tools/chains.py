"""The tools that change a stream of blocks and leave its rate and channels: each as stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...errors import Failure
from ..calls.files import Sound
from ..meters.levels import LevelMeter
from ..meters.loudness import decibels
from . import effects, stages
from .job import Result
from .limiter import limit, loudness_norm
from .stages import Stage

_NYQUIST = 0.49
"""Of the sample rate: as far as filters go."""

Chain = tuple[list[Stage], Result]
"""The stages for a sound, and what there is to say about them."""


def _below_nyquist(sound: Sound, **given: float) -> None:
    for name, hz in given.items():
        most = _NYQUIST * sound.rate
        if hz > most:
            raise Failure(
                f"`{name}` is {hz:g} Hz, but `{sound.path}` has {sound.rate} samples a second",
                help=f"it can be at most {most:.0f} Hz there (0.49 of the sample rate)",
            )


def _highpass(sound: Sound, values: Mapping[str, Any]) -> Chain:
    hz = values["cutoff_hz"]
    _below_nyquist(sound, cutoff_hz=hz)
    return [effects.highpass(hz, values["slope"], sound.rate, sound.channels)], {}


def _lowpass(sound: Sound, values: Mapping[str, Any]) -> Chain:
    hz = values["cutoff_hz"]
    _below_nyquist(sound, cutoff_hz=hz)
    return [effects.lowpass(hz, values["slope"], sound.rate, sound.channels)], {}


def _bandpass(sound: Sound, values: Mapping[str, Any]) -> Chain:
    low, high, slope = values["low_hz"], values["high_hz"], values["slope"]
    _below_nyquist(sound, low_hz=low, high_hz=high)
    kind = (slope, sound.rate, sound.channels)
    return [effects.highpass(low, *kind), effects.lowpass(high, *kind)], {}


def _eq(sound: Sound, values: Mapping[str, Any]) -> Chain:
    for band in values["bands"]:
        _below_nyquist(sound, freq_hz=band["freq_hz"])
    return [effects.eq(values["bands"], sound.rate, sound.channels)], {}


def _compress(sound: Sound, values: Mapping[str, Any]) -> Chain:
    return [effects.compress(dict(values), sound.rate, sound.channels)], {}


def _noise_gate(sound: Sound, values: Mapping[str, Any]) -> Chain:
    return [effects.noise_gate(dict(values), sound.rate, sound.channels)], {}


def _reverb(sound: Sound, values: Mapping[str, Any]) -> Chain:
    return [effects.reverb(dict(values), sound.rate, sound.channels)], {}


def _gain(sound: Sound, values: Mapping[str, Any]) -> Chain:
    return [stages.gain(values["gain_db"])], {}


def _invert(sound: Sound, values: Mapping[str, Any]) -> Chain:
    return [stages.invert()], {}


def _distort(sound: Sound, values: Mapping[str, Any]) -> Chain:
    return [stages.distort(values["drive_db"], values["shape"])], {}


def _fade(sound: Sound, values: Mapping[str, Any]) -> Chain:
    first, last = (round(values[name] * sound.rate) for name in ("in_s", "out_s"))
    if first + last > sound.frames:
        long = f"`in_s` and `out_s` are {values['in_s'] + values['out_s']:g} s together"
        raise Failure(f"{long}, `{sound.path}` is {sound.seconds:.2f} s long")
    return [stages.fade(sound.frames, first, last, values["shape"])], {}


def _add_noise(sound: Sound, values: Mapping[str, Any]) -> Chain:
    levels = _levels(sound)
    rms = float(np.sqrt(levels.squares.mean() / levels.count))
    if not rms:
        raise _silent(sound)
    level = rms * 10 ** (-values["snr_db"] / 20)
    noise = stages.Noise(sound.rate, sound.channels, values["color"], level, values["seed"])
    return [noise], {"noise_rms_dbfs": decibels(level)}


def _peak_norm(sound: Sound, values: Mapping[str, Any]) -> Chain:
    peak = decibels(float(_levels(sound).peaks.max()))
    if peak is None:
        raise _silent(sound)
    gain_db = values["target_dbfs"] - peak
    return [stages.gain(gain_db)], {"gain_db": gain_db}


def _levels(sound: Sound) -> LevelMeter:
    levels = LevelMeter(sound.rate, sound.channels)
    for block in sound.blocks():
        levels.feed(block)
    return levels


def _silent(sound: Sound) -> Failure:
    return Failure(f"`{sound.path}` is silent: there is no level to begin from")


STAGES: dict[str, Callable[[Sound, Mapping[str, Any]], Chain]] = {
    "fade": _fade,
    "gain": _gain,
    "peak_norm": _peak_norm,
    "loudness_norm": loudness_norm,
    "highpass": _highpass,
    "lowpass": _lowpass,
    "bandpass": _bandpass,
    "eq": _eq,
    "compress": _compress,
    "limit": limit,
    "noise_gate": _noise_gate,
    "reverb": _reverb,
    "add_noise": _add_noise,
    "distort": _distort,
    "invert": _invert,
}
"""Tools that change a stream of blocks and leave its rate and channels."""
