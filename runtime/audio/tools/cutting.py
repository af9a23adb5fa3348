"""The tools that cut and join: sample-accurate, without a click where sound is cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

import numpy as np

from ...errors import Failure
from ..blocks import Frames
from ..calls.files import Sound
from ..meters.known import levels_of
from ..meters.levels import FRAME_SECONDS
from ..meters.restoration import pauses_in
from ..tags.chapters import Chapter, SoundSpan, move_chapters
from . import stages
from .job import Job, Result, pieces_of


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
    done = job.write(sound, sound.blocks(start, end), pieces=pieces_of(sound, [(start, end)]))
    cut = {"cut_start_s": start / sound.rate, "cut_end_s": (sound.frames - end) / sound.rate}
    return {**done, **cut}


def clip(job: Job) -> Result:
    """Keep one section, with short fades where it begins and ends within the sound. Raise `Failure`
    when it lies outside of the file."""
    return _keep(job, job.input, *section_of(job))


def cut(job: Job) -> Result:
    """Take one section out. What is left is joined by a crossfade around the place: as many frames
    come out as lie outside of the section. Raise `Failure` when nothing would be left."""
    sound, start, end = job.input, *section_of(job)
    if start == 0 and end == sound.frames:
        raise Failure(f"nothing of `{sound.path}` would be left", help="cut a shorter section")
    if start == 0 or end == sound.frames:
        return _keep(job, sound, *((end, sound.frames) if start == 0 else (0, start)))
    half = _soft_frames(job, sound) // 2
    left = pieces_of(sound, [(0, start), (end, sound.frames)])
    return job.write(sound, _without(sound, [(start, end)], half), pieces=left)


def _without(sound: Sound, gone: list[tuple[int, int]], most: int) -> Iterator[Frames]:
    """Yield a sound without some sections, which lie within it, in order: each joint is a crossfade
    over at most `most` frames on both sides."""
    at = 0
    for number, (start, end) in enumerate(gone):
        after = gone[number + 1][0] if number + 1 < len(gone) else sound.frames
        half = min(most, start - at, after - end, (end - start) // 2)
        yield from sound.blocks(at, start - half)
        if half > 0:
            one, other = (_whole(sound, place - half, place + half) for place in (start, end))
            yield stages.Crossfade(2 * half).over(one, other)
        at = end + half
    yield from sound.blocks(at)


def _keep(job: Job, sound: Sound, start: int, end: int) -> Result:
    soft = min(_soft_frames(job, sound), (end - start) // 2)
    first, last = soft if start else 0, soft if end < sound.frames else 0
    fade = stages.fade(end - start, first, last, "equal_power")
    blocks = stages.through(sound.blocks(start, end), [fade])
    return job.write(sound, blocks, pieces=pieces_of(sound, [(start, end)]))


def section_of(job: Job) -> tuple[int, int]:
    """Return the frames where the section of a call begins and ends; negative seconds count from
    the end. Raise `Failure` when it lies outside of the file, or nothing lies in it."""
    sound, values = job.input, job.values
    start, end = _place(sound, "start_s", values["start_s"]), sound.frames
    until = "its end"
    if values["end_s"] is not None:
        end = _place(sound, "end_s", values["end_s"])
        until = f"{end / sound.rate:g} s"
    if start >= end:
        place = f"{start / sound.rate:g} s"
        raise Failure(f"nothing of `{sound.path}` lies between {place} and {until}")
    return start, end


def _place(sound: Sound, name: str, seconds: float) -> int:
    if seconds >= 0:
        _inside(sound, name, seconds)
        return round(seconds * sound.rate)
    frames = sound.frames + round(seconds * sound.rate)
    if frames < 0:
        long = f"`{sound.path}` is {sound.seconds:.3f} s long"
        raise Failure(f"`{name}` is {-seconds:g} s before the end, but {long}")
    return frames


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
    edges = [round(point * sound.rate) for point in points]
    if any(start >= end for start, end in pairwise([0, *edges, sound.frames])):
        raise Failure(f"`points_s` would leave a part of `{sound.path}` without samples")
    return _with_others(_parts(job, sound, edges))


def _parts(job: Job, sound: Sound, edges: list[int]) -> list[Result]:
    """Write what lies between some edges, into the first of the files that the call may write."""
    sections = pairwise([0, *edges, sound.frames])
    return [
        job.make(path, sound, sound.blocks(start, end), pieces=pieces_of(sound, [(start, end)]))
        for path, (start, end) in zip(job.call.writes, sections, strict=False)
    ]


def split_silence(job: Job) -> Result:
    """Cut in the middle of pauses. Raise `Failure` where there is none, or there are too many."""
    sound, pauses = job.input, _pauses(job, "least_s")
    if len(pauses) >= len(job.call.writes):
        help = "ask for longer pauses: `least_s`"
        raise Failure(f"`{sound.path}` has {len(pauses)} such pauses: too many", help=help)
    return _with_others(_parts(job, sound, [(start + end) // 2 for start, end in pauses]))


def _with_others(parts: list[Result]) -> Result:
    """Return what is said of the first of several files, and of all of them."""
    names = ", ".join(f"`{part['output']}`" for part in parts[1:])
    first = {**parts[0], "outputs": parts}
    first["notes"] = [f"the first of {len(parts)} parts; the others are {names}", *first["notes"]]
    return first


def shorten_pauses(job: Job) -> Result:
    """Take out of the middle of each pause what it has too much. Raise `Failure` for none."""
    sound, pauses = job.input, _pauses(job, "longest_s")
    keep = round(job.values["longest_s"] * sound.rate)
    gone = [(a + keep // 2, b - (keep - keep // 2)) for a, b in pauses]
    half = _soft_frames(job, sound) // 2
    ends = [0, *chain.from_iterable(gone), sound.frames]
    left = pieces_of(sound, zip(ends[::2], ends[1::2], strict=True))
    done = job.write(sound, _without(sound, gone, half), pieces=left)
    spare = sum(end - start for start, end in gone) / sound.rate
    return {**done, "cut_pauses_s": spare}


def _pauses(job: Job, length: str) -> list[tuple[int, int]]:
    """Return where pauses longer than an argument begin and end, in frames. Raise `Failure`."""
    sound, values = job.input, job.values
    frames = levels_of(sound).frames()
    pauses = pauses_in(frames, values["threshold_dbfs"], values[length])
    if not pauses:
        what = f"no pause longer than {values[length]:g} s below {values['threshold_dbfs']:g} dBFS"
        help = f"a shorter `{length}`, or a higher `threshold_dbfs` where there is noise in pauses"
        raise Failure(f"`{sound.path}` has {what}", help=help)
    step = max(1, round(sound.rate * FRAME_SECONDS))
    return [(start * step, end * step) for start, end in pauses]


def concat(job: Job) -> Result:
    """Join one after the other, overlapping or not."""
    first, sounds = alike(job)
    over = round(job.values["crossfade_s"] * first.rate)
    for number, sound in enumerate(sounds):
        joints = (number > 0) + (number < len(sounds) - 1)
        if sound.frames < joints * over:
            fade = f"{job.values['crossfade_s']:g} s"
            what = f"crossfades of {fade} at both ends" if joints > 1 else f"a crossfade of {fade}"
            raise Failure(f"`{sound.path}` is too short for {what}")
    streams = [sound.blocks() for sound in sounds]
    blocks: Iterator[Frames] = chain.from_iterable(streams)
    if over:
        blocks = stages.Crossfade(over).join(streams)
    frames = sum(sound.frames for sound in sounds) - over * (len(sounds) - 1)
    later = [*_later_chapters(job, sounds, over)]
    return job.write(first, blocks, more=later, frames=frames)


def _later_chapters(job: Job, sounds: Sequence[AnySound], over: int) -> Iterator[Chapter]:
    """Yield the chapters of all sounds but the first, where they lie behind those before them."""
    at = 0.0
    for before, after, path in zip(sounds, sounds[1:], job.values["inputs"][1:], strict=False):
        at += (before.frames - over) / before.rate
        chapters = job.sound(path).tags().chapters
        yield from move_chapters(chapters, [SoundSpan(0, after.frames / after.rate, at)])


def _inside(sound: Sound, name: str, seconds: float) -> None:
    if round(seconds * sound.rate) > sound.frames:
        raise Failure(
            f"`{name}` is {seconds:g} s, but `{sound.path}` is {sound.seconds:.3f} s long"
        )


class Reshaped:
    """A sound with the rate and the channels of another."""

    def __init__(self, sound: Sound, like: Sound) -> None:
        self._sound, self._like, self.path = sound, like, sound.path
        self.rate, self.channels = like.rate, like.channels
        self.frames = round(sound.frames * like.rate / sound.rate)

    def blocks(self) -> Iterator[Frames]:
        """Yield all frames."""
        line: list[stages.Stage] = []
        if self._sound.channels != self.channels:
            line.append(stages.rechannel(self._sound.channels, self.channels))
        if self._sound.rate != self.rate:
            from .resampling import Resampled

            line.append(Resampled(self._sound.rate, self.rate, self.channels))
        return stages.through(self._sound.blocks(), line)


AnySound = Sound | Reshaped


def alike(job: Job) -> tuple[Sound, list[AnySound]]:
    """Return the first input, and all of them with its rate and its channels. Raise `Failure` where
    channels cannot be folded so."""
    first, *others = (job.sound(path) for path in job.values["inputs"])
    for sound in others:
        if sound.channels != first.channels and not (
            sound.channels in (1, 2, 5, 6) and first.channels in (1, 2)
        ):
            differ = f"{first.channels} and {sound.channels}"
            raise Failure(
                f"`{first.path}` and `{sound.path}` differ: they have {differ} channels",
                help="bring them to one number of channels first",
            )
    return first, [first, *(like(sound, first) for sound in others)]


def like(sound: Sound, other: Sound) -> AnySound:
    """Return a sound with the rate and the channels of another."""
    same = (sound.rate, sound.channels) == (other.rate, other.channels)
    return sound if same else Reshaped(sound, other)
