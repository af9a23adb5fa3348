"""Stages: what a tool does to a stream of blocks; here those that are made with numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np

from ..blocks import Frames, Samples
from ..meters.filters import Convolver


class Stage(Protocol):
    """Takes blocks and returns blocks, both of shape (frames, channels), float32."""

    def feed(self, block: Frames) -> Frames:
        """Return what is ready; it may be fewer frames than went in."""

    def end(self) -> Frames:
        """Return what was held back."""


def through(blocks: Iterable[Frames], stages: Sequence[Stage]) -> Iterator[Frames]:
    """Yield the blocks behind all stages, none of them empty."""
    for block in blocks:
        for stage in stages:
            block = stage.feed(block)
        if len(block):
            yield block
    for number, stage in enumerate(stages):
        tail = stage.end()
        for later in stages[number + 1 :]:
            tail = later.feed(tail)
        if len(tail):
            yield tail


class Mapped:
    """A stage that needs a block and the number of its first frame, nothing else."""

    def __init__(self, function: Callable[[Frames, int], Frames]) -> None:
        self._function = function
        self._at = 0
        self._none: Frames | None = None

    def feed(self, block: Frames) -> Frames:
        """Return the block, changed."""
        done = self._function(block, self._at)
        self._at += len(block)
        self._none = done[:0]
        return done

    def end(self) -> Frames:
        """Return nothing."""
        return np.zeros((0, 1), np.float32) if self._none is None else self._none


def gain(db: float) -> Mapped:
    """Return a stage that multiplies every sample by the same."""
    factor = np.float32(10 ** (db / 20))
    return Mapped(lambda block, _: block * factor)


def section_gain(factor: float, start: int, end: int, soft: int) -> Mapped:
    """Return a stage that multiplies what lies from frame `start` to `end` by a factor, which is
    reached within `soft` frames at both ends."""

    def apply(block: Frames, at: int) -> Frames:
        if at >= end or at + len(block) <= start:
            return block
        places = np.arange(at, at + len(block), dtype=np.float64)
        inside = np.minimum(places - start + 1, end - places) / (soft + 1)
        level = 1 + (factor - 1) * np.clip(inside, 0.0, 1.0)
        return (block * level[:, None]).astype(np.float32)

    return Mapped(apply)


def fade(frames: int, first: int, last: int, shape: str) -> Mapped:
    """Return a fade in over the `first` frames and out over the `last` of `frames`. Equal power is
    a quarter of a sine, linear a straight line."""

    def curve(share: Samples) -> Samples:
        share = np.clip(share, 0.0, 1.0)
        return np.sin(share * np.pi / 2) if shape == "equal_power" else share

    def apply(block: Frames, at: int) -> Frames:
        places = np.arange(at, at + len(block), dtype=np.float64)
        level = np.ones(len(block))
        if first:
            level *= curve(places / first)
        if last:
            level *= curve((frames - 1 - places) / last)
        return (block * level[:, None]).astype(np.float32)

    return Mapped(apply)


def rechannel(before: int, after: int) -> Mapped:
    """Return a stage for other channels. To one: the mean of left and right. To two: one channel
    twice. Five and six are folded down as ITU-R BS.775 says, centre and surrounds 3 dB lower, LFE
    left out, and everything lower by so much that it cannot clip."""
    matrix = np.eye(before, dtype=np.float64)
    if before in (5, 6):
        half = 0.5**0.5
        matrix = np.zeros((before, 2))
        matrix[[0, 1], [0, 1]] = 1.0
        matrix[2] = half
        matrix[-2, 0] = matrix[-1, 1] = half
        matrix /= 1 + 2 * half
    if after == 1:
        matrix = matrix.mean(axis=1, keepdims=True)
    elif before == 1:
        matrix = np.ones((1, 2))
    narrow = matrix.astype(np.float32)
    return Mapped(lambda block, _: block @ narrow)


class Noise:
    """Adds noise of a colour and of a level (RMS); each channel has its own."""

    def __init__(self, rate: int, channels: int, color: str, rms: float, seed: int) -> None:
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._rms = rms
        kernel = _color(rate, color)
        self._shape = None if kernel is None else Convolver(kernel[None], channels)
        self._wait = np.zeros((0, channels), np.float32)

    def feed(self, block: Frames) -> Frames:
        """Return the block with noise, as far as there is noise yet."""
        white = self._random.standard_normal(block.shape)
        if self._shape is None:
            return (block + white * self._rms).astype(np.float32)
        self._wait = np.concatenate((self._wait, block))
        return self._mix(self._shape.feed(white.T)[0].T)

    def end(self) -> Frames:
        """Return the rest."""
        return self._wait if self._shape is None else self._mix(self._shape.end()[0].T)

    def _mix(self, noise: Samples) -> Frames:
        ready, self._wait = self._wait[: len(noise)], self._wait[len(noise) :]
        return (ready + noise * self._rms).astype(np.float32)


def _color(rate: int, color: str) -> Samples | None:
    """Return a filter that makes white noise pink (-3 dB an octave) or brown (-6) from 20 Hz
    upwards, with as much energy as before; None for white."""
    if color == "white":
        return None
    size = 1 << int(np.ceil(np.log2(rate / 5)))
    hz = np.maximum(np.fft.rfftfreq(size, 1 / rate), 20.0)
    kernel = np.fft.irfft(hz ** (-0.5 if color == "pink" else -1.0), size)
    kernel = np.roll(kernel, size // 2) * np.hanning(size)
    return np.asarray(kernel / np.sqrt((kernel**2).sum()))


class Crossfade:
    """Joins streams: the end of one lies over the beginning of the next, both with equal power."""

    def __init__(self, frames: int) -> None:
        self._frames = frames

    def join(self, streams: Sequence[Iterable[Frames]]) -> Iterator[Frames]:
        """Yield all blocks in order; each stream is longer than the fade."""
        held: Frames | None = None
        for stream in streams:
            over = held
            held = None
            for block in stream:
                held = block if held is None else np.concatenate((held, block))
                if over is not None:
                    if len(held) < self._frames:
                        continue
                    head = self.over(over, held[: self._frames])
                    held, over = held[self._frames :], None
                    yield head
                if len(held) > self._frames:
                    cut = len(held) - self._frames
                    yield held[:cut]
                    held = held[cut:]
        if held is not None and len(held):
            yield held

    def over(self, before: Frames, after: Frames) -> Frames:
        """Return the end of one sound with the beginning of the next over it, of one length."""
        share = (np.arange(self._frames) + 0.5) / max(self._frames, 1) * np.pi / 2
        mixed = before * np.cos(share)[:, None] + after * np.sin(share)[:, None]
        return mixed.astype(np.float32)
