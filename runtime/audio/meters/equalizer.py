"""How far a spectrum lies from that behind a filter: Butterworth, or the bands of an equaliser (R.
Bristow-Johnson, Audio EQ Cookbook)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import log10

import numpy as np

from ..blocks import Samples
from ..calls.files import Sound
from .courses import Both
from .levels import RESOLUTION, Spectrum

Value = float | str
_FAR_DB = 24.0
"""A deviation counts as this much at most."""
_DEEPEST_DB = -30.0
"""Below this a filter has done its work."""
_LOOSER_DB = 20.0
"""A deviation counts half where the gain is that far from 0 dB: there what else is in the band,
such as the spectrum of a sudden beginning, weighs as much as the sound."""
_FAINT_DB = -75.0
"""A third of an octave this far below the whole counts as gone, before and after."""
_FAINT_LOSSY_DB = -45.0
"""The same in a format that leaves out what is not heard."""
_LOSSY = ("MP3", "OGG", "M4A")
_WIDE_HZ, _FINEST_HZ = 100.0, 0.3
"""How narrow bands are taken to be; a notch is seen with an eighth of its width."""
_STEPS = 25
"""So many frequencies are looked at below a cutoff, at the least."""
_SILENT = "all of it is silence"
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


def highpass_misfit(both: Both, cutoff: float, slope: float) -> Value:
    """Return how far the spectrum lies from that behind a Butterworth high-pass, dB: the third of
    an octave where it is most."""
    return _filter_misfit(
        both,
        lambda hz, rate: _butterworth(hz, cutoff, slope, rate, low=False),
        _resolution(both, cutoff),
    )


def lowpass_misfit(both: Both, cutoff: float, slope: float) -> Value:
    """Return the same of a low-pass."""
    return _filter_misfit(
        both,
        lambda hz, rate: _butterworth(hz, cutoff, slope, rate, low=True),
        _resolution(both, cutoff),
    )


def bandpass_misfit(both: Both, low: float, high: float, slope: float) -> Value:
    """Return the same of a high-pass and a low-pass."""
    return _filter_misfit(
        both,
        lambda hz, rate: (
            _butterworth(hz, low, slope, rate, low=False)
            * _butterworth(hz, high, slope, rate, low=True)
        ),
        _resolution(both, low),
    )


def eq_misfit(both: Both, *bands: float) -> Value:
    """Return the same of an equaliser: four numbers a band, its kind (0 a peak, 1 a low shelf, 2 a
    high shelf), Hz, dB and Q."""
    rows = [bands[at : at + 4] for at in range(0, len(bands) - 3, 4)]

    def whole(hz: Samples, rate: int) -> Samples:
        power = np.ones_like(hz)
        for kind, freq, gain, quality in rows:
            power = power * band_power(hz, rate, int(kind), freq, gain, quality)
        return power

    narrowest = min((freq / quality for _, freq, _, quality in rows), default=_WIDE_HZ)
    return _filter_misfit(both, whole, min(max(narrowest / 8, _FINEST_HZ), RESOLUTION))


def _resolution(both: Both, cutoff: float) -> float:
    """Return in how fine steps (Hz) the spectrum below and above a cutoff is looked at; a sound has
    to be as long as a few windows."""
    finest = max(_FINEST_HZ, 8 / max(both.before.seconds, 1e-3))
    return min(max(cutoff / _STEPS, finest), RESOLUTION)


def _butterworth(hz: Samples, cutoff: float, slope: float, rate: int, *, low: bool) -> Samples:
    """Return the power response, bilinear as digital filters have it."""
    warped = np.tan(np.pi * np.minimum(hz, 0.4999 * rate) / rate) / np.tan(np.pi * cutoff / rate)
    with np.errstate(over="ignore", divide="ignore"):
        steep = warped ** (slope / 3)
        return np.asarray(1 / (1 + steep) if low else 1 - 1 / (1 + steep))


def _filter_misfit(
    both: Both, response: Callable[[Samples, int], Samples], resolution: float
) -> Value:
    rate = both.before.rate
    if rate != both.after.rate:
        return "the sample rate before and after differs"
    before, after = both.spectra(resolution)
    if not before.power.sum() > 0:
        return _SILENT
    wanted = Spectrum(before.hz, before.power * response(before.hz, rate))
    lossy = both.after.format in _LOSSY
    faint = before.power.sum() * 10 ** ((_FAINT_LOSSY_DB if lossy else _FAINT_DB) / 10)
    noise = _noise_power(both.after) / len(before.hz)
    worst = 0.0
    for low, high in _thirds(0.3 * rate if lossy else 0.45 * rate):
        here = slice(*np.searchsorted(before.hz, (low, high)))
        was = float(before.power[here].sum())
        least = max(faint, noise * (here.stop - here.start))
        if was <= least:
            continue
        asked, got = float(wanted.power[here].sum()), float(after.power[here].sum())
        own = max(1 - _leak(before.power, here) / was, 0.0)
        lent = asked * own + _leak(wanted.power, here)
        powers = got, min(asked, lent), max(asked, lent)
        got, fewest, most = (max(gain_of(max(power, least), was), _DEEPEST_DB) for power in powers)
        nearest = min(max(got, fewest), most)
        worst = max(worst, abs(nearest - got) / (1 + abs(nearest) / _LOOSER_DB))
    return min(worst, _FAR_DB)


def _leak(power: Samples, here: slice) -> float:
    """Return how much of the power in a band its neighbours can have lent it: a window shows a tone
    at the frequencies beside it as well."""
    wide = min(here.stop - here.start, _REACH)
    shares = _LENT[:_REACH] - _LENT[wide : wide + _REACH]
    rows = power[: here.start][::-1][:_REACH], power[here.stop :][:_REACH]
    return float(sum(row @ shares[: len(row)] for row in rows))


def _lent() -> Samples:
    """Return which share of a tone von Hann's window shows so many frequencies away and further: a
    quarter at the next one, and beyond at most what its side lobes are there."""
    away = np.arange(2, 2 * _REACH, dtype=np.float64)
    shares = np.concatenate(([0.25], (np.pi * away * (away * away - 1)) ** -2))
    return np.concatenate((np.cumsum(shares[::-1])[::-1], [0.0]))


_REACH = 1000
"""Frequencies beyond which nothing is lent."""
_LENT = _lent()


def _noise_power(sound: Sound) -> float:
    """Return the power of four times the noise of rounding with dither, over all channels."""
    step = {"PCM_16": 2.0**-15, "PCM_24": 2.0**-23}.get(sound.subtype, 0.0)
    return step * step * sound.channels


def _thirds(top: float) -> list[tuple[float, float]]:
    edges = 1000 * 2 ** (np.arange(-18, 14) / 3 - 1 / 6)
    return [(float(a), float(b)) for a, b in pairwise(edges) if b < top]


def gain_of(power: float, before: float) -> float:
    """Return the power beside that before, dB; -200 and more."""
    return 10 * log10(max(power, 1e-20 * before) / before)
