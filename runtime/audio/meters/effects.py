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
from itertools import pairwise
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
from .equalizer import band_power
from .joins import joined_misfit, laid_misfit, mix_misfit
from .known import SECONDS, Facts, Needs
from .levels import RESOLUTION, shift_between
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
from .sections import cut_misfit, section_misfit, shift_misfit

Value = float | str
_AUDIBLE_DB = -70.0
"""dBFS of 10 ms: what is quieter tells no gain."""
_UNFADED_S = 0.3
"""Of an end that is not to be faded this much is looked at."""
_FAR_DB = 24.0
"""A deviation counts as this much at most."""
_DEEPEST_DB = -30.0
"""Below this a filter has done its work."""
_LOOSER_DB = 20.0
"""A deviation counts half where the gain is that far from 0 dB: there what else is in the band,
such as the spectrum of a sudden beginning, weighs as much as the sound."""
_FAINT_DB = -75.0
"""A third of an octave this far below the whole tells no gain."""
_FAINT_LOSSY_DB = -45.0
"""The same in a format that leaves out what is not heard."""
_LOSSY = ("MP3", "OGG", "M4A")
_WIDE_HZ, _FINEST_HZ = 100.0, 0.3
"""How narrow bands are taken to be; a notch is seen with an eighth of its width."""
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


def highpass_misfit(both: Both, cutoff: float, slope: float) -> Value:
    """Return how far the spectrum lies from that behind a Butterworth high-pass, dB: the third of
    an octave where it is most."""
    return _filter_misfit(both, lambda hz, rate: _butterworth(hz, cutoff, slope, rate, low=False))


def lowpass_misfit(both: Both, cutoff: float, slope: float) -> Value:
    """Return the same of a low-pass."""
    return _filter_misfit(both, lambda hz, rate: _butterworth(hz, cutoff, slope, rate, low=True))


def bandpass_misfit(both: Both, low: float, high: float, slope: float) -> Value:
    """Return the same of a high-pass and a low-pass."""
    return _filter_misfit(
        both,
        lambda hz, rate: (
            _butterworth(hz, low, slope, rate, low=False)
            * _butterworth(hz, high, slope, rate, low=True)
        ),
    )


def eq_misfit(both: Both, *bands: float) -> Value:
    """Return the same of an equaliser: four numbers a band, its kind (0 a peak, 1 a low shelf, 2 a
    high shelf), Hz, dB and Q."""
    rows = [bands[at : at + 4] for at in range(0, len(bands) - 3, 4)]

    def whole(hz: Samples, rate: int) -> Samples:
        power = np.ones_like(hz)
        for kind, freq, gain, quality in rows:
            power = power * band_power(hz, rate, int(kind), freq, gain, quality)
        return power

    narrowest = min((freq / quality for _, freq, _, quality in rows), default=_WIDE_HZ)
    return _filter_misfit(both, whole, min(max(narrowest / 8, _FINEST_HZ), RESOLUTION))


def _butterworth(hz: Samples, cutoff: float, slope: float, rate: int, *, low: bool) -> Samples:
    """Return the power response, bilinear as digital filters have it."""
    warped = np.tan(np.pi * np.minimum(hz, 0.4999 * rate) / rate) / np.tan(np.pi * cutoff / rate)
    with np.errstate(over="ignore", divide="ignore"):
        steep = warped ** (slope / 3)
        return np.asarray(1 / (1 + steep) if low else 1 - 1 / (1 + steep))


def _filter_misfit(
    both: Both, response: Callable[[Samples, int], Samples], resolution: float = RESOLUTION
) -> Value:
    rate = both.before.rate
    if rate != both.after.rate:
        return "the sample rate before and after differs"
    before, after = both.spectra(resolution)
    if not before.power.sum() > 0:
        return _SILENT
    wanted = before.power * response(before.hz, rate)
    lossy = both.after.format in _LOSSY
    faint = before.power.sum() * 10 ** ((_FAINT_LOSSY_DB if lossy else _FAINT_DB) / 10)
    noise = _noise_power(both.after) / len(before.hz)
    worst = 0.0
    for low, high in _thirds(0.3 * rate if lossy else 0.45 * rate):
        here = (before.hz >= low) & (before.hz < high)
        was, least = float(before.power[here].sum()), noise * int(here.sum())
        if was <= max(faint, least):
            continue
        powers = (max(float(p[here].sum()), least) for p in (wanted, after.power))
        asked, got = (max(_gain(power, was), _DEEPEST_DB) for power in powers)
        worst = max(worst, abs(asked - got) / (1 + abs(asked) / _LOOSER_DB))
    return min(worst, _FAR_DB)


def _noise_power(sound: Sound) -> float:
    """Return the power of four times the noise of rounding with dither, over all channels."""
    step = {"PCM_16": 2.0**-15, "PCM_24": 2.0**-23}.get(sound.subtype, 0.0)
    return step * step * sound.channels


def _thirds(top: float) -> list[tuple[float, float]]:
    edges = 1000 * 2 ** (np.arange(-18, 14) / 3 - 1 / 6)
    return [(float(a), float(b)) for a, b in pairwise(edges) if b < top]


def _gain(power: float, before: float) -> float:
    return 10 * log10(max(power, 1e-20 * before) / before)


def response(both: Both, hz: float) -> Value:
    """Return how much stronger a third of an octave around a frequency is, dB."""
    before, after = both.spectra()
    here, there = (
        (s.hz >= hz * 2 ** (-1 / 6)) & (s.hz < hz * 2 ** (1 / 6)) for s in (before, after)
    )
    was = float(before.power[here].sum())
    if was <= before.power.sum() * 1e-10:
        return f"there is nothing around {hz:g} Hz"
    return max(_gain(float(after.power[there].sum()), was), -60.0)


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


def needs_of(wanted: Iterable[tuple[str, list[float | str]]], like: Sound) -> Needs:
    """Return what the first look at a sound before, whose shape is that of `like`, can find for
    measures, as far as it is facts."""

    def refuse() -> NoReturn:
        raise _Wanted

    shape = like.rate, like.channels, like.frames, like.format, like.subtype
    sound = UnwrittenSound("", "", *shape, make=refuse, written_tags=Tags())
    listener = _Listener(sound, sound)
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
