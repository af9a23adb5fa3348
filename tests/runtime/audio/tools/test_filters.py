"""Filters are as exact as float64, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
from flowc.runtime.audio.meters.filters import LOW_SHELF, PEAK, band, butterworth
from flowc.runtime.audio.tools.filters import Filter
from sounds import noise, silence, speech_like

RATES = (8000, 48_000, 192_000)
SLOPES = (6, 12, 24, 48)
MOST_OFF_DB = -100


def filtered(sections, frames, block):
    stage = Filter(sections, frames.shape[1])
    parts = [stage.feed(frames[at : at + block]) for at in range(0, len(frames), block)]
    return np.concatenate([*parts, stage.end()])


def off_db(found, ideal):
    return 10 * np.log10(((found - ideal) ** 2).mean() / (ideal**2).mean())


def ideal_of(frames, rate, response):
    """What a response, which takes the analogue frequency as the bilinear transform bends it, makes
    of frames whose end is silence."""
    bent = 1j * np.tan(np.pi * np.fft.rfftfreq(len(frames), 1 / rate)[:-1] / rate)
    spectrum = np.fft.rfft(frames.astype(np.float64), axis=0)
    spectrum[:-1] *= response(bent)[:, None]
    spectrum[-1] = 0 if abs(response(1e12j)) < 1e-3 else spectrum[-1]
    return np.fft.irfft(spectrum, len(frames), axis=0)


def analogue(hz, slope, rate, low):
    """The transfer function of a Butterworth filter, by its poles on the unit circle."""
    order, cutoff = slope // 6, np.tan(np.pi * hz / rate)
    poles = np.exp(1j * np.pi * (2 * np.arange(order) + order + 1) / (2 * order))

    def response(bent):
        with np.errstate(divide="ignore", invalid="ignore"):
            s = bent / cutoff if low else cutoff / bent
            return np.nan_to_num(1 / np.prod([s - pole for pole in poles], axis=0))

    return response


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize(("hz", "low"), [(20, False), (40, False), (1000, False), (40, True)])
def test_a_filter_is_the_butterworth_that_was_asked_for(hz, low, slope, rate):
    frames = np.concatenate((noise(1, 0.1, rate), silence(2, rate)))
    found = filtered(butterworth(hz, slope, rate, low=low), frames, 65_536)
    ideal = ideal_of(frames, rate, analogue(hz, slope, rate, low))
    assert found.dtype == np.float32
    assert off_db(found, ideal) <= MOST_OFF_DB


@pytest.mark.parametrize("slope", SLOPES)
def test_nothing_is_left_of_an_offset(slope):
    frames = np.full((3 * 48_000, 1), 0.5, np.float32)
    found = filtered(butterworth(40, slope, 48_000, low=False), frames, 65_536)
    assert np.abs(found[-4800:]).max() <= 0.5 * 10 ** (MOST_OFF_DB / 20)


def test_the_last_bit_does_not_depend_on_the_blocks():
    frames = speech_like(0.5, 16_000)
    sections = butterworth(40, 48, 16_000, low=False) + butterworth(3000, 24, 16_000, low=True)
    whole = filtered(sections, frames, len(frames))
    assert len(whole) == len(frames)
    for size in (1, 17, 997, 4096, 16_384):
        assert np.array_equal(filtered(sections, frames, size), whole)


@pytest.mark.parametrize("kind", [PEAK, LOW_SHELF])
def test_a_band_at_a_low_frequency_is_exact(kind):
    """The analogue prototypes of the cookbook."""
    hz, gain_db, quality, rate = 30, 9, 0.8, 48_000
    a, middle = 10 ** (gain_db / 40), np.tan(np.pi * hz / rate)

    def response(bent):
        s = bent / middle
        if kind == PEAK:
            return (s * s + s * a / quality + 1) / (s * s + s / (a * quality) + 1)
        root = np.sqrt(a) / quality
        return a * (s * s + root * s + a) / (a * s * s + root * s + 1)

    frames = np.concatenate((noise(1, 0.1, rate), silence(2, rate)))
    found = filtered((band(kind, hz, gain_db, quality, rate),), frames, 65_536)
    assert off_db(found, ideal_of(frames, rate, response)) <= MOST_OFF_DB


@pytest.mark.parametrize(
    "design",
    [
        lambda: butterworth(24_000, 12, 48_000, low=False),
        lambda: butterworth(0, 12, 48_000, low=True),
        lambda: butterworth(100, 10, 48_000, low=True),
        lambda: butterworth(100, 0, 48_000, low=True),
        lambda: butterworth(100, 102, 48_000, low=True),
        lambda: band(3, 100, 3, 1, 48_000),
        lambda: band(PEAK, 100, 3, 0, 48_000),
        lambda: band(PEAK, 100, 1e6, 1, 48_000),
        lambda: band(PEAK, 30_000, 3, 1, 48_000),
    ],
)
def test_what_no_filter_can_be_is_refused(design):
    with pytest.raises(ValueError, match=r"slope|samples a second|a band"):
        design()
