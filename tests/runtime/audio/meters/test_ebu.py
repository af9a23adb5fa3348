"""The signals of EBU Tech 3341 (loudness, true peak) and 3342 (range), by their case numbers.

Cases that are recordings of programmes (7 and 8; 5 and 6 of 3342) cannot be synthesised. Levels of
tones are peaks in dBFS, in every channel; every meter reading may be off by 0.1 LU.
"""

from __future__ import annotations

import numpy as np
import pytest
from flowc.runtime.audio.meters.loudness import Loudness, LoudnessMeter
from sounds import silence, tone

RATE = 48_000


def heard(frames, rate: int = RATE, block: int = 4801) -> Loudness:
    """The meter's reading, fed in blocks."""
    meter = LoudnessMeter(rate, frames.shape[1])
    for at in range(0, len(frames), block):
        meter.feed(frames[at : at + block])
    return meter.end()


def tones(*parts: tuple[float, float], rate: int = RATE):
    """(dBFS, seconds) one after the other, without a step in phase."""
    level = np.concatenate([np.full(round(s * rate), 10 ** (db / 20)) for db, s in parts])
    wave = level * np.sin(2 * np.pi * 1000 * np.arange(len(level)) / rate)
    return np.repeat(wave[:, None], 2, axis=1).astype(np.float32)


@pytest.mark.parametrize(
    ("case", "parts", "lufs"),
    [
        (1, [(-23, 20)], -23),
        (2, [(-33, 20)], -33),
        (3, [(-36, 10), (-23, 60), (-36, 10)], -23),
        (4, [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], -23),
        (5, [(-26, 20), (-20, 20.1), (-26, 20)], -23),
    ],
)
@pytest.mark.parametrize("rate", [48_000, 44_100])
def test_tech_3341_cases_1_to_5_integrated_loudness(case, parts, lufs, rate):
    assert heard(tones(*parts, rate=rate), rate).integrated == pytest.approx(lufs, abs=0.1)


@pytest.mark.parametrize(("case", "dbfs"), [(1, -23), (2, -33)])
def test_tech_3341_cases_1_and_2_every_time_scale(case, dbfs):
    reading = heard(tone(20, dbfs=dbfs))
    assert reading.momentary_max == pytest.approx(dbfs, abs=0.1)
    assert reading.short_term_max == pytest.approx(dbfs, abs=0.1)


@pytest.mark.parametrize("lfe", [False, True])
def test_tech_3341_case_6_surround(lfe):
    """Five channels: left, right, centre, surrounds; with an LFE channel nothing changes."""
    levels = [-28, -28, -24, *([-10] if lfe else []), -30, -30]
    frames = np.concatenate([tone(20, dbfs=db, channels=1) for db in levels], axis=1)
    assert heard(frames).integrated == pytest.approx(-23, abs=0.1)


def test_tech_3341_case_9_short_term_loudness_does_not_swing():
    meter = heard(tones(*[(-20, 1.34), (-30, 1.66)] * 5))
    assert meter.short_term_max == pytest.approx(-23, abs=0.1)


@pytest.mark.parametrize("number", range(1, 21))
def test_tech_3341_case_10_short_term_finds_a_tone_wherever_it_begins(number):
    frames = np.concatenate((silence(0.15 * number), tone(3), silence(1)))
    assert heard(frames).short_term_max == pytest.approx(-23, abs=0.1)


@pytest.mark.parametrize("step", range(20))
def test_tech_3341_case_11_short_term_of_rising_tones(step):
    """Twenty segments, each 1 LU louder; here each by itself."""
    frames = np.concatenate((silence(0.15 * step), tone(3, dbfs=-38 + step), silence(3)))
    assert heard(frames).short_term_max == pytest.approx(-38 + step, abs=0.1)


def test_tech_3341_case_12_momentary_loudness_does_not_swing():
    meter = heard(tones(*[(-20, 0.18), (-30, 0.22)] * 25))
    assert meter.momentary_max == pytest.approx(-23, abs=0.1)


@pytest.mark.parametrize("number", range(1, 21))
def test_tech_3341_case_13_momentary_finds_a_tone_wherever_it_begins(number):
    frames = np.concatenate((silence(0.02 * number), tone(0.4), silence(1)))
    assert heard(frames).momentary_max == pytest.approx(-23, abs=0.1)


@pytest.mark.parametrize("step", range(20))
def test_tech_3341_case_14_momentary_of_rising_tones(step):
    frames = np.concatenate((silence(0.02 * step), tone(0.4, dbfs=-38 + step), silence(1)))
    assert heard(frames).momentary_max == pytest.approx(-38 + step, abs=0.1)


def _smooth(frames):
    """Without a click at the ends, which would be a peak of its own."""
    ramp = np.minimum(np.arange(len(frames)), np.arange(len(frames))[::-1]) / (RATE * 0.05)
    return (frames * np.clip(ramp, 0, 1)[:, None]).astype(np.float32)


@pytest.mark.parametrize(
    ("case", "divisor", "degrees", "amplitude", "dbtp"),
    [
        (15, 4, 0.0, 0.50, -6.0),
        (16, 4, 45.0, 0.50, -6.0),
        (17, 6, 60.0, 0.50, -6.0),
        (18, 8, 67.5, 0.50, -6.0),
        (19, 4, 45.0, 1.41, 3.0),
    ],
)
def test_tech_3341_cases_15_to_19_true_peaks_between_samples(
    case, divisor, degrees, amplitude, dbtp
):
    wave = amplitude * np.sin(2 * np.pi * np.arange(RATE) / divisor + np.deg2rad(degrees))
    reading = heard(_smooth(wave[:, None])).true_peak
    assert dbtp - 0.4 <= reading <= dbtp + 0.2


@pytest.mark.parametrize("offset", range(4))
def test_tech_3341_cases_20_to_23_one_period_sampled_at_each_quarter(offset):
    """Cases 20 to 23: a tone of a sixth of the rate whose one higher period is full scale, made at
    four times the rate and decimated from each of its four samples on."""
    fine = 4 * RATE
    time = np.arange(fine) / fine
    envelope = 0.5 + 0.5 * np.exp(-(((time - 0.5) * RATE / 60) ** 2))
    wave = envelope * np.cos(2 * np.pi * (RATE / 6) * (time - 0.5))
    reading = heard(_smooth(wave[offset::4][:, None])).true_peak
    assert -0.4 <= reading <= 0.2


@pytest.mark.parametrize(
    ("case", "levels", "lu"),
    [
        (1, (-20, -30), 10),
        (2, (-20, -15), 5),
        (3, (-40, -20), 20),
        (4, (-50, -35, -20, -35, -50), 15),
    ],
)
def test_tech_3342_cases_1_to_4_loudness_range(case, levels, lu):
    assert heard(tones(*[(db, 20) for db in levels])).range == pytest.approx(lu, abs=1)
