"""Entering a node: what every kind has in common.

The wrapper made here counts the visit, enforces limits, turns a failure that an edge takes into the
case `error:<kind>`, refuses undeclared writes and reports what happened. It has no effect of its
own, so running it again is harmless: a visit is counted by the write that ends it.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from flowc.compiler.lowering.graphspec import Branch, NodeSpec
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from ...checkpoints.keys import superstep
from ...context import visiting
from ...errors import Ended, Failure, LimitReached, RunError
from ...services import Json
from ...state.channels import (
    STEPS,
    State,
    combinable,
    refuse_clashes,
    variable_values,
    variables_of,
)
from ...state.scope import Scope
from ...values import NotStorable, storable_value
from .limits import counted, enforce_limits
from .retry import tried
from .spending import spending
from .visit import Body, Done, Setting, Visit, assign, shorten

NodeFunction = Callable[[State, RunnableConfig, Runtime[Any]], Awaitable[dict[str, Any]]]


def node_function(
    node: NodeSpec, setting: Setting, body: Body, branch: Branch | None, subgraph: Any
) -> NodeFunction:
    """The LangGraph node. It holds `subgraph` in its closure, where LangGraph looks for it; the
    function is short because LangGraph reads the bytecode of each to find it, and says nothing of
    its types because LangGraph would evaluate them anew for every node: it gives a node what its
    parameters are called after.
    """

    async def visit_node(
        state: State, config: RunnableConfig, runtime: Runtime[Any]
    ) -> dict[str, Any]:
        return await _enter(node, setting, body, branch, subgraph, state, config, runtime)

    visit_node.__annotations__.clear()
    return visit_node


async def _enter(
    node: NodeSpec,
    setting: Setting,
    body: Body,
    branch: Branch | None,
    subgraph: Any,
    state: State,
    config: RunnableConfig,
    runtime: Runtime[Any],
) -> dict[str, Any]:
    visits = state.get("$visits") or {}
    visit = Visit(
        node=node,
        setting=setting,
        state=state,
        number=visits.get(node.id, 0) + 1,
        steps=visits.get(STEPS, 0) + 1,
        scope=Scope(
            variable_values(setting.spec, state), setting.services.files, setting.spec.file
        ),
        config=config,
        runtime=runtime,
        subgraph=subgraph,
    )
    if state.get("$outcome") == "failed":
        raise Ended(state)
    refuse_clashes(state)
    told = node.op.on_unknown
    with visiting(node.id, visit.number, runtime, told), setting.siblings.visit(runtime):
        try:
            return await _run(visit, body, branch)
        except (Failure, LimitReached):
            await setting.siblings.others(runtime)
            raise


async def _run(visit: Visit, body: Body, branch: Branch | None) -> dict[str, Any]:
    """The visit from start to the writes it ends with. Raises `Failure` when no edge takes it."""
    started = time.monotonic()
    visit.emit("node_started", {"visit": visit.number, "step": superstep(visit.config)})
    done = Done()
    try:
        enforce_limits(visit)
        with spending(visit):
            done = await tried(visit, body)
        if done.failure is not None:
            raise done.failure
        _check_case(visit, done, branch)
        writes = _writes(visit, done)
    except Failure as failure:
        # What a body left behind counts only with a failure that it said itself.
        writes = await _failed(visit, failure, done if failure is done.failure else Done())
    else:
        case = done.case if branch is not None else ""
        names = [name for name in writes if not name.startswith("$")]
        seconds = round(time.monotonic() - started, 6)
        visit.emit(
            "node_finished",
            {"seconds": seconds, "case": case, "writes": names, "text": shorten(done.text)},
        )
    took = time.monotonic() - started
    writes["$visits"] |= counted(visit, writes["$visits"][STEPS], took)
    return writes


def _check_case(visit: Visit, done: Done, branch: Branch | None) -> None:
    if branch is None or branch.otherwise is not None:
        return
    known = [case for case, _ in branch.cases]
    if done.case not in known:
        shown = ", ".join(f"`{case}`" for case in known if not case.startswith("error:"))
        raise Failure(f"no edge of `{visit.node.id}` takes `{done.case}`; there are {shown}")


async def _failed(visit: Visit, failure: Failure, done: Done) -> dict[str, Any]:
    """The writes of a failure that an edge takes. Raises it when there is none."""
    node = visit.node
    failure.at(node.id, node.place)
    caught = failure.kind in node.catches
    visit.emit("node_failed", {**failure.as_value(), "caught": caught})
    if not caught:
        raise failure
    await visit.services.journal.abandon(visit.runtime)
    variables = dict(done.variables)
    if not done.settled:
        scope = visit.scope.with_values({**variables, "error": failure.as_value()})
        for rule in visit.setting.spec.on_error:
            if failure.kind in rule.kinds:
                variables |= assign(scope, rule.assignments)
    channels = {**done.channels, "$error": failure.as_value()}
    case = f"error:{failure.kind}"
    return _writes(visit, Done(variables=variables, channels=channels, case=case))


def _writes(visit: Visit, done: Done) -> dict[str, Any]:
    """Channel writes of a visit. A channel that the node does not declare is refused, because
    LangGraph would drop it without a word."""
    node = visit.node
    channels = variables_of(visit.setting.spec)
    writes: dict[str, Any] = {}
    for name, value in done.variables.items():
        if name in channels:
            writes[channels[name].name] = combinable(channels[name], _kept(name, value))
        else:
            writes[name] = _kept(name, value)
    writes.update(done.channels)
    refused = [key for key in writes if key not in node.writes]
    if refused:
        names = ", ".join(f"`{name}`" for name in refused)
        raise RunError(f"`{node.id}` writes {names}, which it does not declare", exit_code=3)
    writes["$visits"] = {node.id: 1, STEPS: 1, **done.channels.get("$visits", {})}
    if node.route is not None:
        writes[node.route] = done.case
    return writes


def _kept(name: str, value: Json) -> Json:
    try:
        return storable_value(value)
    except NotStorable as error:
        raise Failure(f"the value of `{name}` cannot be kept: {error}") from None
