"""What the signals do that end what listens."""

from __future__ import annotations

import os
import types

import pytest
from flowc.runtime.cli import listening


class _Ended(Exception):
    """In place of the process."""


def _end(code: int) -> None:
    raise _Ended(code)


def test_a_signal_that_comes_while_the_first_is_being_told_is_the_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, told = types.SimpleNamespace(should_exit=False), list[bytes]()

    def write(file: int, words: bytes) -> None:
        told.append(words)
        if len(told) == 1:
            listening.end_on_signal(server)

    monkeypatch.setattr(os, "write", write)
    monkeypatch.setattr(os, "_exit", _end)
    with pytest.raises(_Ended, match="130"):
        listening.end_on_signal(server)
    assert [b"once more" in words for words in told] == [True, False]
    assert server.should_exit


def test_a_reader_that_has_stopped_reading_or_is_gone_holds_no_end_up() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = os.dup(2)
    try:
        while True:
            try:
                os.write(writer, b"." * 65536)
            except BlockingIOError:
                break
        os.set_blocking(writer, True)
        os.dup2(writer, 2)
        listening.end_on_signal(types.SimpleNamespace(should_exit=False))
        os.close(reader)
        listening.end_on_signal(types.SimpleNamespace(should_exit=False))
        os.close(2)
        listening.end_on_signal(types.SimpleNamespace(should_exit=False))
    finally:
        os.dup2(before, 2)
        os.close(before)
        os.close(writer)
