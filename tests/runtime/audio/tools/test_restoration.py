"""Tools that repair: what they take away, and what they must leave as it was."""

from __future__ import annotations

import numpy as np
import pytest
from flowc.runtime.errors import Failure
from sounds import noise, read, silence, speech_like, tone, write

RATE = 48_000


def level(frames, hz):
    """Level of a tone, dBFS of its peaks."""
    window = np.hanning(len(frames))
    spectrum = np.abs(np.fft.rfft(frames[:, 0] * window)) * 2 / window.sum()
    return 20 * np.log10(spectrum[np.argmin(np.abs(np.fft.rfftfreq(len(frames), 1 / RATE) - hz))])


def distance(frames, reference):
    """Signal to error, dB."""
    error = frames.astype(np.float64) - reference
    return 10 * np.log10((reference.astype(np.float64) ** 2).mean() / (error**2).mean())


@pytest.mark.parametrize("rate", [8000, 192_000])
def test_a_notch_is_as_deep_at_every_rate(rate, tmp_path, apply):
    write(tmp_path / "a.wav", tone(4, 50, -20, rate) + tone(4, 1000, -20, rate), rate)
    apply("dehum", input="a.wav", output="b.wav", harmonics=1)
    before, after = (read(tmp_path / name)[0][2 * rate :, 0] for name in ("a.wav", "b.wav"))
    for hz, wanted in ((50, -24), (1000, 0)):
        wave = np.exp(-2j * np.pi * hz * np.arange(len(after)) / rate)
        change = 20 * np.log10(abs(wave @ after) / abs(wave @ before))
        assert change == pytest.approx(wanted, abs=0.1)


@pytest.mark.parametrize("reduction", [6, 12])
def test_noise_is_weaker_by_what_was_asked_for_and_speech_is_kept(reduction, tmp_path, apply):
    clean = speech_like(6)
    hiss = noise(9, 0.003, 44_100)
    write(tmp_path / "a.wav", clean + hiss, 44_100)
    said = apply("denoise", input="a.wav", output="b.wav", reduction_db=reduction)
    after, _ = read(tmp_path / "b.wav")
    assert len(after) == len(clean)
    assert said["notes"] == []
    alone = slice(7 * 44_100, 9 * 44_100)
    gain = 10 * np.log10((after[alone] ** 2).mean() / (hiss[alone] ** 2).mean())
    assert gain == pytest.approx(-reduction, abs=1)
    assert distance(after, clean) > distance(clean + hiss, clean) + 1.5
    tones = np.abs(np.fft.rfft(after[alone][: 43 * 2048, 0].reshape(-1, 2048)))
    assert np.percentile(tones, 99.9) / np.median(tones) < 6, "no tones come up out of the noise"


def test_noise_is_learnt_where_somebody_says_it_is(tmp_path, apply):
    write(tmp_path / "a.wav", np.concatenate((noise(1, 0.01), tone(2, 440) + noise(2, 0.01))))
    arguments = {"noise_start_s": 0.1, "noise_end_s": 0.9}
    apply("denoise", input="a.wav", output="b.wav", **arguments)
    after, _ = read(tmp_path / "b.wav")
    assert 20 * np.log10(after[:40_000].std() / 0.01) == pytest.approx(-12, abs=1)
    assert level(after[RATE:], 440) == pytest.approx(-23, abs=0.3)
    with pytest.raises(Failure, match="both `noise_start_s` and `noise_end_s`, or neither"):
        apply("denoise", input="a.wav", output="b.wav", noise_start_s=1)
    write(tmp_path / "c.wav", silence(1))
    with pytest.raises(Failure, match="there is no noise in it"):
        apply("denoise", input="c.wav", output="b.wav")


def test_clicks_are_filled_and_everything_else_stays_to_the_sample(tmp_path, apply):
    clean = tone(4, 440, -12) + noise(4, 0.002)
    clicked = clean.copy()
    places = [20_000, 50_000, 50_500, 90_000, 150_001]
    for number, at in enumerate(places):
        clicked[at : at + 3 + 10 * number] += 0.5 * (-1) ** number
    write(tmp_path / "a.wav", clicked)
    apply("declick", input="a.wav", output="b.wav")
    after, _ = read(tmp_path / "b.wav")
    assert distance(after, clean) > distance(clicked, clean) + 25
    changed = np.flatnonzero((after != clicked).any(axis=1))
    assert len(changed) < 400
    assert all(min(abs(at - place) for place in places) < 100 for at in changed)
    write(tmp_path / "c.wav", clean)
    apply("declick", input="c.wav", output="d.wav")
    assert np.array_equal(read(tmp_path / "d.wav")[0], clean)


