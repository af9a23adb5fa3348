"""Loudness and true peak by ITU-R BS.1770-5, loudness range by EBU Tech 3342,
and their curves over time, streamed.

Energies are kept for every 10 ms, so that the highest momentary and short-term loudness are found
wherever a sound begins (Tech 3341, cases 10 and 13); gating blocks are 400 ms, every 100 ms.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from math import log10

import numpy as np

from ..blocks import Frames, Samples
from ..headers.speakers import BACK, LFE, SIDES
from .filters import Recursion, Section
from .true_peak import TruePeakMeter

ABSOLUTE_GATE, RELATIVE_GATE, RANGE_GATE = -70.0, -10.0, -20.0
_STEPS = 100
"""Energies a second."""
_MOMENTARY, _SHORT, _HOP = 40, 300, 10
"""In steps: 400 ms, 3 s, 100 ms."""
_PIECE = 16_384
"""Frames that are filtered at once, which bounds the memory."""

_PLAIN, _SURROUND = 2, 1.41
CHANNEL_WEIGHTS: dict[int, tuple[float, ...]] = {
    1: (1.0,),
    2: (1.0, 1.0),
    3: (1.0, 1.0, 1.0),
    4: (1.0, 1.0, 1.41, 1.41),
    5: (1.0, 1.0, 1.0, 1.41, 1.41),
    6: (1.0, 1.0, 1.0, 0.0, 1.41, 1.41),
    7: (1.0, 1.0, 1.0, 0.0, 1.0, 1.41, 1.41),
    8: (1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.41, 1.41),
}
"""BS.1770-5, tables 3 and 4, for channels in the order of wav files: left, right, centre, LFE (not
counted), then those behind (1.0) and at the sides (1.41). Four and five channels have no LFE."""


def weights_of(channels: int, speakers: int = 0) -> tuple[float, ...] | None:
    """Return the weight of each channel by the speakers that they are for, bits as in wav files; 0
    are those that so many channels of a wav file usually are for. None where that is unknown."""
    usual = CHANNEL_WEIGHTS.get(channels)
    if usual is None or channels <= _PLAIN or speakers.bit_count() != channels:
        return usual
    surround = SIDES if speakers & SIDES else BACK
    bits = (1 << n for n in range(speakers.bit_length()) if speakers >> n & 1)
    return tuple(0.0 if bit == LFE else _SURROUND if bit & surround else 1.0 for bit in bits)


@dataclass(frozen=True, slots=True)
class Loudness:
    """LUFS, LU for the range, dBTP for the peak. None where there is no such number: shorter than
    the measure's window, everything below the gate, channels whose places are unknown."""

    integrated: float | None
    momentary_max: float | None
    short_term_max: float | None
    range: float | None
    true_peak: float | None


