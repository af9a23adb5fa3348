"""Frames that a hostile process writes: refused before they are built, and in no time."""

from __future__ import annotations

import json
import time
import tracemalloc

import pytest
from flowc.runtime.state.frames import (
    MIB,
    BadFrame,
    FrameBounds,
    fields_of,
    read_frame,
    read_literal,
    read_object,
)

HOSTILE = {
    "holds more": b"[" * 3_000_000,
    "nested more than": b"[" * 1_900_000,
    "nested more": b'{"a":' * 200_000 + b"1" + b"}" * 200_000,
    "holds more than": b"[" + b"[]," * 2_500_000 + b"1]",
    "values": b"[" + b"0," * 2_500_000 + b"0]",
    "is not JSON": b'"' + b'\\"' * 2_000_000,
    "not JSON": b"9" * 1_000_000,
    "is longer than": b" " * (16 * MIB + 1),
    "JSON": b"\xff\xfe",
}


@pytest.mark.parametrize("why", HOSTILE)
def test_what_does_not_fit_is_refused_before_it_is_built(why: str) -> None:
    began = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(BadFrame, match=why):
            read_frame(HOSTILE[why])
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 48 * MIB
    assert time.process_time() - began < 10


def test_a_text_may_hold_any_number_of_brackets_and_commas() -> None:
    text = '[,{\\"' * 700_000
    assert read_frame(json.dumps({"a": text})) == {"a": text}
    assert read_frame(json.dumps(text).encode()) == text


def test_a_frame_has_its_own_bounds() -> None:
    deep = FrameBounds(depth=2)
    assert read_frame("[[1]]", deep) == [[1]]
    with pytest.raises(BadFrame, match="more than 2 levels"):
        read_frame("[[[]]]", deep)
    with pytest.raises(BadFrame, match="more than 3 values"):
        read_frame("[1,2,3]", FrameBounds(values=3))


def test_fields_are_held_to_their_types_and_others_are_left_out() -> None:
    types = {"name": str, "count": int, "rest": (list, type(None))}
    assert read_object('{"name": "a", "count": 1, "x": 2}', types) == {
        "name": "a",
        "count": 1,
        "rest": None,
    }
    for value in ([], {"count": 1}, {"name": "a", "count": True}, {"name": 1, "count": 1}):
        with pytest.raises(BadFrame):
            fields_of(value, types)


def test_a_line_of_the_launcher_is_a_bounded_dictionary() -> None:
    assert read_literal(b"{'end': {'why': '', 'status': 0}}", 100) == {
        "end": {"why": "", "status": 0}
    }
    lines = (b"[" * 90, b"{1: 2}", b"[1]", b"f()", b"{'a': '" + b"x" * 100 + b"'}", b"\xff")
    for line in (*lines, b"{'a': " + b"(" * 5000):
        with pytest.raises(BadFrame):
            read_literal(line, 100 if len(line) < 5000 else 10_000)
