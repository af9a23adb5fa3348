"""The law of a compressor and of a gate: which gain follows from the peaks of a sound.

The times are those of JUCE's detectors: after `ms` a step is reached to within exp(-2 pi).
"""

from __future__ import annotations

from math import exp, pi

import numpy as np

from ..blocks import Samples
from .courses import Course

_STEP_MS = 0.25
_RMS_RELEASE_MS = 50.0
"""A gate looks at the mean square of the sound, which falls that slowly."""
_DEEPEST_DB = -60.0


def compressor_gains(
    course: Course, threshold: float, ratio: float, attack_ms: float, release_ms: float
) -> Samples:
    """Return the gain in dB at every quarter of a millisecond, without make-up gain."""
    # A detector of single samples rises on noise to between its effective value and its peaks.
    level = _decibels(_follow((course.peaks + 2 * course.means) / 3, attack_ms, release_ms))
    return np.minimum(threshold - level, 0.0) * (1 - 1 / ratio)


def expander_gains(
    course: Course, threshold: float, ratio: float, attack_ms: float, release_ms: float
) -> Samples:
    """Return the gain in dB of a gate at every quarter of a millisecond, -60 at the lowest."""
    mean = np.sqrt(_follow(course.peaks**2, 0.0, _RMS_RELEASE_MS))
    level = _decibels(_follow(mean, attack_ms, release_ms))
    return np.maximum(np.minimum(level - threshold, 0.0) * (ratio - 1), _DEEPEST_DB)


def _follow(values: Samples, attack_ms: float, release_ms: float) -> Samples:
    """Return the envelope: it rises and falls at different speeds."""
    keep = [exp(-2 * pi * _STEP_MS / ms) if ms > 0 else 0.0 for ms in (attack_ms, release_ms)]
    rise, fall = keep
    envelope, now = np.empty(len(values)), 0.0
    for at, value in enumerate(values.tolist()):
        now = value + (rise if value > now else fall) * (now - value)
        envelope[at] = now
    return envelope


def _decibels(values: Samples) -> Samples:
    return np.asarray(20 * np.log10(np.maximum(values, 1e-9)))
