"""The leveller: a hand on the fader that brings quiet speakers and loud ones together."""

from __future__ import annotations

import numpy as np

from ..blocks import Frames
from ..meters.known import levels_of
from ..meters.levels import FRAME_SECONDS
from ..meters.restoration import leveller_law
from .chains import silence_failure
from .job import Chain, Job
from .stages import Mapped


def leveller(job: Job) -> Chain:
    """Move the level slowly towards that of the whole; pauses stay as far below as they were. Raise
    `Failure` for silence."""
    sound, values = job.input, job.values
    gains = leveller_law(levels_of(sound).frames(), values["window_s"], values["most_db"])
    if gains is None:
        raise silence_failure(sound)
    centres = (np.arange(len(gains)) + 0.5) * FRAME_SECONDS * sound.rate

    def apply(block: Frames, at: int) -> Frames:
        course = np.interp(np.arange(at, at + len(block)), centres, gains)
        return (block * (10 ** (course / 20))[:, None]).astype(np.float32)

    low, high = float(gains.min()), float(gains.max())
    return Chain([Mapped(apply)], {"lowest_gain_db": low, "highest_gain_db": high})
