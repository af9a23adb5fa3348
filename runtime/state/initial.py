"""The initial state of a run."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from flowc.compiler.ir import TypeName
from flowc.compiler.lowering.graphspec import GraphSpec

from ..errors import RunError
from ..services import Json
from ..values import kept_value, storable_text
from .channels import combinable, starting_values, variables_of
from .parameters import WORDS, WrongType, typed_value


def initial_state(
    spec: GraphSpec, inputs: Mapping[str, Json], env: Mapping[str, str]
) -> dict[str, Any]:
    """Return the input of the graph: what the caller gives, then what the environment gives.
    Defaults are the channels' own. Raise `RunError` as `input_values` does."""
    channels = variables_of(spec)
    values = input_values(spec, inputs, env)
    writes = {
        channels[name].name: combinable(channels[name], value) for name, value in values.items()
    }
    return {**starting_values(spec), **writes}


def input_values(
    spec: GraphSpec, inputs: Mapping[str, Json], env: Mapping[str, str]
) -> dict[str, Json]:
    """Return the values of variables that the caller and the environment give, by name. Raise
    `RunError` for an unknown input, one of another type and a missing required one."""
    channels = variables_of(spec)
    for name in inputs:
        if name not in channels:
            close = difflib.get_close_matches(name, channels, n=1)
            known = ", ".join(param.name for param in spec.params) or "none"
            raise RunError(
                f"{spec.file} has no input `{name}`",
                help=f"did you mean `{close[0]}`?" if close else f"inputs: {known}",
            )
    values = {
        name: _as_type(name, _storable(name, value, spec), channels[name].type, spec)
        for name, value in inputs.items()
    }
    values = with_environment(spec, values, env)
    for param in spec.params:
        if param.required and values.get(param.name, param.default) is None:
            raise RunError(
                f"{spec.file} needs the input `{param.name}`",
                help=param.description or f"give it with `-i {param.name}=VALUE`",
            )
    return values


def variable_writes(spec: GraphSpec, changes: Mapping[str, Json]) -> dict[str, Json]:
    """Return other values of variables by their channels. Raise `RunError` for an unknown one."""
    channels = variables_of(spec)
    for name in changes:
        if name not in channels:
            raise RunError(f"{spec.file} has no variable `{name}`")
    return {
        channels[name].name: kept_value(value, f"the value of `{name}`")
        for name, value in changes.items()
    }


def with_environment(
    spec: GraphSpec, inputs: Mapping[str, Json], env: Mapping[str, str]
) -> dict[str, Json]:
    """Return the inputs, and those that the environment gives."""
    values = dict(inputs)
    for param in spec.params:
        if param.name not in values and param.env is not None and param.env in env:
            values[param.name] = storable_text(env[param.env])
    return values


def _as_type(name: str, value: Json, type: TypeName, spec: GraphSpec) -> Json:
    """Return an input as its declared type; null leaves a variable unset. Raise `RunError`."""
    try:
        checked: Json = None if value is None else typed_value(value, type)
    except WrongType as wrong:
        raise RunError(
            f"the input `{name}` of {spec.file} must be {WORDS[type]}, not {wrong}"
        ) from None
    return checked


def _storable(name: str, value: Json, spec: GraphSpec) -> Json:
    kept = kept_value(value, f"the input `{name}` of {spec.file}")
    if kept != value:
        raise RunError(f"the input `{name}` of {spec.file} is not UTF-8 text")
    return kept
