"""Types: what kind of value an expression gives, and the faults that are certain before the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import assert_never

from ..source.records import dataclass
from ..source.source import Span
from .ast import Binary, Call, Expr, Field, Index, ListOf, Literal, Name, ObjectOf, Text, Unary
from .functions import FUNCTIONS, Type
from .patterns import pattern_fault
from .values import read_number, text_of
from .walk import walk

_NO_NUMBER: dict[Type, str] = {"boolean": "a truth value", "list": "a list", "object": "an object"}


@dataclass(frozen=True, slots=True)
class ExprFault:
    """Why an expression cannot be evaluated: a sentence, the part it is about, what to write."""

    message: str
    span: Span | None
    help: str = ""


def infer(expr: Expr, types: Mapping[str, Type]) -> Type:
    """Return the type of the value; "any" where only the run can tell, so for a variable that is
    not in `types` or may be null."""
    match expr:
        case Literal():
            return _scalar_type(expr)
        case Name():
            return types.get(expr.name, "any")
        case Field() | Index():
            return "any"
        case Call():
            function = FUNCTIONS.get(expr.function)
            return function.result if function else "any"
        case Unary():
            return "number" if expr.op == "-" else "boolean"
        case Binary(op="+"):
            return _sum_type(infer(expr.left, types), infer(expr.right, types))
        case Binary(op="-" | "*" | "/" | "%"):
            return "number"
        case Binary():
            return "boolean"
        case Text():
            return "text"
        case ListOf():
            return "list"
        case ObjectOf():
            return "object"
        case _:
            assert_never(expr)


def _scalar_type(expr: Literal) -> Type:
    match expr.value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "text"
        case None:
            return "any"


def _sum_type(left: Type, right: Type) -> Type:
    if "text" in (left, right):
        return "text"
    return "any" if "any" in (left, right) else "number"


def faults(expr: Expr) -> Iterator[ExprFault]:
    """Yield every certain fault of an expression in itself: unknown functions, wrong numbers of
    arguments, invalid regular expressions, a division by zero. Each part is reported once."""
    for part in walk(expr):
        match part:
            case Call():
                yield from _call_faults(part)
            case Binary(op="matches"):
                yield from _pattern_faults(part.right)
            case Binary(op="/" | "%", right=Literal() as divisor) if (
                read_number(divisor.value) == 0
            ):
                yield ExprFault("division by zero", divisor.span)


def operand_faults(expr: Expr, types: Mapping[str, Type]) -> Iterator[ExprFault]:
    """Yield the operands that an operator never takes, each once."""
    for part in walk(expr):
        match part:
            case Binary():
                yield from _operand_faults(part, types)
            case Unary(op="-"):
                yield from _number_faults("-", part.operand, types)


def _call_faults(call: Call) -> Iterator[ExprFault]:
    function = FUNCTIONS.get(call.function)
    if function is None:
        close = get_close_matches(call.function.lower(), FUNCTIONS, n=1)
        known = ", ".join(FUNCTIONS)
        yield ExprFault(
            f"there is no function `{call.function}`",
            call.span,
            f"did you mean `{close[0]}`?" if close else f"the functions are {known}",
        )
        return
    count = len(call.args)
    if count < function.least or (function.most is not None and count > function.most):
        yield ExprFault(
            f"`{function.name}` takes {function.arity}, not {count}",
            call.span,
            function.summary,
        )


def _operand_faults(expr: Binary, types: Mapping[str, Type]) -> Iterator[ExprFault]:
    match expr.op:
        case "-" | "*" | "/" | "%":
            yield from _number_faults(expr.op, expr.left, types)
            yield from _number_faults(expr.op, expr.right, types)
        case "<" | "<=" | ">" | ">=":
            for side in (expr.left, expr.right):
                kind = _NO_NUMBER.get(infer(side, types))
                if kind:
                    yield ExprFault(f"`{expr.op}` compares numbers or texts, not {kind}", side.span)


def _pattern_faults(pattern: Expr) -> Iterator[ExprFault]:
    if not isinstance(pattern, Literal):
        return
    fault = pattern_fault(text_of(pattern.value))
    if fault is not None:
        yield ExprFault(
            f"the regular expression is invalid: {fault}",
            pattern.span,
            "put a backslash before a character that is meant as itself, as in `\\(`",
        )


def _number_faults(op: str, operand: Expr, types: Mapping[str, Type]) -> Iterator[ExprFault]:
    if isinstance(operand, Literal) and isinstance(operand.value, str):
        if read_number(operand.value) is None:
            yield ExprFault(f"`{op}` needs numbers, not the text `{operand.value}`", operand.span)
        return
    kind = _NO_NUMBER.get(infer(operand, types))
    if kind:
        yield ExprFault(f"`{op}` needs numbers, not {kind}", operand.span)
