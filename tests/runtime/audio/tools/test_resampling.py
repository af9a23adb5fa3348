"""Another sample rate: what lies above the new half rate is gone, what lies below is kept."""

from __future__ import annotations

import numpy as np
import pytest
from sounds import read, tone, write

KEPT = 0.9
"""Of half the lower rate."""


def level(frames, rate, hz):
    """dBFS of a sine near a frequency."""
    window = np.kaiser(len(frames), 24)
    spectrum = np.abs(np.fft.rfft(frames[:, 0] * window)) * 2 / window.sum()
    near = np.abs(np.fft.rfftfreq(len(frames), 1 / rate) - hz) < 40
    return 20 * np.log10(spectrum[near].max() + 1e-15)


def converted(folder, apply, before, after, hz):
    write(folder / "a.wav", tone(2, hz, -6, before, 1), before)
    apply("convert", input="a.wav", output="b.wav", sample_rate_hz=after)
    frames, _ = read(folder / "b.wav")
    return frames[after // 4 : -after // 4]


@pytest.mark.parametrize(
    ("before", "after", "hz", "alias"),
    [
        (44_100, 8000, 5000, 3000),
        (96_000, 16_000, 9000, 7000),
        (96_000, 16_000, 8400, 7600),
        (48_000, 16_000, 9000, 7000),
        (96_000, 44_100, 23_153, 20_947),
    ],
)
def test_a_tone_above_the_new_half_rate_is_not_mirrored(before, after, hz, alias, tmp_path, apply):
    assert level(converted(tmp_path, apply, before, after, hz), after, alias) < -6 - 120


@pytest.mark.parametrize(("before", "after"), [(44_100, 8000), (48_000, 44_100), (8000, 48_000)])
def test_a_tone_below_it_keeps_level_and_place(before, after, tmp_path, apply):
    hz = KEPT * min(before, after) / 2
    frames = converted(tmp_path, apply, before, after, hz)
    time = (np.arange(len(frames)) + after // 4) / after
    expected = 10 ** (-6 / 20) * np.sin(2 * np.pi * hz * time)
    assert np.abs(frames[:, 0] - expected).max() < 5e-4  # 0.01 dB


@pytest.mark.parametrize("frames", [1, 7, 1000, 65_537])
def test_as_many_frames_come_out_as_the_ratio_says(frames, tmp_path, apply):
    write(tmp_path / "a.wav", tone(2, 300, -20, 44_100)[:frames], 44_100)
    apply("convert", input="a.wav", output="b.wav", sample_rate_hz=48_000)
    assert len(read(tmp_path / "b.wav")[0]) == round(frames * 48_000 / 44_100)
