"""The tools made with pedalboard (GPL-3.0): the only module that imports it, which the worker's
process alone may load."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import pedalboard

from ..blocks import Frames
from ..calls.files import BLOCK
from .job import Chain, Job, Result, pieces_of
from .stages import Stage, gain

_LEAST = 1024
"""Frames that are processed at once: with few, pedalboard cannot tell frames from channels."""


def _run_board(board: pedalboard.Chain, block: Frames, rate: int) -> Frames:
    """Return at least `_LEAST` frames behind a board that goes on where it was. It forgets what it
    has heard when it gets more at once than ever before: it always gets `_LEAST`."""
    rows = np.ascontiguousarray(block.T)
    done: Frames = board(rows, rate, buffer_size=_LEAST, reset=False).T
    return done


class _Effect(ABC):
    """A stage of pedalboard: collects `_LEAST` frames before it works, and counts those that go in
    and come out."""

    def __init__(self, channels: int) -> None:
        self._wait = np.zeros((0, channels), np.float32)
        self._fed = self._given = 0

    def feed(self, block: Frames) -> Frames:
        """Return what is ready."""
        self._fed += len(block)
        self._wait = np.concatenate((self._wait, block)) if len(self._wait) else block
        if len(self._wait) < _LEAST:
            return self._wait[:0]
        done = self._process(self._wait)
        self._wait = self._wait[:0]
        self._given += len(done)
        return done

    @abstractmethod
    def _process(self, block: Frames) -> Frames: ...

    def _with_silence(self, frames: int) -> Frames:
        """Return what waits, with silence behind it."""
        silence = np.zeros((frames, self._wait.shape[1]), np.float32)
        return np.concatenate((self._wait, silence))


class Plugins(_Effect):
    """A stage of plugins. Silence at the end brings out what they hold back, so that as many frames
    come out as went in, and `tail` more."""

    def __init__(self, plugins: list[Any], rate: int, channels: int, tail: int = 0) -> None:
        super().__init__(channels)
        self._board = pedalboard.Chain(plugins)
        self._rate = rate
        self._tail = tail

    def end(self) -> Frames:
        """Return the rest."""
        parts = [self._wait[:0]]
        while (owed := self._fed + self._tail - self._given) > 0:
            parts.append(self._process(self._with_silence(max(_LEAST, BLOCK // 8)))[:owed])
            self._given += len(parts[-1])
            self._wait = self._wait[:0]
        return np.concatenate(parts)

    def _process(self, block: Frames) -> Frames:
        return _run_board(self._board, block, self._rate)


_DYNAMICS = ("threshold_db", "ratio", "attack_ms", "release_ms")
_HEARD = np.float32(1e-12)
"""Below this, -240 dBFS, a sample tells no gain."""


class Linked(_Effect):
    """A stage of dynamics whose gain comes from a detector over the channels, so that the image
    stays: the plugin works on the detector, and what it made of that is the gain of the sound.
    `link` is the share of the highest channel in the detector of each, 0 to 1."""

    def __init__(self, plugin: pedalboard.Plugin, link: float, rate: int, channels: int) -> None:
        super().__init__(channels)
        self._board = pedalboard.Chain([plugin])
        self._link = np.float32(link)
        self._rate = rate

    def end(self) -> Frames:
        """Return the rest."""
        count = len(self._wait)
        return self._process(self._with_silence(_LEAST))[:count] if count else self._wait

    def _process(self, block: Frames) -> Frames:
        high = np.abs(block)
        detector = high.max(axis=1, keepdims=True)
        if self._link < 1:
            detector = detector * self._link + high * (1 - self._link)
        worked = _run_board(self._board, detector, self._rate)
        gains = np.ones_like(detector)
        np.divide(worked, detector, out=gains, where=detector > _HEARD)
        return np.asarray(block * gains, np.float32)


def compress(job: Job) -> Chain:
    """Apply a compressor and the gain after it."""
    chain: list[Stage] = [_link_channels(job, pedalboard.Compressor)]
    if job.values["makeup_db"]:
        chain.append(gain(job.values["makeup_db"]))
    return Chain(chain)


def noise_gate(job: Job) -> Chain:
    """Apply a downward expander."""
    return Chain([_link_channels(job, pedalboard.NoiseGate)])


def _link_channels(job: Job, kind: type) -> Linked:
    sound, values = job.input, job.values
    plugin = kind(*(values[name] for name in _DYNAMICS))
    return Linked(plugin, values["link_percent"] / 100, sound.rate, sound.channels)


def limiter(
    ceiling_db: float, release_ms: float, lookahead_ms: float, rate: int, channels: int
) -> Plugins:
    """Return a brickwall limiter of all channels by one gain, which begins `lookahead_ms` before a
    peak; its true peaks may exceed the ceiling by 0.5 dB."""
    plugin = pedalboard.BrickwallLimiter(
        ceiling_db=ceiling_db, release_ms=release_ms, lookahead_ms=lookahead_ms, true_peak=True
    )
    return Plugins([plugin], rate, channels)


def reverb(job: Job) -> Chain:
    """Apply reverberation; the dry sound keeps the level that its share says."""
    sound, values = job.input, job.values
    wet = values["wet_level"]
    plugin = pedalboard.Reverb(
        room_size=values["room_size"],
        damping=values["damping"],
        wet_level=wet,
        dry_level=(1 - wet) / 2,  # the plugin doubles what it gets
    )
    tail = round(values["tail_s"] * sound.rate)
    return Chain([Plugins([plugin], sound.rate, sound.channels, tail)])


def pitch_shift(job: Job) -> Result:
    """Move the pitch of a whole file at once."""
    return _stretch(job, 1.0, float(job.values["semitones"]))


def time_stretch(job: Job) -> Result:
    """Change the speed of a whole file at once; `round(frames / rate)` frames come out."""
    return _stretch(job, float(job.values["rate"]), 0.0)


def _stretch(job: Job, speed: float, semitones: float) -> Result:
    sound = job.input
    whole = np.empty((sound.frames, sound.channels), np.float32)
    at = 0
    for block in sound.blocks():
        whole[at : at + len(block)] = block
        at += len(block)
    count = max(round(len(whole) / speed), 1)
    rows = np.ascontiguousarray(whole.T)
    if rows.shape[1] < _LEAST:
        rows = np.pad(rows, ((0, 0), (0, _LEAST - rows.shape[1])))
    done: Frames = pedalboard.time_stretch(rows, sound.rate, speed, semitones).T
    done = np.pad(done, ((0, max(count - len(done), 0)), (0, 0)))[:count]
    blocks = (done[at : at + BLOCK] for at in range(0, count, BLOCK))
    return job.write(
        sound, blocks, pieces=pieces_of(sound, [(0, sound.frames)], count / sound.frames)
    )
