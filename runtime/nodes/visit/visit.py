"""One visit of a node.

A node kind is a function `Visit, Node -> Done`; `entry.py` does what all kinds have in common.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from flowc.compiler.analysis.variables import expressions_of
from flowc.compiler.expr.ast import Call, Expr
from flowc.compiler.expr.walk import walk
from flowc.compiler.ir import Assignment, Limit
from flowc.compiler.lowering.graphspec import SUCCESS_CASE, Channel, GraphSpec, NodeSpec
from flowc.compiler.source.records import dataclass as record
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ...charges import MEASURES
from ...checkpoints.keys import namespace_of, numbered_run, surroundings_in
from ...checkpoints.namespaces import join
from ...context import CALL_PATH, EARLIER, binding
from ...errors import Ended, Failure, RunError
from ...events import EventKind
from ...secrets import hidden_values, redact_value
from ...services import Json, Message, Services
from ...state.channels import (
    State,
    outcome_channel,
    refuse_clashes,
    state_schema,
    variables_of,
)
from ...state.conversations import adding, change_of, channel_of
from ...state.interrupts import fitting_answer, question_about
from ...state.scope import Scope
from .siblings import Siblings

SHOWN = 200
"""The most characters of a text that an event shows."""


@dataclass(frozen=True)
class Setting:
    """The program that all nodes of a graph share. `subgraphs` holds the callable workflows by
    path."""

    spec: GraphSpec
    subgraphs: Mapping[str, GraphSpec]

    @cached_property
    def variables(self) -> dict[str, Channel]:
        """Return the variables' channels by the names that expressions use."""
        return variables_of(self.spec)

    @cached_property
    def channels(self) -> tuple[str, ...]:
        """Return the keys of the state that a node may read."""
        return tuple(state_schema(self.spec).__annotations__)

    @cached_property
    def reads_files(self) -> bool:
        """Tell whether an expression of the workflow's nodes reads a file."""
        spec = self.spec
        texts = (*(p.template for p in spec.prompts), *(agent.system for agent in spec.agents))
        exprs = (expr for node in spec.nodes for expr in expressions_of(node.op))
        every = (part for expr in (*texts, *exprs) if expr is not None for part in walk(expr))
        return any(isinstance(part, Call) and part.function == "read_file" for part in every)

    @cached_property
    def outcome(self) -> str:
        """Return the key of the workflow's outcome."""
        return outcome_channel(self.spec)


OwnedLimit = tuple[Limit, bool]
"""A limit, and whether it is the node's own or its workflow's."""


@dataclass(frozen=True, slots=True)
class NodeLimits:
    """The limits that hold for a node, by what they count: `counted` are those on visits, steps and
    seconds, `steps` and `seconds` some of them, `measured` those on model calls."""

    counted: tuple[OwnedLimit, ...]
    steps: tuple[OwnedLimit, ...]
    seconds: tuple[OwnedLimit, ...]
    measured: tuple[OwnedLimit, ...]

    @classmethod
    def of(cls, node: NodeSpec, spec: GraphSpec) -> NodeLimits:
        """Return those of a node of a workflow, its own first."""
        every = [*((one, True) for one in node.limits), *((one, False) for one in spec.limits)]

        def on(*names: str) -> tuple[OwnedLimit, ...]:
            return tuple(limit for limit in every if limit[0].name in names)

        return cls(on("visits", "steps", "seconds"), on("steps"), on("seconds"), on(*MEASURES))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all nodes of one execution share, at every level of called workflows. A graph is built
    without them, so it can be drawn, read and kept; whoever executes it puts them into the
    configuration: `surrounded_by`."""

    services: Services
    run: str = ""
    """What is charged: the run, or a turn of a thread."""
    siblings: Siblings = field(default_factory=Siblings)
    on_visit: Callable[[Runtime[Any]], None] = lambda runtime: None
    """Called where a visit begins."""
    steps_before: int = 0
    """How many steps of LangGraph's the thread had before this turn."""

    @classmethod
    def of(cls, config: RunnableConfig) -> Surroundings:
        """Return those of the execution that a configuration is of. Raise `Failure` without any."""
        surroundings = surroundings_in(config)
        if not isinstance(surroundings, cls):
            raise Failure("this graph was built to be looked at, not to be executed", "refused")
        return surroundings


