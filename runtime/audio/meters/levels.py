"""Levels of samples: peak, RMS, DC, clipping, silence, and the energy by frequency."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from math import log10

import numpy as np

from ..blocks import Complexes, Frames, Samples

FULL_SCALE = 0.9999
"""From here on a sample counts as clipped when its neighbours are too."""
CLIPPED_RUN = 3
FRAME_SECONDS = 0.02
EDGES_HZ = (20, 40, 80, 160, 320, 640, 1250, 2500, 5000, 10_000, 20_000)
"""Below which the share of the energy is told."""
RESOLUTION = 3.0
"""Hz; of the spectrum."""


class LevelMeter:
    """Measures levels of blocks of shape (frames, channels)."""

    def __init__(self, rate: int, channels: int) -> None:
        self._frame = max(1, round(rate * FRAME_SECONDS))
        self._left = np.zeros(0)
        self._means = array("d")  # see loudness.py
        self._flags = np.zeros((CLIPPED_RUN, channels), bool)
        self.count = 0
        self.sums = np.zeros(channels)
        self.squares = np.zeros(channels)
        self.peaks = np.zeros(channels)
        self.clipped_runs = 0
        self.not_finite = 0

    def feed(self, block: Frames) -> Frames:
        """Take more frames; return them with zeros for what is not a finite number."""
        rows = np.array(block.T, np.float64, order="C")
        peaks = np.maximum(rows.max(axis=1, initial=0.0), -rows.min(axis=1, initial=0.0))
        if not np.isfinite(peaks).all():
            finite = np.isfinite(block)
            self.not_finite += int((~finite).sum())
            return self.feed(np.where(finite, block, np.float32(0)))
        self.count += len(block)
        self.sums += rows.sum(axis=1)
        self.peaks = np.maximum(self.peaks, peaks)
        self._count_runs(block, bool((peaks >= FULL_SCALE).any()))
        rows *= rows
        self.squares += rows.sum(axis=1)
        self._keep(rows.mean(axis=0))
        return block

    def frames(self) -> Samples:
        """Return the RMS of every 20 ms over all channels; the last one may be shorter."""
        rest = [self._left.mean()] if len(self._left) else []
        return np.asarray(np.sqrt(np.concatenate((np.array(self._means), rest))))

    def silence(self, threshold_dbfs: float) -> tuple[int, int] | None:
        """Return the first frame that is not silent and the one after the last, in samples; None
        when there is only silence."""
        loud = np.flatnonzero(self.frames() > 10 ** (threshold_dbfs / 20))
        if not len(loud):
            return None
        return int(loud[0]) * self._frame, min((int(loud[-1]) + 1) * self._frame, self.count)

    def _count_runs(self, block: Frames, reached: bool) -> None:
        """Count runs of `CLIPPED_RUN` and more, each once: where one becomes that long."""
        if not reached and not self._flags.any() and len(block) >= CLIPPED_RUN:
            return
        flags = np.concatenate((self._flags, np.abs(block) >= FULL_SCALE))
        self._flags = flags[-CLIPPED_RUN:]
        if not flags.any():
            return
        whole = ~flags[:-CLIPPED_RUN]
        for back in range(1, CLIPPED_RUN + 1):
            whole = whole & flags[back : len(flags) - CLIPPED_RUN + back]
        self.clipped_runs += int(whole.sum())

    def _keep(self, means: Samples) -> None:
        means = np.concatenate((self._left, means))
        whole = len(means) // self._frame * self._frame
        if whole:
            self._means.frombytes(means[:whole].reshape(-1, self._frame).mean(axis=1).tobytes())
        self._left = means[whole:]


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Power by frequency (Hz), summed over channels: `power` adds up to the mean square."""

    hz: Samples
    power: Samples

    def share_below(self, hz: float) -> float:
        """Return the share of the energy below a frequency, 0 to 1."""
        total = float(self.power.sum())
        return float(self.power[self.hz < hz].sum()) / total if total > 0 else 0.0

    def strongest(self) -> float | None:
        """Return the frequency of the highest peak, between bins by a parabola; None for
        silence."""
        at = int(np.argmax(self.power))
        if not self.power[at] > 0:
            return None
        if not 0 < at < len(self.power) - 1:
            return float(self.hz[at])
        left, middle, right = (log10(max(p, 1e-300)) for p in self.power[at - 1 : at + 2])
        return float(self.hz[at] + _vertex(left, middle, right) * (self.hz[1] - self.hz[0]))


_ENOUGH = 4
"""Windows of which the first is not needed."""


