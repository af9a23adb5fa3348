"""Assertions that are expressions: flowc measures them beside what the agent claims."""

from __future__ import annotations

import re
from collections.abc import Set

from ...expr.ast import Call, Expr, Literal, Name, Text
from ...expr.parse import parse_assertion
from ...expr.walk import children, rebuild
from ...ir import Assertion
from ...reading.located import Located
from ...source.source import Source
from .model import Step
from .prompt import PLACEHOLDER

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_assertions(step: Step, variables: Set[str], source: Source) -> tuple[Assertion, ...]:
    """Return the step's assertions in order, their text unchanged (S9). One over the tools'
    results, the tools' names or variables also becomes an expression; any other is prose for the
    model."""
    tools = {tool.text for tool in step.tools}
    return tuple(
        [
            Assertion(text=at.text, expr=_expression(at, tools, variables, source), span=at.span)
            for at in step.asserts
        ]
    )


def _expression(item: Located, tools: set[str], variables: Set[str], source: Source) -> Expr | None:
    words = _WORD.findall(item.text)
    if "result" not in words and tools.isdisjoint(words) and variables.isdisjoint(words):
        return None
    known = {word for word in words if word == "result" or word in tools or word in variables}
    span = item.span
    read = parse_assertion(source.text[span.start : span.end], span.file, span.start, known)
    if read is not None and "[" in item.text:
        return _with_placeholders(read, variables)
    return read


def _with_placeholders(expr: Expr, variables: Set[str]) -> Expr:
    """Let `"[NAME]"` in a quoted text mean the variable's value where the assertion is measured,
    though the model sees it as written (S35)."""
    if isinstance(expr, Literal):
        return _template(expr, variables) if isinstance(expr.value, str) else expr
    parts = tuple(_with_placeholders(part, variables) for part in children(expr))
    return rebuild(expr, parts, expr.span)


def _template(literal: Literal, variables: Set[str]) -> Expr:
    text, at = str(literal.value), 0
    parts: list[Expr] = []
    for match in PLACEHOLDER.finditer(text):
        if match[1] not in variables:
            continue
        name = Name(name=match[1], span=literal.span)
        parts += [
            Literal(value=text[at : match.start()]),
            Call(function="coalesce", args=(name, Literal(value=match[0])), span=literal.span),
        ]
        at = match.end()
    if not parts:
        return literal
    parts.append(Literal(value=text[at:]))
    return Text(parts=tuple(p for p in parts if p != Literal(value="")), span=literal.span)
