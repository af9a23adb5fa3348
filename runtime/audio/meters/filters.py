"""Filters and their designs. They work in blocks, exact to float64 whatever these are: products of
matrices and of spectra in place of a loop over samples."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..blocks import Samples


class Convolver:
    """Convolves channels with several kernels of the same length at once (overlap-save).

    `feed` and `end` give one array for each kernel, of shape (channels, frames); as many frames
    come out in all as went in, the first of them belonging to the first that went in."""

    def __init__(self, kernels: Samples, channels: int) -> None:
        taps = kernels.shape[1]
        self._size = 1 << max(14, int(np.ceil(np.log2(taps * 6))))
        self._past = taps - 1
        self._spectra = np.fft.rfft(kernels, self._size)
        self._hop = self._size - self._past
        self._buffer = np.zeros((channels, self._size))
        self._filled = self._past

    def feed(self, block: Samples) -> Samples:
        """Take frames of shape (channels, frames); return what is ready, (kernels, channels, n)."""
        ready, at = [], 0
        while at < block.shape[1]:
            count = min(self._size - self._filled, block.shape[1] - at)
            self._buffer[:, self._filled : self._filled + count] = block[:, at : at + count]
            self._filled += count
            at += count
            if self._filled == self._size:
                ready.append(self._convolve(self._hop))
                self._buffer[:, : self._past] = self._buffer[:, self._hop :]
                self._filled = self._past
        return self._join(ready)

    def end(self) -> Samples:
        """Return the rest."""
        left = self._filled - self._past
        self._buffer[:, self._filled :] = 0
        return self._join([self._convolve(left)] if left else [])

    def _convolve(self, count: int) -> Samples:
        spectrum = np.fft.rfft(self._buffer)
        filtered: Samples = np.fft.irfft(spectrum[None] * self._spectra[:, None], self._size)
        return filtered[:, :, self._past : self._past + count]

    def _join(self, ready: list[Samples]) -> Samples:
        if not ready:
            return np.zeros((len(self._spectra), len(self._buffer), 0))
        return ready[0] if len(ready) == 1 else np.concatenate(ready, axis=2)


Section = tuple[Sequence[float], Sequence[float]]
"""A recursive filter of second order: three weights of the input, three of the output, of which the
first is 1."""
Sections = tuple[Section, ...]
"""Filters one behind the other, all of tuples: what is known of a sound is found by them."""
PEAK, LOW_SHELF, HIGH_SHELF = range(3)
_STEEPEST, _MOST_DB = 96, 200.0


def butterworth(hz: float, slope: float, rate: int, *, low: bool) -> Sections:
    """Return a Butterworth filter, a low-pass (`low`) or a high-pass: -3 dB at `hz`, `slope` dB an
    octave, 6 to 96. It is the bilinear transform of the analogue one (A. V. Oppenheim, R. W.
    Schafer, Discrete-Time Signal Processing, chapter 7). Raise `ValueError` for a frequency that
    the `rate` does not have and for another slope."""
    if slope % 6 or not 6 <= slope <= _STEEPEST:
        raise ValueError(f"a slope is 6, 12, 18 … {_STEEPEST} dB an octave, not {slope:g}")
    order, k = int(slope) // 6, _warp(hz, rate)
    sign = 1 if low else -1
    found: list[Section] = []
    for number in range(order // 2):
        damped = 2 * k * math.sin(math.pi * (2 * number + 1) / (2 * order))
        first = 1 + damped + k * k
        top = (k * k if low else 1.0) / first
        below = (1.0, 2 * (k * k - 1) / first, (1 - damped + k * k) / first)
        found.append(((top, sign * 2 * top, top), below))
    if order % 2:
        top = (k if low else 1.0) / (1 + k)
        found.append(((top, sign * top, 0.0), (1.0, (k - 1) / (1 + k), 0.0)))
    return tuple(found)


def band(kind: int, hz: float, gain_db: float, quality: float, rate: int) -> Section:
    """Return a band of an equaliser (R. Bristow-Johnson, Audio EQ Cookbook): `PEAK`, `LOW_SHELF` or
    `HIGH_SHELF`. Raise `ValueError` for a frequency that the `rate` does not have, a quality that
    is not above 0, a gain beyond 200 dB and another kind."""
    _warp(hz, rate)
    if kind not in (PEAK, LOW_SHELF, HIGH_SHELF) or not quality > 0 or abs(gain_db) > _MOST_DB:
        raise ValueError(f"a band is not of kind {kind:g}, {gain_db:g} dB and Q {quality:g}")
    amplitude = 10 ** (gain_db / 40)
    cosine, alpha = math.cos(2 * math.pi * hz / rate), math.sin(2 * math.pi * hz / rate)
    alpha /= 2 * quality
    top: tuple[float, float, float]
    low: tuple[float, float, float]
    if kind == PEAK:
        top = 1 + alpha * amplitude, -2 * cosine, 1 - alpha * amplitude
        low = 1 + alpha / amplitude, -2 * cosine, 1 - alpha / amplitude
    else:
        top, low = _shelf(amplitude, cosine, 2 * math.sqrt(amplitude) * alpha, kind)
    return tuple(one / low[0] for one in top), (1.0, low[1] / low[0], low[2] / low[0])


def _shelf(
    a: float, cosine: float, root: float, kind: int
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return the coefficients; a high shelf is a low one with the cosine turned round."""
    turn = 1 if kind == LOW_SHELF else -1
    up, down = a + 1, a - 1
    c = turn * cosine
    top = a * (up - down * c + root), turn * 2 * a * (down - up * c), a * (up - down * c - root)
    low = up + down * c + root, turn * -2 * (down + up * c), up + down * c - root
    return top, low


