"""JSON Schema: the misfits of a value, in words for a model or a person."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from typing import Any, Protocol

from flowc.compiler.expr.function_texts import pattern_fault, pattern_matches

from ..errors import one_line

ANSWER_TOOL = "give_answer"
"""The tool that a model calls to give an answer that has a schema."""

_SHOWN = 5
_LONGEST = 100_000
"""Characters of a schema that is kept: checking one against its own schema takes ten times as long
as checking a call by it."""
_DRAFT, _BY_PATTERN, _LEFT = "$schema", "patternProperties", "unevaluatedProperties"


Json = dict[str, Any]


class BrokenSchema(Exception):
    """A schema that is not valid, or refers to something that is not in it."""


class _Descending(Protocol):
    """A validator, as far as keywords use one."""

    def descend(
        self, instance: object, schema: object, path: str, schema_path: str
    ) -> Iterator[object]:
        """Yield what of a part does not fit."""
        ...


def misfits(schema: object, value: object) -> str:
    """Describe what of the value does not fit, "" when all of it does. A `$ref` never fetches
    anything, and a pattern takes time linear in the text. Raise `BrokenSchema`."""
    import jsonschema
    import referencing

    broken = (jsonschema.SchemaError, referencing.exceptions.Unresolvable, RecursionError)
    try:
        faults = sorted(_checker(schema).iter_errors(value), key=lambda fault: fault.json_path)
    except broken as error:
        raise BrokenSchema(one_line(error)) from None
    return "; ".join(_fault(fault) for fault in faults[:_SHOWN])


def _checker(schema: object) -> Any:
    """Return what validates by a schema, which is checked itself when it is new."""
    try:
        text = json.dumps(schema)
    except (TypeError, ValueError):  # dates of YAML, a circle
        return _new_checker(schema)
    return _kept_checker(text) if len(text) <= _LONGEST else _new_checker(schema)


@lru_cache(maxsize=128)
def _kept_checker(text: str) -> Any:
    return _new_checker(json.loads(text))


def _new_checker(schema: object) -> Any:
    from jsonschema import Draft202012Validator
    from referencing import Registry

    Draft202012Validator.check_schema(schema)
    return _validator()(_checkable(schema), registry=Registry())


@cache
def _validator() -> Any:
    """Return the class that validates, with patterns searched by RE2: those of Python's, which
    jsonschema takes, can go on for years, and nothing else runs meanwhile."""
    from jsonschema import Draft202012Validator, ValidationError, validators

    usual = Draft202012Validator.VALIDATORS["additionalProperties"]

    def pattern(validator: object, wanted: str, text: object, schema: object) -> Iterator[object]:
        if isinstance(text, str) and not _matches(wanted, text):
            yield ValidationError(f"{text!r} does not match {wanted!r}")

    def by_pattern(
        validator: _Descending, inner: Json, value: object, schema: object
    ) -> Iterator[object]:
        items = [*value.items()] if isinstance(value, dict) else []
        for (wanted, one), (name, part) in product(inner.items(), items):
            if _matches(wanted, name):
                yield from validator.descend(part, one, path=name, schema_path=wanted)

    def additional(
        validator: object, inner: object, value: object, schema: Json
    ) -> Iterator[object]:
        patterns = schema.get(_BY_PATTERN, {})
        if isinstance(value, dict):
            value = {n: v for n, v in value.items() if not any(_matches(p, n) for p in patterns)}
        rest = {key: about for key, about in schema.items() if key != _BY_PATTERN}
        yield from usual(validator, inner, value, rest)

    own = {"pattern": pattern, _BY_PATTERN: by_pattern, "additionalProperties": additional}
    return validators.extend(Draft202012Validator, own)


def _matches(pattern: str, text: str) -> bool:
    if fault := pattern_fault(pattern):
        raise BrokenSchema(f"the pattern `{one_line(pattern[:100])}`: {fault}")
    return pattern_matches(pattern, text)


def _checkable(schema: object) -> object:
    """Return a schema whose parts name no draft: jsonschema would take its own class for them.
    Raise `BrokenSchema` for what it looks up by patterns of Python's."""
    text = json.dumps(schema, default=str)
    if f'"{_LEFT}"' in text and f'"{_BY_PATTERN}"' in text:
        raise BrokenSchema(f"`{_LEFT}` and `{_BY_PATTERN}` are not checked together")
    return _without_drafts(schema) if f'"{_DRAFT}"' in text else schema


def _without_drafts(schema: object) -> object:
    match schema:
        case dict():
            named = isinstance(schema.get(_DRAFT), str)
            parts = {k: v for k, v in schema.items() if not named or k != _DRAFT}
            return {key: _without_drafts(part) for key, part in parts.items()}
        case list():
            return [_without_drafts(part) for part in schema]
    return schema


def _fault(fault: Any) -> str:
    where = fault.json_path.removeprefix("$").lstrip(".")
    return f"{where}: {one_line(fault.message)}" if where else one_line(fault.message)
