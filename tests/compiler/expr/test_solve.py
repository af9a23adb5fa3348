"""Witnesses: values under which conditions come out as wanted."""

from __future__ import annotations

import pytest
from flowc.compiler.expr.evaluate import evaluate, truth_of
from flowc.compiler.expr.parse import parse
from flowc.compiler.expr.solve import combinations, path_of, paths_in
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
    assert combinations(read(*texts), types).witness(*[True] * len(texts)) == expected


@pytest.mark.parametrize("texts", [["x > 3", "x < 3"], ["x == 'a'", "x == 'b'"], ["x", "not x"]])
def test_nothing_is_found_where_nothing_is(texts):
    assert combinations(read(*texts), {}).witness(*[True] * len(texts)) is None


@pytest.mark.parametrize(
    ("texts", "types", "count"),
    [
        (["x"], {"x": "boolean"}, 2),
        (["x > 3"], {"x": "number"}, 3),
        (["x > 3", "x < 5"], {"x": "integer"}, 5),
        (["x == 'a'"], {"x": "text"}, 2),
        (["x == 'a'"], {}, 2),
        (["x > 3", "y == 'a'"], {"x": "number", "y": "text"}, 6),
        (["x == 3"], {"x": "text"}, 1),
        (["a", "a.b"], {}, 0),
    ],
)
def test_values_to_try_are_the_written_ones_and_those_between_and_beside(texts, types, count):
    assert combinations(read(*texts), types).count == count


def test_a_condition_that_cannot_be_evaluated_does_not_hold():
    assert combinations(read("trim()"), {}).witness(True) is None
    assert combinations(read("trim()"), {}).witness(False) == {}


def test_between_whole_numbers_a_whole_one_is_tried():
    conditions = read("x > 2", "x < 6", "x != 3", "x != 5")
    assert combinations(conditions, {"x": "integer"}).witness(*[True] * 4) == {"x": 4}


def test_two_paths_into_one_object_are_values_of_one_variable():
    conditions = read("a.b == 'p' and a.c == 'q'")
    assert combinations(conditions, {}).witness(True) == {"a.b": "p", "a.c": "q"}


def test_truth_that_is_asked_for_within_a_condition_is_tried():
    assert combinations(read("a and b == 'x'"), {}).witness(True) == {"a": True, "b": "x"}
    assert combinations(read("not a"), {}).witness(True) == {"a": False}
    assert combinations(read("a or b"), {}).witness(False) == {
        "a": False,
        "b": False,
    }


def test_a_path_is_names_with_dots_and_nothing_else():
    assert path_of(parse("a.b.c", "a", 0)) == ("a", "b", "c")
    assert path_of(parse("a[0].b", "a", 0)) is None
    assert [*paths_in(parse("a.b + c[d.e] - a.b", "a", 0))] == [
        ("a", "b"), ("c",), ("d", "e"), ("a", "b")
    ]  # fmt: skip


def test_a_path_within_another_is_not_tried():
    assert combinations(read("a == 1", "a.b == 2"), {}).witness(True) is None


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
    found = combinations(conditions, types).witness(*[wanted] * len(conditions))
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
