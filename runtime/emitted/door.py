"""The door of a graph: each execution comes in by it, and gets services of its own."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from flowc.compiler.lowering.graphspec import MESSAGES, GraphSpec, is_conversation
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.types import Command, StreamWriter

from ..budget.ledger import Ledger
from ..checkpoints.keys import (
    around_of,
    is_inner,
    namespace_of,
    on_thread,
    surrounded_by,
    thread_of,
)
from ..checkpoints.types import App, Saver, Store
from ..context import CALL_PATH
from ..engine.engine import Engine
from ..engine.event_log import EventLog
from ..errors import Failure, LimitReached, RunError
from ..events import EventKind
from ..journal.effects import EffectJournal
from ..journal.failures import call_again
from ..nodes.visit.visit import Surroundings
from ..services import Emit, Journal, Json, Services
from ..state.initial import input_values
from ..state.messages import host_messages, kept_messages
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
from ..store.names import is_fit
from .answers import keep_answers, read_answers
from .graph_context import GraphContext
from .keeping import Keeping, open_keeping
from .thread_record import ThreadRecord

_LOOKS, _LOOK = 6_000, 0.005
"""How often a checkpoint is looked for, and the seconds between two looks."""


@dataclass(frozen=True, slots=True)
class Door:
    """What a graph needs where it is executed. `make` chooses the services of one execution in its
    context, and `about` gives the options that the record of a thread keeps. The effects of threads
    are kept in the store at the URL `journal`; else in that of flowc's own saver; else in the
    `usual` one."""

    spec: GraphSpec
    make: Callable[[Journal, Emit, GraphContext], Services]
    about: Callable[[], Mapping[str, Json]]
    usual: Callable[[], str]
    journal: str | None = None

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the inputs."""
        return parameters_schema(self.spec)

    @asynccontextmanager
    async def execution(
        self,
        given: object,
        config: RunnableConfig,
        app: App,
        saver: Saver | None,
        store: Store | None,
        context: GraphContext,
    ) -> AsyncIterator[tuple[Any, RunnableConfig]]:
        """Yield the input and the configuration of one execution of `app` in a `context`, whose
        checkpoints `saver` keeps; `store` is the program's. Raise `RunError` for inputs that do not
        fit, for whatever is missing, and while another process executes the thread."""
        stay = _Stay(self, given, config, saver)
        async with AsyncExitStack() as stack:
            kept = await open_keeping(
                stack, stay.thread, saver, self._store_url(saver), self.usual, store
            )
            record = None
            if kept.engine is not None:
                await stack.enter_async_context(kept.engine.hold(stay.lease, goes_on=True))
                record = await stay.find_record(kept.engine)
            point = await stay.find_point()
            journal = await _journal(kept, point, stay.scope(point.turn), self.spec)
            events = await stack.enter_async_context(_hearing(record))
            # Whatever reads files has a thread: a server refuses that on its event loop.
            if events.log is not None and isinstance(journal, EffectJournal):
                journal = replace(journal, ahead=events.log.waiting)
            services = await asyncio.to_thread(self.make, journal, events.emit, context)
            services.asks_again = stay.is_inner
            given = stay.graph_input(services, point.turn.number)
            if stay.goes_on:
                given, waiting = await read_answers(self.spec, app, point.config, given)
                if isinstance(journal, EffectJournal):
                    given = await keep_answers(journal, stay.thread, given, waiting)
            await _open_budget(services, kept.ledger(stay.scope(point.turn)), record)
            began = point.turn.began or (record and record.began) or time.time()
            services.elapsed = lambda: time.time() - began
            await services.tools.open()
            stack.push_async_callback(services.tools.close)
            stack.push_async_callback(services.scripts.close)
            scope, before = stay.scope(point.turn), point.turn.steps_before
            around = Surroundings(services, scope, on_visit=events.follow, steps_before=before)
            whole = self._config(point, around)
            recording = _keep_record(record, point.turn, stay.inputs, app, services)
            async with recording, _telling(journal, kept):
                yield given, whole
            if stay.goes_on and isinstance(journal, EffectJournal):
                await journal.drop_answers(stay.thread)

    def _config(self, point: TurnPoint, surroundings: Surroundings) -> RunnableConfig:
        config = surrounded_by(point.config, surroundings)
        config["metadata"] = {**config.get("metadata", {}), **point.turn.metadata}
        # Relays are steps of LangGraph's, not of the workflow's.
        own = 2 * surroundings.services.max_steps + 10
        config["recursion_limit"] = min(own, config.get("recursion_limit", own))
        return config

    def _store_url(self, saver: Saver | None) -> str:
        """Return the URL of the store that has to keep effects, "" for the usual one."""
        return self.journal or store_of(saver)

    async def refuse_edit(self, config: RunnableConfig, saver: Saver, store: Store | None) -> None:
        """Raise `RunError` where an edit of a thread's state, which gives the effects after it
        other keys, could repeat one that is in doubt."""
        thread = thread_of(config)
        async with AsyncExitStack() as stack:
            kept = await open_keeping(
                stack, thread, saver, self._store_url(saver), self.usual, store
            )
            turn = (await point_in(saver, on_thread(config))).turn
            journal = kept.journal(turn, "", self.spec)
            doubtful = await journal.in_doubt(thread) if isinstance(journal, EffectJournal) else ()
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
    def goes_on(self) -> bool:
        """Whether a thread of the graph's own goes on."""
        return bool(self.thread) and not self.begins and not self.is_inner

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
            await _wait_for_step(self.saver, self.config)
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
            return TurnPoint(point.turn.next(point.steps), point.config)
        if point.turn == NO_TURN:
            raise RunError(
                f"there is nothing of thread {self.thread} to go on with",
                help="begin with an input: its parameters",
            )
        return point

    @property
    def inputs(self) -> Mapping[str, Json] | None:
        """The inputs of a turn that begins, as a record keeps them."""
        if not self.begins or not isinstance(self.given, Mapping):
            return None
        known = {param.name for param in self.door.spec.params}
        kept = {name: value for name, value in self.given.items() if name in known}
        if MESSAGES in self.given and is_conversation(self.door.spec, MESSAGES):
            kept[MESSAGES] = kept_messages(host_messages(self.given[MESSAGES]))
        return kept

    async def find_record(self, engine: Engine) -> ThreadRecord | None:
        """Return the record of the thread where its checkpoints lie in the same store. Raise
        `RunError` for a run of another workflow."""
        at = store_of(self.saver)
        location = engine.store.location
        is_own = at and at == await asyncio.to_thread(lambda: location.complete)
        if not is_own or self.is_inner or not is_fit(self.thread):
            return None
        record = ThreadRecord(engine, self.door.spec, self.thread, self.door.about)
        await record.read()
        return record

    def graph_input(self, services: Services, number: int) -> object:
        """Return the input of the graph: the parameters, checked and filled. What goes on with a
        thread (None, a `Command`) stays as it is. Of the state of a graph around it, a graph takes
        what it knows. Raise `RunError`."""
        spec = self.door.spec
        if not self.begins:
            return self.given
        if not isinstance(self.given, Mapping):
            raise RunError(f"the input of {spec.name} is an object, not {self.given!r}")
        values = dict(self.given)
        talk: dict[str, Any] = {}
        if MESSAGES in values and is_conversation(spec, MESSAGES):
            talk[MESSAGES] = host_messages(values.pop(MESSAGES))
        if self.is_inner:
            known = {param.name for param in spec.params}
            values = {name: value for name, value in values.items() if name in known}
        inputs = input_values(spec, values, services.env)
        return turn_values(spec, inputs, number) | talk


