"""MP3 files that do not say how long they are: of recorders, of streams, cut and joined ones."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile
from flowc.runtime.audio.calls.files import open_sound
from flowc.runtime.audio.calls.mp3_frames import read_header, with_length
from flowc.runtime.audio.calls.output import FileShape, write_sound
from flowc.runtime.audio.tags.tags import Tags
from flowc.runtime.errors import Failure
from sounds import speech_like

DELAY = 529
"""Frames by which a decoder is late, which are cut off where the length is said."""


def written(path: Path, rate: int = 44_100, kind: str = "CONSTANT", seconds: float = 6) -> bytes:
    """An mp3 file, and its bytes without the frame that says its length."""
    frames = speech_like(seconds, rate)
    soundfile.write(path, frames, rate, format="MP3", bitrate_mode=kind, compression_level=0.6)
    data = path.read_bytes()
    first = read_header(data[:4])
    assert first is not None
    assert b"Info" in data[:200] or b"Xing" in data[:200]
    return data[first.size :]


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 44_100, 48_000])
@pytest.mark.parametrize("kind", ["CONSTANT", "VARIABLE"])
def test_a_file_without_its_length_is_read_to_its_end(kind, rate, tmp_path):
    path = tmp_path / "a.mp3"
    path.write_bytes(written(path, rate, kind))
    sound = open_sound("a.mp3", str(path))
    read = np.concatenate(list(sound.blocks()))
    whole = speech_like(6, rate)
    assert len(read) == sound.frames
    assert 0 <= len(read) - len(whole) <= 4 * 1152
    shift = len(read) - len(whole)
    best = min(np.abs(read[at : at + rate] - whole[:rate]).max() for at in range(shift + 1))
    assert best < 0.2


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"ID3\x03\x00\x00\x00\x00\x00\x7f" + bytes(127) + data,
        lambda data: data + b"TAG" + bytes(125),
        lambda data: data[1000:],
        lambda data: data[: len(data) // 2 + 77],
        lambda data: data + data,
    ],
    ids=["a tag before", "a tag behind", "its first bytes gone", "its end gone", "joined"],
)
def test_a_file_of_any_beginning_and_end_is_read(change, tmp_path):
    path = tmp_path / "a.mp3"
    data = written(path)
    path.write_bytes(change(data))
    sound = open_sound("a.mp3", str(path))
    assert len(np.concatenate(list(sound.blocks()))) == sound.frames > 44_100


def test_a_file_that_says_its_length_is_left_alone(tmp_path):
    path = tmp_path / "a.mp3"
    written(path)
    with path.open("rb") as file:
        assert with_length(file.fileno(), "a.mp3") is None


@pytest.mark.parametrize(
    "head", [b"RIFF", b"fLaC", b"OggS", b"", b"\xff", b"\0" * 9, b"\xff\xfb" * 8]
)
def test_what_is_no_such_file_is_left_alone(head, tmp_path):
    path = tmp_path / "a.mp3"
    path.write_bytes(head + bytes(500))
    with path.open("rb") as file:
        assert with_length(file.fileno(), "a.mp3") is None
    with pytest.raises(Failure):
        open_sound("a.mp3", str(path))


def test_the_bytes_are_those_of_the_file_behind_one_frame(tmp_path):
    path = tmp_path / "a.mp3"
    data = written(path)
    path.write_bytes(data)
    with path.open("rb") as file:
        counted = with_length(file.fileno(), "a.mp3")
        assert counted is not None
        assert counted.read()[-len(data) :] == data
        assert counted.read(5) == b""
        assert counted.seek(-7, os.SEEK_END) == counted.size - 7 == counted.tell()
        assert counted.read(100) == data[-7:]
        counted.seek(counted.size - len(data) - 3)
        assert counted.read(5)[3:] == data[:2]


@pytest.mark.parametrize("level", [0.5, 0.95], ids=["usual", "low"])
@pytest.mark.parametrize("other", [44_100, 48_000])
def test_files_that_follow_each_other_are_refused_and_not_cut_to_the_first(level, other, tmp_path):
    path = tmp_path / "a.mp3"
    with path.open("wb") as file:
        for rate in (44_100, other):
            part = tmp_path / "part.mp3"
            soundfile.write(part, speech_like(1, rate), rate, compression_level=level)
            file.write(b"ID3\4\0\0\0\0\1\0" + bytes(128) + part.read_bytes())
    with pytest.raises(Failure, match=r"`a\.mp3` goes on behind its first 4\.") as caught:
        open_sound("a.mp3", str(path))
    assert "ffmpeg -i a.mp3" in caught.value.help


def test_a_file_without_its_length_that_goes_on_at_another_rate_is_refused(tmp_path):
    path = tmp_path / "a.mp3"
    path.write_bytes(written(path) + written(path, 48_000))
    with pytest.raises(Failure, match="several mp3 files follow each other"):
        open_sound("a.mp3", str(path))


@pytest.mark.parametrize(
    "tail", [b"TAG" + bytes(125), b"APETAGEX" + np.random.default_rng(1).bytes(300_000)]
)
def test_a_tag_behind_a_file_is_no_sound(tail, tmp_path):
    path = tmp_path / "a.mp3"
    written(path)
    path.write_bytes(path.read_bytes() + tail)
    assert open_sound("a.mp3", str(path)).seconds == pytest.approx(9, abs=0.01)


@pytest.mark.parametrize("flags", [0, 2, 8], ids=["nothing", "its bytes", "its quality"])
def test_a_first_frame_that_does_not_say_how_many_follow_is_not_the_length(flags, tmp_path):
    path = tmp_path / "a.mp3"
    written(path, kind="VARIABLE")
    data = bytearray(path.read_bytes())
    at = max(data.find(b"Xing"), data.find(b"Info")) + 4
    data[at : at + 4] = flags.to_bytes(4, "big")
    data[at + 4 : at + 8] = len(data).to_bytes(4, "big")
    path.write_bytes(data)
    sound = open_sound("a.mp3", str(path))
    assert sum(map(len, sound.blocks())) == sound.frames
    assert sound.seconds == pytest.approx(9, abs=0.1)


@pytest.mark.parametrize("hole", [40_000, 200_000])
def test_zeros_in_the_midst_are_damage_and_no_header_is_blamed(hole, tmp_path):
    path = tmp_path / "a.mp3"
    data = written(path)
    middle = len(data) // 2
    path.write_bytes(data[:middle] + bytes(hole) + data[middle:])
    sound = open_sound("a.mp3", str(path))
    with pytest.raises(Failure, match=r"`a\.mp3` is damaged: its frames come to [89]\.\d+ s, 4\."):
        list(sound.blocks())


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
@pytest.mark.parametrize("options", ["-q:a 6", "-b:a 32k -ar 22050 -ac 1", "-b:a 320k"])
def test_what_is_read_is_what_another_decoder_reads(options, tmp_path):
    wav, mp3, other = (tmp_path / name for name in ("a.wav", "a.mp3", "other.wav"))
    soundfile.write(wav, speech_like(6), 44_100)
    head = ["ffmpeg", "-v", "error", "-y", "-i"]
    more = [*options.split(), "-write_xing", "0"]
    subprocess.run([*head, str(wav), *more, str(mp3)], check=True)
    subprocess.run([*head, str(mp3), "-c:a", "pcm_f32le", str(other)], check=True)
    read = np.concatenate(list(open_sound("a.mp3", str(mp3)).blocks()))
    expected, _ = soundfile.read(other, dtype="float32", always_2d=True)
    assert len(read) == len(expected) - DELAY
    assert np.abs(read - expected[DELAY:]).max() < 1e-5


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("kbps", [32, 48, 56])
@pytest.mark.parametrize("rate", [22_050, 32_000, 48_000])
def test_a_file_of_few_kilobits_says_where_its_sound_begins_and_ends(
    rate, kbps, channels, tmp_path
):
    path, frames = tmp_path / "a.mp3", speech_like(2, rate)[:, :channels]
    path.touch()
    shape = FileShape(rate, channels, bitrate=kbps)
    write_sound("a.mp3", str(path), shape, iter([frames]), Tags({"title": "Kürze"}))
    sound = open_sound("a.mp3", str(path))
    read = np.concatenate(list(sound.blocks()))
    assert len(read) == sound.frames == len(frames)
    assert _lag(frames, read) == 0
    assert sound.tags().fields == {"title": "Kürze"}
    if rate >= 32_000 and kbps >= 32:
        assert sound.bitrate == kbps
    if shutil.which("ffmpeg"):
        other = tmp_path / "other.wav"
        command = ["ffmpeg", "-v", "error", "-i", str(path), "-c:a", "pcm_f32le", str(other)]
        assert subprocess.run(command, check=True, capture_output=True).stderr == b""
        expected, _ = soundfile.read(other, dtype="float32", always_2d=True)
        assert len(expected) == len(frames)
        assert np.abs(expected - read).max() < 1e-4


def _lag(sound: np.ndarray, later: np.ndarray) -> int:
    """By how many frames one is late, at most 2,000, before or behind."""
    size = len(sound) + 4096
    spectra = (np.fft.rfft(one[:, 0], size) for one in (sound, later))
    first, second = spectra
    likeness = np.fft.irfft(np.conj(first) * second, size)
    return int(np.argmax(np.concatenate([likeness[-2000:], likeness[:2000]]))) - 2000
