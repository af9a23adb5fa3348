"""Loudness beyond the EBU's signals: other rates, other channels, another meter."""

from __future__ import annotations

import numpy as np
import pytest
from flowc.runtime.audio.meters.filters import Recursion
from flowc.runtime.audio.meters.loudness import CHANNEL_WEIGHTS, LoudnessMeter, k_weighting
from flowc.runtime.audio.meters.true_peak import TruePeakMeter, _phases
from sounds import noise, silence, speech_like, tone


def heard(frames, rate, block=65_536):
    meter = LoudnessMeter(rate, frames.shape[1])
    for at in range(0, len(frames), block):
        meter.feed(frames[at : at + block])
    return meter.end()


@pytest.mark.parametrize("rate", [8000, 11_025, 16_000, 22_050, 44_100, 96_000, 192_000])
def test_the_reference_tone_of_bs1770_reads_the_same_at_every_rate(rate):
    """997 Hz at full scale in one channel is -3.01 LUFS."""
    reading = heard(tone(5, 997, 0, rate, channels=1), rate)
    assert reading.integrated == pytest.approx(-3.01, abs=0.1)
    assert reading.true_peak == pytest.approx(0, abs=0.2)


STANDARD = (
    ((1.53512485958697, -2.69169618940638, 1.19839281085285),
     (1.0, -1.69065929318241, 0.73248077421585)),
    ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621)),
)  # fmt: skip
"""BS.1770-5, tables 1 and 2."""


def looped(sections, signal):
    """The definition of a recursive filter, a sample at a time."""
    for top, low in sections:
        out = np.zeros(len(signal))
        for n in range(len(signal)):
            out[n] = sum(top[k] * signal[n - k] for k in range(3) if n >= k)
            out[n] -= sum(low[k] * out[n - k] for k in (1, 2) if n >= k)
        signal = out
    return signal


def recursed(sections, rows, block):
    filter = Recursion(sections, len(rows))
    parts = [filter.feed(rows[:, at : at + block]) for at in range(0, rows.shape[1], block)]
    return np.concatenate([*parts, filter.end()], axis=1)


def test_at_48_khz_the_filter_is_the_one_that_the_standard_writes():
    impulse = np.zeros((1, 2000))
    impulse[0, 0] = 1
    wanted = looped(STANDARD, impulse[0])
    assert np.abs(recursed(k_weighting(48_000), impulse, 2000) - wanted).max() < 1e-6


@pytest.mark.parametrize("block", [1, 31, 32, 1024, 1500, 5000])
def test_products_give_what_the_loop_over_samples_gives(block):
    """Two channels with other sounds, in blocks that leave a rest, fill a run, and many runs."""
    rows = np.random.default_rng(1).standard_normal((2, 5000))
    found = recursed(k_weighting(44_100), rows, block)
    assert found.shape == rows.shape
    for row, wanted in zip(found, rows, strict=True):
        assert np.abs(row - looped(k_weighting(44_100), wanted)).max() < 1e-10


TIME = np.arange(3000)
SHAPES = {
    "each chunk higher, and what ends it": (0.2 + TIME / 6000) * np.sin(np.pi / 2 * (TIME + 0.5)),
    "noise": np.random.default_rng(2).standard_normal(3000),
    "steps": np.sign(np.sin(TIME * 0.07)),
    "one sample in silence": np.where(TIME == 1471, 1.0, 0.0),
    "two beside one another in a slow tone": np.sin(TIME / 900) + 0.2 * (TIME // 2 == 735),
    "a walk": np.cumsum(np.random.default_rng(3).standard_normal(3000)) / 40,
}


@pytest.mark.parametrize("rate", [48_000, 96_000])
@pytest.mark.parametrize("block", [41, 3000])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_peak_between_samples_is_found_wherever_it_lies(shape, block, rate):
    """Against the values at all places: what is passed over for its bounds is not the highest."""
    rows = SHAPES[shape].astype(np.float32)
    meter = TruePeakMeter(rate, 1)
    for at in range(0, len(rows), block):
        meter.feed(rows[at : at + block, None])
    phases = _phases(4 if rate == 48_000 else 2)
    slow = np.lib.stride_tricks.sliding_window_view(np.pad(rows, 48), 48) @ phases
    assert meter.end() == pytest.approx(max(np.abs(slow).max(), np.abs(rows).max()), rel=1e-6)


@pytest.mark.parametrize("block", [1, 997, 65_536])
def test_blocks_of_any_size_read_the_same(block):
    frames = noise(0.5 if block == 1 else 5, rate=16_000)
    whole, parts = heard(frames, 16_000, 10**9), heard(frames, 16_000, block)
    assert parts.integrated == pytest.approx(whole.integrated, abs=1e-9)
    assert parts.true_peak == pytest.approx(whole.true_peak, abs=1e-5)
    assert parts.momentary_max == pytest.approx(whole.momentary_max, abs=1e-9)


@pytest.mark.parametrize("channels", sorted(CHANNEL_WEIGHTS))
def test_channels_count_by_their_places(channels):
    for place, weight in enumerate(CHANNEL_WEIGHTS[channels]):
        frames = silence(2, channels=channels)
        frames[:, place] = tone(2, 997, -20, channels=1)[:, 0]
        reading = heard(frames, 48_000).integrated
        if weight:
            expected = -23.01 + 10 * np.log10(weight)
            assert reading == pytest.approx(expected, abs=0.1)
        else:
            assert reading is None


def test_channels_without_a_place_have_a_true_peak_and_no_loudness():
    reading = heard(tone(2, channels=12), 48_000)
    assert reading.integrated is reading.range is reading.momentary_max is None
    assert reading.true_peak == pytest.approx(-23, abs=0.1)


def test_what_is_too_short_has_no_number():
    reading = heard(tone(0.39), 48_000)
    assert reading.integrated is reading.momentary_max is reading.range is None
    assert heard(tone(0.41), 48_000).integrated == pytest.approx(-23, abs=0.1)
    assert heard(silence(5), 48_000).integrated is None


SIGNALS = {
    "white stereo": (noise(20), 48_000),
    "white mono": (noise(20, channels=1, rate=16_000), 16_000),
    "speech": (speech_like(30), 44_100),
    "loud and quiet": (np.concatenate((noise(10), noise(10, 0.003, seed=2))), 48_000),
}


@pytest.mark.parametrize("name", SIGNALS)
def test_another_meter_reads_the_same(name):
    pyloudnorm = pytest.importorskip("pyloudnorm", reason="the other meter is not installed")
    frames, rate = SIGNALS[name]
    theirs = pyloudnorm.Meter(rate).integrated_loudness(frames.astype(np.float64))
    assert heard(frames, rate).integrated == pytest.approx(theirs, abs=0.15)
