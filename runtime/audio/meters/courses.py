"""A sound before and after: the course of its level, its spectra, and how alike the samples are.

All of it is gathered in blocks, when it is asked for first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import inf
from typing import NamedTuple, Protocol

import numpy as np

from ..blocks import Frames, Samples
from ..calls.files import Sound
from .filters import Sections
from .known import Facts, Law, LawName, Needs, SpectrumName, facts_of, look_for
from .levels import RESOLUTION, Spectrum

_WINDOW = 8192
"""Samples of a response that is looked for."""


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
    _facts: dict[Sound, Facts] = field(default_factory=dict)
    _written: str = ""

    @property
    def idle(self) -> Both:
        """Return the sound before, twice."""
        return Both(self.before, self.before, self.inputs, self._facts, self.after.subtype)

    def levels(self) -> tuple[Samples, Samples]:
        """Return the course of both levels, dBFS of every 10 ms."""
        before, after = (self.find(sound, Needs(course=True)).course for sound in self._two)
        assert before is not None
        assert after is not None
        return before, after

    def gains(self, name: str, numbers: tuple[float, ...], law: Callable[..., Law]) -> Samples:
        """Return the gain in dB of every 10 ms of the sound before that the law of that name asks
        for with these numbers, weighted by power."""
        key: LawName = (name, *numbers)
        return self.find(self.before, Needs(laws={key: partial(law, *numbers)})).gains[key]

    def spectra(self, resolution: float = RESOLUTION) -> tuple[Spectrum, Spectrum]:
        """Return both mean spectra; `resolution` is in Hz."""
        before, _, after = self.spectra_behind((), resolution)
        return before, after

    def spectra_behind(
        self, sections: Sections, resolution: float
    ) -> tuple[Spectrum, Spectrum, Spectrum]:
        """Return the mean spectrum of the sound before, of the same behind a filter, as samples of
        the sound after hold it, and of the sound after; `resolution` is in Hz."""
        is_cut = bool(sections) and (self._written or self.after.subtype).startswith("PCM")
        plain = SpectrumName(resolution)
        behind = SpectrumName(resolution, sections, 1.0 if is_cut else inf)
        before = self.find(self.before, Needs(spectra={plain, behind})).spectra
        after = self.find(self.after, Needs(spectra={plain})).spectra
        return before[plain], before[behind], after[plain]

    def find(self, sound: Sound, needs: Needs) -> Facts:
        """Return what is known of a sound, with what is needed."""
        facts = self._facts.setdefault(sound, facts_of(sound))
        if missing := needs.without(facts):
            look_for(missing, sound, facts)
        return facts

    @property
    def _two(self) -> tuple[Sound, Sound]:
        return self.before, self.after

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
