"""What is written into an mp3 file has the level that was asked for, at every bitrate."""

from __future__ import annotations

import io

import numpy as np
import pytest
import soundfile
from flowc.compiler.catalog.audio_effects import BITRATES
from flowc.runtime.audio.calls.containers import check_bitrate
from flowc.runtime.audio.calls.output import FileShape, WrittenFile, coder_failure, write_sound
from sounds import read, tone

CODED = [
    (rate, channels, kbps)
    for rate, channels in ((48_000, 2), (44_100, 1), (24_000, 2), (16_000, 1), (8000, 2))
    for kbps in BITRATES
    if kbps <= (320 if rate >= 32_000 else 160 if rate >= 16_000 else 64)
]


def coded(place, frames, rate=48_000, kbps=0):
    place.touch()
    shape = FileShape(rate, frames.shape[1], bitrate=kbps)
    write_sound(place.name, str(place), shape, [frames])
    return read(place)[0]


@pytest.mark.parametrize(("rate", "channels", "kbps"), CODED)
def test_an_mp3_file_of_any_bitrate_has_the_level_of_its_source(rate, channels, kbps, tmp_path):
    check_bitrate("a.mp3", kbps, rate)
    given = tone(1, 440, -6, rate, channels)
    back = coded(tmp_path / "a.mp3", given, rate, kbps)
    inner = slice(rate // 4, rate * 3 // 4)
    change = 20 * np.log10(back[inner].std(axis=0) / given[inner].std(axis=0))
    assert np.abs(change).max() < 0.02
    size = (tmp_path / "a.mp3").stat().st_size
    assert kbps * 125 <= size < kbps * 125 * 1.35, "it has the bitrate as well"


@pytest.mark.parametrize("kbps", [0, 128])
def test_samples_above_full_scale_are_not_cut_by_the_gain_that_makes_up(kbps, tmp_path):
    given = tone(1, 440, 6)
    back = coded(tmp_path / "a.mp3", given, kbps=kbps)
    assert np.abs(back[12_000:36_000]).max() == pytest.approx(np.abs(given).max(), rel=0.01)


def test_a_coder_without_words_is_refused_in_words():
    """libsndfile's own coder fails so where it is told to compress as much as it can."""
    shape = {"samplerate": 48_000, "channels": 2, "format": "MP3"}
    with pytest.raises(soundfile.LibsndfileError) as caught:
        soundfile.SoundFile(io.BytesIO(), "w", **shape, compression_level=1.0)
    done = WrittenFile("a.mp3", 48_000, 2, "MP3", "MPEG_LAYER_III")
    failure = coder_failure(done, 32, caught.value)
    assert failure.message == (
        "`a.mp3` cannot be written: its coder refuses this shape of sound "
        "(48000 samples a second, 2 channels of 32 kbit/s)"
    )
    assert "another bitrate" in failure.help
