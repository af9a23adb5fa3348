"""The response of a band of an equaliser (R. Bristow-Johnson, Audio EQ Cookbook)."""

from __future__ import annotations

import numpy as np

from ..blocks import Samples

PEAK, LOW_SHELF, HIGH_SHELF = range(3)


def band_power(
    hz: Samples, rate: int, kind: int, freq: float, gain_db: float, quality: float
) -> Samples:
    """Return the power by which each frequency is multiplied."""
    amplitude = 10 ** (gain_db / 40)
    middle = 2 * np.pi * freq / rate
    cosine, alpha = np.cos(middle), np.sin(middle) / (2 * quality)
    top: tuple[float, ...]
    low: tuple[float, ...]
    if kind == PEAK:
        top = 1 + alpha * amplitude, -2 * cosine, 1 - alpha * amplitude
        low = 1 + alpha / amplitude, -2 * cosine, 1 - alpha / amplitude
    else:
        top, low = _shelf(amplitude, cosine, 2 * np.sqrt(amplitude) * alpha, kind)
    z = np.exp(-2j * np.pi * hz / rate)
    above, below = (a + b * z + c * z * z for a, b, c in (top, low))
    return np.asarray(np.abs(above) ** 2 / np.abs(below) ** 2)


def _shelf(a: float, cosine: float, root: float, kind: int) -> tuple[tuple[float, ...], ...]:
    """Return the coefficients; a high shelf is a low one with the cosine turned round."""
    turn = 1 if kind == LOW_SHELF else -1
    up, down = a + 1, a - 1
    c = turn * cosine
    top = a * (up - down * c + root), turn * 2 * a * (down - up * c), a * (up - down * c - root)
    low = up + down * c + root, turn * -2 * (down + up * c), up + down * c - root
    return top, low
