"""Folding: constants are computed once, everything else stays as it is."""

from __future__ import annotations

import pytest
from flowc.compiler.expr.ast import Call, Literal, Name, Text
from flowc.compiler.expr.types import fold, infer
from flowc.compiler.source.source import Span


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


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("false or false", False),
        ("true and 'x'", True),
        ("true and 0", False),
        ("0 or 'x'", True),
        ("'x' or A", True),
        ("0 and A", False),
        ("not 0", True),
        ("null == null", True),
        ("coalesce(null)", None),
        ("length('ab')", 2),
    ],
)
def test_a_truth_that_is_decided_is_true_or_false(read, text, value):
    folded = fold(read(text))
    assert folded == Literal(value=value)
    assert type(folded.value) is type(value)


@pytest.mark.parametrize("text", ["[1, 2]", "{'a': 1}", "append([1], 2)", "A + 1", "[A]"])
def test_lists_objects_and_what_reads_a_variable_stay(read, text):
    assert fold(read(text)) == read(text)


def test_a_part_of_an_expression_is_computed_too(read):
    assert fold(read("A > 1 + 2")) == read("A > 3")
    assert fold(read("0 or A")) == fold(read("true and A"))


def test_texts_that_become_one_stand_where_all_of_them_stood():
    a, b, c = (Literal(value=v, span=Span("f", n, n + 1)) for v, n in (("a", 2), ("b", 5), (1, 8)))
    folded = fold(Text(parts=(a, b, c, Name(name="N"))))
    assert folded.parts[0].span == Span("f", 2, 9)
    elsewhere = Literal(value="x", span=Span("g", 0, 1))
    assert fold(Text(parts=(a, elsewhere, Name(name="N")))).parts[0].span == a.span


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
