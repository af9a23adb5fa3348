"""Several sounds in one: each of those that were joined or mixed is looked for in the result.

The sounds have the rate and the channels of the result (`Both.inputs`), by the names that a measure
gives them; `*` is the sound before.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log10

import numpy as np

from ..blocks import Frames, Samples
from ..calls.files import Sound
from .courses import AnySound, Both

_SOFT_S, _OFF_S = 0.1, 0.03
"""Around a joint nothing is compared; by how much a length may be off."""
_NOTHING_ALIKE = 0.0
_FAR_DB = 24.0
_SOUNDS = 2.0**-14
_PIECE = 32_768


def joined_misfit(both: Both, crossfade_s: float, *names: str) -> float | str:
    """Return how much of the sound that is found least is missing where it has to lie when all are
    joined in this order, dB of its energy: 0 is another sound, or another length."""
    sounds, after = [both.inputs[name] for name in names], both.after
    over, soft = round(crossfade_s * after.rate), round(_SOFT_S * after.rate)
    length = sum(sound.frames for sound in sounds) - over * (len(sounds) - 1)
    differs = any(sound.channels != after.channels for sound in sounds)
    if differs or abs(length - after.frames) > _OFF_S * after.rate:
        return _NOTHING_ALIKE
    found, at = [], 0
    for number, sound in enumerate(sounds):
        first = over + soft if number else 0
        last = sound.frames - (over + soft if number + 1 < len(sounds) else 0)
        was, other = _difference(sound, first, after, at + first, last - first)
        if was > 0:
            found.append(10 * log10(max(other, 1e-12 * was) / was))
        at += sound.frames - over
    return max(found) if found else "all of it is too short, or silent"


def mix_misfit(both: Both, ends: float, *at: float | str) -> float | str:
    """Return how far the gain of each sound in the sum lies from what was asked for, dB, where it
    is most; `ends` is 1 where the first says how long the sum is. `at` gives offset (s), gain (dB)
    and name of each."""
    found = _Sum(both, at[0::3], at[2::3])
    return found.misfit(bool(ends), np.array([float(gain) for gain in at[1::3]]))


def laid_misfit(both: Both, ends: float, below_db: float, *at: float | str) -> float | str:
    """Return the same where the mean level of each further sound is to lie that many dB below the
    first before the gains."""
    found = _Sum(both, at[0::3], at[2::3])
    return found.misfit(bool(ends), np.array([float(gain) for gain in at[1::3]]), below_db)


class _Sum:
    """The sounds of a sum, each from its offset on."""

    def __init__(
        self, both: Both, offsets: tuple[float | str, ...], names: tuple[float | str, ...]
    ) -> None:
        self._after = both.after
        self._sounds = [both.inputs[str(name)] for name in names]
        self._offsets = [round(float(offset) * self._after.rate) for offset in offsets]
        count = len(self._sounds)
        self._products, self._shares = np.zeros((count, count)), np.zeros(count)
        self._spans = np.full((count, 2), -1)

    def misfit(self, ends: bool, gains: Samples, below: float | None = None) -> float | str:
        """Return how far a gain lies from what is wanted, dB: what is left of the sum without all
        sounds as they are wanted must hold nothing more of any of them."""
        lengths = [s.frames + at for s, at in zip(self._sounds, self._offsets, strict=True)]
        length = lengths[0] if ends else max(lengths)
        if abs(length - self._after.frames) > _OFF_S * self._after.rate:
            return _FAR_DB
        self._listen()
        squares = np.diag(self._products)
        if (self._spans[:, 0] < 0).any():
            return "one of the sounds is silent"
        if below is not None:
            levels = 10 * np.log10(squares / (self._spans[:, 1] - self._spans[:, 0] + 1))
            gains[1:] += levels[0] - below - levels[1:]
        factors = 10 ** (gains / 20)
        left = (self._shares - self._products @ factors) / (factors * squares)
        return float(np.abs(20 * np.log10(np.clip(1 + left, 10 ** (-_FAR_DB / 20), 16))).max())

    def _listen(self) -> None:
        """Gather the products of all sounds with each other and with the sum, and where each of
        them sounds."""
        frames, at = self._after.frames, 0
        streams = [
            _pieces(sound, 0, frames, offset)
            for sound, offset in zip(self._sounds, self._offsets, strict=True)
        ]
        for sum, *parts in zip(_pieces(self._after, 0, frames), *streams, strict=True):
            block = np.stack([part.astype(np.float64).ravel() for part in parts])
            self._products += block @ block.T
            self._shares += block @ sum.astype(np.float64).ravel()
            for span, part in zip(self._spans, parts, strict=True):
                there = np.flatnonzero(np.abs(part).max(axis=1) > _SOUNDS)
                if len(there):
                    span[:] = span[0] if span[0] >= 0 else at + there[0], at + there[-1]
            at += len(sum)


def _pieces(sound: AnySound, start: int, count: int, offset: int = 0) -> Iterator[Frames]:
    """Yield `count` frames from `start` on in pieces of one size, silence before `offset` and
    behind the end."""
    left, blocks = np.zeros((0, sound.channels), np.float32), _from(sound, start, offset)
    for at in range(0, count, _PIECE):
        size = min(_PIECE, count - at)
        while len(left) < size and (block := next(blocks, None)) is not None:
            left = np.concatenate((left, block))
        yield np.pad(left[:size], ((0, size - len(left[:size])), (0, 0)))
        left = left[size:]


def _from(sound: AnySound, start: int, offset: int) -> Iterator[Frames]:
    for at in range(0, offset, _PIECE):
        yield np.zeros((min(_PIECE, offset - at), sound.channels), np.float32)
    if isinstance(sound, Sound):
        yield from sound.blocks(start)
        return
    skip = start
    for block in sound.blocks():
        yield block[skip:]
        skip = max(skip - len(block), 0)


def _difference(
    sound: AnySound, start: int, after: AnySound, at: int, count: int
) -> tuple[float, float]:
    """Return the energy of some frames, and that of what is different where they have to lie."""
    was = other = 0.0
    for one, there in zip(_pieces(sound, start, count), _pieces(after, at, count), strict=True):
        wide = one.astype(np.float64)
        was += float((wide**2).sum())
        other += float(((there - wide) ** 2).sum())
    return was, other
