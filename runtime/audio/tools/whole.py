"""The tools that are more than stages: they measure, cut, join or convert."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

import numpy as np

from ...errors import Failure
from ..blocks import Frames
from ..calls.containers import container_of
from ..calls.files import BLOCK, Sound
from ..meters import measure as meter
from . import stages
from .chains import levels_of
from .job import Job, Result
from .stages import Stage, through
from .synthesis import CHANNELS, RATE, signal


def measure(job: Job) -> Result:
    """Measure a file; nothing is written."""
    return meter.measure(job.input, job.values["silence_dbfs"])


def compare(job: Job) -> Result:
    """Measure two files; nothing is written."""
    a, b = (job.sound(job.values[name]) for name in ("a", "b"))
    return meter.compare(a, b, job.values["silence_dbfs"])


def trim_silence(job: Job) -> Result:
    """Cut silence off the ends, by the RMS of 20 ms over all channels."""
    sound, values = job.input, job.values
    bounds = levels_of(sound).silence(values["threshold_dbfs"])
    if bounds is None:
        below = f"{values['threshold_dbfs']:g} dBFS"
        raise Failure(f"nothing of `{sound.path}` is louder than {below}: all of it is silence")
    keep = round(values["keep_s"] * sound.rate)
    start = max(bounds[0] - keep, 0) if values["edges"] in ("both", "start") else 0
    end = sound.frames
    if values["edges"] in ("both", "end"):
        end = min(bounds[1] + keep, sound.frames)
    done = job.write(sound, sound.blocks(start, end))
    cut = {"cut_start_s": start / sound.rate, "cut_end_s": (sound.frames - end) / sound.rate}
    return {**done, **cut}


def clip(job: Job) -> Result:
    """Keep one section. Raise `Failure` when it lies outside of the file."""
    sound, values = job.input, job.values
    end_s = sound.seconds if values["end_s"] is None else values["end_s"]
    _inside(sound, "start_s", values["start_s"])
    _inside(sound, "end_s", end_s)
    start, end = round(values["start_s"] * sound.rate), round(end_s * sound.rate)
    if start >= end:
        raise Failure(f"nothing of `{sound.path}` lies between {values['start_s']:g} s and its end")
    return job.write(sound, sound.blocks(start, end))


def split(job: Job) -> Result:
    """Cut at points; one more file is written than there are points."""
    sound = job.input
    points = job.values["points_s"]
    for point in points:
        _inside(sound, "points_s", point)
    edges = [0, *(round(point * sound.rate) for point in points), sound.frames]
    if any(start >= end for start, end in pairwise(edges)):
        raise Failure(f"`points_s` would leave a part of `{sound.path}` without samples")
    parts = [
        job.make(path, sound.rate, sound.channels, sound.blocks(start, end))
        for path, (start, end) in zip(job.call.writes, pairwise(edges), strict=True)
    ]
    return {"outputs": parts}


def concat(job: Job) -> Result:
    """Join one after the other, overlapping or not."""
    sounds = _alike(job)
    over = round(job.values["crossfade_s"] * sounds[0].rate)
    short = next((s for s in sounds if s.frames <= 2 * over), None)
    if over and short is not None:
        fade = f"{job.values['crossfade_s']:g} s"
        raise Failure(f"`{short.path}` is too short for crossfades of {fade} at both ends")
    streams = [sound.blocks() for sound in sounds]
    blocks: Iterator[Frames] = chain.from_iterable(streams)
    if over:
        blocks = stages.Crossfade(over).join(streams)
    return job.write(sounds[0], blocks)


def mix(job: Job) -> Result:
    """Add all at once, each from its offset on."""
    sounds, values = _alike(job), job.values
    rate = sounds[0].rate
    offsets = [round(offset * rate) for offset in values["offsets_s"] or [0.0] * len(sounds)]
    gains = values["gains_db"] or [0.0] * len(sounds)
    streams = [
        _Stream(through(sound.blocks(), [stages.gain(gain)]), offset)
        for sound, offset, gain in zip(sounds, offsets, gains, strict=True)
    ]
    frames = max(offset + sound.frames for sound, offset in zip(sounds, offsets, strict=True))
    return job.write(sounds[0], _sum_of(streams, frames, sounds[0].channels))


class _Stream:
    """Blocks of any size, taken in pieces of the size that is needed, silent before `offset`."""

    def __init__(self, blocks: Iterator[Frames], offset: int) -> None:
        self._blocks = blocks
        self._left: Frames | None = None
        self._at = -offset

    def add_to(self, sum: Frames) -> None:
        """Add the next `len(sum)` frames."""
        to = min(max(-self._at, 0), len(sum))
        while to < len(sum):
            if self._left is None or not len(self._left):
                self._left = next(self._blocks, None)
            if self._left is None:
                break
            count = min(len(sum) - to, len(self._left))
            sum[to : to + count] += self._left[:count]
            self._left, to = self._left[count:], to + count
        self._at += len(sum)


def _sum_of(streams: list[_Stream], frames: int, channels: int) -> Iterator[Frames]:
    for at in range(0, frames, BLOCK):
        sum = np.zeros((min(BLOCK, frames - at), channels), np.float32)
        for stream in streams:
            stream.add_to(sum)
        yield sum


def shift(job: Job) -> Result:
    """Move later or earlier in the same length."""
    sound, values = job.input, job.values
    by = round(values["offset_s"] * sound.rate)
    if values["wrap"]:
        cut = -by % sound.frames
        parts: Iterable[Iterator[Frames]] = (sound.blocks(cut), sound.blocks(0, cut))
    elif abs(by) >= sound.frames:
        raise Failure(
            f"`offset_s` is {values['offset_s']:g} s, `{sound.path}` is {sound.seconds:.2f} s long"
        )
    elif by >= 0:
        parts = (_silence(by, sound.channels), sound.blocks(0, sound.frames - by))
    else:
        parts = (sound.blocks(-by), _silence(-by, sound.channels))
    return job.write(sound, chain.from_iterable(parts))


def _silence(frames: int, channels: int) -> Iterator[Frames]:
    for at in range(0, frames, BLOCK):
        yield np.zeros((min(BLOCK, frames - at), channels), np.float32)


def convert(job: Job) -> Result:
    """Change the channels first, then the rate, then the rounding."""
    sound, values = job.input, job.values
    rate = values["sample_rate_hz"] or sound.rate
    channels = values["channels"] or sound.channels
    possible = container_of(values["output"]).subtypes
    own = sound.subtype if sound.subtype in possible else possible[0]
    subtype = values["subtype"] or own
    line: list[Stage] = []
    if channels != sound.channels:
        if sound.channels not in (1, 2, 5, 6):
            has = f"`{sound.path}` has {sound.channels} channels"
            raise Failure(f"{has}: CONVERT folds down 2, 5 and 6 of them")
        line.append(stages.rechannel(sound.channels, channels))
    if rate != sound.rate:
        from .plugins import Resampled

        line.append(Resampled(sound.rate, rate, channels))
    if subtype == "PCM_16" and values["dither"] and (line or sound.subtype != "PCM_16"):
        line.append(stages.dither())
    blocks = through(sound.blocks(), line)
    return job.write(sound, blocks, rate=rate, channels=channels, subtype=subtype)


def synth(job: Job) -> Result:
    """Write a signal of its own: nothing is read."""
    blocks = signal(job.values["kind"], job.values["duration_s"])
    return job.make(job.values["output"], RATE, CHANNELS, blocks)


def _inside(sound: Sound, name: str, seconds: float) -> None:
    if round(seconds * sound.rate) > sound.frames:
        raise Failure(
            f"`{name}` is {seconds:g} s, but `{sound.path}` is {sound.seconds:.3f} s long"
        )


def _alike(job: Job) -> list[Sound]:
    """Open the inputs. Raise `Failure` when their rates or channels differ."""
    sounds = [job.sound(path) for path in job.values["inputs"]]
    for sound in sounds[1:]:
        if (sound.rate, sound.channels) != (sounds[0].rate, sounds[0].channels):
            raise Failure(
                f"`{sounds[0].path}` and `{sound.path}` differ: {_shape(sounds[0])} and "
                f"{_shape(sound)}",
                help="bring them to one rate and one number of channels with CONVERT first",
            )
    return sounds


def _shape(sound: Sound) -> str:
    return f"{sound.rate} Hz with {sound.channels} channel{'s' * (sound.channels != 1)}"
