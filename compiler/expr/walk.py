"""Walk: the parts of an expression, the names it reads, the same expression elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import assert_never

from ..source.source import Span
from .ast import (
    Binary,
    Call,
    Each,
    Expr,
    Field,
    Index,
    ListOf,
    Literal,
    Name,
    ObjectOf,
    Text,
    Unary,
)

Parts = Sequence[tuple[Expr, frozenset[str]]]
"""The parts of an expression that have parts themselves, each with the names that are elements of
lists there."""


LEAVES = (Name, Literal)
"""What has no parts."""


def children(expr: Expr) -> tuple[Expr, ...]:
    """Return the direct parts of an expression, in written order."""
    match expr:  # the most frequent ones first
        case Literal() | Name():
            return ()
        case Binary():
            return (expr.left, expr.right)
        case Text():
            return expr.parts
        case Call():
            return expr.args
        case Field():
            return (expr.object,)
        case Index():
            return (expr.object, expr.key)
        case Unary():
            return (expr.operand,)
        case ListOf():
            return expr.items
        case ObjectOf():
            return tuple(value for _, value in expr.entries)
        case Each():
            return (expr.items, expr.body)
        case _:
            assert_never(expr)


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield the expression and every part of it, outermost first, in written order."""
    todo = [expr]
    while todo:
        at = todo.pop()
        yield at
        if not isinstance(at, Name | Literal):
            todo += children(at)[::-1]


def compounds(expr: Expr) -> Parts:
    """Return the expression and the parts of it that have parts themselves, outermost first, in
    written order, each with the names that are elements of lists there, no variables."""
    found: list[tuple[Expr, frozenset[str]]] = []
    todo: list[tuple[Expr, frozenset[str]]] = [(expr, frozenset())]
    while todo:
        at, bound = part = todo.pop()
        if isinstance(at, LEAVES):
            continue
        found.append(part)
        if type(at) is Binary:
            if not isinstance(at.right, LEAVES):
                todo.append((at.right, bound))
            if not isinstance(at.left, LEAVES):
                todo.append((at.left, bound))
        else:
            todo += _within(at, bound)[::-1]
    return found


def names_read(expr: Expr) -> tuple[Name, ...]:
    """Return every variable that evaluating may read, once per place, in written order."""
    found: list[Name] = []
    todo: list[tuple[Expr, frozenset[str]]] = [(expr, frozenset())]
    while todo:
        at, bound = todo.pop()
        if not isinstance(at, Name):
            todo += _within(at, bound)[::-1]
        elif at.name not in bound:
            found.append(at)
    return tuple(found)


def _within(expr: Expr, bound: frozenset[str]) -> list[tuple[Expr, frozenset[str]]]:
    if isinstance(expr, Each):
        return [(expr.items, bound), (expr.body, bound | {expr.name})]
    return [(part, bound) for part in children(expr)]


def rebuild(expr: Expr, parts: tuple[Expr, ...], span: Span | None) -> Expr:
    """Return the same expression with `parts` in place of its `children`, standing at `span`."""
    match expr:
        case Literal():
            return Literal(value=expr.value, span=span)
        case Name():
            return Name(name=expr.name, span=span)
        case Field():
            return Field(object=parts[0], name=expr.name, span=span)
        case Index():
            return Index(object=parts[0], key=parts[1], span=span)
        case Call():
            return Call(function=expr.function, args=parts, span=span)
        case Unary():
            return Unary(op=expr.op, operand=parts[0], span=span)
        case Binary():
            return Binary(op=expr.op, left=parts[0], right=parts[1], span=span)
        case Text():
            return Text(parts=parts, span=span)
        case ListOf():
            return ListOf(items=parts, span=span)
        case ObjectOf():
            keys = (key for key, _ in expr.entries)
            return ObjectOf(entries=tuple(zip(keys, parts, strict=True)), span=span)
        case Each():
            items, body = parts
            return Each(function=expr.function, items=items, body=body, name=expr.name, span=span)
        case _:
            assert_never(expr)


def shift_spans(expr: Expr, file: str, offset: int) -> Expr:
    """Return the same expression `offset` characters further on in `file`."""
    at = expr.span
    span = None if at is None else Span(file, at.start + offset, at.end + offset)
    if type(expr) is Name:
        return Name(name=expr.name, span=span)
    if type(expr) is Literal:
        return Literal(value=expr.value, span=span)
    if type(expr) is Binary:
        left = shift_spans(expr.left, file, offset)
        return Binary(op=expr.op, left=left, right=shift_spans(expr.right, file, offset), span=span)
    parts = tuple([shift_spans(part, file, offset) for part in children(expr)])
    return rebuild(expr, parts, span)


def map_spans(expr: Expr, place: Callable[[Span], Span]) -> Expr:
    """Return the same expression with every span replaced by what `place` makes of it."""
    span = None if expr.span is None else place(expr.span)
    if type(expr) is Literal:
        return Literal(value=expr.value, span=span)
    if type(expr) is Name:
        return Name(name=expr.name, span=span)
    return rebuild(expr, tuple([map_spans(part, place) for part in children(expr)]), span)
