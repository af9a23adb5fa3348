"""JSON Schemas in flow YAML: what is wrong with one, at its place.

schema: {type: object, required: true}        `required` takes a list of names
"""

from __future__ import annotations

from collections.abc import Iterable

from ...ir import Json
from .tree import YamlList, YamlMap, YamlNode

_LONGEST = 200


def schema_fault(schema: Json, node: YamlNode) -> tuple[str, YamlNode] | None:
    """Return what makes a schema invalid (draft 2020-12) and the node that says it, or None."""
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        text = " ".join(str(error.message).split())
        shown = text if len(text) <= _LONGEST else text[:_LONGEST] + " …"
        return shown, _at(node, error.absolute_path)
    except RecursionError:
        return "it is nested too deeply", node
    return None


def _at(node: YamlNode, path: Iterable[str | int]) -> YamlNode:
    """Return the node at a path through mappings and lists, or the last one on the way."""
    for step in path:
        match node:
            case YamlMap():
                below = next((value for key, value in node.pairs if key.value == step), None)
            case YamlList() if isinstance(step, int) and step < len(node.items):
                below = node.items[step]
            case _:
                below = None
        if below is None:
            return node
        node = below
    return node
