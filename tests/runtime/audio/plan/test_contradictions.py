"""Calls that cannot both be meant, and chains that can."""

from __future__ import annotations

import pytest
from flowc.runtime.audio.calls.call import parse_call
from flowc.runtime.audio.plan.contradictions import contradiction, detours


def between(*calls: str) -> tuple[int, int, str] | None:
    return contradiction(
        [parse_call(call.replace("(", "(input='a', output='b.wav', ")) for call in calls]
    )


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("HIGHPASS(cutoff_hz=80)", "HIGHPASS(cutoff_hz=120)", "cannot be 80 Hz and 120 Hz"),
        ("HIGHPASS(cutoff_hz=80)", "BANDPASS(low_hz=300, high_hz=3000)", "lower edge"),
        ("LOWPASS(cutoff_hz=100)", "HIGHPASS(cutoff_hz=8000)", "nothing is left above 8000 Hz"),
        ("LOUDNESS_NORM(target_lufs=-16)", "LOUDNESS_NORM(target_lufs=-14)", "-16 LUFS and -14"),
        ("CONVERT(channels=1)", "CONVERT(channels=2)", "the number of channels cannot be 1 and 2"),
        ("CONVERT(subtype='PCM_16')", "CONVERT(subtype='PCM_24')", "PCM_16 and PCM_24"),
        ("COMPRESS(ratio=3)", "COMPRESS(ratio=4)", "the ratio cannot be 3:1 and 4:1"),
        ("FADE(in_s=1)", "FADE(in_s=2)", "the fade in cannot be 1 s and 2 s"),
        ("CLIP(end_s=3)", "CLIP(start_s=4)", "of 3 s nothing is left after 4 s"),
        ("TRIM_SILENCE(threshold_dbfs=-60)", "TRIM_SILENCE(edges='end')", "silence at the end"),
        ("GAIN(gain_db=3)", "GAIN(gain_db=-3)", "takes back the gain"),
        ("TIME_STRETCH(rate=1.1)", "TIME_STRETCH(rate=0.9)", "takes back the change"),
    ],
)
def test_what_undoes_or_replaces_is_told_with_both_places(one, other, why):
    first, second, told = between("INVERT()", one, other) or (0, 0, "")
    assert (first, second) == (1, 2)
    assert why in told


@pytest.mark.parametrize(
    "calls",
    [
        ("HIGHPASS(cutoff_hz=80)", "HIGHPASS(cutoff_hz=80, slope=24)"),
        ("HIGHPASS(cutoff_hz=80)", "LOWPASS(cutoff_hz=8000)"),
        ("CONVERT(channels=1)", "CONVERT(sample_rate_hz=48000)"),
        ("FADE(in_s=1)", "FADE(out_s=2)"),
        ("CLIP(end_s=10)", "CLIP(start_s=2)"),
        ("GAIN(gain_db=3)", "GAIN(gain_db=2)"),
        ("GAIN(gain_db=3)", "COMPRESS(ratio=3)", "GAIN(gain_db=-3)"),
        ("PITCH_SHIFT(semitones=3)", "PITCH_SHIFT(semitones=2)"),
        ("TRIM_SILENCE(edges='start')", "TRIM_SILENCE(threshold_dbfs=-40, edges='end')"),
        ("PEAK_NORM(target_dbfs=-3)", "COMPRESS(ratio=3)", "LOUDNESS_NORM(target_lufs=-16)"),
    ],
)
def test_what_goes_together_is_none(calls):
    assert between(*calls) is None


def taken_back(*calls: str) -> list[int]:
    read = [parse_call(call.replace("(", "(input='a', output='b.wav', ")) for call in calls]
    return [at for at, _ in detours(read)]


def test_a_rate_or_channels_that_do_not_come_back_are_told():
    low, high = "CONVERT(sample_rate_hz=8000)", "CONVERT(sample_rate_hz=44100)"
    assert taken_back(low, "GAIN(gain_db=-3)", high) == [0]
    assert taken_back(high, low) == []
    assert taken_back("INVERT()", "CONVERT(channels=1)", "CHANNELS(order=[1, 1])") == []
    assert taken_back("INVERT()", "CONVERT(channels=1)", "CONVERT(channels=2)") == [1]
    assert taken_back("CHANNELS(order=[2, 2])", "CONVERT(channels=2)") == [0]


def test_a_gain_or_a_speed_that_is_taken_back_is_told():
    assert taken_back("GAIN(gain_db=-3)", "GAIN(gain_db=3)") == [0]
    assert taken_back("GAIN(gain_db=-3)", "COMPRESS(ratio=2)", "GAIN(gain_db=3)") == []
    assert taken_back("TIME_STRETCH(rate=0.5)", "INVERT()", "TIME_STRETCH(rate=2)") == [0]
