"""The tools that work on spectra of short windows: noise reduction and de-essing.

All channels are moved by one gain for each window and frequency, so the stereo image stays. Where
every gain is 1 the samples come back as they were, but for the rounding of float32.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ...errors import Failure
from ..blocks import Flags, Frames, Samples
from ..calls.files import Sound
from ..meters.known import levels_of
from ..meters.restoration import DEESS_SECONDS, band_weights, sounding_level, window_of
from .job import Chain, Job

_OVERLAP = 4
_MEMORY = 0.98
"""Share of the last window in what a window is taken to hold beside noise (Ephraim and Malah):
noise alone then keeps an even gain, and no tones of its own come up out of it."""
_NOISE_SECONDS = 0.046
_QUIETEST = 10
"""Per cent of the frames in which something is, taken for noise where nobody says where it is."""
_WAVERS = 1.2
"""Times the level of the quietest frames: as far as that of steady noise wavers."""
_SURE = 1.4
"""Times the mean power of the noise: what is less is noise as well."""


class _Spectral(ABC):
    """A stage that changes the spectra of overlapping windows and adds them up again."""

    def __init__(self, size: int, channels: int) -> None:
        self._size, self._hop = size, size // _OVERLAP
        self._window = np.sqrt(window_of(size)).astype(np.float32)
        lead = size - self._hop
        self._buffer = np.zeros((lead, channels), np.float32)
        self._tail = np.zeros((lead, channels), np.float32)
        self._late, self._fed, self._given = lead, 0, 0

    def feed(self, block: Frames) -> Frames:
        """Return what is ready."""
        self._fed += len(block)
        return self._ready(block)

    def end(self) -> Frames:
        """Return the rest: as many frames come out as went in."""
        owed = self._fed - self._given
        silence = np.zeros((self._late + self._size, self._buffer.shape[1]), np.float32)
        return self._ready(silence)[:owed]

    def _ready(self, block: Frames) -> Frames:
        whole = np.concatenate((self._buffer, block))
        count = (len(whole) - self._size) // self._hop + 1 if len(whole) >= self._size else 0
        self._buffer = whole[count * self._hop :]
        if not count:
            return whole[:0]
        views = np.lib.stride_tricks.sliding_window_view(whole, self._size, axis=0)
        rows = views[: (count - 1) * self._hop + 1 : self._hop] * self._window
        spectra = np.fft.rfft(rows)
        power = (spectra.real**2 + spectra.imag**2).sum(axis=1)
        spectra *= self._gains(power)[:, None, :]
        parts = np.fft.irfft(spectra, self._size) * self._window
        sums = np.zeros((count * self._hop + len(self._tail), block.shape[1]), np.float32)
        sums[: len(self._tail)] = self._tail
        for number, part in enumerate(parts):
            at = number * self._hop
            sums[at : at + self._size] += part.T * np.float32(2 / _OVERLAP)
        done, self._tail = sums[: count * self._hop], sums[count * self._hop :]
        cut = min(self._late, len(done))
        self._late -= cut
        self._given += len(done) - cut
        return done[cut:]

    @abstractmethod
    def _gains(self, power: Samples) -> Samples:
        """Return the gain of each window (rows) at each frequency, by its power."""


class _Denoised(_Spectral):
    """Weakens each frequency by what noise is taken to be in it, to a floor at most."""

    def __init__(self, noise: Samples, floor: float, size: int, channels: int) -> None:
        super().__init__(size, channels)
        self._noise, self._floor = np.maximum(noise * _SURE, 1e-20), floor
        self._before = np.zeros(len(noise))

    def _gains(self, power: Samples) -> Samples:
        above = power / self._noise
        gains = np.empty_like(above)
        for at, row in enumerate(above):
            held = _MEMORY * self._before + (1 - _MEMORY) * np.maximum(row - 1, 0)
            gain = held / (1 + held)
            self._before = gain * gain * row
            gains[at] = gain
        return np.maximum(gains, self._floor)


def denoise(job: Job) -> Chain:
    """Weaken steady noise, as it is in the quietest frames or in a section that the call names.
    Raise `Failure` where there is nothing to learn it from."""
    sound, values = job.input, job.values
    size = _size(sound, _NOISE_SECONDS)
    noise = _noise_of(job, sound, size)
    floor = 10 ** (-values["reduction_db"] / 20)
    return Chain([_Denoised(noise, floor, size, sound.channels)])


def _size(sound: Sound, seconds: float) -> int:
    return int(1 << max(round(np.log2(sound.rate * seconds)), 6))


def _noise_of(job: Job, sound: Sound, size: int) -> Samples:
    """Return the mean power of the windows of noise, at each frequency."""
    start_s, end_s = job.values["noise_start_s"], job.values["noise_end_s"]
    if start_s is not None and end_s is not None:
        start, end = round(start_s * sound.rate), round(end_s * sound.rate)
        if end > sound.frames or end - start < size:
            text = f"`noise_start_s` to `noise_end_s` is not in `{sound.path}`, or is shorter than"
            raise Failure(f"{text} {size / sound.rate:.2f} s")
        learnt = _Learner(size, sound.channels, np.ones(1, bool), sound.frames)
        blocks = sound.blocks(start, end)
    else:
        frames = levels_of(sound).frames()
        loud = frames[frames > 1e-5]
        if not len(loud):
            raise Failure(f"`{sound.path}` is silent: there is no noise in it")
        quiet = (frames > 1e-5) & (frames <= np.percentile(loud, _QUIETEST) * _WAVERS)
        learnt = _Learner(size, sound.channels, quiet, max(sound.rate // 50, 1))
        blocks = sound.blocks()
    for block in blocks:
        learnt.feed(block)
    learnt.end()
    if not learnt.count:
        help = "say where there is only noise: `noise_start_s` and `noise_end_s`"
        raise Failure(f"`{sound.path}` has no part of noise that could be learnt", help=help)
    return learnt.sum / learnt.count


class _Learner(_Spectral):
    """Adds up the power of the windows that lie in frames of noise; what comes out is not used."""

    def __init__(self, size: int, channels: int, noise: Flags, frame: int) -> None:
        super().__init__(size, channels)
        self._noise, self._frame, self._at = noise, frame, -self._late
        self.sum, self.count = np.zeros(size // 2 + 1), 0

    def _gains(self, power: Samples) -> Samples:
        starts = self._at + np.arange(len(power)) * self._hop
        self._at += len(power) * self._hop
        first, last = (np.floor_divide(s, self._frame) for s in (starts, starts + self._size - 1))
        inside = (starts >= 0) & (starts + self._size <= self._fed)
        inside &= last < len(self._noise)
        for at in np.flatnonzero(inside):
            if self._noise[first[at] : last[at] + 1].all():
                self.sum += power[at]
                self.count += 1
        return np.ones_like(power)


class _Deessed(_Spectral):
    """Weakens the upper band where it is stronger than a level, by what it is above, to a bound."""

    def __init__(self, weights: Samples, least_db: float, most_db: float, size: int, count: int):
        super().__init__(size, count)
        self._weights, self._least_db, self._most_db = weights, least_db, most_db
        # Parseval: the power of one side of the spectrum, of a window that keeps half of it.
        self._scale = 2 / (size * (self._window.astype(np.float64) ** 2).sum() * count)

    def _gains(self, power: Samples) -> Samples:
        band = 10 * np.log10(np.maximum(power @ self._weights * self._scale, 1e-20))
        down = np.clip(band - self._least_db, 0, self._most_db)
        return np.asarray(1 - self._weights * (1 - 10 ** (-down[:, None] / 20)))


def deess(job: Job) -> Chain:
    """Weaken sharp s sounds: only what lies above a frequency, only while it is strong there.
    Raise `Failure` for silence, and a frequency that the sound does not have."""
    sound, values = job.input, job.values
    if values["freq_hz"] > 0.45 * sound.rate:
        text = f"`freq_hz` is {values['freq_hz']:g} Hz, but `{sound.path}` has {sound.rate}"
        help = f"it can be at most {int(0.45 * sound.rate)} Hz there"
        raise Failure(f"{text} samples a second", help=help)
    level = sounding_level(levels_of(sound).frames())
    if level is None:
        raise Failure(f"`{sound.path}` is silent: there is nothing sharp in it")
    size = _size(sound, DEESS_SECONDS)
    weights = band_weights(size, sound.rate, values["freq_hz"])
    least = level + values["threshold_db"]
    return Chain([_Deessed(weights, least, values["most_db"], size, sound.channels)])
