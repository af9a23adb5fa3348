"""Measures of an effect: how far what was done to a sound lies from what was asked for.

Each takes the sound before and after and numbers, and gives a number or, in words, why there is
none. They know nothing of the tools: a fade is judged by the course of the level, a filter by the
spectra, a compressor by its own law. A misfit of 0 is what was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from inspect import signature
from math import isfinite, log10
from types import MappingProxyType
from typing import NoReturn
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from ...errors import Failure
from ..blocks import Samples
from ..calls.files import Sound, UnwrittenSound
from ..tags.tags import Tags, clean
from .courses import AnySound, Both
from .dynamics import compressor_law, gate_law
from .equalizer import bandpass_misfit, eq_misfit, gain_of, highpass_misfit, lowpass_misfit
from .joins import joined_misfit, laid_misfit, mix_misfit
from .known import SECONDS, Facts, Needs
from .levels import shift_between
from .restoration import (
    changed_share,
    clicks_share,
    deess_misfit,
    first_part_misfit,
    leveller_gains,
    loud_frames_gain,
    pauses_misfit,
    quiet_frames_gain,
)
from .sections import (
    channels_misfit,
    cut_misfit,
    level_misfit,
    pad_misfit,
    reverse_misfit,
    section_misfit,
    shift_misfit,
)

Value = float | str
_AUDIBLE_DB = -70.0
"""dBFS of 10 ms: what is quieter tells no gain."""
_UNFADED_S = 0.3
"""Of an end that is not to be faded this much is looked at."""
_FAR_DB = 24.0
"""A deviation counts as this much at most."""
_DIFFERENT = "the length before and after differs"
_SILENT = "all of it is silence"


def fade_misfit(both: Both, in_s: float, out_s: float) -> Value:
    """Return how far the level's course at both ends lies from a fade in and a fade out, dB (RMS);
    of the usual curves, equal power and linear, the nearer one counts."""
    before, after = both.levels()
    if len(before) != len(after):
        return _DIFFERENT
    time = np.arange(len(before), dtype=np.float64) * SECONDS
    end = both.before.seconds
    ends = [
        (length, gone, (before > _AUDIBLE_DB) & (gone < (1.5 * length or _UNFADED_S)))
        for length, gone in ((in_s, time), (out_s, end - time - SECONDS))
    ]
    if not any((near & (gone < 1.5 * length)).any() for length, gone, near in ends):
        return "where the fade is asked for there is silence"
    heard = [one for one in ends if one[2].any()]
    return max(_end_misfit(after - before, gone, length, near) for length, gone, near in heard)


def _end_misfit(
    change: Samples, gone: Samples, length: float, near: npt.NDArray[np.bool_]
) -> float:
    """Return the misfit of one end, where it is `near`; each 10 ms is `gone` seconds from it."""
    inside = (gone[near, None] + SECONDS * (np.arange(8) + 0.5) / 8) / (length or SECONDS)
    share = np.clip(inside, 0, 1) if length else np.ones_like(inside)
    off = [
        change[near] - 10 * np.log10(np.maximum((way**2).mean(axis=1), 1e-8))
        for way in (share, np.sin(share * np.pi / 2))
    ]
    return min(_rms(np.clip(one, -_FAR_DB, _FAR_DB)) for one in off)


def compress_misfit(
    both: Both, threshold: float, ratio: float, attack_ms: float, release_ms: float, makeup: float
) -> Value:
    """Return how far the gain lies from that of a compressor of all channels, dB (RMS)."""
    numbers = (threshold, ratio, attack_ms, release_ms)
    gains = both.gains("compressor", numbers, compressor_law)
    return _gain_misfit(both, gains + makeup)


def gate_misfit(
    both: Both, threshold: float, ratio: float, attack_ms: float, release_ms: float
) -> Value:
    """Return how far the gain lies from that of a gate of all channels, dB (RMS)."""
    numbers = (threshold, ratio, attack_ms, release_ms)
    return _gain_misfit(both, both.gains("gate", numbers, gate_law))


def leveller_misfit(both: Both, window_s: float, most: float) -> Value:
    """Return how far the gain lies from that of a leveller, dB (RMS)."""
    gains = leveller_gains(both, window_s, most)
    return _SILENT if gains is None else _gain_misfit(both, gains)


def _gain_misfit(both: Both, wanted: Samples) -> Value:
    """Compare the gain of every 10 ms with one that is expected. What is heard counts, and within
    that what has to change as much as all that has not."""
    before, after = both.levels()
    if len(before) != len(after):
        return _DIFFERENT
    heard = before > _AUDIBLE_DB
    if not heard.any():
        return _SILENT
    off = after - before
    off -= wanted
    np.clip(off, -_FAR_DB, _FAR_DB, out=off)  # in place: of hours each array takes megabytes
    middle = float(np.median(wanted[heard]))
    busy = heard & ((wanted > middle + 0.5) | (wanted < middle - 0.5))
    parts = [_rms(off[mask]) for mask in (busy, heard & ~busy) if mask.any()]
    return max(parts)


def response(both: Both, hz: float) -> Value:
    """Return how much stronger a third of an octave around a frequency is, dB."""
    before, after = both.spectra()
    here, there = (
        (s.hz >= hz * 2 ** (-1 / 6)) & (s.hz < hz * 2 ** (1 / 6)) for s in (before, after)
    )
    was = float(before.power[here].sum())
    if was <= before.power.sum() * 1e-10:
        return f"there is nothing around {hz:g} Hz"
    return max(gain_of(float(after.power[there].sum()), was), -60.0)


def delay(both: Both) -> Value:
    """Return how much later the sound is, s, by the course of its level."""
    courses = [10 ** (levels / 20) for levels in both.levels()]
    if any(c.max() <= 1e-5 for c in courses):
        return _SILENT
    size = 1 << int(np.ceil(np.log2(len(courses[0]) + len(courses[1]))))
    first, second = (np.fft.rfft(c - c.mean(), size) for c in courses)
    found = np.fft.irfft(second * np.conj(first), size)
    at = int(np.argmax(found))
    return (at - size if at > size // 2 else at) * SECONDS


def correlation(both: Both) -> Value:
    """Return how alike the samples are: 1 the same, -1 the same turned round."""
    sums = both.sums()
    if sums is None:
        return _DIFFERENT
    scale = float(np.sqrt(sums.before * sums.after))
    return float(sums.product) / scale if scale > 0 else _SILENT


def addition(both: Both) -> Value:
    """Return the level of what was added beside that of the sound, dB."""
    sums = both.sums()
    if sums is None:
        return _DIFFERENT
    if not sums.before > 0:
        return _SILENT
    difference = sums.before - 2 * sums.product + sums.after
    return 10 * log10(max(difference, 1e-12 * sums.before) / sums.before)


def direct(both: Both) -> Value:
    """Return the share of the sound itself in what came of it: the first sample of the response."""
    return both.direct()


def quiet_gain(both: Both) -> Value:
    """Return the gain of the smallest samples, dB, which no bend of a curve reaches."""
    return both.quiet_gain()


def pitch(both: Both) -> Value:
    """Return how many semitones higher the spectrum lies as a whole."""
    moved = shift_between(*both.spectra())
    unlike = "the spectra before and after are not alike enough to tell a shift"
    return unlike if moved is None else moved


def tags_misfit(both: Both, *said: str) -> Value:
    """Return how many tags are not what was said, each as `title=TEXT`; an empty text stands for a
    tag that is not there."""
    fields = both.after.tags().fields
    wanted = [str(one).partition("=") for one in said]
    return float(sum(clean(text) != fields.get(name, "") for name, _, text in wanted))


def _rms(values: Samples) -> float:
    return float(np.sqrt((values * values).mean()))


MEASURES: Mapping[str, Callable[..., Value]] = {
    "fade_misfit_db": fade_misfit,
    "compress_misfit_db": compress_misfit,
    "gate_misfit_db": gate_misfit,
    "highpass_misfit_db": highpass_misfit,
    "lowpass_misfit_db": lowpass_misfit,
    "bandpass_misfit_db": bandpass_misfit,
    "eq_misfit_db": eq_misfit,
    "section_misfit_db": section_misfit,
    "cut_misfit_db": cut_misfit,
    "shift_misfit_db": shift_misfit,
    "level_misfit_db": level_misfit,
    "pad_misfit_db": pad_misfit,
    "reverse_misfit_db": reverse_misfit,
    "channels_misfit_db": channels_misfit,
    "leveller_misfit_db": leveller_misfit,
    "deess_misfit_db": deess_misfit,
    "quiet_frames_gain_db": quiet_frames_gain,
    "loud_frames_gain_db": loud_frames_gain,
    "clicks_share": clicks_share,
    "changed_share": changed_share,
    "pauses_misfit_s": pauses_misfit,
    "first_part_misfit_db": first_part_misfit,
    "joined_misfit_db": joined_misfit,
    "laid_misfit_db": laid_misfit,
    "mix_misfit_db": mix_misfit,
    "tags_misfit": tags_misfit,
    "response_db": response,
    "delay_s": delay,
    "correlation": correlation,
    "added_db": addition,
    "direct_share": direct,
    "quiet_gain_db": quiet_gain,
    "pitch_change_semitones": pitch,
}
"""By the names of the metrics."""


def read_measure(text: str) -> tuple[str, list[float | str]]:
    """Return the name and what stands in the parentheses of `fade_misfit_db(0,3)`. Raise
    `Failure`."""
    name, _, rest = text.partition("(")
    try:
        at = [_number_or_text(part) for part in rest.rstrip(")").split(",") if part.strip()]
        if name in MEASURES and all(isinstance(one, str) or isfinite(one) for one in at):
            signature(MEASURES[name]).bind(None, *at)
            return name, at
    except TypeError:
        pass
    raise Failure(f"`{text[:80]}` is not a measure of an effect", help=", ".join(MEASURES))


def _number_or_text(part: str) -> float | str:
    try:
        return float(part)
    except ValueError:
        return unquote(part)


class _Wanted(Exception):
    """A measure asks for more than the shape of a sound."""


class _Listener(Both):
    """A sound that takes note of what a measure asks first to know of it."""

    def find(self, sound: Sound, needs: Needs) -> Facts:
        """Raise `_Wanted`."""
        self.needs.add(needs)
        raise _Wanted

    @cached_property
    def needs(self) -> Needs:
        """Return what was asked for."""
        return Needs()


def needs_of(
    wanted: Iterable[tuple[str, list[float | str]]], like: Sound, subtype: str = ""
) -> Needs:
    """Return what the first look at a sound before, whose shape is that of `like`, can find for
    measures, as far as it is facts. `subtype` is how the samples after are stored."""

    def refuse() -> NoReturn:
        raise _Wanted

    shape = like.rate, like.channels, like.frames, like.format, like.subtype
    sound = UnwrittenSound("", "", *shape, make=refuse, written_tags=Tags())
    listener = _Listener(sound, sound, _written=subtype)
    for name, at in wanted:
        with suppress(_Wanted, LookupError, TypeError, ValueError):
            MEASURES[name](listener, *at)
    return listener.needs


def effects_of(
    a: Sound,
    b: Sound,
    wanted: list[tuple[str, list[float | str]]],
    inputs: Mapping[str, AnySound] = MappingProxyType({}),
) -> list[tuple[Value, Value]]:
    """Return each wanted measure, and what it is of a sound that stayed as it was. `inputs` are the
    sounds that measures name. Raise `Failure` for numbers where names belong, and names unknown."""
    both = Both(a, b, inputs)
    idle = both.idle
    try:
        return [(MEASURES[n](both, *at), MEASURES[n](idle, *at)) for n, at in wanted]
    except (LookupError, TypeError, ValueError) as error:
        raise Failure(f"the numbers of a measure do not fit: {error}") from None
