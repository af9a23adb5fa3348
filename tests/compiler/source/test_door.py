"""The door to the disk: regular files of a bounded size, and no way out of a folder."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from deep_folders import deep
from flowc.compiler.source.door import (
    NotRegular,
    OutsideFolder,
    TooLarge,
    digest_of_file,
    open_folder,
    read_file,
    walk,
)
from flowc.runtime.cassette.format import read_cassette
from flowc.runtime.config.code_files import digests_of
from flowc.runtime.errors import RunError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "folder"
    (place / "deep").mkdir(parents=True)
    (place / "deep/file").write_bytes(b"1234")
    (tmp_path / "outside").write_bytes(b"outside")
    (place / "alias").symlink_to("deep/file")
    (place / "out").symlink_to("../outside")
    (place / "up").symlink_to("..")
    (place / "device").symlink_to("/dev/zero")
    os.mkfifo(place / "pipe")
    return place


@pytest.mark.parametrize("name", ["deep/file", "alias", "deep/../alias"])
def test_a_file_below_the_folder_is_read_links_resolved(folder, name):
    assert read_file(folder / name, 4, str(folder)) == b"1234"


@pytest.mark.parametrize("name", ["out", "up/outside", "../outside", "device", "/etc/passwd"])
def test_what_leads_out_of_the_folder_is_not_opened(folder, name):
    with pytest.raises(OutsideFolder):
        read_file(folder / name, 100, str(folder))


def test_a_file_is_not_larger_than_was_asked_for(folder):
    with pytest.raises(TooLarge) as raised:
        read_file(folder / "alias", 3)
    assert raised.value.filename == str(folder / "alias")


@pytest.mark.parametrize("name", ["pipe", "device"])
def test_pipes_and_devices_are_refused_at_once(folder, name):
    for read in (lambda p: read_file(p, 9), lambda p: digest_of_file(p, 9)):
        with pytest.raises(NotRegular):
            read(folder / name)
    with pytest.raises(RunError, match="not a regular file"):
        read_cassette(str(folder / name))


def test_folders_are_refused_and_digests_are_those_of_the_bytes(folder):
    with pytest.raises(IsADirectoryError):
        read_file(folder / "deep", 9)
    assert digests_of([folder / "alias"], folder) == {"alias": hashlib.sha256(b"1234").hexdigest()}


def test_no_link_is_followed_from_an_open_folder(folder):
    for parts in (["up"], ["up", "folder"], ["alias"]):
        with pytest.raises(OSError):
            open_folder(folder, parts)


def test_folders_are_walked_as_pythons_own_walk_does_and_however_deep(folder):
    for follow in (False, True):
        expected = {place: (set(f), set(n)) for place, f, n in os.walk(folder, followlinks=follow)}
        seen = {place: (set(f), set(n)) for place, f, n in walk(folder, follow=follow)}
        assert seen == expected
    with deep(folder):
        assert sum(1 for _ in walk(folder)) > 1500
        kept = 0
        for _, folders, _ in walk(folder):
            folders[:] = [name for name in folders if name != "n"]  # what is taken out stays out
            kept += 1
        assert kept == 2
