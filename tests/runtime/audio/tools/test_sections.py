"""Sections, channels and ends: each to the sample, and nothing else is touched."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile
from flowc.runtime.audio.calls.call import check_call
from flowc.runtime.audio.tools.job import Job
from flowc.runtime.audio.tools.worker import find_function
from flowc.runtime.errors import Failure
from sounds import noise, read, tone, write

RATE = 48_000


@pytest.fixture
def frames(tmp_path):
    """Four seconds of noise, another in each channel."""
    whole = noise(4, 0.2)
    whole[:, 1] = np.roll(whole[:, 1], 777) * 0.5
    write(tmp_path / "a.wav", whole)
    return whole


def result(tmp_path, apply, tool, **arguments):
    apply(tool, input="a.wav", output="b.wav", **arguments)
    return read(tmp_path / "b.wav")[0]


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ({"start_s": -1}, (3, 4)),
        ({"end_s": -1}, (0, 3)),
        ({"start_s": -2, "end_s": -0.5}, (2, 3.5)),
        ({"start_s": 1, "end_s": -1}, (1, 3)),
        ({"start_s": -3, "end_s": 2}, (1, 2)),
    ],
)
def test_negative_seconds_count_from_the_end(arguments, kept, frames, tmp_path, apply):
    start, end = (round(one * RATE) for one in kept)
    clip = result(tmp_path, apply, "clip", soften_ms=0, **arguments)
    assert np.array_equal(clip, frames[start:end])
    cut = result(tmp_path, apply, "cut", soften_ms=0, **arguments)
    assert np.array_equal(cut, np.concatenate((frames[:start], frames[end:])))


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"start_s": -5}, "is 5 s before the end, but `a.wav` is 4.000 s long"),
        ({"start_s": -1, "end_s": -2}, "`start_s` of CLIP has to be below `end_s`"),
        ({"start_s": -1, "end_s": 2}, "nothing of `a.wav` lies between 3 s and 2 s"),
        ({"start_s": 3.5, "end_s": -1}, "nothing of `a.wav` lies between 3.5 s and 3 s"),
        ({"start_s": 4}, "nothing of `a.wav` lies between 4 s and its end"),
    ],
)
def test_a_section_that_is_not_there_is_refused(arguments, why, frames, apply):
    with pytest.raises(Failure, match=why):
        apply("clip", input="a.wav", output="b.wav", **arguments)


def test_the_gain_of_a_section_leaves_the_rest(frames, tmp_path, apply):
    louder = result(tmp_path, apply, "gain", gain_db=-6, start_s=1, end_s=2, soften_ms=10)
    inside, soft = slice(RATE + 480, 2 * RATE - 480), 10 ** (-6 / 20)
    assert np.array_equal(louder[:RATE], frames[:RATE])
    assert np.array_equal(louder[2 * RATE :], frames[2 * RATE :])
    assert np.allclose(louder[inside], frames[inside] * soft, atol=1e-7)


def test_a_section_that_is_muted_is_silent_and_does_not_click(tmp_path, apply):
    write(tmp_path / "a.wav", tone(3, 200, -6))
    muted = result(tmp_path, apply, "gain", gain_db=-100, start_s=1.0012, end_s=-1)
    assert not muted[round(1.0012 * RATE) + 480 : 2 * RATE - 480].any()
    assert np.abs(np.diff(muted[:, 0])).max() < 1.6 * np.abs(np.diff(tone(3, 200, -6)[:, 0])).max()


def test_silence_is_added_around_a_sound_that_stays(frames, tmp_path, apply):
    padded = result(tmp_path, apply, "pad", start_s=0.25, end_s=1)
    assert np.array_equal(padded[RATE // 4 : RATE // 4 + 4 * RATE], frames)
    assert not padded[: RATE // 4].any()
    assert not padded[RATE // 4 + 4 * RATE :].any()
    assert len(padded) == 5 * RATE + RATE // 4


def test_a_reversed_sound_is_the_sound_reversed_twice(frames, tmp_path, apply):
    backwards = result(tmp_path, apply, "reverse")
    assert np.array_equal(backwards, frames[::-1])


@pytest.mark.parametrize("order", [[2, 1], [1], [2], [1, 1], [0, 2], [2, 2, 1]])
def test_channels_are_those_that_are_chosen(order, frames, tmp_path, apply):
    chosen = result(tmp_path, apply, "channels", order=order)
    silence = np.zeros((len(frames), 1), np.float32)
    assert np.array_equal(chosen, np.hstack((silence, frames))[:, order])


@pytest.mark.parametrize(
    ("order", "why"),
    [([3], "`a.wav` has 2 channels: there is no channel 3"), ([], "list of 1 to 64"),
     ([1.5], "list of 1 to 64")],
)  # fmt: skip
def test_a_channel_that_is_not_there_is_refused(order, why, frames, apply):
    with pytest.raises(Failure, match=why):
        apply("channels", input="a.wav", output="b.wav", order=order)


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("concat", {"inputs": ["a.wav", "a.wav", "a.wav"], "crossfade_s": 0.1}),
        ("mix", {"inputs": ["a.wav", "a.wav"], "offsets_s": [0, 2]}),
        ("pad", {"input": "a.wav", "end_s": 2}),
    ],
)
def test_what_makes_a_file_larger_than_a_wav_file_can_be_makes_it_rf64(tool, said, tmp_path):
    """The limit of 4 GB is one of 600 kB here, and the sound that comes in has 384 kB."""
    place, out = write(tmp_path / "a.wav", noise(1, 0.1)), tmp_path / "b.wav"
    out.touch()
    call = check_call(tool, {**said, "output": "b.wav"})
    work = find_function(call.tool)
    done = work(Job(call, {"a.wav": str(place)}, {"b.wav": str(out)}, {}, riff_limit=600_000))
    assert out.read_bytes()[:4] == b"RF64"
    assert soundfile.info(out).frames == round(done["duration_s"] * 48_000)


def test_what_a_mix_cuts_off_ends_softly_and_nothing_before_is_touched(tmp_path, apply):
    first, bed = noise(1, 0.1), tone(3, 200, -6)
    write(tmp_path / "a.wav", first)
    write(tmp_path / "bed.wav", bed)
    apply("mix", inputs=["a.wav", "bed.wav"], length="first", offsets_s=[0, 0.2], output="b.wav")
    left = read(tmp_path / "b.wav")[0] - first
    soft, offset = round(0.003 * RATE), round(0.2 * RATE)
    assert len(left) == RATE
    assert np.abs(left[-1]).max() < 1e-6
    assert np.allclose(left[offset:-soft], bed[: RATE - soft - offset], atol=1e-6)
    assert np.abs(np.diff(left[-soft:], axis=0)).max() < 0.03
