"""One visit of a node: what a kind is given and what it gives back.

A kind is a function `Visit -> Done`; `entering.py` is what all of them have in common.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.expr.ast import Expr
from flowc.compiler.ir import Assignment
from flowc.compiler.lowering.graphspec import SUCCESS_CASE, GraphSpec, NodeSpec
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ...checkpoints.keys import join, namespace_of, numbered_run
from ...context import CALL_PATH, EARLIER
from ...errors import Ended, Failure
from ...services import Json, Services
from ...state.channels import State, refuse_clashes
from ...state.scope import Scope
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
    """A visit under way. `number` counts the node's visits from 1, `attempt` the attempts of this
    one (`retry`), `scope` holds the variables, `subgraph` is the compiled subgraph of a node that
    runs one: an agent, commands, a call."""

    node: NodeSpec
    setting: Setting
    state: State
    number: int
    steps: int
    scope: Scope
    config: RunnableConfig
    runtime: Runtime[Any]
    subgraph: Any = None
    attempt: int = 1

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
        runs it several times numbers the runs, so that each has its own checkpoints; every attempt
        after the first has its own, too."""
        config: RunnableConfig = {**self.config, "recursion_limit": 1_000_000_000}
        own = number if self.attempt == 1 else (*number, self.attempt)
        if own:
            config["configurable"] = numbered_run(self.config["configurable"], own)
        earlier = EARLIER.get()
        if self.attempt > 1:
            of_all = join(namespace_of(self.config), *number)
            earlier = (*earlier, (of_all, namespace_of(config)))
        token = EARLIER.set(earlier)
        try:
            return await self._ended_subgraph(given, config)
        finally:
            EARLIER.reset(token)

    async def _ended_subgraph(
        self, given: dict[str, Any], config: RunnableConfig
    ) -> dict[str, Any]:
        try:
            result = dict(await self.subgraph.ainvoke(given, config))
        except Ended as ended:
            result = dict(ended.state)
        refuse_clashes(result)
        return result


def put_question(services: Services, about: dict[str, Any], name: str = "") -> Json:
    """Interrupt with a question: the answer, once there is one. It says which calls led to it.
    `name` is what the tape calls it where its kind is not enough."""
    path = list(CALL_PATH.get())
    answer = interrupt({**about, "path": path} if path else about)
    services.tape.record_answer(name or about["kind"], answer)
    return answer


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


def assign(scope: Scope, assignments: tuple[Assignment, ...]) -> dict[str, Json]:
    """The values of assignments made one after another: a later one sees the earlier ones."""
    values: dict[str, Json] = {}
    for assignment in assignments:
        values[assignment.target] = scope.with_values(values).value(assignment.value)
    return values


def shorten(text: str, limit: int = SHOWN) -> str:
    """The text, cut in the middle when it is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    half = (limit - 3) // 2
    return f"{text[:half]} … {text[-half:]}"
