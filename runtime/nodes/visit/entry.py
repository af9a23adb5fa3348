"""Entering a node: the wrapper that all kinds have in common.

It counts the visit, enforces limits, turns a failure that an edge takes into the case
`error:<kind>`, refuses undeclared writes and emits events. It has no effect of its own, so running
it again is harmless: the write that ends a visit counts it.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from flowc.compiler.ir import Assignment
from flowc.compiler.lowering.graphspec import Branch, NodeSpec
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from ...checkpoints.builder import READS_STATE, read_state
from ...checkpoints.keys import superstep
from ...context import CALL_PATH, HERE, binding, here_in
from ...errors import Ended, Failure, LimitReached, RunError
from ...services import Json
from ...state.channels import (
    STEPS,
    State,
    combinable,
    refuse_clashes,
)
from ...state.scope import Scope
from ...values import NotStorable, storable_value
from .limits import counters, enforce_limits
from .reading import reading, with_files
from .retry import run_attempts
from .spending import spending
from .visit import Body, Done, NodeLimits, Setting, Surroundings, Visit, assign, shorten
from .visit_time import sees_time, with_time

NodeFunction = Callable[[State | None, RunnableConfig, Runtime[Any]], Awaitable[dict[str, Any]]]


def node_function(
    node: NodeSpec, setting: Setting, body: Body, branch: Branch | None, subgraph: object
) -> NodeFunction:
    """Return the LangGraph node."""
    body = reading(body) if setting.reads_files else body
    limits, timed = NodeLimits.of(node, setting.spec), sees_time(node, setting.spec)
    entrance = _Entrance(node, setting, body, branch, limits, timed)
    if subgraph is None:
        return entrance
    enter = entrance.enter

    # LangGraph looks for the subgraph in the closure, and to find it there it reads the bytecode of
    # every function that is a node: this one is short.
    async def visit_node(
        state: State | None, config: RunnableConfig, runtime: Runtime[Any]
    ) -> dict[str, Any]:
        return await enter(state, config, runtime, subgraph)

    visit_node.__annotations__.clear()
    setattr(visit_node, READS_STATE, True)
    return visit_node


@dataclass(frozen=True, slots=True)
class _Entrance:
    """What the visits of a node have in common."""

    node: NodeSpec
    setting: Setting
    body: Body
    branch: Branch | None
    limits: NodeLimits
    timed: bool
    """Whether an expression of its visits calls `now`."""

    async def __call__(
        self, state: State | None, config: RunnableConfig, runtime: Runtime[Any]
    ) -> dict[str, Any]:
        """Make a visit of a node without a subgraph."""
        return await self.enter(state, config, runtime)

    async def enter(
        self,
        state: State | None,
        config: RunnableConfig,
        runtime: Runtime[Any],
        subgraph: object = None,
    ) -> dict[str, Any]:
        """Make a visit and return its writes."""
        state = read_state(config, self.setting.channels) if state is None else state
        if state.get(self.setting.outcome) == "failed":
            raise Ended(state)
        refuse_clashes(state)
        around = Surroundings.of(config)
        around.on_visit(runtime)
        node, setting, visits = self.node, self.setting, state.get("$visits") or {}
        values = {n: state.get(c.name, c.default) for n, c in setting.variables.items()}
        visit = Visit(
            node=node,
            setting=setting,
            limits=self.limits,
            services=around.services,
            state=state,
            number=visits.get(node.id, 0) + 1,
            steps=visits.get(STEPS, 0) + 1,
            scope=Scope(values, around.services.files, setting.spec.file),
            config=config,
            runtime=runtime,
            subgraph=subgraph,
        )
        here = here_in(node.id, visit.number, runtime, node.op.on_unknown, config)
        with binding(HERE, here), around.siblings.visit(runtime):
            try:
                timed = await with_time(visit) if self.timed else visit
                return await _run(timed, self.body, self.branch)
            except (Failure, LimitReached):
                await around.siblings.wait(runtime)
                raise


setattr(_Entrance, READS_STATE, True)
# LangGraph goes by the names of the parameters and would evaluate the types for every node.
_Entrance.__call__.__annotations__.clear()


def _step_of(visit: Visit) -> int:
    """Return the step of the visit, counted from the begin of the turn; a called workflow begins
    its own in each."""
    before = 0 if CALL_PATH.get() else Surroundings.of(visit.config).steps_before
    return superstep(visit.config) - before


async def _run(visit: Visit, body: Body, branch: Branch | None) -> dict[str, Any]:
    """Make the visit and return its writes. Raise a `Failure` that no edge takes."""
    started = time.monotonic()
    visit.emit("node_started", {"visit": visit.number, "step": _step_of(visit)})
    done = Done()
    try:
        enforce_limits(visit)
        with spending(visit) if visit.can_spend else nullcontext():
            done = await run_attempts(visit, body)
        if done.failure is not None:
            raise done.failure
        _check_case(visit, done, branch)
        writes = _writes(visit, done)
    except Failure as failure:
        # The writes of a body count only with a failure that it returned itself.
        writes = await _catch(visit, failure, done if failure is done.failure else Done())
    else:
        case = done.case if branch is not None else ""
        names = [name for name in writes if name in visit.setting.variables]
        seconds = round(time.monotonic() - started, 6)
        visit.emit(
            "node_finished",
            {
                "seconds": seconds,
                "case": case,
                "writes": names,
                "text": shorten(done.text),
                **done.told,
            },
            done.variables,
        )
    took = time.monotonic() - started
    writes["$visits"] |= counters(visit, writes["$visits"][STEPS], took)
    return writes


def _check_case(visit: Visit, done: Done, branch: Branch | None) -> None:
    if branch is None or branch.otherwise is not None:
        return
    known = [case for case, _ in branch.cases]
    if done.case not in known:
        shown = ", ".join(f"`{case}`" for case in known if not case.startswith("error:"))
        raise Failure(f"no edge of `{visit.node.id}` takes `{done.case}`; there are {shown}")


async def _catch(visit: Visit, failure: Failure, done: Done) -> dict[str, Any]:
    """Return the writes of a failure that an edge takes, or raise the failure."""
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
                variables |= await with_files(scope, partial(_assignments, rule.assignments))
    case = f"error:{failure.kind}"
    return _writes(visit, Done(variables=variables, channels=done.channels, case=case))


async def _assignments(assignments: tuple[Assignment, ...], scope: Scope) -> dict[str, Json]:
    return assign(scope, assignments)


def _writes(visit: Visit, done: Done) -> dict[str, Any]:
    """Return the channel writes of a visit. Raise `RunError` for an undeclared channel."""
    node = visit.node
    channels = visit.setting.variables
    writes: dict[str, Any] = {}
    for name, value in done.variables.items():
        if name in channels:
            writes[channels[name].name] = combinable(channels[name], _storable(name, value))
        else:
            writes[name] = _storable(name, value)
    writes.update(done.channels)
    # LangGraph would drop a channel that the node does not declare without a word.
    undeclared = [key for key in writes if key not in node.writes]
    if undeclared:
        names = ", ".join(f"`{name}`" for name in undeclared)
        raise RunError(f"`{node.id}` writes {names}, which it does not declare", exit_code=3)
    writes["$visits"] = {node.id: 1, STEPS: 1, **done.channels.get("$visits", {})}
    if node.route is not None:
        writes[node.route] = done.case
    return writes


def _storable(name: str, value: Json) -> Json:
    try:
        return storable_value(value)
    except NotStorable as error:
        raise Failure(f"the value of `{name}` cannot be kept: {error}") from None
