"""Lines and columns as a client counts them."""

from __future__ import annotations

import pytest
from flowc.runtime.lsp.lines import Lines, Shift
from hypothesis import given
from hypothesis import strategies as st

TEXT = "ab🔧c\r\n→é🛠️ x\rlast\n\n"
texts = st.text(alphabet="ab\n\r\u2028é→🧭\ufeff", max_size=30)
encodings = st.sampled_from(["utf-8", "utf-16", "utf-32"])


@pytest.mark.parametrize(
    ("encoding", "place"), [("utf-16", (0, 4)), ("utf-8", (0, 6)), ("utf-32", (0, 3))]
)
def test_a_column_counts_units_of_the_encoding(encoding, place):
    assert Lines(TEXT, encoding).position(TEXT.index("c")) == place


def test_every_kind_of_line_end_ends_a_line_and_nothing_else_does():
    lines = Lines("a\nb\r\nc\rd\u2028e\x0bf\x85g", "utf-16")
    assert [lines.position(n)[0] for n in (0, 2, 5, 7, 9, 11, 13)] == [0, 1, 2, 3, 3, 3, 3]


@given(texts, encodings)
def test_there_and_back(text, encoding):
    lines = Lines(text, encoding)
    for offset in range(len(lines.body) + 1):
        if lines.body[max(0, offset - 1) : offset + 1] != "\r\n":
            assert lines.offset(*lines.position(offset)) == offset


@given(texts, encodings, st.integers(-3, 99), st.integers(0, 99))
def test_a_place_that_does_not_exist_is_the_nearest_one(text, encoding, line, column):
    lines = Lines(text, encoding)
    assert 0 <= lines.offset(line, column) <= len(lines.body)


@given(texts, encodings, st.data())
def test_an_edit_is_what_the_client_made(text, encoding, data):
    lines = Lines(text, encoding)
    size = len(lines.body)
    start = data.draw(st.integers(0, size))
    end = data.draw(st.integers(start, size))
    changed = lines.replace(start, end, "x\ny")
    assert changed.body == lines.body[:start] + "x\ny" + lines.body[end:]


@given(texts, texts, texts, texts)
def test_characters_outside_of_an_edit_keep_their_places(head, old, new, tail):
    first, second = head + old + tail, head + new + tail
    shift = Shift(first, second)
    kept = [n for n in range(len(first)) if n < shift.head or n >= len(first) - shift.tail]
    assert len(kept) >= len(head + tail)
    assert [first[n] for n in kept] == [second[shift.to_new(n)] for n in kept]
    assert all(shift.to_old(shift.to_new(n)) == n for n in kept)
    assert all(0 <= shift.to_new(n) <= len(second) for n in range(len(first) + 1))
