"""Walk: the parts of an expression, the names it reads, the same expression elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import assert_never

from ..source import Span
from .ast import Binary, Call, Expr, Field, Index, ListOf, Literal, Name, ObjectOf, Text, Unary


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct parts of an expression, in written order."""
    match expr:
        case Literal() | Name():
            return ()
        case Field():
            return (expr.object,)
        case Index():
            return (expr.object, expr.key)
        case Call():
            return expr.args
        case Unary():
            return (expr.operand,)
        case Binary():
            return (expr.left, expr.right)
        case Text():
            return expr.parts
        case ListOf():
            return expr.items
        case ObjectOf():
            return tuple(value for _, value in expr.entries)
        case _:
            assert_never(expr)


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and every part of it, outermost first, in written order."""
    todo = [expr]
    while todo:
        at = todo.pop()
        yield at
        todo.extend(reversed(children(at)))


def names_read(expr: Expr) -> tuple[Name, ...]:
    """Every variable that evaluating may read, once per place, in written order."""
    return tuple(at for at in walk(expr) if isinstance(at, Name))


def rebuilt(expr: Expr, parts: tuple[Expr, ...]) -> Expr:
    """The same expression with `parts` in place of its `children`."""
    match expr:
        case Literal() | Name():
            return expr
        case Field():
            return replace(expr, object=parts[0])
        case Index():
            return replace(expr, object=parts[0], key=parts[1])
        case Call():
            return replace(expr, args=parts)
        case Unary():
            return replace(expr, operand=parts[0])
        case Binary():
            return replace(expr, left=parts[0], right=parts[1])
        case Text():
            return replace(expr, parts=parts)
        case ListOf():
            return replace(expr, items=parts)
        case ObjectOf():
            keys = (key for key, _ in expr.entries)
            return replace(expr, entries=tuple(zip(keys, parts, strict=True)))
        case _:
            assert_never(expr)


def moved(expr: Expr, file: str, offset: int) -> Expr:
    """The same expression, standing `offset` characters further on in `file`."""
    return placed(expr, lambda span: Span(file, span.start + offset, span.end + offset))


def placed(expr: Expr, place: Callable[[Span], Span]) -> Expr:
    """The same expression, every span replaced by what `place` makes of it."""
    parts = tuple(placed(part, place) for part in children(expr))
    span = None if expr.span is None else place(expr.span)
    return replace(rebuilt(expr, parts), span=span)
