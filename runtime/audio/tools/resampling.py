"""Another sample rate, by the SoX resampler (soxr, LGPL): the only module that imports it."""

from __future__ import annotations

import numpy as np
import soxr

from ..blocks import Frames

_QUALITY = "VHQ"
"""Nothing above 0.95 of the lower of both half rates is passed on as something else: what would be
mirrored lies 120 dB and more below, as tests measure. The phase is linear, nothing is delayed."""


class Resampled:
    """A stage that changes the sample rate; `frames` times the ratio come out, rounded."""

    def __init__(self, before: int, after: int, channels: int) -> None:
        self._stream = soxr.ResampleStream(before, after, channels, "float32", _QUALITY)
        self._ratio = after / before
        self._channels = channels
        self._fed = self._given = 0

    def feed(self, block: Frames) -> Frames:
        """Return what is ready."""
        self._fed += len(block)
        return self._resample(block, last=False)

    def end(self) -> Frames:
        """Return the rest, in the length that it has to have."""
        owed = max(round(self._fed * self._ratio) - self._given, 0)
        tail = self._resample(np.zeros((0, self._channels), np.float32), last=True)[:owed]
        return np.pad(tail, ((0, owed - len(tail)), (0, 0)))

    def _resample(self, block: Frames, last: bool) -> Frames:
        done: Frames = self._stream.resample_chunk(np.ascontiguousarray(block), last=last)
        self._given += len(done)
        return done