class LoudnessMeter:
    """Measures the loudness of blocks of shape (frames, channels), which are for `speakers`."""

    def __init__(self, rate: int, channels: int, speakers: int = 0) -> None:
        self._rate = rate
        weights = weights_of(channels, speakers)
        self._weights = None if weights is None else np.array(weights)
        self._filter = Recursion(k_weighting(rate), channels)
        self._peaks = TruePeakMeter(rate, channels)
        # Thousands of small arrays would lie between the large ones and keep their place.
        self._energies = array("d")
        self._left = np.zeros(0)
        self._steps = 0

    def feed(self, block: Frames) -> None:
        """Take more frames."""
        if len(block):
            self._peaks.feed(block)
            for at in range(0, len(block) if self._weights is not None else 0, _PIECE):
                piece = block[at : at + _PIECE].T.astype(np.float64)
                self._take(self._filter.feed(piece))

    def end(self) -> Loudness:
        """Return the loudness of all frames."""
        if self._weights is not None:
            self._take(self._filter.end())
        energies = np.frombuffer(self._energies)
        momentary = self._windows(energies, _MOMENTARY)
        integrated = _integrated_loudness(momentary[::_HOP])
        loudest = _level(float(momentary.max())) if len(momentary) else None
        del momentary  # of hours each takes megabytes
        short = self._windows(energies, _SHORT)
        return Loudness(
            integrated=integrated,
            momentary_max=loudest,
            short_term_max=_level(float(short.max())) if len(short) else None,
            range=_range(short[::_HOP]),
            true_peak=decibels(self._peaks.end()),
        )

    def curves(self) -> tuple[Samples, Samples]:
        """Return momentary and short-term loudness in LUFS, every 100 ms from the end of the first
        window (0.4 s, 3 s) on; -inf for silence. Call it after `end`."""
        energies = np.array(self._energies)
        with np.errstate(divide="ignore"):
            momentary, short = (
                -0.691 + 10 * np.log10(self._windows(energies, steps)[::_HOP])
                for steps in (_MOMENTARY, _SHORT)
            )
        return momentary, short

    def _take(self, filtered: Samples) -> None:
        if filtered.shape[1] and self._weights is not None:
            filtered *= filtered
            self._keep(self._weights @ filtered)

    def _keep(self, power: Samples) -> None:
        """Sum the weighted power up to each whole step; the rest waits."""
        power = np.concatenate((self._left, power))
        begin = self._edge(self._steps)
        count = (len(power) * _STEPS) // self._rate + 2
        edges = np.rint((self._steps + np.arange(count)) * (self._rate / _STEPS)) - begin
        edges = edges[edges <= len(power)].astype(np.int64)
        if len(edges) > 1:
            self._energies.frombytes(np.add.reduceat(power[: edges[-1]], edges[:-1]).tobytes())
            self._steps += len(edges) - 1
            power = power[edges[-1] :]
        self._left = power

    def _edge(self, step: int) -> int:
        return int(np.rint(step * (self._rate / _STEPS)))

    def _windows(self, energies: Samples, steps: int) -> Samples:
        """Return the mean weighted power of every window of so many steps, one for each step."""
        if len(energies) < steps or self._weights is None:
            return np.zeros(0)
        sums = np.zeros(len(energies) + 1)
        np.cumsum(energies, out=sums[1:])
        power = sums[steps:] - sums[:-steps]
        for at in range(0, len(power), _PIECE):  # of hours each array takes megabytes
            piece = power[at : at + _PIECE]
            edges = np.rint((at + np.arange(len(piece) + steps)) * (self._rate / _STEPS))
            piece /= edges[steps:] - edges[:-steps]
            np.maximum(piece, 0.0, out=piece)
        return power


def decibels(amplitude: float) -> float | None:
    """Return 20 log10 of a value, None for nought."""
    return 20 * log10(amplitude) if amplitude > 0 else None


def _level(power: float) -> float | None:
    return -0.691 + 10 * log10(power) if power > 0 else None


def _power(level: float) -> float:
    return float(10 ** ((level + 0.691) / 10))


def _integrated_loudness(blocks: Samples) -> float | None:
    """Return the loudness behind two gates (BS.1770-5, formulas 4 to 7)."""
    loud = blocks[blocks > _power(ABSOLUTE_GATE)]
    if not len(loud):
        return None
    gate = float(loud.mean()) * 10 ** (RELATIVE_GATE / 10)
    return _level(float(loud[loud > gate].mean()))


def _range(blocks: Samples) -> float | None:
    """Return the span from the 10th to the 95th percentile of the gated short-term loudness (Tech
    3342)."""
    loud = blocks[blocks >= _power(ABSOLUTE_GATE)]
    if not len(loud):
        return None
    gate = float(loud.mean()) * 10 ** (RANGE_GATE / 10)
    levels = np.sort(loud[loud >= gate])
    low, high = (levels[round((len(levels) - 1) * share)] for share in (0.10, 0.95))
    return float(10 * log10(high / low))


def k_weighting(rate: int) -> tuple[Section, Section]:
    """Return both stages. The standard has coefficients for 48 kHz; these come from the analogue
    filters behind them and are the same there."""
    shelf = np.tan(np.pi * min(1681.974450955533, 0.49 * rate) / rate)
    high, quality = 10 ** (3.999843853973347 / 20), 0.7071752369554196
    middle = high**0.4996667741545416
    shelf_top = (
        high + middle * shelf / quality + shelf**2,
        2 * (shelf**2 - high),
        high - middle * shelf / quality + shelf**2,
    )
    shelf_low = (1 + shelf / quality + shelf**2, 2 * (shelf**2 - 1), 1 - shelf / quality + shelf**2)
    cut, cut_quality = np.tan(np.pi * 38.13547087602444 / rate), 0.5003270373238773
    cut_low = (1 + cut / cut_quality + cut**2, 2 * (cut**2 - 1), 1 - cut / cut_quality + cut**2)
    # The standard writes the second numerator as 1, -2, 1 without the gain that belongs to it.
    cut_top = (cut_low[0], -2 * cut_low[0], cut_low[0])
    return _section(shelf_top, shelf_low), _section(cut_top, cut_low)


def _section(top: tuple[float, ...], low: tuple[float, ...]) -> Section:
    return tuple(value / low[0] for value in top), tuple(value / low[0] for value in low)
