"""What an edit did to a sound, as a picture: the spectrogram after it less the one before it."""

from __future__ import annotations

import numpy as np

from ..blocks import Samples
from ..calls.files import Sound
from .waveform import FLOOR_DB, columns_of

_FAINT_DB = FLOOR_DB + 20
"""What is quieter before and after is taken for equal."""


def difference_between(before: Sound, after: Sound, begin_s: float) -> Samples | str:
    """Return the change in dB, of shape (rows, columns) as a sketch's levels of the sound before,
    or in words why there is none. The sound after begins where `begin_s` of the one before is; NaN
    where it has nothing. Raise `Failure` as `Sound.blocks` does."""
    if before.rate != after.rate:
        return "the sample rates differ"
    begin = round(begin_s * before.rate)
    one, other = (columns_of(s, before.frames, at) for s, at in ((before, 0), (after, begin)))
    levels = [np.maximum(columns.levels(), _FAINT_DB) for columns in (one, other)]
    return np.where(other.is_filled, levels[1] - levels[0], np.nan)