def test_sharp_sounds_are_weaker_while_they_last_and_below_the_band_nothing_moves(tmp_path, apply):
    voice, sharp = tone(4, 300, -20), tone(4, 8000, -14)
    sharp[: 2 * RATE] = 0
    write(tmp_path / "a.wav", voice + sharp)
    apply("deess", input="a.wav", output="b.wav", most_db=6)
    after, _ = read(tmp_path / "b.wav")
    assert distance(after[4000 : 2 * RATE - 4000], voice[4000 : 2 * RATE - 4000]) > 90
    late = slice(2 * RATE + RATE // 2, 3 * RATE + RATE // 2)
    assert level(after[late], 8000) == pytest.approx(-20, abs=0.2)
    assert level(after[late], 300) == pytest.approx(-20, abs=0.05)


def test_pauses_are_shortened_to_the_length_and_what_is_said_stays(tmp_path, apply):
    said, gap = tone(1, 440, -20), silence(2)
    parts = (gap, said, gap, said, silence(0.4), said, gap)
    write(tmp_path / "a.wav", np.concatenate(parts))
    told = apply("shorten_pauses", input="a.wav", output="b.wav", longest_s=0.5)
    assert told["cut_pauses_s"] == pytest.approx(1.5, abs=0.03)
    after, _ = read(tmp_path / "b.wav")
    assert len(after) / RATE == pytest.approx(9.4 - 1.5, abs=0.03)
    assert np.count_nonzero(after) == np.count_nonzero(np.concatenate(parts))
    with pytest.raises(Failure, match="no pause longer than 5 s"):
        apply("shorten_pauses", input="a.wav", output="b.wav", longest_s=5)


def test_parts_cut_in_pauses_are_the_sound_again_when_they_are_joined(tmp_path, apply):
    whole = np.concatenate((tone(1), silence(1.5), tone(2), silence(1.2), tone(0.5)))
    write(tmp_path / "a.wav", whole)
    told = apply("split_silence", input="a.wav", output="b.wav")
    names = [part["output"] for part in told["outputs"]]
    assert names == ["b.wav", "b-2.wav", "b-3.wav"]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["a.wav", *names])
    assert np.array_equal(np.concatenate([read(tmp_path / n)[0] for n in names]), whole)
    assert "the first of 3 parts; the others are `b-2.wav`, `b-3.wav`" in told["notes"]


def test_the_leveller_brings_two_speakers_together_and_keeps_the_pauses(tmp_path, apply):
    pause = silence(2) + noise(2, 1e-4)
    write(tmp_path / "a.wav", np.concatenate((tone(6, 440, -12), pause, tone(6, 440, -24))))
    told = apply("leveller", input="a.wav", output="b.wav", most_db=10)
    after, _ = read(tmp_path / "b.wav")
    levels = [20 * np.log10(after[a * RATE : (a + 2) * RATE].std()) for a in (1, 11)]
    assert abs(levels[0] - levels[1]) < 3
    assert told["highest_gain_db"] <= 10
    assert 20 * np.log10(after[6 * RATE + 9600 : 8 * RATE - 9600].std()) < -68


def test_what_is_joined_gets_the_rate_and_the_channels_of_the_first(tmp_path, apply):
    write(tmp_path / "a.wav", tone(2, 440))
    write(tmp_path / "c.wav", tone(1, 880, rate=44_100, channels=1), 44_100)
    told = apply("concat", inputs=["a.wav", "c.wav"], output="b.wav")
    assert (told["sample_rate_hz"], told["channels"], told["duration_s"]) == (RATE, 2, 3)
    after, _ = read(tmp_path / "b.wav")
    assert level(after[2 * RATE :], 880) == pytest.approx(-23, abs=0.1)


def test_music_lies_as_far_under_the_voice_as_it_was_asked_to(tmp_path, apply):
    write(tmp_path / "a.wav", tone(3, 440, -20))
    write(tmp_path / "m.wav", tone(5, 2000, -3))
    told = apply("mix", inputs=["a.wav", "m.wav"], output="b.wav", below_db=12, length="first")
    after, _ = read(tmp_path / "b.wav")
    assert told["duration_s"] == 3
    assert level(after, 440) == pytest.approx(-20, abs=0.05)
    assert level(after, 2000) == pytest.approx(-32, abs=0.05)


@pytest.mark.parametrize("hz", [50, 60])
def test_a_hum_and_its_multiples_go_and_what_lies_between_stays(hz, tmp_path, apply):
    kept = (hz * 1.5, hz * 2.5, 440, 1000, 6000)
    hum = [hz * times for times in range(1, 5)]
    whole = sum(tone(4, one, -30) for one in (*hum, *kept))
    write(tmp_path / "a.wav", whole)
    apply("dehum", input="a.wav", output="b.wav", hz=hz)
    before, after = (read(tmp_path / name)[0][RATE:] for name in ("a.wav", "b.wav"))
    assert len(read(tmp_path / "b.wav")[0]) == len(whole)
    for one in hum:  # its neighbours take a little more
        assert level(after, one) - level(before, one) == pytest.approx(-24.7, abs=1)
    for one in kept:
        assert abs(level(after, one) - level(before, one)) < 1, one


def test_more_multiples_than_the_rate_has_are_refused_with_how_many_there_are(tmp_path, apply):
    write(tmp_path / "a.wav", tone(1, 440, rate=8000), 8000)
    with pytest.raises(Failure, match="reach to 6400 Hz") as caught:
        apply("dehum", input="a.wav", output="b.wav", hz=400, harmonics=16)
    assert "at most 9" in caught.value.help
