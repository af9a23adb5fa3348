"""Fields of the IR in the forms of flow YAML: the writer's half of the table of keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from ... import ir
from ...analysis.hosts import host_fault, host_in
from ...expr.ast import Expr, Literal, Text
from ...expr.parse import parse
from ...expr.show import show
from ...expr.template import (
    quoted_address,
    quoted_command,
    read_template,
    show_parts,
    show_template,
    unquoted_parts,
)
from ...flow_yaml.durations import read_duration, show_duration
from ...flow_yaml.keys import LIMIT, MODEL_SETTINGS, RETRY
from ...flow_yaml.shapes import Form, MapShape
from .yaml_text import Inline, PlainScalar, Value


def mapping_of(value: Any, element: MapShape, *without: str) -> Inline:
    """The keys of an element, what is as it would be anyway left out; `without` names further
    ones."""
    defaults = {f.name: f.default for f in fields(value) if f.default is not MISSING}
    found = Inline()
    for key in element.keys:
        held = getattr(value, key.attribute)
        usual = key.default if key.default is not None else defaults.get(key.attribute, MISSING)
        if held is not None and key.name not in without and (key.required or held != usual):
            written = WRITERS[key.form](held)
            # A variable alone gets the first of the parts.
            alone = key.form == "parts" and list(written.values()) == [key.words[0]]
            found[key.name] = next(iter(written)) if alone else written
    return found


def short_form(mapping: Inline, element: MapShape) -> Value:
    """The value alone where the element's short form says the same."""
    return mapping[element.short] if list(mapping) == [element.short] else mapping


def expression(expr: Expr) -> Value:
    """What decides or computes. A text is written as one."""
    if isinstance(expr, Text) or (isinstance(expr, Literal) and isinstance(expr.value, str)):
        return Inline(text=show_template(expr))
    return PlainScalar(show(expr))


def settings(assignments: tuple[ir.Assignment, ...]) -> Value:
    """Variables with expressions; a list where one is set twice."""
    if len({a.target for a in assignments}) == len(assignments):
        return {a.target: expression(a.value) for a in assignments}
    return [{a.target: expression(a.value)} for a in assignments]


def _command(expr: Expr) -> Value:
    if not isinstance(expr, Text):
        return show_template(expr)
    text = show_parts(unquoted_parts(expr))
    again, refusals = quoted_command(read_template(text), text)
    return text if again == expr and not refusals else Inline(value=PlainScalar(show(expr)))


def _address(expr: Expr) -> Value:
    if not isinstance(expr, Text):
        literal = isinstance(expr, Literal) and isinstance(expr.value, str)
        return show_template(expr) if literal else Inline(value=PlainScalar(show(expr)))
    text = show_parts(unquoted_parts(expr))
    template = read_template(text)
    begins = bool(template.placeholders) and template.placeholders[0].start == 0
    again = quoted_address(template, beginning=begins)
    plain = again == expr and (begins or host_fault(host_in(text)) is None)
    return text if plain else Inline(value=PlainScalar(show(expr)))


def _pause(pause: ir.Delay | ir.Moment | ir.Event) -> Value:
    match pause:
        case ir.Delay(seconds=Literal(value=int() | float() as value)) if value is not True:
            text = show_duration(value)
            return text if read_duration(text) == value else Inline(seconds=value)
        case ir.Delay():
            return Inline(seconds=expression(pause.seconds))
        case ir.Moment():
            return Inline(until=show_template(pause.at))
        case ir.Event():
            limit = pause.timeout
            more = {} if limit is None else {"timeout": show_duration(limit)}
            return Inline(event=pause.name, **more)


def _headers(headers: tuple[ir.HttpHeader, ...]) -> Value:
    found: dict[str, Value] = {}
    for header in headers:
        if header.value is not None:
            found[header.name] = show_template(header.value)
        else:
            prefix = {"prefix": header.prefix} if header.prefix else {}
            found[header.name] = Inline(secret=header.secret, **prefix)
    return found


def _descriptions(pairs: list[tuple[str, str]]) -> Value:
    if not any(text for _, text in pairs):
        return [name for name, _ in pairs]
    if len({name for name, _ in pairs}) == len(pairs):
        return dict(pairs)
    return [{name: text} for name, text in pairs]


def _inputs(inputs: tuple[ir.Input, ...]) -> Value:
    return _descriptions([(i.name, i.description) for i in inputs])


def _outputs(outputs: tuple[ir.Output, ...]) -> Value:
    return _descriptions([(o.name, o.source) for o in outputs])


def _criterion(criterion: ir.Assertion) -> Value:
    if criterion.expr is None:
        return criterion.text
    check = expression(criterion.expr)
    if isinstance(check, PlainScalar) and parse(criterion.text, "", 0) == criterion.expr:
        return Inline(check=PlainScalar(criterion.text))
    return Inline(text=criterion.text, check=check)


def _limits(limits: tuple[ir.Limit, ...]) -> Value:
    return {limit.name: short_form(mapping_of(limit, LIMIT), LIMIT) for limit in limits}


def _retry(retry: ir.Retry) -> Value:
    return short_form(mapping_of(retry, RETRY), RETRY)


def _parts(parts: tuple[ir.ResultPart, ...]) -> Value:
    return Inline({part.variable: part.part for part in parts})


def _model_settings(settings: ir.QuestionSettings) -> Value:
    return mapping_of(settings, MODEL_SETTINGS)


def _same(value: object) -> Value:
    return value


def _number(value: float) -> Value:
    return int(value) if value == int(value) and abs(value) < 1e15 else value


WRITERS: dict[Form, Callable[[Any], Value]] = {
    "text": _same,
    "template": show_template,
    "command": _command,
    "expression": expression,
    "flag": _same,
    "integer": _same,
    "number": _number,
    "word": _same,
    "words": list,
    "names": list,
    "model": _same,
    "models": lambda models: models[0] if len(models) == 1 else list(models),
    "json": _same,
    "schema": _same,
    "settings": settings,
    "model_settings": _model_settings,
    "pause": _pause,
    "address": _address,
    "hosts": list,
    "headers": _headers,
    "parts": _parts,
    "values": lambda values: [expression(value) for value in values],
    "inputs": _inputs,
    "outputs": _outputs,
    "criteria": lambda criteria: [_criterion(criterion) for criterion in criteria],
    "limits": _limits,
    "retry": _retry,
}
