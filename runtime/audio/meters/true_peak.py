"""True peaks: the values between samples, by ITU-R BS.1770-5, annex 2, streamed.

A value between samples is at most so many times the samples around it as the taps of its phase add
up to. So only where samples are high enough for a new highest peak are the values between them
looked for, which in speech is hardly anywhere: first by one fast product, whose sums run in another
order, and where that comes near the highest peak once more.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..blocks import Frames

_TAPS, _CHUNK, _AT_ONCE = 48, 32, 128
"""Taps of a phase; frames that are looked at or passed over together; chunks in one product."""
_NEAR = 0.9999
"""Of the highest peak: two orders of a sum differ by less, for no sample is above that peak."""


class TruePeakMeter:
    """Looks for the highest value of blocks of shape (frames, channels), at 4 times the rate, 2
    times from 96 kHz on, and at the samples alone from 192 kHz on."""

    def __init__(self, rate: int, channels: int) -> None:
        factor = 4 if rate < 96_000 else 2 if rate < 192_000 else 1
        self._phases = _phases(factor)
        self._most = float(np.abs(self._phases).sum(axis=0).max(initial=1.0))
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
        high = np.maximum.reduceat(np.abs(row), starts)
        high = np.maximum(high, np.append(high[1:], np.abs(row[-_TAPS:]).max()))
        order = np.flatnonzero(high * self._most > self.peak)
        order = order[np.argsort(-high[order])]  # the highest first, so that fewer others count
        places = self._phases.shape[1] * (span - _TAPS + 1)
        for at in range(0, len(order), _AT_ONCE):
            chosen = order[at : at + _AT_ONCE]
            chosen = chosen[high[chosen] * self._most > self.peak]
            if not len(chosen):
                return
            first = np.minimum(starts[chosen], len(row) - span)
            around = row[first[:, None] + np.arange(span)]
            rough = np.abs(around @ self._spread[:span, :places]).max(axis=1)
            around = around[rough > self.peak * _NEAR]
            if len(around):
                between = sliding_window_view(around, _TAPS, axis=1) @ self._phases
                self.peak = max(self.peak, float(between.max()), -float(between.min()))


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
