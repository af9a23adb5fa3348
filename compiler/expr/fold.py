"""Fold: replace what has the same value in every run by that value.

    length("abc") > 2 and READY   ->   READY counted as a truth value
    Text("a", "b", NAME)          ->   Text("ab", NAME)

What would fail at run time stays, so that it fails there with its place.
"""

from __future__ import annotations

from dataclasses import replace

from ..source.source import Span
from .ast import Binary, Call, Expr, Literal, Name, Text
from .evaluate import evaluate
from .functions import FUNCTIONS
from .values import EvaluationError, text_of, truth_of
from .walk import children, rebuild


def fold(expr: Expr) -> Expr:
    """Return the same expression with constant parts computed, spans kept."""
    parts = tuple(fold(part) for part in children(expr))
    return _reduce(rebuild(expr, parts, expr.span))


def _reduce(expr: Expr) -> Expr:
    match expr:
        case Literal() | Name():
            return expr
        case Text():
            return _text(expr)
        case Binary(op="and" | "or", left=Literal() as left):
            return _decide(expr, truth_of(left.value))
        case Call() if _from_outside(expr):
            return expr
        case _ if not all(isinstance(part, Literal) for part in children(expr)):
            return expr
    try:
        value = evaluate(expr, {})
    except EvaluationError:
        return expr
    if value is None or isinstance(value, str | int | float | bool):
        return Literal(value=value, span=expr.span)
    return expr


def _from_outside(expr: Call) -> bool:
    function = FUNCTIONS.get(expr.function)
    return function is None or function.apply is None


def _decide(expr: Binary, left: bool) -> Expr:
    if left == (expr.op == "or"):
        return Literal(value=left, span=expr.span)
    if isinstance(expr.right, Literal):
        return Literal(value=truth_of(expr.right.value), span=expr.span)
    return Call(function="boolean", args=(expr.right,), span=expr.span)


def _text(expr: Text) -> Expr:
    parts: list[Expr] = []
    for part in expr.parts:
        if not isinstance(part, Literal):
            parts.append(part)
            continue
        written, span = text_of(part.value), part.span
        if parts and isinstance(before := parts[-1], Literal):
            written, span = text_of(before.value) + written, _around(before.span, span)
            parts.pop()
        if written:
            parts.append(Literal(value=written, span=span))
    if not parts:
        return Literal(value="", span=expr.span)
    if len(parts) == 1 and isinstance(parts[0], Literal):
        return Literal(value=parts[0].value, span=expr.span)
    return replace(expr, parts=tuple(parts))


def _around(first: Span | None, last: Span | None) -> Span | None:
    if first is None or last is None or first.file != last.file:
        return first
    return Span(first.file, min(first.start, last.start), max(first.end, last.end))
