"""Folders are removed whatever somebody made in them, and nothing beside them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from deep_folders import deep
from flowc.runtime.files.tempdirs import remove_tree


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    kept = tmp_path / "outside"
    kept.mkdir()
    (kept / "precious").write_text("kept")
    return kept


def test_a_folder_is_removed_however_deep(tmp_path: Path, outside: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    with deep(place, 1500, outside):
        opened = len(os.listdir("/proc/self/fd"))
        remove_tree(place)
        assert not place.exists()
        assert len(os.listdir("/proc/self/fd")) == opened
    assert (outside / "precious").read_text() == "kept"


def test_what_nobody_may_look_into_goes_and_no_link_is_followed(
    tmp_path: Path, outside: Path
) -> None:
    place = tmp_path / "place"
    (place / "a/b/c").mkdir(parents=True)
    (place / "a/file").write_text("x")
    (place / "a/b/to").symlink_to(outside)
    (place / "dangling").symlink_to("nowhere")
    os.mkfifo(place / "a/b/c/pipe")
    for name in ("a/b/c", "a/b", "a", "."):
        (place / name).chmod(0)
    remove_tree(place)
    assert not place.exists()
    (tmp_path / "link").symlink_to(outside)
    remove_tree(tmp_path / "link")
    remove_tree(tmp_path / "nothing")
    assert (outside / "precious").read_text() == "kept"
