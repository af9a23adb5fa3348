"""JSON Schemas in flow YAML: what is wrong with one, at its place.

schema: {type: object, required: true}        `required` takes a list of names
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ...ir import Json
from ...reading.tree import ListAt, MapAt, Scalar, Value
from ...source.spelling import Spelling

_LONGEST = 200
_TYPES = Spelling(("string", "number", "integer", "boolean", "object", "array", "null"))
_OTHER_TYPES = {
    "text": "string",
    "str": "string",
    "int": "integer",
    "float": "number",
    "double": "number",
    "bool": "boolean",
    "dict": "object",
    "map": "object",
    "list": "array",
    "none": "null",
}
"""What other languages call them."""


def schema_fault(schema: Json, node: Value) -> tuple[str, Value] | None:
    """Return what makes a schema invalid (draft 2020-12) and the node that says it, or None."""
    from jsonschema import Draft202012Validator, SchemaError

    written_as = json.dumps(schema)
    if written_as in _sound:
        return None
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        if error.absolute_path and error.absolute_path[-1] == "type":
            written = str(error.instance)
            near = _OTHER_TYPES.get(written.lower()) or _TYPES.nearest(written)
            if near:
                message = f"there is no type `{error.instance}`: did you mean `{near}`?"
                return message, _at(node, error.absolute_path)
        text = " ".join(str(error.message).split())
        shown = text if len(text) <= _LONGEST else text[:_LONGEST] + " …"
        return shown, _at(node, error.absolute_path)
    except RecursionError:
        return "it is nested too deeply", node
    if len(_sound) >= _MOST_KNOWN:
        _sound.clear()
    if len(written_as) <= _LONGEST_KNOWN:
        _sound.add(written_as)
    return None


_MOST_KNOWN = 1000
_LONGEST_KNOWN = 10_000
_sound: set[str] = set()
"""Schemas in which nothing was wrong, as JSON: agents ask for the same again and again, and to look
through one takes milliseconds."""


def unlisted_names(node: Value) -> Iterator[tuple[Scalar, str]]:
    """Yield each name below `required` that is not among the `properties` beside it, and what to
    write, in a schema and all that are in it."""
    match node:
        case ListAt():
            for item in node.items:
                yield from unlisted_names(item)
        case MapAt():
            required, properties = node.get("required"), node.get("properties")
            if isinstance(required, ListAt) and isinstance(properties, MapAt):
                names = Spelling(key.text for key, _ in properties.pairs)
                for item in required.items:
                    if isinstance(item, Scalar) and item.text not in names:
                        yield item, names.advice(item.text, "list it below `properties`")
            for _, value in node.pairs:
                yield from unlisted_names(value)


_KEYWORDS = Spelling((
    "$schema", "$id", "$ref", "$defs", "$comment", "$anchor", "title", "description", "default",
    "deprecated", "readOnly", "writeOnly", "examples", "type", "enum", "const", "multipleOf",
    "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength",
    "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains",
    "maxProperties", "minProperties", "required", "dependentRequired", "properties",
    "patternProperties", "additionalProperties", "propertyNames", "items", "prefixItems",
    "contains", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas",
    "unevaluatedItems", "unevaluatedProperties", "format", "contentEncoding",
    "contentMediaType", "definitions",
))  # fmt: skip
_OF_NAMES = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_OF_SCHEMAS = (
    *("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"),
    *("allOf", "anyOf", "oneOf", "prefixItems"),
)


def odd_keywords(node: Value) -> Iterator[tuple[Scalar, str]]:
    """Yield each key that JSON Schema does not have and that is nearly one of its keywords, and
    that keyword, in a schema and all that are in it."""
    match node:
        case ListAt():
            for item in node.items:
                yield from odd_keywords(item)
        case MapAt():
            for key, value in node.pairs:
                near = None if key.text in _KEYWORDS else _KEYWORDS.nearest(key.text)
                if near is not None:
                    yield key, near
                if key.text in _OF_NAMES and isinstance(value, MapAt):
                    for _, inner in value.pairs:
                        yield from odd_keywords(inner)
                elif key.text in _OF_SCHEMAS:
                    yield from odd_keywords(value)


def _at(node: Value, path: Iterable[str | int]) -> Value:
    """Return the node at a path through mappings and lists, or the last one on the way."""
    for step in path:
        match node:
            case MapAt():
                below = next((value for key, value in node.pairs if key.text == step), None)
            case ListAt() if isinstance(step, int) and step < len(node.items):
                below = node.items[step]
            case _:
                below = None
        if below is None:
            return node
        node = below
    return node
