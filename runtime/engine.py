"""Start, resume, look at and branch runs. What one execution does is in `execution.py`.

async with open_engine("sqlite:///.flowc/runs.db") as engine:
    outcome = await engine.start(spec, services, run="brave-otter", inputs={}, options={})
    outcome = await engine.resume("brave-otter", spec, services, answers={"": "yes"})
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import aiosqlite
from flowc.compiler.graphspec import GraphSpec
from flowc.compiler.serde import dump_spec, load_spec

from . import journal as journal_module
from .branches import CheckpointView, RunState, copy_thread, past_of, state_of
from .checkpoint import connection, in_words, open_checkpointer
from .errors import RunError
from .events import Listener
from .execution import Execution, thread_config
from .graph import build
from .inert import inert_services
from .journal import EffectJournal, OnUnknown
from .lease import lease
from .services import Emit, Journal, Json, Outcome, Services
from .signals import RunSignals
from .start import changes, initial_state
from .store import RunRecord, RunStore, create_tables, open_store

ServicesFactory = Callable[[Journal, Emit], Services]
ENDED = ("success", "failed")


@dataclass(frozen=True, slots=True)
class Engine:
    """Executes runs on one store. Made by `open_engine`."""

    store: RunStore
    saver: Any
    journal_db: aiosqlite.Connection

    async def start(
        self,
        spec: GraphSpec,
        services: ServicesFactory,
        *,
        run: str,
        inputs: dict[str, Json],
        options: dict[str, Json],
        listeners: tuple[Listener, ...] = (),
        breakpoints: tuple[str, ...] = (),
        control: RunSignals | None = None,
    ) -> Outcome:
        """Execute a new run until it ends, waits, or is stopped. Raises `RunError` for a run id
        that is taken, a missing or unknown input, a breakpoint at no node, a store that cannot be
        written.
        """
        with self._held(run):
            execution = self._execution(spec, services, run, listeners, breakpoints, control, "ask")
            given = initial_state(spec, inputs, execution.services.env)
            record = RunRecord(
                id=run,
                name=spec.name,
                file=spec.file,
                format=str(options.get("format", "")),
                digest=spec.digest,
                options=options,
                inputs=inputs,
                spec=dump_spec(spec),
                pid=os.getpid(),
            )
            record = await self.store.create(record)
            await self.saver.adelete_thread(run)
            return await execution.run(record, given, "run_started")

    async def resume(
        self,
        run: str,
        spec: GraphSpec,
        services: ServicesFactory,
        *,
        answers: dict[str, Json],
        said: str | None = None,
        listeners: tuple[Listener, ...] = (),
        breakpoints: tuple[str, ...] = (),
        control: RunSignals | None = None,
        on_unknown: OnUnknown = "ask",
    ) -> Outcome:
        """Go on from the last checkpoint. `answers` are by question id, "" is the only
        question's; they are stored before they are given. Without an answer a run that waits for
        one reports its questions again. With a line that was `said` unasked it goes on where the
        workflow says (J45), also when it had ended. Raises `RunError` when the run has ended, is
        being executed elsewhere, or the workflow has changed since it was started.
        """
        with self._held(run):
            record = await self.store.get(run)
            if said is None and not await self._journal("ask").lines(run):
                _refuse_ended(record)
            _refuse_changed(record, spec)
            execution = self._execution(
                spec, services, run, listeners, breakpoints, control, on_unknown
            )
            begun = await self.saver.aget_tuple(thread_config(run)) is not None
            given: Any = None
            if not begun:
                given = initial_state(spec, record.inputs, execution.services.env)
            if await execution.hear(said, given):
                given = None
            elif begun:
                _refuse_ended(record)
                waiting = await execution.answer(answers)
                if waiting is not None and record.status == "paused":
                    return await execution.still_waiting(record, waiting)
                given = await execution.resume_command()
            record = dataclasses.replace(
                record, status="running", pid=os.getpid(), error=None, questions=[]
            )
            return await execution.run(await self.store.update(record), given, "run_resumed")

    async def state(self, run: str) -> RunState:
        """Where a run stands: variables, nodes that come next, questions that wait."""
        with in_words(self.store.location):
            spec, app = await self._look_at(run)
            answered = await self._journal("ask").answers(run)
            return await state_of(app, spec, run, answered)

    async def history(self, run: str) -> list[CheckpointView]:
        """The run's checkpoints between nodes, oldest first."""
        with in_words(self.store.location):
            spec, app = await self._look_at(run)
            return await past_of(app, spec, run)

    async def fork(self, run: str, at: str, updates: dict[str, Json], new_run: str) -> RunRecord:
        """A new run that begins at a checkpoint of another one (its id, or a node's id: the
        latest checkpoint before that node), with other values for some variables. `resume`
        executes it. Raises `RunError` when there is no such checkpoint, or while an effect's
        outcome is unknown.
        """
        with self._held(run):
            record = await self.store.get(run)
            doubtful = await self._journal("ask").in_doubt(run)
            if doubtful:
                raise RunError(
                    f"what became of `{doubtful[0]}` is unknown; a fork could repeat it unasked",
                    help=f"settle it first: flowc resume {run}",
                )
            spec, app = await self._look_at(run)
            view = _checkpoint(await past_of(app, spec, run), at, run)
            await self.store.refuse_taken(new_run)
            await self.saver.adelete_thread(new_run)
            await copy_thread(self.saver, app, spec, view, run, new_run, updates)
            fresh = dataclasses.replace(
                record,
                id=new_run,
                status="interrupted",
                parent=run,
                started="",
                questions=[],
                result=None,
                error=None,
                usage={},
                pid=None,
            )
            return await self.store.create(fresh)

    async def delete(self, run: str) -> None:
        """Forget a run with all its checkpoints. Raises `RunError` while it is being executed."""
        with self._held(run):
            await self.store.delete(run)
            await self._journal("ask").forget(run)
            await self.saver.adelete_thread(run)

    @contextmanager
    def _held(self, run: str) -> Iterator[None]:
        """Hold the run; what is wrong with the store meanwhile is said in words."""
        with lease(self.store.location.leases, run), in_words(self.store.location):
            yield

    async def _look_at(self, run: str) -> tuple[GraphSpec, Any]:
        """The graph that a run was started with, for reading its checkpoints."""
        spec = _kept_spec(await self.store.get(run))
        return spec, build(spec, inert_services()).compile(checkpointer=self.saver)

    def _journal(self, on_unknown: OnUnknown) -> EffectJournal:
        return EffectJournal(self.journal_db, on_unknown)

    def _execution(
        self,
        spec: GraphSpec,
        services: ServicesFactory,
        run: str,
        listeners: tuple[Listener, ...],
        breakpoints: tuple[str, ...],
        control: RunSignals | None,
        on_unknown: OnUnknown,
    ) -> Execution:
        for name in breakpoints:
            if name not in {node.id for node in spec.nodes}:
                raise RunError(f"there is no node `{name}` to break at in {spec.file}")
        return Execution(
            store=self.store,
            saver=self.saver,
            journal=self._journal(on_unknown),
            spec=spec,
            run_id=run,
            factory=services,
            listeners=listeners,
            breakpoints=breakpoints,
            signals=control or RunSignals(),
        )


