"""call: run another workflow as a subgraph, variables copied in and out (M42–M44)."""

from __future__ import annotations

from typing import Any

from flowc.compiler.expr.values import read_number
from flowc.compiler.ir import CallNode
from flowc.compiler.lowering.graphspec import Channel, GraphSpec

from ..context import CALL_PATH
from ..errors import Failure
from ..services import Json
from ..state.channels import (
    STEPS,
    begun_after,
    combinable,
    starting_values,
    variable_values,
    variables_of,
)
from ..state.scope import Scope
from .visit.spending import inside
from .visit.visit import Done, Visit, assign


def called(visit: Visit) -> GraphSpec:
    """The workflow that a call node calls."""
    op = visit.node.op
    assert isinstance(op, CallNode)
    return visit.setting.subgraphs[op.workflow]


async def run(visit: Visit) -> Done:
    """Fails when the called workflow does not end in success; its variables are copied back all the
    same, and the caller's rules for failures leave them alone (M43, M44). What `returns` names is
    set after a success alone."""
    op = visit.node.op
    assert isinstance(op, CallNode)
    spec = called(visit)
    given = _given(visit, op, spec)
    token = CALL_PATH.set((*CALL_PATH.get(), visit.node.id))
    try:
        with inside(visit):
            result = await visit.run_subgraph(given)
    finally:
        CALL_PATH.reset(token)
    done = Done(text=f"{op.workflow}: {result.get('$outcome', 'success')}", settled=True)
    done.channels["$visits"] = {STEPS: result["$visits"][STEPS] - visit.steps + 1}
    if op.returns_all:
        done.variables = _returned(visit, spec, given, result)
    if op.shares_sessions:
        sessions = (key for key in result if key.startswith("$session."))
        done.channels |= {key: result[key] for key in sessions if key in visit.node.writes}
    if result.get("$outcome", "success") == "success":
        done.variables |= _named(visit, op, spec, result)
    else:
        done.failure = Failure(f"the called workflow `{spec.name}` ended FAILED")
    return done


def _given(visit: Visit, op: CallNode, spec: GraphSpec) -> dict[str, Any]:
    """The called workflow's input: all variables it knows, then what is passed by name."""
    values: dict[str, Json] = dict(visit.scope.values) if op.passes_all else {}
    values |= assign(visit.scope, op.passes)
    channels = variables_of(spec)
    passed = {n: combinable(channels[n], v) for n, v in values.items() if n in channels}
    given = starting_values(spec) | {channels[n].name: v for n, v in passed.items()}
    if op.shares_sessions:
        own = {c.name for c in spec.channels if c.role == "session"}
        shared = {k: v for k, v in visit.state.items() if k in own and v is not None}
        given |= shared
    given["$visits"] = begun_after(visit.steps, visit.services.elapsed())
    return given


def _returned(
    visit: Visit, spec: GraphSpec, given: dict[str, Any], result: dict[str, Any]
) -> dict[str, Json]:
    """The called workflow's values of the variables that both have. Where the caller puts values
    together, what was handed over is there already: only what came to it counts."""
    own = variables_of(visit.setting.spec)
    returned: dict[str, Json] = {}
    for name, channel in variables_of(spec).items():
        if name in own and channel.name in result:
            value, passed = result[channel.name], given.get(channel.name)
            returned[name] = _added(own[name], passed, value)
    return returned


def _named(visit: Visit, op: CallNode, spec: GraphSpec, result: dict[str, Any]) -> dict[str, Json]:
    """What `returns` sets here: each is read from the called workflow's variables alone."""
    inner = Scope(variable_values(spec, result), visit.scope.files, visit.scope.base)
    return {a.target: inner.value(a.value) for a in op.returns}


def _added(channel: Channel, passed: Any, value: Json) -> Json:
    match channel.reducer:
        case "append" if isinstance(value, list):
            known = passed.get("append", []) if isinstance(passed, dict) else passed
            known = known if isinstance(known, list) else []
            return value[len(known) :] if value[: len(known)] == known else value
        case "add" if read_number(value) is not None:
            return (read_number(value) or 0) - (read_number(passed) or 0)
        case _:
            return value
