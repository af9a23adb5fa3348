"""Filters as convolution in blocks: exact to float64, whatever the blocks that come in.

Recursive filters have no loop here: their impulse responses are cut where nothing is left of them.
"""

from __future__ import annotations

import numpy as np

from ..blocks import Samples


class Convolver:
    """Convolves channels with several kernels of the same length at once (overlap-save).

    `feed` and `end` give one array for each kernel, of shape (channels, frames); as many frames
    come out in all as went in, the first of them belonging to the first that went in."""

    def __init__(self, kernels: Samples, channels: int) -> None:
        taps = kernels.shape[1]
        self._size = 1 << max(14, int(np.ceil(np.log2(taps * 6))))
        self._past = taps - 1
        self._spectra = np.fft.rfft(kernels, self._size)
        self._hop = self._size - self._past
        self._buffer = np.zeros((channels, self._size))
        self._filled = self._past

    def feed(self, block: Samples) -> Samples:
        """Take frames of shape (channels, frames); return what is ready, (kernels, channels, n)."""
        ready, at = [], 0
        while at < block.shape[1]:
            count = min(self._size - self._filled, block.shape[1] - at)
            self._buffer[:, self._filled : self._filled + count] = block[:, at : at + count]
            self._filled += count
            at += count
            if self._filled == self._size:
                ready.append(self._convolve(self._hop))
                self._buffer[:, : self._past] = self._buffer[:, self._hop :]
                self._filled = self._past
        return self._join(ready)

    def end(self) -> Samples:
        """Return the rest."""
        left = self._filled - self._past
        self._buffer[:, self._filled :] = 0
        return self._join([self._convolve(left)] if left else [])

    def _convolve(self, count: int) -> Samples:
        spectrum = np.fft.rfft(self._buffer)
        filtered: Samples = np.fft.irfft(spectrum[None] * self._spectra[:, None], self._size)
        return filtered[:, :, self._past : self._past + count]

    def _join(self, ready: list[Samples]) -> Samples:
        if not ready:
            return np.zeros((len(self._spectra), len(self._buffer), 0))
        return ready[0] if len(ready) == 1 else np.concatenate(ready, axis=2)
