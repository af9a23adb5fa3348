"""How long the words of samples are: what is kept from file to file, and rounding with dither."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Frames
from .containers import Container

_BITS = {"PCM_16": 16, "PCM_24": 24, "PCM_32": 32}
_DITHERED = 24
"""Bits; with more, noise of one step is below what a float32 sample can say."""
_LIKE = {"PCM_S8": "PCM_16", "PCM_U8": "PCM_16", "DOUBLE": "FLOAT", "ULAW": "PCM_16",
         "ALAW": "PCM_16"}  # fmt: skip
"""What holds all of a word that no container here is written with."""


def kept_subtype(container: Container, subtype: str) -> str:
    """Return how a container stores what came as `subtype`: the same, where it can."""
    same = _LIKE.get(subtype, subtype)
    return same if same in container.subtypes else container.subtypes[0]


class Rounding:
    """Rounds samples to the nearest step of a file. Where a block is not made of such steps already
    it gets triangular noise of one step each way first, always the same: without it the error would
    follow the sound and be heard. What was 16 bits, silence as well, comes back as it was."""

    def __init__(self, subtype: str, dither: bool) -> None:
        self._bits = _BITS.get(subtype)
        self._random = np.random.Generator(np.random.PCG64(16))
        self._dither = dither and self._bits is not None and self._bits <= _DITHERED

    def apply(self, block: Frames) -> Any:
        """Return the block as libsndfile writes it. It would cut towards minus infinity itself."""
        if self._bits is None:
            return block
        top = 2.0 ** (self._bits - 1)
        wide = block.astype(np.float64)
        wide *= top  # in place, here and below: new arrays take as long as what is done with them
        steps = np.rint(wide)
        if self._dither and (steps != wide).any():
            noise = self._random.random((2, *block.shape), np.float32)
            wide += noise[0]
            wide -= noise[1]
            np.rint(wide, out=steps)
        np.clip(steps, -top, top - 1, out=steps)
        if self._bits == 16:
            return steps.astype(np.int16)
        steps *= 2.0 ** (32 - self._bits)
        return steps.astype(np.int32)
