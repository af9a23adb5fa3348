"""Regular expressions: what is refused, and in which words."""

from __future__ import annotations

import pytest
from flowc.compiler.expr.evaluate import EvaluationError
from flowc.compiler.expr.function_texts import MAX_CHARACTERS, pattern_fault, pattern_matches


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("(a", "a `(` is not closed"),
        ("a)", "a `)` closes nothing"),
        ("[a", "a `[` is not closed"),
        ("*a", "nothing stands before `*` that could be repeated"),
        ("a**", "`**` repeats a repetition"),
        ("a{1001}", "`{1001}` is not a number of repetitions up to 1,000"),
        ("(?=a)", "`(?=` does not exist: look-around is not supported"),
        (r"(a)\1", r"`\1` does not exist: back references are not supported"),
        ("[b-a]", "`b-a` is not a range or class of characters"),
        ("a\\", "it ends with a single `\\`"),
    ],
)
def test_an_invalid_pattern_says_why(pattern, fault):
    assert pattern_fault(pattern) == fault


def test_a_pattern_may_be_as_long_as_the_limit_says():
    assert pattern_fault("a" * MAX_CHARACTERS) is None
    assert pattern_fault("a" * (MAX_CHARACTERS + 1)) == "it has more than 1000 characters"


def test_of_a_long_pattern_the_beginning_is_shown(value):
    with pytest.raises(EvaluationError) as caught:
        value("'a' matches A", A="(" + "b" * 80)
    assert str(caught.value).startswith(f"`({'b' * 59}` ")


def test_a_pattern_matches_anywhere_in_the_text():
    assert pattern_matches("b+", "abbc")
    assert not pattern_matches("^b", "abbc")
    assert pattern_matches("ü$", "für ü")
