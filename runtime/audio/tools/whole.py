"""The tools that are more than stages: they measure, mix, move or convert."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
from flowc.compiler.catalog.audio_expectations import OWN
from flowc.compiler.catalog.audio_model import PARTS

from ...errors import Failure
from ..blocks import Frames
from ..calls.files import BLOCK
from ..meters import measure as meter
from ..meters.effects import effects_of, read_measure
from ..tags.chapters import SoundSpan
from ..tags.tags import FIELDS, clean
from . import stages
from .cutting import AnySound, alike, like
from .job import Job, Result, pieces_of
from .stages import Stage, through
from .synthesis import CHANNELS, RATE, signal


def measure(job: Job) -> Result:
    """Measure a file; nothing is written."""
    parts = PARTS if job.values["parts"] is None else job.values["parts"]
    if unknown := [part for part in parts if part not in PARTS]:
        raise Failure(f"`{unknown[0]}` is not a part of a measurement", help=", ".join(PARTS))
    return meter.measure(job.input, job.values["silence_dbfs"], parts)


def compare(job: Job) -> Result:
    """Measure two files, or effects that turned one into the other; nothing is written."""
    a, b = (job.sound(job.values[name]) for name in ("a", "b"))
    effects = job.values["effects"]
    if effects is None:
        return meter.compare(a, b, job.values["silence_dbfs"])
    named = {OWN: a, **{path: job.sound(path) for path in job.values["others"] or ()}}
    inputs = {name: like(sound, b) for name, sound in named.items()}
    values = effects_of(a, b, [read_measure(text) for text in effects], inputs)
    said = zip(effects, values, strict=True)
    return {"effects": {name: {"value": v, "idle": idle} for name, (v, idle) in said}}


_SOUNDS = 2.0**-14
_SOFT_S = 0.003
"""How long a fade out there is where a sound is cut off, as with CLIP and CUT."""


def mix(job: Job) -> Result:
    """Add all at once, each from its offset on."""
    (first, sounds), values = alike(job), job.values
    offsets = [round(o * first.rate) for o in values["offsets_s"] or [0.0] * len(sounds)]
    if values["length"] == "first":
        frames = offsets[0] + first.frames
    else:
        frames = max(offset + sound.frames for sound, offset in zip(sounds, offsets, strict=True))
    gains = [*(values["gains_db"] or [0.0] * len(sounds))]
    if values["below_db"] is not None:
        level = _mean_level(first, frames)
        for number, sound in enumerate(sounds[1:], 1):
            own = _mean_level(sound, min(sound.frames, frames - offsets[number]))
            gains[number] += level - values["below_db"] - own
    streams = [
        _Stream(through(sound.blocks(), [stages.gain(gain), *_ends(sound, frames - at)]), at)
        for sound, at, gain in zip(sounds, offsets, gains, strict=True)
    ]
    pieces = [SoundSpan(0, first.seconds, offsets[0] / first.rate)]
    sum = _sum_of(streams, frames, first.channels)
    return job.write(first, sum, pieces=pieces, frames=frames)


def _ends(sound: AnySound, room: int) -> list[Stage]:
    """Return what makes a sound end softly for which there is room for so many frames."""
    soft = min(round(_SOFT_S * sound.rate), room)
    return [stages.fade(room, 0, soft, "equal_power")] if 0 < room < sound.frames else []


def _mean_level(sound: AnySound, frames: int) -> float:
    """Return the mean level of the first frames, dB, from where it begins to sound to where it
    ends. Raise `Failure` for silence."""
    squares, at, first, last = 0.0, 0, -1, -1
    for block in sound.blocks():
        part = block[: max(frames - at, 0)].astype(np.float64)
        there = np.flatnonzero(np.abs(part).max(axis=1, initial=0.0) > _SOUNDS)
        if len(there):
            first, last = at + int(there[0]) if first < 0 else first, at + int(there[-1])
        squares += float((part * part).sum())
        at += len(block)
        if at >= frames:
            break
    if first < 0:
        raise Failure(f"`{sound.path}` is silent: it has no level to lie below")
    return float(10 * np.log10(squares / (last - first + 1)))


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
        pieces = pieces_of(sound, [(cut, sound.frames), (0, cut)])
    elif abs(by) >= sound.frames:
        raise Failure(
            f"`offset_s` is {values['offset_s']:g} s, `{sound.path}` is {sound.seconds:.2f} s long"
        )
    elif by >= 0:
        parts = (_silence(by, sound.channels), sound.blocks(0, sound.frames - by))
        pieces = [SoundSpan(0, (sound.frames - by) / sound.rate, by / sound.rate)]
    else:
        parts = (sound.blocks(-by), _silence(-by, sound.channels))
        pieces = pieces_of(sound, [(-by, sound.frames)])
    return job.write(sound, chain.from_iterable(parts), pieces=pieces)


def pad(job: Job) -> Result:
    """Add silence at the start and the end."""
    sound = job.input
    first, last = (round(job.values[name] * sound.rate) for name in ("start_s", "end_s"))
    parts = (_silence(first, sound.channels), sound.blocks(), _silence(last, sound.channels))
    pieces = [SoundSpan(0, sound.seconds, first / sound.rate)]
    frames = first + sound.frames + last
    return job.write(sound, chain.from_iterable(parts), pieces=pieces, frames=frames)


def reverse(job: Job) -> Result:
    """Play from the end to the start. Chapters are gone: they are where something begins."""
    sound = job.input

    def backwards() -> Iterator[Frames]:
        for end in range(sound.frames, 0, -BLOCK):
            yield np.concatenate(list(sound.blocks(max(end - BLOCK, 0), end)))[::-1]

    return job.write(sound, backwards(), pieces=[])


def _silence(frames: int, channels: int) -> Iterator[Frames]:
    for at in range(0, frames, BLOCK):
        yield np.zeros((min(BLOCK, frames - at), channels), np.float32)


def convert(job: Job) -> Result:
    """Change the channels first, then the rate, then the rounding."""
    sound, values = job.input, job.values
    rate = values["sample_rate_hz"] or sound.rate
    channels = values["channels"] or sound.channels
    line: list[Stage] = []
    if channels != sound.channels:
        if sound.channels not in (1, 2, 5, 6):
            has = f"`{sound.path}` has {sound.channels} channels"
            raise Failure(f"{has}: CONVERT folds down 2, 5 and 6 of them")
        line.append(stages.rechannel(sound.channels, channels))
    if rate != sound.rate:
        from .resampling import Resampled

        line.append(Resampled(sound.rate, rate, channels))
    blocks = through(sound.blocks(), line)
    return job.write(sound, blocks, (rate, channels))


def tag(job: Job) -> Result:
    """Keep the samples, change the tags: None keeps a field, "" takes it away."""
    return job.tag({n: clean(job.values[n]) for n in FIELDS if job.values[n] is not None})


def synth(job: Job) -> Result:
    """Write a signal of its own: nothing is read."""
    blocks = signal(job.values["kind"], job.values["duration_s"])
    return job.make(job.values["output"], None, blocks, (RATE, CHANNELS))
