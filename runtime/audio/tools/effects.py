"""Effects by pedalboard (GPL-3.0): the only module that imports it, in the worker's process alone.

`limiting`, `chains` and `whole`, which import this, are reached from `worker` and nothing else.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pedalboard
from pedalboard.io import StreamResampler

from ..calls.files import BLOCK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Frames = NDArray[np.float32]

_LEAST = 1024
"""Frames that are processed at once: with few, pedalboard cannot tell frames from channels."""


class Plugins:
    """A stage of plugins. What they hold back is asked for with silence at the end, so that as many
    frames come out as went in, and `tail` more."""

    def __init__(self, plugins: list[Any], rate: int, channels: int, tail: int = 0) -> None:
        self._board = pedalboard.Chain(plugins)
        self._rate = rate
        self._wait = np.zeros((0, channels), np.float32)
        self._owed = tail

    def feed(self, block: Frames) -> Frames:
        """What is ready."""
        self._owed += len(block)
        self._wait = np.concatenate((self._wait, block)) if len(self._wait) else block
        if len(self._wait) < _LEAST:
            return self._wait[:0]
        block, self._wait = self._wait, self._wait[:0]
        return self._process(block)

    def end(self) -> Frames:
        """The rest."""
        parts = [self._wait[:0]]
        while self._owed > 0:
            silence = np.zeros((max(_LEAST, BLOCK // 8), self._wait.shape[1]), np.float32)
            parts.append(self._process(np.concatenate((self._wait, silence))))
            self._wait = self._wait[:0]
        return np.concatenate(parts)

    def _process(self, block: Frames) -> Frames:
        rows = np.ascontiguousarray(block.T)
        done: Frames = self._board(rows, self._rate, reset=False).T[: self._owed]
        self._owed -= len(done)
        return done


def highpass(hz: float, slope: int, rate: int, channels: int) -> Plugins:
    """Butterworth, -3 dB at the cutoff."""
    return Plugins(_butterworth(pedalboard.HighpassFilter, hz, slope), rate, channels)


def lowpass(hz: float, slope: int, rate: int, channels: int) -> Plugins:
    """Butterworth, -3 dB at the cutoff."""
    return Plugins(_butterworth(pedalboard.LowpassFilter, hz, slope), rate, channels)


def _butterworth(kind: Any, hz: float, slope: int) -> list[Any]:
    """Pedalboard's filters are of first order. Two of them have a quality of 1/2; a peak filter at
    the same place turns that into the quality Q of a Butterworth section, exactly: its numerator
    is s² + 2s + 1, its denominator s² + s/Q + 1, so its gain is 2Q."""
    if slope == 6:
        return [kind(hz)]
    sections = slope // 12
    plugins = []
    for number in range(sections):
        quality = 1 / (2 * math.cos(math.pi * (2 * number + 1) / (4 * sections)))
        gain = 20 * math.log10(2 * quality)
        plugins += [kind(hz), kind(hz), pedalboard.PeakFilter(hz, gain, math.sqrt(2 * quality) / 2)]
    return plugins


def eq(bands: list[dict[str, Any]], rate: int, channels: int) -> Plugins:
    """Peaks and shelves, one after the other."""
    kinds = {
        "peak": pedalboard.PeakFilter,
        "low_shelf": pedalboard.LowShelfFilter,
        "high_shelf": pedalboard.HighShelfFilter,
    }
    plugins = [kinds[band["type"]](band["freq_hz"], band["gain_db"], band["q"]) for band in bands]
    return Plugins(plugins, rate, channels)


def compress(values: dict[str, Any], rate: int, channels: int) -> Plugins:
    """A compressor and the gain after it."""
    names = ("threshold_db", "ratio", "attack_ms", "release_ms")
    plugins: list[Any] = [pedalboard.Compressor(*(values[name] for name in names))]
    if values["makeup_db"]:
        plugins.append(pedalboard.Gain(values["makeup_db"]))
    return Plugins(plugins, rate, channels)


def noise_gate(values: dict[str, Any], rate: int, channels: int) -> Plugins:
    """A downward expander."""
    names = ("threshold_db", "ratio", "attack_ms", "release_ms")
    plugin = pedalboard.NoiseGate(*(values[name] for name in names))
    return Plugins([plugin], rate, channels)


def limiter(ceiling_db: float, release_ms: float, rate: int, channels: int) -> Plugins:
    """A brickwall limiter with look-ahead; its true peaks may exceed the ceiling by 0.5 dB."""
    plugin = pedalboard.BrickwallLimiter(
        ceiling_db=ceiling_db, release_ms=release_ms, true_peak=True
    )
    return Plugins([plugin], rate, channels)


def reverb(values: dict[str, Any], rate: int, channels: int) -> Plugins:
    """The dry sound keeps the level that its share says: the plugin doubles what it is told."""
    wet = values["wet_level"]
    plugin = pedalboard.Reverb(
        room_size=values["room_size"],
        damping=values["damping"],
        wet_level=wet,
        dry_level=(1 - wet) / 2,
    )
    return Plugins([plugin], rate, channels, round(values["tail_s"] * rate))


class Resampled:
    """A stage that changes the sample rate; `frames` times the ratio come out, rounded."""

    def __init__(self, before: int, after: int, channels: int) -> None:
        self._resampler = StreamResampler(before, after, channels)
        self._ratio = after / before
        self._fed = self._given = 0
        self._wait = np.zeros((0, channels), np.float32)

    def feed(self, block: Frames) -> Frames:
        """What is ready."""
        self._fed += len(block)
        self._wait = np.concatenate((self._wait, block)) if len(self._wait) else block
        if len(self._wait) < _LEAST:
            return self._wait[:0]
        block, self._wait = self._wait, self._wait[:0]
        return self._count(self._resampler.process(np.ascontiguousarray(block.T)).T)

    def end(self) -> Frames:
        """The rest, in the length that it has to have."""
        silence = np.zeros((_LEAST, self._wait.shape[1]), np.float32)
        last = np.concatenate((self._wait, silence)).T
        parts = (self._resampler.process(np.ascontiguousarray(last)), self._resampler.process(None))
        tail = np.concatenate([part.T for part in parts])
        owed = max(round(self._fed * self._ratio) - self._given, 0)
        return np.concatenate((tail, np.zeros((owed, tail.shape[1]), np.float32)))[:owed]

    def _count(self, block: Frames) -> Frames:
        self._given += len(block)
        return block


def stretch(whole: Frames, rate: int, speed: float, semitones: float) -> Frames:
    """Another speed or pitch; a whole file at once. `round(frames / speed)` frames come out."""
    count = max(round(len(whole) / speed), 1)
    rows = np.ascontiguousarray(whole.T)
    if rows.shape[1] < _LEAST:
        rows = np.pad(rows, ((0, 0), (0, _LEAST - rows.shape[1])))
    done: Frames = pedalboard.time_stretch(rows, rate, speed, semitones).T
    missing = max(count - len(done), 0)
    return np.pad(done, ((0, missing), (0, 0)))[:count]
