"""The tools that cut and join: sample-accurate, without a click where sound is cut."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise

import numpy as np

from ...errors import Failure
from ..blocks import Frames
from ..calls.files import Sound
from . import stages
from .chains import levels_of
from .job import Job, Result


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
    """Keep one section, with short fades where it begins and ends within the sound. Raise `Failure`
    when it lies outside of the file."""
    return _keep(job, job.input, *_section(job))


def cut(job: Job) -> Result:
    """Take one section out. What is left is joined by a crossfade around the place: as many frames
    come out as lie outside of the section. Raise `Failure` when nothing would be left."""
    sound, start, end = job.input, *_section(job)
    if start == 0 and end == sound.frames:
        raise Failure(f"nothing of `{sound.path}` would be left", help="cut a shorter section")
    if start == 0 or end == sound.frames:
        return _keep(job, sound, *((end, sound.frames) if start == 0 else (0, start)))
    half = min(_soft_frames(job, sound) // 2, start, sound.frames - end, (end - start) // 2)
    if half < 1:
        return job.write(sound, chain(sound.blocks(0, start), sound.blocks(end)))
    before, after = (_whole(sound, at - half, at + half) for at in (start, end))
    joint = stages.Crossfade(2 * half).over(before, after)
    return job.write(sound, chain(sound.blocks(0, start - half), [joint], sound.blocks(end + half)))


def _keep(job: Job, sound: Sound, start: int, end: int) -> Result:
    soft = min(_soft_frames(job, sound), (end - start) // 2)
    first, last = soft if start else 0, soft if end < sound.frames else 0
    fade = stages.fade(end - start, first, last, "equal_power")
    return job.write(sound, stages.through(sound.blocks(start, end), [fade]))


def _section(job: Job) -> tuple[int, int]:
    """Return the frames where the section begins and ends. Raise `Failure`."""
    sound, values = job.input, job.values
    end_s = sound.seconds if values["end_s"] is None else values["end_s"]
    _inside(sound, "start_s", values["start_s"])
    _inside(sound, "end_s", end_s)
    start, end = round(values["start_s"] * sound.rate), round(end_s * sound.rate)
    if start >= end:
        raise Failure(f"nothing of `{sound.path}` lies between {values['start_s']:g} s and its end")
    return start, end


def _soft_frames(job: Job, sound: Sound) -> int:
    return round(float(job.values["soften_ms"]) / 1000 * sound.rate)


def _whole(sound: Sound, start: int, end: int) -> Frames:
    """Return a short section at once."""
    return np.concatenate(list(sound.blocks(start, end)))


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
        job.make(path, sound, sound.blocks(start, end))
        for path, (start, end) in zip(job.call.writes, pairwise(edges), strict=True)
    ]
    return {"outputs": parts}


def concat(job: Job) -> Result:
    """Join one after the other, overlapping or not."""
    sounds = alike(job)
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


def _inside(sound: Sound, name: str, seconds: float) -> None:
    if round(seconds * sound.rate) > sound.frames:
        raise Failure(
            f"`{name}` is {seconds:g} s, but `{sound.path}` is {sound.seconds:.3f} s long"
        )


def alike(job: Job) -> list[Sound]:
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
