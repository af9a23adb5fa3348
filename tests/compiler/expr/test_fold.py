"""Folding: constants are computed once, everything else stays as it is."""

from __future__ import annotations

import pytest
from flowc.compiler.expr.ast import Call, Literal, Name, Text
from flowc.compiler.expr.fold import fold
from flowc.compiler.expr.types import infer


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("length('abc') > 2", True),
        ("false and A", False),
        ("A == 1 or true", None),
        ("true or A", True),
        ("'a' matches '^a'", True),
    ],
)
def test_constants(read, text, value):
    folded = fold(read(text))
    if value is None:
        assert folded == read(text)
    else:
        assert folded == Literal(value=value)
        assert folded.span == read(text).span


def test_what_is_left_of_a_decided_side_is_its_truth(read):
    assert fold(read("true and A")) == Call(function="boolean", args=(Name(name="A"),))


@pytest.mark.parametrize("text", ["1 / 0", "nope(1)", "read_file('a.md')", "keys('a')", "'a' < A"])
def test_what_fails_or_comes_from_outside_stays(read, text):
    assert fold(read(text)) == read(text)


def test_neighbouring_texts_become_one():
    parts = (Literal(value="a"), Literal(value=1), Name(name="N"), Literal(value=None))
    assert fold(Text(parts=parts)) == Text(parts=(Literal(value="a1"), Name(name="N")))
    assert fold(Text(parts=parts[:2])) == Literal(value="a1")
    assert fold(Text(parts=())) == Literal(value="")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1", "integer"),
        ("1.5", "number"),
        ("'a'", "text"),
        ("true", "boolean"),
        ("null", "any"),
        ("N", "integer"),
        ("M", "any"),
        ("N.a", "any"),
        ("N + 1", "number"),
        ("N + 'a'", "text"),
        ("M + 1", "any"),
        ("M * 2", "number"),
        ("M == 2", "boolean"),
        ("M and N", "boolean"),
        ("not M", "boolean"),
        ("-M", "number"),
        ("length(M)", "integer"),
        ("nope(M)", "any"),
    ],
)
def test_types(read, text, kind):
    assert infer(read(text), {"N": "integer"}) == kind
