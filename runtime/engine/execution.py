"""One execution of a run in this process: from a start or resume to an outcome."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, cast

from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.source.gc_pause import heap_at_rest
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphDrained, GraphRecursionError
from langgraph.graph import START
from langgraph.runtime import RunControl
from langgraph.types import Command, GraphOutput, Interrupt, StateSnapshot

from ..budget.ledger import Ledger
from ..checkpoints.keys import strict_config, surrounded_by, thread_config
from ..checkpoints.namespaces import on_line
from ..checkpoints.tables.integrity import IntactReads
from ..checkpoints.types import App, Saver
from ..db.fence import NotHeld
from ..db.sqlite import in_words
from ..documents.write_log import WRITE_LOG, WriteLog
from ..errors import Ended, Failure, LimitReached, RunError, StoreAway, StoreFailed
from ..events import EventKind, Listener
from ..graph.inbox import INPUT_NODE, checked_line, lines_obeyed, writes_of
from ..journal.effects import EffectJournal
from ..journal.failures import call_again
from ..journal.said_lines import hear, lines_of
from ..journal.taken_answers import answered_questions, note_answer, number_question
from ..journal.timers import keep_timers
from ..nodes.visit.visit import Surroundings
from ..people import Question
from ..secrets import shown_value
from ..services import Json, Outcome, Services, ServicesFactory
from ..state.channels import STEPS, outcome_in, refuse_clashes, variable_values
from ..state.initial import with_environment
from ..state.interrupts import (
    breakpoint_of,
    effect_key,
    match_answers,
    questions_in,
    variable_for,
)
from ..state.waits import answers_due, due_of
from ..store.runs import RunRecord, RunStore
from .event_log import EventLog
from .request_watch import RequestWatch
from .signals import RunSignals

GraphInput = dict[str, Any] | Command[Any] | None
"""The values that a graph begins with, or answers, or None to go on."""

Status = Literal["success", "failed", "paused", "stopped", "interrupted", "error"]
_DRAINED: dict[str, Status] = {
    "signal": "interrupted",
    "pause": "paused",
    "stop": "stopped",
    "limit": "stopped",
}

_DRAIN_ERRORS = {"limit": {"message": "the run's time is up", "kind": "limit", "limit": "seconds"}}


@dataclass(slots=True)
class Execution:
    """Everything one execution needs. `services` are made at once."""

    store: RunStore
    saver: Saver
    journal: EffectJournal
    spec: GraphSpec
    run_id: str
    factory: ServicesFactory
    listeners: tuple[Listener, ...]
    breakpoints: tuple[str, ...]
    signals: RunSignals
    watch: RequestWatch
    app: App
    log: EventLog = field(init=False)
    services: Services = field(init=False)
    at_rest: StateSnapshot | None = field(default=None, init=False)
    """The state that the graph came to rest in, once it has."""

    def __post_init__(self) -> None:
        self.log = EventLog(self.store, self.run_id, self.listeners, self.signals.request_drain)
        self.log.checkpoints = lambda: cast("IntactReads", self.saver).pending(self.run_id)
        self.journal = dataclasses.replace(
            self.journal, ahead=self.log.waiting, soon=self.log.write_soon
        )
        self.services = self.factory(self.journal, self.log.emit)
        self.log.tape = self.services.tape

    async def take_up(self, record: RunRecord, *, blank: bool = False) -> None:
        """Count what the run has used up before, nothing of a `blank` one. A limit of the program's
        that stopped it counts anew, and what it ended with as it failed is called again."""
        budget, error = self.services.budget, cast("dict[str, str]", record.error or {})
        if record.status == "error" and "kind" in error:
            await call_again(self.journal.db, self.run_id)
        await self.journal.recall(self.run_id, blank=blank)
        if blank:
            self.log.begin()
        else:
            await self.store.clear_request(self.run_id)
        scope = self.journal.turn.scope(self.run_id)
        await budget.open(Ledger(self.journal.db, scope, self.journal.soon), blank=blank)
        if error.get("scope"):
            used = error.get("used")
            await budget.renew(error["scope"], error["limit"], None if used is None else int(used))

    async def snapshot(self) -> StateSnapshot:
        """Return the state at the last checkpoint, of which there may be none."""
        return await self.app.aget_state(thread_config(self.run_id))

    async def answer(self, answers: dict[str, Json], state: StateSnapshot) -> list[Question] | None:
        """Store answers to what waits. Return the questions when none of them is answered."""
        interrupts, known = state.interrupts, await self.journal.answers(self.run_id)
        pending = [i for i in interrupts if i.id not in known]
        waiting = {i.id for i in pending}
        questions = {q.id: q for q in await self._questions(state) if q.id in waiting}
        over = answers_due(questions.values(), self._now())
        self._tell_late(questions, over)
        matched = match_answers({**over, **answers}, questions.values())
        for interrupt in pending:
            if interrupt.id in matched:
                value = matched[interrupt.id]
                await self._keep_answer(interrupt, questions[interrupt.id], value)
                question = questions[interrupt.id]
                asked = variable_for(self.spec, question)
                shown = value if asked is None else shown_value(asked.name, value, ())
                self.log.emit("answered", question.node, {"id": interrupt.id, "answer": shown})
        policy = self.journal.on_unknown or self.journal.usual
        decided = {i.id for i in pending if effect_key(i) and policy != "ask"}
        if decided or matched or len(pending) < len(interrupts) or not pending:
            return None
        return list(questions.values())

    def _tell_late(self, questions: Mapping[str, Question], over: Iterable[str]) -> None:
        """Tell of waits that are over how late they are noticed."""
        for id in over:
            due = due_of(questions[id])
            late = round(self._now() - (self._now() if due is None else due), 3)
            about = {"due": questions[id].due, "late": late, "event": questions[id].event}
            self.log.emit("wait_over", questions[id].node, about)

    async def _questions(self, state: StateSnapshot) -> list[Question]:
        """Return what asks, each with its number among the questions of its name."""
        asked = questions_in(state, self.spec)
        counts = await answered_questions(self.journal.db, self.run_id) if asked else {}
        known = await self.journal.answers(self.run_id) if counts else {}
        return [number_question(q, counts, known=id in known) for id, q in asked.items()]

    async def _keep_answer(self, interrupt: Interrupt, question: Question, value: Json) -> None:
        """Keep an answer and that its question was answered: both or neither."""
        key = effect_key(interrupt)
        async with self.journal.db.transaction(f"run {self.run_id}") as inside:
            journal = dataclasses.replace(self.journal, db=inside)
            if key is not None:
                await journal.settle(key, value)
            else:
                await journal.store_answer(self.run_id, interrupt.id, value)
            if question.kind != "wait":  # nobody has typed it, so nobody types it again
                await note_answer(inside, self.run_id, question)

    async def resume_command(self, interrupts: Sequence[Interrupt]) -> Command[Any] | None:
        """Return what the graph is resumed with: every stored answer to a question that waits."""
        waiting = {i.id for i in interrupts if effect_key(i) is None}
        stored = await self.journal.answers(self.run_id)
        answers = {i: value for i, value in stored.items() if i in waiting}
        return Command(resume=answers) if answers else None

    async def hear(
        self, text: str | None, values: Mapping[str, Any], beginning: dict[str, Any] | None
    ) -> bool:
        """Keep an unasked line, then let every line that has had no effect yet have it. Return
        whether there was one: then the run goes on at another place than it stood (J45). `values`
        are the state's, `beginning` the input of a run without a checkpoint. Raise `RunError` for a
        line that the workflow cannot take."""
        config = thread_config(self.run_id)
        values = values or beginning or {}
        if text is not None:
            line = checked_line(self.spec, text)
            writes_of(self.spec, values, line, self._now())  # refuses it before it is kept
            await hear(self.journal.db, self.run_id, line, lines_obeyed(values))
        waiting = await lines_of(self.journal.db, self.run_id, lines_obeyed(values))
        if waiting and beginning is not None:
            await self.app.aupdate_state(config, beginning, as_node=START)
        for line in waiting:
            await self.journal.leave(self.run_id)
            values = (await self.snapshot()).values
            writes = writes_of(self.spec, values, line, self._now())
            await self.app.aupdate_state(config, writes, as_node=INPUT_NODE)
            self.log.emit("said", "", {"line": line})
        return bool(waiting)

    def _now(self) -> float:
        return self.services.clock.now()

    async def still_waiting(self, record: RunRecord, questions: list[Question]) -> Outcome:
        """Return the outcome of a resume that answers nothing."""
        await self.log.flush()
        outcome = Outcome(self.run_id, "paused", questions=tuple(questions))
        return await self._finish(record, outcome, time.monotonic())

    async def run(
        self,
        record: RunRecord,
        graph_input: GraphInput,
        event: Literal["run_started", "run_resumed"],
    ) -> Outcome:
        """Execute from the input, the answers, or None (to go on) to an outcome, and keep it."""
        started = time.monotonic()
        self.services.elapsed = _clock_of(record, self.store.clock)
        try:
            with heap_at_rest(), in_words(self.store.location):
                inputs = with_environment(self.spec, record.inputs, self.services.env)
                async with self.log.writing():
                    outcome = await self._execute(graph_input, event, inputs, started)
                    return await self._finish(record, outcome, started)
        except asyncio.CancelledError:
            status = _DRAINED[self.signals.reason or "signal"]
            # A second cancellation must not leave a record of a run that goes on.
            with contextlib.suppress(NotHeld):  # the record is somebody else's now
                await asyncio.shield(self._keep(record, status=status))
            raise
        except RunError as error:
            # The store itself may be what failed; one that went away is not waited for once more.
            if not isinstance(error, StoreAway):
                status = "interrupted" if isinstance(error, StoreFailed) else "error"
                with contextlib.suppress(RunError):
                    await self._keep(record, status=status, error={"message": error.message})
            raise

    async def _execute(
        self,
        graph_input: GraphInput,
        event: EventKind,
        inputs: dict[str, Json],
        started: float,
    ) -> Outcome:
        """Run the graph once, with the events at its start and end."""
        tape, models = self.services.tape, self.services.models
        data = {
            "workflow": self.spec.name,
            "nodes": len(self.spec.nodes),
            "edges": _edge_count(self.spec),
            "model": models.label,
            "is_model": models.is_model,
        }
        if tape.recalls and event == "run_resumed":
            tape.recall(await self.store.events(self.run_id))
        tape.begin(self.run_id, inputs, event == "run_resumed")
        async with self._events_ahead():
            self.log.emit(event, "", data)
            complete = False
            try:
                outcome = await self._invoke(graph_input)
                # Behind a question about an effect in doubt, which is flowc's own, the run goes on.
                own = bool(self.breakpoints) or any(q.kind == "unknown" for q in outcome.questions)
                complete = outcome.status in ("success", "failed", *(() if own else ("paused",)))
            finally:
                tape.end(complete)
            for question in outcome.questions:
                shown = {k: v for k, v in dataclasses.asdict(question).items() if v}
                self.log.emit("interrupted", question.node, shown)
            seconds = round(time.monotonic() - started, 6)
            self.log.emit("run_finished", "", {"status": outcome.status, "seconds": seconds})
        return outcome

    @asynccontextmanager
    async def _events_ahead(self) -> AsyncIterator[None]:
        """Write events with the checkpoints that follow them, and let these wait. In memory each
        connection has a store of its own, and no kill leaves anything."""
        ahead = cast("IntactReads", self.saver).ahead
        if self.store.location.kind != "memory":
            ahead[self.run_id] = self.log.besides_checkpoints
        try:
            yield
        finally:
            ahead.pop(self.run_id, None)

    async def _invoke(self, graph_input: GraphInput) -> Outcome:
        """Run the graph once. What ends it early is a status, not an exception."""
        control = RunControl()
        self.signals.bind(control)
        config = self._config()
        WRITE_LOG.set(WriteLog(self.journal.db, self.run_id, asyncio.get_running_loop()))
        try:
            watching = self.watch.of(self.run_id, self.signals.request_drain)
            async with self._open_tools(), watching:
                output = await self.app.ainvoke(
                    graph_input, config, durability="sync", control=control, version="v2",
                    interrupt_before=list(self.breakpoints),
                    output_keys=self.app.stream_channels_list,
                )  # fmt: skip
            return await self._standing(await self._state_after(output))
        except GraphDrained as drained:
            status = _DRAINED.get(drained.reason, "interrupted")
            return Outcome(self.run_id, status, error=_DRAIN_ERRORS.get(drained.reason))
        except LimitReached as limit:
            self.log.emit("limit_reached", "", limit.as_value())
            return Outcome(self.run_id, "stopped", error=limit.as_value())
        except GraphRecursionError:
            error = {"message": "too many steps", "kind": "limit", "limit": "steps"}
            return Outcome(self.run_id, "stopped", error=error)
        except Ended:
            return Outcome(self.run_id, "failed")
        except Failure as failure:
            error = {**failure.as_value(), "help": failure.help}
            return Outcome(self.run_id, "error", error=error)

    async def _state_after(self, output: GraphOutput[Any]) -> StateSnapshot:
        """Return the state that the graph came to rest in: where nothing waits, what came out."""
        if output.value is None or output.interrupts or self.breakpoints:
            return await self.snapshot()
        return StateSnapshot(output.value, (), thread_config(self.run_id), None, None, None, (), ())

    async def _standing(self, snapshot: StateSnapshot) -> Outcome:
        """Return how a run stands whose graph has nothing left to do now. Raise `Failure` when the
        last nodes wrote what cannot be put together."""
        self.at_rest = snapshot
        stops = [breakpoint_of(node, self.spec) for node in snapshot.next]
        if questions := await self._questions(snapshot) or stops:
            return Outcome(self.run_id, "paused", questions=tuple(questions))
        refuse_clashes(snapshot.values)
        failed = outcome_in(self.spec, snapshot.values) != "success"
        return Outcome(self.run_id, "failed" if failed else "success")

    def _config(self) -> RunnableConfig:
        turn = self.journal.turn
        here = Surroundings(self.services, turn.scope(self.run_id), steps_before=turn.steps_before)
        config = surrounded_by(strict_config(self.run_id), here)
        config["metadata"] = turn.metadata
        config["recursion_limit"] = 2 * self.services.max_steps + 10  # relays are steps too
        return config

    @asynccontextmanager
    async def _open_tools(self) -> AsyncIterator[None]:
        await self.services.tools.open()
        try:
            yield
        finally:
            await self.services.scripts.close()
            await self.services.tools.close()

    async def _finish(self, record: RunRecord, outcome: Outcome, started: float) -> Outcome:
        """Return the outcome with what came out, and keep it in the record."""
        snapshot = self.at_rest or await self.snapshot()
        values = snapshot.values or {}
        self.log.write_soon("timers", keep_timers(self.run_id, self._timers(snapshot)))
        variables = variable_values(self.spec, values)
        result = variables.get(self.spec.outputs[0]) if self.spec.outputs else None
        usage = self.services.budget.used()
        await self._keep(
            record,
            status=outcome.status,
            result=result,
            error=outcome.error,
            questions=[question.as_json() for question in outcome.questions],
            usage=dataclasses.asdict(usage),
        )
        return dataclasses.replace(
            outcome,
            result=result,
            variables=variables,
            outcomes=dict(values.get("$reports") or {}),
            nodes=(values.get("$visits") or {}).get(STEPS, 0),
            seconds=round(time.monotonic() - started, 6),
            usage=usage,
        )

    def _timers(self, snapshot: StateSnapshot) -> list[str]:
        """Return the keys of the timers of what waits."""
        asked = (i.value for i in snapshot.interrupts if isinstance(i.value, dict))
        keys = (value.get("timer") for value in asked)
        return [on_line(self.journal.turn.line, key) for key in keys if isinstance(key, str)]

    async def _keep(self, record: RunRecord, **fields: Any) -> None:
        async with self.log.waiting() as writes:
            await self.store.update(dataclasses.replace(record, pid=None, **fields), writes)


def _clock_of(record: RunRecord, now: Callable[[], str]) -> Callable[[], float]:
    """Return a clock of the seconds since the run was started, the same in a later execution."""
    began = datetime.fromisoformat(record.started or now())
    return lambda: (datetime.fromisoformat(now()) - began).total_seconds()


def _edge_count(spec: GraphSpec) -> int:
    branched = sum(len(b.cases) + (b.otherwise is not None) for b in spec.branches)
    joined = sum(len(join.sources) for join in spec.joins)
    relayed = len(spec.relays)  # an edge into a relay is the same one as that out of it
    return len(spec.edges) + branched + joined - relayed
