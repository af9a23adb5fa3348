"""True peaks: the values between samples, by ITU-R BS.1770-5, annex 2, streamed.

A value between samples is at most so many times the samples around it as the taps of its phase add
up to. It also lies near the straight line between its neighbours: by so many times the bends of the
sound around it, its second differences, as the taps say when they are added up twice. So only where
both bounds leave room for a new highest peak are the values between samples looked for, which in
speech and music is hardly anywhere: first by one fast product, whose sums run in another order, and
where that comes near the highest peak once more.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..blocks import Frames, Indices

_TAPS, _CHUNK, _AT_ONCE = 48, 32, 128
"""Taps of a phase; frames that are looked at or passed over together; chunks in one product."""
_NEAR = 0.9999
"""Of the highest peak: two orders of a sum differ by less, for no sample is above that peak."""
_ABOVE = 1.0001
"""Of a sample: what rounding adds to a straight line between two."""


class TruePeakMeter:
    """Looks for the highest value of blocks of shape (frames, channels), at 4 times the rate, 2
    times from 96 kHz on, and at the samples alone from 192 kHz on."""

    def __init__(self, rate: int, channels: int) -> None:
        factor = 4 if rate < 96_000 else 2 if rate < 192_000 else 1
        self._phases = _phases(factor)
        self._most = float(np.abs(self._phases).sum(axis=0).max(initial=1.0))
        self._bend = max((_bend(taps) for taps in self._phases.T), default=0.0)
        self._spread = _spread(self._phases)
        self._rest = np.zeros((channels, _TAPS), np.float32)
        self.peak = 0.0

    def feed(self, block: Frames) -> None:
        """Take more frames."""
        self._look(np.ascontiguousarray(block.T))

    def end(self) -> float:
        """Return the highest value, full scale 1.0."""
        self._look(np.zeros((len(self._rest), _TAPS), np.float32))
        return self.peak

    def _look(self, rows: Frames) -> None:
        if not rows.shape[1]:
            return
        self.peak = max(self.peak, float(rows.max()), -float(rows.min()))
        if not self._phases.size:
            return
        whole = np.concatenate((self._rest, rows), axis=1)
        for row in whole:
            self._between(row)
        self._rest = whole[:, -_TAPS:].copy()

    def _between(self, row: Frames) -> None:
        """Look between the samples of a channel; the first `_TAPS` of them have been looked at."""
        span = min(_CHUNK + _TAPS, len(row))
        starts = np.arange(0, len(row) - _TAPS, _CHUNK)
        bounds = self._bounds(row, starts)
        order = np.flatnonzero(bounds > self.peak)
        order = order[np.argsort(-bounds[order])]  # the highest first, so that fewer others count
        places = self._phases.shape[1] * (span - _TAPS + 1)
        for at in range(0, len(order), _AT_ONCE):
            chosen = order[at : at + _AT_ONCE]
            chosen = chosen[bounds[chosen] > self.peak]
            if not len(chosen):
                return
            first = np.minimum(starts[chosen], len(row) - span)
            around = row[first[:, None] + np.arange(span)]
            rough = np.abs(around @ self._spread[:span, :places]).max(axis=1)
            around = around[rough > self.peak * _NEAR]
            if len(around):
                between = sliding_window_view(around, _TAPS, axis=1) @ self._phases
                self.peak = max(self.peak, float(between.max()), -float(between.min()))

    def _bounds(self, row: Frames, starts: Indices) -> Frames:
        """Return for each chunk a value that no value between its samples is above."""
        high, bend = _around(row, starts), _around(np.diff(row, 2, append=row[-1:]), starts)
        bounds: Frames = np.minimum(high * self._most, high * _ABOVE + bend * self._bend)
        return bounds


def _around(row: Frames, starts: Indices) -> Frames:
    """Return the highest value, signs aside, of each chunk and of the two behind it, into which the
    taps of its last frame reach."""
    high = np.maximum.reduceat(np.abs(row), starts)
    last = np.abs(row[starts[-1] :]).max()
    high = np.maximum(high, np.append(high[1:], last))
    around: Frames = np.maximum(high, np.append(high[1:], last))
    return around


def _bend(taps: Frames) -> float:
    """Return how far a value is at most from the straight line between its two neighbours, in
    second differences of the samples that the taps of its phase reach."""
    line = taps.astype(np.float64)
    place = float(line @ np.arange(len(line)))
    left = int(place)
    line[left] -= left + 1 - place
    line[left + 1] -= place - left
    return float(np.abs(np.cumsum(np.cumsum(line))).sum())


def _spread(phases: Frames) -> Frames:
    """Return the matrix whose product with a chunk and what lies around it are the values of all
    phases at all its frames."""
    taps, places = phases.shape
    spread = np.zeros((_CHUNK + taps, _CHUNK + 1, places), np.float32)
    for frame in range(_CHUNK + 1):
        spread[frame : frame + taps, frame] = phases
    return spread.reshape(_CHUNK + taps, -1)


def _phases(factor: int) -> Frames:
    """Return a windowed sinc for each place between two samples, of shape (taps, places)."""
    phases = []
    for phase in range(1, factor):
        at = np.arange(_TAPS) - _TAPS / 2 + phase / factor
        window = np.kaiser(2 * _TAPS * factor + 1, 9.0)
        taps = np.sinc(at) * np.interp(at, np.linspace(-_TAPS / 2, _TAPS / 2, len(window)), window)
        phases.append(taps / taps.sum())
    return np.array(phases, np.float32).reshape(-1, _TAPS).T.copy()
