"""The parameters of a workflow: values of their types, and their JSON Schema for clients."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flowc.compiler.ir import Param, TypeName
from flowc.compiler.lowering.graphspec import MESSAGES, GraphSpec, is_conversation

from ..errors import one_line
from ..values import fits

JSON_TYPES: Mapping[str, Mapping[str, str]] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "object": {"type": "object"},
    "list": {"type": "array"},
    "any": {},
}
"""What a variable or a parameter of a type holds, in the words of JSON Schema."""


WORDS: dict[TypeName, str] = {
    "text": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "a JSON object",
    "list": "a JSON list",
    "any": "a value",
}
_SHOWN = 40


class WrongType(Exception):
    """A value does not have its declared type; the text says what it is instead."""


def typed_value(value: Any, type: TypeName) -> Any:
    """Return a JSON value as its declared type; a number or a truth value has a text form. Raise
    `WrongType`."""
    if type == "text" and isinstance(value, int | float):
        return json.dumps(value)
    if fits(value, type):
        return value
    text = one_line(json.dumps(value, ensure_ascii=False, default=repr), _SHOWN)
    raise WrongType(f"`{text}`")


def parameters_schema(spec: GraphSpec) -> dict[str, Any]:
    """Return the schema of the inputs that a caller gives: types, defaults, descriptions, and which
    are required; new messages of the main conversation, as LangGraph's chats send them."""
    properties = {param.name: _property(param) for param in spec.params}
    messages: dict[str, Any] = {}
    if is_conversation(spec, MESSAGES):
        # Who reads types alone does without LangChain.
        from langchain_core.messages import AnyMessage
        from pydantic import TypeAdapter

        messages = TypeAdapter(list[AnyMessage]).json_schema()
    definitions = messages.pop("$defs", {})
    return {
        "title": spec.title or spec.name,
        "type": "object",
        "properties": {**({MESSAGES: messages} if messages else {}), **properties},
        "required": [p.name for p in spec.params if p.required and p.default is None],
        **({"$defs": definitions} if definitions else {}),
    }


def _property(param: Param) -> dict[str, Any]:
    about: dict[str, Any] = dict(JSON_TYPES[param.type])
    if param.description:
        about["description"] = param.description
    if param.default is not None:
        about["default"] = param.default
    return about
