"""Tags go with the sound from container to container; what is lost is said."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import soundfile
from flowc.runtime.audio.tags.tags import FIELDS, Tags, add_blocks, read_tags
from flowc.runtime.errors import Failure
from sounds import M4A, needs_ffmpeg, noise, tone, write
from tinytag import TinyTag

GIVEN = {
    "title": "Grüße — 東京",
    "artist": "Björk",
    "album": "An album",
    "date": "2024",
    "genre": "Spoken",
    "tracknumber": "3",
    "copyright": "(c) somebody",
    "comment": "with a comment",
}
COVER = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 900
ENDINGS = ["wav", "flac", "ogg", "opus", "mp3", "aiff", M4A]


def tags_of(path: Path) -> Tags:
    with path.open("rb") as file:
        return read_tags(file)


@pytest.fixture
def tagged(tmp_path, apply):
    """A flac file with every field."""
    write(tmp_path / "plain.flac", tone(1), subtype="PCM_16")
    apply("tag", input="plain.flac", output="a.flac", **GIVEN)
    return tmp_path / "a.flac"


def test_every_field_is_set_and_read_by_another_reader(tagged):
    found = TinyTag.get(tagged)
    assert (found.title, found.artist, found.year) == ("Grüße — 東京", "Björk", "2024")
    assert dict(tags_of(tagged).fields) == GIVEN
    assert set(GIVEN) == set(FIELDS)


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_effect_keeps_the_tags_in_every_container(ending, tagged, tmp_path, apply):
    said = apply("gain", input="a.flac", output=f"b.{ending}", gain_db=-3)
    kept = dict(tags_of(tmp_path / f"b.{ending}").fields)
    assert kept == GIVEN
    assert said["notes"] == []
    apply("gain", input=f"b.{ending}", output="c.wav", gain_db=-3)
    assert dict(tags_of(tmp_path / "c.wav").fields) == kept


@pytest.mark.parametrize("ending", ["mp3", "flac"])
def test_a_cover_is_kept_where_it_can_be_and_missed_in_words_elsewhere(ending, tmp_path, apply):
    source = write(tmp_path / f"a.{ending}", noise(1), subtype=None)
    name = {"mp3": "MP3", "flac": "FLAC"}[ending]
    add_blocks(str(source), name, Tags({"title": "With a cover"}, COVER, "image/png"))
    for other in ("mp3", "flac", "wav", "aiff"):
        apply("gain", input=source.name, output=f"b.{other}", gain_db=-3)
        found = tags_of(tmp_path / f"b.{other}")
        assert (found.cover, found.cover_type) == (COVER, "image/png")
        frames, rate = soundfile.read(tmp_path / f"b.{other}")
        assert (len(frames), rate) == (48_000, 48_000)
        apply("gain", input=f"b.{other}", output="c.flac", gain_db=-3)
        assert tags_of(tmp_path / "c.flac").cover == COVER
    said = apply("gain", input=source.name, output="b.ogg", gain_db=-3)
    assert said["notes"] == ["the cover of the source cannot be written into this file"]


def test_what_only_looks_like_chapters_is_none(tmp_path, apply):
    source = write(tmp_path / "a.mp3", noise(1), subtype=None)
    add_blocks(str(source), "MP3", Tags({"title": "Episode", "comment": "CHAP ters"}))
    assert apply("gain", input="a.mp3", output="b.wav", gain_db=-3)["notes"] == []


@pytest.mark.parametrize("kbps", [64, 192, 320])
def test_the_bitrate_of_an_mp3_file_stays_or_is_the_one_that_is_asked_for(kbps, tmp_path, apply):
    write(tmp_path / "a.wav", noise(4, 0.1))
    apply("convert", input="a.wav", output="b.mp3", bitrate_kbps=kbps)
    apply("gain", input="b.mp3", output="c.mp3", gain_db=-3)
    for name in ("b.mp3", "c.mp3"):
        assert apply("measure", input=name, parts=[])["bitrate_kbps"] == kbps
        assert (tmp_path / name).stat().st_size == pytest.approx(4 * kbps * 125, rel=0.05)


@pytest.mark.parametrize(
    ("ending", "kbps", "tolerance"), [("ogg", 96, 2), ("ogg", 192, 2), ("opus", 96, 14)]
)
def test_the_bitrate_of_an_ogg_file_stays_or_is_the_one_that_is_asked_for(
    ending, kbps, tolerance, tmp_path, apply
):
    """A vorbis file names what its quality usually takes; an opus file has about so many."""
    write(tmp_path / "a.wav", noise(4, 0.1))
    apply("convert", input="a.wav", output=f"b.{ending}", bitrate_kbps=kbps)
    apply("gain", input=f"b.{ending}", output=f"c.{ending}", gain_db=-3)
    for name in (f"b.{ending}", f"c.{ending}"):
        found = apply("measure", input=name, parts=[])["bitrate_kbps"]
        assert found == pytest.approx(kbps, abs=tolerance)
        assert (tmp_path / name).stat().st_size == pytest.approx(4 * kbps * 125, rel=0.2)
    one = write(tmp_path / "one.wav", noise(1, channels=1))
    with pytest.raises(Failure, match=r"cannot have 320 kbit/s: its rate and channels allow"):
        apply("convert", input=one.name, output=f"d.{ending}", bitrate_kbps=320)


@needs_ffmpeg
def test_the_bitrate_and_the_cover_of_an_m4a_file_stay(tmp_path, apply):
    write(tmp_path / "a.wav", noise(2, 0.1))
    apply("convert", input="a.wav", output="b.m4a", bitrate_kbps=128)
    add_blocks(str(tmp_path / "b.m4a"), "M4A", Tags({"title": "A cover"}, COVER, "image/png"))
    names = ("b.m4a", "c.m4a", "d.mp3", "e.m4a")
    for source, name in pairwise(names):
        apply("gain", input=source, output=name, gain_db=-3)
        found = tags_of(tmp_path / name)
        assert (found.cover, found.cover_type) == (COVER, "image/png")
        assert found.fields == {"title": "A cover"}
    assert apply("measure", input="c.m4a", parts=[])["bitrate_kbps"] == 128
    assert (tmp_path / "c.m4a").stat().st_size - len(COVER) == pytest.approx(32_000, rel=0.1)


def test_a_bitrate_that_the_file_cannot_have_is_refused_with_the_remedy(tmp_path, apply):
    write(tmp_path / "a.wav", noise(1, rate=22_050), 22_050)
    with pytest.raises(Failure, match="no `bitrate_kbps` to choose"):
        apply("convert", input="a.wav", output="b.flac", bitrate_kbps=128)
    with pytest.raises(Failure, match="22050 samples a second has at most 160 kbit/s"):
        apply("convert", input="a.wav", output="b.mp3", bitrate_kbps=192)


def test_a_field_is_taken_away_by_an_empty_text(tagged, tmp_path, apply):
    apply("tag", input="a.flac", output="b.flac", title="", artist="a\nb")
    kept = tags_of(tmp_path / "b.flac").fields
    assert "title" not in kept
    assert kept["artist"] == "a b"
    assert apply("compare", a="a.flac", b="b.flac")["same_samples"]


def test_damaged_tags_are_no_tags(tmp_path, apply):
    source = write(tmp_path / "a.mp3", noise(1), subtype=None)
    sound = source.read_bytes()
    for body in (b"\xff" * 200, b"TIT2" + b"\x7f" * 6 + b"\3x" * 95, b"APIC" + bytes(196)):
        head = b"ID3\4\0\0" + bytes((0, 0, 2, 8))  # 264 bytes follow
        source.write_bytes(head + body.ljust(264, b"\0") + sound)
        said = apply("gain", input="a.mp3", output="b.wav", gain_db=-3)
        assert said["duration_s"] == pytest.approx(1, abs=0.1)


FRAMES = {
    "TPE2": b"\3Band", "TCOM": b"\3Comp\xc3\xb6ser", "TPOS": b"\x031/2", "TRCK": b"\x033/7",
    "USLT": b"\3eng\0la\nla", "TXXX": b"\3comment\0hello", "TSRC": b"\3DE123", "TBPM": b"\x03120",
}  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
def test_more_than_the_fields_goes_along_and_what_does_not_is_named(ending, tmp_path, apply):
    write(tmp_path / "plain.mp3", noise(1), subtype=None)
    frames = b"".join(
        name.encode() + len(body).to_bytes(4, "big") + b"\0\0" + body
        for name, body in FRAMES.items()
    )
    head = b"ID3\4\0\0" + bytes([0, 0, len(frames) >> 7, len(frames) & 127])
    (tmp_path / "a.mp3").write_bytes(head + frames + (tmp_path / "plain.mp3").read_bytes())
    said = apply("gain", input="a.mp3", output=f"b.{ending}", gain_db=-3)
    assert said["notes"] == ["`isrc`, `bpm` of the source cannot be written into this file"]
    apply("gain", input=f"b.{ending}", output="c.wav", gain_db=-3)
    for name in (f"b.{ending}", "c.wav"):
        tags = tags_of(tmp_path / name)
        assert dict(tags.fields) == {"tracknumber": "3/7", "comment": "hello"}
        assert dict(tags.more) == {
            "albumartist": "Band", "composer": "Compöser", "discnumber": "1/2", "lyrics": "la\nla",
        }  # fmt: skip


def test_chunks_that_are_not_kept_are_named(tmp_path, apply):
    source = write(tmp_path / "a.wav", noise(0.1))
    data = source.read_bytes() + b"bext" + (602).to_bytes(4, "little") + bytes(602)
    data += b"iXML" + (4).to_bytes(4, "little") + b"<x/>"
    source.write_bytes(data[:4] + (len(data) - 8).to_bytes(4, "little") + data[8:])
    said = apply("gain", input="a.wav", output="b.wav", gain_db=-3)
    lost = "the chunk `bext`, the chunk `iXML` of the source cannot be written into this file"
    assert said["notes"] == [lost]
    assert apply("tag", input="a.wav", output="c.wav", title="T")["notes"] == []
    assert tags_of(tmp_path / "c.wav").unkept == tags_of(source).unkept


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_list_of_texts_goes_along_with_its_lines_and_its_track(ending, tmp_path, apply):
    """As ffmpeg writes it into wav files: the track is `3/12` by another name."""
    texts = {b"IPRT": "3/12", b"ICMT": "one\ntwo — ünï", b"INAM": "Night", b"ILNG": "deu"}
    write(tmp_path / "a.wav", tone(1), subtype="PCM_16")
    body = b"INFO"
    for name, text in texts.items():
        data = text.encode() + b"\0"
        body += name + len(data).to_bytes(4, "little") + data + b"\0" * (len(data) % 2)
    file = (tmp_path / "a.wav").read_bytes() + b"LIST" + len(body).to_bytes(4, "little") + body
    (tmp_path / "a.wav").write_bytes(file[:4] + (len(file) - 8).to_bytes(4, "little") + file[8:])
    said = apply("gain", input="a.wav", output=f"b.{ending}", gain_db=-3)
    kept = tags_of(tmp_path / f"b.{ending}").fields
    assert kept == {"title": "Night", "tracknumber": "3/12", "comment": "one\ntwo — ünï"}
    assert said["notes"] == ["`language` of the source cannot be written into this file"]


def test_who_made_an_aiff_file_stands_where_players_look_for_it(tagged, tmp_path, apply):
    apply("gain", input="a.flac", output="b.aiff", gain_db=-3)
    assert b"TPE1" in (tmp_path / "b.aiff").read_bytes()
    apply("tag", input="b.aiff", output="c.aiff", artist="Another")
    again = (tmp_path / "c.aiff").read_bytes()
    assert ("Björk".encode() in again, again.count(b"Another")) == (False, 2)
    assert tags_of(tmp_path / "c.aiff").fields["artist"] == "Another"


def test_sizes_of_64_bits_that_are_cut_off_are_no_fault(tmp_path):
    data = write(tmp_path / "a.wav", tone(0.1)).read_bytes() + b"ds64" + bytes(4)
    (tmp_path / "a.wav").write_bytes(data)
    assert tags_of(tmp_path / "a.wav").fields == {}
