"""TAG leaves the sound as it is: what is coded is copied, and other tags stay."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from flowc.runtime.audio.calls.call import check_call
from flowc.runtime.audio.calls.files import open_sound
from flowc.runtime.audio.tags.tags import Tags, add_blocks, read_tags
from flowc.runtime.audio.tools.job import Job
from flowc.runtime.audio.tools.whole import tag
from sounds import M4A, needs_ffmpeg, noise, tone, write

CODED = ["mp3", "ogg", "opus", M4A]
WORDS = [
    *((ending, subtype) for ending in ("wav", "aiff")
      for subtype in ("PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW")),
    ("wav", "PCM_U8"), ("flac", "PCM_16"), ("flac", "PCM_24"), ("flac", "PCM_S8"),
]  # fmt: skip


def decoded(place: Path) -> Any:
    sound = open_sound(place.name, str(place))
    return np.concatenate(list(sound.blocks()))


def tags_of(place: Path) -> Tags:
    with place.open("rb") as file:
        return read_tags(file)


@pytest.mark.parametrize(("ending", "subtype"), WORDS)
def test_every_sample_of_every_word_stays(ending, subtype, tmp_path, apply):
    random = np.random.default_rng(1)
    given = random.integers(-(2**31), 2**31, (4801, 3), np.int64).astype(np.int32)
    given = given / 2.0**31 if subtype in ("FLOAT", "DOUBLE") else given
    source, output = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    soundfile.write(source, given, 48_000, subtype)
    done = apply("tag", input=source.name, output=output.name, title="Größe", genre="Noise")
    before, after = (soundfile.read(one, dtype="float64")[0] for one in (source, output))
    assert np.array_equal(before, after)
    assert soundfile.info(output).subtype == soundfile.info(source).subtype == done["subtype"]
    assert dict(tags_of(output).fields) == {"title": "Größe", "genre": "Noise"}
    assert done["notes"] == []
    apply("tag", input=output.name, output=f"c.{ending}", title="", comment="Kürzer")
    fields = dict(tags_of(tmp_path / f"c.{ending}").fields)
    assert fields == {"genre": "Noise", "comment": "Kürzer"}
    assert np.array_equal(before, soundfile.read(tmp_path / f"c.{ending}", dtype="float64")[0])


@pytest.mark.parametrize("ending", CODED)
def test_coded_sound_is_copied_and_other_fields_stay(ending, tmp_path, apply):
    write(tmp_path / "a.wav", noise(1))
    apply("tag", input="a.wav", output=f"b.{ending}", artist="Somebody", album="Old", date="1999")
    for number, title in enumerate(("One", "A longer title " * 40, "")):
        name = f"c{number}.{ending}"
        done = apply("tag", input=f"b.{ending}", output=name, title=title, album="New")
        assert np.array_equal(decoded(tmp_path / f"b.{ending}"), decoded(tmp_path / name))
        fields = {"artist": "Somebody", "album": "New", "date": "1999"}
        assert dict(tags_of(tmp_path / name).fields) == fields | (
            {"title": title.strip()} if title else {}
        )
        assert done["notes"] == []
    apply("tag", input=f"b.{ending}", output=f"d.{ending}", artist="", album="", date="")
    assert dict(tags_of(tmp_path / f"d.{ending}").fields) == {}
    assert np.array_equal(decoded(tmp_path / f"b.{ending}"), decoded(tmp_path / f"d.{ending}"))


@pytest.mark.parametrize(("source", "output"), [("a.wav", "b.mp3"), ("a.ogg", "b.opus")])
def test_what_has_to_be_coded_anew_says_so(source, output, tmp_path, apply):
    write(tmp_path / source, noise(1), subtype=None)
    done = apply("tag", input=source, output=output, title="T")
    assert done["notes"] == [f"`{output}` was coded anew: that takes a little more away"]


def frame(name: bytes, body: bytes, version: int) -> bytes:
    assert len(body) < 128
    return name + struct.pack(">I", len(body)) + b"\0\0" + body


@pytest.mark.parametrize("version", [3, 4])
def test_frames_that_flowc_has_no_name_for_stay_in_an_mp3_file(version, tmp_path, apply):
    write(tmp_path / "plain.mp3", noise(1), subtype=None)
    frames = (
        frame(b"TPE2", b"\0Band", version)
        + frame(b"TYER", b"\x001999", version)
        + frame(b"TXXX", b"\0comment\0by ffmpeg", version)
        + frame(b"COMM", b"\0engiTunNORM\0 0001", version)
        + frame(b"COMM", b"\0eng\0old", version)
        + frame(b"POPM", b"who\0\xff", version)
    )
    tag = b"ID3" + bytes([version, 0, 0]) + struct.pack(">I", len(frames) + 20)
    assert len(frames) + 20 < 256
    tag = tag[:6] + bytes([0, 0, (len(frames) + 20) >> 7, (len(frames) + 20) & 127])
    old = b"TAG" + b"From the first version".ljust(125, b"\0")
    music = (tmp_path / "plain.mp3").read_bytes()
    (tmp_path / "a.mp3").write_bytes(tag + frames + bytes(20) + music + old)
    apply("tag", input="a.mp3", output="b.mp3", date="2024", comment="neu – ü", artist="Ä")
    data = (tmp_path / "b.mp3").read_bytes()
    assert data.endswith(music)
    for kept in (b"TPE2", b"POPM", b"iTunNORM"):
        assert kept in data
    assert b"by ffmpeg" not in data
    assert b"1999" not in data
    fields = tags_of(tmp_path / "b.mp3").fields
    assert fields["title"] == "From the first version"
    assert (fields["date"], fields["artist"]) == ("2024", "Ä")
    assert "neu – ü" in fields["comment"] or "iTunNORM" in fields["comment"]


def test_chunks_that_flowc_has_no_name_for_stay_in_a_wav_file(tmp_path, apply):
    source = write(tmp_path / "a.wav", noise(0.1), subtype="PCM_24")
    data = source.read_bytes()
    more = b"bext" + struct.pack("<I", 603) + b"Take 1".ljust(603, b"\0") + b"\0"
    data = data[:12] + more + data[12:] + b"cue " + struct.pack("<I", 4) + bytes(4)
    source.write_bytes(data[:4] + struct.pack("<I", len(data) - 8) + data[8:])
    add_blocks(str(source), "WAV", Tags({}, b"\x89PNG" + bytes(99), "image/png"))
    apply("tag", input="a.wav", output="b.wav", title="One")
    apply("tag", input="b.wav", output="c.wav", title="Two", artist="She", tracknumber="3/7")
    found = (tmp_path / "c.wav").read_bytes()
    assert more in found
    assert b"cue " in found
    assert found.count(b"LIST") == 1
    assert struct.unpack("<I", found[4:8])[0] == len(found) - 8
    tags = tags_of(tmp_path / "c.wav")
    assert dict(tags.fields) == {"title": "Two", "artist": "She", "tracknumber": "3/7"}
    assert tags.cover == b"\x89PNG" + bytes(99)


def test_the_sizes_of_an_rf64_file_fit_with_other_fields(tmp_path, apply):
    soundfile.write(tmp_path / "a.wav", noise(0.1), 48_000, "PCM_24", format="RF64")
    apply("tag", input="a.wav", output="b.wav", title="One")
    found = (tmp_path / "b.wav").read_bytes()
    assert (found[:4], found[12:16]) == (b"RF64", b"ds64")
    assert struct.unpack("<Q", found[20:28])[0] == len(found) - 8
    assert np.array_equal(decoded(tmp_path / "a.wav"), decoded(tmp_path / "b.wav"))
    with soundfile.SoundFile(tmp_path / "b.wav") as file:
        assert file.title == "One"


@needs_ffmpeg
def test_an_m4a_file_whose_head_comes_first_keeps_its_sound_and_its_other_items(tmp_path, apply):
    write(tmp_path / "a.wav", noise(1))
    words = "-metadata album_artist=Band -metadata title=Old -metadata lyrics=la -b:a 96k"
    make = ["ffmpeg", "-v", "error", "-i", "a.wav", *words.split(), "-movflags", "faststart"]
    subprocess.run([*make, "a.m4a"], cwd=tmp_path, check=True)
    apply("tag", input="a.m4a", output="b.m4a", title="New", tracknumber="3/7")
    apply("tag", input="b.m4a", output="c.m4a", genre="Noise")
    assert np.array_equal(decoded(tmp_path / "a.m4a"), decoded(tmp_path / "c.m4a"))
    data = (tmp_path / "c.m4a").read_bytes()
    assert b"aART" in data
    assert b"\xa9lyr" in data
    fields = tags_of(tmp_path / "c.m4a").fields
    assert (fields["title"], fields["genre"]) == ("New", "Noise")


def job(tmp_path: Path, source: str, working: bool, **arguments: Any) -> Job:
    call = check_call("tag", arguments)
    names = {source, arguments["input"]} - {""}
    reads = {name: str(tmp_path / name) for name in names}
    (tmp_path / arguments["output"]).touch()
    writes = {arguments["output"]: str(tmp_path / arguments["output"])}
    return Job(call, reads, writes, {}, "" if working else source, working)


def test_two_steps_of_a_plan_that_tag_leave_the_sound_as_it_is(tmp_path):
    write(tmp_path / "a.mp3", noise(1), subtype=None)
    tag(job(tmp_path, "a.mp3", True, input="a.mp3", output="b.wav", title="One"))
    tag(job(tmp_path, "a.mp3", True, input="b.wav", output="c.wav", artist="She", title="Two"))
    done = tag(job(tmp_path, "a.mp3", False, input="c.wav", output="d.mp3", album="It"))
    assert dict(tags_of(tmp_path / "d.mp3").fields) == {
        "title": "Two", "artist": "She", "album": "It",
    }  # fmt: skip
    assert np.array_equal(decoded(tmp_path / "a.mp3"), decoded(tmp_path / "d.mp3"))
    assert done["notes"] == []


def test_what_a_step_tags_other_steps_keep_to_the_end_of_a_plan(tmp_path):
    from flowc.runtime.audio.tools.chains import gain

    write(tmp_path / "plain.flac", tone(1), subtype="PCM_16")
    tag(job(tmp_path, "", False, input="plain.flac", output="a.flac", title="Old", artist="He"))
    tag(job(tmp_path, "a.flac", True, input="a.flac", output="b.wav", title="New", artist=""))
    for name, read, working in (("c.wav", "b.wav", True), ("d.flac", "c.wav", False)):
        call = check_call("gain", {"input": read, "output": name, "gain_db": -3})
        (tmp_path / name).touch()
        reads = {one: str(tmp_path / one) for one in (read, "a.flac")}
        source = "" if working else "a.flac"
        one = Job(call, reads, {name: str(tmp_path / name)}, {}, source, working)
        one.run(gain(one))
    assert dict(tags_of(tmp_path / "d.flac").fields) == {"title": "New"}
