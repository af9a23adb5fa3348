"""Peaks that are held, and loudness that would need too much of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from flowc.runtime.errors import Failure
from sounds import M4A, noise, speech_like, tone, write

if TYPE_CHECKING:
    from sounds import Frames

RATE = 48_000


def beats(seconds: float = 10, bed: float = 0.01) -> Frames:
    """Two drums a second over a little noise."""
    time = np.arange(round(seconds * RATE)) / RATE % 0.5
    drum = 0.8 * np.exp(-time / 0.02) * np.sin(2 * np.pi * 120 * time)
    return noise(seconds, bed) + drum[:, None].astype(np.float32)


@pytest.mark.parametrize(
    ("signal", "target", "limited"),
    [
        ("speech", -16, False),
        ("speech", -23, False),
        ("speech", -11, True),
        ("noise", -8, True),
        ("beats", -23, False),
        ("beats", -18, True),
    ],
)
def test_loudness_and_true_peak_end_where_they_were_asked_to(
    signal, target, limited, tmp_path, apply
):
    kinds = {"speech": lambda: speech_like(10, RATE), "noise": lambda: noise(10), "beats": beats}
    write(tmp_path / "a.wav", kinds[signal]())
    said = apply("loudness_norm", input="a.wav", output="b.flac", target_lufs=target)
    found = apply("measure", input="b.flac")
    assert said["limited"] == limited
    assert found["integrated_lufs"] == pytest.approx(target, abs=0.1)
    assert found["integrated_lufs"] == pytest.approx(said["integrated_lufs"], abs=0.02)
    assert found["true_peak_dbtp"] <= -1


CRUSHED = re.compile(r"more than 6 dB off its peaks.*; (-[0-9.]+) LUFS is the loudest")


@pytest.mark.parametrize(("signal", "target"), [("clicks", -16), ("clicks", -5), ("beats", -12)])
def test_what_a_limiter_would_crush_is_refused_with_the_loudest_there_is(
    signal, target, tmp_path, apply
):
    clicks = (np.arange(RATE * 10) % 96_000 < 3)[:, None] * np.float32(0.9)
    write(tmp_path / "a.wav", beats() if signal == "beats" else noise(10, 0.01) + clicks)
    given = {"input": "a.wav", "output": "b.wav"}
    with pytest.raises(Failure) as caught:
        apply("loudness_norm", target_lufs=target, **given)
    assert f"cannot be brought to {target} LUFS below -1 dBTP" in caught.value.message
    assert "COMPRESS first" in caught.value.help
    assert not (tmp_path / "b.wav").exists()
    found = CRUSHED.search(caught.value.message)
    assert found
    before = apply("measure", input="a.wav")
    said = apply("loudness_norm", target_lufs=float(found[1]), **given)
    assert said["integrated_lufs"] == pytest.approx(float(found[1]), abs=0.02)
    assert before["true_peak_dbtp"] + said["gain_db"] + 1 <= 6.01


@pytest.mark.parametrize("ceiling", [-1, -6, -20])
def test_the_limiter_holds_true_peaks(ceiling, tmp_path, apply):
    write(tmp_path / "a.wav", noise(5, 0.5))
    apply("limit", input="a.wav", output="b.wav", ceiling_dbtp=ceiling)
    peak = apply("measure", input="b.wav")["true_peak_dbtp"]
    assert ceiling - 0.6 < peak <= ceiling


@pytest.mark.parametrize("ending", ["mp3", "ogg", M4A])
def test_the_true_peak_of_a_lossy_file_is_held_as_well(ending, tmp_path, apply):
    """A coder raises peaks: they are looked at behind it, where they are heard."""
    frames = np.sign(tone(3, 220, -6)) * 0.3 + noise(3, 0.05)
    write(tmp_path / "a.wav", frames.astype(np.float32))
    said = apply("limit", input="a.wav", output=f"b.{ending}", ceiling_dbtp=-12)
    found = apply("measure", input=f"b.{ending}")
    assert found["true_peak_dbtp"] <= -11.95
    assert found["true_peak_dbtp"] == pytest.approx(said["true_peak_dbtp"], abs=0.01)


@pytest.mark.parametrize("ending", ["mp3", "ogg", "opus", M4A])
def test_the_highest_sample_of_a_lossy_file_is_where_it_was_asked_to_be(ending, tmp_path, apply):
    """Of noise that was cut, whose peaks a coder moves most, and by chance."""
    write(tmp_path / "a.wav", np.clip(noise(2, 0.5), -0.6, 0.6))
    said = apply("peak_norm", input="a.wav", output=f"b.{ending}", target_dbfs=-1)
    peak = apply("measure", input=f"b.{ending}", parts=["levels"])["sample_peak_dbfs"]
    assert -1.25 <= peak <= -0.95
    assert said["sample_peak_dbfs"] == pytest.approx(peak, abs=0.01)


def test_the_loudness_that_is_said_of_a_lossy_file_is_its_own(tmp_path, apply):
    write(tmp_path / "a.wav", noise(3))
    said = apply("loudness_norm", input="a.wav", output="b.mp3", target_lufs=-23)
    found = apply("measure", input="b.mp3", parts=["loudness"])["integrated_lufs"]
    assert said["integrated_lufs"] == pytest.approx(found, abs=0.01)
    assert abs(found + 23) > 0.1, "the coder moves it"


@pytest.mark.parametrize("ending", ["mp3", "ogg", "opus", "flac"])
def test_what_is_said_of_samples_above_full_scale_is_so(ending, tmp_path, apply):
    write(tmp_path / "a.wav", tone(1, 440, dbfs=5))
    said = apply("convert", input="a.wav", output=f"b.{ending}")
    peak = apply("measure", input=f"b.{ending}", parts=["levels"])["sample_peak_dbfs"]
    does_cut = ending == "flac"
    what = "they are cut there" if does_cut else "most players cut them"
    assert re.fullmatch(rf"\d+ samples lie above full scale: {what}", said["notes"][0])
    assert (peak > 3) != does_cut


@pytest.mark.parametrize("ending", ["mp3", "ogg"])
def test_the_highest_sample_of_a_clipped_master_lands_as_well(ending, tmp_path, apply):
    """Its coder moves the peaks by chance, from one gain to the next."""
    if ending == "mp3":
        master = noise(4, rate=44_100) * 6
    else:
        speech = speech_like(4, 44_100)
        master = speech / np.abs(speech).max() * 20
    write(tmp_path / "a.wav", np.clip(master, -1, 1), 44_100, "PCM_16")
    said = apply("peak_norm", input="a.wav", output=f"b.{ending}", target_dbfs=-0.1)
    found = apply("measure", input=f"b.{ending}")["sample_peak_dbfs"]
    assert found == pytest.approx(-0.1, abs=0.1)
    assert said["sample_peak_dbfs"] == pytest.approx(found, abs=0.001)
    assert not said["notes"]
