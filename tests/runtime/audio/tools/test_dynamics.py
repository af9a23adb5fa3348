"""Compressor and gate: what they do to levels, and that the stereo image stays where it is."""

from __future__ import annotations

import numpy as np
import pytest
from sounds import noise, read, silence, tone, write

RATE = 48_000


def pan_of(frames, hz):
    """Level of the left channel above the right one, dB, near a frequency."""
    spectrum = np.abs(np.fft.rfft(frames * np.hanning(len(frames))[:, None], axis=0))
    near = np.abs(np.fft.rfftfreq(len(frames), 1 / RATE) - hz) < 20
    left, right = spectrum[near].max(axis=0)
    return 20 * np.log10(left / right)


CENTRE = {
    "compress": ({"threshold_db": -30, "ratio": 8}, -30, -6),
    "noise_gate": ({"threshold_db": -20, "ratio": 10}, -40, -6),
}
"""Arguments, the level of a tone in the centre, and that of another in the left channel alone."""


@pytest.mark.parametrize("tool", CENTRE)
def test_what_is_loud_on_the_left_does_not_move_the_centre(tool, tmp_path, apply):
    arguments, centre, aside = CENTRE[tool]
    frames = tone(3, 440, centre)
    frames[RATE:, 0] += tone(2, 3000, aside, channels=1)[:, 0]
    write(tmp_path / "a.wav", frames)
    apply(tool, input="a.wav", output="b.wav", **arguments)
    apply(tool, input="a.wav", output="c.wav", link_percent=0, **arguments)
    linked, alone = (read(tmp_path / name)[0][2 * RATE :] for name in ("b.wav", "c.wav"))
    assert abs(pan_of(linked, 440)) < 0.1
    assert abs(pan_of(alone, 440)) > 10


@pytest.mark.parametrize("tool", CENTRE)
@pytest.mark.parametrize("link", [0, 50, 100])
def test_one_channel_is_treated_the_same_whatever_the_link(tool, link, tmp_path, apply):
    frames = np.concatenate((tone(1, dbfs=-6, channels=1), tone(1, dbfs=-40, channels=1)))
    write(tmp_path / "a.wav", frames)
    arguments = CENTRE[tool][0]
    apply(tool, input="a.wav", output="b.wav", link_percent=link, **arguments)
    apply(tool, input="a.wav", output="c.wav", **arguments)
    assert np.array_equal(read(tmp_path / "b.wav")[0], read(tmp_path / "c.wav")[0])


def test_a_compressor_keeps_length_phase_and_silence(tmp_path, apply):
    frames = np.concatenate((silence(0.5), noise(1, 0.2), silence(0.5)))[:-3]
    write(tmp_path / "a.wav", frames)
    apply("compress", input="a.wav", output="b.wav", threshold_db=-30)
    after, _ = read(tmp_path / "b.wav")
    assert len(after) == len(frames)
    assert not after[: RATE // 2].any()
    heard = frames != 0
    assert (np.sign(after[heard]) == np.sign(frames[heard])).all()
    assert (np.abs(after) <= np.abs(frames) + 1e-6).all()


def test_the_loudest_channel_gets_the_gain_of_the_ratio(tmp_path, apply):
    write(tmp_path / "a.wav", tone(2, 997, -10))
    apply("compress", input="a.wav", output="b.wav", threshold_db=-30, ratio=4, release_ms=1000)
    before, after = (read(tmp_path / n)[0][RATE:] for n in ("a.wav", "b.wav"))
    assert 20 * np.log10(after.std() / before.std()) == pytest.approx(-15, abs=1)


def test_a_limiter_begins_before_the_peak_and_moves_no_image_length_or_time(tmp_path, apply):
    """The gain has come down where the peak begins; both channels have the same gain."""
    frames = tone(2, 440, -20)
    frames[RATE : RATE + 2400, 0] += tone(0.05, 3000, -1, channels=1)[:, 0]
    write(tmp_path / "a.wav", frames)
    limit = {"input": "a.wav", "ceiling_dbtp": -6, "release_ms": 200}
    apply("limit", output="b.wav", **limit)
    apply("limit", output="c.wav", lookahead_ms=0.1, **limit)
    after, late = (read(tmp_path / name)[0] for name in ("b.wav", "c.wav"))
    assert len(after) == len(frames)
    right = np.abs(frames[:, 1]) > 0.02
    below = np.where(right, frames[:, 1], 1)
    gains, late = (np.where(right, x[:, 1] / below, np.nan) for x in (after, late))
    just_before = slice(RATE - 96, RATE - 48)
    assert np.nanmax(np.abs(gains[: RATE - 960] - 1)) < 1e-3
    assert np.nanmean(gains[just_before]) < 0.8
    assert np.nanmean(late[just_before]) > 0.99
    left = np.abs(frames[:, 0]) > 0.02
    both = left & right
    moved = after[both, 0] / frames[both, 0] - after[both, 1] / frames[both, 1]
    assert np.abs(moved).max() < 1e-3
    assert np.abs(after).max() <= 10 ** (-6 / 20)
