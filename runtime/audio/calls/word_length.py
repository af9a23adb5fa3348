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
         "ALAW": "PCM_16", "ALAC_16": "PCM_16", "ALAC_20": "PCM_24", "ALAC_24": "PCM_24",
         "ALAC_32": "PCM_32"}  # fmt: skip
"""What holds all of a word that no container here is written with."""

_PIECE = 8192
"""Frames that are rounded at once, which bounds the memory."""


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
        pieces = [slice(at, at + _PIECE) for at in range(0, len(block), _PIECE)]
        noise: Frames | None = None
        if self._dither and any(_is_between_steps(block[piece], top) for piece in pieces):
            noise = self._random.random((2, *block.shape), np.float32)
        done = np.empty(block.shape, np.int16 if self._bits == 16 else np.int32)
        for piece in pieces:
            steps = block[piece].astype(np.float64)
            steps *= top  # in place, here and below: new arrays take as long as the work on them
            if noise is not None:
                steps += noise[0, piece]
                steps -= noise[1, piece]
            np.rint(steps, out=steps)
            np.clip(steps, -top, top - 1, out=steps)
            if self._bits != 16:
                steps *= 2.0 ** (32 - self._bits)
            done[piece] = steps
        return done


def _is_between_steps(piece: Frames, top: float) -> bool:
    wide = piece.astype(np.float64)
    wide *= top
    return bool((np.rint(wide) != wide).any())
