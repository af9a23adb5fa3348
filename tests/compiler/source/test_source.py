"""What is no regular file is refused with words: it could hold the compiler or fill the memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file
from flowc.compiler.source.source import SourceSet


@pytest.mark.timeout(120)
def test_a_pipe_without_a_writer_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (item,) = compile_file(str(tmp_path / "pipe.md")).diagnostics
    assert item.code == "FC0001"
    assert "is a pipe or a device" in item.message


@pytest.mark.timeout(120)
def test_a_device_without_an_end_is_refused_at_once() -> None:
    (item,) = compile_file("/dev/zero").diagnostics
    assert item.code == "FC0001"
    assert "`-` reads standard input" in item.message


def test_what_cannot_be_looked_at_is_not_lacking(tmp_path):
    """Who opens it is told why; only what surely is not there is passed over, and remembered."""
    (tmp_path / "here").write_text("", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    shown = str(tmp_path / "unsaved")
    sources = SourceSet(overrides={shown: ""})
    assert not sources.lacks(shown)
    for name in ("here", "link", "nul\0"):
        assert not sources.lacks(str(tmp_path / name)), name
    assert sources.missing == {}
    assert sources.lacks(str(tmp_path / "gone"))
    assert list(sources.missing) == [str(tmp_path / "gone")]