async def _wait_for_step(saver: Saver, config: RunnableConfig) -> None:
    """Wait until the graph around has kept the step that leads here, which it may do meanwhile:
    where that is lost, an effect has another key."""
    step = around_of(config)
    if step is None:
        return
    for _ in range(_LOOKS):
        if await saver.aget_tuple(step) is not None:
            return
        await asyncio.sleep(_LOOK)
    raise RunError("the graph around does not keep its steps, so effects in it could be repeated")


async def _journal(kept: Keeping, point: TurnPoint, scope: str, spec: GraphSpec) -> Journal:
    """Return the journal of a turn. Raise `RunError` where a line begins while an effect of the
    turn is in doubt."""
    journal = kept.journal(point.turn, scope, spec)
    if isinstance(journal, EffectJournal):
        await journal.recall(kept.thread)
        doubtful = await journal.in_doubt_elsewhere(kept.thread) if point.begins_line else ()
        if doubtful:
            raise _doubt_error(doubtful[0])
    return journal


def _doubt_error(effect: str) -> RunError:
    return RunError(
        f"what became of `{effect}` is unknown; another line could repeat it unasked",
        help="settle it first: go on with the thread, without a checkpoint",
    )


async def _open_budget(
    services: Services, ledger: Ledger | None, record: ThreadRecord | None
) -> None:
    """Count what the turn has used up before. A limit of the program's that stopped a run counts
    anew."""
    if ledger is not None:
        await services.budget.open(ledger)
    for limit in record.renewals if record is not None else ():
        await services.budget.renew(*limit)


