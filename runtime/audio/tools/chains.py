"""The tools that are stages made with numpy."""

from __future__ import annotations

import numpy as np
from flowc.compiler.catalog.audio_expectations import MUTE_DB

from ...errors import Failure
from ..calls.files import Sound
from ..meters.known import levels_of
from ..meters.loudness import decibels
from ..meters.sections import pick_channels
from . import stages
from .cutting import section_of
from .job import Chain, Job


def gain(job: Job) -> Chain:
    """Multiply every sample by the same, or those of one section. Raise `Failure` when it lies
    outside of the file."""
    values = job.values
    if not values["start_s"] and values["end_s"] is None:
        return Chain([stages.gain(values["gain_db"])])
    start, end = section_of(job)
    soft = min(round(values["soften_ms"] / 1000 * job.input.rate), (end - start) // 2)
    factor = 0.0 if values["gain_db"] <= MUTE_DB else 10 ** (values["gain_db"] / 20)
    return Chain([stages.section_gain(factor, start, end, soft)])


def channels(job: Job) -> Chain:
    """Choose channels. Raise `Failure` for one that the file does not have."""
    sound, order = job.input, [int(number) for number in job.values["order"]]
    if max(order) > sound.channels:
        has = f"`{sound.path}` has {sound.channels} channel{'s' * (sound.channels != 1)}"
        raise Failure(
            f"{has}: there is no channel {max(order)}",
            help="channels are counted from 1; 0 is a silent one",
        )
    stage = stages.Mapped(lambda block, _: pick_channels(block, order))
    return Chain([stage], channels=len(order))


def invert(job: Job) -> Chain:
    """Turn the polarity round."""
    return Chain([stages.Mapped(lambda block, _: -block)])


def distort(job: Job) -> Chain:
    """Bend with the hyperbolic tangent (soft) or cut at full scale (hard)."""
    factor = np.float32(10 ** (job.values["drive_db"] / 20))
    if job.values["shape"] == "hard":
        return Chain([stages.Mapped(lambda block, _: np.clip(block * factor, -1.0, 1.0))])
    return Chain([stages.Mapped(lambda block, _: np.tanh(block * factor))])


def fade(job: Job) -> Chain:
    """Raise the level at the start, lower it at the end. Raise `Failure` where the two meet."""
    sound, values = job.input, job.values
    first, last = (round(values[name] * sound.rate) for name in ("in_s", "out_s"))
    if first + last > sound.frames:
        long = f"`in_s` and `out_s` are {values['in_s'] + values['out_s']:g} s together"
        raise Failure(f"{long}, `{sound.path}` is {sound.seconds:.2f} s long")
    return Chain([stages.fade(sound.frames, first, last, values["shape"])])


def add_noise(job: Job) -> Chain:
    """Add noise below the RMS of the whole file. Raise `Failure` for silence."""
    sound, values = job.input, job.values
    levels = levels_of(sound)
    rms = float(np.sqrt(levels.squares.mean() / levels.count))
    if not rms:
        raise silence_failure(sound)
    level = rms * 10 ** (-values["snr_db"] / 20)
    noise = stages.Noise(sound.rate, sound.channels, values["color"], level, values["seed"])
    return Chain([noise], {"noise_rms_dbfs": decibels(level)})


def silence_failure(sound: Sound) -> Failure:
    """Return the failure of a tool that needs a level and gets silence."""
    return Failure(f"`{sound.path}` is silent and has no level to begin from")