def _warp(hz: float, rate: int) -> float:
    """Return a frequency as the bilinear transform bends it."""
    if not 0 < hz < rate / 2:
        raise ValueError(f"{rate} samples a second do not have {hz:g} Hz")
    return math.tan(math.pi * hz / rate)


_RUN, _RUNS = 32, 32
"""Samples that one product filters; so many runs find their states by one."""


class Recursion:
    """Sends channels through sections, one behind the other. What a run of samples gives, and the
    state it leaves, is a product of it and the state before: the states of all runs come first,
    from run to run by such products too, and then all samples at once.

    `feed` and `end` take and give shape (channels, frames); as many frames come out in all as went
    in."""

    def __init__(self, sections: Sequence[Section], channels: int) -> None:
        size = 2 * len(sections)
        whole = _run_map(sections, _RUN)
        self._given, self._left = whole[:_RUN, :_RUN], whole[:_RUN, _RUN:].copy()
        self._kept = whole[_RUN:, :_RUN].copy()
        powers = [np.eye(size)]
        for _ in range(_RUNS):
            powers.append(powers[-1] @ whole[_RUN:, _RUN:])
        self._powers = np.concatenate(powers, axis=1)
        nothing = np.zeros((size, size))
        self._sums = np.concatenate(
            [
                np.concatenate([*[nothing] * (run + 1), *powers[: _RUNS - run]], axis=1)
                for run in range(_RUNS)
            ]
        )
        self._state = np.zeros((channels, size))
        self._rest = np.zeros((channels, 0))

    def feed(self, rows: Samples) -> Samples:
        """Take frames; return what is ready."""
        if self._rest.shape[1]:
            rows = np.concatenate((self._rest, rows), axis=1)
        count = rows.shape[1] // _RUN
        self._rest = rows[:, count * _RUN :].copy()
        runs = rows[:, : count * _RUN].reshape(len(rows), count, _RUN)
        if not count:
            return runs.reshape(len(rows), 0)
        done: Samples = runs @ self._given
        done += self._states(runs @ self._left) @ self._kept
        return done.reshape(len(rows), -1)

    def end(self) -> Samples:
        """Return the rest."""
        owed = self._rest.shape[1]
        return self.feed(np.zeros((len(self._rest), _RUN)))[:, :owed]

    def _states(self, left: Samples) -> Samples:
        """Return the state before each run, of shape (channels, runs, size), and keep that after
        the last. `left` is what each run leaves of itself."""
        channels, count, size = left.shape
        groups = -(-count // _RUNS)
        rows = np.zeros((channels, groups * _RUNS, size))
        rows[:, :count] = left
        within = rows.reshape(channels, groups, -1) @ self._sums
        for group in range(groups):
            within[:, group] += self._state @ self._powers
            self._state = within[:, group, -size:]
        states = within[:, :, :-size].reshape(channels, -1, size)
        if count < groups * _RUNS:
            self._state = states[:, count]
        self._state = self._state.copy()
        return np.asarray(states[:, :count])


_TOGETHER = 4
"""Sections of one recursion: with more of them its matrices grow faster than they save."""


class Cascade:
    """Sends channels through any number of sections, as a `Recursion` does through a few."""

    def __init__(self, sections: Sections, channels: int) -> None:
        places = range(0, len(sections), _TOGETHER)
        self._parts = [Recursion(sections[at : at + _TOGETHER], channels) for at in places]
        self._none = np.zeros((channels, 0))

    def feed(self, rows: Samples) -> Samples:
        """Take frames of shape (channels, frames); return what is ready."""
        for part in self._parts:
            rows = part.feed(rows)
        return rows

    def end(self) -> Samples:
        """Return the rest."""
        rows = self._none
        for part in self._parts:
            rows = np.concatenate((part.feed(rows), part.end()), axis=1)
        return rows


def _run_map(sections: Sequence[Section], count: int) -> Samples:
    """Return the matrix that makes of so many samples and a state, which stand in one row, as many
    samples and the state after them."""
    size = count + 2 * len(sections)
    rows = np.eye(size)
    done = np.zeros((size, size))
    state = rows[:, count:].copy()
    for at in range(count):
        value = rows[:, at]
        for number, (top, low) in enumerate(sections):
            one, two = state[:, 2 * number].copy(), state[:, 2 * number + 1].copy()
            out = top[0] * value + one
            state[:, 2 * number] = top[1] * value - low[1] * out + two
            state[:, 2 * number + 1] = top[2] * value - low[2] * out
            value = out
        done[:, at] = value
    done[:, count:] = state
    return done
