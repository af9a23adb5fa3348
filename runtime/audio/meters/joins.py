"""Several sounds in one: each of those that were joined or mixed is looked for in the result.

The sounds have the rate and the channels of the result (`Both.inputs`), by the names that a measure
gives them; `*` is the sound before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
_SILENT = "one of the sounds is silent"


def joined_misfit(both: Both, crossfade_s: float, *names: str) -> float | str:
    """Return how much of the sound that is found least is missing where it has to lie when all are
    joined in this order, dB of its energy: 0 is another sound, or another length."""
    sounds, after = [both.inputs[name] for name in names], both.after
    over, soft = round(crossfade_s * after.rate), round(_SOFT_S * after.rate)
    length = sum(sound.frames for sound in sounds) - over * (len(sounds) - 1)
    if abs(length - after.frames) > _OFF_S * after.rate:
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
    if not found.has_length(bool(ends)):
        return _FAR_DB
    gains = found.gains()
    if gains is None:
        return _SILENT
    return min(float(np.abs(gains - np.array([float(gain) for gain in at[1::3]])).max()), _FAR_DB)


def laid_misfit(both: Both, ends: float, below_db: float, *at: float | str) -> float | str:
    """Return the same where the mean level of each further sound is to lie that many dB below the
    first before the gains."""
    found = _Sum(both, at[0::3], at[2::3])
    if not found.has_length(bool(ends)):
        return _FAR_DB
    gains, levels = found.gains(), found.levels()
    if gains is None or levels is None:
        return _SILENT
    wanted = np.array([float(gain) for gain in at[1::3]])
    wanted[1:] += levels[0] - below_db - levels[1:]
    return min(float(np.abs(gains - wanted).max()), _FAR_DB)


class _Sum:
    """The sounds of a sum, each from its offset on."""

    def __init__(
        self, both: Both, offsets: tuple[float | str, ...], names: tuple[float | str, ...]
    ) -> None:
        self.after = both.after
        self.sounds = [both.inputs[str(name)] for name in names]
        self.offsets = [round(float(offset) * self.after.rate) for offset in offsets]
        self._squares = np.zeros(len(self.sounds))
        self._spans = np.full((len(self.sounds), 2), -1)

    def has_length(self, ends: bool) -> bool:
        """Tell whether the sum is as long as the first, or else as all of them."""
        lengths = [s.frames + at for s, at in zip(self.sounds, self.offsets, strict=True)]
        length = lengths[0] if ends else max(lengths)
        return abs(length - self.after.frames) <= _OFF_S * self.after.rate

    def gains(self) -> Samples | None:
        """Return the gain of each in the sum, dB: the least squares. None where one is silent."""
        count = len(self.sounds)
        products, shares = np.zeros((count, count)), np.zeros(count)
        streams = [
            _pieces(sound, 0, self.after.frames, at)
            for sound, at in zip(self.sounds, self.offsets, strict=True)
        ]
        at = 0
        for row in zip(_pieces(self.after, 0, self.after.frames), *streams, strict=False):
            sum, *parts = (part.astype(np.float64).ravel() for part in row)
            block = np.stack(parts)
            products += block @ block.T
            shares += block @ sum
            self._listen(at, row[1:])
            at += len(row[0])
        if not (np.diag(products) > 0).all():
            return None
        found = np.linalg.lstsq(products, shares, rcond=None)[0]
        return np.asarray(20 * np.log10(np.maximum(found, 1e-6)))

    def _listen(self, at: int, parts: Sequence[Frames]) -> None:
        for number, part in enumerate(parts):
            there = np.flatnonzero(np.abs(part).max(axis=1, initial=0.0) > _SOUNDS)
            if len(there):
                first = self._spans[number, 0]
                self._spans[number] = first if first >= 0 else at + there[0], at + there[-1]
            self._squares[number] += float((part.astype(np.float64) ** 2).sum())

    def levels(self) -> Samples | None:
        """Return the mean level of each from where it begins to sound to where it ends, dB, once
        the gains are known. None where one is silent."""
        if (self._spans[:, 0] < 0).any():
            return None
        lengths = self._spans[:, 1] - self._spans[:, 0] + 1
        return np.asarray(10 * np.log10(self._squares / lengths))


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
