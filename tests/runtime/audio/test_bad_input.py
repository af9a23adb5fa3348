"""Files that are not what they should be, places that cannot be written: a clear word, and nothing
left behind."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from flowc.runtime.errors import Failure
from sounds import M4A, noise, read, silence, tone, write


def fails(apply, says, tool="gain", helps="", **arguments):
    given = {"input": "a.wav", "output": "b.wav", **({"gain_db": 1} if tool == "gain" else {})}
    with pytest.raises(Failure) as caught:
        apply(tool, **{**given, **arguments})
    assert says in caught.value.message
    assert helps in caught.value.help


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _header(frames: int, data: bytes) -> bytes:
    """A wav file of 16 bits, mono, 8 kHz, whose header says `frames`."""
    size = frames * 2
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 16_000, 2, 16)
    return struct.pack("<4sI4s", b"RIFF", 36 + size, b"WAVE") + form + struct.pack(
        "<4sI", b"data", size
    ) + data  # fmt: skip


NO_SOUND = {
    "text": (b"Dear Sir,\n" * 100, "`a.wav` cannot be read as sound"),
    "empty": (b"", "`a.wav` cannot be read as sound"),
    "a header alone": (_header(0, b""), "`a.wav` holds no samples"),
    "half a header": (_header(100, b"\0" * 200)[:30], "`a.wav`"),
    "zeros": (bytes(4096), "`a.wav` cannot be read as sound"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(200), "`a.wav` cannot be read as sound"),
    "mp3 noise": (b"\xff\xfb\x90\x00" + os.urandom(2000), "`a.wav`"),
}


@pytest.mark.parametrize("name", [n for n in NO_SOUND if n != "mp3 noise"])
def test_what_is_no_sound_is_said(name, tmp_path, apply):
    data, says = NO_SOUND[name]
    (tmp_path / "a.wav").write_bytes(data)
    fails(apply, says)
    with pytest.raises(Failure, match=r"`a[.]wav`"):
        apply("measure", input="a.wav")
    assert names(tmp_path) == ["a.wav"]


def test_what_is_not_there_or_no_file_is_said(tmp_path, apply):
    fails(apply, "`a.wav` does not exist")
    (tmp_path / "a.wav").mkdir()
    fails(apply, "`a.wav` is a folder, not a sound file")
    os.mkfifo(tmp_path / "pipe.wav")
    fails(apply, "`pipe.wav` is not a regular file", input="pipe.wav")
    assert names(tmp_path) == ["a.wav", "pipe.wav"]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers_are_refused_and_counted(value, tmp_path, apply):
    frames = tone(2)
    frames[48_000:48_003, 1] = value
    write(tmp_path / "a.wav", frames)
    fails(apply, "not finite numbers, the first at 1.000 s", helps="audio measure")
    found = apply("measure", input="a.wav")
    assert found["not_finite"] == 3
    assert found["integrated_lufs"] == pytest.approx(-23, abs=0.1)
    assert names(tmp_path) == ["a.wav"]


def test_a_header_that_promises_two_hours_is_not_believed(tmp_path, apply):
    (tmp_path / "a.wav").write_bytes(_header(2 * 3600 * 8000, bytes(16_000)))
    with pytest.raises(Failure, match=r"`a[.]wav` is cut off or damaged: its header says 7200[.]"):
        apply("measure", input="a.wav")
    flac = write(tmp_path / "a.flac", noise(1, rate=8000, channels=1), 8000, "PCM_16")
    data = bytearray(flac.read_bytes())
    assert data[4] & 0x7F == 0
    data[22:26] = struct.pack(">I", 2 * 3600 * 8000)  # the low 32 bits of the number of samples
    flac.write_bytes(data)
    with pytest.raises(
        Failure, match=r"`a[.]flac` is cut off or damaged: its header says 7200[.]00 s"
    ):
        apply("gain", input="a.flac", output="b.wav", gain_db=1)
    assert names(tmp_path) == ["a.flac", "a.wav"]


@pytest.mark.parametrize(
    ("ending", "subtype"),
    [("flac", "PCM_16"), ("ogg", "VORBIS"), ("mp3", "MPEG_LAYER_III"), ("aiff", "PCM_16")],
)
def test_a_file_that_was_cut_off_is_refused(ending, subtype, tmp_path, apply):
    file = write(tmp_path / f"a.{ending}", noise(3), subtype=subtype)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    fails(apply, f"`a.{ending}` is cut off or damaged", input=file.name)


def test_an_mp3_file_that_does_not_say_how_long_it_is_is_read_to_its_end(tmp_path, apply):
    """Frames of several sizes and no count of them: the decoder guesses, and stops too soon."""
    import soundfile

    frames = noise(20)
    frames[48_000 * 2 : 48_000 * 8] = 0
    with soundfile.SoundFile(
        str(tmp_path / "v.mp3"), "w", 48_000, 2, bitrate_mode="VARIABLE", compression_level=0.5
    ) as file:
        file.write(frames)
    data = (tmp_path / "v.mp3").read_bytes()
    assert apply("measure", input="v.mp3")["duration_s"] == pytest.approx(20, abs=0.1)
    second = data.index(b"\xff\xfb", data.index(b"Xing"))
    (tmp_path / "a.mp3").write_bytes(data[second:])
    assert apply("measure", input="a.mp3")["duration_s"] == pytest.approx(20, abs=0.1)


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("peak_norm", {}, "`a.wav` is silent"),
        ("loudness_norm", {}, "no loudness that could be changed"),
        ("trim_silence", {}, "louder than -50 dBFS: all of it is silence"),
        ("add_noise", {"snr_db": 3}, "`a.wav` is silent"),
    ],
)
def test_silence_gives_nothing_to_go_by(tool, arguments, says, tmp_path, apply):
    write(tmp_path / "a.wav", silence(2))
    fails(apply, says, tool, **arguments)
    assert names(tmp_path) == ["a.wav"]


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("highpass", {"cutoff_hz": 4000}, "`cutoff_hz` is 4000 Hz, but `a.wav` has 8000 samples"),
        ("clip", {"start_s": 3}, "`start_s` is 3 s, but `a.wav` is 2.000 s long"),
        ("clip", {"end_s": 2.5}, "`end_s` is 2.5 s"),
        ("clip", {"start_s": 2}, "nothing of `a.wav` lies between 2 s and its end"),
        ("fade", {"in_s": 2, "out_s": 1}, "are 3 s together, `a.wav` is 2.00 s long"),
        ("shift", {"offset_s": 2}, "`offset_s` is 2 s, `a.wav` is 2.00 s long"),
        ("convert", {"subtype": "VORBIS"}, "`b.wav` cannot hold VORBIS"),
        ("gain", {"output": "b.mp3"}, "`b.mp3` cannot hold 6 channels"),
        ("gain", {"output": "b.wma"}, "`b.wma` ends in `.wma`: the ending says the format"),
        ("gain", {"output": "b"}, "`b` has no ending"),
        ("gain", {"output": "a.wav"}, "`a.wav` is the file that is read"),
        ("gain", {"output": "./a.wav"}, "`./a.wav` is the file that is read, `a.wav`"),
        ("gain", {"output": "there/b.wav"}, "the folder of `there/b.wav` does not exist"),
        ("gain", {"output": "sub.wav"}, "`sub.wav` is a folder"),
    ],
)
def test_what_the_file_does_not_allow_is_said(tool, arguments, says, tmp_path, apply):
    write(tmp_path / "a.wav", noise(2, rate=8000, channels=6), 8000)
    (tmp_path / "sub.wav").mkdir()
    fails(apply, says, tool, **arguments)
    assert names(tmp_path) == ["a.wav", "sub.wav"]


def test_inputs_that_cannot_be_joined_are_refused_with_what_differs(tmp_path, apply):
    write(tmp_path / "a.wav", tone(1))
    write(tmp_path / "c.wav", tone(1, channels=3))
    with pytest.raises(Failure, match=r"they have 2 and 3 channels"):
        apply("concat", inputs=["a.wav", "c.wav"], output="b.wav")
    with pytest.raises(Failure, match=r"too short for crossfades of 0\.6 s at both ends"):
        apply("concat", inputs=["a.wav", "a.wav", "a.wav"], output="b.wav", crossfade_s=0.6)
    with pytest.raises(Failure, match=r"too short for a crossfade of 1\.1 s"):
        apply("concat", inputs=["a.wav", "a.wav"], output="b.wav", crossfade_s=1.1)


def test_pitch_and_tempo_refuse_what_is_too_long_for_memory(tmp_path, apply):
    write(tmp_path / "a.wav", np.zeros((8000 * 601, 1), np.float32), 8000, "PCM_16")
    for tool, arguments in (("pitch_shift", {"semitones": 1}), ("time_stretch", {"rate": 2})):
        says = f"10.0 minutes long: {tool.upper()} takes at most 10 minutes"
        fails(apply, says, tool, **arguments)


def test_an_output_that_was_there_stays_when_a_call_fails(tmp_path, apply):
    write(tmp_path / "a.wav", silence(1))
    (tmp_path / "b.wav").write_bytes(b"before")
    fails(apply, "silent", "peak_norm")
    assert (tmp_path / "b.wav").read_bytes() == b"before"
    assert names(tmp_path) == ["a.wav", "b.wav"]


def test_an_output_reached_by_a_link_is_written_where_it_leads(tmp_path, apply):
    write(tmp_path / "a.wav", tone(1))
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.wav").symlink_to(tmp_path / "sub" / "c.wav")
    apply("gain", input="a.wav", output="b.wav", gain_db=0)
    assert (tmp_path / "b.wav").is_symlink()
    assert len(read(tmp_path / "sub" / "c.wav")[0]) == 48_000


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_said(tmp_path, apply):
    write(tmp_path / "a.wav", tone(1))
    (tmp_path / "shut").mkdir(mode=0o500)
    fails(apply, "`shut/b.wav` cannot be written: permission denied", output="shut/b.wav")


def test_a_system_folder_that_takes_no_files_is_said(tmp_path, apply):
    write(tmp_path / "a.wav", tone(1))
    fails(apply, "`/proc/b.wav` cannot be written", output="/proc/b.wav")


@pytest.fixture
def tight(tmp_path):
    """A folder on a disk of 64 kB."""
    folder = tmp_path / "tight"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be made here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("ending", ["wav", "flac", "ogg", "mp3", "aiff", M4A])
def test_a_full_disk_is_said_and_nothing_half_written_stays(ending, tight, tmp_path, apply):
    write(tmp_path / "a.wav", noise(10))
    path = f"tight/b.{ending}"
    fails(apply, f"`{path}`: no space left on device", output=path)
    assert names(tight) == []


def test_a_file_that_grows_beyond_what_the_system_allows_is_said(tmp_path):
    """The same for every user: the limit on the size of files stands in for a full disk."""
    import resource

    from flowc.runtime.audio.calls.output import FileShape, write_sound

    (tmp_path / "b.wav").touch()
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(Failure, match=r"`b\.wav`: file too large"):
            write_sound("b.wav", str(tmp_path / "b.wav"), FileShape(48_000, 2), iter([noise(2)]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
