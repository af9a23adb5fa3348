"""A file that is read in blocks, or from its middle, is the file that is read at once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile
from flowc.runtime.audio.calls.files import open_sound
from sounds import speech_like

RATE, SECONDS = 44_100, 12
KINDS = {
    "mp3": ("MP3", "MPEG_LAYER_III", {"bitrate_mode": "VARIABLE", "compression_level": 0.5}),
    "low.mp3": ("MP3", "MPEG_LAYER_III", {"bitrate_mode": "CONSTANT", "compression_level": 0.7}),
    "ogg": ("OGG", "VORBIS", {}),
    "opus": ("OGG", "OPUS", {}),
    "flac": ("FLAC", "PCM_16", {}),
    "wav": ("WAV", "PCM_24", {}),
}


@pytest.fixture(params=list(KINDS))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    kind, subtype, coding = KINDS[request.param]
    place = tmp_path / f"a.{request.param}"
    rate = 48_000 if subtype == "OPUS" else RATE
    frames = speech_like(SECONDS, rate)
    soundfile.write(place, frames, rate, format=kind, subtype=subtype, **coding)
    return place


def at_once(place: Path) -> np.ndarray:
    frames, _ = soundfile.read(place, dtype="float32", always_2d=True)
    return frames


def test_blocks_are_what_is_read_at_once(place):
    read = np.concatenate(list(open_sound(place.name, str(place)).blocks()))
    assert np.abs(read - at_once(place)).max() < 1e-5


def test_a_section_is_that_of_the_whole(place):
    """The frames of an mp3 file have bits in those before them."""
    sound, whole = open_sound(place.name, str(place)), at_once(place)
    for start in (1, 500, 30_000, 100_000, 196_608, 250_001, 333_333, 400_001, 480_000):
        read = np.concatenate(list(sound.blocks(start, start + 20_000)))
        assert np.abs(read - whole[start : start + len(read)]).max() < 1e-5, start


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_blocks_of_an_mp3_file_are_what_another_decoder_makes_of_it(tmp_path):
    mp3, wav = tmp_path / "a.mp3", tmp_path / "a.wav"
    soundfile.write(mp3, speech_like(SECONDS, RATE), RATE, format="MP3")
    argv = ["ffmpeg", "-v", "error", "-i", str(mp3), "-c:a", "pcm_f32le", str(wav)]
    subprocess.run(argv, check=True)
    read = np.concatenate(list(open_sound("a.mp3", str(mp3)).blocks()))
    other = at_once(wav)[: len(read)]
    assert np.abs(read[: len(other)] - other).max() < 1e-3
