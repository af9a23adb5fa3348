"""The functions of the language: each says how many arguments it takes, and what it refuses."""

from __future__ import annotations

import inspect

import pytest
from flowc.compiler.expr.evaluate import EvaluationError
from flowc.compiler.expr.functions import FUNCTIONS, Function
from flowc.compiler.expr.values import MAX_TEXT

PURE = [function for function in FUNCTIONS.values() if function.apply is not None]


@pytest.mark.parametrize("function", PURE, ids=lambda f: f.name)
def test_a_function_takes_as_many_arguments_as_it_says(function: Function) -> None:
    assert function.apply is not None
    parameters = inspect.signature(function.apply).parameters.values()
    required = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    if function.most is None:
        assert [*parameters][-1].kind is inspect.Parameter.VAR_POSITIONAL
        assert len(parameters) == len(function.parameters)
        assert len(required) <= function.least
    else:
        assert (function.least, function.most) == (len(required), len(parameters))


def test_reading_a_file_takes_its_path(value):
    with pytest.raises(EvaluationError, match="`read_file` takes 1 argument, not 2"):
        value("read_file('a', 'b')")


@pytest.mark.parametrize(
    ("name", "words"),
    [("trim", "1 argument"), ("put", "3 arguments"), ("join", "1 to 2 arguments"),
     ("coalesce", "1 or more arguments")],
)  # fmt: skip
def test_the_number_of_arguments_in_words(name, words):
    assert FUNCTIONS[name].arity == words


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("length(GONE)", 0),
        ("length({'a': 1})", 1),
        ("number(' 4 ')", 4),
        ("number(true)", 1),
        ("is_number(' 4 ')", True),
        ("is_number('four')", False),
        ("coalesce(GONE, '', 1)", ""),
        ("coalesce(GONE)", None),
        ("default('', 1)", 1),
        ("default(GONE, 1)", 1),
        ("default(0, 1)", 0),
        ("which(false, 0, 'yes', true)", 3),
        ("which(false)", 0),
        ("put(GONE, 'a', 1)", {"a": 1}),
        ("put({'a': 1, 'b': 2}, 'a', 3)", {"a": 3, "b": 2}),
        ("append(GONE, 1)", [1]),
        ("append([1], [2])", [1, [2]]),
        ("truthy('0')", True),
        ("truthy([])", True),
        ("truthy('')", False),
        ("truthy(0)", False),
        ("truthy(true)", True),
        ("either(0, 'b')", "b"),
        ("either('a', 'b')", "a"),
        ("join(['a', 1, GONE])", "a, 1, "),
        ("join(['a', 'b'], '-')", "a-b"),
        ("mean([1, 2])", 1.5),
        ("min([3, '2'])", 2),
        ("first_line(' a \\n b')", "a"),
        ("shell_quote('a b')", "'a b'"),
        ("shell_quote('$a', 'double')", "\\$a"),
        ("shell_quote('a`\"', 'double')", 'a\\`\\"'),
    ],
)
def test_what_a_function_gives(value, text, result):
    assert value(text) == result


def test_a_quote_inside_single_quotes_leaves_them_for_a_moment(value):
    assert value("shell_quote(A, 'single')", A="a'b") == "a'\\''b"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("put([], 'a', 1)", "put needs an object, not a list"),
        ("append({}, 1)", "append needs a list, not an object"),
        ("mean('a')", "mean needs a list, not a text"),
        ("min([true])", "min compares numbers or texts, not a truth value"),
        ("shell_quote('a', 'here')", "shell_quote knows word, double, single"),
    ],
)
def test_what_a_function_refuses(value, text, reason):
    with pytest.raises(EvaluationError) as caught:
        value(text)
    assert str(caught.value) == reason


CALLS = [{"id": "1", "name": "cut", "args": {"a": 1}}, {"id": "2", "name": "mix", "args": {}}, 3]


@pytest.mark.parametrize(
    ("reply", "calls", "arguments"),
    [
        ({"tool_calls": CALLS}, CALLS[:2], {"a": 1}),
        ({"tool_calls": "none"}, [], None),
        ({"text": "hello"}, [], None),
        ("hello", [], None),
    ],
)
def test_the_calls_of_a_reply(value, reply, calls, arguments):
    assert value("tool_calls(R)", R=reply) == calls
    assert value("tool_arguments(R, 'cut')", R=reply) == arguments


def test_a_joined_text_counts_its_separators(value):
    half = "x" * (MAX_TEXT // 2 - 1)
    assert len(value("join(A, '--')", A=[half, half[:-2]])) == MAX_TEXT - 2
    with pytest.raises(EvaluationError, match="join makes a text of more than"):
        value("join(A, '--')", A=[half, half])
