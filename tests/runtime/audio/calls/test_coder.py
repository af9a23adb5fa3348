"""Sound in files of MPEG-4, which ffmpeg reads and writes in the sandbox of the call."""

from __future__ import annotations

import errno
import os
import random
import struct
import subprocess
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damaged_sounds import DAMAGES
from flowc.compiler.catalog.audio_effects import BITRATES
from flowc.compiler.catalog.audio_formats import WITH_BITRATE
from flowc.runtime.audio.blocks import Frames
from flowc.runtime.audio.calls.coder import FULL
from flowc.runtime.audio.calls.containers import CONTAINERS, check_bitrate, coders_for
from flowc.runtime.audio.calls.files import Sound, open_sound
from flowc.runtime.audio.calls.output import FileShape, write_sound
from flowc.runtime.audio.tags.mp4 import read_track
from flowc.runtime.errors import Failure
from flowc.runtime.sandbox.jobs import make_job
from sandbox_hosts import on_machine
from sounds import needs_ffmpeg, noise, read, speech_like, write

SHAPES = [
    (44_100, 2, 60_777),
    (48_000, 1, 50_001),
    (8000, 1, 12_345),
    (48_000, 6, 20_003),
    (96_000, 8, 9001),
]


def coded(place: Path, frames: Frames, rate: int = 48_000, kbps: int = 0) -> Sound:
    """The sound as a file has it; a name beside the sandbox, which tests of their own are about."""
    place.touch()
    write_sound(place.name, str(place), FileShape(rate, frames.shape[1], bitrate=kbps), [frames])
    return open_sound(place.name, str(place))


def decoded(sound: Sound, start: int = 0, end: int | None = None) -> Frames:
    return np.concatenate(list(sound.blocks(start, end)))


@needs_ffmpeg
@pytest.mark.parametrize(("rate", "channels", "frames"), SHAPES)
def test_what_the_coder_puts_before_and_behind_a_sound_is_left_out(
    rate, channels, frames, tmp_path
):
    """The same length to the sample, each sample where it was."""
    given = noise(frames / rate, 0.05, rate, channels)
    given = np.apply_along_axis(lambda one: np.convolve(one, np.ones(9) / 9, "same"), 0, given)
    sound = coded(tmp_path / "a.m4a", given.astype(np.float32), rate)
    assert (sound.format, sound.subtype) == ("M4A", "AAC")
    assert (sound.frames, sound.rate, sound.channels) == (frames, rate, channels)
    back = decoded(sound)
    assert back.shape == given.shape
    inner = slice(1000, frames - 1000)
    errors = [np.square(np.roll(back, lag, 0) - given)[inner].mean() for lag in (-1, 0, 1)]
    assert errors[1] < min(errors[0], errors[2]), "no earlier and no later fits better"


@needs_ffmpeg
def test_the_same_sound_makes_the_same_bytes_and_parts_are_the_sound_again(tmp_path):
    """With noise among it, which a decoder makes by chance."""
    given = speech_like(1)
    sound = coded(tmp_path / "a.m4a", given, 44_100, 64)
    coded(tmp_path / "b.m4a", given, 44_100, 64)
    assert (tmp_path / "a.m4a").read_bytes() == (tmp_path / "b.m4a").read_bytes()
    points = [0, 99_999, sound.frames]
    parts = [decoded(sound, start, end) for start, end in pairwise(points)]
    assert np.array_equal(np.concatenate(parts), decoded(sound))


@needs_ffmpeg
@pytest.mark.parametrize("name", ["-i.m4a", "concat:ü|a%03d.m4a"])
def test_a_name_is_a_file_whatever_it_looks_like(name, tmp_path):
    assert decoded(coded(tmp_path / name, noise(0.2))).shape == (9600, 2)


@needs_ffmpeg
def test_a_film_is_read_by_its_sound_and_other_names_of_such_files_are_known(tmp_path):
    for name in ("a.mp4", "a.M4B"):
        assert coded(tmp_path / name, noise(0.2)).format == "M4A"
    with pytest.raises(Failure, match=r"`b\.wav` is an m4a file by its content"):
        open_sound("b.wav", str(tmp_path / "a.mp4"))


@needs_ffmpeg
def test_it_works_where_nothing_hides_the_files_of_the_machine(tmp_path, apply):
    """At the level strong; all other tests are at that of this machine."""
    layers = dict.fromkeys(("limits", "privileges", "landlock", "seccomp"), "version 7")

    def make(*given: Any) -> dict[str, Any]:
        return make_job(*given) | {"namespaces": False}

    write(tmp_path / "a.wav", noise(0.2))
    with on_machine(layers, {}, make_job=make):
        apply("gain", input="a.wav", output="b.m4a", gain_db=-3)
        assert apply("measure", input="b.m4a", parts=[])["frames"] == 9600


