"""Witnesses: values under which conditions come out as wanted."""

from __future__ import annotations

import pytest
from flowc.compiler.expr.evaluate import evaluate, truth_of
from flowc.compiler.expr.parse import parse
from flowc.compiler.expr.solve import witness
from hypothesis import given
from hypothesis import strategies as st


def read(*texts):
    return [parse(text, "a", 0) for text in texts]


@pytest.mark.parametrize(
    ("texts", "types", "expected"),
    [
        (["x > 3"], {"x": "integer"}, {"x": 4}),
        (["x == 'a'"], {}, {"x": "a"}),
        (["a.b == 'c'", "a.d"], {}, {"a.b": "c", "a.d": True}),
        (["x in ['p', 'q']"], {"x": "text"}, {"x": "p"}),
        (["not flag"], {"flag": "boolean"}, {"flag": False}),
        (["x > 3", "x < 4"], {"x": "number"}, {"x": 3.5}),
    ],
)
def test_all_of_them_hold(texts, types, expected):
    assert witness(read(*texts), all, types) == expected


@pytest.mark.parametrize("texts", [["x > 3", "x < 3"], ["x == 'a'", "x == 'b'"], ["x", "not x"]])
def test_nothing_is_found_where_nothing_is(texts):
    assert witness(read(*texts), all, {}) is None


def test_a_path_within_another_is_not_tried():
    assert witness(read("a == 1", "a.b == 2"), any, {}) is None


COMPARISONS = st.builds(
    "{} {} {}".format,
    st.sampled_from("xyz"),
    st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
    st.integers(-5, 5),
)


@given(st.lists(COMPARISONS, min_size=1, max_size=3), st.booleans())
def test_a_witness_is_true_and_between_comparisons_none_is_missed(texts, wanted):
    """Over numbers that are compared with written ones, trying is as good as proving."""
    conditions = read(*texts)
    types = dict.fromkeys("xyz", "number")
    found = witness(conditions, lambda truths: all(t == wanted for t in truths), types)
    grid = [n / 2 for n in range(-14, 15)]
    if found is not None:
        assert all(truth_of(evaluate(c, found)) == wanted for c in conditions)
    else:
        assert not any(
            all(truth_of(evaluate(c, {"x": x, "y": y, "z": z})) == wanted for c in conditions)
            for x in grid
            for y in grid[::7]
            for z in grid[::7]
        )
