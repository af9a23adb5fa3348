"""The older dialect's inline code as expressions (J35, J37, J38), where they mean the same.

    common_data.n === 3                           common_data.n == 3
    function.review.arguments.ok === true         tool_arguments(last_response, "review").ok == true
    getToolCalls('coder').length > 0              tool_calls(last_response).length > 0
    common_data.a || 'b'                          either(common_data.a, 'b')
    common_data.ready                             truthy(common_data.ready), as a condition

JavaScript's truth differs from that of the expression language, so a value that stands as a
condition is put into `truthy`. What is left over (methods, `a ? b : c`, …) stays JavaScript.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from ...expr.ast import (
    Binary,
    Call,
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
from ...expr.parse import ParseFault
from ...expr.walk import rebuild, walk
from ...ir import Assignment
from ...reading.tree import Scalar
from ...source.records import dataclass

DATA, REPLY, ANSWER = "common_data", "last_response", "lastAgentResponse"
_FIELDS = r"(?:this\.)?common_data((?:\.[^\W\d]\w*)+)"
_PLACEHOLDER = re.compile(rf"\{{\{{\s*({_FIELDS})\s*\}}\}}")
_PATH = re.compile(_FIELDS)
_TARGET = re.compile(rf"\s*{_FIELDS}\s*(\+\+|\+?=(?![=>]))\s*")
_QUOTES = re.compile(r"'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\"|`(?:[^`\\]|\\.)*+`|[;(){}\[\]\n]")


@dataclass(frozen=True, slots=True)
class Around:
    """What code can read: the variable with the run's input, and the agent whose answer is
    certainly the last one."""

    input: str
    agent: str | None


def path_of(text: str) -> Expr | None:
    """Return `common_data.a.b` as an expression; None for any other text."""
    match = _PATH.fullmatch(text.strip())
    return _fields(match[1]) if match else None


def _fields(dotted: str) -> Expr:
    expr: Expr = Name(name=DATA)
    for name in dotted.strip(".").split("."):
        expr = Field(object=expr, name=name)
    return expr


def template(words: Scalar) -> Expr:
    """Return a text with the values of its `{{common_data.x}}` put in."""
    parts: list[Expr] = []
    at = 0
    for match in _PLACEHOLDER.finditer(words.text):
        if match.start() > at:
            parts.append(_constant(words, at, match.start()))
        parts.append(replace(_fields(match[2]), span=words.at(*match.span(1))))
        at = match.end()
    if at == 0:
        return _constant(words, 0, len(words.text))
    if at < len(words.text):
        parts.append(_constant(words, at, len(words.text)))
    return Text(parts=tuple(parts), span=words.span)


def _constant(words: Scalar, start: int, end: int) -> Literal:
    return Literal(value=words.text[start:end], span=words.at(start, end))


def has_placeholder(text: str) -> bool:
    """Return whether a text has values to put in."""
    return _PLACEHOLDER.search(text) is not None


def as_value(words: Scalar, around: Around, start: int = 0, end: int | None = None) -> Expr | None:
    """Return code as an expression for its value; None where an expression cannot say it."""
    read = words.expression(start, end)
    return None if isinstance(read, ParseFault) else _value(read, around)


def as_condition(words: Scalar, around: Around) -> Expr | None:
    """Return code as an expression for its truth in JavaScript; None where it cannot be."""
    read = words.expression()
    return None if isinstance(read, ParseFault) else _truth(read, around)


def _truth(expr: Expr, around: Around) -> Expr | None:
    match expr:
        case Binary(op="and" | "or"):
            left, right = _truth(expr.left, around), _truth(expr.right, around)
            return (
                None if left is None or right is None else rebuild(expr, (left, right), expr.span)
            )
        case Unary(op="not", operand=operand):
            inner = _truth(operand, around)
            return (
                None
                if inner is None
                else _if_called(rebuild(expr, (inner,), expr.span), operand, around)
            )
        case Binary(op="==" | "!=" | "<" | "<=" | ">" | ">=") | Literal(value=bool()):
            value = _value(expr, around)
            return None if value is None else _if_called(value, expr, around)
        case _:
            value = _value(expr, around)
            return None if value is None else Call(function="truthy", args=(value,), span=expr.span)


def _if_called(truth: Expr, written: Expr, around: Around) -> Expr:
    """Guard the truth of what reads a tool's arguments: did the last answer call it (J37)?"""
    value = None if isinstance(written, Binary) and written.op in ("and", "or") else written
    value = value and _value(value, around)
    calls = (part for part in walk(value) if isinstance(part, Call)) if value is not None else ()
    for call in dict.fromkeys(call for call in calls if call.function == "tool_arguments"):
        exists = Unary(op="exists", operand=call, span=call.span)
        truth = Binary(op="and", left=exists, right=truth, span=truth.span)
    return truth


