"""Expressions and assignments as the JavaScript that a state machine's JSON holds (J35–J38).

common_data.n == 3                                 common_data.n === 3
tool_arguments(last_response, 'review').ok         function.review.arguments.ok
common_data := put(common_data, 'n', 1)            common_data.n = 1
"""

from __future__ import annotations

import json
import re
from typing import assert_never

from ..expr.ast import (
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
from ..ir import Assignment, Script

DATA = "common_data"
UNSAID = "…"
"""What stands for an expression that JavaScript has no words for; it does not parse."""

_SIGNS = {"==": "===", "!=": "!==", "and": "&&", "or": "||"}
_BINDING = {
    "||": 1, "&&": 2, "===": 3, "!==": 3, "<": 4, "<=": 4, ">": 4, ">=": 4,
    "+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
}  # fmt: skip
_INLINE = re.compile(r"[^\n]*?(?P<value>return \()?\n *(?P<code>.*)\n(?:\);)? \} \};\n\Z", re.S)


def javascript(expr: Expr, agent: str = "", within: int = 0) -> str:
    """An expression as JavaScript. `agent` is whose answer the last one is; `within` how tightly
    the operator around it binds."""
    match expr:
        case Literal():
            return _literal(expr.value)
        case Name():
            return expr.name
        case Field():
            return f"{javascript(expr.object, agent, 9)}.{expr.name}"
        case Index():
            return f"{javascript(expr.object, agent, 9)}[{javascript(expr.key, agent)}]"
        case Call():
            return _call(expr, agent, within)
        case Unary():
            sign = {"not": "!", "-": "-"}.get(expr.op)
            inner = javascript(expr.operand, agent, 8)
            return f"{sign}{inner}" if sign else f"({inner} != null)"
        case Binary():
            sign = _SIGNS.get(expr.op, expr.op)
            return _operation(sign, expr.left, expr.right, agent, within)
        case Text() | Each():
            return UNSAID
        case ListOf():
            return f"[{', '.join(javascript(item, agent) for item in expr.items)}]"
        case ObjectOf():
            entries = (f"{json.dumps(k)}: {javascript(v, agent)}" for k, v in expr.entries)
            return f"{{{', '.join(entries)}}}"
        case _:
            assert_never(expr)


def _literal(value: object) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    inner = json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inner}'"


def _call(call: Call, agent: str, within: int) -> str:
    match call.function, call.args:
        case "truthy", (value,):
            return javascript(value, agent, within)
        case "either", (value, other):
            return _operation("||", value, other, agent, within)
        case "tool_arguments", (Name(), Literal(value=str(tool))):
            return f"function.{tool}.arguments"
        case "tool_calls", _:
            return f"getToolCalls('{agent}')"
        case _:
            return UNSAID


def _operation(sign: str, left: Expr, right: Expr, agent: str, within: int) -> str:
    binding = _BINDING.get(sign)
    if binding is None:
        return UNSAID
    text = f"{javascript(left, agent, binding)} {sign} {javascript(right, agent, binding + 1)}"
    return f"({text})" if binding < within else text


def statements(assignments: tuple[Assignment, ...], agent: str = "") -> str:
    """Assignments to fields of common_data, as statements."""
    return "; ".join(_statement(assignment, agent) for assignment in assignments)


def _statement(assignment: Assignment, agent: str) -> str:
    path, value = _path_and_value(assignment.value)
    if assignment.target != DATA or not path:
        return f"{DATA}.{assignment.target} = {javascript(assignment.value, agent)}"
    target = ".".join([DATA, *path])
    match value:
        case Binary(op="+", left=Field() as old, right=Literal(value=1)) if (
            javascript(old) == target
        ):
            return f"{target}++"
        case Binary(op="+", left=Field() as old, right=added) if javascript(old) == target:
            return f"{target} += {javascript(added, agent)}"
        case _:
            return f"{target} = {javascript(value, agent)}"


def _path_and_value(expr: Expr) -> tuple[list[str], Expr]:
    """What `put` sets: the names on the way to the field, and its new value."""
    match expr:
        case Call(function="put", args=(_, Literal(value=str(name)), value)):
            path, inner = _path_and_value(value)
            return [name, *path], inner
        case _:
            return [], expr


def inline_code(script: Script) -> str | None:
    """The code that an inline script was made of; None for a script of another form."""
    match = _INLINE.match(script.source)
    if match is None or script.functions != ("run",):
        return None
    return match["code"].replace("__calls_", "function")


def sent_text(expr: Expr) -> str:
    """What is sent to an agent: a text, with the values of common_data where they go (J35)."""
    match expr:
        case Field():
            return javascript(expr)
        case Literal():
            return "" if expr.value is None else str(expr.value)
        case Text():
            return "".join(_sent_part(part) for part in expr.parts)
        case Name() if expr.name != DATA:
            return f"{{{{{DATA}.{expr.name}}}}}"
        case Call(function="coalesce", args=(Name(name=name), *_)):
            return f"{{{{{DATA}.{name}}}}}"
        case _:
            return javascript(expr)


def _sent_part(part: Expr) -> str:
    return f"{{{{{javascript(part)}}}}}" if isinstance(part, Field) else sent_text(part)


def json_of(expr: Expr) -> object:
    """Return the JSON value of a constant, null for any other expression."""
    match expr:
        case Literal():
            return expr.value
        case ListOf():
            return [json_of(item) for item in expr.items]
        case ObjectOf():
            return {key: json_of(value) for key, value in expr.entries}
        case _:
            return None
