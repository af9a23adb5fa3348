"""The parts of an expression in written order, and the same expression elsewhere."""

from __future__ import annotations

import pytest
from flowc.compiler.expr.ast import Name, Text
from flowc.compiler.expr.show import show
from flowc.compiler.expr.walk import children, names_read, rebuild, shift_spans, walk

EVERY_SHAPE = [
    "A.b", "A[B]", "which(A, B)", "-A", "not A", "A - B", "[A, B]", "{'a': A, 'b': B}", "1", "A",
    "filter(A, item > B)", "map(a in A, map(b in a, b + B))",
]  # fmt: skip


@pytest.mark.parametrize("text", EVERY_SHAPE)
def test_an_expression_rebuilt_from_its_parts_is_itself(read, text):
    expr = read(text)
    again = rebuild(expr, children(expr), expr.span)
    assert (again, again.span) == (expr, expr.span)


@pytest.mark.parametrize("text", EVERY_SHAPE)
def test_every_part_moves(read, text):
    moved = shift_spans(read(text), "b.md", 100)
    assert show(moved) == show(read(text))
    for before, after in zip(walk(read(text)), walk(moved), strict=True):
        assert (after.span.file, after.span.start) == ("b.md", before.span.start + 100)
        assert after.span.end == before.span.end + 100


def test_names_come_in_written_order_once_for_each_place(read):
    expr = read("which(A > B.c, [A, {'k': D}], -E[F])")
    assert [name.name for name in names_read(expr)] == ["A", "B", "A", "D", "E", "F"]


def test_the_name_of_an_element_is_no_variable(read):
    expr = read("filter(a in A, a > B and count(item, item == a) > 0)")
    assert [name.name for name in names_read(expr)] == ["A", "B", "item"]
    assert [name.name for name in names_read(read("map(item, item.b)"))] == ["item"]


def test_what_has_no_place_has_none_elsewhere():
    expr = shift_spans(Text(parts=(Name(name="A"),)), "b.md", 1)
    assert (expr.span, children(expr)[0].span) == (None, None)
