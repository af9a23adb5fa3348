"""Files that are not the sound that their header promises: cut off, too long, several in one."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
import soundfile
from flowc.runtime.audio.calls.files import open_sound
from flowc.runtime.errors import Failure
from sounds import needs_ffmpeg, noise, tone

RATE = 48_000
KINDS = {
    "wav": ("WAV", "PCM_16"),
    "rf64.wav": ("RF64", "PCM_16"),
    "adpcm.wav": ("WAV", "IMA_ADPCM"),
    "aiff": ("AIFF", "PCM_16"),
    "ogg": ("OGG", "VORBIS"),
    "opus": ("OGG", "OPUS"),
    "w64": ("W64", "PCM_16"),
    "caf": ("CAF", "PCM_16"),
    "au": ("AU", "PCM_16"),
}
PLAIN = {kind: KINDS[kind] for kind in ("wav", "aiff")}


def written(kind: str, seconds: float = 6.0, channels: int = 1) -> bytes:
    container, subtype = KINDS[kind]
    file = io.BytesIO()
    frames = noise(seconds, channels=channels)
    soundfile.write(file, frames, RATE, subtype, format=container)
    return file.getvalue()


def opened(tmp_path, kind: str, data: bytes):
    place = tmp_path / f"a.{kind}"
    place.write_bytes(data)
    return open_sound(place.name, str(place))


def size_of(data: bytes) -> int:
    """Where the size of the sound stands."""
    return max(data.find(b"data"), data.find(b"SSND")) + 4


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_file_is_read(kind, tmp_path):
    for tail in (b"", bytes(5000), b"TAG" + bytes(125)):
        has_tail = KINDS[kind][0] not in ("OGG", "W64")
        sound = opened(tmp_path, kind, written(kind) + (tail if has_tail else b""))
        assert sound.seconds == pytest.approx(6, abs=0.05)


@pytest.mark.parametrize("share", [0.34, 0.9])
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_cut_off_is_refused_with_the_place_and_the_remedy(kind, share, tmp_path):
    data = written(kind)
    with pytest.raises(Failure, match=r"`a\.\S+` is cut off or damaged: .*[0-5]\.\d\d s") as caught:
        opened(tmp_path, kind, data[: int(len(data) * share)])
    assert f"ffmpeg -i a.{kind} -c copy whole." in caught.value.help


@pytest.mark.parametrize("kind", PLAIN)
def test_a_header_that_says_too_little_is_refused(kind, tmp_path):
    data = bytearray(written(kind))
    at = size_of(data)
    data[at : at + 4] = (960).to_bytes(4, "big" if kind == "aiff" else "little")
    with pytest.raises(Failure, match=r"goes on behind the 0\.01 s that its header says"):
        opened(tmp_path, kind, bytes(data))


@pytest.mark.parametrize("kind", PLAIN)
def test_chunks_behind_the_sound_are_no_sound(kind, tmp_path):
    order = ">I" if kind == "aiff" else "<I"
    data = written(kind)
    known = b"LIST" + struct.pack(order, 9000) + bytes(9000)
    own = b"abcd" + struct.pack(order, 7) + bytes(8)
    cut = b"id3 " + struct.pack(order, 90_000) + np.random.default_rng(1).bytes(7000)
    sound = opened(tmp_path, kind, data + known + own + cut)
    assert sound.seconds == pytest.approx(6, abs=0.05)


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0xFFFFFFDB, 0x7FFFF000, 0x7FFFFFFF, 0x80000000])
@pytest.mark.parametrize("kind", PLAIN)
def test_a_length_that_a_program_could_not_know_is_that_of_the_file(kind, size, tmp_path):
    """As ffmpeg, sox, lame and arecord write them into a pipe."""
    data = bytearray(written(kind))
    at = size_of(data)
    data[at : at + 4] = size.to_bytes(4, "big" if kind == "aiff" else "little")
    assert opened(tmp_path, kind, bytes(data)).seconds == pytest.approx(6, abs=0.05)


@pytest.mark.parametrize("kind", ["ogg", "opus"])
def test_streams_that_follow_each_other_are_refused(kind, tmp_path):
    """One of them longer than the other: what libsndfile took for the length was nonsense."""
    data = written(kind, 2) + written(kind, 5)
    with pytest.raises(Failure, match=r"holds 2 streams, one behind the other") as caught:
        opened(tmp_path, kind, data)
    assert f"ffmpeg -i a.{kind} whole.wav" in caught.value.help


def test_wav_files_that_follow_each_other_are_refused(tmp_path):
    data = written("wav")
    with pytest.raises(Failure, match=r"`a\.wav`"):
        opened(tmp_path, "wav", data + data)


@pytest.mark.parametrize("kind", ["w64", "caf", "au"])
def test_other_files_that_follow_each_other_are_refused(kind, tmp_path):
    data = written(kind)
    with pytest.raises(Failure, match=rf"`a\.{kind}` goes on behind the 6\.00 s"):
        opened(tmp_path, kind, data + data)


def test_a_chunk_behind_the_sound_of_w64_is_not_heard(tmp_path):
    """libsndfile takes it for samples."""
    data = written("w64")
    chunk = b"list" + bytes(12) + struct.pack("<Q", 24 + 800) + noise(1).tobytes()[:800]
    with pytest.raises(Failure, match=r"`a\.w64` goes on behind the 6\.00 s"):
        opened(tmp_path, "w64", data + chunk)


def test_flac_files_that_follow_each_other_are_refused(tmp_path):
    file = io.BytesIO()
    soundfile.write(file, noise(6), RATE, "PCM_16", format="FLAC")
    data = file.getvalue()
    assert opened(tmp_path, "flac", data + b"TAG" + bytes(5000)).frames == 6 * RATE
    with pytest.raises(Failure, match=r"`a\.flac` goes on behind the 6\.00 s"):
        opened(tmp_path, "flac", data + data)


@pytest.mark.parametrize("kind", ["flac", "caf"])
def test_a_length_that_only_another_program_can_find_is_said(kind, tmp_path):
    """As ffmpeg and flac write them into a pipe. libsndfile took the first for endless."""
    file = io.BytesIO()
    soundfile.write(file, noise(1), RATE, "PCM_16", format=kind.upper())
    data = bytearray(file.getvalue())
    if kind == "flac":
        data[21] &= 0xF0
        data[22:26] = bytes(4)
    else:
        at = data.index(b"data") + 4
        data[at : at + 8] = b"\xff" * 8
    with pytest.raises(Failure, match="does not say how long it is") as caught:
        opened(tmp_path, kind, bytes(data))
    assert f"whole.{kind}" in caught.value.help


@pytest.mark.parametrize(("code", "name"), [(0x55, "mp3"), (0x161, "wma"), (0xFF, "aac")])
def test_a_wav_file_with_another_format_inside_is_named(code, name, tmp_path):
    data = bytearray(written("wav"))
    at = data.index(b"fmt ") + 8
    data[at : at + 2] = struct.pack("<H", code)
    with pytest.raises(Failure, match=rf"`a\.wav` is a wav file with {name} inside") as caught:
        opened(tmp_path, "wav", bytes(data))
    assert "ffmpeg -i a.wav plain.wav" in caught.value.help


@needs_ffmpeg
@pytest.mark.parametrize("kind", ["wav", "aiff", "ogg", "opus", "w64", "caf", "au"])
def test_the_remedy_for_a_file_that_is_cut_off_helps(kind, tmp_path):
    import subprocess

    data = written(kind)
    (tmp_path / f"b.{kind}").write_bytes(data[: len(data) // 2])
    argv = ["ffmpeg", "-v", "error", "-i", f"b.{kind}", "-c", "copy", f"whole.{kind}"]
    subprocess.run(argv, cwd=tmp_path, check=True)
    sound = open_sound("whole", str(tmp_path / f"whole.{kind}"))
    assert 1 < sound.seconds < 5


@needs_ffmpeg
def test_what_a_program_writes_into_a_pipe_is_read(tmp_path):
    import subprocess

    soundfile.write(tmp_path / "s.wav", tone(1), RATE)
    for kind in ("wav", "aiff"):
        argv = ["ffmpeg", "-v", "error", "-i", str(tmp_path / "s.wav"), "-f", kind, "-"]
        data = subprocess.run(argv, check=True, capture_output=True).stdout
        assert opened(tmp_path, kind, data).frames == RATE
