"""What is no regular file is refused with words: it could hold the compiler or fill the memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file


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
