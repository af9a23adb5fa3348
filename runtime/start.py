"""What a run begins with, and whether a workflow is still the one that it began with."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from flowc.compiler.graphspec import GraphSpec

from .errors import RunError
from .services import Json
from .state import combinable, starting_values, variables_of
from .values import Unfit, keepable, keepable_text


def initial_state(
    spec: GraphSpec, inputs: Mapping[str, Json], env: Mapping[str, str]
) -> dict[str, Any]:
    """The input of the graph: what the caller gives, then what the environment gives. Defaults are
    the channels' own. Raises `RunError` for an unknown input and a missing required one."""
    channels = variables_of(spec)
    for name in inputs:
        if name not in channels:
            close = difflib.get_close_matches(name, channels, n=1)
            known = ", ".join(param.name for param in spec.params) or "none"
            raise RunError(
                f"{spec.file} has no input `{name}`",
                help=f"did you mean `{close[0]}`?" if close else f"inputs: {known}",
            )
    values = {name: _kept(name, value, spec) for name, value in inputs.items()}
    for param in spec.params:
        if param.name not in values and param.env is not None and param.env in env:
            values[param.name] = keepable_text(env[param.env])
        if param.required and values.get(param.name, param.default) is None:
            raise RunError(
                f"{spec.file} needs the input `{param.name}`",
                help=param.description or f"give it with `-i {param.name}=VALUE`",
            )
    given = {
        channels[name].name: combinable(channels[name], value) for name, value in values.items()
    }
    return {**starting_values(spec), **given}


def _kept(name: str, value: Json, spec: GraphSpec) -> Json:
    try:
        kept = keepable(value)
    except Unfit as error:
        raise RunError(f"the input `{name}` of {spec.file} cannot be kept: {error}") from None
    if kept != value:
        raise RunError(f"the input `{name}` of {spec.file} is not UTF-8 text")
    return kept


def changes(old: GraphSpec, new: GraphSpec) -> str:
    """What is different, by the names of nodes and files: for a person, in one line."""
    parts = _node_changes(old, new, "")
    before, after = dict(old.subgraphs), dict(new.subgraphs)
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            parts.append(f"`{path}` is no longer called")
        elif path not in before:
            parts.append(f"`{path}` is called now")
        else:
            parts.extend(_node_changes(before[path], after[path], f" in {path}"))
    return "; ".join(parts) if parts else "its declarations are different"


def _node_changes(old: GraphSpec, new: GraphSpec, where: str) -> list[str]:
    before = {node.id: _meaning(old, node.id) for node in old.nodes}
    after = {node.id: _meaning(new, node.id) for node in new.nodes}
    groups = {
        "gone": [n for n in before if n not in after],
        "new": [n for n in after if n not in before],
        "changed": [n for n in before if n in after and before[n] != after[n]],
    }
    return [
        f"{word}{where}: {', '.join(f'`{name}`' for name in names)}"
        for word, names in groups.items()
        if names
    ]


def _meaning(spec: GraphSpec, node: str) -> tuple[Any, ...]:
    """A node and its ways out, without its place."""
    own = next(n for n in spec.nodes if n.id == node)
    edges = [e.target for e in spec.edges if e.source == node]
    branch = [(b.cases, b.otherwise) for b in spec.branches if b.source == node]
    joins = [j.target for j in spec.joins if node in j.sources]
    return (own.op, own.catches, own.limits, edges, branch, joins)
