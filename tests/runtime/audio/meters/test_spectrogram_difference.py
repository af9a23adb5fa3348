"""The picture of what changed: by how many dB, at what time and frequency."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from flowc.runtime.audio.calls.files import open_sound
from flowc.runtime.audio.meters.spectrogram_difference import difference_between
from flowc.runtime.audio.meters.waveform import COLUMNS, ROWS
from sounds import noise, write


def sound(folder: Path, name: str, frames, rate: int = 44_100):
    write(folder / name, frames, rate)
    return open_sound(name, str(folder / name))


def test_it_lies_over_the_sound_before_and_says_the_change_in_db(tmp_path):
    frames = noise(6, rate=44_100)
    after = frames[44_100 : 5 * 44_100] * 0.5  # the second from 1 s to 5 s, half as high
    found = difference_between(
        sound(tmp_path, "a.wav", frames), sound(tmp_path, "b.wav", after), 1.0
    )
    assert found.shape == (ROWS, COLUMNS)
    assert np.isnan(found[:, :95]).all()
    assert np.isnan(found[:, 510:]).all()
    inner = found[:, 105:495]
    assert np.isclose(inner, -6.02, atol=0.1).mean() > 0.999  # but for what is faint


def test_other_frequencies_stay_white(tmp_path, apply):
    frames = noise(4, rate=44_100)
    before = sound(tmp_path, "a.wav", frames)
    apply("highpass", input="a.wav", output="b.wav", cutoff_hz=1000, slope=48)
    found = difference_between(before, open_sound("b.wav", str(tmp_path / "b.wav")), 0.0)
    hz = np.geomspace(20, 22_050, ROWS)
    assert np.nanmean(found[hz < 400]) < -15
    assert abs(np.nanmean(found[hz > 2000])) < 0.5


def test_silence_changes_by_nothing_and_other_rates_are_not_compared(tmp_path):
    silence, other = np.zeros((44_100, 2), np.float32), noise(1, rate=22_050)
    one = sound(tmp_path, "a.wav", silence)
    two = sound(tmp_path, "b.wav", silence + 1e-7)
    assert not np.nan_to_num(difference_between(one, two, 0.0)).any()
    slow = sound(tmp_path, "c.wav", other, 22_050)
    assert difference_between(one, slow, 0.0) == "the sample rates differ"
