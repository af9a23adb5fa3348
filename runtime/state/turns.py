"""Turns of a thread that lives on: each begins with other inputs, and counts anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from flowc.compiler.lowering.graphspec import Channel, GraphSpec

from ..services import Json
from .channels import anew
from .conversations import reset


def turn_values(spec: GraphSpec, inputs: Mapping[str, Json], number: int) -> dict[str, Any]:
    """Return the input of a graph that begins a turn of a thread, the first or a later `number`: no
    variable has a value but an input's or its default, but for what is kept, and nothing was
    visited. Conversations go on."""
    values: dict[str, Any] = {}
    for channel in spec.channels:
        match channel.role:
            case "messages":
                continue
            case "visits" | "reports" | "clock":
                values[channel.name] = anew({})
            case "handled":
                values[channel.name] = reset([])
            case "outcome":
                values[channel.name] = anew("")
            case "session":
                values[channel.name] = None
            case "route":
                values[channel.name] = ""
            case "variable" if number > 1 and channel.keep and channel.variable not in inputs:
                continue
            case "variable":
                values[channel.name] = _value(channel, inputs)
            case _:
                assert_never(channel.role)
    return values


def _value(channel: Channel, inputs: Mapping[str, Json]) -> Any:
    value: Any = inputs.get(channel.variable or "", channel.default)
    match channel.reducer:
        case "replace":
            return value
        case "append":
            return reset(value if isinstance(value, list) else [] if value is None else [value])
        case "merge":
            return anew(value or {})
        case "add":
            return anew(value or 0)
        case _:
            assert_never(channel.reducer)
