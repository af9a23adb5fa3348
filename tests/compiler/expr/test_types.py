"""Faults that are certain before the run: each part is reported once, where it stands."""

from __future__ import annotations

import pytest
from flowc.compiler.expr.ast import Literal, Text
from flowc.compiler.expr.types import infer
from found_faults import faults_in, operand_faults_in


def shown(found, text: str) -> list[tuple[str, str]]:
    """Each fault with the part that it is about."""
    return [(fault.message, text[fault.span.start : fault.span.end]) for fault in found]


@pytest.mark.parametrize(
    ("text", "message", "part"),
    [
        ("1 + lenght(A)", "there is no function `lenght`", "lenght(A)"),
        ("trim()", "`trim` takes 1 argument, not 0", "trim()"),
        ("trim(A, B)", "`trim` takes 1 argument, not 2", "trim(A, B)"),
        ("A matches '['", "the regular expression is invalid: a `[` is not closed", "'['"),
        ("A / 0", "division by zero", "0"),
        ("A % '0'", "division by zero", "'0'"),
    ],
)
def test_what_no_value_of_a_variable_mends(read, text, message, part):
    assert shown(faults_in(read(text)), text) == [(message, part)]


@pytest.mark.parametrize(
    "text",
    ["trim(A)", "which(A, B, C)", "A / 2", "0 / A", "A * 0", "A matches B", "A contains '['"],
)
def test_what_may_have_a_value_has_no_fault(read, text):
    assert [*faults_in(read(text))] == []


def test_a_function_that_was_nearly_named_is_suggested(read):
    (near,) = faults_in(read("Lenght(A)"))
    assert near.help == "did you mean `length`?"
    (far,) = faults_in(read("zzz(A)"))
    assert far.help.startswith("the functions are lower, upper")


TYPES = {"FLAG": "boolean", "LIST": "list", "OBJECT": "object", "N": "number", "T": "text"}


@pytest.mark.parametrize(
    ("text", "message", "part"),
    [
        ("LIST - 1", "`-` needs numbers, not a list", "LIST"),
        ("1 * FLAG", "`*` needs numbers, not a truth value", "FLAG"),
        ("N / OBJECT", "`/` needs numbers, not an object", "OBJECT"),
        ("N % 'a'", "`%` needs numbers, not the text `a`", "'a'"),
        ("-LIST", "`-` needs numbers, not a list", "LIST"),
        ("LIST < 1", "`<` compares numbers or texts, not a list", "LIST"),
        ("1 <= FLAG", "`<=` compares numbers or texts, not a truth value", "FLAG"),
        ("OBJECT > 1", "`>` compares numbers or texts, not an object", "OBJECT"),
        ("1 >= LIST", "`>=` compares numbers or texts, not a list", "LIST"),
    ],
)
def test_operands_that_an_operator_never_takes(read, text, message, part):
    assert shown(operand_faults_in(read(text), TYPES), text) == [(message, part)]


@pytest.mark.parametrize(
    "text", ["T - 1", "'3' * 2", "T < 'a'", "N >= 1", "LIST == 1", "LIST + 1", "not LIST", "A - 1"]
)
def test_operands_that_may_fit(read, text):
    assert [*operand_faults_in(read(text), TYPES)] == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("'a' + N", "text"),
        ("N + 'a'", "text"),
        ("N + A", "any"),
        ("N + 1", "number"),
        ("[1]", "list"),
        ("{'a': 1}", "object"),
        ("A[0]", "any"),
        ("A exists", "boolean"),
        ("A contains 1", "boolean"),
    ],
)
def test_the_kind_of_value_that_an_expression_gives(read, text, kind):
    assert infer(read(text), TYPES) == kind


def test_a_template_gives_a_text():
    assert infer(Text(parts=(Literal(value=1), Literal(value=2))), {}) == "text"
