"""The JSON Schema of flow YAML (draft 2020-12), for editors; made from the table of keys.

It says which keys stand where and in which form. What needs more than the place (names that exist,
expressions that parse) is `flowc check`'s to say.
"""

from __future__ import annotations

from typing import Any, get_args

from .. import ir
from . import keys
from .shapes import Form, Key, MapShape

Schema = dict[str, Any]

_SCALAR: Schema = {"type": ["string", "number", "boolean"]}
_ANYTHING: Schema = {}
_NAMES: Schema = {"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR}]}
_FILLED: Schema = {"type": "array", "items": _SCALAR, "minItems": 1, "uniqueItems": True}
_SETTINGS: Schema = {
    "anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}],
}
_DESCRIBED: Schema = {
    "anyOf": [
        _SCALAR,
        {"type": "object", "additionalProperties": {"type": [*_SCALAR["type"], "null"]}},
        {"type": "array", "items": {"anyOf": [_SCALAR, {"type": "object"}]}},
    ]
}
_TEMPLATE: Schema = {
    "anyOf": [
        _SCALAR,
        {"type": "object", "properties": {"value": _ANYTHING}, "required": ["value"],
         "additionalProperties": False},
    ]
}  # fmt: skip
_FILE: Schema = {
    "type": "object", "properties": {"file": {"type": "string", "description": "a file of text"}},
    "required": ["file"], "additionalProperties": False,
}  # fmt: skip
_DURATION: Schema = {
    "type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ms|s|m|h|d|w))+$",
    "description": "a length of time: `30s`, `5m`, `1h30m`",
}  # fmt: skip
_PAUSE: Schema = {
    "anyOf": [
        _DURATION,
        {"type": "object", "properties": {"seconds": _ANYTHING}, "required": ["seconds"],
         "additionalProperties": False},
        {"type": "object", "properties": {"until": _TEMPLATE}, "required": ["until"],
         "additionalProperties": False},
        {"type": "object",
         "properties": {"event": {"type": "string"}, "timeout": _DURATION},
         "required": ["event"], "additionalProperties": False},
    ]
}  # fmt: skip
_SECRET: Schema = {
    "type": "object",
    "properties": {"secret": {"type": "string"}, "prefix": {"type": "string"}},
    "required": ["secret"], "additionalProperties": False,
}  # fmt: skip
_FORMS: dict[Form, Schema] = {
    "pause": _PAUSE,
    "address": _TEMPLATE,
    "hosts": _NAMES,
    "headers": {
        "type": "object",
        "additionalProperties": {"anyOf": [*_TEMPLATE["anyOf"], _FILE, _SECRET]},
    },
    "text": _SCALAR,
    "template": {"anyOf": [*_TEMPLATE["anyOf"], _FILE]},
    "command": _TEMPLATE,
    "expression": _ANYTHING,
    "flag": {"type": "boolean"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "names": _NAMES,
    "model": _SCALAR,
    "models": _NAMES,
    "json": _ANYTHING,
    "schema": {"type": "object", "$ref": "https://json-schema.org/draft/2020-12/schema"},
    "settings": _SETTINGS,
    "model_settings": {"$ref": "#/$defs/model_settings"},
    "values": {"type": "array"},
    "inputs": _DESCRIBED,
    "outputs": _DESCRIBED,
    "criteria": {"$ref": "#/$defs/criteria"},
    "limits": {"$ref": "#/$defs/limits"},
    "retry": {"$ref": "#/$defs/retry"},
}


def flow_schema() -> Schema:
    """Return the schema as JSON values."""
    workflow = _workflow()
    inner = {**workflow, "properties": dict(workflow["properties"])}
    del inner["properties"]["tests"]
    whole = dict(workflow["properties"])
    whole["flow"] = {"const": keys.VERSION, "description": "the version of the language"}
    whole["workflows"] = _optional(
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/workflow"},
         "description": "workflows that nodes of this file call, by name"}
    )  # fmt: skip
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "flow YAML",
        "type": "object",
        "properties": {"flow": whole.pop("flow"), **whole},
        "required": ["flow", "nodes"],
        "additionalProperties": False,
        "$defs": {
            "workflow": inner,
            "node": {"oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in keys.NODES]},
            "way": _way(),
            "ways": {"anyOf": [{"$ref": "#/$defs/way"},
                               {"type": "array", "items": {"$ref": "#/$defs/way"}}]},
            "criteria": _several(_mapping(keys.CRITERION)),
            "limits": {
                "type": "object",
                "properties": {name: _element(keys.LIMIT) for name in get_args(ir.LimitName)},
                "additionalProperties": False,
            },
            "retry": _element(keys.RETRY),
            "model_settings": _element(keys.MODEL_SETTINGS),
            **{kind: _node(kind, element) for kind, element in keys.NODES.items()},
        },
    }  # fmt: skip


def _workflow() -> Schema:
    shapes = {section: _element(shape) for section, shape in keys.NAMED.items()}
    seed = {"type": "object", "minProperties": 1, "maxProperties": 1}
    shapes["threads"]["properties"]["seed"] = {"type": "array", "items": seed}
    shapes["scripts"]["properties"] |= {"file": _SCALAR, "line": {"type": "integer"}}
    shapes |= {"scripts": {"anyOf": [_SCALAR, shapes["scripts"]]}, "groups": _SCALAR}
    failure = {"type": "object", "properties": {"on_error": {"$ref": "#/$defs/way"}},
               "additionalProperties": False}  # fmt: skip
    rule = _element(keys.RULE)
    start = {"anyOf": [_mapping(keys.SCHEDULE.keys), _mapping(keys.WEBHOOK.keys)]}
    sections: Schema = {
        **{section: _by_name(shape) for section, shape in shapes.items()},
        "on_error": {"anyOf": [rule, {"type": "array", "items": rule}]},
        "on": {"anyOf": [*start["anyOf"], {"type": "array", "items": start}]},
        "on_input": _element(keys.ON_INPUT),
        "defaults": failure,
        "start": _SCALAR,
        "nodes": {"type": "array", "items": {"$ref": "#/$defs/node"}, "minItems": 1},
    }
    described = {
        name: {**(sections[name] if name == "nodes" else _optional(sections[name])),
               "description": help}
        for name, help in keys.SECTIONS.items()
    }  # fmt: skip
    return {
        "type": "object",
        "properties": {**_properties(keys.TOP), **described},
        "required": ["nodes"],
        "additionalProperties": False,
    }


def _node(kind: str, element: MapShape) -> Schema:
    ways = {"$ref": "#/$defs/ways"}
    cases = {"type": "object", "additionalProperties": {"$ref": "#/$defs/way"}}
    edges: Schema = {
        "next": {**ways, "description": "where it leads; on to the next node when left out"},
        "on_error": {**ways, "description": "where a failure leads"},
        "cases": {**cases, "description": "where each value leads"},
        "otherwise": {"$ref": "#/$defs/way", "description": "where every other value leads"},
    }
    required = ["name", *(key.name for key in element.keys if key.required)]
    return {
        "type": "object",
        "title": kind,
        "properties": {
            "name": {**_SCALAR, "description": "what the node is called"},
            **_properties(element.keys),
            **_properties(keys.common_keys(kind)),
            **{name: _optional(edges[name]) for name in keys.edge_keys(kind)},
        },
        "required": list(dict.fromkeys([*required, kind])),
        "additionalProperties": False,
    }


def _way() -> Schema:
    errors = {"enum": list(keys.KINDS_OF_ERROR)}
    return {
        "anyOf": [
            _SCALAR,
            {
                "type": "object",
                "properties": {
                    "to": {**_SCALAR, "description": "a node, or `end`, `success`, `failed`"},
                    "when": {"description": "the condition under which it is taken"},
                    "case": {**_SCALAR, "description": "the value for which it is taken"},
                    "otherwise": {"type": "boolean"},
                    "errors": {"anyOf": [errors, {"type": "array", "items": errors}]},
                    "label": {**_SCALAR, "description": "what is written at the arrow"},
                    "implied": {"type": "boolean"},
                },
                "required": ["to"],
                "additionalProperties": False,
            },
        ]
    }


def _element(element: MapShape) -> Schema:
    """Return a mapping, or the short form where there is one."""
    mapping = _mapping(element.keys)
    if not element.short:
        return mapping if mapping.get("required") else {**mapping, "type": ["object", "null"]}
    key = next(key for key in element.keys if key.name == element.short)
    return {"anyOf": [_form(key), mapping]}


def _mapping(rows: tuple[Key, ...]) -> Schema:
    return {
        "type": "object",
        "properties": _properties(rows),
        "required": [key.name for key in rows if key.required],
        "additionalProperties": False,
    }


def _properties(rows: tuple[Key, ...]) -> Schema:
    return {
        key.name: {**(_form(key) if key.required else _optional(_form(key))),
                   "description": key.help}
        for key in rows
    }  # fmt: skip


def _form(key: Key) -> Schema:
    word: Schema = {"enum": list(key.words)}
    match key.form:
        case "word":
            return word
        case "words":
            return _several(word)
        case "parts":
            return {"anyOf": [_SCALAR, {"type": "object", "additionalProperties": word}]}
        case form:
            if form in ("names", "models") and key.least is not None:
                return {"anyOf": [_SCALAR, _FILLED]}
            bounds = (("minimum", key.least), ("maximum", key.most))
            return _FORMS[form] | {word: bound for word, bound in bounds if bound is not None}


def _several(one: Schema) -> Schema:
    items = {"anyOf": [_SCALAR, one]} if one.get("type") == "object" else one
    return {"anyOf": [items, {"type": "array", "items": items}]}


def _by_name(one: Schema) -> Schema:
    return {"type": "object", "additionalProperties": one}


def _optional(one: Schema) -> Schema:
    """Allow null: a key without a value counts as left out."""
    return {"anyOf": [one, {"type": "null"}]} if one else one
