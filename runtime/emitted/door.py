"""The door of a graph: each execution comes in by it, and gets services of its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from flowc.compiler.lowering.graphspec import GraphSpec
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.types import Command, StreamWriter

from ..budget.ledger import Ledger
from ..checkpoints.keys import is_inner, namespace_of, on_thread, surrounded_by, thread_of
from ..checkpoints.types import Saver
from ..context import CALL_PATH
from ..engine.engine import Engine, open_engine
from ..errors import LimitReached, RunError
from ..events import EventKind
from ..journal.effects import EffectJournal, NoJournal
from ..nodes.visit.visit import Surroundings
from ..services import Emit, Journal, Services
from ..state.channels import variables_of
from ..state.initial import input_values
from ..state.parameters import parameters_schema
from ..state.thread_turns import (
    NO_TURN,
    ThreadTurn,
    TurnPoint,
    point_in,
    point_inside,
    scope_inside,
)
from ..state.turns import turn_values


@dataclass(frozen=True, slots=True)
class Door:
    """What a graph needs where it is executed. `make` chooses the services of one execution; with
    the URL of a `journal` the effects of threads are kept there."""

    spec: GraphSpec
    make: Callable[[Journal, Emit], Services]
    journal: str | None = None

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the inputs."""
        return parameters_schema(self.spec)

    @asynccontextmanager
    async def execution(
        self, given: object, config: RunnableConfig, saver: Saver | None, *, lasts: bool
    ) -> AsyncIterator[tuple[Any, RunnableConfig]]:
        """Yield the input and the configuration of one execution; `saver` keeps its checkpoints,
        and `lasts` says whether they outlive the process. Raise `RunError` for inputs that do not
        fit, for whatever is missing, and while another process executes the thread."""
        stay = _Stay(self, given, config, saver)
        async with AsyncExitStack() as stack:
            engine = None
            if lasts and stay.thread and self.journal is not None:
                engine = await stack.enter_async_context(open_engine(self.journal))
                await stack.enter_async_context(engine.hold(stay.lease, goes_on=True))
            point = await stay.find_point()
            journal = await _journal(engine, stay.thread, point)
            events = _Events()
            # Whatever reads files has a thread: a server refuses that on its event loop.
            services = await asyncio.to_thread(self.make, journal, events.emit)
            scope = stay.scope(point.turn)
            if isinstance(journal, EffectJournal):
                await services.budget.open(Ledger(journal.db, scope))
            began = point.turn.began or time.time()
            services.elapsed = lambda: time.time() - began
            await services.tools.open()
            stack.push_async_callback(services.tools.close)
            stack.push_async_callback(services.scripts.close)
            surroundings = Surroundings(services, scope, on_visit=events.follow)
            whole = surrounded_by(point.config, surroundings)
            whole["metadata"] = {**whole.get("metadata", {}), **point.turn.metadata}
            # flowc's own limit counts; relays are steps of LangGraph's, not of the workflow's.
            whole["recursion_limit"] = 2 * services.max_steps + 10
            try:
                yield stay.graph_input(services), whole
            except LimitReached as limit:
                if limit.scope:  # of the program's: it counts anew when the thread goes on
                    await services.budget.renew(limit.scope, limit.name, limit.used)
                raise

    async def refuse_edit(self, config: RunnableConfig, saver: Saver) -> None:
        """Raise `RunError` where an edit of a thread's state, which gives the effects after it
        other keys, could repeat one that is in doubt."""
        thread = thread_of(config)
        if self.journal is None or not thread:
            return
        async with open_engine(self.journal) as engine:
            point = await point_in(saver, on_thread(config))
            doubtful = await engine.journal(turn=point.turn).in_doubt(thread)
        if doubtful:
            raise _doubt_error(doubtful[0])


@dataclass(frozen=True, slots=True)
class _Stay:
    """One execution at the door: what came in, and where."""

    door: Door
    given: object
    config: RunnableConfig
    saver: Saver | None

    @property
    def thread(self) -> str:
        return thread_of(self.config) if self.saver is not None else ""

    @property
    def begins(self) -> bool:
        """Whether a turn begins. None, a `Command` and an edit of the state go on with one."""
        return self.given is not None and not isinstance(self.given, Command)

    @property
    def is_inner(self) -> bool:
        return is_inner(self.config)

    @property
    def lease(self) -> str:
        """What is held of the thread: all of it, or one node of the graph around."""
        return self.scope(NO_TURN)

    def scope(self, turn: ThreadTurn) -> str:
        """What is charged: a turn, or a visit of the node that the graph is."""
        if self.is_inner:
            return scope_inside(self.thread, namespace_of(self.config))
        return turn.scope(self.thread)

    async def find_point(self) -> TurnPoint:
        """Return the turn that begins or goes on. Raise `RunError` for a saver without async
        methods."""
        if self.saver is None or not self.thread:
            return TurnPoint(ThreadTurn(began=time.time()), self.config)
        if self.is_inner:
            return await point_inside(self.saver, self.config)
        try:
            point = await point_in(self.saver, self.config)
        except NotImplementedError:
            name = type(self.saver).__name__
            raise RunError(
                f"{name} has no async methods, and the nodes of a workflow are async",
                help=f"Async{name} has them",
            ) from None
        if self.begins:
            return TurnPoint(point.turn.next(), point.config)
        if point.turn == NO_TURN:
            raise RunError(
                f"there is nothing of thread {self.thread} to go on with",
                help="begin with an input: its parameters",
            )
        return point

    def graph_input(self, services: Services) -> object:
        """Return the input of the graph: the parameters, checked and filled. What goes on with a
        thread (None, a `Command`) stays as it is. Of the state of a graph around it, a graph takes
        what it knows. Raise `RunError`."""
        spec = self.door.spec
        if not self.begins:
            return self.given
        if not isinstance(self.given, Mapping):
            raise RunError(f"the input of {spec.name} is an object, not {self.given!r}")
        values = dict(self.given)
        if self.is_inner:
            known = variables_of(spec)
            values = {name: value for name, value in values.items() if name in known}
        return turn_values(spec, input_values(spec, values, services.env))


async def _journal(engine: Engine | None, thread: str, point: TurnPoint) -> Journal:
    """Return the journal of a turn. Raise `RunError` where a line begins while an effect of the
    turn is in doubt."""
    if engine is None:
        return NoJournal()
    journal = engine.journal(turn=point.turn)
    await journal.recall(thread)
    doubtful = await journal.in_doubt_elsewhere(thread) if point.begins_line else ()
    if doubtful:
        raise _doubt_error(doubtful[0])
    return journal


def _doubt_error(effect: str) -> RunError:
    return RunError(
        f"what became of `{effect}` is unknown; another line could repeat it unasked",
        help="settle it first: go on with the thread, without a checkpoint",
    )


class _Events:
    """flowc's events in LangGraph's stream `custom`, in the name of the outermost graph: without
    `subgraphs` it shows nothing that inner graphs write."""

    def __init__(self) -> None:
        self.write: StreamWriter = _nowhere

    def follow(self, runtime: Runtime[Any]) -> None:
        """Write where the first node of the execution writes."""
        if self.write is _nowhere:
            self.write = runtime.stream_writer

    def emit(self, kind: EventKind, node: str, data: dict[str, Any]) -> None:
        """Write one event."""
        self.write({"event": kind, "node": node, "path": list(CALL_PATH.get()), **data})


def _nowhere(part: Any) -> None:
    """Write nothing: no node has begun."""
