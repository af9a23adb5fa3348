"""How far a spectrum lies from that behind a filter: Butterworth, or the bands of an equaliser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log10

import numpy as np

from ..calls.files import Sound
from .courses import Both
from .filters import PEAK, Sections, band, butterworth
from .levels import RESOLUTION

Value = float | str
_FAR_DB = 24.0
"""A deviation counts as this much at most."""
_DEEPEST_DB = -30.0
"""Below this a filter has done its work."""
_FAINT_DB = -100.0
"""A third of an octave this far below the whole counts as gone, before and after."""
_FAINT_LOSSY_DB = -45.0
"""The same in a format that leaves out what is not heard."""
_LOOSER_DB = 20.0
"""There a deviation counts half where the gain is that far from 0 dB: what a coder adds weighs as
much as the sound that is left."""
_LOSSY = ("MP3", "OGG", "M4A")
_WIDE_HZ, _FINEST_HZ = 100.0, 0.3
"""How narrow bands are taken to be; a notch is seen with an eighth of its width."""
_NARROW = 0.1
"""A band of less than that share of its frequency hides in a third of an octave."""
_STEPS = 25
"""So many frequencies are looked at below a cutoff, at the least."""
_SILENT = "all of it is silence"


def highpass_misfit(both: Both, cutoff: float, slope: float) -> Value:
    """Return how far the spectrum lies from that behind a Butterworth high-pass, dB: the third of
    an octave where it is most."""
    return _filter_misfit(
        both,
        lambda rate: butterworth(cutoff, slope, rate, low=False),
        _resolution(both, cutoff),
    )


def lowpass_misfit(both: Both, cutoff: float, slope: float) -> Value:
    """Return the same of a low-pass."""
    return _filter_misfit(
        both,
        lambda rate: butterworth(cutoff, slope, rate, low=True),
        _resolution(both, cutoff),
    )


def bandpass_misfit(both: Both, low: float, high: float, slope: float) -> Value:
    """Return the same of a high-pass and a low-pass."""
    return _filter_misfit(
        both,
        lambda rate: (
            butterworth(low, slope, rate, low=False) + butterworth(high, slope, rate, low=True)
        ),
        _resolution(both, low),
    )


def eq_misfit(both: Both, *bands: float) -> Value:
    """Return the same of an equaliser: four numbers a band, its kind (0 a peak, 1 a low shelf, 2 a
    high shelf), Hz, dB and Q."""
    rows = [bands[at : at + 4] for at in range(0, len(bands) - 3, 4)]
    places = [(hz, hz / quality) for kind, hz, _, quality in rows if kind == PEAK and quality]
    narrowest = min((width for _, width in places), default=_WIDE_HZ)
    return _filter_misfit(
        both,
        lambda rate: tuple(
            band(int(kind), hz, db, quality, rate) for kind, hz, db, quality in rows if db
        ),
        min(max(narrowest / 8, _FINEST_HZ), RESOLUTION),
        [(hz - width / 2, hz + width / 2) for hz, width in places if width < hz * _NARROW],
    )


def _resolution(both: Both, cutoff: float) -> float:
    """Return in how fine steps (Hz) the spectrum below and above a cutoff is looked at; a sound has
    to be as long as a few windows."""
    finest = max(_FINEST_HZ, 8 / max(both.before.seconds, 1e-3))
    return min(max(cutoff / _STEPS, finest), RESOLUTION)


def _filter_misfit(
    both: Both,
    design: Callable[[int], Sections],
    resolution: float,
    narrow: Sequence[tuple[float, float]] = (),
) -> Value:
    """Compare what came of a sound with what the filter makes of it, in each third of an octave and
    in `narrow` bands, which a coder does not keep. A window shows a hum at the
    frequencies beside it as well, and there the gain is that of the hum: so the filter comes before
    the window, as it does in what is judged."""
    rate = both.before.rate
    if rate != both.after.rate:
        return "the sample rate before and after differs"
    try:
        sections = design(rate)
    except ValueError as error:
        return str(error)
    before, wanted, after = both.spectra_behind(sections, resolution)
    if not before.power.sum() > 0:
        return _SILENT
    lossy = both.after.format in _LOSSY
    faint = before.power.sum() * 10 ** ((_FAINT_LOSSY_DB if lossy else _FAINT_DB) / 10)
    noise = _noise_power(both.after) / len(before.hz)
    worst = 0.0
    thirds = _thirds(0.3 * rate) if lossy else [*_thirds(0.45 * rate), *narrow]
    for low, high in thirds:
        here = slice(*np.searchsorted(before.hz, (low, high)))
        was, asked, got = (float(one.power[here].sum()) for one in (before, wanted, after))
        least = max(faint, noise * (here.stop - here.start))
        if was > least:
            gains = [max(gain_of(max(one, least), was), _DEEPEST_DB) for one in (asked, got)]
            looser = 1 + abs(gains[0]) / _LOOSER_DB if lossy else 1.0
            worst = max(worst, abs(gains[0] - gains[1]) / looser)
    return min(worst, _FAR_DB)


def _noise_power(sound: Sound) -> float:
    """Return the power of four times the noise of rounding with dither, over all channels."""
    step = {"PCM_16": 2.0**-15, "PCM_24": 2.0**-23}.get(sound.subtype, 0.0)
    return step * step * sound.channels


def _thirds(top: float) -> list[tuple[float, float]]:
    edges = 1000 * 2 ** (np.arange(-18, 14) / 3 - 1 / 6)
    return [(float(a), float(b)) for a, b in pairwise(edges) if b < top]


def gain_of(power: float, before: float) -> float:
    """Return the power beside that before, dB; -200 and more."""
    return 10 * log10(max(power, 1e-20 * before) / before)
