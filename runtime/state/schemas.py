"""JSON Schema: the misfits of a value, in words for a model or a person."""

from __future__ import annotations

from typing import Any

from ..errors import one_line

ANSWER_TOOL = "give_answer"
"""The tool that a model calls to give an answer that has a schema."""

_SHOWN = 5


class BrokenSchema(Exception):
    """A schema that is not valid, or refers to something that is not in it."""


def misfits(schema: object, value: object) -> str:
    """Describe what of the value does not fit, "" when all of it does. A `$ref` never fetches
    anything. Raise `BrokenSchema`."""
    import jsonschema
    import referencing

    broken = (jsonschema.SchemaError, referencing.exceptions.Unresolvable, RecursionError)
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema, registry=referencing.Registry())
        faults = sorted(validator.iter_errors(value), key=lambda fault: fault.json_path)
    except broken as error:
        raise BrokenSchema(one_line(error)) from None
    return "; ".join(_fault(fault) for fault in faults[:_SHOWN])


def _fault(fault: Any) -> str:
    where = fault.json_path.removeprefix("$").lstrip(".")
    return f"{where}: {one_line(fault.message)}" if where else one_line(fault.message)