@asynccontextmanager
async def _telling(journal: Journal, kept: Keeping) -> AsyncIterator[None]:
    """Have what failed be called again by whoever goes on, once the program was told of it."""
    try:
        yield
    except Failure:
        if isinstance(journal, EffectJournal):
            with contextlib.suppress(RunError):
                await call_again(journal.db, kept.thread)
        raise


@asynccontextmanager
async def _keep_record(
    record: ThreadRecord | None,
    turn: ThreadTurn,
    inputs: Mapping[str, Json] | None,
    app: App,
    services: Services,
) -> AsyncIterator[None]:
    """Keep the begin and the end of an execution; a limit of the program's that stops it counts
    anew when the thread goes on."""
    if record is not None:
        await record.begin(turn, inputs)
    error: BaseException | None = None
    try:
        yield
    except BaseException as raised:
        error = raised
        if isinstance(raised, LimitReached) and raised.scope:
            await services.budget.renew(raised.scope, raised.name, raised.used)
        raise
    finally:
        if record is not None:
            await asyncio.shield(record.end(app, services.budget.used(), error))


@asynccontextmanager
async def _hearing(record: ThreadRecord | None) -> AsyncIterator[_Events]:
    """Yield what hears events, and keeps them where there is a record."""
    if record is None:
        yield _Events()
        return
    log = EventLog(record.engine.store, record.thread)
    async with log.writing():
        yield _Events(log)


class _Events:
    """flowc's events in LangGraph's stream `custom`, in the name of the outermost graph: without
    `subgraphs` it shows nothing that inner graphs write. With a log they are kept too."""

    def __init__(self, log: EventLog | None = None) -> None:
        self.write: StreamWriter = _nowhere
        self.log = log

    def follow(self, runtime: Runtime[Any]) -> None:
        """Write where the first node of the execution writes."""
        if self.write is _nowhere:
            self.write = runtime.stream_writer

    def emit(self, kind: EventKind, node: str, data: dict[str, Any]) -> None:
        """Write one event."""
        path = list(CALL_PATH.get())
        self.write({"kind": kind, "node": node, "path": path, "data": data})
        if self.log is not None:
            self.log.emit(kind, node, data)


def _nowhere(part: object) -> None:
    """Write nothing: no node has begun."""


def store_of(saver: Saver | None) -> str:
    """Return the URL of the store that a saver of flowc's writes to, "" for another saver."""
    return str(getattr(saver, "store_url", ""))
