"""Templates: what each part means, and where it stands in the text."""

from __future__ import annotations

import pytest
from flowc.compiler.expr.ast import Literal, Name, Text
from flowc.compiler.expr.show import show
from flowc.compiler.expr.template import read_template


def parts(text: str) -> list[tuple[str, str]]:
    """Each part of a template, shown, with the part of the text where it stands."""
    expr = read_template(text).expr
    inner = expr.parts if isinstance(expr, Text) else (expr,)
    return [
        (p.value if isinstance(p, Literal) else show(p), text[p.span.start : p.span.end])
        for p in inner
    ]


def test_texts_and_values_stand_where_they_were_written():
    assert parts("Dear {{ who }}, {{n}}!") == [
        ("Dear ", "Dear "), ("who", "who"), (", ", ", "), ("n", "n"), ("!", "!")
    ]  # fmt: skip


def test_a_placeholder_is_known_with_its_braces():
    text = "a {{ b }} {{c}}"
    holes = read_template(text).placeholders
    assert [text[hole.start : hole.end] for hole in holes] == ["{{ b }}", "{{c}}"]


def test_nothing_but_one_placeholder_is_its_value():
    assert parts("{{ n > 3 }}") == [("n > 3", "n > 3")]


@pytest.mark.parametrize(
    ("text", "means"),
    [
        (r"\{{ a }}", ["{{ a }}"]),
        (r"\\{{ a }}", ["\\", "a"]),
        (r"\\\{{ a }}", [r"\{{ a }}"]),
        (r"\\\\{{ a }}", [r"\\", "a"]),
        ("{{{ a }}", ["{", "a"]),
        (r"x\{{ y {{ a }}", ["x{{ y ", "a"]),
        ("", [""]),
    ],
)
def test_backslashes_before_braces(text, means):
    assert [part for part, _ in parts(text)] == means


@pytest.mark.parametrize(
    "inner", ["{'a': {'b': 1}}", "'}}' + a", '"}}" + a', "[a[0], trim(b)]", "{'a': [1]}['a']"]
)
def test_braces_inside_a_placeholder_do_not_close_it(read, inner):
    assert read_template(f"{{{{ {inner} }}}}").expr == read(inner)


@pytest.mark.parametrize("text", ["a {{ b", "{{", "x {{ a }"])
def test_a_placeholder_that_is_not_closed_is_a_fault_at_its_braces(text):
    (fault,) = read_template(text).faults
    assert fault.message == "`{{` is not closed"
    assert text[fault.span.start : fault.span.end] == "{{"
    assert fault.span.start == text.index("{{")


def test_a_placeholder_that_does_not_parse_leaves_the_others():
    template = read_template("a {{ + }} b {{ c }} d")
    assert len(template.faults) == 1
    assert [show(hole.expr) for hole in template.placeholders] == ["c"]


def test_templates_are_the_same_wherever_they_stand():
    assert read_template("a {{ b }}").expr == Text(parts=(Literal(value="a "), Name(name="b")))
