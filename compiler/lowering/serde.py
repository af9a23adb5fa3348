"""IR and GraphSpec <-> JSON. pydantic is the codec; the dataclasses know nothing of it."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import os
from typing import Any

from ..ir import CallNode, ForeachNode, Program
from .graphspec import GraphSpec


@functools.cache
def _codec() -> Any:
    from pydantic import TypeAdapter  # only here: its import takes longer than a check

    return TypeAdapter(GraphSpec)


def dump_spec(spec: GraphSpec) -> dict[str, Any]:
    """A GraphSpec as JSON values; what is None or empty by default is left out."""
    data = _plain_value(spec)
    assert isinstance(data, dict)
    return data


def _plain_value(value: object) -> Any:
    """Fields that are None are left out; a null inside a JSON value is part of it and stays."""
    if dataclasses.is_dataclass(value):
        names = (f.name for f in dataclasses.fields(value))
        given = ((name, getattr(value, name)) for name in names)
        return {name: _plain_value(one) for name, one in given if one is not None}
    if isinstance(value, tuple):
        return [_plain_value(item) for item in value]
    return value


def load_spec(data: dict[str, Any] | str | bytes) -> GraphSpec:
    """The GraphSpec that `dump_spec` wrote. Raises ValueError with the place in the data when it is
    not one."""
    codec = _codec()
    spec = codec.validate_python(data) if isinstance(data, dict) else codec.validate_json(data)
    assert isinstance(spec, GraphSpec)
    return spec


def digest(program: Program) -> str:
    """SHA-256 (hex) of what a program means: spans and origin do not count, and called files count
    by their place beside the main one, so that moving a line or the whole folder changes nothing.
    """
    home = os.path.dirname(program.entry)
    meaning = [_plain(workflow, home) for _, workflow in program.workflows]
    text = json.dumps(meaning, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    # A JSON string may hold half of a surrogate pair, which plain UTF-8 refuses.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: object, home: str) -> Any:
    if isinstance(value, str):  # most of what there is
        return value
    if isinstance(value, CallNode | ForeachNode):
        value = dataclasses.replace(value, workflow=os.path.relpath(value.workflow, home or "."))
    if isinstance(value, tuple):
        return [_plain(item, home) for item in value]
    kind: Any = type(value)
    names = _compared_fields(kind)
    if names is not None:
        return {name: _plain(getattr(value, name), home) for name in names}
    return value


@functools.cache
def _compared_fields(type: type[Any]) -> tuple[str, ...] | None:
    """The fields of a dataclass that tell its values apart; None for any other type."""
    if not dataclasses.is_dataclass(type):
        return None
    return tuple(field.name for field in dataclasses.fields(type) if field.compare)
