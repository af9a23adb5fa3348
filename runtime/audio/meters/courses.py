"""A sound before and after: the course of its level, its spectra, and how alike the samples are.

All of it is gathered in blocks, when it is asked for first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..blocks import Frames, Samples
from ..calls.files import Sound
from .levels import Spectrum, SpectrumMeter

_WINDOW = 8192
"""Samples of a response that is looked for."""


SECONDS, STEPS = 0.01, 40
"""Of a course of levels: the length of a frame, and how many steps of a quarter of a millisecond it
has."""


class Steps(NamedTuple):
    """Some frames of a sound: the level of each (dBFS, all channels), and peak and effective value
    of each step (the highest channel)."""

    levels: Samples
    peaks: Samples
    means: Samples


Law = Callable[[Steps], Samples]
"""Gives the gain in dB of each step, of one part of a sound after the other."""


class Sums(NamedTuple):
    """Sums over all samples of both sounds: squares and products."""

    before: float
    after: float
    product: float


@dataclass
class Both:
    """The sound before and after."""

    before: Sound
    after: Sound
    _courses: list[Samples] = field(default_factory=list)
    _spectra: list[Spectrum] = field(default_factory=list)

    def levels(self) -> tuple[Samples, Samples]:
        """Return the course of both levels, dBFS of every 10 ms."""
        if not self._courses:
            self._courses = [
                np.concatenate([part.levels for part in _steps(sound)]) for sound in self._two
            ]
        return self._courses[0], self._courses[-1]

    def gains(self, law: Law) -> Samples:
        """Return the gain in dB of every 10 ms of the sound before that a law asks for, weighted by
        power."""
        parts = []
        for part in _steps(self.before):
            power = part.peaks**2 + 1e-20
            rows = (power * 10 ** (law(part) / 10)).reshape(-1, STEPS).sum(axis=1)
            parts.append(10 * np.log10(rows / power.reshape(-1, STEPS).sum(axis=1)))
        return np.concatenate(parts)

    def spectra(self) -> tuple[Spectrum, Spectrum]:
        """Return both mean spectra."""
        if not self._spectra:
            self._spectra = [_spectrum(sound) for sound in self._two]
        return self._spectra[0], self._spectra[-1]

    @property
    def _two(self) -> list[Sound]:
        """Return both sounds, or one that stands for both."""
        return [self.before] if self.before is self.after else [self.before, self.after]

    def sums(self) -> Sums | None:
        """Return the sums; None where lengths or channels differ."""
        return self._sums

    @cached_property
    def _sums(self) -> Sums | None:
        if not self._is_alike:
            return None
        totals = np.zeros(3)
        for one, other in self._pairs():
            totals += ((one * one).sum(), (other * other).sum(), (one * other).sum())
        return Sums(*map(float, totals))

    @property
    def _is_alike(self) -> bool:
        a, b = self.before, self.after
        return (a.rate, a.channels, a.frames) == (b.rate, b.channels, b.frames)

    def _pairs(self) -> Iterator[tuple[Samples, Samples]]:
        blocks = zip(self.before.blocks(), self.after.blocks(), strict=False)
        for one, other in blocks:
            yield one.astype(np.float64), other.astype(np.float64)

    def direct(self) -> float | str:
        """Return the first sample of the response that leads from one to the other."""
        a, b = self.before, self.after
        if (a.rate, a.channels) != (b.rate, b.channels) or b.frames < a.frames:
            return "the length before and after differs"
        cross = np.zeros(_WINDOW + 1, complex)
        power = np.zeros(_WINDOW + 1)
        window = np.hanning(2 * _WINDOW)[:, None]
        for one, other in self._pairs():
            for at in range(0, min(len(one), len(other)) - 2 * _WINDOW + 1, _WINDOW):
                part = slice(at, at + 2 * _WINDOW)
                x, y = (np.fft.rfft(s[part] * window, axis=0) for s in (one, other))
                cross += (np.conj(x) * y).sum(axis=1)
                power += (x.real**2 + x.imag**2).sum(axis=1)
        if not power.max() > 0:
            return "too short, or all of it is silence"
        known = power > power.max() * 1e-7
        return float((cross[known].real / power[known]).mean())

    def quiet_gain(self) -> float | str:
        """Return by how many dB the smallest samples are louder: the least fifth of each block."""
        if not self._is_alike:
            return "the length before and after differs"
        totals = np.zeros(2)
        for one, other in self._pairs():
            high = np.abs(one)
            sounding = high[high > 1e-5]
            if len(sounding):
                small = (high > 1e-5) & (high <= np.quantile(sounding, 0.2))
                totals += (high[small].sum(), np.abs(other)[small].sum())
        if not totals.all():
            return "all of it is silence"
        return float(20 * np.log10(totals[1] / totals[0]))


def _spectrum(sound: Sound) -> Spectrum:
    meter = SpectrumMeter(sound.rate, sound.channels, edges=False)
    for block in sound.blocks():
        meter.feed(block)
    return meter.end()


def _steps(sound: Sound) -> Iterator[Steps]:
    """Yield the frames of a sound, one part after the other; the last one may be of fewer samples,
    which then stand for all of it."""
    frame = max(round(sound.rate * SECONDS), STEPS)
    rest = np.zeros((0, sound.channels), np.float32)
    for block in sound.blocks():
        rest = np.concatenate((rest, block))
        whole = len(rest) // frame * frame
        if whole:
            yield _steps_of(rest[:whole], frame)
        rest = rest[whole:]
    if len(rest):
        yield _steps_of(np.pad(rest, ((0, frame - len(rest)), (0, 0)), mode="edge"), frame)


def _steps_of(frames: Frames, frame: int) -> Steps:
    rows = frames.astype(np.float64).reshape(len(frames) // frame, frame, -1)
    levels = 10 * np.log10(np.maximum((rows * rows).mean(axis=(1, 2)), 1e-20))
    fine = frame // STEPS
    high = np.abs(rows).max(axis=2)[:, : fine * STEPS]
    steps = high.reshape(len(rows) * STEPS, fine)
    return Steps(levels, steps.max(axis=1), np.sqrt((steps * steps).mean(axis=1)))