@record(frozen=True, slots=True)
class Visit:
    """A visit under way. `number` counts the node's visits and `attempt` the attempts of this visit
    (`retry`), both from 1; `scope` holds the variables; `subgraph` is compiled, for a node that
    runs one: an agent, commands, a call."""

    node: NodeSpec
    setting: Setting
    limits: NodeLimits
    services: Services
    state: State
    number: int
    steps: int
    scope: Scope
    config: RunnableConfig
    runtime: Runtime[Any]
    subgraph: Any = None
    attempt: int = 1

    @property
    def place(self) -> str:
        return str(self.node.place) if self.node.place else ""

    @property
    def can_spend(self) -> bool:
        """Tell whether there is something to charge: only a subgraph calls models, and a limit has
        to be a number wherever it stands."""
        return self.subgraph is not None or bool(self.limits.measured)

    def value(self, expr: Expr) -> Json:
        return self.scope.value(expr)

    def text(self, expr: Expr) -> str:
        return self.scope.text(expr)

    def emit(
        self, kind: EventKind, data: dict[str, Any], written: Mapping[str, Json] | None = None
    ) -> None:
        """Pass an event on, without the values of variables that look secret, those that the visit
        has `written` among them: events are shown in many places."""
        hidden = hidden_values(self.scope.values, written or {})
        self.services.emit(kind, self.node.id, redact_value(data, hidden))

    def append_to(self, thread: str, messages: list[Message]) -> dict[str, Any]:
        """Return the write that appends messages to a thread."""
        threads = {thread.id: thread for thread in self.setting.spec.threads}
        channel = channel_of(self.setting.spec, thread)
        return {channel: adding(threads.get(thread), messages)}

    def change_thread(self, thread: str, change: Mapping[str, Sequence[Message]]) -> dict[str, Any]:
        """Return the write that a script's change of a thread is, `{"reset": […]}` for example."""
        return {channel_of(self.setting.spec, thread): change_of(change)}

    async def run_subgraph(self, inputs: dict[str, Any], *number: int) -> dict[str, Any]:
        """Run the node's subgraph. A node that runs it several times numbers the runs, so that each
        has its own checkpoints; so has every attempt after the first."""
        # flowc's own counters bound the run, not LangGraph's.
        config: RunnableConfig = {**self.config, "recursion_limit": 1_000_000_000}
        own = number if self.attempt == 1 else (*number, self.attempt)
        if own:
            config["configurable"] = numbered_run(self.config["configurable"], own)
        earlier = EARLIER.get()
        if self.attempt > 1:
            of_all = join(namespace_of(self.config), *number)
            earlier = (*earlier, (of_all, namespace_of(config)))
        try:
            with binding(EARLIER, earlier):
                result = dict(await self.subgraph.ainvoke(inputs, config))
        except Ended as ended:
            result = dict(ended.state)
        refuse_clashes(result)
        return result


def put_question(services: Services, about: dict[str, Any], name: str = "") -> Json:
    """Interrupt with a question and the calls that lead to it; return the answer. One that the
    question does not take is refused before it comes here, or, inside of another graph, here: then
    it is asked again. `name` is the question's name on the tape, where its kind is not enough."""
    path = list(CALL_PATH.get())
    asked = {**about, "path": path} if path else about
    answer: Json = interrupt(asked)
    while services.asks_again:
        try:
            answer = fitting_answer(question_about(asked), answer)
            break
        except RunError as fault:
            answer = interrupt({**asked, "refused": fault.message})
    services.tape.record_answer(name or about["kind"], answer)
    return answer


@dataclass(slots=True)
class Done:
    """The end of a visit: variables by name, other channels by key, the case that its branch takes,
    a short text for people, what its event has been `told` besides. `failure` is a failure that
    leaves writes behind; with `settled` the workflow's rules for failures do not touch the
    variables."""

    variables: dict[str, Json] = field(default_factory=dict)
    channels: dict[str, Any] = field(default_factory=dict)
    case: str = SUCCESS_CASE
    text: str = ""
    told: dict[str, Json] = field(default_factory=dict)
    failure: Failure | None = None
    settled: bool = False


Body = Callable[[Visit, Any], Awaitable[Done]]
"""Makes a visit of a node of its kind, which is the second argument."""


def assign(scope: Scope, assignments: tuple[Assignment, ...]) -> dict[str, Json]:
    """Return the values of assignments in their order: a later one sees the earlier ones."""
    values: dict[str, Json] = {}
    for assignment in assignments:
        values[assignment.target] = scope.with_values(values).value(assignment.value)
    return values


def shorten(text: str, limit: int = SHOWN) -> str:
    """Return the text, cut in the middle when it is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    half = (limit - 3) // 2
    return f"{text[:half]} … {text[-half:]}"
