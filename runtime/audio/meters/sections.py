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


def shift_misfit(both: Both, offset_s: float, wraps: float) -> float | str:
    """Return how much of the result is not the sound before, moved, dB of the energy of the part
    where it is most: of what stays, and of what comes in at one end, which is silence or, where it
    `wraps`, what has left at the other."""
    before, after = both.before, both.after
    shape = (before.rate, before.channels, before.frames)
    if shape != (after.rate, after.channels, after.frames):
        return "rate, channels or length before and after differ"
    by, whole = round(offset_s * before.rate), before.frames
    if abs(by) >= whole:
        return "it is moved out of its length"
    stays = (0, by, whole - by) if by >= 0 else (-by, 0, whole + by)
    enters = (whole - by, 0, by) if by >= 0 else (0, whole + by, -by)
    soft = round(_SOFT_S * before.rate)
    found = []
    for (start, at, count), silent in ((stays, False), (enters, not wraps)):
        if count <= 2 * soft:
            continue
        part = (start + soft, after, at + soft, count - 2 * soft)
        was, off = _compare(before, *part)
        if silent:  # beside what could have come in there
            off = _energy(after, at + soft, count - 2 * soft)
        if was > 0:
            found.append(10 * log10(max(off, 1e-12 * was) / was))
    return max(found) if found else "what is moved is too short, or silent"


def _energy(sound: Sound, start: int, count: int) -> float:
    return sum(float((b.astype(np.float64) ** 2).sum()) for b in sound.blocks(start, start + count))


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
