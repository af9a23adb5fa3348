"""FC3006: expressions that fail in every run."""

from __future__ import annotations

import pytest
from flowc.compiler.checks.guards import bad_expressions
from flowc.compiler.ir import Limit, Prompt


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lenght(A) > 1", "there is no function `lenght`"),
        ("length(A, B)", "`length` takes 1 argument, not 2"),
        ("join()", "`join` takes 1 to 2 arguments, not 0"),
        ("coalesce()", "`coalesce` takes 1 or more arguments, not 0"),
        ("A matches '('", "the regular expression is invalid: a `(` is not closed"),
        (
            "A matches 'a(?=b)'",
            "the regular expression is invalid: `(?=` does not exist: look-around is not supported",
        ),
        ("A / 0", "division by zero"),
    ],
)
def test_what_no_run_can_evaluate(flow, found, text, message):
    flow.choose("START", text)
    (item,) = found(bad_expressions, flow.workflow())
    assert (item.code, item.severity, item.message) == ("FC3006", "error", message)


@pytest.mark.parametrize(
    "text",
    [
        "A - 1",
        "A matches B",
        "A matches '(a+)+$'",
        "'3' * 2",
        "A < 'b'",
        "length(keys(A)) > 1",
        "A.length / B",
        "read_file('notes.md')",
    ],
)
def test_what_only_the_run_can_tell_is_left_to_it(flow, said, text):
    flow.choose("START", text)
    assert said(bad_expressions, flow.workflow()) == []


def test_every_place_of_an_expression_is_looked_at(flow, found):
    bad = "nope()"
    flow.set("START", A=bad)
    workflow = flow.workflow(
        limits=(Limit(name="visits", value=flow.expr(bad)),),
        prompts=(Prompt(id="p", role="user", template=flow.expr(bad)),),
    )
    assert len({item.primary for item in found(bad_expressions, workflow)}) == 3


def test_an_unknown_function_is_shown_with_the_one_that_was_meant(flow, found):
    flow.choose("START", "lenght(A)")
    (item,) = found(bad_expressions, flow.workflow())
    assert item.help == "did you mean `length`?"
