"""Evaluate: compute the JSON value of an expression from the values of variables.

Pure and bounded: the same values give the same result, nothing hangs, and whatever goes wrong is an
`EvaluationError`. A variable that is not set, and whatever is looked up in null, is null.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import assert_never

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
from .function import Cost
from .function_texts import pattern_fault, pattern_matches
from .functions import FUNCTIONS, Function
from .times import now_text
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
    require_finite,
    text_of,
    truth_of,
)
from .walk import walk

__all__ = ["EvaluationError", "evaluate", "text_of", "truth_of"]

Files = Callable[[str], str]
"""Return the text of a file for a path as the workflow writes it; its own errors pass through."""


MAX_WORK = 128 * 1024 * 1024
"""Units that one expression may spend."""
PER_PART = 16
"""Units for an element of a list or object, and for evaluating one part of an expression for it."""
PER_SIGN = 8
"""Units for each character of a pattern: it is compiled before it is used."""


class Work:
    """What is left for one evaluation."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_WORK

    def spend(self, units: int) -> None:
        """Count units. Raise `EvaluationError` when more were spent than may be."""
        self.left -= units
        if self.left < 0:
            raise EvaluationError(
                "the expression takes too long: it looks at more than"
                f" {MAX_WORK:,} characters, an element counting as {PER_PART}"
            )

    def look_at(self, value: Json, cost: Cost = "length") -> None:
        """Count a value that is looked at."""
        if isinstance(value, str):
            self.spend(len(value))
        elif isinstance(value, list | dict):
            self.spend(PER_PART * len(value) if cost == "length" else self._extent(value))

    def repeat(self, times: int, body: Expr) -> None:
        """Count an expression that is evaluated so many times."""
        self.spend(times * PER_PART * sum(1 for _ in walk(body)))

    def _extent(self, value: Json) -> int:
        """Return how much lies in a value at any depth; no more than what is left, and one more."""
        found, todo = 0, [value]
        while todo and found <= self.left:
            match todo.pop():
                case str() as text:
                    found += len(text)
                case list() as items:
                    found += PER_PART * len(items)
                    todo += items
                case dict() as entries:
                    found += PER_PART * len(entries) + sum(map(len, entries))
                    todo += entries.values()
                case _:
                    pass
        return found


def evaluate(
    expr: Expr,
    variables: Mapping[str, Json],
    *,
    files: Files | None = None,
    now: float | None = None,
) -> Json:
    """Return the value of `expr`. Raise `EvaluationError`, and what `files` raises. `read_file`
    needs `files`, and `now` the time in seconds since 1970."""
    return _Evaluation(variables, files, now, Work()).value(expr)


