"""A workflow's graph for programs of LangGraph's: each execution has services of its own.

Limits, siblings and clocks belong to one execution, not to the process that holds the graph; inputs
are checked at one door, whether the graph is invoked, streamed, or a node of another graph.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from flowc.compiler.lowering.graphspec import GraphSpec
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, merge_configs
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphDrained
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import RunControl, Runtime
from langgraph.types import Command, StreamWriter

from ..budget.ledger import Ledger
from ..checkpoints.keys import is_inner, surrounded_by, thread_of
from ..checkpoints.types import App
from ..context import CALL_PATH
from ..engine.engine import open_engine
from ..errors import RunError
from ..event_loops import run_in_thread
from ..events import EventKind
from ..journal.effects import EffectJournal, NoJournal
from ..nodes.visit.visit import Surroundings
from ..services import Emit, Journal, Services
from ..state.channels import BEGAN, TURN, variables_of
from ..state.initial import input_values
from ..state.parameters import parameters_schema
from ..state.turns import turn_values


@dataclass(frozen=True, slots=True)
class Door:
    """What a graph needs where it is executed. `make` chooses the services of one execution; with
    the URL of a `journal` the effects of threads are kept there."""

    spec: GraphSpec
    make: Callable[[Journal, Emit], Services]
    journal: str | None = None

    @asynccontextmanager
    async def execution(
        self, given: object, config: RunnableConfig, visits: Mapping[str, float]
    ) -> AsyncIterator[tuple[Any, RunnableConfig]]:
        """Yield the input and the configuration of one execution; `visits` are those of its thread
        so far. Raise `RunError` for inputs that do not fit, for whatever is missing, and while
        another process executes the thread."""
        turn, events = self._turn(given, config, visits), _Events()
        async with AsyncExitStack() as stack:
            journal: Journal = NoJournal()
            if turn.run and self.journal is not None:
                engine = await stack.enter_async_context(open_engine(self.journal))
                await stack.enter_async_context(engine.hold(turn.thread))
                journal = engine.journal()
                await journal.recall(turn.thread)
            # Whatever reads files has a thread: a server refuses that on its event loop.
            services = await asyncio.to_thread(self.make, journal, events.emit)
            if isinstance(journal, EffectJournal):
                await services.budget.open(Ledger(journal.db, turn.run))
            services.elapsed = lambda: time.time() - turn.began
            await services.tools.open()
            stack.push_async_callback(services.tools.close)
            stack.push_async_callback(services.scripts.close)
            surroundings = Surroundings(services, turn.run, on_visit=events.follow)
            whole = surrounded_by(config, surroundings)
            # flowc's own limit counts; relays are steps of LangGraph's, not of the workflow's.
            whole["recursion_limit"] = 2 * services.max_steps + 10
            yield self._input(given, turn, services), whole

    def _turn(self, given: object, config: RunnableConfig, visits: Mapping[str, float]) -> _Turn:
        """Return the turn that an input begins, or the one that goes on."""
        begins = given is not None and not isinstance(given, Command)
        number = int(visits.get(TURN, 1 if visits else 0)) + begins
        began = time.time() if begins else visits.get(BEGAN, time.time())
        thread = "" if is_inner(config) else thread_of(config)
        return _Turn(thread, number, began, begins)

    def _input(self, given: object, turn: _Turn, services: Services) -> object:
        """Return the input of the graph: the parameters, checked and filled. What goes on with a
        thread (None, a `Command`) stays as it is. Of the state of a graph around it, a graph takes
        what it knows. Raise `RunError`."""
        if not turn.begins:
            return given
        if not isinstance(given, Mapping):
            raise RunError(f"the input of {self.spec.name} is an object, not {given!r}")
        values = dict(given)
        if not turn.thread:
            known = variables_of(self.spec)
            values = {name: value for name, value in values.items() if name in known}
        inputs = input_values(self.spec, values, services.env)
        return turn_values(self.spec, inputs, {TURN: turn.number, BEGAN: turn.began})


@dataclass(frozen=True, slots=True)
class _Turn:
    """One turn of a `thread` ("" without one): its number from 1, when it `began` (seconds since
    1970), and whether it begins now."""

    thread: str
    number: int
    began: float
    begins: bool

    @property
    def run(self) -> str:
        """Return what its charges and effects are kept under."""
        return f"{self.thread}#{self.number}" if self.thread and self.number > 1 else self.thread


class FlowGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled graph with a door: `door` opens each execution, and closes it."""

    def __init__(self, *, door: Door, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.door = door

    @classmethod
    def of(cls, app: App, door: Door) -> FlowGraph:
        """Return the graph of a program that was compiled."""
        attributes = {k: v for k, v in vars(app).items() if k != "__orig_class__"}
        return cls(door=door, **attributes)

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **choices: Any
    ) -> AsyncIterator[Any]:
        """Execute the graph, as LangGraph's `astream` does. Raise `RunError` as `Door.execution`
        does."""
        whole = ensure_config(merge_configs(self.config, config))
        visits: Mapping[str, float] = {}
        if self.checkpointer and thread_of(whole) and not is_inner(whole):
            visits = await self._visits(whole)
        # Of a thread that ends with the process nothing is kept: the next has its name again.
        door = replace(self.door, journal=None) if _in_memory(self.checkpointer) else self.door
        async with door.execution(input, whole, visits) as begun:
            async for part in super().astream(*begun, **choices):
                yield part

    async def _visits(self, config: RunnableConfig) -> Mapping[str, float]:
        """Return the visits of a thread. Raise `RunError` for a saver without async methods."""
        try:
            return (await self.aget_state(config)).values.get("$visits") or {}
        except NotImplementedError:
            name = type(self.checkpointer).__name__
            raise RunError(
                f"{name} has no async methods, and the nodes of a workflow are async",
                help=f"Async{name} has them",
            ) from None

    def get_input_jsonschema(self, config: RunnableConfig | None = None) -> dict[str, Any]:
        """Return the JSON Schema of the parameters, for forms and clients."""
        return parameters_schema(self.door.spec)

    def stream(
        self, input: Any, config: RunnableConfig | None = None, **choices: Any
    ) -> Iterator[Any]:
        """Execute the graph in a thread with an event loop of its own: its nodes are async. Raise
        `RunError` for a saver without async methods."""
        parts: queue.SimpleQueue[tuple[Any] | None] = queue.SimpleQueue()
        control: RunControl = choices.get("control") or RunControl()
        choices["control"] = control

        async def execute() -> None:
            async for part in self.astream(input, config, **choices):
                parts.put((part,))

        end = run_in_thread(execute())
        end.add_done_callback(lambda _: parts.put(None))
        try:
            while (part := parts.get()) is not None:
                yield part[0]
        finally:
            if not end.done():  # nobody wants the rest
                control.request_drain("closed")
                with contextlib.suppress(GraphDrained):
                    end.result()
        end.result()


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


def _in_memory(saver: object) -> bool:
    return not isinstance(saver, BaseCheckpointSaver) or isinstance(saver, InMemorySaver)
