"""Unasked lines of a person: the workflow's assignments are made, and it goes on elsewhere (J45).

A line is written down before anything comes of it. Which lines have had their effect is counted in
the run's own state, by the same write that moves the run, so that a crash in between neither loses
a line nor obeys it twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flowc.compiler.lowering.graphspec import GraphSpec

from ..errors import Failure, RunError
from ..nodes.visit.visit import assign
from ..state.channels import outcome_channel, variable_values, variables_of
from ..state.conversations import reset
from ..state.interrupts import no_command
from ..state.scope import Scope
from ..values import kept_value, storable_text

INPUT_NODE = "$input"
"""A node that never runs: the state is changed in its name, and its edge leads to the target."""


def checked_line(spec: GraphSpec, line: str) -> str:
    """Return the line as it is kept. Raise `RunError` when the workflow takes no line, and for a
    command (J46)."""
    if spec.on_input is None:
        raise RunError(
            f"{spec.file} does not say what becomes of a line that it did not ask for",
            help="without `--say` the run goes on where it stands",
        )
    return storable_text(no_command(line))


def lines_obeyed(values: Mapping[str, Any]) -> int:
    """Return how many of the run's lines have had their effect."""
    return int((values.get("$visits") or {}).get(INPUT_NODE, 0))


def writes_of(spec: GraphSpec, values: Mapping[str, Any], line: str, now: float) -> dict[str, Any]:
    """Return the state's change by a line: the assignments with `input` bound, and one line more
    obeyed; `now` is the line's time. A run that had ended begins to run again. Raise `RunError` for
    a value that cannot be kept."""
    assert spec.on_input is not None
    scope = Scope({**variable_values(spec, values), "input": line}, now=now)
    channels = variables_of(spec)
    writes: dict[str, Any] = {"$visits": {INPUT_NODE: 1}, outcome_channel(spec): "success"}
    writes |= {c.name: reset([]) for c in spec.channels if c.role == "handled"}
    try:
        values_set = assign(scope, spec.on_input.assignments)
    except Failure as failure:
        raise RunError(f"the line cannot be taken: {failure.message}") from None
    for name, value in values_set.items():
        writes[channels[name].name] = kept_value(value, f"the value of `{name}`")
    return writes
