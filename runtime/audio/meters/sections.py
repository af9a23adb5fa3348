"""What a cut left, held against the samples that were there: sections kept and sections gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log10

import numpy as np
from flowc.compiler.catalog.audio_formats import WITH_LOSS, format_of

from ..blocks import Frames, Samples
from ..calls.files import Sound
from .courses import Both
from .known import SECONDS

_SOFT_S = 0.1
"""Around an edge sound may be faded, or pre-echo of a lossy format be heard."""
_NOTHING_ALIKE = 0.0
_OTHER_SHAPE = "rate or channels before and after differ"
_MUTE_DBFS, _HEARD_DBFS, _HEARD_BELOW_DB = -85.0, -70.0, 20.0
_FAR_DB = 24.0
"""A deviation counts as this much at most."""
_PART_S = 0.1
"""What differs is looked for in parts of this length: in a long file a section that is not the one
that was asked for weighs next to nothing."""
_QUIET, _QUIET_CODED = 1e-3, 1.0
"""Times its mean energy that a part weighs at least: a coder adds noise to what is quiet."""
_NEAR_S = 1.0
"""At both ends of a section the level is looked at by itself for as long."""


def section_misfit(both: Both, start_s: float, end_s: float) -> float | str:
    """Return how much of the result is not the section of the sound before, dB of the energy of the
    tenth of a second where it is most: 0 is another sound. Negative seconds count from the end; an
    end of 0 is that of the file."""
    return _misfit(both, [span_within(both.before, start_s, end_s)])


def cut_misfit(both: Both, start_s: float, end_s: float) -> float | str:
    """Return the same of what is left without the section."""
    start, end = span_within(both.before, start_s, end_s)
    pieces = [(0.0, start), (end, both.before.seconds)]
    return _misfit(both, [(a, b) for a, b in pieces if b > a])


def span_within(sound: Sound, start_s: float, end_s: float) -> tuple[float, float]:
    """Return where a section begins and ends, s from the start of the sound."""
    start = start_s + sound.seconds if start_s < 0 else start_s
    return max(start, 0.0), end_s if end_s > 0 else sound.seconds + end_s


def level_misfit(both: Both, gain_db: float, start_s: float, end_s: float) -> float | str:
    """Return how far the gain of every 10 ms lies from this one within a section and from 0
    without, dB (RMS) of the part where it is most. What is quieter than -85 dBFS counts as that;
    what lies 20 dB below the loudest of the part does not count, as a coder changes it."""
    before, after = (np.maximum(course, _MUTE_DBFS) for course in both.levels())
    if len(before) != len(after):
        return "the length before and after differs"
    time = np.arange(len(before)) * SECONDS
    start, end = span_within(both.before, start_s, end_s)
    inside = (time > start + _SOFT_S) & (time < end - _SOFT_S)
    outside = (time < start - _SOFT_S) | (time > end + _SOFT_S)
    near = [np.abs(time - edge) < _NEAR_S for edge in (start, end)]
    found = []
    for gain, where in ((gain_db, inside), (0.0, outside)):
        loudest = float(before[where].max(initial=_MUTE_DBFS))
        heard = where & (before > max(_HEARD_DBFS, loudest - _HEARD_BELOW_DB))
        if heard.any():
            off = np.clip(after - np.maximum(before + gain, _MUTE_DBFS), -_FAR_DB, _FAR_DB)
            # Beside minutes that are right, a second too much would not tell.
            parts = [part for part in (heard, *(heard & edge for edge in near)) if part.any()]
            found += [float(np.sqrt((off[part] ** 2).mean())) for part in parts]
        elif where is inside:
            return "where the level is to change there is silence, or less than 0.2 s"
    return max(found)


def pad_misfit(both: Both, start_s: float, end_s: float) -> float | str:
    """Return how much of the result is not silence of these lengths around the sound before, dB of
    its energy."""
    before, after = both.before, both.after
    if (before.rate, before.channels) != (after.rate, after.channels):
        return _OTHER_SHAPE
    first, last = round(start_s * before.rate), round(end_s * before.rate)
    if abs(first + before.frames + last - after.frames) > 0.03 * before.rate:
        return _NOTHING_ALIKE
    soft = min(round(_SOFT_S * before.rate), before.frames // 4)
    was, off = _compare(before, soft, after, first + soft, before.frames - 2 * soft)
    off += _energy(after, 0, first - soft)
    off += _energy(after, first + before.frames + soft, last - soft)
    return _share_db(off, was)


def reverse_misfit(both: Both) -> float | str:
    """Return how much of the result is not the sound before from its end to its start, dB of its
    energy."""
    before, after = both.before, both.after
    if (before.rate, before.channels) != (after.rate, after.channels):
        return _OTHER_SHAPE
    frames = min(before.frames, after.frames)
    if before.frames - frames > 0.03 * before.rate:
        return _NOTHING_ALIKE
    totals, at = np.zeros(2), 0
    for block in after.blocks(0, frames):
        end = before.frames - at
        was = np.concatenate(list(before.blocks(end - len(block), end)))[::-1].astype(np.float64)
        totals += (was * was).sum(), ((was - block) ** 2).sum()
        at += len(block)
    return _share_db(totals[1], totals[0])


def channels_misfit(both: Both, *order: float) -> float | str:
    """Return how much of the result is not these channels of the sound before, dB of the energy of
    those, or of all where there is only silence; 0 is silence."""
    before, after = both.before, both.after
    chosen = [int(number) for number in order]
    if before.rate != after.rate or before.frames != after.frames:
        return "rate or length before and after differ"
    if after.channels != len(chosen) or max(chosen, default=0) > before.channels:
        return _NOTHING_ALIKE
    totals = np.zeros(2)
    for was, block in zip(before.blocks(), after.blocks(), strict=False):
        wanted = pick_channels(was, chosen).astype(np.float64)
        totals += (wanted * wanted).sum(), ((wanted - block[: len(was)]) ** 2).sum()
    return _share_db(totals[1], totals[0] or totals[1])


def pick_channels(block: Frames, order: Sequence[int]) -> Frames:
    """Return a block, of shape (frames, channels), with other channels: each is the one of that
    number, from 1 on, and 0 is silence."""
    silence = np.zeros((len(block), 1), block.dtype)
    return np.concatenate((silence, block), axis=1)[:, [*order]]


def _share_db(off: float, was: float) -> float | str:
    return 10 * log10(max(off, 1e-12 * was) / was) if was > 0 else "all of it is silence"


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
    if count <= 0:
        return 0.0
    return sum(float((b.astype(np.float64) ** 2).sum()) for b in sound.blocks(start, start + count))


def _misfit(both: Both, pieces: list[tuple[float, float]]) -> float | str:
    before, after = both.before, both.after
    if (before.rate, before.channels) != (after.rate, after.channels):
        return _OTHER_SHAPE
    rate = before.rate
    edges = [(round(a * rate), min(round(b * rate), before.frames)) for a, b in pieces]
    if abs(sum(b - a for a, b in edges) - after.frames) > 0.03 * rate:
        return _NOTHING_ALIKE
    found, at, soft = [], 0, round(_SOFT_S * rate)
    for start, end in edges:
        count = end - start - 2 * soft
        if count > 0:
            found.append(_compare_parts(before, start + soft, after, at + soft, count))
        at += end - start
    parts = np.concatenate(found) if found else np.zeros((1, 2))
    was, off = parts.T
    if not was.any():
        return "what is left is too short, or silent"
    least = (_QUIET_CODED if format_of(after.path) in WITH_LOSS else _QUIET) * was.mean()
    return 10 * log10(max(float((off / np.maximum(was, least)).max()), 1e-12))


def _compare_parts(before: Sound, start: int, after: Sound, at: int, count: int) -> Samples:
    """Return the energy before, and that of the difference, for each part."""
    size = round(_PART_S * before.rate)
    totals = np.zeros((-(-count // size), 2))
    seen = 0
    for one, other in _pairs(before, start, after, at, count):
        part = np.arange(seen, seen + len(one)) // size
        for column, values in enumerate((one, other - one)):
            energy = np.bincount(part - part[0], (values * values).sum(axis=1))
            totals[part[0] : part[0] + len(energy), column] += energy
        seen += len(one)
    return totals


def _pairs(
    before: Sound, start: int, after: Sound, at: int, count: int
) -> Iterator[tuple[Samples, Samples]]:
    blocks = zip(before.blocks(start, start + count), after.blocks(at, at + count), strict=False)
    for one, other in blocks:
        both = min(len(one), len(other))
        if both:
            yield one[:both].astype(np.float64), other[:both].astype(np.float64)


def _compare(before: Sound, start: int, after: Sound, at: int, count: int) -> Samples:
    """Return the energy before, and that of the difference."""
    totals = np.zeros(2)
    for one, other in _pairs(before, start, after, at, count):
        totals += ((one**2).sum(), ((other - one) ** 2).sum())
    return totals
