"""The tools that change a stream of blocks and leave its rate and channels: each as stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import Failure
from . import effects, stages
from .files import Sound
from .job import Result
from .levels import LevelMeter
from .loudness import Loudness, LoudnessMeter, decibels
from .stages import Stage, through

_NYQUIST = 0.49
"""Of the sample rate: as far as filters go."""
_ROUNDS = 12
_MOST_OVER_DB = 26.0
"""How far peaks may lie above the ceiling: pushed further, the limiter falls silent."""
_LEAST_SLOPE = 0.15
"""LU of loudness for a dB of gain: a limiter that gives less distorts and is not pushed."""
_CLOSE_LU, _SAFETY_DB = 0.02, 0.01

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


def _limit(sound: Sound, values: Mapping[str, Any]) -> Chain:
    """Lowers the plugin's own ceiling until the true peaks are where they were asked to be."""
    most, release = values["ceiling_dbtp"], values["release_ms"]
    ceiling = most
    for _ in range(_ROUNDS):
        chain = _limited(sound, 0.0, ceiling, release)
        peak = _heard(sound, chain).true_peak
        if peak is None or peak <= most:
            return _limited(sound, 0.0, ceiling, release), {"true_peak_dbtp": peak}
        ceiling -= peak - most + _SAFETY_DB
    raise Failure(f"`{sound.path}` cannot be limited to {most:g} dBTP")


def _loudness_norm(sound: Sound, values: Mapping[str, Any]) -> Chain:
    """A gain; where peaks come in the way a limiter after it, and more gain for what it takes."""
    target, most = values["target_lufs"], values["max_true_peak_dbtp"]
    before = _heard(sound, [])
    if before.integrated is None or before.true_peak is None:
        short = "shorter than 0.4 s" if sound.seconds < 0.4 else "too quiet, or not mono to 7.1"
        raise Failure(f"`{sound.path}` has no loudness that could be changed: it is {short}")
    gain_db = step = target - before.integrated
    ceiling = most
    said: Result = {"loudness_before_lufs": before.integrated}
    if before.true_peak + gain_db <= most:
        told = {"integrated_lufs": target, "true_peak_dbtp": before.true_peak + gain_db}
        return [stages.gain(gain_db)], {**said, **told, "gain_db": gain_db, "limited": False}
    reached, slope = before.integrated, 1.0
    top = most + _MOST_OVER_DB - before.true_peak
    for _ in range(_ROUNDS):
        heard = _heard(sound, _limited(sound, gain_db, ceiling, 100.0))
        if heard.integrated is None or heard.true_peak is None:
            break
        gained, over = heard.integrated - reached, heard.true_peak - most
        reached = heard.integrated
        if abs(target - reached) <= _CLOSE_LU and over <= 0:
            told = {"integrated_lufs": reached, "true_peak_dbtp": heard.true_peak}
            chain = _limited(sound, gain_db, ceiling, 100.0)
            return chain, {**said, **told, "gain_db": gain_db, "limited": True}
        # The limiter takes back a part of each step, the more the harder it works.
        slope = min(max(gained / step, _LEAST_SLOPE), 1.0) if step > _CLOSE_LU else slope
        step = min((target - reached) / slope, top - gain_db)
        gain_db += step
        ceiling -= over + _SAFETY_DB if over > 0 else 0.0
    raise Failure(
        f"`{sound.path}` cannot be brought to {target:g} LUFS below {most:g} dBTP: "
        f"{reached:.1f} LUFS was reached",
        help="ask for less loudness, allow a higher peak, or COMPRESS first",
    )


def _limited(sound: Sound, gain_db: float, ceiling: float, release: float) -> list[Stage]:
    limiter = effects.limiter(ceiling, release, sound.rate, sound.channels)
    return [stages.gain(gain_db), limiter] if gain_db else [limiter]


def _heard(sound: Sound, chain: list[Stage]) -> Loudness:
    meter = LoudnessMeter(sound.rate, sound.channels)
    for block in through(sound.blocks(), chain):
        meter.feed(block)
    return meter.end()


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
    "loudness_norm": _loudness_norm,
    "highpass": _highpass,
    "lowpass": _lowpass,
    "bandpass": _bandpass,
    "eq": _eq,
    "compress": _compress,
    "limit": _limit,
    "noise_gate": _noise_gate,
    "reverb": _reverb,
    "add_noise": _add_noise,
    "distort": _distort,
    "invert": _invert,
}
"""Tools that change a stream of blocks and leave its rate and channels."""
