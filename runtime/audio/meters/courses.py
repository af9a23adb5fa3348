"""A sound before and after: the course of its level, its spectra, and how alike the samples are.

All of it is gathered in blocks, when it is asked for first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from ..ahead import ahead
from ..blocks import Frames, Samples
from ..calls.files import Sound
from .levels import RESOLUTION, Spectrum, SpectrumMeter

_LONG_S = 120.0
"""From here on a sound has enough windows for a spectrum that do not overlap."""
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


class AnySound(Protocol):
    """A sound that is read once from its start: a file, or a file brought to another shape."""

    @property
    def rate(self) -> int: ...

    @property
    def channels(self) -> int: ...

    @property
    def frames(self) -> int: ...

    def blocks(self) -> Iterator[Frames]: ...


class Sums(NamedTuple):
    """Sums over all samples of both sounds: squares and products."""

    before: float
    after: float
    product: float


@dataclass
class Both:
    """The sound before and after; `idle` is the same had nothing been done. What is known of the
    sound before, both of them know. `inputs` are the sounds that one of several is made of."""

    before: Sound
    after: Sound
    inputs: Mapping[str, AnySound] = field(default_factory=dict)
    _courses: dict[Sound, Samples] = field(default_factory=dict)
    _spectra: dict[tuple[Sound, float], Spectrum] = field(default_factory=dict)
    _gains: dict[tuple[float | str, ...], Samples] = field(default_factory=dict)

    @property
    def idle(self) -> Both:
        """Return the sound before, twice."""
        return Both(
            self.before, self.before, self.inputs, self._courses, self._spectra, self._gains
        )

    def levels(self) -> tuple[Samples, Samples]:
        """Return the course of both levels, dBFS of every 10 ms."""
        for sound in (self.before, self.after):
            if sound not in self._courses:
                parts = [_levels(rows) for rows in _frames_of(sound)]
                self._courses[sound] = np.concatenate(parts)
        return self._courses[self.before], self._courses[self.after]

    def gains(self, name: str, numbers: tuple[float, ...], law: Callable[..., Law]) -> Samples:
        """Return the gain in dB of every 10 ms of the sound before that the law of that name asks
        for with these numbers, weighted by power."""
        key: tuple[float | str, ...] = (name, *numbers)
        if key not in self._gains:
            self._gains[key] = self._gains_by(law(*numbers))
        return self._gains[key]

    def _gains_by(self, law: Law) -> Samples:
        parts, courses = [], []
        for rows in _frames_of(self.before):
            part = _steps_of(rows)
            courses.append(part.levels)
            power = part.peaks**2 + 1e-20
            rows = (power * 10 ** (law(part) / 10)).reshape(-1, STEPS).sum(axis=1)
            parts.append(10 * np.log10(rows / power.reshape(-1, STEPS).sum(axis=1)))
        self._courses[self.before] = np.concatenate(courses)
        return np.concatenate(parts)

    def spectra(self, resolution: float = RESOLUTION) -> tuple[Spectrum, Spectrum]:
        """Return both mean spectra; `resolution` is in Hz."""
        two = []
        for sound in (self.before, self.after):
            if (sound, resolution) not in self._spectra:
                self._spectra[sound, resolution] = _spectrum(sound, resolution)
            two.append(self._spectra[sound, resolution])
        return two[0], two[1]

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


def _spectrum(sound: Sound, resolution: float) -> Spectrum:
    meter = SpectrumMeter(
        sound.rate,
        sound.channels,
        edges=False,
        resolution=resolution,
        overlap=sound.seconds < _LONG_S,
    )
    for block in ahead(sound.blocks()):
        meter.feed(block)
    return meter.end()


def _frames_of(sound: Sound) -> Iterator[Samples]:
    """Yield the frames of a sound, (frames, samples, channels), one part after the other; the last
    one may be of fewer samples, which then stand for all of it."""
    frame = max(round(sound.rate * SECONDS), STEPS)
    rest = np.zeros((0, sound.channels), np.float32)
    for block in ahead(sound.blocks()):
        rest = np.concatenate((rest, block))
        whole = len(rest) // frame * frame
        if whole:
            yield rest[:whole].reshape(whole // frame, frame, -1).astype(np.float64)
        rest = rest[whole:]
    if len(rest):
        rows = np.pad(rest, ((0, frame - len(rest)), (0, 0)), mode="edge")
        yield rows[None].astype(np.float64)


def _levels(rows: Samples) -> Samples:
    means = np.einsum("fsc,fsc->f", rows, rows) / max(rows[0].size, 1)
    return np.asarray(10 * np.log10(np.maximum(means, 1e-20)))


def _steps_of(rows: Samples) -> Steps:
    fine = rows.shape[1] // STEPS
    high = np.abs(rows[:, :, 0])
    for channel in range(1, rows.shape[2]):
        np.maximum(high, np.abs(rows[:, :, channel]), out=high)
    steps = high[:, : fine * STEPS].reshape(len(rows) * STEPS, fine)
    means = np.sqrt(np.einsum("sf,sf->s", steps, steps) / fine)
    return Steps(_levels(rows), steps.max(axis=1), means)
