"""The data of a sound's pictures, gathered in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..blocks import Flags, Frames, Indices, Samples
from ..calls.files import Sound
from .loudness import LoudnessMeter

COLUMNS = 600
"""Columns of an envelope and of a spectrogram."""
ROWS = 128
"""Rows of a spectrogram, equal steps of the logarithm of the frequency."""
LOWEST_HZ = 20.0
FLOOR_DB = -100.0
_WINDOW = 2048


@dataclass(frozen=True, slots=True)
class Sketch:
    """`low` and `high` are the envelope over all channels, one pair for each column; `levels` is
    of shape (ROWS, COLUMNS), in dB of full scale from `FLOOR_DB` on, lowest frequency first;
    `momentary` and `short` are LUFS every 0.1 s from 0.4 s and 3 s on."""

    seconds: float
    rate: int
    channels: int
    low: Samples
    high: Samples
    levels: Samples
    momentary: Samples
    short: Samples


def sketch(sound: Sound) -> Sketch:
    """Read the sound once, in blocks. Raise `Failure` as `Sound.blocks` does."""
    meter = LoudnessMeter(sound.rate, sound.channels, sound.speakers)
    gathered = Columns(max(sound.frames, 1), sound.rate)
    for block in sound.blocks():
        meter.feed(block)
        gathered.feed(block)
    meter.end()
    momentary, short = meter.curves()
    return Sketch(
        sound.seconds,
        sound.rate,
        sound.channels,
        gathered.low,
        gathered.high,
        gathered.levels(),
        momentary,
        short,
    )


def columns_of(sound: Sound, frames: int, begin: int) -> Columns:
    """Return the columns of a sound that is laid over one of so many frames, where its own first
    one is number `begin`, which may lie before it."""
    columns = Columns(max(frames, 1), sound.rate, begin)
    for block in sound.blocks():
        columns.feed(block)
    return columns


class Columns:
    """Sums up frames by the column they fall into; those that fall into none are left out."""

    def __init__(self, frames: int, rate: int, begin: int = 0) -> None:
        self._frames, self._rate = frames, rate
        self.low, self.high = np.zeros(COLUMNS), np.zeros(COLUMNS)
        self._power = np.zeros((COLUMNS, _WINDOW // 2 + 1))
        self._counts = np.zeros(COLUMNS)
        # Windows lie as those of a sound that begins at 0, so that two sounds can be compared.
        self._at = begin
        self._first = begin
        self._rest = np.zeros(begin % (_WINDOW // 2), np.float32)
        self._shape = np.hanning(_WINDOW)

    def feed(self, block: Frames) -> None:
        """Take more frames, of shape (frames, channels)."""
        if not len(block):
            return
        places = self._at + np.arange(len(block))
        within = (places >= 0) & (places < self._frames)
        if within.any():
            self._envelope(block[within], self._column(places[within]))
        self._transform(np.concatenate((self._rest, block.mean(axis=1))))
        self._at += len(block)

    def _envelope(self, block: Frames, columns: Indices) -> None:
        starts = np.flatnonzero(np.diff(columns, prepend=columns[0] - 1))
        here = columns[starts]
        lowest = np.minimum.reduceat(block.min(axis=1), starts)
        highest = np.maximum.reduceat(block.max(axis=1), starts)
        self.low[here] = np.minimum(self.low[here], lowest)
        self.high[here] = np.maximum(self.high[here], highest)

    @property
    def is_filled(self) -> Flags:
        """Return for each column whether the sound lies in its middle."""
        middle = (np.arange(COLUMNS) + 0.5) * self._frames / COLUMNS
        return (middle >= self._first) & (middle < self._at)

    def levels(self) -> Samples:
        """Return the spectrogram; a column without a window takes that of its neighbour."""
        filled = np.flatnonzero(self._counts)
        if not len(filled):
            return np.full((ROWS, COLUMNS), FLOOR_DB)
        power = self._power[filled] / self._counts[filled, None]
        nearest = np.abs(filled[None, :] - np.arange(COLUMNS)[:, None]).argmin(axis=1)
        edges = np.geomspace(LOWEST_HZ, self._rate / 2, ROWS + 1) * _WINDOW / self._rate
        begins = np.minimum(edges[:-1].astype(int), _WINDOW // 2)
        ends = np.maximum(np.ceil(edges[1:]).astype(int), begins + 1)
        rows = np.stack([power[:, a:b].max(axis=1) for a, b in zip(begins, ends, strict=True)])
        scaled = rows / (self._shape.sum() / 2) ** 2
        levels = np.maximum(10 * np.log10(np.maximum(scaled, 1e-12)), FLOOR_DB)
        return np.asarray(levels[:, nearest])

    def _transform(self, samples: Frames) -> None:
        begin, hop = self._at - len(self._rest), _WINDOW // 2
        count = max(0, (len(samples) - _WINDOW) // hop + 1)
        if count:
            windows = np.lib.stride_tricks.sliding_window_view(samples, _WINDOW)[::hop][:count]
            power = np.abs(np.fft.rfft(windows * self._shape, axis=1)) ** 2
            places = begin + np.arange(count) * hop + hop
            within = (places >= 0) & (places <= self._frames)
            columns = self._column(places[within])
            np.add.at(self._power, columns, power[within])
            np.add.at(self._counts, columns, 1)
        self._rest = samples[count * hop :]

    def _column(self, frames: Indices) -> Indices:
        return np.minimum(frames * COLUMNS // self._frames, COLUMNS - 1)
