"""Start, resume, inspect and fork runs. `execution.py` holds one execution.

async with open_engine("sqlite:///.flowc/runs.db") as engine:
    outcome = await engine.start(spec, services, run="brave-otter", inputs={}, options={})
    outcome = await engine.resume("brave-otter", spec, services, answers={"": "yes"})
"""

from __future__ import annotations

import asyncio
import dataclasses
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from flowc.compiler.ir import OnUnknown
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.lowering.serde import dump_spec, load_spec

from ..budget import ledger
from ..checkpoints.keys import thread_config
from ..checkpoints.tables.compaction import Dropped, compact
from ..checkpoints.tables.integrity import IntactReads
from ..checkpoints.tables.rows import Checkpoints, begin_after
from ..checkpoints.tables.stored import checkpoints_of
from ..checkpoints.types import App, Saver
from ..db.database import Database, create_tables
from ..db.sqlite import in_words
from ..db.url import PATIENCE
from ..documents import write_log as document_record
from ..documents.write_log import Record, documents_of, move_documents
from ..errors import RunError
from ..events import Listener
from ..graph.build import compile_graph
from ..graph.history import CheckpointView, past_of, view_at, whole_past_of
from ..journal import rows, timers
from ..journal.effects import EffectJournal
from ..journal.said_lines import lines_of
from ..journal.taken_answers import answered_questions
from ..secrets import secret_values
from ..services import Json, Outcome, ServicesFactory
from ..state.initial import initial_state
from ..state.thread_turns import FIRST_TURN, ThreadTurn, turn_of
from ..store.names import refuse_unfit
from ..store.runs import RunRecord, RunStore, open_store
from .document_edits import Edited, Stand, take_edits, writers_now
from .execution import Execution, GraphInput
from .fork import RunState, copy_thread, outcome_of, refuse_inner, state_of
from .frontier import frontier_of
from .migration import check_migration, move, read_migration
from .removal import forget_each, forget_within
from .request_watch import RequestWatch
from .signals import RunSignals

