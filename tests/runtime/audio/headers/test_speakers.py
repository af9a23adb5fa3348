"""Each channel is where it was, whatever order the channels of a format have."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
import soundfile
from flowc.runtime.audio.calls.files import open_sound
from flowc.runtime.audio.calls.output import FileShape, write_sound
from flowc.runtime.audio.headers.speakers import inverse_of, order_in, order_of
from sounds import needs_ffmpeg

RATE = 48_000
LAYOUTS = {3: "3.0", 4: "quad", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1"}
"""The names that ffmpeg has for the channels of wav files."""
LFE = {6: 3, 7: 3, 8: 3}
CODED = [("ogg", "VORBIS", "libvorbis"), ("opus", "OPUS", "libopus")]


def tones(channels: int) -> np.ndarray:
    """A tone in each channel; a low one for the speaker of low sounds, which loses all others."""
    hz = [300 + 200 * number for number in range(channels)]
    if channels in LFE:
        hz[LFE[channels]] = 60
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
