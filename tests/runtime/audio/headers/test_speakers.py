"""Each channel is where it was, whatever order the channels of a format have."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
import soundfile
from flowc.runtime.audio.calls.files import open_sound
from flowc.runtime.audio.calls.output import FileShape, write_sound
from flowc.runtime.audio.headers.speakers import inverse_of, order_in, order_of
from flowc.runtime.audio.meters.loudness import CHANNEL_WEIGHTS, weights_of
from flowc.runtime.audio.meters.measure import measure
from sounds import M4A, needs_ffmpeg, read

RATE = 48_000
LAYOUTS = {3: "3.0", 4: "quad", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1"}
"""The names that ffmpeg has for the channels of wav files."""
LFE = {6: 3, 7: 3, 8: 3}
CODED = [("ogg", "VORBIS", "libvorbis"), ("opus", "OPUS", "libopus")]


def tones(channels: int, low: int | None = None) -> np.ndarray:
    """A tone in each channel; a low one for the speaker of low sounds, which loses all others."""
    hz = [300 + 200 * number for number in range(channels)]
    low = LFE.get(channels) if low is None else low
    if low is not None:
        hz[low] = 60
    time = np.arange(RATE) / RATE
    return np.stack([0.2 * np.sin(2 * np.pi * one * time) for one in hz], 1).astype(np.float32)


def heard(frames: np.ndarray) -> list[int]:
    """The strongest tone of each channel, in whole tens of Hz."""
    window = np.hanning(len(frames))[:, None]
    strongest = np.abs(np.fft.rfft(frames * window, axis=0)).argmax(0)
    return [int(round(one * RATE / len(frames), -1)) for one in strongest]


def written(place, frames: np.ndarray, subtype: str) -> None:
    place.touch()
    write_sound(place.name, str(place), FileShape(RATE, frames.shape[1], subtype), [frames])


def opened(place) -> np.ndarray:
    return np.concatenate(list(open_sound(place.name, str(place)).blocks()))


@pytest.mark.parametrize("channels", range(1, 10))
@pytest.mark.parametrize(("kind", "subtype", "_"), CODED)
def test_channels_come_back_in_their_places(kind, subtype, _, channels, tmp_path):
    frames = tones(channels)
    place = tmp_path / f"a.{kind}"
    written(place, frames, subtype)
    assert heard(opened(place)) == heard(frames)
    order = order_in(subtype, channels)
    raw, _ = soundfile.read(place, always_2d=True)
    assert heard(raw[:, order] if order else raw) == heard(frames)


@needs_ffmpeg
@pytest.mark.parametrize("channels", LAYOUTS)
@pytest.mark.parametrize(("kind", "subtype", "coder"), CODED)
def test_another_program_has_the_same_channels(kind, subtype, coder, channels, tmp_path):
    ffmpeg = ["ffmpeg", "-v", "error", "-y", "-i"]
    frames, place, other = tones(channels), tmp_path / f"a.{kind}", tmp_path / "other.wav"
    written(place, frames, subtype)
    subprocess.run([*ffmpeg, str(place), "-c:a", "pcm_f32le", str(other)], check=True)
    assert heard(soundfile.read(other)[0]) == heard(frames)
    soundfile.write(other, frames, RATE, "FLOAT")
    layout = ["-af", f"channelmap=channel_layout={LAYOUTS[channels]}"]
    argv = [*ffmpeg, str(other), *layout, "-c:a", coder, "-mapping_family", "1", str(place)]
    argv = (
        argv if kind == "opus" else [word for word in argv if word not in ("-mapping_family", "1")]
    )
    subprocess.run(argv, check=True)
    assert heard(opened(place)) == heard(frames)


def test_channels_of_opus_that_are_no_speakers_stay_as_they_are(tmp_path):
    for family, order in ((1, (0, 2, 1)), (255, ()), (2, ())):
        place = tmp_path / "head"
        place.write_bytes(b"OggS" + bytes(24) + b"OpusHead" + bytes(10) + bytes([family]))
        with place.open("rb") as file:
            assert order_of(file.fileno(), "OPUS", 3) == order


@pytest.mark.parametrize("channels", [3, 5, 6, 7, 8])
def test_an_order_and_its_inverse_are_none(channels):
    order = order_in("VORBIS", channels)
    assert [order[i] for i in inverse_of(order)] == list(range(channels))
    assert order_in("PCM_16", channels) == ()


NAMED = {"2.1": 0xB, "3.0": 0x7, "4.0": 0x107, "quad": 0x33, "3.1": 0xF, "5.1": 0x3F, "side": 0x60F}
"""The bits of wav files for some layouts."""


def named(place, speakers: int) -> np.ndarray:
    """A file that names speakers, made beside the code under test: a tone in each channel."""
    low = (speakers & 0x7).bit_count() if speakers & 0x8 else None
    frames = tones(speakers.bit_count(), low)
    soundfile.write(place, frames, RATE, "PCM_24", format="WAVEX")
    data = bytearray(place.read_bytes())
    at = data.index(b"fmt ") + 8 + 20
    data[at : at + 4] = speakers.to_bytes(4, "little")
    place.write_bytes(data)
    return frames


@pytest.mark.parametrize("ending", ["wav", "flac"])
@pytest.mark.parametrize("name", NAMED)
def test_the_speakers_that_a_file_names_stay(name, ending, tmp_path, apply):
    frames = named(tmp_path / "a.wav", NAMED[name])
    done = apply("gain", input="a.wav", output=f"b.{ending}", gain_db=0)
    apply("gain", input=f"b.{ending}", output="c.wav", gain_db=0)
    for file in (f"b.{ending}", "c.wav"):
        assert open_sound(file, str(tmp_path / file)).speakers == (
            0x3F if ending == "flac" and name == "side" else NAMED[name]
        )
    assert not done["notes"]
    assert np.abs(read(tmp_path / "c.wav")[0] - frames).max() < 1e-6


@needs_ffmpeg
@pytest.mark.parametrize("ending", ["wav", "flac", "m4a"])
@pytest.mark.parametrize("name", ["2.1", "3.0", "4.0", "quad", "5.1"])
def test_another_program_takes_them_for_the_same(name, ending, tmp_path, apply):
    frames = named(tmp_path / "a.wav", NAMED[name])
    apply("gain", input="a.wav", output=f"b.{ending}", gain_db=0)
    probe = ["ffmpeg", "-hide_banner", "-i", str(tmp_path / f"b.{ending}")]
    told = subprocess.run(probe, capture_output=True, text=True, check=False).stderr
    assert f" Hz, {name}" in told
    back = opened(tmp_path / f"b.{ending}")
    assert heard(back[: len(frames)]) == heard(frames)


@pytest.mark.parametrize("ending", ["ogg", "opus", "aiff", M4A])
def test_what_becomes_of_speakers_that_cannot_be_named_is_said(ending, tmp_path, apply):
    named(tmp_path / "a.wav", NAMED["3.1"])
    done = apply("gain", input="a.wav", output=f"b.{ending}", gain_db=0)
    says = "the places of the channels (FL FR FC LFE) cannot be written into this file"
    assert done["notes"] == [f"{says}: players take them for FL FR BL BR"]
    named(tmp_path / "a.wav", NAMED["quad"])
    assert apply("gain", input="a.wav", output=f"b.{ending}", gain_db=0)["notes"] == []


def test_channels_in_another_order_have_no_speakers(tmp_path, apply):
    named(tmp_path / "a.wav", NAMED["2.1"])
    apply("channels", input="a.wav", output="b.wav", order=[3, 2, 1])
    assert open_sound("b.wav", str(tmp_path / "b.wav")).speakers == 0


def test_the_speaker_of_low_sounds_does_not_count_for_loudness(tmp_path):
    """Whichever channel it is."""
    numbers = []
    for name in ("2.1", "3.0"):
        place = tmp_path / f"{name}.wav"
        frames = named(place, NAMED[name])
        frames[:, :2] = 0
        soundfile.write(tmp_path / "x.wav", frames, RATE, "PCM_24", format="WAVEX")
        head = place.read_bytes()[:60]
        place.write_bytes(head + (tmp_path / "x.wav").read_bytes()[60:])
        numbers.append(measure(open_sound(name, str(place)))["integrated_lufs"])
    assert numbers[0] is None
    assert numbers[1] is not None


def test_weights_by_speakers_are_those_of_the_usual_ones():
    usual = {3: 0x7, 4: 0x33, 5: 0x37, 6: 0x3F, 7: 0x70F, 8: 0x63F}
    for channels, speakers in usual.items():
        assert weights_of(channels, speakers) == weights_of(channels) == CHANNEL_WEIGHTS[channels]
    assert weights_of(6, 0x60F) == CHANNEL_WEIGHTS[6]
    assert weights_of(4, 0x107) == (1.0, 1.0, 1.0, 1.0)
    assert weights_of(3, 0xB) == (1.0, 1.0, 0.0)
    assert weights_of(3, 0x3) == CHANNEL_WEIGHTS[3], "another count of speakers"
    assert weights_of(1, 0x8) == (1.0,)
    assert weights_of(9, 0x1FF) is None