ENDED = ("success", "failed")
LINKS = 2
"""Connections that each run needs: one for the checkpoints, one for all else."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Executes runs on one store. Made by `open_engine`."""

    store: RunStore
    saver: Saver
    journal_db: Database
    watch: RequestWatch

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
        """Execute a new run until it ends, waits, or is stopped. Raise `RunError` for a run id that
        is taken, a missing or unknown input, a breakpoint at no node, a store that cannot be
        written."""
        refuse_unfit(run)
        async with self.hold(run):
            app = await asyncio.to_thread(compile_graph, spec, self.saver)
            execution = await self._execution(
                app, spec, services, run, listeners, breakpoints, control, self.journal(run)
            )
            graph_input = initial_state(spec, inputs, execution.services.env)
            record = RunRecord(
                id=run,
                name=spec.name,
                file=spec.file,
                format=str(options.get("format", "")),
                digest=spec.digest,
                options=options,
                inputs=inputs,
                spec=await asyncio.to_thread(dump_spec, spec),
                pid=os.getpid(),
            )
            saver = cast("IntactReads", self.saver)
            tables = {**rows.TABLES, **dict.fromkeys(ledger.TABLES, "run"), **saver.thread_tables}
            record, blank = await self.store.begin(record, tables)
            # The run would go on from checkpoints that lie there without a record.
            await saver.begin_thread(run, blank=blank)
            await execution.take_up(record, blank=blank)
            return await execution.run(record, graph_input, "run_started")

    async def resume(
        self,
        run: str,
        spec: GraphSpec,
        services: ServicesFactory,
        *,
        answers: dict[str, Json],
        line: str | None = None,
        listeners: tuple[Listener, ...] = (),
        breakpoints: tuple[str, ...] = (),
        control: RunSignals | None = None,
        on_unknown: OnUnknown | None = None,
        usually: OnUnknown = "ask",
        migrate: Sequence[str] = (),
        inputs: Mapping[str, Json] | None = None,
        answered: bool = False,
    ) -> Outcome:
        """Go on from the last checkpoint. `answers` are by question id, "" is the only question's;
        they are stored before they are given. Without an answer a run that waits for one reports
        its questions again, unless its `People` were `answered` meanwhile. With a `line` that was
        said unasked it goes on where the workflow says (J45), also when it had ended. A changed
        workflow is taken as it is now, unless it changed where the run stands. `on_unknown` says
        what is done about effects in doubt, whatever the workflow says; `usually` where that says
        nothing. `migrate` (OLD=NEW) says what has become of a node or a variable, `inputs` what new
        parameters hold. Raise `RunError` when a run has ended, is held elsewhere, does not fit."""
        async with self.hold(run, goes_on=True):
            record = await self.store.get(run)
            if line is None and not await lines_of(self.journal_db, run):
                _refuse_ended(record)
            record, changed = await self.bring_up_to_date(record, spec, migrate, inputs)
            app = await asyncio.to_thread(compile_graph, spec, self.saver)
            state = await app.aget_state(thread_config(run))
            journal = self.journal(run, on_unknown, usually, await turn_of(self.saver, state))
            execution = await self._execution(
                app, spec, services, run, listeners, breakpoints, control, journal
            )
            if changed:
                execution.log.emit("changed", "", {"changes": changed, "migrated": list(migrate)})
            await execution.take_up(record)
            begun, env = state.created_at is not None, execution.services.env
            beginning = None if begun else initial_state(spec, record.inputs, env)
            heard = await execution.hear(line, state.values, beginning)
            graph_input: GraphInput = None if heard else beginning
            if begun and not heard:
                _refuse_ended(record)
                waiting = await execution.answer(answers, state)
                if waiting is not None and record.status == "paused" and not answered:
                    return await execution.still_waiting(record, waiting)
                graph_input = await execution.resume_command(state.interrupts)
            return await execution.run(await self._going_on(record), graph_input, "run_resumed")

    async def _going_on(self, record: RunRecord) -> RunRecord:
        running = dataclasses.replace(
            record, status="running", pid=os.getpid(), error=None, questions=[]
        )
        return await self.store.update(running)

    async def bring_up_to_date(
        self,
        record: RunRecord,
        spec: GraphSpec,
        migrate: Sequence[str],
        inputs: Mapping[str, Json] | None = None,
    ) -> tuple[RunRecord, list[Json]]:
        """Return the record stamped with the workflow as it is now, and what differs. Raise
        `RunError` where that has changed where the run stands."""
        if record.digest == spec.digest:
            if migrate or inputs:
                raise RunError(
                    f"{spec.file} has not changed since run {record.id} was started",
                    help=f"leave out {'--migrate' if migrate else '-i'}",
                )
            return record, []
        old, app = await self._look_at(record.id)
        sources = (self.saver, self.checkpoints(), self.journal_db)
        frontier = await frontier_of(app, *sources, old, record.id)
        migration = read_migration(migrate, old, spec, inputs or {})
        changes = check_migration(old, spec, frontier, migration, record.id)
        await move(self.saver, spec, frontier, migration, record.id)
        inputs = {**record.inputs, **migration.inputs}
        kept = await asyncio.to_thread(dump_spec, spec)
        stamped = dataclasses.replace(record, digest=spec.digest, spec=kept, inputs=inputs)
        return await self.store.update(stamped), [change.as_json() for change in changes]

    async def state(self, run: str) -> RunState:
        """Return where a run stands: variables, nodes that come next, questions that wait."""
        with in_words(self.store.location):
            spec, app = await self._look_at(run)
            answered = await self.journal(run).answers(run)
            counts = await answered_questions(self.journal_db, run)
            return await state_of(app, spec, run, answered, counts)

    async def outcome(self, record: RunRecord) -> Outcome | None:
        """Return what a run has come to; None of one that was told something since."""
        with in_words(self.store.location):
            _, app = await self._look_at(record.id)
            return await outcome_of(app, record, self.journal(record.id))

    async def take_edits(self, run: str, folder: Path) -> Edited | None:
        """Take over what people changed in the living document of a run while nobody executed it,
        and write down there what follows. None when it has no document. Raise `RunError`."""
        async with self.hold(run):
            record = await self.store.get(run)
            if (move := await self.store.move_of(run)) is not None:
                await move_documents(self.journal_db.for_run(run), run, move.path)
            if record.parent is None and not await documents_of(self.journal_db, run):
                return None
            if await self.saver.aget_tuple(thread_config(run)) is None:
                return None
            spec, app = await self._look_at(run)
            state = await state_of(app, spec, run, (), {})
            before = ", ".join(f"`{name}`" for name in state.next)
            note = f"the checkpoint of run {run} stands before {before or 'nothing: it has ended'}"
            ended = record.status in ENDED
            return await take_edits(self.journal_db, Stand(run, state, ended, note, folder))

    async def document_writers(self, id: str) -> list[Record]:
        """Return what each run last wrote to a document, the run that wrote last first."""
        with in_words(self.store.location):
            return await writers_now(self.store, self.journal_db, id)

    async def history(self, run: str) -> list[CheckpointView]:
        """Return the run's checkpoints between nodes, of called workflows too, oldest first."""
        with in_words(self.store.location):
            spec, app = await self._look_at(run)
            return await whole_past_of(self.checkpoints(), app, spec, run)

    async def fork(self, run: str, at: str, updates: dict[str, Json], new_run: str) -> RunRecord:
        """Create a run that begins at a checkpoint of another one (its id, or a node's id: the
        latest checkpoint before that node), with other values for some variables. `resume` executes
        it. Raise `RunError` when there is no such checkpoint, or while an effect's outcome is
        unknown."""
        async with self.hold(run, goes_on=True):
            record = await self.store.get(run)
            spec, app = await self._look_at(run)
            turn = await turn_of(self.saver, await app.aget_state(thread_config(run)))
            doubtful = await self.journal(run, turn=turn).in_doubt(run)
            if doubtful:
                raise RunError(
                    f"what became of `{doubtful[0]}` is unknown; a fork could repeat it unasked",
                    help=f"settle it first: flowc resume {run}",
                )
            past = await past_of(self.checkpoints(), app, spec, run)
            await refuse_inner(self.checkpoints(), past, run, at)
            view = view_at(past, at, run)
            await self.store.refuse_taken(new_run)
            await self.saver.adelete_thread(new_run)
            await copy_thread(self.checkpoints(), app, spec, view, run, new_run, updates)
            fresh = dataclasses.replace(
                record,
                id=new_run,
                # The cassette is that of the other run.
                options={**record.options, "record": None},
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

    async def note(self, run: str, options: dict[str, Json]) -> None:
        """Keep more options of a run, in place of those of the same name. Raise `RunError` while it
        is being executed."""
        async with self.hold(run):
            record = await self.store.get(run)
            await self.store.update(
                dataclasses.replace(record, options={**record.options, **options})
            )

    async def delete(self, run: str) -> None:
        """Forget a run with all its checkpoints, and what the service kept of it. Raise `RunError`
        while it is being executed."""
        db = self.journal_db.for_run(run)
        async with self.hold(run), db.transaction(f"run {run}") as inside:
            await forget_within(inside, (run,), self.store.water)

    async def forget(self, runs: Sequence[str]) -> list[str]:
        """Forget a few runs, all at once: see `forget_each`. Raise `RunError`."""
        return await forget_each(self.store, self.journal_db, runs)

    async def compact(self, run: str, *, history: bool = True, dry_run: bool = False) -> Dropped:
        """Drop what the run does not need to go on: checkpoints inside visits that are over and,
        with `history`, all between nodes except the last; with `dry_run` only count them. Raise
        `RunError` while it is being executed."""
        async with self.hold(run):
            _, app = await self._look_at(run)
            rows = self.checkpoints()
            return await compact(rows, self.saver, app, run, history, dry_run=dry_run)

    async def take_over(self, run: str) -> None:
        """Take the run from the process that executes it, which then writes nothing more: not the
        result of what is under way either."""
        await self.store.get(run)
        async with self.store.leases.hold(run, by_force=True):
            pass

    @asynccontextmanager
    async def hold(self, run: str, *, goes_on: bool = False) -> AsyncIterator[None]:
        """Hold the run; what is wrong with the store meanwhile is said in words. A run that
        `goes_on` gets checkpoints that come after those it has, whatever the clock says."""
        async with self.store.leases.hold(run):
            with in_words(self.store.location):
                if goes_on and self.store.location.kind != "memory":
                    await begin_after(self.checkpoints(), run)
                yield

    async def _look_at(self, run: str) -> tuple[GraphSpec, App]:
        """Return the graph that a run was started with, for reading its checkpoints."""
        return await asyncio.to_thread(_graph_of, await self.store.get(run), self.saver)

    def checkpoints(self) -> Checkpoints:
        """Return the runs' checkpoints, to look back."""
        return checkpoints_of(self.journal_db, self.saver)

    def journal(
        self,
        run: str,
        on_unknown: OnUnknown | None = None,
        usual: OnUnknown = "ask",
        turn: ThreadTurn = FIRST_TURN,
    ) -> EffectJournal:
        """Return the journal of a run; the other arguments are those of `resume`."""
        hidden = secret_values(os.environ)
        water, scope = self.store.water, turn.scope(run)
        db, apart = self.journal_db.for_run(run), self.store.location.kind != "memory"
        return EffectJournal(
            db, on_unknown, usual, hidden, turn=turn, scope=scope, apart=apart, water=water
        )

    async def _execution(
        self,
        app: App,
        spec: GraphSpec,
        services: ServicesFactory,
        run: str,
        listeners: tuple[Listener, ...],
        breakpoints: tuple[str, ...],
        control: RunSignals | None,
        journal: EffectJournal,
    ) -> Execution:
        for name in breakpoints:
            if name not in {node.id for node in spec.nodes}:
                raise RunError(f"there is no node `{name}` to break at in {spec.file}")
        making = partial(
            Execution, store=self.store, saver=self.saver, journal=journal, spec=spec, run_id=run,
            factory=services, listeners=listeners, breakpoints=breakpoints,
            signals=control or RunSignals(), watch=self.watch, app=app,
        )  # fmt: skip
        return await asyncio.to_thread(making)  # services look at folders


@asynccontextmanager
async def open_engine(url: str, patience: float = PATIENCE) -> AsyncIterator[Engine]:
    """Open an engine on the store at `url`: see `db.url.locate`. Raise `RunError` when the store
    cannot be opened."""
    async with (
        open_store(url, patience, LINKS) as store,
        store.opened.durable() as db,
        store.opened.checkpointer() as saver,
    ):
        await create_tables(db, rows.SCHEMA, timers.SCHEMA, ledger.SCHEMA, document_record.SCHEMA)
        yield Engine(store, saver, db, RequestWatch(store))


def _graph_of(record: RunRecord, saver: Saver) -> tuple[GraphSpec, App]:
    try:
        spec = load_spec(record.spec)
    except ValueError:
        raise RunError(
            f"run {record.id} was kept by another version of flowc",
            help="use the version that started it",
        ) from None
    return spec, compile_graph(spec, saver)


def _refuse_ended(record: RunRecord) -> None:
    if record.status in ENDED:
        raise RunError(
            f"run {record.id} has ended: {record.status}",
            help=f"to go on from an earlier point: flowc fork {record.id} --at NODE",
        )
