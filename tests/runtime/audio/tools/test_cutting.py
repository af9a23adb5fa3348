"""Sections that are kept or taken out: to the sample, and without a click at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from flowc.runtime.audio.vocabulary.requests import code_of, plan_of
from flowc.runtime.errors import Failure
from sounds import noise, read, tone, write

RATE = 48_000
SOFT = 144
"""Frames of 3 ms."""


@pytest.mark.parametrize(
    "request_",
    ["cut out the section from 5 s to 8 s", "cut out from 0:05 to 0:08", "remove 5 s to 8 s"],
)
def test_to_cut_out_is_not_to_keep(request_):
    (step,) = plan_of(request_, "in.wav")["steps"]
    assert code_of(step["description"], "in.wav", "out.wav").startswith("CUT(")


def test_what_lies_outside_of_the_section_is_left_to_the_sample(tmp_path, apply):
    frames = noise(4, 0.2)
    write(tmp_path / "a.wav", frames)
    said = apply("cut", input="a.wav", output="b.wav", start_s=1, end_s=1.5)
    left, _ = read(tmp_path / "b.wav")
    assert said["duration_s"] == 3.5
    assert np.array_equal(left[: RATE - SOFT], frames[: RATE - SOFT])
    assert np.array_equal(left[RATE + SOFT :], frames[round(1.5 * RATE) + SOFT :])


def loudest_step(frames):
    """The largest change from one sample to the next."""
    return float(np.abs(np.diff(frames[:, 0])).max())


@pytest.mark.parametrize(("tool", "end_s"), [("cut", 1.5105), ("clip", 1.5105), ("cut", 3.0)])
def test_there_is_no_click_where_sound_is_cut(tool, end_s, tmp_path, apply):
    write(tmp_path / "a.wav", tone(3, 200, -6))
    most = loudest_step(tone(3, 200, -6)) * 1.6
    apply(tool, input="a.wav", output="b.wav", start_s=1.0012, end_s=end_s)
    apply(tool, input="a.wav", output="hard.wav", start_s=1.0012, end_s=end_s, soften_ms=0)
    soft, hard = (
        np.concatenate((read(tmp_path / name)[0], np.zeros((1, 2), np.float32)))
        for name in ("b.wav", "hard.wav")
    )
    assert len(soft) == len(hard)
    assert loudest_step(soft) <= most
    if tool == "clip":
        assert float(np.abs(soft[0]).max()) < 0.01
        assert loudest_step(hard) > most


def test_a_cut_that_leaves_nothing_is_refused(tmp_path, apply):
    write(tmp_path / "a.wav", tone(1))
    with pytest.raises(Failure, match="would be left"):
        apply("cut", input="a.wav", output="b.wav", start_s=0, end_s=1)


@pytest.mark.parametrize(("count", "crossfade"), [(2, 1.0), (3, 0.5), (2, 0.75)])
def test_a_file_may_be_as_long_as_its_crossfades(tmp_path, apply, count, crossfade):
    """One at each joint: the first and the last file have one, those between them two."""
    write(tmp_path / "a.wav", noise(1, 0.1))
    said = apply("concat", inputs=["a.wav"] * count, output="b.wav", crossfade_s=crossfade)
    joined, _ = read(tmp_path / "b.wav")
    assert said["duration_s"] == pytest.approx(count - (count - 1) * crossfade)
    assert len(joined) == round(said["duration_s"] * RATE)
    assert np.isfinite(joined).all()
