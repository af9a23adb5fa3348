"""Reading expressions: one tree for every way to write it, and exact places."""

from __future__ import annotations

import sys

import pytest
from flowc.compiler.expr.parse import _BUILD, MAX_CHARACTERS, ParseFault, parse, parse_assertion
from flowc.compiler.expr.walk import names_read, walk
from flowc.grammar import load
from flowc.grammar.driving import _MOST_KEPT, Driver, Sign, _tables, drive


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("a === 1", "a == 1"),
        ("a !== 1", "a != 1"),
        ("a EQUALS 1", "a == 1"),
        ("a Differs 1", "a != 1"),
        ("a eq 1", "a == 1"),
        ("a ne 1", "a != 1"),
        ("a lt 1", "a < 1"),
        ("a le 1", "a <= 1"),
        ("a gt 1", "a > 1"),
        ("a ge 1", "a >= 1"),
        ("a LESS 1", "a < 1"),
        ("a less_equal 1", "a <= 1"),
        ("a GREATER 1", "a > 1"),
        ("a GREATER_EQUAL 1", "a >= 1"),
        ("a CONTAINS 'x'", "a contains 'x'"),
        ("a MATCHES 'x'", "a matches 'x'"),
        ("a  Starts   With 'x'", "a starts with 'x'"),
        ("!a && b || c", "not a and b or c"),
        ("a not in b", "not (a in b)"),
        ("a not contains b", "not (a contains b)"),
        ("a not exists", "not (a exists)"),
        ("undefined", "null"),
        ("TRUE", "true"),
        ("'it\\'s'", '"it\'s"'),
        ("a\n  and\tb", "a and b"),
    ],
)
def test_spellings_of_the_same_expression(read, written, plain):
    """M34: word operators in any case, short forms in lower case, JavaScript's forms."""
    assert read(written) == read(plain)


@pytest.mark.parametrize(
    ("written", "grouped"),
    [
        ("a or b and c", "a or (b and c)"),
        ("not a == b", "not (a == b)"),
        ("a + b * c", "a + (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a + 1 > b", "(a + 1) > b"),
        ("-a.b", "-(a.b)"),
        ("a.b[0].c exists and d", "((a.b[0]).c exists) and d"),
        ("a -1", "a - 1"),
    ],
)
def test_precedence(read, written, grouped):
    assert read(written) == read(grouped)


def test_a_word_operator_is_a_name_where_only_a_name_fits(read):
    assert [n.name for n in names_read(read("in in contains"))] == ["in", "contains"]
    assert read("a.exists exists").operand.name == "exists"


def test_spans_point_into_the_outer_file():
    text = "  score   >= (limits[0] + 2)"
    outer = "A guard:" + text
    expr = parse(text, "a.md", 8)
    shown = {outer[at.span.start : at.span.end] for at in walk(expr)}
    assert shown == {
        "score   >= (limits[0] + 2)",
        "score",
        "(limits[0] + 2)",
        "limits[0]",
        "limits",
        "0",
        "2",
    }


