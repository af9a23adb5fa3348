"""One visit of a node: what every kind has in common.

A kind is a function `Visit -> Done`. The wrapper made here counts the visit, enforces limits and
the time-out, turns a failure that an edge takes into the case `error:<kind>`, refuses undeclared
writes and reports what happened. It has no effect of its own, so running it again is harmless: a
visit is counted by the write that ends it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from flowc.compiler.expr.ast import Expr
from flowc.compiler.graphspec import SUCCESS_CASE, Branch, GraphSpec, NodeSpec
from flowc.compiler.ir import Assignment, Limit
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ..calls import CALL_PATH
from ..errors import Ended, Failure, LimitReached, RunError
from ..scope import Scope
from ..services import Json, Services
from ..state import STEPS, State, combinable, refuse_clashes, variable_values, variables_of
from ..values import Unfit, keepable
from .siblings import Siblings

SHOWN = 200
"""Characters of a text that an event shows."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What the nodes of one graph share. `subgraphs` holds every callable workflow by path."""

    spec: GraphSpec
    services: Services
    subgraphs: Mapping[str, GraphSpec]
    siblings: Siblings = field(default_factory=Siblings)


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit under way. `number` counts the node's visits from 1, `scope` holds the variables,
    `subgraph` is the compiled subgraph of an agent, exec or call node."""

    node: NodeSpec
    setting: Setting
    state: State
    number: int
    steps: int
    scope: Scope
    config: RunnableConfig
    runtime: Runtime[Any]
    subgraph: Any = None

    @property
    def services(self) -> Services:
        return self.setting.services

    @property
    def place(self) -> str:
        return str(self.node.place) if self.node.place else ""

    def value(self, expr: Expr) -> Json:
        return self.scope.value(expr)

    def text(self, expr: Expr) -> str:
        return self.scope.text(expr)

    def emit(self, kind: Any, data: dict[str, Any]) -> None:
        self.services.emit(kind, self.node.id, data)

    async def run_subgraph(self, given: dict[str, Any], *number: int) -> dict[str, Any]:
        """Run the node's subgraph; bounded by flowc's own counters, not by LangGraph's. A node that
        runs it several times numbers the runs, so that each has its own checkpoints."""
        config: RunnableConfig = {**self.config, "recursion_limit": 1_000_000_000}
        if number:
            config["configurable"] = below(self.config["configurable"], number)
        try:
            result = dict(await self.subgraph.ainvoke(given, config))
        except Ended as ended:
            result = dict(ended.state)
        refuse_clashes(result)
        return result


def below(configurable: Mapping[str, Any], number: tuple[int, ...]) -> dict[str, Any]:
    """LangGraph's settings for one of several runs of a node's subgraph. By itself it numbers them
    as they begin, which is another order in every execution."""
    namespace = "|".join((configurable["checkpoint_ns"], *map(str, number)))
    scratch = configurable["__pregel_scratchpad"]
    own = replace(scratch, subgraph_counter=lambda: 0)
    return {**configurable, "checkpoint_ns": namespace, "__pregel_scratchpad": own}


def put_question(about: dict[str, Any]) -> Json:
    """Interrupt with a question: the answer, once there is one. It says which calls led to it."""
    path = list(CALL_PATH.get())
    return interrupt({**about, "path": path} if path else about)


@dataclass(slots=True)
class Done:
    """How a visit ended: variables by name, other channels by key, the case its branch takes, a
    short text for people. `failure` is a failure that leaves writes behind; with `settled` the
    workflow's rules for failures do not touch the variables."""

    variables: dict[str, Json] = field(default_factory=dict)
    channels: dict[str, Any] = field(default_factory=dict)
    case: str = SUCCESS_CASE
    text: str = ""
    failure: Failure | None = None
    settled: bool = False


Body = Callable[[Visit], Awaitable[Done]]
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
    with setting.siblings.visit(runtime):
        try:
            return await _run(visit, body, branch)
        except (Failure, LimitReached):
            await setting.siblings.others(runtime)
            raise


async def _run(visit: Visit, body: Body, branch: Branch | None) -> dict[str, Any]:
    """The visit from start to the writes it ends with. Raises `Failure` when no edge takes it."""
    started = time.monotonic()
    visit.emit("node_started", {"visit": visit.number})
    done = Done()
    try:
        _enforce_limits(visit)
        done = await _bounded(visit, body)
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
    return writes


async def _bounded(visit: Visit, body: Body) -> Done:
    """The body under the node's own time-out, if it has one."""
    limit = visit.node.op.timeout
    if limit is None:
        return await body(visit)
    try:
        async with asyncio.timeout(limit) as clock:
            return await body(visit)
    except TimeoutError:
        if not clock.expired():
            raise
        raise Failure(f"`{visit.node.id}` took longer than {limit:g} s", "timeout") from None


def _enforce_limits(visit: Visit) -> None:
    """Limits are counters of our own: they are in the state and so outlive a crash (M45)."""
    if visit.steps > visit.services.max_steps:
        raise LimitReached(f"{visit.services.max_steps} steps are done, which is this run's limit")
    for limit in (*visit.node.limits, *visit.setting.spec.limits):
        used = visit.number if limit.name == "visits" else visit.steps
        bound = _bound(visit, limit)
        if used <= bound:
            continue
        if limit.name == "visits":
            times = "once" if bound < 2 else f"{bound:g} times"
            message = f"`{visit.node.id}` was entered {times}, which is its limit"
        else:
            message = f"{bound:g} steps are done, which is the workflow's limit"
        if limit.then == "stop":
            raise LimitReached(message)
        raise Failure(message, "limit")


def _bound(visit: Visit, limit: Limit) -> float:
    """Every node may run once, whatever is written. A limit that is no number is one that the
    workflow does not keep: a failure of kind limit."""
    about = f"the limit on {limit.name} of `{visit.node.id}`"
    try:
        value = visit.value(limit.value)
    except Failure as failure:
        raise Failure(f"{about} cannot be read: {failure.message}", "limit") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Failure(f"{about} is not a number: {visit.scope.show(value)}", "limit")
    return max(value, 1)


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


def assign(scope: Scope, assignments: tuple[Assignment, ...]) -> dict[str, Json]:
    """The values of assignments made one after another: a later one sees the earlier ones."""
    values: dict[str, Json] = {}
    for assignment in assignments:
        values[assignment.target] = scope.with_values(values).value(assignment.value)
    return values


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
        return keepable(value)
    except Unfit as error:
        raise Failure(f"the value of `{name}` cannot be kept: {error}") from None


def shorten(text: str, limit: int = SHOWN) -> str:
    """The text, cut in the middle when it is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    half = (limit - 3) // 2
    return f"{text[:half]} … {text[-half:]}"
