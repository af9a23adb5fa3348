"""Executions for requests: their state, and changes with the news of them.

A request writes its change together with the news of it. Workers, in this process or in others,
carry on the executions with news; nothing is executed here.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import cast
from weakref import WeakValueDictionary

from flowc.compiler.driver import CompileResult
from flowc.compiler.ir import Workflow
from flowc.compiler.lowering.lifting import lift
from flowc.compiler.lowering.serde import load_spec

from ...assembly.reach import Reaches
from ...config.settings import Config
from ...db.database import Database, create_tables
from ...engine.engine import Engine, open_engine
from ...errors import RunError
from ...observe.otel import Traces, open_traces
from ...people import Question
from ...services import Json
from ...state.interrupts import match_answers, variable_for
from ...state.parameters import WORDS, WrongType, typed_value
from ...store.runs import RunRecord
from ..bodies.compile import require_valid
from ..bodies.request_pool import POOL
from ..live import texts
from ..queues.opening import open_queue
from ..queues.queue import CALLED, GOES_ON, WorkQueue
from ..records import happenings, model_rates, states, workers
from ..records import messages as messages_table
from ..records import prompt_log as prompts
from ..records import tables as register
from ..records import webhooks as webhooks_table
from ..records.access import APPROVING, Caller
from ..records.errors import ServiceFault
from ..records.happenings import Happenings
from ..records.messages import Messages
from ..records.metrics import iso
from ..records.states import StateRows
from ..records.tables import Register, StoredExecution
from ..records.timeline import Timeline, Timelines
from ..search import runs, words
from ..search.words import SearchWords, texts_in
from .status import ExecutionState
from .turns import turns_of

Clock = Callable[[], datetime]
ANSWERS = "answers"
"""The key of an execution's `config` with the answers to questions that are not steps, by the
question's id: a workflow that is called twice asks twice."""
KEPT = 200
"""Workflows that are kept compiled, each with its team: those that were asked for last."""
PATIENCE = 10.0
"""Seconds that an answer waits at most for the run to come to rest, so that it can tell what came
of it."""
PAUSE = 0.05
"""Seconds between two rings of other processes at least: what many announce at once is one look."""
_LOOKS = (0.005, 0.01, 0.02, 0.04)
"""Seconds between looks whether an execution rests; the last one again and again."""