@pytest.mark.parametrize(
    ("text", "message", "shown", "help"),
    [
        ("", "the expression is empty", "", "write the name of a variable"),
        ("a, b", "`,` is not expected here", ",",
         "write one expression: a list stands in square brackets"),
        ("a = b", "`=` is not an operator", "=", "write `==` to compare"),
        ("a & b", "`&` is not an operator", "&", "write `&&`"),
        ("a < b < c", "`<` compares a second time", "<", "join two comparisons with `and`"),
        ("a ==", "the expression ends after `==`, where more is needed", "==",
         "write what it is compared with"),
        ("(a", "the expression ends after `a`, where more is needed", "a",
         "close the parenthesis: write `)`"),
        ("a[0.b > 1", "the expression ends after `1`, where more is needed", "1",
         "close the bracket: write `]`"),
        ("trim(.b > 1", "`.` is not expected here", ".", "take the point away"),
        ("a <> b", "`<>` is not an operator", "<>", "write `!=`"),
        ("a => b", "`=>` is not an operator", "=>", "write `>=`"),
        ("a =< b", "`=<` is not an operator", "=<", "write `<=`"),
        ("a == 'b", "the text is not closed", "'b", "add the closing `'`"),
        ("a b", "`b` is not expected here", "b",
         "put an operator before it, or quotes around text"),
        ("[{size: 1}]", "the key `size` is not in quotes", "size", 'write `"size":`'),
        ("> a", "`>` is not expected here", ">", "write what it is compared with, before `>`"),
        ("in a", "`a` is not expected here", "a", "write what it is compared with, before `in`"),
        ("`a` == 1", "``` is not expected here", "`", "take the backticks away"),
        ("a == “b”", "`“` is not expected here", "“",
         'write a text in straight quotes, as in `"text"`'),
        ("a > 1)", "`)` is not expected here", ")", "take it away: nothing opens it"),
        ("a == #", "`#` is not expected here", "#",
             "an expression has no comments; `/` divides"),
        ("9e999", "the number is too large", "9e999", ""),
    ],
)  # fmt: skip
def test_faults_say_what_and_where(text, message, shown, help):
    fault = parse(text, "a.md", 100)
    assert isinstance(fault, ParseFault)
    assert fault.message == message
    assert text[fault.span.start - 100 : fault.span.end - 100] == shown
    assert fault.help == help


def test_the_second_of_two_comparisons_is_the_one_shown():
    fault = parse("a < b < c", "a.md", 0)
    assert fault.span.start == 6


@pytest.mark.parametrize(
    "text",
    ["(" * 4000, "-" * 5000 + "a", "a" + ".b" * 4000, " and ".join(["a"] * 1500), "not " * 2000],
)
def test_deep_nesting_is_a_fault_and_no_crash(text):
    assert isinstance(parse(text, "a.md", 0), ParseFault)


def test_a_text_beyond_the_limit_is_a_fault():
    assert isinstance(parse("a" * (MAX_CHARACTERS + 1), "a.md", 0), ParseFault)


def test_an_unknown_escape_stays_so_that_patterns_need_no_doubling(read):
    assert read(r'"\d+\n\u00e4"').value == "\\d+\nä"


def test_surrogates_join_and_a_lone_one_is_replaced(read):
    assert read(r'"\ud83d\ude00 \ud83d"').value == "😀 \ufffd"


@pytest.mark.parametrize(
    "text",
    [
        "result.repositories.length > 0",
        'result contains "name"',
        "result.id exists",
        'result.report_url starts with "https://"',
        "`result.count >= 1`",
        "result.ok",
        "length(result.items) > 0 and not result.error",
        "lenght(result) > 0",
    ],
)
def test_assertions_over_the_result_are_expressions(text):
    """S9: an assertion that reads as an expression over the tool's result is evaluated."""
    assert parse_assertion(text, "a.md", 0) is not None


@pytest.mark.parametrize(
    "text",
    [
        "PR has at least 2 reviewers",
        "summary includes both repository names",
        "result",
        "the result is good",
        "result contains name",
        "result in range",
        "results > 0",
        "5 > 3",
        "no errors",
        "result is not empty",
        "",
    ],
)
def test_prose_stays_prose(text):
    """S9: what does not speak of the result in the language of expressions is for the model."""
    assert parse_assertion(text, "a.md", 0) is None


def test_an_assertion_may_read_declared_variables():
    text = "result.id == ISSUE_ID"
    assert parse_assertion(text, "a.md", 0) is None
    assert parse_assertion(text, "a.md", 0, ["ISSUE_ID"]) is not None


def test_an_assertion_in_backticks_has_its_place_inside_them():
    expr = parse_assertion(" `result.a == 1`", "a.md", 10)
    assert (expr.span.start, expr.span.end) == (12, 25)


