"""Clicks taken out: found as what no neighbour foretells, filled as the neighbours foretell.

A short stretch of sound is predicted from the samples before (and, turned round, from those after)
by linear prediction. A click is an error of both that stands far out of the usual ones. Its samples
become those with which the prediction errs least (Janssen, Veldhuis and Vries).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ..blocks import Frames, Samples
from .job import Chain, Job

_ORDER = 32
_STRETCH_S, _AROUND_S = 0.024, 0.012
_EDGE_S = 0.0001
_LEAST = 1e-4
"""An error below this, -80 dBFS, is not a click."""
_WHITEN = 1e-7
"""Of the power, added to it: without noise at all no prediction could be told from another."""
_HIGHEST = 1.2
"""Times the highest sample around: what is filled in is as high at most."""


class _Declicked:
    """A stage that repairs each channel by itself, a stretch at a time with its surroundings."""

    def __init__(self, rate: int, channels: int, times: float, most_ms: float) -> None:
        self._hop, self._around = round(rate * _STRETCH_S), round(rate * _AROUND_S)
        self._hop, self._around = max(self._hop, 128), max(self._around, 2 * _ORDER)
        self._edge = max(round(rate * _EDGE_S), 1)
        self._most, self._times = max(round(rate * most_ms / 1000), 1), times
        self._buffer = np.zeros((self._around, channels), np.float32)
        self._owed = 0

    def feed(self, block: Frames) -> Frames:
        """Return what is ready."""
        self._owed += len(block)
        return self._ready(block)

    def end(self) -> Frames:
        """Return the rest."""
        owed = self._owed
        silence = np.zeros((self._around + self._hop, self._buffer.shape[1]), np.float32)
        return self._ready(silence)[:owed]

    def _ready(self, block: Frames) -> Frames:
        whole = np.concatenate((self._buffer, block))
        count = max((len(whole) - 2 * self._around) // self._hop, 0)
        if not count:
            self._buffer = whole
            return whole[:0]
        # What was repaired already stands before the next stretch.
        for number in range(count):
            at = number * self._hop
            part = whole[at : at + self._hop + 2 * self._around]
            for channel in range(part.shape[1]):
                self._repair(part[:, channel])
        done = whole[self._around : self._around + count * self._hop]
        self._buffer = whole[count * self._hop :]
        self._owed -= len(done)
        return done

    def _repair(self, part: Frames) -> None:
        """Fill the clicks of a stretch in place."""
        wide = part.astype(np.float64)
        if float(np.abs(wide).max()) < _LEAST:
            return
        weights = predictor(wide)
        ahead = np.abs(np.convolve(wide, weights)[: len(wide)])
        behind = np.abs(np.convolve(wide[::-1], weights)[: len(wide)][::-1])
        least = self._times * 1.4826 * float(np.median(np.minimum(ahead, behind)))
        count = self._around // 2
        for start, end in _clicks(ahead, behind, max(least, _LEAST), self._most):
            # What lies before the stretch has been given away.
            first, last = max(start - self._edge, self._around), end + 1 + self._edge
            last = min(last, len(wide) - _ORDER)
            if last <= first:
                continue
            near = np.concatenate((wide[max(first - count, 0) : first], wide[last : last + count]))
            filled = fill(wide, first, last, weights)
            if np.abs(filled).max() <= _HIGHEST * np.abs(near).max():
                wide[first:last] = part[first:last] = filled


def _clicks(ahead: Samples, behind: Samples, least: float, most: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last sample of each click. What was before does not foretell its
    first one, what is after not its last one; where a sound begins at once they stand the other way
    round, and no click lies between."""
    first, last = (np.flatnonzero(errors > least) for errors in (ahead, behind))
    places = np.union1d(first, last)
    breaks = [0, *(np.flatnonzero(np.diff(places) > most) + 1), len(places)]
    for low, high in pairwise(breaks):
        if high > low:
            starts = first[(first >= places[low]) & (first <= places[high - 1])]
            ends = last[(last >= places[low]) & (last <= places[high - 1])]
            if len(starts) and len(ends) and 0 <= ends[-1] - starts[0] < most:
                yield int(starts[0]), int(ends[-1])


def predictor(wide: Samples) -> Samples:
    """Return the filter that leaves the error of prediction: 1, and minus the weights of the
    samples before."""
    shaped = wide * np.hanning(len(wide) + 2)[1:-1]
    spectrum = np.fft.rfft(shaped, 2 * len(wide))
    lags = np.fft.irfft(spectrum.real**2 + spectrum.imag**2)[: _ORDER + 1]
    lags[0] = lags[0] * (1 + _WHITEN) + 1e-20
    rows = np.abs(np.subtract.outer(np.arange(_ORDER), np.arange(_ORDER)))
    weights = np.linalg.solve(lags[rows], lags[1:])
    return np.concatenate((np.ones(1), -weights))


def fill(wide: Samples, first: int, last: int, weights: Samples) -> Samples:
    """Return in place of some samples those with which the errors of prediction around are least;
    they lie as far within the stretch as the prediction reaches."""
    count, order = last - first, len(weights) - 1
    rows = count + order
    near = np.zeros((rows, rows + order))
    for row in range(rows):
        near[row, row : row + order + 1] = weights[::-1]
    start = first - order
    known = wide[start : start + rows + order].copy()
    known[order : order + count] = 0
    unknown = near[:, order : order + count]
    found, *_ = np.linalg.lstsq(unknown, -(near @ known), rcond=None)
    return np.asarray(found)


def declick(job: Job) -> Chain:
    """Find and fill clicks of up to some milliseconds; everything else stays as it is."""
    sound, values = job.input, job.values
    stage = _Declicked(sound.rate, sound.channels, values["times"], values["most_ms"])
    return Chain([stage])
