"""YAML with places: where everything stands, what is told of a file that is none, and bounds."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
import yaml
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Diagnostic, Sink
from flowc.compiler.reading.tree import MapAt, Scalar, Value, json_of, parts_of
from flowc.compiler.reading.yaml_syntax import read_yaml
from flowc.compiler.source.source import Source
from hypothesis import given
from hypothesis import strategies as st

KEYS = frozenset(("title", "nodes", "into", "agent", "tools"))
GOOD = """\
flow: 1
title: A title
agents:
  clerk: {system: You write., tools: [list_files]}
nodes:
  - name: write
    agent: clerk
    prompt: "Write about {{ topic }}."
    into: text
    next: end
params:
  topic: text
"""


def read(text: str) -> tuple[Value | None, tuple[Diagnostic, ...]]:
    sink = Sink(CODES)
    return read_yaml(Source("a.yaml", text), sink, KEYS), sink.all()


def walk(value: Value) -> list[Value]:
    found = [value]
    for part in parts_of(value):
        found += walk(part)
    return found


def test_values_and_places_are_those_of_the_file():
    text = "a: 'it''s'\nb: [1, null, yes]\nc: |\n  one\n  two\nd: \"x\\n\\u00e9 y\"\n"
    root, found = read(text)
    assert isinstance(root, MapAt)
    assert found == ()
    meant = {"a": "it's", "b": [1, None, "yes"], "c": "one\ntwo\n", "d": "x\né y"}
    assert json_of(root) == meant
    d = root.get("d")
    assert isinstance(d, Scalar)
    assert [text[slice(*_ends(d, at))] for at in (0, 1, 2, 4)] == ["x", "\\n", "\\u00e9", "y"]
    c = root.get("c")
    assert isinstance(c, Scalar)
    assert text[slice(*_ends(c, 4))] == "t"


def _ends(scalar: Scalar, at: int) -> tuple[int, int]:
    place = scalar.at(at, at + 1)
    return place.start, place.end


SLIPS = [
    ("title: A title", "title A title", "no colon stands behind `title`"),
    ("title: A title", "title = A title", "no colon stands behind `title`"),
    ("title: A title", "title: A title: part 1", "a text with `: ` stands without quotes"),
    ("title: A title", "title: @home", "a text that begins with `@` stands without quotes"),
    ("title: A title", 'title: "A" title', 'the text goes on behind `"`'),
    ("title: A title", 'title: "A \\d"', "`\\d` is not an escape in YAML"),
    ("[list_files]", "[list_files", "this `[` is not closed"),
    ("[list_files]", "[list_files}", "this `[` is not closed"),
    ("You write., tools", "You write. tools", "no comma stands before `tools`"),
    ("    agent: clerk", "     agent: clerk", "this line is indented too far"),
    ("    agent: clerk", "   agent: clerk", "this line is indented unlike those around it"),
    ("    agent: clerk", "\tagent: clerk", "a tab stands where blanks indent"),
    ("    into: text", "    into text", "no colon stands behind `into`"),
    ("    into: text", "    into:text", "no blank stands behind the colon"),
    ('}}."', "}}.", "this quote is not closed"),
    ("  clerk:", "  clerk", "no colon stands behind `clerk`"),
    ("nodes:", "nodes", "no colon stands behind `nodes`"),
]


@pytest.mark.parametrize(("right", "wrong", "message"), SLIPS)
def test_a_slip_is_told_where_it_is_and_its_fix_makes_yaml(right, wrong, message):
    assert GOOD.count(right) == 1
    line = GOOD[: GOOD.index(right)].count("\n") + 1
    text = GOOD.replace(right, wrong)
    _, found = read(text)
    first = found[0]
    assert first.message == message
    assert text.count("\n", 0, first.primary.start) + 1 == line
    assert first.fix is not None
    fix = first.fix
    mended = text[: fix.span.start] + fix.text + text[fix.span.end :]
    assert read(mended)[1] == found[1:], mended


def test_a_line_that_goes_on_is_not_an_escape():
    text = 'a:\n  {b: c, d: "e \\'
    assert "`\\` is not an escape in YAML" not in {item.message for item in read(text)[1]}
    assert all(item.primary.end <= len(text) for item in read(text)[1])


def test_every_slip_of_a_file_is_told_and_the_rest_is_read():
    text = GOOD.replace("title: ", "title ").replace("into: ", "into:").replace("files]", "files")
    root, found = read(text)
    assert [(d.message, text.count("\n", 0, d.primary.start) + 1) for d in found] == [
        ("no colon stands behind `title`", 2),
        ("this `[` is not closed", 4),
        ("no blank stands behind the colon", 9),
    ]
    assert isinstance(root, MapAt)
    names = [v for v in walk(root) if isinstance(v, Scalar) and v.text in ("clerk", "end", "text")]
    assert [text[v.start : v.end] for v in names] == [v.text for v in names]


def test_what_may_mean_anything_is_not_read_on():
    root, found = read(GOOD.replace("title: A title", "title: A title\n? - x: : y\n*"))
    assert (root, len(found)) == (None, 1)


def test_no_more_is_told_than_a_person_reads():
    text = "".join(f"  - name: n{i}\n    into:x{i}\n    assert: {{a\n" for i in range(200))
    _, found = read("nodes:\n" + text)
    assert 0 < len(found) <= 20


@pytest.mark.parametrize("size", [1_000_000, 4_000_000])
def test_slips_in_a_large_file_cost_a_bounded_number_of_readings(size):
    lines = "".join(f"  - name: n{i}\n    agent clerk\n" for i in range(size // 40))
    begin = time.process_time()
    _, found = read("nodes:\n" + lines)
    assert found
    assert time.process_time() - begin < 60


@given(
    at=st.integers(0, len(GOOD)),
    drop=st.integers(0, 3),
    put=st.text(alphabet="\"'{}[],:\t&*!|>-#%@`\\x \n\r", max_size=4),
)
def test_a_damaged_file_is_told_within_its_bounds(at, drop, put):
    text = GOOD[:at] + put + GOOD[at + drop :]
    root, found = read(text)
    spans = [d.primary for d in found] + [d.fix.span for d in found if d.fix]
    assert all(0 <= s.start <= s.end <= len(text) for s in spans), spans
    for value in walk(root) if root is not None else ():
        assert 0 <= value.start <= value.end <= len(text)
    if not any(d.code == "FC1001" for d in found):
        list(yaml.parse(text, Loader=yaml.CSafeLoader))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="ascii")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="ascii")), inner),
    max_leaves=20,
)


@given(VALUES)
def test_json_means_the_same_as_yaml(value: Any):
    root, found = read(json.dumps(value))
    assert root is not None
    assert (json_of(root), found) == (value, ())
