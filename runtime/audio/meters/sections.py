"""What a cut left, held against the samples that were there: sections kept and sections gone."""

from __future__ import annotations

from math import log10

import numpy as np

from ..blocks import Samples
from ..calls.files import Sound
from .courses import Both

_SOFT_S = 0.1
"""Around an edge sound may be faded, or pre-echo of a lossy format be heard."""
_NOTHING_ALIKE = 0.0
_ADDED = 2.0**-14


def section_misfit(both: Both, start_s: float, end_s: float) -> float | str:
    """Return how much of the result is not the section of the sound before, dB of its energy: 0 is
    another sound. An end of 0 is that of the file."""
    end_s = end_s or both.before.seconds
    return _misfit(both, [(start_s, end_s)])


def cut_misfit(both: Both, start_s: float, end_s: float) -> float | str:
    """Return the same of what is left without the section."""
    end_s = end_s or both.before.seconds
    pieces = [(0.0, start_s), (end_s, both.before.seconds)]
    return _misfit(both, [(a, b) for a, b in pieces if b > a])


def joined_misfit(both: Both, crossfade_s: float) -> float | str:
    """Return how much of the sound before is missing where the result begins, or where it ends,
    whichever is nearer; where sounds overlap nothing is compared."""
    before, after = both.before, both.after
    if (before.rate, before.channels) != (after.rate, after.channels):
        return "rate or channels before and after differ"
    spare, soft = after.frames - before.frames, round((_SOFT_S + crossfade_s) * before.rate)
    count = before.frames - soft
    if count <= 0:
        return "it is too short to be found"
    if spare < 0:
        return _NOTHING_ALIKE
    ways = [
        _compare(before, 0, after, 0, count),
        _compare(before, soft, after, spare + soft, count),
    ]
    found = [10 * log10(max(t[1], 1e-12 * t[0]) / t[0]) for t in ways if t[0] > 0]
    return min(found) if found else "all of it is silence"


def laid_under(both: Both) -> float | str:
    """Return the mean level of what was added beside that of the sound before, dB, each from where
    it begins to sound to where it ends."""
    before, after = both.before, both.after
    if (before.rate, before.channels, before.frames) != (after.rate, after.channels, after.frames):
        return "the length before and after differs"
    squares, spans, at = np.zeros(2), [[-1, -1], [-1, -1]], 0
    for one, other in zip(before.blocks(), after.blocks(), strict=False):
        wide = one.astype(np.float64)
        for number, part in enumerate((wide, other - wide)):
            squares[number] += (part * part).sum()
            there = np.flatnonzero(np.abs(part).max(axis=1) > _ADDED)
            if len(there):
                first = spans[number][0]
                spans[number] = [first if first >= 0 else at + int(there[0]), at + int(there[-1])]
        at += len(one)
    if spans[0][0] < 0:
        return "all of it is silence"
    if spans[1][0] < 0:
        return -120.0
    levels = [s / (last - first + 1) for s, (first, last) in zip(squares, spans, strict=True)]
    return 10 * log10(levels[1] / levels[0])


def _misfit(both: Both, pieces: list[tuple[float, float]]) -> float | str:
    before, after = both.before, both.after
    if (before.rate, before.channels) != (after.rate, after.channels):
        return "rate or channels before and after differ"
    rate = before.rate
    edges = [(round(a * rate), min(round(b * rate), before.frames)) for a, b in pieces]
    if abs(sum(b - a for a, b in edges) - after.frames) > 0.03 * rate:
        return _NOTHING_ALIKE
    totals, at, soft = np.zeros(2), 0, round(_SOFT_S * rate)
    for start, end in edges:
        count = end - start - 2 * soft
        if count > 0:
            totals += _compare(before, start + soft, after, at + soft, count)
        at += end - start
    if not totals[0] > 0:
        return "what is left is too short, or silent"
    return 10 * log10(max(totals[1], 1e-12 * totals[0]) / totals[0])


def _compare(before: Sound, start: int, after: Sound, at: int, count: int) -> Samples:
    """Return the energy before, and that of the difference."""
    totals = np.zeros(2)
    blocks = zip(before.blocks(start, start + count), after.blocks(at, at + count), strict=False)
    for one, other in blocks:
        both = min(len(one), len(other))
        wide = one[:both].astype(np.float64)
        totals += ((wide**2).sum(), ((other[:both] - wide) ** 2).sum())
    return totals
