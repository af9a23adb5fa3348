"""Our meters beside those of other programs, where they are installed: ffmpeg's and sox's."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import sounds

FILES = {
    "speech.wav": (44_100, "PCM_16"),
    "speech.flac": (96_000, "PCM_24"),
    "speech.ogg": (48_000, "VORBIS"),
    "speech.mp3": (44_100, "MPEG_LAYER_III"),
    "narrow.wav": (8_000, "PCM_16"),
    "noise.wav": (48_000, "FLOAT"),
    "mono.aiff": (22_050, "PCM_16"),
    "wide.wav": (192_000, "PCM_24"),
}
pytestmark = pytest.mark.soak


@pytest.fixture(params=FILES)
def sound(request, tmp_path) -> str:
    rate, subtype = FILES[request.param]
    frames = sounds.speech_like(12, rate)
    if request.param == "noise.wav":
        frames = sounds.noise(12, 0.2, rate) * np.linspace(0.1, 1, 12 * rate)[:, None]
    if request.param == "mono.aiff":
        frames = frames[:, :1]
    sounds.write(tmp_path / request.param, frames.astype(np.float32), rate, subtype)
    return request.param


def said(program: str, *argv: str, folder: Path) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run(
        [program, *argv], cwd=folder, capture_output=True, text=True, timeout=120, check=True
    )
    return done.stderr


def number(pattern: str, text: str) -> float:
    return float(re.findall(pattern + r"\s+(-?[0-9.]+)", text)[-1])


def test_loudness_range_and_true_peak_are_those_of_ffmpeg(sound, tmp_path, apply):
    argv = ("-hide_banner", "-nostats", "-i", sound, "-af", "ebur128=peak=true", "-f", "null", "-")
    theirs = said("ffmpeg", *argv, folder=tmp_path).partition("Summary:")[2]
    ours = apply("measure", input=sound)
    # One step of what it prints, and half of one for how it rounds; of a range in 12 s there are
    # few windows, and it sorts them into steps.
    assert ours["integrated_lufs"] == pytest.approx(number("I:", theirs), abs=0.11)
    assert ours["range_lu"] == pytest.approx(number("LRA:", theirs), abs=0.25)
    assert ours["true_peak_dbtp"] == pytest.approx(number("Peak:", theirs), abs=0.16)


def test_levels_are_those_of_sox(sound, tmp_path, apply):
    if Path(sound).suffix in (".mp3", ".ogg"):
        pytest.skip("decoders differ in length")
    theirs = said("sox", sound, "-n", "stats", folder=tmp_path)
    ours = apply("measure", input=sound)
    assert ours["sample_peak_dbfs"] == pytest.approx(number("Pk lev dB", theirs), abs=0.02)
    assert ours["rms_dbfs"] == pytest.approx(number("RMS lev dB", theirs), abs=0.02)
