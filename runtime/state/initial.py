"""The initial state of a run."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from flowc.compiler.lowering.graphspec import GraphSpec

from ..errors import RunError
from ..services import Json
from ..values import NotStorable, storable_text, storable_value
from .channels import combinable, starting_values, variables_of


def initial_state(
    spec: GraphSpec, inputs: Mapping[str, Json], env: Mapping[str, str]
) -> dict[str, Any]:
    """Return the input of the graph: what the caller gives, then what the environment gives.
    Defaults are the channels' own. Raise `RunError` for an unknown input and a missing required
    one."""
    channels = variables_of(spec)
    for name in inputs:
        if name not in channels:
            close = difflib.get_close_matches(name, channels, n=1)
            known = ", ".join(param.name for param in spec.params) or "none"
            raise RunError(
                f"{spec.file} has no input `{name}`",
                help=f"did you mean `{close[0]}`?" if close else f"inputs: {known}",
            )
    values = {name: _storable(name, value, spec) for name, value in inputs.items()}
    values = with_environment(spec, values, env)
    for param in spec.params:
        if param.required and values.get(param.name, param.default) is None:
            raise RunError(
                f"{spec.file} needs the input `{param.name}`",
                help=param.description or f"give it with `-i {param.name}=VALUE`",
            )
    writes = {
        channels[name].name: combinable(channels[name], value) for name, value in values.items()
    }
    return {**starting_values(spec), **writes}


def with_environment(
    spec: GraphSpec, inputs: Mapping[str, Json], env: Mapping[str, str]
) -> dict[str, Json]:
    """Return the inputs, and those that the environment gives."""
    values = dict(inputs)
    for param in spec.params:
        if param.name not in values and param.env is not None and param.env in env:
            values[param.name] = storable_text(env[param.env])
    return values


def _storable(name: str, value: Json, spec: GraphSpec) -> Json:
    try:
        kept = storable_value(value)
    except NotStorable as error:
        raise RunError(f"the input `{name}` of {spec.file} cannot be kept: {error}") from None
    if kept != value:
        raise RunError(f"the input `{name}` of {spec.file} is not UTF-8 text")
    return kept
