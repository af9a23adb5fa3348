"""Evaluate: compute the JSON value of an expression from the values of variables.

Pure and bounded: the same values give the same result, nothing hangs, and whatever goes wrong is an
`EvaluationError`. A variable that is not set, and whatever is looked up in null, is null.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import assert_never

from .ast import Binary, Call, Expr, Field, Index, ListOf, Literal, Name, ObjectOf, Text, Unary
from .functions import FUNCTIONS
from .patterns import pattern_fault, pattern_matches
from .values import (
    MAX_TEXT,
    EvaluationError,
    Json,
    Number,
    equal,
    kind_of,
    order_of,
    preview,
    read_number,
    text_of,
    truth_of,
)

__all__ = ["EvaluationError", "evaluate", "text_of", "truth_of"]

Files = Callable[[str], str]
"""Return the text of a file for a path as the workflow writes it; its own errors pass through."""


def evaluate(expr: Expr, variables: Mapping[str, Json], *, files: Files | None = None) -> Json:
    """Return the value of `expr`. Raise `EvaluationError`, and what `files` raises. `read_file`
    needs `files`."""
    match expr:
        case Literal():
            return expr.value
        case Name():
            return variables.get(expr.name)
        case Field():
            return _field(evaluate(expr.object, variables, files=files), expr.name)
        case Index():
            of = evaluate(expr.object, variables, files=files)
            return _index(of, evaluate(expr.key, variables, files=files))
        case Call(function="which"):
            return _which(expr.args, variables, files)
        case Call():
            return _call(
                expr.function, [evaluate(a, variables, files=files) for a in expr.args], files
            )
        case Unary():
            return _unary(expr, evaluate(expr.operand, variables, files=files))
        case Binary(op="and" | "or"):
            left = truth_of(evaluate(expr.left, variables, files=files))
            if left == (expr.op == "or"):
                return left
            return truth_of(evaluate(expr.right, variables, files=files))
        case Binary():
            left = evaluate(expr.left, variables, files=files)
            return _binary(expr, left, evaluate(expr.right, variables, files=files))
        case Text():
            return _join([text_of(evaluate(p, variables, files=files)) for p in expr.parts])
        case ListOf():
            return [evaluate(item, variables, files=files) for item in expr.items]
        case ObjectOf():
            return {key: evaluate(value, variables, files=files) for key, value in expr.entries}
        case _:
            assert_never(expr)


def _which(
    conditions: tuple[Expr, ...], variables: Mapping[str, Json], files: Files | None
) -> Json:
    """Stop at the first true condition, as `or` does."""
    for number, condition in enumerate(conditions, start=1):
        if truth_of(evaluate(condition, variables, files=files)):
            return number
    return 0 if conditions else _call("which", [], files)


def _field(value: Json, name: str) -> Json:
    if isinstance(value, dict) and name in value:
        return value[name]
    if name == "length" and isinstance(value, str | list | dict):
        return len(value)
    return None


def _index(value: Json, key: Json) -> Json:
    if isinstance(value, dict):
        return value.get(text_of(key))
    if isinstance(value, list | str):
        at = read_number(key)
        if at is not None and at == int(at) and -len(value) <= at < len(value):
            return value[int(at)]
    return None


def _call(name: str, args: list[Json], files: Files | None) -> Json:
    function = FUNCTIONS.get(name)
    if function is None:
        raise EvaluationError(f"there is no function `{name}`")
    if len(args) < function.least or (function.most is not None and len(args) > function.most):
        raise EvaluationError(f"`{name}` takes {function.arity}, not {len(args)}")
    if function.apply is not None:
        return function.apply(*args)
    if files is None:
        raise EvaluationError(f"`{name}` is not allowed here")
    return files(text_of(args[0]))


def _unary(expr: Unary, value: Json) -> Json:
    match expr.op:
        case "not":
            return not truth_of(value)
        case "exists":
            return value is not None
        case "-":
            return -_operand(value, "-")
        case _:
            assert_never(expr.op)


def _binary(expr: Binary, left: Json, right: Json) -> Json:
    match expr.op:
        case "==":
            return equal(left, right)
        case "!=":
            return not equal(left, right)
        case "<" | "<=" | ">" | ">=":
            return _compare(expr.op, left, right)
        case "contains":
            return _contains(left, right)
        case "in":
            return _contains(right, left)
        case "starts with":
            return left is not None and text_of(left).startswith(text_of(right))
        case "ends with":
            return left is not None and text_of(left).endswith(text_of(right))
        case "matches":
            return _matches(left, right)
        case "+":
            return _plus(left, right)
        case "-" | "*" | "/" | "%":
            return _arithmetic(expr.op, _operand(left, expr.op), _operand(right, expr.op))
        case "and" | "or":
            raise AssertionError("decided before both sides are evaluated")
        case _:
            assert_never(expr.op)


def _compare(op: str, left: Json, right: Json) -> bool:
    if left is None or right is None:
        return False
    for value in (left, right):
        if isinstance(value, bool | list | dict):
            raise EvaluationError(f"`{op}` compares numbers or texts, not {kind_of(value)}")
    sign = order_of(left, right)
    return {"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0}[op]


def _contains(whole: Json, part: Json) -> bool:
    match whole:
        case None:
            return False
        case list():
            return any(equal(item, part) for item in whole)
        case dict():
            return text_of(part) in whole
        case _:
            return text_of(part) in text_of(whole)


def _matches(value: Json, pattern: Json) -> bool:
    if value is None:
        return False
    written = text_of(pattern)
    fault = pattern_fault(written)
    if fault is not None:
        raise EvaluationError(f"`{written[:60]}` is not a regular expression: {fault}")
    return pattern_matches(written, text_of(value))


def _plus(left: Json, right: Json) -> Json:
    if isinstance(left, str) or isinstance(right, str):
        return _join([text_of(left), text_of(right)])
    return _require_finite(_operand(left, "+") + _operand(right, "+"))


def _join(texts: list[str]) -> str:
    if sum(map(len, texts)) > MAX_TEXT:
        raise EvaluationError(f"the text has more than {MAX_TEXT} characters")
    return "".join(texts)


def _operand(value: Json, op: str) -> Number:
    number = read_number(value)
    if number is None:
        raise EvaluationError(f"`{op}` needs numbers, not {preview(value)}")
    return number


def _arithmetic(op: str, left: Number, right: Number) -> Number:
    if right == 0 and op in "/%":
        raise EvaluationError("division by zero")
    try:
        match op:
            case "-":
                return _require_finite(left - right)
            case "*":
                return _require_finite(left * right)
            case "/":
                exact = isinstance(left, int) and isinstance(right, int) and left % right == 0
                return _require_finite(left // right if exact else left / right)
            case _:
                return _remainder(left, right)
    except OverflowError:
        raise EvaluationError("the number is too large") from None


def _remainder(left: Number, right: Number) -> Number:
    """Keep the sign of the left side, as most languages do."""
    if isinstance(left, int) and isinstance(right, int):
        rest = abs(left) % abs(right)
        return -rest if left < 0 else rest
    return math.fmod(left, right)


def _require_finite(number: Number) -> Number:
    too_large = number.bit_length() > 1023 if isinstance(number, int) else not math.isfinite(number)
    if too_large:
        raise EvaluationError("the number is too large")
    return number
