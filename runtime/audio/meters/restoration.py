"""Measures of repairs: noise, clicks, sharp s sounds, pauses and uneven levels."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..blocks import Samples
from ..calls.files import Sound
from .courses import Both
from .known import SECONDS, levels_of
from .levels import FRAME_SECONDS
from .sections import section_misfit

DEESS_SECONDS = 0.023
_TENTH = 10
_FAINT = 1e-5
"""Amplitude from which there is something: -100 dBFS."""
_SOUNDING_DB = 20.0
"""How far below the loudest frames those in which somebody speaks begin."""
_SILENT = "all of it is silence"
_DIFFERENT = "the length before and after differs"
_CLICK_TIMES, _FRAME_S = 24.0, 0.01
_GROUP = 8
"""Windows whose power is added up, so that their overlap counts little."""
_FAR_DB = 24.0
_BELOW = 0.01
"""Share of the power above a frequency from which the octave below holds more than a window shows
there of what is above."""
_SHARES = np.array([0.0028, 0.0625, 0.2472, 0.375, 0.2472, 0.0625, 0.0028])
"""How much windows a quarter of their size apart have in common: a gain reaches its neighbours."""


def window_of(size: int) -> Samples:
    """Return a Hann window whose copies at a quarter of its size add up to two."""
    return np.asarray(np.hanning(size + 1)[:-1])


def sounding_level(frames: Samples) -> float | None:
    """Return the mean level of the frames in which there is more than pauses, dBFS; None for
    silence. `frames` are RMS of 20 ms."""
    heard = frames[frames > _FAINT]
    if not len(heard):
        return None
    loud = heard[heard > np.percentile(heard, 95) * 10 ** (-_SOUNDING_DB / 20)]
    return float(10 * np.log10((loud**2).mean()))


def band_weights(size: int, rate: int, hz: float) -> Samples:
    """Return for each frequency of a window its share in the band above `hz`: over a third of an
    octave it rises from nought to one."""
    freqs = np.maximum(np.fft.rfftfreq(size, 1 / rate), 1.0)
    rise = np.clip((np.log2(freqs / hz) + 1 / 6) * 3, 0, 1)
    return np.asarray(np.sin(rise * np.pi / 2) ** 2)


def quiet_frames_gain(both: Both) -> float | str:
    """Return the usual gain of the quietest tenth of the frames in which something is, dB."""
    return _gain_of(both, _TENTH, quiet=True)


def loud_frames_gain(both: Both) -> float | str:
    """Return the usual gain of the loudest tenth of the frames, dB."""
    return _gain_of(both, 100 - _TENTH, quiet=False)


def _gain_of(both: Both, percent: float, *, quiet: bool) -> float | str:
    before, after = both.levels()
    if len(before) != len(after):
        return _DIFFERENT
    heard = before > -100
    if not heard.any():
        return _SILENT
    edge = np.percentile(before[heard], percent)
    chosen = heard & ((before <= edge) if quiet else (before >= edge))
    return float(np.median(np.maximum(after[chosen], -140) - before[chosen]))


def clicks_share(both: Both) -> float | str:
    """Return how many of the clicks are left: a click is far above the change that is usual there
    from sample to sample."""
    before, after = (_count_clicks(sound) for sound in (both.before, both.after))
    return after / before if before else "the sound has no clicks"


def _count_clicks(sound: Sound) -> int:
    """Return in how many frames of 10 ms the second difference stands out of what is usual there
    and in both neighbours: a sound that begins at once goes on, and a click does not."""
    frame = max(round(sound.rate * _FRAME_S), 8)
    rest, usual, highest = np.zeros((0, sound.channels), np.float32), [], []
    for block in sound.blocks():
        rest = np.concatenate((rest, block))
        rows = np.abs(np.diff(rest.astype(np.float64), 2, axis=0)).max(axis=1, initial=0.0)
        whole = len(rows) // frame
        rows = rows[: whole * frame].reshape(whole, frame)
        usual.append(np.median(rows, axis=1))
        highest.append(rows.max(axis=1))
        rest = rest[whole * frame :]
    around = np.pad(np.concatenate(usual), 1, mode="edge")
    least = np.maximum(np.maximum(around[:-2], around[1:-1]), around[2:]) * _CLICK_TIMES
    found = np.concatenate(highest) > np.maximum(least, _FAINT * 10)
    return int((found & ~np.concatenate((np.zeros(1, bool), found[:-1]))).sum())


def changed_share(both: Both) -> float | str:
    """Return the share of the samples that are others than before."""
    if both.before.frames != both.after.frames:
        return _DIFFERENT
    changed = total = 0
    step = 2.0**-14
    for one, other in zip(both.before.blocks(), both.after.blocks(), strict=False):
        changed += int((np.abs(one - other) > step).any(axis=1).sum())
        total += len(one)
    return changed / total


def deess_misfit(both: Both, hz: float, threshold_db: float, most_db: float) -> float | str:
    """Return how far the gain of the band above a frequency lies from what a de-esser takes, dB, or
    that of the octave below from 0 while it takes something."""
    before, after = both.before, both.after
    if (before.rate, before.frames) != (after.rate, after.frames):
        return _DIFFERENT
    level = sounding_level(frames_of(before))
    if level is None:
        return _SILENT
    (was, below), (now, left) = (band_courses(sound, hz) for sound in (before, after))
    down = np.clip(10 * np.log10(np.maximum(was, 1e-20)) - level - threshold_db, 0, most_db)
    gains = np.convolve(np.pad(10 ** (-down / 20), 3, mode="edge"), _SHARES, "valid")
    weight, got, asked, below, left = map(_sum_groups, (was, now, was * gains**2, below, left))
    least = 10 ** ((level - 60) / 10) * _GROUP
    heard = weight > least
    if not heard.any():
        return "there is nothing in that band"
    busy = heard & (asked < weight * 10**-0.05)
    rows = (
        (got, asked, weight, busy),
        (got, asked, weight, heard & ~busy),
        (left, below, np.ones_like(below), busy & (below > least + _BELOW * weight)),
    )
    return max(_weighted_misfit(*(part[mask] for part in row)) for *row, mask in rows if mask.any())


def _weighted_misfit(got: Samples, asked: Samples, weight: Samples) -> float:
    off = 10 * np.log10(np.maximum(got, 1e-20) / np.maximum(asked, 1e-20))
    off = np.clip(off, -_FAR_DB, _FAR_DB)
    return float(np.sqrt((off**2 * weight).sum() / weight.sum()))


def _sum_groups(values: Samples) -> Samples:
    whole = max(len(values) // _GROUP, 1) * _GROUP
    return np.asarray(np.resize(values, whole).reshape(-1, _GROUP).sum(axis=1))


def band_courses(sound: Sound, hz: float) -> Samples:
    """Return the mean squares of the band above a frequency, and of the octave below what it rises
    over, in overlapping windows: an array of shape (2, windows)."""
    size = 1 << max(round(np.log2(sound.rate * DEESS_SECONDS)), 6)
    hop, window = size // 4, np.sqrt(window_of(size))
    above, upper, lower = (band_weights(size, sound.rate, hz * 2**-up) for up in (0, 1 / 3, 4 / 3))
    weights = np.stack((above, lower - upper), axis=1) * (2 / (size * (window**2).sum()))
    rest, parts = np.zeros((0, sound.channels), np.float32), []
    for block in sound.blocks():
        rest = np.concatenate((rest, block))
        count = (len(rest) - size) // hop + 1 if len(rest) >= size else 0
        if not count:
            continue
        views = np.lib.stride_tricks.sliding_window_view(rest, size, axis=0)
        spectra = np.fft.rfft(views[: (count - 1) * hop + 1 : hop] * window)
        power = (spectra.real**2 + spectra.imag**2).mean(axis=1)
        parts.append(power @ weights)
        rest = rest[count * hop :]
    return np.concatenate(parts).T if parts else np.zeros((2, 1))


def frames_of(sound: Sound) -> Samples:
    """Return the RMS of every 20 ms."""
    return levels_of(sound).frames()


def pauses_in(frames: Samples, threshold_dbfs: float, least_s: float) -> list[tuple[int, int]]:
    """Return where pauses longer than `least_s` begin and end, in frames of 20 ms; silence at the
    ends of a sound is not a pause."""
    loud = np.flatnonzero(frames > 10 ** (threshold_dbfs / 20))
    least = least_s / FRAME_SECONDS
    return [(int(a) + 1, int(b)) for a, b in pairwise(loud) if b - a - 1 > least]


def pauses_misfit(both: Both, threshold_dbfs: float, longest_s: float) -> float | str:
    """Return how far the length lies from that without what pauses have too much, s; and at least
    by how much the longest pause that is left is too long."""
    frames = frames_of(both.before)
    pauses = pauses_in(frames, threshold_dbfs, longest_s)
    if not pauses:
        return f"no pause is longer than {longest_s:g} s"
    spare = sum((b - a) * FRAME_SECONDS - longest_s for a, b in pauses)
    off = abs(both.after.seconds - both.before.seconds + spare)
    left = pauses_in(frames_of(both.after), threshold_dbfs, longest_s)
    longest = max(((b - a) * FRAME_SECONDS for a, b in left), default=longest_s)
    return float(max(off / len(pauses), longest - longest_s - FRAME_SECONDS))


def first_part_misfit(both: Both, threshold_dbfs: float, least_s: float) -> float | str:
    """Return how far the sound is from that up to the middle of its first pause, dB as of a
    section."""
    pauses = pauses_in(frames_of(both.before), threshold_dbfs, least_s)
    if not pauses:
        return f"no pause lasts {least_s:g} s"
    middle = sum(pauses[0]) / 2 * FRAME_SECONDS
    return section_misfit(both, 0, middle)


def leveller_law(frames: Samples, window_s: float, most_db: float) -> Samples | None:
    """Return the gain in dB of every 20 ms that brings the level of the speech around it to that of
    all of it; in pauses it goes over from one to the next. None for silence."""
    level = sounding_level(frames)
    if level is None:
        return None
    heard = (frames > 10 ** ((level - _SOUNDING_DB) / 20)).astype(np.float64)
    width = max(round(window_s / FRAME_SECONDS), 1)
    energy, count = (_sums_around(part, width) for part in (frames**2 * heard, heard))
    known = count > 0.5
    if not known.any():
        return None
    local = 10 * np.log10(np.maximum(energy[known] / count[known], 1e-20))
    gains = np.interp(np.arange(len(frames)), np.flatnonzero(known), level - local)
    smooth = _sums_around(np.clip(gains, -most_db, most_db), max(width // 2, 1))
    return smooth / _sums_around(np.ones(len(frames)), max(width // 2, 1))


def _sums_around(values: Samples, width: int) -> Samples:
    """Return the sum of the values around each."""
    sums = np.concatenate((np.zeros(1), np.cumsum(values)))
    at = np.arange(len(values))
    low, high = np.maximum(at - width // 2, 0), np.minimum(at - width // 2 + width, len(values))
    return np.asarray(sums[high] - sums[low])


def leveller_gains(both: Both, window_s: float, most_db: float) -> Samples | None:
    """Return the gain of every 10 ms that a leveller gives the sound before."""
    frames = frames_of(both.before)
    gains = leveller_law(frames, window_s, most_db)
    if gains is None:
        return None
    centres = (np.arange(len(frames)) + 0.5) * FRAME_SECONDS
    times = (np.arange(len(both.levels()[0])) + 0.5) * SECONDS
    return np.asarray(np.interp(times, centres, gains))
