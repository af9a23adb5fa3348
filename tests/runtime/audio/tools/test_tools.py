"""Each audio tool on real files: what it changes is measured, what it has to keep is compared."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from flowc.compiler.catalog.audio_tools import AUDIO_TOOLS
from sounds import noise, read, silence, speech_like, tone, write

RATE = 48_000

CALLS = {
    "trim_silence": {},
    "clip": {"start_s": 0.25, "end_s": 1.5},
    "cut": {"start_s": 0.25, "end_s": 1.5},
    "fade": {"in_s": 0.5, "out_s": 0.5},
    "gain": {"gain_db": -3},
    "peak_norm": {},
    "loudness_norm": {"target_lufs": -12},
    "highpass": {"cutoff_hz": 80},
    "lowpass": {"cutoff_hz": 3000, "slope": 24},
    "bandpass": {"low_hz": 200, "high_hz": 3000},
    "eq": {"bands": [{"type": "high_shelf", "freq_hz": 3000, "gain_db": 4}]},
    "dehum": {"hz": 60},
    "compress": {"threshold_db": -30},
    "limit": {"ceiling_dbtp": -20},
    "noise_gate": {},
    "reverb": {},
    "pitch_shift": {"semitones": 2},
    "time_stretch": {"rate": 1.25},
    "add_noise": {"snr_db": 20, "color": "pink"},
    "convert": {},
    "distort": {},
    "shift": {"offset_s": 0.5},
    "invert": {},
    "tag": {"title": "A title"},
    "denoise": {},
    "declick": {},
    "deess": {},
    "shorten_pauses": {"longest_s": 0.3},
    "leveller": {},
    "pad": {"end_s": 0.5},
    "reverse": {},
    "channels": {"order": [2, 1]},
}
"""Arguments of every tool with one input and one output."""
OTHERS = {"split_silence", "measure", "compare", "split", "concat", "mix", "synth"}


def share_at(path, hz, width=20):
    """Amplitude near a frequency, in dB."""
    frames, rate = read(path)
    spectrum = np.abs(np.fft.rfft(frames[:, 0] * np.hanning(len(frames))))
    near = np.abs(np.fft.rfftfreq(len(frames), 1 / rate) - hz) < width
    return 20 * np.log10(spectrum[near].max())


def test_every_tool_is_called_here():
    assert set(CALLS) | OTHERS == {tool.name for tool in AUDIO_TOOLS}


def test_every_tool_has_a_function_of_its_own():
    from flowc.runtime.audio.tools.worker import find_function

    assert len({find_function(tool) for tool in AUDIO_TOOLS}) == len(AUDIO_TOOLS)


@pytest.mark.parametrize("tool", CALLS)
def test_rate_and_channels_stay_and_the_same_input_gives_the_same_bytes(tool, tmp_path, apply):
    halves = noise(2, rate=44_100)
    halves[30_000:55_000] = 0
    write(tmp_path / "a.wav", halves, 44_100)
    before = (tmp_path / "a.wav").read_bytes()
    digests = set()
    for output in ("b.wav", "c.wav"):
        said = apply(tool, input="a.wav", output=output, **CALLS[tool])
        assert (said["sample_rate_hz"], said["channels"], said["output"]) == (44_100, 2, output)
        assert said["subtype"] == "FLOAT"
        digests.add(hashlib.sha256((tmp_path / output).read_bytes()).hexdigest())
    assert len(digests) == 1
    assert (tmp_path / "a.wav").read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.wav", "b.wav", "c.wav"]


@pytest.mark.parametrize("shape", [(1, 8000), (6, 48_000), (2, 192_000), (8, 16_000)])
@pytest.mark.parametrize("tool", ["highpass", "compress", "limit", "loudness_norm", "reverb"])
def test_mono_surround_low_and_high_rates_work_or_are_refused_by_name(tool, shape, tmp_path, apply):
    channels, rate = shape
    write(tmp_path / "a.wav", noise(1.5, rate=rate, channels=channels), rate)
    arguments = {"input": "a.wav", "output": "b.wav", **CALLS[tool]}
    if tool == "reverb" and channels > 2:
        with pytest.raises(Exception, match=f"has {channels} channels: REVERB takes at most 2"):
            apply(tool, **arguments)
        return
    said = apply(tool, **arguments)
    assert (said["channels"], said["sample_rate_hz"]) == (channels, rate)
    assert said["duration_s"] == pytest.approx(1.5)


@pytest.mark.parametrize("frames", [1, 2, 3, 1023, 1025, 65_537])
@pytest.mark.parametrize("tool", ["highpass", "limit", "gain", "time_stretch"])
def test_as_many_frames_come_out_as_went_in(tool, frames, tmp_path, apply):
    write(tmp_path / "a.wav", noise(2)[:frames])
    apply(tool, input="a.wav", output="b.wav", **CALLS[tool])
    expected = max(round(frames / 1.25), 1) if tool == "time_stretch" else frames
    assert len(read(tmp_path / "b.wav")[0]) == expected


@pytest.mark.parametrize("ending", ["wav", "flac", "aiff", "ogg", "mp3", "opus"])
def test_every_container_is_written_the_same_twice_and_reads_back(ending, tmp_path, apply):
    write(tmp_path / "a.wav", tone(2))
    for name in ("b", "c"):
        apply("gain", input="a.wav", output=f"{name}.{ending}", gain_db=-6)
    first, second = (tmp_path / f"{name}.{ending}" for name in ("b", "c"))
    assert first.read_bytes() == second.read_bytes()
    found = apply("measure", input=first.name)
    assert found["integrated_lufs"] == pytest.approx(-29, abs=0.3)
    assert found["duration_s"] == pytest.approx(2, abs=0.06)


@pytest.mark.parametrize("slope", [6, 12, 24, 48])
@pytest.mark.parametrize("tool", ["highpass", "lowpass"])
def test_filters_are_butterworth_three_db_down_at_the_cutoff(tool, slope, tmp_path, apply):
    impulse = silence(2, channels=1)
    impulse[100] = 1
    write(tmp_path / "a.wav", impulse)
    apply(tool, input="a.wav", output="b.wav", cutoff_hz=1000, slope=slope)
    response = 20 * np.log10(np.abs(np.fft.rfft(read(tmp_path / "b.wav")[0][:, 0])) + 1e-12)
    warp = np.tan(np.pi * np.array([500, 1000, 2000]) / RATE) / np.tan(np.pi * 1000 / RATE)
    warp = 1 / warp if tool == "highpass" else warp
    expected = -10 * np.log10(1 + warp ** (2 * slope / 6))
    assert response[[1000, 2000, 4000]] == pytest.approx(expected, abs=0.3)


def test_a_high_pass_at_80_hz_takes_12_db_of_what_lies_below_40(tmp_path, apply):
    write(tmp_path / "a.wav", speech_like(10), 44_100)
    apply("highpass", input="a.wav", output="b.wav", cutoff_hz=80)
    bands = apply("compare", a="a.wav", b="b.wav")["difference"]["energy_below"]
    assert next(band["db"] for band in bands if band["hz"] == 40) <= -12


def test_silence_is_cut_to_what_is_kept(tmp_path, apply):
    write(tmp_path / "a.wav", np.concatenate((silence(1), tone(3), silence(2))))
    said = apply("trim_silence", input="a.wav", output="b.wav")
    assert said["duration_s"] == pytest.approx(3.1, abs=0.03)
    found = apply("measure", input="b.wav")
    assert found["leading_silence_s"] <= 0.08
    assert found["trailing_silence_s"] <= 0.08
    said = apply("trim_silence", input="a.wav", output="b.wav", edges="end", keep_s=0)
    assert (said["cut_start_s"], said["cut_end_s"]) == (0, pytest.approx(2, abs=0.03))


def test_cutting_and_joining_gives_the_same_samples_again(tmp_path, apply):
    write(tmp_path / "a.wav", noise(3, 0.2), subtype="PCM_16")
    said = apply("split", input="a.wav", output_pattern="p{n}.wav", points_s=[0.5, 2])
    parts = [part["output"] for part in said["outputs"]]
    assert parts == ["p1.wav", "p2.wav", "p3.wav"]
    apply("concat", inputs=parts, output="b.wav")
    assert apply("compare", a="a.wav", b="b.wav")["same_samples"]
    apply("clip", input="a.wav", output="c.wav", start_s=0.5, end_s=2, soften_ms=0)
    assert apply("compare", a="c.wav", b="p2.wav")["same_samples"]


@pytest.mark.parametrize("ending", ["wav", "flac", "aiff"])
@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24"])
def test_whole_numbers_survive_conversion_bit_for_bit(ending, subtype, tmp_path, apply):
    write(tmp_path / "a.wav", noise(1, 0.3), subtype=subtype)
    said = apply("convert", input="a.wav", output=f"b.{ending}")
    assert said["subtype"] == subtype
    assert apply("compare", a="a.wav", b=f"b.{ending}")["same_samples"]


def test_sixteen_bits_are_rounded_with_dither_and_without_an_offset(tmp_path, apply):
    write(tmp_path / "a.wav", tone(2, dbfs=-100))
    apply("convert", input="a.wav", output="b.wav", subtype="PCM_16")
    assert share_at(tmp_path / "b.wav", 1000) > share_at(tmp_path / "b.wav", 3000) + 10
    apply("convert", input="a.wav", output="c.wav", subtype="PCM_16", dither=False)
    assert not read(tmp_path / "c.wav")[0].any()
    assert abs(read(tmp_path / "b.wav")[0].mean()) < 1e-6


@pytest.mark.parametrize("rate", [8000, 16_000, 44_100, 96_000])
def test_resampling_keeps_length_and_tone(rate, tmp_path, apply):
    write(tmp_path / "a.wav", tone(3))
    apply("convert", input="a.wav", output="b.wav", sample_rate_hz=rate)
    found = apply("measure", input="b.wav")
    assert found["frames"] == 3 * rate
    assert found["strongest_hz"] == pytest.approx(1000, abs=1)
    assert found["integrated_lufs"] == pytest.approx(-23, abs=0.1)


def test_channels_fold_down_and_up(tmp_path, apply):
    left = tone(1)
    left[:, 1] = 0
    write(tmp_path / "a.wav", left)
    apply("convert", input="a.wav", output="m.wav", channels=1)
    assert np.allclose(read(tmp_path / "m.wav")[0][:, 0], left[:, 0] / 2)
    apply("convert", input="m.wav", output="s.wav", channels=2)
    assert np.allclose(read(tmp_path / "s.wav")[0], left[:, :1] / 2)
    write(tmp_path / "six.wav", np.ones((RATE, 6), np.float32))
    apply("convert", input="six.wav", output="two.wav", channels=2)
    assert np.allclose(read(tmp_path / "two.wav")[0], 1)


@pytest.mark.parametrize("semitones", [-12, -3, 5])
def test_pitch_moves_and_length_stays(semitones, tmp_path, apply):
    write(tmp_path / "a.wav", tone(3, 440))
    apply("pitch_shift", input="a.wav", output="b.wav", semitones=semitones)
    found = apply("measure", input="b.wav")
    assert found["frames"] == 3 * RATE
    assert 12 * np.log2(found["strongest_hz"] / 440) == pytest.approx(semitones, abs=0.2)


def test_speed_changes_and_pitch_stays(tmp_path, apply):
    write(tmp_path / "a.wav", tone(3, 440))
    apply("time_stretch", input="a.wav", output="b.wav", rate=1.5)
    found = apply("measure", input="b.wav")
    assert found["duration_s"] == pytest.approx(2, rel=0.005)
    assert found["strongest_hz"] == pytest.approx(440, abs=5)


@pytest.mark.parametrize("color", ["white", "pink", "brown"])
def test_noise_has_the_distance_and_the_seed_that_were_asked_for(color, tmp_path, apply):
    write(tmp_path / "a.wav", tone(20, 997, -6))
    for output, seed in (("b.wav", 1), ("c.wav", 2)):
        apply("add_noise", input="a.wav", output=output, snr_db=20, color=color, seed=seed)
    added = read(tmp_path / "b.wav")[0] - read(tmp_path / "a.wav")[0]
    rms = 20 * np.log10(np.sqrt((added.astype(np.float64) ** 2).mean()))
    assert rms == pytest.approx(-6 - 3.01 - 20, abs=1)
    assert not apply("compare", a="b.wav", b="c.wav")["same_samples"]


def test_the_compressor_and_the_gate_work_in_their_directions(tmp_path, apply):
    write(tmp_path / "a.wav", np.concatenate((tone(3, dbfs=-6), tone(3, dbfs=-40))))
    apply("compress", input="a.wav", output="b.wav", threshold_db=-20, ratio=4)
    apply("noise_gate", input="a.wav", output="c.wav", threshold_db=-30, ratio=10)
    loud, quiet = slice(RATE, 2 * RATE), slice(4 * RATE, 5 * RATE)

    def change(name, part):
        before, after = (read(tmp_path / n)[0][part].std() for n in ("a.wav", name))
        return 20 * np.log10(after / before)

    assert change("b.wav", loud) == pytest.approx(-10.5, abs=1.5)
    assert change("b.wav", quiet) == pytest.approx(0, abs=0.1)
    assert change("c.wav", loud) == pytest.approx(0, abs=0.1)
    assert change("c.wav", quiet) < -20


def test_equaliser_bands_raise_and_lower(tmp_path, apply):
    write(tmp_path / "a.wav", (tone(2, 200) + tone(2, 5000)) / 2)
    bands = [
        {"type": "low_shelf", "freq_hz": 800, "gain_db": -6},
        {"type": "peak", "freq_hz": 5000, "gain_db": 6, "q": 1},
    ]
    apply("eq", input="a.wav", output="b.wav", bands=bands)
    for hz, change in ((200, -6), (5000, 6)):
        before, after = (share_at(tmp_path / name, hz) for name in ("a.wav", "b.wav"))
        assert after - before == pytest.approx(change, abs=0.3)


def test_the_dry_sound_of_a_reverb_keeps_its_level_and_the_tail_is_added(tmp_path, apply):
    click = silence(1)
    click[100] = 0.5
    write(tmp_path / "a.wav", click)
    said = apply("reverb", input="a.wav", output="b.wav", wet_level=0.2, tail_s=1)
    frames, _ = read(tmp_path / "b.wav")
    assert said["duration_s"] == 2
    assert frames[100] == pytest.approx(0.4, abs=0.01)
    assert np.abs(frames[RATE // 2 :]).max() > 1e-5


def test_mixing_adds_from_each_offset_on(tmp_path, apply):
    write(tmp_path / "a.wav", np.full((RATE, 1), 0.5, np.float32))
    write(tmp_path / "b.wav", np.full((RATE, 1), 0.25, np.float32))
    apply("mix", inputs=["a.wav", "b.wav"], output="c.wav", offsets_s=[0, 0.5], gains_db=[0, 0])
    frames, _ = read(tmp_path / "c.wav")
    assert len(frames) == 1.5 * RATE
    assert [float(frames[round(at * RATE), 0]) for at in (0.25, 0.75, 1.25)] == [0.5, 0.75, 0.25]


def test_a_crossfade_overlaps_with_equal_power(tmp_path, apply):
    for name, seed in (("a.wav", 1), ("b.wav", 2)):
        write(tmp_path / name, noise(2, seed=seed))
    said = apply("concat", inputs=["a.wav", "b.wav"], output="c.wav", crossfade_s=0.5)
    frames, _ = read(tmp_path / "c.wav")
    assert said["duration_s"] == 3.5
    middle = frames[round(1.6 * RATE) : round(1.9 * RATE)]
    assert middle.std() == pytest.approx(0.1, rel=0.05)


def test_shifting_and_wrapping(tmp_path, apply):
    frames = noise(1)
    write(tmp_path / "a.wav", frames)
    for offset in (0.25, -0.25):
        apply("shift", input="a.wav", output="w.wav", offset_s=offset, wrap=True)
        turned = np.roll(frames, round(offset * RATE), axis=0)
        assert np.array_equal(read(tmp_path / "w.wav")[0], turned)
        apply("shift", input="a.wav", output="s.wav", offset_s=offset)
        moved = turned.copy()
        moved[: round(0.25 * RATE)] = 0 if offset > 0 else moved[: round(0.25 * RATE)]
        moved[-round(0.25 * RATE) :] = 0 if offset < 0 else moved[-round(0.25 * RATE) :]
        assert np.array_equal(read(tmp_path / "s.wav")[0], moved)


def test_fades_begin_and_end_in_silence(tmp_path, apply):
    write(tmp_path / "a.wav", np.full((RATE * 2, 1), 0.5, np.float32))
    apply("fade", input="a.wav", output="b.wav", in_s=0.5, out_s=0.5, shape="linear")
    frames, _ = read(tmp_path / "b.wav")
    places = [0, RATE // 4, RATE, 2 * RATE - 1]
    assert frames[places, 0] == pytest.approx([0, 0.25, 0.5, 0], abs=1e-4)


def test_gain_peak_polarity_and_drive(tmp_path, apply):
    frames = noise(1, 0.05)
    write(tmp_path / "a.wav", frames)
    apply("gain", input="a.wav", output="b.wav", gain_db=-6)
    assert read(tmp_path / "b.wav")[0] == pytest.approx(frames * 10 ** (-6 / 20), abs=1e-6)
    apply("invert", input="a.wav", output="b.wav")
    assert np.array_equal(read(tmp_path / "b.wav")[0], -frames)
    apply("peak_norm", input="a.wav", output="b.wav", target_dbfs=-3)
    assert np.abs(read(tmp_path / "b.wav")[0]).max() == pytest.approx(10 ** (-3 / 20), abs=1e-5)
    apply("distort", input="a.wav", output="b.wav", drive_db=60, shape="hard")
    assert np.abs(read(tmp_path / "b.wav")[0]).max() == 1


@pytest.mark.parametrize("kind", ["speech", "music"])
def test_test_signals_are_always_the_same_and_have_silence_at_their_ends(kind, apply, tmp_path):
    apply("synth", output="a.wav", kind=kind, duration_s=6)
    first = (tmp_path / "a.wav").read_bytes()
    apply("synth", output="a.wav", kind=kind, duration_s=6)
    assert (tmp_path / "a.wav").read_bytes() == first
    found = apply("measure", input="a.wav")
    assert found["duration_s"] == 6
    assert found["leading_silence_s"] == pytest.approx(1, abs=0.05)
    assert found["trailing_silence_s"] == pytest.approx(2, abs=0.05)
    assert next(b["share"] for b in found["energy_below"] if b["hz"] == 40) > 0.1


def test_the_pitch_of_two_files_is_compared_as_a_whole(apply, tmp_path):
    write(tmp_path / "a.wav", speech_like(3), RATE)
    write(tmp_path / "n.wav", noise(3), RATE)
    for semitones in (-7, -1, 0.5, 3):
        apply("pitch_shift", input="a.wav", output="b.wav", semitones=semitones)
        moved = apply("compare", a="a.wav", b="b.wav")["difference"]["pitch_semitones"]
        assert moved == pytest.approx(semitones, abs=0.1)
    apply("pitch_shift", input="n.wav", output="b.wav", semitones=3)
    assert apply("compare", a="n.wav", b="b.wav")["difference"]["pitch_semitones"] is None