class SpectrumMeter:
    """Averages the spectra of overlapping windows of blocks (Welch). Without `edges` what stands at
    the very ends counts little, as long as there is a whole window: a sound that begins or is cut
    off at once has all frequencies there; nor does the first of `_ENOUGH` windows, in which a
    filter still rings of such a beginning. `resolution` is in Hz. Windows that do not `overlap`
    take half the time: in a long sound there are enough of them."""

    def __init__(
        self,
        rate: int,
        channels: int,
        edges: bool = True,
        resolution: float = RESOLUTION,
        overlap: bool = True,
    ) -> None:
        self._rate = rate
        self._size = 1 << int(np.ceil(np.log2(rate / resolution)))
        self._window = np.hanning(self._size + 1)[:-1]
        self._buffer = np.zeros((channels, self._size), np.float32)
        self._filled = self._size // 2 if edges else 0
        self._edges = edges
        self._overlap = overlap
        self._sum = np.zeros(self._size // 2 + 1)
        self._first = np.zeros_like(self._sum)
        self._count = 0

    def feed(self, block: Frames) -> None:
        """Take more frames; half a window of silence precedes them, so that the first count as
        well."""
        half, at = self._size // 2, 0
        while at < len(block):
            count = min(self._size - self._filled, len(block) - at)
            self._buffer[:, self._filled : self._filled + count] = block[at : at + count].T
            self._filled += count
            at += count
            if self._filled == self._size:
                self._add()
                self._buffer[:, :half] = self._buffer[:, half:]
                self._filled = half if self._overlap else 0

    def end(self) -> Spectrum:
        """Return the mean spectrum."""
        if self._edges or not self._count:
            rest = self._size - self._filled + self._size // 2
            self.feed(np.zeros((rest, len(self._buffer)), np.float32))
        hz = np.asarray(np.fft.rfftfreq(self._size, 1 / self._rate), np.float64)
        scale = 1 / (self._size * (self._window**2).sum())  # Parseval
        if self._edges or self._count < _ENOUGH:
            return Spectrum(hz, self._sum * (scale / max(self._count, 1)))
        return Spectrum(hz, (self._sum - self._first) * (scale / (self._count - 1)))

    def _add(self) -> None:
        power = _power(self._buffer * self._window)
        power[1:-1] *= 2
        if not self._count:
            self._first = power
        self._sum += power
        self._count += 1


def _power(rows: Samples) -> Samples:
    """Return the power at each frequency from 0 on, summed over the channels. Two channels go
    through one complex transform, in half the time: what it gives at a frequency and at its
    negative holds the power of both. In double precision numpy is faster than in single, and the
    largest numbers have squares."""
    size = rows.shape[1]
    half, pairs = size // 2, len(rows) // 2
    power = np.zeros(half + 1)
    if pairs:
        both = np.empty((pairs, size), np.complex128)
        both.real, both.imag = rows[: 2 * pairs : 2], rows[1 : 2 * pairs : 2]
        whole = _squares(np.fft.fft(both))
        power += whole[: half + 1]
        power[0] += whole[0]
        power[1:] += whole[: half - 1 : -1]
        power /= 2
    if len(rows) % 2:
        power += _squares(np.fft.rfft(rows[-1:]))
    return power


def _squares(spectra: Complexes) -> Samples:
    return np.asarray((spectra.real**2 + spectra.imag**2).sum(axis=0))


def _vertex(left: float, middle: float, right: float) -> float:
    """Return how far right of the middle the parabola through three points is highest, in steps."""
    bend = left - 2 * middle + right
    return 0.5 * (left - right) / bend if bend else 0.0


_PER_SEMITONE = 4
_ALIKE = 0.8
"""Correlation from which two spectra count as one that was moved."""


def shift_between(before: Spectrum, after: Spectrum) -> float | None:
    """Return by how many semitones the second spectrum lies higher as a whole, up to 24 either way;
    None when they are not alike, or tell no pitch: silence, noise."""
    if not before.power.sum() > 0 or not after.power.sum() > 0:
        return None
    top = min(before.hz[-1], after.hz[-1], 8000.0)
    steps = int(12 * _PER_SEMITONE * np.log2(top / 60.0))
    hz = 60.0 * 2 ** (np.arange(steps) / (12 * _PER_SEMITONE))
    profiles = []
    for spectrum in (before, after):
        level = 10 * np.log10(np.interp(hz, spectrum.hz, spectrum.power) + 1e-20)
        level = np.maximum(level - level.max(), -60.0)
        kernel = np.hanning(8 * 12 * _PER_SEMITONE // 6)
        padded = np.pad(level, len(kernel) // 2, mode="edge")
        smooth = np.convolve(padded, kernel / kernel.sum(), "same")[len(kernel) // 2 :][:steps]
        profiles.append(level - smooth)
    most = 24 * _PER_SEMITONE
    correlations = [_correlation(profiles[0], profiles[1], lag) for lag in range(-most, most + 1)]
    best = int(np.argmax(correlations))
    if correlations[best] < _ALIKE:
        return None
    off = 0.0
    if 0 < best < len(correlations) - 1:
        off = _vertex(*correlations[best - 1 : best + 2])
    return float(best - most + off) / _PER_SEMITONE


def _correlation(before: Samples, after: Samples, lag: int) -> float:
    a = before[: len(before) - lag] if lag >= 0 else before[-lag:]
    b = after[lag:] if lag >= 0 else after[: len(after) + lag]
    scale = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / scale if scale > 0 else 0.0