class _Evaluation:
    """One evaluation: the variables, what the caller provides, and what may be spent."""

    __slots__ = ("files", "now", "variables", "work")

    def __init__(
        self, variables: Mapping[str, Json], files: Files | None, now: float | None, work: Work
    ) -> None:
        self.variables = variables
        self.files = files
        self.now = now
        self.work = work

    def value(self, expr: Expr) -> Json:
        match expr:
            case Literal():
                return expr.value
            case Name():
                return self.variables.get(expr.name)
            case Field():
                return _field(self.value(expr.object), expr.name)
            case Index():
                return _index(self.value(expr.object), self.value(expr.key))
            case Call(function="which"):
                return self._which(expr.args)
            case Call():
                return self._call(expr.function, [self.value(arg) for arg in expr.args])
            case Unary():
                return _unary(expr, self.value(expr.operand))
            case Binary(op="and" | "or"):
                left = truth_of(self.value(expr.left))
                return left if left == (expr.op == "or") else truth_of(self.value(expr.right))
            case Binary():
                return self._binary(expr, self.value(expr.left), self.value(expr.right))
            case Text():
                return self._join([self.value(part) for part in expr.parts])
            case ListOf():
                return [self.value(item) for item in expr.items]
            case ObjectOf():
                return {key: self.value(value) for key, value in expr.entries}
            case Each():
                return self._each(expr, self.value(expr.items))
            case _:
                assert_never(expr)

    def _which(self, conditions: tuple[Expr, ...]) -> Json:
        """Stop at the first true condition, as `or` does."""
        for number, condition in enumerate(conditions, start=1):
            if truth_of(self.value(condition)):
                return number
        return 0 if conditions else self._call("which", [])

    def _each(self, expr: Each, items: Json) -> Json:
        function = _function(expr.function, 2)
        elements: list[Json] = function.parameters[0].read(items, function.name)
        self.work.repeat(len(elements), expr.body)
        variables = dict(self.variables)
        inner = _Evaluation(variables, self.files, self.now, self.work)
        values: list[Json] = []
        for element in elements:
            variables[expr.name] = element
            values.append(inner.value(expr.body))
        return self._apply(function, [elements, values])

    def _call(self, name: str, args: list[Json]) -> Json:
        function = _function(name, len(args))
        values = [function.parameter(n).read(arg, name) for n, arg in enumerate(args)]
        return self._apply(function, values)

    def _apply(self, function: Function, values: list[Json]) -> Json:
        if function.apply is None:
            return self._ask(function.name, values)
        if function.cost != "constant":
            for value in values:
                self.work.look_at(value, function.cost)
                if function.weight > 1 and isinstance(value, str):
                    self.work.spend(len(value) * (function.weight - 1))
        result = function.apply(*values)
        if function.cost != "constant":
            self.work.look_at(result)
        return result

    def _ask(self, name: str, values: list[Json]) -> Json:
        """Return what the caller provides."""
        if name == "now" and self.now is not None:
            return now_text(self.now, *values)
        if name == "read_file" and self.files is not None:
            return self.files(text_of(values[0]))
        raise EvaluationError(f"`{name}` is not allowed here")

    def _binary(self, expr: Binary, left: Json, right: Json) -> Json:
        match expr.op:
            case "==" | "!=":
                if isinstance(left, str | list | dict) and type(left) is type(right):
                    self.work.look_at(left, "whole")
                return equal(left, right) == (expr.op == "==")
            case "<" | "<=" | ">" | ">=":
                return _compare(expr.op, left, right)
            case "contains":
                return self._contains(left, right)
            case "in":
                return self._contains(right, left)
            case "starts with":
                return left is not None and self._text(left).startswith(self._text(right))
            case "ends with":
                return left is not None and self._text(left).endswith(self._text(right))
            case "matches":
                return self._matches(left, right)
            case "+":
                if isinstance(left, str) or isinstance(right, str):
                    return self._join([left, right])
                return require_finite(_operand(left, "+") + _operand(right, "+"))
            case "-" | "*" | "/" | "%":
                return _arithmetic(expr.op, _operand(left, expr.op), _operand(right, expr.op))
            case "and" | "or":
                raise AssertionError("decided before both sides are evaluated")
            case _:
                assert_never(expr.op)

    def _contains(self, whole: Json, part: Json) -> bool:
        match whole:
            case None:
                return False
            case list():
                self.work.look_at(whole, "whole" if isinstance(part, list | dict) else "length")
                return any(equal(item, part) for item in whole)
            case dict():
                return text_of(part) in whole
            case _:
                return self._text(part) in self._text(whole)

    def _matches(self, value: Json, pattern: Json) -> bool:
        if value is None:
            return False
        written = text_of(pattern)
        self.work.spend(len(written) * PER_SIGN)
        fault = pattern_fault(written)
        if fault is not None:
            raise EvaluationError(f"`{written[:60]}` is not a regular expression: {fault}")
        return pattern_matches(written, self._text(value))

    def _join(self, values: list[Json]) -> str:
        texts = [self._text(value) for value in values]
        if sum(map(len, texts)) > MAX_TEXT:
            raise EvaluationError(f"the text has more than {MAX_TEXT} characters")
        return "".join(texts)

    def _text(self, value: Json) -> str:
        self.work.look_at(value, "whole")
        return text_of(value)


def _function(name: str, count: int) -> Function:
    """Return the function for so many arguments. Raise `EvaluationError`."""
    function = FUNCTIONS.get(name)
    if function is None:
        raise EvaluationError(f"there is no function `{name}`")
    if count < function.least or (function.most is not None and count > function.most):
        raise EvaluationError(f"`{name}` takes {function.arity}, not {count}")
    return function


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


def _compare(op: str, left: Json, right: Json) -> bool:
    if left is None or right is None:
        return False
    for value in (left, right):
        if isinstance(value, bool | list | dict):
            raise EvaluationError(f"`{op}` compares numbers or texts, not {kind_of(value)}")
    sign = order_of(left, right)
    return {"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0}[op]


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
                return require_finite(left - right)
            case "*":
                return require_finite(left * right)
            case "/":
                exact = isinstance(left, int) and isinstance(right, int) and left % right == 0
                return require_finite(left // right if exact else left / right)
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
