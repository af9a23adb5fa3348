"""The law of a compressor and of a gate: which gain follows from the peaks of a sound.

The times are those of JUCE's detectors: after `ms` a step is reached to within exp(-2 pi).
"""

from __future__ import annotations

from math import exp, pi

import numpy as np

from ..blocks import Samples
from .known import Law, Steps

_STEP_MS = 0.25
_RMS_RELEASE_MS = 50.0
"""A gate looks at the mean square of the sound, which falls that slowly."""
_DEEPEST_DB = -60.0


def compressor_law(threshold: float, ratio: float, attack_ms: float, release_ms: float) -> Law:
    """Return the law of a compressor, without make-up gain."""
    follower = _Follower(attack_ms, release_ms)

    def law(part: Steps) -> Samples:
        # A detector of single samples rises on noise to between its effective value and its peaks.
        level = _decibels(follower.follow((part.peaks + 2 * part.means) / 3))
        return np.minimum(threshold - level, 0.0) * (1 - 1 / ratio)

    return law


def gate_law(threshold: float, ratio: float, attack_ms: float, release_ms: float) -> Law:
    """Return the law of a gate, whose gain is -60 dB at the lowest."""
    squares, follower = _Follower(0.0, _RMS_RELEASE_MS), _Follower(attack_ms, release_ms)

    def law(part: Steps) -> Samples:
        level = _decibels(follower.follow(np.sqrt(squares.follow(part.peaks**2))))
        return np.maximum(np.minimum(level - threshold, 0.0) * (ratio - 1), _DEEPEST_DB)

    return law


class _Follower:
    """An envelope that rises and falls at different speeds."""

    def __init__(self, attack_ms: float, release_ms: float) -> None:
        times = (attack_ms, release_ms)
        self._keep = [exp(-2 * pi * _STEP_MS / ms) if ms > 0 else 0.0 for ms in times]
        self._now = 0.0

    def follow(self, values: Samples) -> Samples:
        """Return the envelope of the next values."""
        rise, fall = self._keep
        envelope, now = np.empty(len(values)), self._now
        for at, value in enumerate(values.tolist()):
            now = value + (rise if value > now else fall) * (now - value)
            envelope[at] = now
        self._now = now
        return envelope


def _decibels(values: Samples) -> Samples:
    return np.asarray(20 * np.log10(np.maximum(values, 1e-9)))
