"""Executions as requests see them: where they stand, and changes with the news of them.

Whatever a request changes is written together with a row that says so (`due`). Workers, in this
process or in others, carry on what has such a row; here nothing is executed.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from weakref import WeakValueDictionary

from flowc.compiler.driver import CompileResult
from flowc.compiler.ir import Workflow

from ...config.settings import Config
from ...db.database import Database, create_tables
from ...engine.engine import Engine, open_engine
from ...errors import RunError
from ...people import Question
from ...services import Json
from ...state.interrupts import match_answers
from ...store.runs import RunRecord
from ..records import messages
from ..records import prompt_log as prompts
from ..records import tables as register
from ..records import work_queue as due
from ..records.metrics import iso
from ..records.tables import Register, StoredExecution
from ..records.work_queue import BELL, Due, Stop
from .compile import compiled_execution
from .status import Standing

Clock = Callable[[], datetime]
ANSWERS = "answers"
"""The key of an execution's `config` with the answers to questions that are no steps, by node."""
KEPT = 200
"""Workflows that are kept compiled: those of the executions that were asked for last."""
_LOOKS = (0.005, 0.01, 0.02, 0.04)
"""Seconds between looks whether an execution rests; the last one again and again."""


def utc_now() -> datetime:
    """The time."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Executing:
    """The executions of one store. `db` is durable: what was written is on the disk. `bell` says
    that there may be something to do."""

    engine: Engine
    db: Database
    config: Config
    clock: Clock
    bell: asyncio.Event = field(default_factory=asyncio.Event)
    locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    compiled: OrderedDict[str, CompileResult] = field(default_factory=OrderedDict)

    @property
    def register(self) -> Register:
        return Register(self.db)

    @property
    def due(self) -> Due:
        return Due(self.db)

    @asynccontextmanager
    async def news(self, id: str) -> AsyncIterator[Register]:
        """What is written in the block is kept together with the news of it, or not at all."""
        async with self.db.transaction() as inside:
            yield Register(inside)
            await Due(inside).tell(id, iso(self.clock()))
        self.bell.set()

    def alone(self, id: str) -> asyncio.Lock:
        """Held while an operation looks at an execution and changes it: one at a time. Between
        processes the transactions of the register see to that."""
        lock = self.locks.get(id)
        if lock is None:
            lock = self.locks[id] = asyncio.Lock()
        return lock

    async def pause(
        self, id: str, change: Callable[[StoredExecution], StoredExecution], how: Stop
    ) -> None:
        """Keep that it is paused, and ask whoever carries it on to stop."""
        async with self.db.transaction() as inside:
            await Register(inside).edit(id, change)
            await Due(inside).stop(id, how)
        self.bell.set()

    async def settled(self, id: str, patience: float) -> bool:
        """Wait until nothing goes on, `patience` seconds at most; whether that is so."""
        end, looks = time.monotonic() + patience, 0
        while await self.due.has(id):
            if time.monotonic() > end:
                return False
            await asyncio.sleep(_LOOKS[min(looks, len(_LOOKS) - 1)])
            looks += 1
        return True

    def result_of(self, execution: StoredExecution) -> CompileResult:
        """The compiled workflow."""
        if execution.id not in self.compiled:
            self.compiled[execution.id] = compiled_execution(execution)
        self.compiled.move_to_end(execution.id)
        if len(self.compiled) > KEPT:
            self.compiled.popitem(last=False)
        return self.compiled[execution.id]

    async def standing(self, execution: StoredExecution) -> Standing:
        """Where an execution stands now."""
        record = state = None
        if await self.engine.store.has(execution.id):
            record = await self.engine.store.get(execution.id)
            state = await self.engine.state(execution.id)
        return Standing(
            execution=execution,
            workflow=self.workflow_of(execution),
            record=record,
            state=state,
            assignments=await self.register.assignments(execution.id),
            fault=execution.fault,
            now=self.clock(),
        )

    async def answer(self, execution: StoredExecution, question: Question, answer: Json) -> None:
        """Keep the answer to a question that is no step, and go on with it. Raises `RunError` for
        one that the question cannot take."""
        value = match_answers({question.id: answer}, [question])[question.id]
        record = await self.engine.store.get(execution.id)
        if question.kind == "unknown" and record.status == "running":
            raise RunError(f"`{question.node}` is not settled yet", help="answer when it waits")

        def answered(known: StoredExecution) -> StoredExecution:
            if question.kind == "unknown":
                verdicts = {**known.verdicts, question.id: {"answer": value, "at": record.updated}}
                return replace(known, verdicts=verdicts)
            answers = dict(known.config.get(ANSWERS, {}))
            answers[question.node] = [*answers.get(question.node, []), value]
            return replace(known, config={**known.config, ANSWERS: answers})

        async with self.news(execution.id) as inside:
            await inside.edit(execution.id, answered)

    def workflow_of(self, execution: StoredExecution) -> Workflow:
        """The workflow that is executed."""
        workflow = self.result_of(execution).workflow
        assert workflow is not None
        return workflow

    def people_of(self, execution: StoredExecution) -> dict[str, bool]:
        """Of each agent of the team whether it is a person."""
        return {agent.id: agent.person for agent in self.workflow_of(execution).agents}


def verdicts_of(execution: StoredExecution, record: RunRecord) -> dict[str, Json]:
    """What people said of effects in doubt, by question. A run that was executed since may be in
    doubt about another attempt of the same effect."""
    verdicts = execution.verdicts.items()
    return {id: v["answer"] for id, v in verdicts if v["at"] == record.updated}


@asynccontextmanager
async def open_executing(
    url: str, config: Config, clock: Clock = utc_now
) -> AsyncIterator[Executing]:
    """The executions of the store at `url`. Raises `RunError` when it cannot be opened."""
    async with open_engine(url) as engine, engine.store.opened.durable() as db:
        for schema in (register.SCHEMA, messages.SCHEMA, prompts.SCHEMA, due.SCHEMA):
            await create_tables(db, schema)
        executing = Executing(engine, db, config, clock)
        async with engine.store.opened.ringing(BELL, executing.bell.set):
            yield executing
