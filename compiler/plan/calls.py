"""Generated code: what its agents are given (A29), and the one call of one known tool that it has
to be, read without ever being run (A20, A28).

TRIM(input_path="a.wav", output_path="b.wav", start=1.5)
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from ..source.records import dataclass
from .document import PlanDocument, text_value
from .edits import PlanError
from .paths import step_paths
from .values import FieldLayout, in_fence

MAX_CODE = 4_000
"""Characters; longer code is not a single call."""
MAX_DEPTH = 8
"""Lists and objects in one another."""

_PLAIN = FieldLayout("* ", "", "\n")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as data: the tool's name as written, and JSON values by keyword."""

    tool: str
    arguments: Mapping[str, Any]


def is_manual(code: str) -> bool:
    """Return whether the code says `N/A`: a person does the step and reports the result (A28)."""
    return code.strip().lstrip("#").strip().strip("\"'`").strip().upper() == "N/A"


def is_placeholder(code: str) -> bool:
    """Return whether nobody has written code yet: nothing, comments, or a template (A27)."""
    lines = [line.strip() for line in code.split("\n")]
    text = code.strip()
    return all(not line or line.startswith("#") for line in lines) or (
        text.startswith("{") and text.endswith("}")
    )


def read_call(code: str) -> ToolCall:
    """Return the one call that the code is, whatever tool it names. Raise `PlanError` with the
    reason: several lines, several statements, text around the call, arguments that are not literal
    keyword arguments (A20)."""
    call = _one_call(code.strip())
    assert isinstance(call.func, ast.Name)
    name = call.func.id
    if call.args:
        raise PlanError(f"`{name}` is called with an argument that has no name: write `name=value`")
    arguments: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise PlanError(f"`{name}` is called with `**`: write each argument as `name=value`")
        if keyword.arg in arguments:
            raise PlanError(f"`{name}` is given `{keyword.arg}` twice")
        arguments[keyword.arg] = _literal(keyword.value, keyword.arg, 0)
    return ToolCall(name, arguments)


def _one_call(code: str) -> ast.Call:
    if not code:
        raise PlanError("there is no code")
    if "\n" in code or "\r" in code:
        raise PlanError("the code has several lines: it has to be one call in one line")
    if len(code) > MAX_CODE:
        raise PlanError(f"the code is longer than {MAX_CODE} characters")
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise PlanError("the code is not one call of a tool: it does not parse") from None
    if len(body) > 1:
        raise PlanError("the code has several statements: it has to be one call")
    call = body[0].value if body and isinstance(body[0], ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise PlanError("the code is not one call of a tool, such as `TOOL(name=value)`")
    if (call.col_offset, call.end_col_offset) != (0, len(code.encode())):
        raise PlanError("something stands around the call: the code has to be the call alone")
    return call


def _literal(node: ast.expr, name: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise PlanError(f"`{name}` is nested too deep")
    match node:
        case ast.Constant(value=str() | bool() | int() | None as value):
            return value
        case ast.Constant(value=float() as value) if math.isfinite(value):
            return value
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=value)) if (
            isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        ):
            return -value if isinstance(sign, ast.USub) else value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_literal(item, name, depth + 1) for item in items]
        case ast.Dict(keys=keys, values=values):
            return dict(_pairs(keys, values, name, depth))
        case _:
            raise PlanError(
                f"`{name}` is not a literal value: write a text, a number, true or a list"
            )


def _pairs(
    keys: list[ast.expr | None], values: list[ast.expr], name: str, depth: int
) -> list[tuple[str, Any]]:
    pairs = []
    for key, value in zip(keys, values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            raise PlanError(f"`{name}` has a key that is not a text")
        pairs.append((key.value, _literal(value, name, depth + 1)))
    return pairs


def code_request(document: PlanDocument, id: str) -> str:
    """Return what the agent that writes a step's code gets: the step's ID and the whole document
    (A29). Raise `PlanError` for an unknown step."""
    document.step(id)
    return f"Step: {id}\n\nDocument:\n\n{_whole(document)}"


def fix_request(document: PlanDocument, id: str, code: str, error: str) -> str:
    """Return what the agent that analyses an error gets: the code, the error, the step's paths
    with their variables resolved and its description (A29), and the whole document, in which the
    earlier attempts and what was measured stand. Raise `PlanError`."""
    read, write = step_paths(document, id)
    description = " ".join(text_value(document.step(id), "Description").split())
    return (
        f"Step: {id}\nInput Audio: {read}\nOutput Audio: {write}\nDescription: {description}\n\n"
        f"Code:\n\n{in_fence(code, 'python', _PLAIN)}\n"
        f"Error:\n\n{in_fence(error, 'text', _PLAIN)}\nDocument:\n\n{_whole(document)}"
    )


def _whole(document: PlanDocument) -> str:
    text = document.text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
    return in_fence(text, "markdown", _PLAIN)
