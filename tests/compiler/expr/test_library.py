"""The library under bad input: wrong kinds, nothing, too much, other alphabets, no numbers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from flowc.compiler.expr.evaluate import MAX_WORK, EvaluationError, evaluate
from flowc.compiler.expr.function import MAX_ITEMS
from flowc.compiler.expr.functions import FUNCTIONS, Type
from flowc.compiler.expr.parse import ParseFault, parse
from flowc.compiler.expr.show import show
from flowc.compiler.expr.types import infer
from flowc.compiler.expr.values import MAX_TEXT
from found_faults import faults_in, operand_faults_in

DEEP = "[" * 150 + "]" * 150


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("split('')", []),
        ("split('', ',')", []),
        ("split(' ', ' ')", ["", ""]),
        ("split(GONE, ',')", []),
        ("split(12.0, '.')", ["12"]),
        ("split('ä😀b', '😀')", ["ä", "b"]),
        ("lines('')", []),
        ("lines(GONE)", []),
        ("lines('\\n')", [""]),
        ("lines('a\\rb')", ["a", "b"]),
        ("replace('aaa', 'aa', 'b')", "ba"),
        ("replace(GONE, 'a', 'b')", ""),
        ("replace('\\\\1', '\\\\1', '.*')", ".*"),
        ("slice('ä😀b', 1, 2)", "😀"),
        ("slice([1, 2, 3], -2, -1)", [2]),
        ("slice('abc', -99)", "abc"),
        ("slice('abc', 2, 1)", ""),
        ("slice('abc', '1')", "bc"),
        ("slice(GONE, 1)", None),
        ("filter([], item)", []),
        ("filter([0, '', 'false', GONE, 1], item)", [1]),
        ("map([[1, 2], []], length(item))", [2, 0]),
        ("map([[1], [2]], map(item, item))", [[1], [2]]),
        ("map(a in [[1], [2]], map(b in a, [a, b]))", [[[[1], 1]], [[[2], 2]]]),
        ("map([1], ITEM)", [None]),
        ("count([])", 0),
        ("sort([])", []),
        ("sort([GONE, 2, GONE, '1'])", ["1", 2, None, None]),
        ("sort(['b', 'a', '10', '9'])", ["10", "9", "a", "b"]),
        ("sort([[1, 'b'], [1, 'a']], item[0])", [[1, "b"], [1, "a"]]),
        ("unique([1, '1', 1.0, true, GONE, GONE])", [1, "1", True, None]),
        ("unique([{'a': 1, 'b': 2}, {'b': 2.0, 'a': 1}])", [{"a": 1, "b": 2}]),
        ("unique([{'a': 1, 'b': 2}, {'a': 1, 'b': 3}], item.a)", [{"a": 1, "b": 2}]),
        ("sum(['1', 2.5, GONE])", 3.5),
        ("min(['b', GONE, 'a'])", "a"),
        ("max([GONE])", None),
        ("max([-1, '-2'])", -1),
        ("mean(['1', 2], item * 2)", 3),
        ("round(-2.5)", -3),
        ("round('2.45', 1)", 2.5),
        ("round(7, 2)", 7),
        ("round(1e300)", 10**300),
        ("round(1250, -2)", 1300),
        ("values({})", []),
        ("reverse([])", []),
        ("captures('ab', '(?P<one>a)|(x)')", {"0": "a", "1": "a", "2": None, "one": "a"}),
        ("all_captures('aaa', '')", [{"0": ""}] * 4),
        ("format('{{}} {:>4}|{:<4}|{:^4}|', 'a', 'b', 'c')", "{}    a|b   | c  |"),
        ("format('{:5}|{:<5}|{:.1f}', 12, 12, '3.14')", "   12|12   |3.1"),
        ("format('{}', GONE)", ""),
        ("format('{}', {'a': [1]})", '{"a": [1]}'),
        ("format('{0.x}x', 1) == 1", "fails"),
        ("parse_json('\"\\\\ud800\"') exists", True),
        ("parse_json('{\"a\": 1, \"a\": 2}')", {"a": 2}),
        ("parse_yaml('')", None),
        ("parse_yaml('- 1\\n- yes\\n- 2026-01-01\\n- 0x1f\\n- 1e3\\n- \"3\"\\n- ~\\n- .5')",
         [1, "yes", "2026-01-01", 31, 1000.0, "3", None, 0.5]),
        ("parse_yaml('a: &x [1]\\nb: *x')", {"a": [1], "b": [1]}),
        ("parse_yaml('1: a\\ntrue: b')", {"1": "a", "true": "b"}),
        ("parse_time('2026-03-29T02:30:00', 'Europe/Berlin')", "2026-03-29T03:30:00+02:00"),
        ("add_time('2024-02-29', 1, 'year')", "2025-02-28T00:00:00+00:00"),
        ("add_time('2026-10-24T12:00:00+02:00', 24, 'hours', 'Europe/Berlin')",
         "2026-10-25T11:00:00+01:00"),
        ("add_time('2026-10-24T12:00:00+02:00', 1, 'days', 'Europe/Berlin')",
         "2026-10-25T12:00:00+01:00"),
        ("format_time('0001-01-02', '%Y %G %%Y')", "0001 0001 %Y"),
        ("time_between('2026-01-02', '2026-01-01', 'day')", -1),
        ("time_between(0, 90, 'minutes')", 1.5),
    ],
)  # fmt: skip
def test_what_a_function_gives(value, text, result):
    if result == "fails":
        with pytest.raises(EvaluationError):
            value(text)
    else:
        assert value(text) == result


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("filter(GONE, item)", "filter needs a list, not null"),
        ("map({'a': 1}, item)", "map needs a list, not an object"),
        ("sum('12')", "sum needs a list, not a text"),
        ("lines([1])", "lines needs a text, not a list"),
        ("replace('a', '', 'b')", "replace needs a text to look for that is not empty"),
        ("slice(3, 1)", "slice needs a text or a list, not a number"),
        ("slice('abc', 0.5)", "slice needs a whole number, not 0.5"),
        ("slice('abc', GONE)", "slice needs numbers, not null"),
        ("sum([true])", "sum needs numbers, not a truth value"),
        ("sum(A)", "sum needs numbers, not a number"),
        ("sort(A)", "sort compares numbers or texts, not a number"),
        ("max([[1]])", "max compares numbers or texts, not a list"),
        ("sort([1, 'a'])", "sort compares numbers or texts, not a number beside a text"),
        ("round('x')", "round needs numbers, not `x`"),
        ("round(1, 999)", "round takes -300 to 300 digits, not 999"),
        ("captures('a', '(')", "`(` is not a regular expression: a `(` is not closed"),
        ("captures('a', '(?=a)')", "look-around is not supported"),
        ("format('{', 1)", "`{` stands alone: write `{{` for the character"),
        ("format('{a}', 1)", "`{a}` is not a place such as"),
        ("format('{!r}', 1)", "`{!r}` is not a place such as"),
        ("format('{:9999}', 1)", "is not a place such as"),
        ("format('{:d}', 1.5)", "`{:d}` needs a whole number, not 1.5"),
        ("format('{:.2f}', 'x')", "`{:.2f}` needs a number, not `x`"),
        ("format('{7}', 1)", "format has no value 8 for `{7}`"),
        ("parse_json('')", "it says nothing"),
        ("parse_json(GONE)", "it is not JSON, line 1, column 1"),
        ("parse_json('1e999')", "the number is too large"),
        (f"parse_json('{'9' * 400}')", "the number is too large"),
        ("parse_json('-Infinity')", "`-Infinity` is not a JSON value"),
        (f"parse_json('{DEEP}')", "it is nested more than 100 levels deep"),
        (f"parse_yaml('{DEEP}')", "it is nested more than 100 levels deep"),
        ("parse_yaml('a: [1')", "it is not YAML, line 2, column 1"),
        ("parse_yaml('a: 1\\n--- \\nb: 1')", "it holds more than one YAML document"),
        ("parse_yaml('a: !!python/object:os.system x')", "line 1: tags such as"),
        ("parse_yaml('a: 1\\na: 2')", "line 2: the key `a` stands twice"),
        ("parse_yaml('<<: {}')", "merge keys (`<<`) are not read"),
        ("parse_yaml('*x')", "nothing is called `&x`"),
        ("parse_yaml('? [a]\\n: 1')", "a key is a text"),
        ("parse_yaml('.nan')", "`.nan` is not a number that JSON has"),
        ("parse_yaml('\\u0007')", "it is not YAML"),
        ("parse_time('2026-01-01', 'Mars/Olympus')", "there is no time zone `Mars/Olympus`"),
        ("parse_time('2026-01-01', '../../etc/passwd')", "there is no time zone"),
        ("parse_time('2026-01-01', 'Europe')", "there is no time zone `Europe`"),
        ("parse_time('2026-13-01')", "`2026-13-01` is not a time"),
        ("parse_time(1e300)", "a number is not a time"),
        ("parse_time(true)", "a truth value is not a time"),
        ("parse_time('5', 'UTC', '%d%d')", "it asks for one part twice"),
        ("parse_time('5', 'UTC', '%Q')", "`%Q` is not a part of a time"),
        ("parse_time('5', 'UTC', '%Y')", "`5` does not read as `%Y`"),
        ("format_time('2026-01-01', '%')", "`%` is not a part of a time"),
        ("add_time('2026-01-01', 1, 'fortnight')", "`fortnight` is not a unit of time"),
        ("add_time('2026-01-01', 1.5, 'months')", "add_time needs a whole number of months"),
        ("add_time('2026-01-01', 1e12, 'days')", "the time is beyond the years 1 to 9999"),
        ("add_time('2026-01-01', -9999, 'years')", "the time is beyond the years 1 to 9999"),
        ("now()", "`now` is not allowed here"),
    ],
)  # fmt: skip
def test_what_a_function_refuses(value, text, reason):
    with pytest.raises(EvaluationError) as caught:
        value(text, A=[float("nan")])
    assert reason in str(caught.value)


LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{name}'] * 10)}]\n"
    for name, after in pairwise("abcdefghi")
)  # fmt: skip


def test_a_yaml_text_that_repeats_itself_does_not_fill_the_memory(value):
    with pytest.raises(EvaluationError, match="it says more than 1,000,000 values"):
        value("parse_yaml(A)", A=LAUGHS)


@pytest.mark.parametrize(
    ("text", "variables", "reason"),
    [
        ("split(A, ',')", {"A": "," * MAX_ITEMS}, "split makes more than 1,000,000 elements"),
        ("lines(A)", {"A": "\n" * (MAX_ITEMS + 1)}, "lines makes more than 1,000,000 elements"),
        ("all_captures(A, '')", {"A": "x" * 100_001}, "all_captures finds more than"),
        ("replace(A, 'x', 'yy')", {"A": "x" * (MAX_TEXT // 2 + 1)}, "replace makes a text of more"),
        ("parse_yaml(A)", {"A": "x" * (MAX_WORK // 16)}, "the expression takes too long"),
        ("map(A, map(b in A, map(c in A, 1)))", {"A": [0] * 1000}, "the expression takes too long"),
        ("map(A, T + T)", {"A": [0] * 1000, "T": "x" * 1_000_000}, "the expression takes too long"),
        ("map(A, T contains item)", {"A": ["y"] * 1000, "T": "x" * 1_000_000}, "takes too long"),
        ("map(A, T == T)", {"A": [0] * 1000, "T": [[0] * 1000] * 1000}, "takes too long"),
        ("map(A, json(T))", {"A": [0] * 1000, "T": [[0] * 1000] * 1000}, "takes too long"),
        ("map(A, 'x' matches T)", {"A": [0] * 20_000, "T": "x" * 1000}, "takes too long"),
        ("filter(A, item > 1)", {"A": [0] * 2_800_000}, "the expression takes too long"),
    ],
)
def test_what_an_expression_may_take_has_a_bound(value, text, variables, reason):
    with pytest.raises(EvaluationError, match=reason):
        value(text, **variables)


def test_ordinary_amounts_are_far_from_the_bounds(value):
    log = "\n".join(f"line {n} ok" for n in range(100_000))
    assert value("count(lines(A), item matches 'ok$')", A=log) == 100_000
    assert value("sum(map(lines(A), number(split(item, ' ')[1])))", A=log) == 4_999_950_000


def test_now_is_the_time_of_the_caller(read):
    assert evaluate(read("now()"), {}, now=1_774_744_200.7) == "2026-03-29T00:30:00+00:00"
    assert evaluate(read("now('Europe/Berlin')"), {}, now=1_774_744_200) == (
        "2026-03-29T01:30:00+01:00"
    )
    assert evaluate(read("map([1, 2], now())[1]"), {}, now=0) == "1970-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        ("filter(A)", "`filter` takes 2 arguments, not 1", "filter(items, condition)"),
        ("filter(A, 1, 2)", "`filter` takes 2 arguments, not 3", "filter(items, condition)"),
        ("strip(A)", "there is no function `strip`", "did you mean `trim`?"),
        ("fromJSON(A)", "there is no function `fromJSON`", "did you mean `parse_json`?"),
        ("captures(A, '(')", "the regular expression is invalid: a `(` is not closed", "backslash"),
        ("map(B, captures(item, '['))", "the regular expression is invalid", "backslash"),
        ("now('Mars')", "there is no time zone `Mars`", ""),
        ("add_time(A, 1, 'moon')", "`moon` is not a unit of time", ""),
        ("format_time(A, '%Q')", "`%Q` is not a part of a time", ""),
        ("format('{')", "`{` stands alone", ""),
        ("parse_json('{')", "it is not JSON", ""),
        ("shell_quote(A, 'here')", "shell_quote knows word, double, single", ""),
    ],
)
def test_what_is_certain_before_a_run(read, text, message, help):
    (fault,) = faults_in(read(text))
    assert fault.message.startswith(message)
    assert help in fault.help


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lines(L)", "lines needs a text, not a list"),
        ("filter(T, item)", "filter needs a list, not a text"),
        ("filter('x', item)", "filter needs a list, not a text"),
        ("keys(L)", "keys needs an object, not a list"),
        ("round(B)", "round needs a number, not true or false"),
        ("sum(lines(T))", None),
        ("sum(length(T))", "sum needs a list, not a whole number"),
        ("map(L in [T], L + 1)", None),
        ("map(T in L, -T)", None),
        ("map(L, item - L)", "`-` needs numbers, not a list"),
        ("join(split(T))", None),
    ],
)
def test_arguments_of_another_kind_are_told_before_a_run(read, text, message):
    types: dict[str, Type] = {"T": "text", "L": "list", "B": "boolean"}
    found = [fault.message for fault in operand_faults_in(read(text), types)]
    assert found == ([message] if message else [])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("filter(A, item > 3)", None),
        ("filter(item in A, item > 3)", "filter(A, item > 3)"),
        ("map(a in A.b, a + 1)", None),
        ("map((a in A), a)", "map(a in A, a)"),
        ("sort(A)", None),
        ("sort(A, item.b)", None),
        ("map(x in (a in b), x)", None),
    ],
)
def test_each_is_shown_as_it_is_read(read, text, shown):
    assert show(read(text)) == (shown or text)
    assert read(show(read(text))) == read(text)


def test_the_result_of_each_has_a_type(read):
    assert infer(read("filter(A, item)"), {}) == "list"
    assert infer(read("count(A, item)"), {}) == "integer"


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("A.split(',')", "a function stands before what it works on: `split(text, separator?)`"),
        ("A | lines", "a function stands before what it works on: `lines(text)`"),
        ("A.toLowerCase()", "a function stands before what it works on: `lower(text)`"),
        ("A | B", "write `||`"),
    ],
)
def test_a_method_and_a_pipe_are_told_how_functions_are_written(text, help):
    fault = parse(text, "a.md", 0)
    assert isinstance(fault, ParseFault)
    assert fault.help == help


def test_no_name_of_another_language_is_a_function_or_stands_twice():
    also = [name for row in FUNCTIONS.values() for name in row.also]
    assert len({*also}) == len(also)
    assert not {*also} & FUNCTIONS.keys()
