"""The misfit of a filter beside a strong hum: a window shows a tone at frequencies beside it too,
and there the gain is what the filter does to the tone."""

from __future__ import annotations

import numpy as np
import pytest
from flowc.runtime.audio.calls.files import open_sound
from flowc.runtime.audio.meters.effects import effects_of
from sounds import noise, speech_like, tone, write

MOST = 1.5
"""dB; what the expectations of the filters allow."""


@pytest.fixture
def misfit(tmp_path, apply):
    """How far a filter, `does`, of a hum over noise lies from one that was asked for. With a share
    of harmonics the sound is speech as well."""

    def judge(tool, asked, does, hum, ratio_db, seconds, share=0.0):
        frames = tone(seconds, hum, -10) + noise(seconds, 10 ** ((-10 - ratio_db) / 20))
        if share:
            frames += speech_like(seconds, 48_000)[48_000:-96_000]
            for times in range(2, 8):
                frames += share / times * tone(seconds, times * hum, -10)
        source = str(write(tmp_path / "in.wav", frames))
        target = str(tmp_path / "out.wav")
        cutoff, slope = does
        apply(tool, input=source, output=target, cutoff_hz=cutoff, slope=slope)
        sounds = (open_sound(path, path) for path in (source, target))
        return effects_of(*sounds, [(f"{tool}_misfit_db", list(asked))])[0][0]

    return judge


CASES = [
    ("highpass", (40, 24), 30, 40, 7),
    ("highpass", (40, 24), 50, 60, 7),
    ("highpass", (60, 48), 50, 40, 3),
    ("highpass", (25, 12), 60, 60, 3),
    ("highpass", (80, 48), 100, 50, 7),
    ("highpass", (60, 24), 30, 60, 2, 1),
    ("highpass", (60, 48), 50, 40, 2, 1),
    ("highpass", (80, 12), 60, 60, 8, 1),
    ("highpass", (120, 24), 60, 60, 8, 1),
    ("lowpass", (60, 24), 50, 40, 7),
    ("lowpass", (120, 48), 100, 60, 3),
]


@pytest.mark.parametrize("case", CASES)
def test_a_right_filter_beside_a_strong_hum_fits(case, misfit):
    tool, asked, *sound = case
    assert misfit(tool, asked, asked, *sound) <= MOST


@pytest.mark.parametrize("times", [0.5, 1.33, 2])
@pytest.mark.parametrize("case", CASES)
def test_another_filter_does_not(case, times, misfit):
    tool, asked, *sound = case
    does = asked[0] * times, asked[1]
    assert misfit(tool, asked, does, *sound) > MOST


def test_the_ringing_of_a_sudden_beginning_tells_no_filter(misfit):
    assert misfit("highpass", (40, 48), (40, 48), 60, 60, 8) <= MOST


def test_noise_alone_has_every_third_of_an_octave_judged(misfit):
    asked, half = (400, 12), (200, 12)
    assert misfit("highpass", asked, asked, 1000, -40, 3) <= 0.5
    assert misfit("highpass", asked, half, 1000, -40, 3) > 3


@pytest.mark.parametrize(
    ("numbers", "reason"), [((80, 10), "a slope is"), ((40_000, 12), "do not")]
)
def test_what_no_filter_can_be_has_no_misfit(numbers, reason, misfit):
    assert reason in misfit("highpass", numbers, (80, 12), 50, 20, 2)


@pytest.mark.parametrize(("does", "fits"), [((80, 24), True), ((40, 24), False)])
def test_what_a_file_cuts_at_full_scale_tells_no_filter(does, fits, tmp_path, apply):
    loud = np.clip(speech_like(3) * 12, -1, 1)
    paths = [str(tmp_path / name) for name in ("in.wav", "out.wav")]
    write(tmp_path / "in.wav", loud, 44_100, "PCM_16")
    apply("highpass", input=paths[0], output=paths[1], cutoff_hz=does[0], slope=does[1])
    sounds = (open_sound(path, path) for path in paths)
    found = effects_of(*sounds, [("highpass_misfit_db", [80, 24])])[0][0]
    assert (found <= MOST) == fits


@pytest.mark.parametrize("cutoff", [40, 1000])
def test_rounding_a_quiet_sound_to_16_bits_tells_no_filter(cutoff, tmp_path, apply):
    paths = [str(tmp_path / name) for name in ("in.wav", "out.wav")]
    write(tmp_path / "in.wav", speech_like(3) * 0.003, 44_100, "PCM_16")
    apply("highpass", input=paths[0], output=paths[1], cutoff_hz=cutoff, slope=48)
    sounds = (open_sound(path, path) for path in paths)
    assert effects_of(*sounds, [("highpass_misfit_db", [cutoff, 48])])[0][0] <= MOST
