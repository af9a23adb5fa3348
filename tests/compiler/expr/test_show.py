"""Every expression can be written down, and reads back as itself."""

from __future__ import annotations

import pytest
from exprs import EXPRS
from flowc.compiler.expr.parse import ParseFault, parse
from flowc.compiler.expr.show import show
from flowc.compiler.expr.template import read_template, show_template
from hypothesis import given, settings
from hypothesis import strategies as st


@settings(max_examples=500, deadline=None)
@given(expr=EXPRS)
def test_what_is_shown_parses_to_the_same(expr):
    assert parse(show(expr), "a.md", 0) == expr


@settings(max_examples=500, deadline=None)
@given(expr=EXPRS)
def test_a_template_reads_back_as_the_same(expr):
    template = read_template(show_template(expr))
    assert template.faults == ()
    assert template.expr == expr


@settings(max_examples=500, deadline=None)
@given(text=st.lists(st.sampled_from([*"\\{} x'\"()[]\n", "{{", "}}", "{{ a }}"])).map("".join))
def test_a_template_without_faults_is_a_fixed_point(text):
    template = read_template(text)
    if not template.faults:
        assert read_template(show_template(template.expr)).expr == template.expr


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a  -  (b-c)", "a - (b - c)"),
        ("not (a == b)", "not a == b"),
        ("(not a) == b", "(not a) == b"),
        ("(a or b) && !c", "(a or b) and not c"),
        ("a not in b", "not a in b"),
        ("-5", "-5"),
        ("(-5).x", "(-5).x"),
        ("variable('in') + variable('a')", 'variable("in") + a'),
        ("field(a, 'b').c", "a.b.c"),
        ("{'k': [1,2,],}", '{"k": [1, 2]}'),
        ("'it\\'s \\d'", '"it\'s \\\\d"'),
    ],
)
def test_shown_with_no_more_than_it_needs(text, shown):
    expr = parse(text, "a.md", 0)
    assert not isinstance(expr, ParseFault)
    assert show(expr) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Dear {{ who }}!", 'concat("Dear ", who, "!")'),
        ("{{ who }}", "who"),
        (r"a \{{ b", '"a {{ b"'),
        (r"a\\{{ b }}", 'concat("a\\\\", b)'),
        ("{{{ a }}", 'concat("{", a)'),
        ('{{ {"a": {"b": 1}}}} }}', 'concat({"a": {"b": 1}}, " }}")'),
        ("{{ '}}' }}", '"}}"'),
    ],
)
def test_what_braces_mean(text, shown):
    template = read_template(text)
    assert template.faults == ()
    assert show(template.expr) == shown


def test_a_long_text_counts_little():
    expr = parse(f'x == "{"y" * 50_000}"', "a.md", 0)
    assert not isinstance(expr, ParseFault)
    assert isinstance(parse("x + " * 5_000 + "x", "a.md", 0), ParseFault)


@pytest.mark.parametrize("text", ["{{" * 200_000, "{{ ( }} " * 100_000, "{{ ' }}\n{{" * 100_000])
def test_reading_takes_linear_time(text):
    assert read_template(text).faults
