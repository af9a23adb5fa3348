"""Evaluating: JSON values in, a JSON value out, and every failure in words."""

from __future__ import annotations

from typing import get_args

import pytest
from flowc.compiler.expr.ast import BinaryOp, Call, ListOf, Literal, Name, Text, UnaryOp
from flowc.compiler.expr.evaluate import EvaluationError, evaluate, text_of
from flowc.compiler.expr.values import MAX_TEXT, equal


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a\nb", "a\nb"),
        (None, ""),
        (True, "true"),
        (3, "3"),
        (3.0, "3"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
        (["ä", 1], '["ä", 1]'),
        ({"a": None}, '{"a": null}'),
    ],
)
def test_the_text_form_of_every_kind_of_value(written, shown):
    assert text_of(written) == shown


def test_a_template_joins_the_text_forms_of_its_parts():
    template = Text(parts=(Literal(value="n = "), Name(name="N"), Name(name="GONE")))
    assert evaluate(template, {"N": 3.0}) == "n = 3"


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ("", None, False),
        ("", False, False),
        (" true ", True, True),
        ("TRUE", True, True),
        ("1", True, False),
        ("1e2", 100, True),
        ("", 0, False),
        ([1, "1"], [1.0, "1"], True),
        (["1"], [1], False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ("[1]", [1], False),
    ],
)
def test_equality(left, right, same):
    assert equal(left, right) is same
    assert equal(right, left) is same


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("first_line(R) == 'SUCCESS'", "SUCCESS\nmore", True),
        ("first_line(R) == 'SUCCESS'", "  SUCCESS \r\nmore", True),
        ("first_line(R) == 'SUCCESS'", "no SUCCESS", False),
        ("R contains 'more'", "SUCCESS\nmore", True),
        ("R matches 'mo+re'", "SUCCESS\nmooore", True),
        ("order(R, '9') > 0", "10", True),
        ("order(R, '9') > 0", "10 apples", False),
    ],
)
def test_what_the_flowchart_operators_are_made_of(value, text, first, second):
    """M31, M32, M33: first lines, whole texts, numbers when both sides are numbers."""
    assert value(text, R=first) is second


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("R starts with 'Alp'", True),
        ("R starts with 'lps'", False),
        ("R ends with 'ps'", True),
        ("R ends with 'Al'", False),
        ("42 starts with 4", True),
        ("42 ends with 2", True),
        ("GONE starts with ''", False),
        ("GONE ends with ''", False),
        ("R contains 'lp'", True),
        ("'lp' in R", True),
        ("R in 'lp'", False),
        ("GONE contains ''", False),
        ("'2' in [1, 2]", True),
        ("[1, 2] contains 3", False),
        ("[1, 2] contains '1, 2'", False),
        ("'a' in {'a': 1}", True),
        ("1 in {'a': 1}", False),
        ("GONE matches ''", False),
        ("R matches '^A.*s$'", True),
    ],
)
def test_operators_on_texts_and_collections(value, text, result):
    assert value(text, R="Alps") is result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("1 < 2", True),
        ("2 < 2", False),
        ("2 <= 2", True),
        ("3 <= 2", False),
        ("3 > 2", True),
        ("2 > 2", False),
        ("2 >= 2", True),
        ("1 >= 2", False),
        ("'10' > '9'", True),
        ("'b' > 'a'", True),
        ("GONE < 1", False),
        ("1 > GONE", False),
        ("GONE <= GONE", False),
    ],
)
def test_order(value, text, result):
    assert value(text) is result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("7 + 2", 9),
        ("7 - 2", 5),
        ("7 * 2", 14),
        ("7 / 2", 3.5),
        ("7 % 2", 1),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("-7.5 % 2", -1.5),
        ("7 % 2.5", 2.0),
        ("6 / 3", 2),
        ("6 / 4.0", 1.5),
        ("-(3)", -3),
        ("-(1 + 2)", -3),
        ("'7' - '2'", 5),
        ("'7' + 2", "72"),
        ("7 + 'a'", "7a"),
        ("'a' + GONE", "a"),
    ],
)
def test_arithmetic(value, text, result):
    assert value(text) == result


