"""What is measured beside loudness: levels, silence, clipping, spectrum, sameness."""

from __future__ import annotations

import numpy as np
import pytest
from flowc.runtime.audio.meters.levels import SpectrumMeter
from sounds import noise, silence, tone, write


@pytest.fixture
def measured(tmp_path, apply):
    """`measured(frames, rate)`: the numbers of a file that holds the frames."""

    def of(frames, rate=48_000, **arguments):
        write(tmp_path / "a.wav", frames, rate)
        return apply("measure", input="a.wav", **arguments)

    return of


def test_samples_near_the_largest_number_have_a_spectrum(tmp_path, apply):
    sounds = tone(1, hz=1000, dbfs=0)
    write(tmp_path / "a.wav", sounds * np.float32(1e38), 48_000, "FLOAT")
    found = apply("measure", input="a.wav")
    assert found["strongest_hz"] == pytest.approx(1000, abs=1)
    assert found["sample_peak_dbfs"] == pytest.approx(760, abs=0.1)
    assert found["energy_below"][-1]["share"] == pytest.approx(1)


def test_levels_of_a_tone(measured):
    found = measured(tone(2, 1000, -6) + np.float32(0.01))
    assert found["sample_peak_dbfs"] == pytest.approx(20 * np.log10(10 ** (-6 / 20) + 0.01))
    assert found["rms_dbfs"] == pytest.approx(-9.01, abs=0.01)
    assert found["dc_offset"] == pytest.approx([0.01, 0.01], abs=1e-5)
    assert found["strongest_hz"] == pytest.approx(1000, abs=0.1)
    assert (found["frames"], found["duration_s"], found["channels"]) == (96_000, 2, 2)
    assert (found["format"], found["subtype"]) == ("WAV", "FLOAT")


def test_silence_at_the_ends_is_told_by_frames_of_20_ms(measured):
    frames = np.concatenate((silence(1), tone(2), silence(1.5)))
    found = measured(frames)
    assert found["leading_silence_s"] == pytest.approx(1, abs=0.02)
    assert found["trailing_silence_s"] == pytest.approx(1.5, abs=0.02)
    assert measured(frames, silence_dbfs=-20)["silent"]


def test_a_silent_file_has_no_levels_and_is_silence_throughout(measured):
    found = measured(silence(2))
    assert found["silent"]
    assert (found["leading_silence_s"], found["trailing_silence_s"]) == (2, 0)
    assert found["integrated_lufs"] is found["true_peak_dbtp"] is found["rms_dbfs"] is None
    assert found["strongest_hz"] is found["noise_floor_dbfs"] is None
    assert found["notes"] == ["no integrated loudness: everything is below -70 LUFS"]


@pytest.mark.parametrize("at", [0, 10, 65_534, 65_535, 65_536, 95_997])
@pytest.mark.parametrize(("long", "runs"), [(2, 0), (3, 1), (40, 1)])
def test_places_at_full_scale_count_once_also_across_blocks(at, long, runs, measured):
    frames = silence(2)
    frames[at : at + long, 0] = -1
    expected = runs if at + min(long, 3) <= len(frames) else 0
    assert measured(frames)["clipped_runs"] == expected


def test_the_share_of_energy_below_a_frequency(measured):
    found = measured(tone(4, 30, -6) + tone(4, 3000, -6))
    shares = {band["hz"]: band["share"] for band in found["energy_below"]}
    assert shares[20] < 0.01
    assert shares[40] == pytest.approx(0.5, abs=0.01)
    assert shares[2500] == pytest.approx(0.5, abs=0.01)
    assert shares[5000] == pytest.approx(1, abs=0.01)
    levels = {band["hz"]: band["dbfs"] for band in found["energy_below"]}
    assert levels[40] == pytest.approx(-9.01, abs=0.1)


@pytest.mark.parametrize("rate", [8000, 192_000])
def test_bands_stop_below_half_the_sample_rate(rate, measured):
    bands = [band["hz"] for band in measured(noise(1, rate=rate), rate)["energy_below"]]
    assert max(bands) == min(20_000, 2500 if rate == 8000 else 20_000)


def test_the_noise_floor_is_estimated_from_the_quietest_frames(measured):
    frames = np.concatenate((tone(8, dbfs=-10), silence(2))) + noise(10, 0.001)
    found = measured(frames)
    assert found["noise_floor_dbfs"] == pytest.approx(-60, abs=1)
    assert found["snr_estimate_db"] == pytest.approx(47, abs=1)


def test_a_file_too_short_for_any_window_says_why(measured):
    found = measured(tone(0.1))
    assert found["integrated_lufs"] is None
    assert found["notes"] == ["no integrated loudness: shorter than 0.4 s"]
    assert measured(tone(0.1)[:1])["frames"] == 1


def test_surround_says_which_weights_it_was_given(measured):
    assert measured(noise(2, channels=6))["notes"][-1].startswith(
        "channels weighted (1.0, 1.0, 1.0"
    )
    found = measured(noise(2, channels=11))
    assert found["integrated_lufs"] is None
    assert "where 11 channels stand is not known" in found["notes"][0]


def test_differences_are_b_minus_a(tmp_path, apply):
    write(tmp_path / "a.wav", noise(4))
    write(tmp_path / "b.wav", noise(4)[: 48_000 * 3] / 2)
    found = apply("compare", a="a.wav", b="b.wav")
    change = found["difference"]
    assert change["duration_s"] == -1
    assert change["integrated_lufs"] == pytest.approx(-6.02, abs=0.1)
    assert all(band["db"] == pytest.approx(-6, abs=1) for band in change["energy_below"])
    assert not found["same_samples"]


@pytest.mark.parametrize("channels", [1, 2, 3, 6])
def test_the_spectrum_of_several_channels_is_the_sum_of_theirs(channels):
    """Two go through one transform: a tone in one of them shows nowhere else, and all count."""
    random = np.random.default_rng(4)
    frames = random.standard_normal((20_000, channels)).astype(np.float32)
    powers = [spectrum_of(frames[:, [channel]]).power for channel in range(channels)]
    together = spectrum_of(frames).power
    assert np.allclose(together, np.sum(powers, axis=0), rtol=1e-12, atol=0)


def test_a_spectrum_adds_up_to_the_mean_squares():
    frames = np.random.default_rng(5).standard_normal((80_000, 2)).astype(np.float32)
    mean_squares = (frames**2).mean(axis=0).sum()
    whole = spectrum_of(frames, edges=False)
    assert whole.power.sum() == pytest.approx(mean_squares, rel=0.02)


def spectrum_of(frames, edges=True):
    meter = SpectrumMeter(16_000, frames.shape[1], edges)
    meter.feed(frames)
    return meter.end()
