"""Chapters: kept from file to file, moved with the sound, and gone with it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from flowc.runtime.audio.calls.files import open_sound
from flowc.runtime.audio.tags.chapters import Chapter, SoundSpan, move_chapters, order_chapters
from flowc.runtime.audio.tags.tags import Tags, add_blocks
from flowc.runtime.files.programs import find_program
from sounds import M4A, needs_ffmpeg, noise, write

BOOK = (Chapter(0, 2, "One"), Chapter(2, 5.25, "Zwei: äöü"), Chapter(5.25, 8, "Three"))
ENDINGS = ["mp3", "flac", "ogg", "opus", "wav", "aiff", M4A]


def chapters_of(place: Path) -> list[tuple[float, str]]:
    found = open_sound(place.name, str(place)).tags().chapters
    return [(round(chapter.start, 2), chapter.title) for chapter in found]


@pytest.fixture
def book(tmp_path) -> Path:
    """Eight seconds with three chapters."""
    source = write(tmp_path / "book.mp3", noise(8, 0.1), subtype=None)
    add_blocks(str(source), "MP3", Tags({"title": "Book"}, chapters=BOOK))
    return source


@pytest.mark.parametrize("ending", ENDINGS)
def test_chapters_are_kept_and_other_programs_read_them(ending, book, tmp_path, apply):
    said = apply("gain", input=book.name, output=f"b.{ending}", gain_db=-3)
    assert said["notes"] == []
    apply("gain", input=f"b.{ending}", output="c.flac", gain_db=-3)
    expected = [(c.start, c.title) for c in BOOK]
    assert chapters_of(tmp_path / f"b.{ending}") == expected
    assert chapters_of(tmp_path / "c.flac") == expected
    assert open_sound(f"b.{ending}", str(tmp_path / f"b.{ending}")).tags().fields["title"] == "Book"
    probe = find_program("ffprobe")
    if probe is None or ending in ("wav", "aiff"):  # it reads no chapters of these
        return
    line = [str(probe), "-v", "error", "-show_chapters", "-of", "json", f"b.{ending}"]
    done = subprocess.run(line, cwd=tmp_path, check=True, capture_output=True)
    assert not done.stderr
    seen = [
        (round(float(c["start_time"]), 2), c["tags"]["title"])
        for c in json.loads(done.stdout)["chapters"]
    ]
    assert seen == expected


@needs_ffmpeg
@pytest.mark.parametrize("ending", ["mp3", "m4a", "opus"])
def test_chapters_that_ffmpeg_wrote_are_read(ending, tmp_path, apply):
    write(tmp_path / "a.wav", noise(8, 0.1))
    texts = "".join(
        f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={c.start * 1000:.0f}\nEND={c.end * 1000:.0f}\n"
        f"title={c.title}\n"
        for c in BOOK
    )
    (tmp_path / "m.txt").write_text(f";FFMETADATA1\n{texts}", encoding="utf-8")
    words = ["-v", "error", "-i", "a.wav", "-i", "m.txt", "-map_chapters", "1", f"b.{ending}"]
    subprocess.run([str(find_program("ffmpeg")), *words], cwd=tmp_path, check=True)
    if ending == "m4a":  # without the list the track of texts is read
        data = (tmp_path / "b.m4a").read_bytes()
        (tmp_path / "b.m4a").write_bytes(data.replace(b"chpl", b"free"))
    apply("gain", input=f"b.{ending}", output="c.flac", gain_db=-3)
    assert chapters_of(tmp_path / "c.flac") == [(c.start, c.title) for c in BOOK]


@pytest.mark.parametrize(
    ("tool", "arguments", "expected", "note"),
    [
        ("clip", {"start_s": 3}, [(0, "Zwei: äöü"), (2.25, "Three")], "`One` is gone"),
        ("clip", {"end_s": 4}, [(0, "One"), (2, "Zwei: äöü")], "`Three` is gone"),
        ("cut", {"start_s": 1, "end_s": 3},
         [(0, "One"), (1, "Zwei: äöü"), (3.25, "Three")], "moved"),
        ("cut", {"start_s": 2, "end_s": 5.25}, [(0, "One"), (2, "Three")], "`Zwei: äöü` is gone"),
        ("time_stretch", {"rate": 2}, [(0, "One"), (1, "Zwei: äöü"), (2.62, "Three")], "moved"),
        ("shift", {"offset_s": 1}, [(1, "One"), (3, "Zwei: äöü"), (6.25, "Three")], "moved"),
        ("pitch_shift", {"semitones": 2}, [(c.start, c.title) for c in BOOK], ""),
        ("convert", {"sample_rate_hz": 16_000}, [(c.start, c.title) for c in BOOK], ""),
    ],
)  # fmt: skip
def test_chapters_move_with_the_sound(tool, arguments, expected, note, book, tmp_path, apply):
    said = apply(tool, input=book.name, output="b.flac", **arguments)
    assert chapters_of(tmp_path / "b.flac") == expected
    assert (note in " ".join(said["notes"])) if note else said["notes"] == []


def test_chapters_of_joined_files_follow_each_other(book, tmp_path, apply):
    apply("concat", inputs=[book.name, book.name], output="b.mp3", crossfade_s=0.5)
    starts = [start for start, _ in chapters_of(tmp_path / "b.mp3")]
    assert starts == pytest.approx([0, 2, 5.25, 7.5, 9.5, 12.75], abs=0.01)


def test_a_chapter_of_which_two_pieces_are_kept_is_one():
    kept = [SoundSpan(0, 1, 0), SoundSpan(3, 8, 1)]
    assert move_chapters([Chapter(0, 4, "a"), Chapter(4, 8, "b")], kept) == (
        Chapter(0, 2, "a"),
        Chapter(2, 6, "b"),
    )


def test_chapters_beyond_the_sound_or_their_number_are_left_out():
    found = order_chapters([(n / 10, None, "x\x1b[31m") for n in range(1000)], 50)
    assert len(found) == 255
    assert found[0] == Chapter(0, 0.1, "x [31m")