@asynccontextmanager
async def open_engine(url: str) -> AsyncIterator[Engine]:
    """An engine on the store at `url`: `sqlite:///PATH` or `memory:`. Raises `RunError` when the
    store cannot be opened.
    """
    async with (
        open_store(url) as store,
        connection(store.location, durable=True) as db,
        open_checkpointer(store.location) as saver,
    ):
        await create_tables(db, journal_module.SCHEMA, store.location)
        yield Engine(store, saver, db)


def _kept_spec(record: RunRecord) -> GraphSpec:
    try:
        return load_spec(record.spec)
    except ValueError:
        raise RunError(
            f"run {record.id} was kept by another version of flowc",
            help="use the version that started it",
        ) from None


def _refuse_ended(record: RunRecord) -> None:
    if record.status in ENDED:
        raise RunError(
            f"run {record.id} has ended: {record.status}",
            help=f"to go on from an earlier point: flowc fork {record.id} --at NODE",
        )


def _refuse_changed(record: RunRecord, spec: GraphSpec) -> None:
    """LangGraph would lose work without a word when nodes were renamed while a run was paused."""
    if record.digest == spec.digest:
        return
    raise RunError(
        f"{spec.file} has changed since run {record.id} was started: "
        f"{changes(_kept_spec(record), spec)}",
        help="restore the file to go on with this run, or start a new run",
    )


def _checkpoint(past: list[CheckpointView], at: str, run: str) -> CheckpointView:
    for view in reversed(past):
        if at == view.id or at in view.next:
            return view
    raise RunError(
        f"run {run} has no checkpoint `{at}` and none before a node of that name",
        help=f"see `flowc history {run}`",
    )
