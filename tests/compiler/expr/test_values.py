"""How JSON values are read as text, number and truth value, and compared."""

from __future__ import annotations

import math

import pytest
from flowc.compiler.expr.values import (
    MAX_TEXT,
    EvaluationError,
    equal,
    json_text,
    kind_of,
    order_of,
    preview,
    read_number,
    text_of,
    truth_of,
)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, 3),
        (2.5, 2.5),
        (" 3 ", 3),
        ("-.5", -0.5),
        ("1e2", 100.0),
        ("+7", 7),
        ("9" * 300, int("9" * 300)),
        ("9" * 301, None),
        ("1e999", None),
        ("1_000", None),
        ("٣", None),
        ("0x10", None),
        ("", None),
        (" " * 999 + "1", 1),
        (" " * 1000 + "1", None),
        (True, None),
        (None, None),
        ([1], None),
        (math.inf, None),
        (math.nan, None),
    ],
)
def test_what_is_read_as_a_number(value, number):
    assert repr(read_number(value)) == repr(number)


@pytest.mark.parametrize("value", [None, False, 0, 0.0, "", "  ", " False ", "0", "0.0", [], {}])
def test_what_is_false(value):
    assert truth_of(value) is False


@pytest.mark.parametrize("value", [True, 1, -0.5, "no", "true", "1", "null", [0], {"a": 0}])
def test_what_is_true(value):
    assert truth_of(value) is True


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ({"a": 1}, [1], False),
        ([1], {"a": 1}, False),
        ([1, 2], [1], False),
        ([1], [1, 2], False),
        ([1, 2], [1, 3], False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": [1]}, {"a": [2]}, False),
        ({"a": 1}, None, False),
        ([True], [1], False),
        (True, True, True),
        (True, None, False),
        (None, None, True),
        ("a", ["a"], False),
    ],
)
def test_lists_and_objects_are_equal_when_all_in_them_is(left, right, same):
    assert equal(left, right) is same
    assert equal(right, left) is same


@pytest.mark.parametrize(
    ("left", "right", "sign"),
    [(1, 2, -1), (2, 2.0, 0), ("10", "9", 1), ("10", "9a", -1), ("b", "a", 1), ("a", "a", 0),
     (None, "a", -1), (True, "true", 0)],
)  # fmt: skip
def test_order_is_by_number_where_both_are_numbers(left, right, sign):
    assert order_of(left, right) == sign


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e15, "1000000000000000"),
        (1e16, "1e+16"),
        (-1e16, "-1e+16"),
        (-2.0, "-2"),
        (False, "false"),
    ],
)
def test_a_whole_number_is_written_as_one_up_to_sixteen_digits(value, text):
    assert text_of(value) == text


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, [math.nan], {"a": math.inf}])
def test_what_is_not_a_number_has_no_text(value):
    with pytest.raises(EvaluationError):
        text_of(value)


def test_an_integer_of_thousands_of_digits_has_no_text():
    with pytest.raises(EvaluationError, match="too large"):
        text_of(10**5000)


def test_json_keeps_the_order_of_keys_and_letters_as_they_are():
    assert json_text({"ü": 1, "a": None}) == '{"ü": 1, "a": null}'
    with pytest.raises(EvaluationError, match="cannot be written as JSON"):
        json_text({1})


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "null"), (True, "a truth value"), (1, "a number"), (1.5, "a number"), ("", "a text"),
     ([], "a list"), ({}, "an object"), ((), "a tuple")],
)  # fmt: skip
def test_what_a_value_is_called(value, words):
    assert kind_of(value) == words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x" * 40, f"`{'x' * 40}`"),
        ("x" * 41, f"`{'x' * 40}…`"),
        (" one ", "`one`"),
        ("one\ntwo", "`one…`"),
        (3, "a number"),
    ],
)
def test_a_text_in_a_message_is_shown_by_its_beginning(value, shown):
    assert preview(value) == shown


def test_a_text_may_be_as_long_as_the_limit_says(value):
    half = "x" * (MAX_TEXT // 2)
    assert len(value("A + A", A=half)) == MAX_TEXT
    with pytest.raises(EvaluationError, match=f"more than {MAX_TEXT} characters"):
        value("A + A + 'x'", A=half)
