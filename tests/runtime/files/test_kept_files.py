"""Files that are kept to save time: bounded, and no fault when they cannot be."""

from __future__ import annotations

import os

from flowc.runtime.files.kept_files import KeptFiles


def test_what_was_written_last_is_read(tmp_path):
    kept = KeptFiles(tmp_path / "new", 100)
    assert kept.read("a") is None
    kept.write("a", b"one")
    kept.write("a", b"two")
    assert kept.read("a") == b"two"
    assert os.listdir(tmp_path / "new") == ["a"]


def test_the_oldest_goes_when_there_is_no_room(tmp_path):
    kept = KeptFiles(tmp_path, 100)
    for time, name in enumerate("abc"):
        kept.write(name, b"x" * 30)
        os.utime(tmp_path / name, (time, time))
    kept.write("d", b"x" * 50)
    assert sorted(os.listdir(tmp_path)) == ["c", "d"]


def test_what_is_larger_than_all_the_room_is_not_kept(tmp_path):
    kept = KeptFiles(tmp_path, 10)
    kept.write("a", b"x" * 11)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path):
    (tmp_path / "file").write_text("")
    kept = KeptFiles(tmp_path / "file", 100)
    kept.write("a", b"one")
    assert kept.read("a") is None


def test_a_folder_in_the_place_of_a_file_is_no_fault(tmp_path):
    (tmp_path / "a").mkdir()
    kept = KeptFiles(tmp_path, 100)
    kept.write("a", b"one")
    assert kept.read("a") is None
    assert os.listdir(tmp_path) == ["a"]
