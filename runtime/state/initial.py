"""The initial state of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from flowc.compiler.ir import Param, TypeName
from flowc.compiler.lowering.graphspec import MESSAGES, GraphSpec, is_conversation
from flowc.compiler.source.spelling import Spelling

from ..errors import RunError
from ..services import Json, Message
from ..values import kept_value, storable_text, unchanged_value
from .channels import combinable, starting_values, variables_of
from .messages import channel_message
from .parameters import WORDS, WrongType, typed_value


def initial_state(
    spec: GraphSpec, inputs: Mapping[str, Json], env: Mapping[str, str]
) -> dict[str, Any]:
    """Return the input of the graph: what the caller gives, then what the environment gives.
    Defaults are the channels' own. A host may have given messages of a conversation too. Raise
    `RunError` as `input_values` does."""
    values = dict(inputs)
    talk = values.pop(MESSAGES, None) if is_conversation(spec, MESSAGES) else None
    writes = given_channels(spec, input_values(spec, values, env))
    if talk is not None:
        writes[MESSAGES] = [channel_message(one) for one in cast("list[Message]", talk)]
    return {**starting_values(spec), **writes}


def given_channels(spec: GraphSpec, values: Mapping[str, Json]) -> dict[str, Any]:
    """Return values of variables as they are written, by channel."""
    channels = variables_of(spec)
    return {channels[n].name: combinable(channels[n], value) for n, value in values.items()}


def input_values(
    spec: GraphSpec, inputs: Mapping[str, Json], env: Mapping[str, str]
) -> dict[str, Json]:
    """Return the values of variables that the caller and the environment give, by name. Raise
    `RunError` for an unknown input, one of another type and a missing required one."""
    known = [param.name for param in spec.params]
    for name in inputs:
        if name not in known:
            raise RunError(
                f"{spec.name} has no input `{name}`",
                help=Spelling(known).advice(name, f"inputs: {', '.join(known) or 'none'}"),
            )
    values = with_environment(spec, _read_inputs(spec, inputs), env)
    for param in spec.params:
        if param.required and values.get(param.name, param.default) is None:
            raise RunError(
                f"{_where(param.name, spec)} needs the input `{param.name}`",
                help=param.description or f'write {{"{param.name}": …}}',
            )
    return values


def given_values(
    spec: GraphSpec, params: Sequence[Param], inputs: Mapping[str, Json], env: Mapping[str, str]
) -> dict[str, Json]:
    """Return the values of some parameters that the caller and the environment give. Raise
    `RunError` for one of another type."""
    values = with_environment(spec, _read_inputs(spec, inputs), env)
    return {param.name: values[param.name] for param in params if param.name in values}


def _read_inputs(spec: GraphSpec, inputs: Mapping[str, Json]) -> dict[str, Json]:
    types = {param.name: param.type for param in spec.params}
    return {
        name: _as_type(name, unchanged_value(value, _input_name(name, spec)), types[name], spec)
        for name, value in inputs.items()
    }


def variable_writes(spec: GraphSpec, changes: Mapping[str, Json]) -> dict[str, Json]:
    """Return other values of variables by their channels; null empties one. Raise `RunError` for an
    unknown variable and for a value of another type."""
    channels = variables_of(spec)
    writes: dict[str, Json] = {}
    for name, value in changes.items():
        if name not in channels:
            raise RunError(
                f"{spec.file} has no variable `{name}`",
                help=Spelling(channels).advice(name, f"variables: {', '.join(channels) or 'none'}"),
            )
        kind = channels[name].type
        try:
            typed = value if value is None else typed_value(value, kind)
        except WrongType as mismatch:
            raise RunError(f"`{name}` must be {WORDS[kind]}, not {mismatch}") from None
        writes[channels[name].name] = kept_value(typed, f"the value of `{name}`")
    return writes


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
        raise RunError(f"{_input_name(name, spec)} must be {WORDS[type]}, not {wrong}") from None
    return checked


def _where(name: str, spec: GraphSpec) -> str:
    """Return where a parameter stands, `file:line:column`; of another variable the file."""
    place = dict(spec.param_places).get(name)
    return str(place) if place else spec.file


def _input_name(name: str, spec: GraphSpec) -> str:
    return f"the input `{name}` of {_where(name, spec)}"