def test_a_parser_keeps_a_bounded_number_of_stacks():
    parser = load.__wrapped__("expr", transformer=_BUILD)
    for opened in ("(", "[", "((["):
        drive(parser, opened * 3000, "f", 0)
    assert _tables(parser).kept == _MOST_KEPT
    assert drive(parser, "[([(((a + 1) * 2)])])", "f", 0) is None
    assert drive(parser, "[([((a + 1) * 2)])]", "f", 0) == parse("[([((a + 1) * 2)])]", "f", 0)


def test_a_token_that_does_not_fit_changes_nothing():
    driver = Driver(load("expr"))
    kinds = ["IDENT", "CLOSE", "OPEN", "COMPARE", "CLOSE"]
    fits = [driver.feed(Sign(kind, "x", "f", 0, 1)) for kind in kinds]
    assert fits == [True, False, True, False, True]
    assert driver.finish() is not None


SHAPES = [
    "{a} > 4000 and {b} < 3",
    "length({a}) + {b}.total * -2",
    "filter({a}, {b} != null)",
    "({a}) in [{b}, {a}] or not {b} exists",
    "coalesce({a}[0].name, {b}) == {a}",
    "which({a}, {b}) ",
    "map({a} in {b}, {a} + 1)",
    "{a} . name + {b}",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_an_expression_with_other_names_is_as_if_no_other_had_been_read(shape):
    parse(shape.format(a="one", b="another"), "first.md", 3)
    text = shape.format(a="by_far_longer", b="x")
    known = parse(text, "second.md", 70)
    fresh = drive(load("expr", transformer=_BUILD), text, "second.md", 70)
    assert repr(known) == repr(fresh)  # with all places


def test_expressions_that_differ_in_names_are_parsed_once():
    parses = 0

    def count(frame, event, arg):
        nonlocal parses
        parses += event == "call" and frame.f_code is drive.__code__

    sys.setprofile(count)
    try:
        for n in range(100):
            assert not isinstance(parse(f"size_{n} % 77 > rounds_{n}", "a.md", n), ParseFault)
    finally:
        sys.setprofile(None)
    assert parses == 1


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("a is None", "write `a == null`"),
        ("a is not null", "write `a exists`"),
        ("a.b is not empty", "write `length(a.b) > 0`"),
        ("a?.b > 3", "write `a.b`: a field of null is null"),
        ("(a ?? 0) > 3", "write `coalesce(a, 0)`"),
        ("a between 1 and 3", "write `a >= 1 and a <= 3`"),
        ("a is greater than 3", "write `>`"),
        ("a greater than or equal to 3", "write `>=`"),
        ("a equals to 3", "write `==`"),
        ("a is not 3", "write `!=`"),
        ("a =! 3", "write `!=`"),
        ("a > = 3", "write `>=`"),
        ('a.b.contains("x")', 'write `a.b contains "x"`'),
        ('a.startsWith("x")', 'write `a starts with "x"`'),
        ('a !contains "x"', "write `not contains`"),
        ("a =~ /x+/", 'write `matches "x+"`'),
        ("a[0:3]", "write `slice(a, 0, 3)`"),
        ("a in (1, 2)", "a list stands in brackets: write `[1, 2]`"),
        ("$json.a", "write `a`: a name has no `$`"),
        ("${a}", "write `a`: a name stands alone"),
        ("{{ a }} > 3", "write `a`: this is an expression already"),
        ("- a -", "take the dashes away"),
        ("a++", "an expression changes nothing: write `a + 1`"),
        ("length a", "write `length(a)`"),
        ("len a > 3", "write `length(a)`"),
        ("if a > 3", "write the condition alone"),
        ("1,000", "write the digits of a number without signs between"),
        ("length(a,)", "take the comma before it away"),
        ("a > 3;", "take it away: the expression ends before it"),
        ("exists a", "write `a exists`"),
        ("a->b", "a field stands behind a point: write `.`"),
    ],
)
def test_a_habit_of_another_language_is_told_with_what_is_written_here(text, help):
    fault = parse(text, "a.md", 7)
    assert isinstance(fault, ParseFault)
    assert fault.help == help