@dataclass(slots=True)
class Executing:
    """The executions of one store. `db` is durable: a write is on the disk. `due` brings their news
    to workers; of the one of this process `bell` has it look for news, and `stop_bell` at what it
    executes: somebody has paused or cancelled that. While it `has_room`, other processes ring for
    it. An answer waits `patience` seconds at most for a run to come to rest. `reaches` say what of
    this machine the workflows of a team may use: nothing, unless the operator gave it."""

    engine: Engine
    db: Database
    due: WorkQueue
    config: Config
    clock: Clock
    patience: float = PATIENCE
    bell: asyncio.Event = field(default_factory=asyncio.Event)
    stop_bell: asyncio.Event = field(default_factory=asyncio.Event)
    has_room: asyncio.Event = field(default_factory=asyncio.Event)
    rings: float = 0.0
    """When another process has rung last, or rings (the time of the loop)."""
    # Weak: a lock is forgotten when no request holds or awaits it.
    locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    compiled: OrderedDict[str, CompileResult] = field(default_factory=OrderedDict)
    reaches: Reaches = field(default_factory=dict)
    timelines: Timelines = field(default_factory=Timelines)
    traces: Traces | None = None
    worked_at: float | None = None
    """When a worker of this process looked for work last (monotonic); None without one."""

    @property
    def register(self) -> Register:
        return Register(self.db)

    @property
    def messages(self) -> Messages:
        return Messages(self.db)

    @asynccontextmanager
    async def news(self, id: str, rank: int = GOES_ON) -> AsyncIterator[Register]:
        """Store what the block writes together with the news of it, or neither."""
        async with self.db.transaction(f"execution {id}") as inside:
            yield Register(inside)
            await self.due.tell(inside, id, rank)
        self.bell.set()

    def now(self) -> str:
        """Return the time as responses write it."""
        return iso(self.clock())

    def alone(self, id: str) -> asyncio.Lock:
        """Return the lock that an operation holds while it reads and changes an execution. Between
        processes the transactions of the register do this."""
        return self.locks.setdefault(id, asyncio.Lock())

    async def pause(self, id: str, change: Callable[[StoredExecution], StoredExecution]) -> None:
        """Store the pause, and call the worker, who stops the run."""
        async with self.db.transaction(f"execution {id}") as inside:
            await Register(inside).edit(id, change)
            await self.due.call(inside)
        self.stop_bell.set()

    def hear(self, words: str) -> None:
        """Ring for what another process announced; "" may be anything."""
        if CALLED in words or not words:
            self.stop_bell.set()
        loop = asyncio.get_running_loop()
        if CALLED not in words and self.rings <= loop.time():
            self.rings = max(loop.time(), self.rings + PAUSE)
            loop.call_at(self.rings, self.bell.set)

    async def wait_for_rest(self, id: str, patience: float) -> bool:
        """Wait until nothing goes on, at most `patience` seconds. Return whether that is so."""
        end, looks = time.monotonic() + patience, 0
        while await self.due.has(id):
            if time.monotonic() > end:
                return False
            await asyncio.sleep(_LOOKS[min(looks, len(_LOOKS) - 1)])
            looks += 1
        return True

    async def result_of(self, execution: StoredExecution) -> CompileResult:
        """Return the compiled workflow; one that is not kept is compiled beside the event loop,
        once for all who wait for it, also for other executions of the same texts."""
        async with self.alone(f"{execution.digest} compiled"):
            result = self.compiled.get(execution.digest)
            if result is None:
                team = execution.team_source or None
                about = (execution.source, execution.file, execution.format, team)
                result = require_valid(await POOL.compile_again(*about))
            self.keep(execution, result)
            return result

    def keep(self, execution: StoredExecution, result: CompileResult) -> None:
        """Keep a compiled workflow until `KEPT` others were asked for."""
        self.compiled[execution.digest] = result
        self.compiled.move_to_end(execution.digest)
        if len(self.compiled) > KEPT:
            self.compiled.popitem(last=False)

    async def beginning(self, execution: StoredExecution) -> ExecutionState:
        """Return the state of an execution before anything has happened in it."""
        workflow, nothing = await self.workflow_of(execution), Timeline()
        return ExecutionState(
            execution=execution,
            workflow=workflow,
            record=None,
            state=None,
            timeline=nothing,
            turns=await asyncio.to_thread(turns_of, execution, workflow, nothing, ()),
            fault=execution.fault,
            now=self.clock(),
        )

    async def standing(self, execution: StoredExecution) -> ExecutionState:
        """Return the present state of an execution."""
        record = state = None
        if await self.engine.store.has(execution.id):
            record = await self.engine.store.get(execution.id)
            state = await self.engine.state(execution.id)
        workflow = await self.workflow_of(execution)
        # The rows first: what a person hands in is a row before any event tells of it.
        rows = await self.register.assignments(execution.id)
        told = await Happenings(self.db).of(execution.id)
        timeline = await self.timelines.of(self.engine.store, execution.id)
        if timeline.is_completed and record is not None and record.status != "success":
            timeline = timeline.before_completion()
        return ExecutionState(
            execution=execution,
            workflow=workflow,
            record=record,
            state=state,
            timeline=timeline,
            turns=await asyncio.to_thread(turns_of, execution, workflow, timeline, rows),
            fault=execution.fault,
            now=self.clock(),
            told=told,
        )

    def require_approver(self, caller: Caller, execution: StoredExecution) -> None:
        """Raise `ServiceFault` for a caller who may not approve the execution's commands: without
        the scope, or with a token that asks for them, unless the operator allows that."""
        caller.require(APPROVING)
        if caller.token in execution.askers and not self.config.self_approval:
            raise ServiceFault(
                "FORBIDDEN",
                "this token started the execution or made its workflow, so another one approves",
                execution=execution.id,
                recovery=("let somebody else approve, with a token of their own",),
            )

    async def answer(self, execution: StoredExecution, question: Question, answer: Json) -> None:
        """Store the answer to a question that is not a step, and go on. Raises `RunError` when the
        question cannot take it."""
        value = match_answers({question.id: answer}, [question])[question.id]
        record = await self.engine.store.get(execution.id)
        if question.kind == "unknown" and record.status == "running":
            raise RunError(f"`{question.node}` is not settled yet", help="answer when it waits")

        def with_answer(known: StoredExecution) -> StoredExecution:
            if question.kind == "unknown":
                verdicts = {**known.verdicts, question.id: {"answer": value, "at": record.updated}}
                return replace(known, verdicts=verdicts)
            answers = known.config.get(ANSWERS, {})
            if question.id in answers:
                raise RunError(f"`{question.name}` was answered already", help="ask for the status")
            return replace(known, config={**known.config, ANSWERS: {**answers, question.id: value}})

        async with self.news(execution.id) as inside:
            await inside.edit(execution.id, with_answer)

    async def workflow_of(self, execution: StoredExecution) -> Workflow:
        """Return the workflow that is executed; of a run what is kept of it."""
        if execution.is_run:
            record = await self.engine.store.get(execution.id)
            return await asyncio.to_thread(lambda: lift(load_spec(record.spec)))
        workflow = (await self.result_of(execution)).workflow
        assert workflow is not None
        return workflow