def test_without_the_program_it_is_named(tmp_path, apply, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    write(tmp_path / "a.wav", noise(0.2))
    with pytest.raises(
        Failure, match=r"`b\.m4a` is an m4a file: that needs the program ffmpeg"
    ) as no:
        apply("gain", input="a.wav", output="b.m4a", gain_db=-3)
    assert "flowc doctor" in no.value.help
    assert coders_for(["a.wav", "b.mp3"]) == ()


@needs_ffmpeg
@pytest.mark.parametrize(("form", "bits"), [("s16p", 16), ("s32p", 24)])
def test_lossless_sound_keeps_its_word_length_and_does_not_become_lossy_unsaid(
    form, bits, tmp_path, apply
):
    write(tmp_path / "a.wav", noise(0.2), subtype=f"PCM_{bits}")
    argv = ["ffmpeg", "-v", "error", "-i", "a.wav", "-c:a", "alac", "-sample_fmt", form, "b.m4a"]
    subprocess.run(argv, cwd=tmp_path, check=True)
    assert open_sound("b.m4a", str(tmp_path / "b.m4a")).subtype == f"ALAC_{bits}"
    assert apply("invert", input="b.m4a", output="c.wav")["subtype"] == f"PCM_{bits}"
    assert np.array_equal(read(tmp_path / "c.wav")[0], -read(tmp_path / "a.wav")[0])
    assert apply("invert", input="b.m4a", output="c.flac")["subtype"] == f"PCM_{bits}"
    assert "lossless (ALAC) and is lossy now (AAC)" in str(
        apply("invert", input="b.m4a", output="c.m4a")["notes"]
    )
    assert apply("invert", input="c.m4a", output="d.m4a")["notes"] == []


@pytest.fixture
def whole(tmp_path) -> bytes:
    """A good file."""
    coded(tmp_path / "good.m4a", noise(0.5, 0.05))
    return (tmp_path / "good.m4a").read_bytes()


def _damages(data: bytes) -> dict[str, bytes]:
    movie = data.index(b"moov")
    clock, entry = data.index(b"mdhd"), data.index(b"esds")
    sizes = data.index(b"stsz")
    return {
        "cut in the sound": data[: movie // 2],
        "cut in the movie": data[: movie + 300],
        "nothing but its mark": data[:28],
        "hours": (data[: clock + 20] + b"\x7f\xff\xff\xff" + data[clock + 24 :]).replace(
            b"elst", b"free"
        ),
        "no ticks": data[: clock + 16] + bytes(4) + data[clock + 20 :],
        "a descriptor of ones": data[: entry + 8] + b"\xff" * 20 + data[entry + 28 :],
        "huge packets": data[: sizes + 16] + b"\xff" * 40 + data[sizes + 56 :],
        "a box in itself": data[:movie] + b"moov" + struct.pack(">I4s", 0, b"trak") * 500,
        "noise for sound": data[:60] + os.urandom(movie - 64) + data[movie - 4 :],
    }


@needs_ffmpeg
def test_damaged_files_end_in_words(whole, tmp_path):
    for data in _damages(whole).values():
        place = tmp_path / "bad.m4a"
        place.write_bytes(data)
        with pytest.raises(Failure, match=r"`bad\.m4a`.*(cut off or damaged|as sound|numbers)"):
            decoded(open_sound("bad.m4a", str(place)))


@needs_ffmpeg
@pytest.mark.parametrize("count", [6, pytest.param(500, marks=pytest.mark.soak)])
def test_a_file_that_is_damaged_by_chance_is_read_or_refused(count, whole, tmp_path):
    place = tmp_path / "bad.m4a"
    movie = whole.index(b"moov") - 4
    for seed in range(count):
        chance = random.Random(seed)
        # Where the numbers are, which for other formats is the head.
        data = bytearray(whole[movie:])
        for _ in range(chance.randint(1, 3)):
            data = chance.choice(DAMAGES)(data, chance)
        place.write_bytes(whole[:movie] + data)
        with suppress(Failure):
            sound = open_sound("bad.m4a", str(place))
            sound.tags()
            assert len(decoded(sound, end=480_000)) <= 480_000


@needs_ffmpeg
def test_the_length_that_an_edit_list_says_holds(whole, tmp_path):
    """Other programs fill the last frame, and tell by the edit how much of it is sound."""
    at = whole.index(b"elst") + 4 + 8
    (tmp_path / "b.m4a").write_bytes(whole[:at] + struct.pack(">I", 250) + whole[at + 4 :])
    with (tmp_path / "b.m4a").open("rb") as file:
        track = read_track(file)
    assert track is not None
    assert float(track.seconds) == 0.25
    assert len(decoded(open_sound("b.m4a", str(tmp_path / "b.m4a")))) == 12_000


def test_formats_with_a_bitrate_are_those_of_the_table():
    assert tuple(name for name, one in CONTAINERS.items() if one.bitrates) == WITH_BITRATE
    assert {320, 128} <= set(BITRATES)


@needs_ffmpeg
@pytest.mark.parametrize(
    ("rate", "channels", "fine"), [(8000, 1, 48), (22_050, 1, 128), (44_100, 1, 256)]
)
def test_a_bitrate_is_reached_or_refused_with_one_that_can_be(rate, channels, fine, tmp_path):
    sound = coded(tmp_path / "b.m4a", noise(1, rate=rate, channels=channels), rate, fine)
    assert (tmp_path / "b.m4a").stat().st_size == pytest.approx(fine * 125, rel=0.2)
    assert sound.bitrate == pytest.approx(fine, abs=2)
    with pytest.raises(Failure, match="at most") as caught:
        check_bitrate("b.m4a", 320, rate, channels)
    assert f"ask for {fine}" in caught.value.help


def test_the_words_for_a_full_disk_are_those_of_the_system():
    assert {os.strerror(one) for one in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)} == FULL


def test_a_place_that_is_no_file_of_mpeg_4_has_no_track(tmp_path):
    Path(tmp_path / "a").write_bytes(b"\0\0\0\x08ftyp" + b"\0\0\0\x01" * 3)
    with (tmp_path / "a").open("rb") as file:
        assert read_track(file) is None
