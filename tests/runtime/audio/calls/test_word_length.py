"""The word length of a sound goes with it, is rounded with dither, and large files are RF64."""

from __future__ import annotations

import struct

import numpy as np
import pytest
import soundfile
from flowc.runtime.audio.calls.files import open_sound
from flowc.runtime.audio.calls.output import FileShape, check_size, write_sound
from flowc.runtime.audio.calls.word_length import Rounding
from flowc.runtime.errors import Failure
from sounds import noise, read, silence, tone, write

EFFECTS = {
    "gain": {"gain_db": -3},
    "highpass": {"cutoff_hz": 80},
    "compress": {},
    "clip": {"start_s": 0.2, "end_s": 0.8},
    "loudness_norm": {"target_lufs": -30},
}


@pytest.mark.parametrize("tool", EFFECTS)
@pytest.mark.parametrize(
    ("subtype", "ending", "kept"),
    [
        ("PCM_16", "wav", "PCM_16"),
        ("PCM_24", "wav", "PCM_24"),
        ("FLOAT", "wav", "FLOAT"),
        ("DOUBLE", "wav", "FLOAT"),
        ("PCM_U8", "wav", "PCM_16"),
        ("PCM_16", "flac", "PCM_16"),
        ("PCM_16", "aiff", "PCM_16"),
        ("FLOAT", "flac", "PCM_24"),
        ("PCM_16", "mp3", "MPEG_LAYER_III"),
    ],
)
def test_the_word_length_stays(tool, subtype, ending, kept, tmp_path, apply):
    write(tmp_path / "a.wav", tone(1), subtype=subtype)
    said = apply(tool, input="a.wav", output=f"b.{ending}", **EFFECTS[tool])
    assert said["subtype"] == kept


def test_another_word_length_is_made_where_it_is_asked_for(tmp_path, apply):
    write(tmp_path / "a.wav", tone(1), subtype="PCM_16")
    said = apply("gain", input="a.wav", output="b.wav", gain_db=-3, subtype="FLOAT")
    assert said["subtype"] == "FLOAT"
    with pytest.raises(Failure, match="cannot hold 32-bit float samples"):
        apply("gain", input="a.wav", output="b.flac", gain_db=-3, subtype="FLOAT")


@pytest.mark.parametrize(("subtype", "bits"), [("PCM_16", 16), ("PCM_24", 24)])
def test_every_reduction_is_dithered(subtype, bits, tmp_path, apply):
    """A tone of half a step is heard, and has no third harmonic."""
    half = 20 * np.log10(0.5 * 2.0 ** (1 - bits))
    write(tmp_path / "a.wav", tone(4, dbfs=half, channels=1))
    apply("gain", input="a.wav", output="b.wav", gain_db=0, subtype=subtype)
    frames, _ = read(tmp_path / "b.wav")
    spectrum = np.abs(np.fft.rfft(frames[:, 0] * np.hanning(len(frames))))
    hz = np.fft.rfftfreq(len(frames), 1 / 48_000)
    at = [20 * np.log10(spectrum[np.abs(hz - f) < 5].max()) for f in (1000, 3000)]
    assert at[0] > at[1] + 12


def test_what_has_the_word_length_already_comes_back_as_it_was(tmp_path, apply):
    frames = np.concatenate((silence(1), noise(1, 0.2)))
    write(tmp_path / "a.wav", frames, subtype="PCM_16")
    apply("shift", input="a.wav", output="b.wav", offset_s=0.25, wrap=True)
    before, after = (read(tmp_path / name)[0] for name in ("a.wav", "b.wav"))
    assert np.array_equal(np.roll(before, 12_000, axis=0), after)


def test_rounding_adds_no_offset():
    block = np.full((100_000, 1), 0.3 * 2.0**-15, np.float32)
    assert Rounding("PCM_16", True).apply(block).mean() == pytest.approx(0.3, abs=0.02)
    assert not Rounding("PCM_16", False).apply(block).any()


def test_a_wav_file_that_gets_too_large_is_one_of_rf64(tmp_path):
    """The limit of 4 GB is a parameter here: 1 MB."""
    place = tmp_path / "b.wav"
    place.touch()
    shape, frames = FileShape(48_000, 2, "PCM_16", frames=480_000), noise(10)
    write_sound("b.wav", str(place), shape, iter([frames]), riff_limit=1_000_000)
    assert place.read_bytes()[:4] == b"RF64"
    assert open_sound("b.wav", str(place)).format == "WAV"
    assert soundfile.info(place).frames == 480_000


@pytest.mark.parametrize("said", [0, 1000], ids=["length unknown", "length too small"])
def test_an_aiff_file_too_large_for_its_header_is_refused(said, tmp_path):
    """Its sizes are of 32 bits, and there is no larger form of it: they would begin at 0 again."""
    place = tmp_path / "b.aiff"
    place.touch()
    frames = noise(1)
    shape = FileShape(48_000, 2, "PCM_24", frames=said)
    blocks = (frames for _ in range(8))
    with pytest.raises(Failure, match=r"`b\.aiff` would be larger than an aiff file can be") as no:
        write_sound("b.aiff", str(place), shape, blocks, riff_limit=1_000_000)
    assert "wav or flac" in no.value.help
    whole = FileShape(48_000, 2, "PCM_24", frames=8 * len(frames))
    with pytest.raises(Failure, match="larger than an aiff file"):
        check_size("b.aiff", whole, 1_000_000)
    check_size("b.aiff", whole)
    check_size("b.wav", whole, 1_000_000)


def test_a_sound_that_no_aiff_file_holds_is_refused_before_anything_is_written(tmp_path, apply):
    """A wav file with holes in it: 4.2 GB that take no room."""
    place = tmp_path / "a.wav"
    size = 2 * 2_100_000_000
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 768_000, 1_536_000, 2, 16)
    with place.open("wb") as file:
        file.write(struct.pack("<4sI4s", b"RIFF", 36 + size, b"WAVE") + form)
        file.write(struct.pack("<4sI", b"data", size))
        file.truncate(44 + size)
    with pytest.raises(Failure, match=r"`b\.aiff` would be larger"):
        apply("gain", input="a.wav", output="b.aiff", gain_db=1)
    assert [path.name for path in tmp_path.iterdir()] == ["a.wav"]