def verdicts_of(execution: StoredExecution, record: RunRecord) -> dict[str, Json]:
    """Return people's answers on effects in doubt, by question. After another execution of the run
    they are void: it may be in doubt about another attempt."""
    verdicts = execution.verdicts.items()
    return {id: v["answer"] for id, v in verdicts if v["at"] == record.updated}


def typed_answer(record: RunRecord | None, question: Question, answer: Json) -> Json:
    """Return the answer to a question as the variable that it goes into has it: a number for a text
    is its text. Raise `RunError` for one of another type."""
    if record is None or question.kind != "ask" or question.choices:
        return answer
    variable = variable_for(load_spec(record.spec), question)
    if variable is None:
        return answer
    try:
        return cast("Json", typed_value(answer, variable.type))
    except WrongType as wrong:
        word = WORDS[variable.type]
        raise RunError(
            f"the answer to `{question.name}` must be {word}, not {wrong}", help=f"give {word}"
        ) from None


@asynccontextmanager
async def open_executing(
    url: str,
    config: Config,
    clock: Clock | None = None,
    patience: float = PATIENCE,
    reaches: Reaches | None = None,
) -> AsyncIterator[Executing]:
    """Open the executions of the store at `url`, whose time is the store's unless a `clock` is
    given. Raises `RunError` when it cannot be opened."""
    async with (
        open_engine(url) as engine,
        engine.store.opened.durable() as db,
        engine.store.opened.clock() as own,
    ):
        await create_tables(
            db,
            register.SCHEMA,
            states.SCHEMA,
            happenings.SCHEMA,
            messages_table.SCHEMA,
            prompts.SCHEMA,
            webhooks_table.SCHEMA,
            model_rates.SCHEMA,
            workers.SCHEMA,
            runs.SCHEMA,
            words.SCHEMA,
            texts.SCHEMA,
        )
        told = clock or own
        engine.store.clock, engine.store.event_time = lambda: iso(own()), lambda: iso(told())
        due = await open_queue(engine.store.opened, config.team_executions)
        executing = Executing(engine, db, due, config, told, patience, reaches=reaches or {})
        for id in await StateRows(db).lacking():
            # One whose row is damaged is complained of when somebody asks for it.
            with contextlib.suppress(RunError, ServiceFault):
                await executing.register.edit(id, lambda execution: execution)
        for id in await SearchWords(db).lacking():
            with contextlib.suppress(RunError, ServiceFault):
                old = await executing.register.get(StoredExecution, id, None)
                about = (old.workflow, old.team, old.file, *texts_in(old.inputs))
                await SearchWords(db).keep(id, about)
        executing.traces = open_traces()
        try:
            async with engine.store.opened.ringing(due.channel, executing.hear, executing.has_room):
                yield executing
        finally:
            if executing.traces is not None:
                await asyncio.to_thread(executing.traces.close)