def _value(expr: Expr, around: Around) -> Expr | None:
    match expr:
        case Literal():
            return expr
        case Name():
            return _name(expr, around)
        case Field() | Index():
            return _field(expr, around)
        case Binary(op="and") if not (_is_truth(expr.left) and _is_truth(expr.right)):
            return None
        case Binary(op="and") | Unary(op="not"):
            return _truth(expr, around)
        case Binary(op="or" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%"):
            left, right = _value(expr.left, around), _value(expr.right, around)
            if left is None or right is None:
                return None
            if expr.op == "or":
                return Call(function="either", args=(left, right), span=expr.span)
            return rebuild(expr, (left, right), expr.span)
        case Unary(op="-"):
            inner = _value(expr.operand, around)
            return None if inner is None else rebuild(expr, (inner,), expr.span)
        case Call(function="getToolCalls", args=(Literal(value=str() as agent),)):
            if around.agent is not None and around.agent != agent:
                return None
            return Call(function="tool_calls", args=(Name(name=REPLY),), span=expr.span)
        case _:
            return None


def _is_truth(expr: Expr) -> bool:
    match expr:
        case Binary(op="==" | "!=" | "<" | "<=" | ">" | ">=") | Unary(op="not"):
            return True
        case Binary(op="and" | "or"):
            return _is_truth(expr.left) and _is_truth(expr.right)
        case _:
            return isinstance(expr, Literal) and isinstance(expr.value, bool)


def _name(expr: Name, around: Around) -> Expr | None:
    if expr.name in (DATA, ANSWER):
        return expr
    return replace(expr, name=around.input) if expr.name == "input" else None


def _field(expr: Field | Index, around: Around) -> Expr | None:
    """Return a path. `this.x` is `x`; `function.<tool>.arguments.<arg>` reads the last answer."""
    match expr:
        case Field(object=Name(name="this"), name=name):
            return _name(Name(name=name, span=expr.span), around)
        case Field(object=Field(object=Name(name="function"), name=tool), name="arguments"):
            args = (Name(name=REPLY), Literal(value=tool))
            return Call(function="tool_arguments", args=args, span=expr.span)
    object = _value(expr.object, around)
    if object is None:
        return None
    if isinstance(expr, Field):
        return rebuild(expr, (object,), expr.span)
    key = _value(expr.key, around)
    return None if key is None else rebuild(expr, (object, key), expr.span)


def assignments(words: Scalar, around: Around) -> tuple[Assignment, ...] | None:
    """Return statements that set fields of common_data as assignments; None where one of them does
    something else."""
    changes: list[Assignment] = []
    for start, end in statements(words.text):
        assignment = _assignment(words, around, start, end)
        if assignment is None:
            return None
        changes.append(assignment)
    return tuple(changes)


def _assignment(words: Scalar, around: Around, start: int, end: int) -> Assignment | None:
    target = _TARGET.match(words.text, start, end)
    if target is None or (target[2] == "++") != (target.end() == end):
        return None
    old = _fields(target[1])
    value: Expr | None = Literal(value=1)
    if target[2] != "++":
        value = as_value(words, around, target.end(), end)
    if value is None:
        return None
    if target[2] != "=":
        value = Binary(op="+", left=old, right=value, span=value.span)
    names = target[1].strip(".").split(".")
    span = words.at(target.start(1) - len(DATA), target.end(1))
    return Assignment(target=DATA, value=put(Name(name=DATA), names, value), span=span)


def statements(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each statement begins and ends: at semicolons and line ends outside of
    brackets."""
    start, depth = 0, 0
    ends = [match for match in _QUOTES.finditer(text) if len(match[0]) == 1]
    for match in ends:
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        elif depth == 0:
            if text[start : match.start()].strip():
                yield _without_blanks(text, start, match.start())
            start = match.end()
    if text[start:].strip():
        yield _without_blanks(text, start, len(text))


def _without_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    raw = text[start:end]
    return start + len(raw) - len(raw.lstrip()), end - len(raw) + len(raw.rstrip())


def put(object: Expr, names: list[str], value: Expr) -> Expr:
    """Return the object with the field behind `names` set, and the objects on the way to it."""
    first, *rest = names
    if rest:
        value = put(Field(object=object, name=first), rest, value)
    return Call(function="put", args=(object, Literal(value=first), value))


def constant(value: object) -> Expr:
    """Return any JSON value as an expression."""
    match value:
        case dict():
            entries = tuple((str(key), constant(part)) for key, part in value.items())
            return ObjectOf(entries=entries)
        case list():
            return ListOf(items=tuple(constant(part) for part in value))
        case _:
            return Literal(value=cast("str | int | float | bool | None", value))
