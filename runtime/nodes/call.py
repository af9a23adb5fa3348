"""call: run another workflow as a subgraph, variables copied in and out (M42–M44)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from flowc.compiler.expr.values import read_number
from flowc.compiler.ir import CallNode
from flowc.compiler.lowering.graphspec import Channel, GraphSpec

from ..context import CALL_PATH, binding
from ..errors import Failure
from ..services import Json
from ..state.channels import (
    STEPS,
    begun_after,
    combinable,
    outcome_in,
    starting_values,
    variable_values,
    variables_of,
)
from ..state.scope import Scope
from .visit.reading import with_files
from .visit.spending import inside
from .visit.visit import Done, Visit, assign


async def run(visit: Visit, op: CallNode) -> Done:
    """Run the called workflow. Its variables are copied back when it fails, too, and the caller's
    rules for failures leave them alone (M43, M44); `returns` counts after a success alone."""
    spec = visit.setting.subgraphs[op.workflow]
    inputs = _inputs(visit, op, spec)
    with binding(CALL_PATH, (*CALL_PATH.get(), visit.node.id)), inside(visit):
        result = await visit.run_subgraph(inputs)
    done = Done(text=f"{spec.name}: {outcome_in(spec, result)}", settled=True)
    done.channels["$visits"] = {STEPS: result["$visits"][STEPS] - visit.steps + 1}
    if op.returns_all:
        done.variables = _shared_variables(visit, spec, inputs, result)
    if op.shares_sessions:
        sessions = (key for key in result if key.startswith("$session."))
        done.channels |= {key: result[key] for key in sessions if key in visit.node.writes}
    if outcome_in(spec, result) == "success":
        inner = replace(visit.scope, values=variable_values(spec, result))
        done.variables |= await with_files(inner, partial(_returns, op))
    else:
        done.failure = Failure(f"the called workflow `{spec.name}` ended FAILED")
    return done


async def _returns(op: CallNode, inner: Scope) -> dict[str, Json]:
    return {a.target: inner.value(a.value) for a in op.returns}


def subgraph_inputs(
    visit: Visit, spec: GraphSpec, values: dict[str, Json], steps: int
) -> dict[str, Any]:
    """Return the input of a workflow that a node runs: its starting values and these variables."""
    channels = variables_of(spec)
    passed = {channels[n].name: combinable(channels[n], v) for n, v in values.items()}
    begin = begun_after(steps, visit.services.elapsed())
    return {**starting_values(spec), **passed, "$visits": begin}


def _inputs(visit: Visit, op: CallNode, spec: GraphSpec) -> dict[str, Any]:
    """Return the called workflow's input: all variables it knows, then those passed by name."""
    values: dict[str, Json] = dict(visit.scope.values) if op.passes_all else {}
    values |= assign(visit.scope, op.passes)
    known = variables_of(spec)
    inputs = subgraph_inputs(
        visit, spec, {n: v for n, v in values.items() if n in known}, visit.steps
    )
    if op.shares_sessions:
        own = {c.name for c in spec.channels if c.role == "session"}
        inputs |= {k: v for k, v in visit.state.items() if k in own and v is not None}
    return inputs


def _shared_variables(
    visit: Visit, spec: GraphSpec, inputs: dict[str, Any], result: dict[str, Any]
) -> dict[str, Json]:
    """Return the writes of the variables that both workflows have."""
    own = variables_of(visit.setting.spec)
    return {
        name: _change(own[name], inputs.get(channel.name), result[channel.name])
        for name, channel in variables_of(spec).items()
        if name in own and channel.name in result
    }


def _change(channel: Channel, passed: object, value: Json) -> Json:
    """Return the write of a value. Where the caller's channel combines values, it holds the passed
    ones already: only the difference counts."""
    match channel.reducer:
        case "append" if isinstance(value, list):
            known = passed.get("append", []) if isinstance(passed, dict) else passed
            known = known if isinstance(known, list) else []
            return value[len(known) :] if value[: len(known)] == known else value
        case "add" if read_number(value) is not None:
            return (read_number(value) or 0) - (read_number(passed) or 0)
        case _:
            return value