FAILS = "fails"
OPERATORS: dict[str, dict[str, object]] = {
    "==": {"1 == '1'": True, "1 == 2": False, "GONE == null": True, "GONE == ''": False},
    "!=": {"1 != 2": True, "1 != '1'": False, "GONE != 1": True, "GONE != null": False},
    "<": {"1 < 2": True, "2 < 2": False, "GONE < 1": False, "1 < GONE": False},
    "<=": {"2 <= 2": True, "3 <= 2": False, "GONE <= 1": False, "GONE <= GONE": False},
    ">": {"3 > 2": True, "2 > 2": False, "GONE > 1": False, "1 > GONE": False},
    ">=": {"2 >= 2": True, "1 >= 2": False, "GONE >= 1": False, "GONE >= GONE": False},
    "+": {"1 + 2": 3, "'1' + 2": "12", "GONE + 'a'": "a", "GONE + 1": FAILS},
    "-": {"3 - 2": 1, "'a' - 2": FAILS, "GONE - 1": FAILS, "1 - GONE": FAILS, "-GONE": FAILS},
    "*": {"3 * 2": 6, "'a' * 2": FAILS, "GONE * 1": FAILS, "1 * GONE": FAILS},
    "/": {"3 / 2": 1.5, "3 / 0": FAILS, "GONE / 1": FAILS, "1 / GONE": FAILS},
    "%": {"3 % 2": 1, "3 % 0": FAILS, "GONE % 1": FAILS, "1 % GONE": FAILS},
    "and": {"1 and 2": True, "1 and 0": False, "GONE and 1": False, "1 and GONE": False},
    "or": {"0 or 1": True, "0 or ''": False, "GONE or 1": True, "0 or GONE": False},
    "in": {"1 in [1]": True, "2 in [1]": False, "GONE in [null]": True, "1 in GONE": False},
    "contains": {
        "'ab' contains 'b'": True, "'ab' contains 'c'": False,
        "GONE contains 'a'": False, "[1] contains GONE": False,
    },
    "matches": {
        "'ab' matches 'b$'": True, "'ab' matches 'a$'": False,
        "GONE matches ''": False, "'ab' matches GONE": True,
    },
    "starts with": {
        "'ab' starts with 'a'": True, "'ab' starts with 'b'": False,
        "GONE starts with ''": False, "'ab' starts with GONE": True,
    },
    "ends with": {
        "'ab' ends with 'b'": True, "'ab' ends with 'a'": False,
        "GONE ends with ''": False, "'ab' ends with GONE": True,
    },
    "not": {"not 0": True, "not 1": False, "not GONE": True},
    "exists": {"'' exists": True, "GONE exists": False, "null exists": False},
}  # fmt: skip
"""For each operator what it gives when it holds, when it does not, and beside null."""


def test_the_table_has_every_operator():
    assert set(OPERATORS) == {*get_args(BinaryOp), *get_args(UnaryOp)}


@pytest.mark.parametrize("text", [text for rows in OPERATORS.values() for text in rows])
def test_every_operator_holds_or_not_and_takes_null(value, text):
    (result,) = (rows[text] for rows in OPERATORS.values() if text in rows)
    if result is FAILS:
        with pytest.raises(EvaluationError):
            value(text)
    else:
        assert value(text) == result
        assert type(value(text)) is type(result)


@pytest.mark.parametrize(
    ("text", "result"),
    [("A.length", 2), ("A.other", None), ("O.a", 1), ("O.b", None), ("O.length", 1), ("N.a", None)],
)
def test_a_field_that_is_not_there_is_null(value, text, result):
    assert value(text, A="ab", O={"a": 1}, N=3) == result


def test_only_the_side_that_is_needed_is_evaluated(value):
    assert value("true or 1 / 0 > 0") is True
    assert value("false and 1 / 0 > 0") is False


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / 0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("LIST < 1", "`<` compares numbers or texts, not a list"),
        ("null + 1", "`+` needs numbers, not null"),
        ("true - 1", "`-` needs numbers, not a truth value"),
        ("length(1)", "length needs a text, list or object, not a number"),
        ("keys('a')", "keys needs an object, not a text"),
        ("join('a')", "join needs a list, not a text"),
        ("number(LIST)", "a list is not a number"),
        ("nope(1)", "there is no function `nope`"),
        ("trim()", "`trim` takes 1 argument, not 0"),
        ("'a' matches '['", "`[` is not a regular expression: a `[` is not closed"),
        ("read_file('a.md')", "`read_file` is not allowed here"),
        ("1e308 * 10", "the number is too large"),
        ("BIG * BIG", "the number is too large"),
    ],
)
def test_what_has_no_value_says_why(value, text, reason):
    with pytest.raises(EvaluationError) as caught:
        value(text, LIST=[1], BIG=10**200)
    assert str(caught.value) == reason


def test_files_are_read_only_where_the_evaluator_is_given_them(read):
    seen = []
    files = {"a.md": "text"}
    assert evaluate(read("read_file('a.md')"), {}, files=lambda p: seen.append(p) or files[p]) == (
        "text"
    )
    assert seen == ["a.md"]


def test_what_files_raises_passes_through(read):
    def refuse(path: str) -> str:
        raise PermissionError(path)

    with pytest.raises(PermissionError):
        evaluate(read("read_file('a.md')"), {}, files=refuse)


def test_a_loop_cannot_fill_the_memory_with_text(value):
    half = "x" * (MAX_TEXT // 2 + 1)
    with pytest.raises(EvaluationError, match="characters"):
        value("A + A", A=half)
    with pytest.raises(EvaluationError, match="characters"):
        value("join(A, B)", A=["x"] * 10, B=half)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*)(.*)(.*)(.*)x$"])
def test_no_pattern_hangs(value, pattern):
    assert value(f"A matches '{pattern}'", A="a" * 50_000 + "b") is False


def test_half_a_surrogate_pair_is_no_reason_to_fail(value):
    assert value("A matches 'x'", A="\ud83dx") is True


def test_values_nested_beyond_all_reason_fail_in_words():
    deep: list = []
    for _ in range(50_000):
        deep = [deep]
    with pytest.raises(EvaluationError):
        equal(deep, [deep])
    with pytest.raises(EvaluationError):
        text_of(deep)


@pytest.mark.parametrize(
    ("values", "mean", "least"),
    [([0.75, None, 0.25], 0.5, 0.25), ([], None, None), ([None], None, None), (["2", 1], 1.5, 1)],
)
def test_mean_and_min_leave_out_null(values, mean, least) -> None:
    items = ListOf(items=tuple(Literal(value=value) for value in values))
    assert evaluate(Call(function="mean", args=(items,)), {}) == mean
    assert evaluate(Call(function="min", args=(items,)), {}) == least
