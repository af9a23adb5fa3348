"""Executions carried on in this process: one task each, which goes on until nothing is left to do.

A task resumes the run, gives it what people completed meanwhile, writes down who has to do what
next, and ends when the run waits for somebody, has ended, or was paused. Whatever happens to the
process, another one goes on from the run's checkpoint and from what is in the register.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from weakref import WeakValueDictionary

from flowc.compiler.driver import CompileResult
from flowc.compiler.ir import Workflow

from ..assigned import Assigned
from ..branches import RunState
from ..config import Config
from ..engine import ENDED, Engine
from ..errors import RunError
from ..questions import match_answers
from ..services import Emit, Journal, Json, Outcome, Question, QuestionKind, Services
from ..signals import RunSignals
from ..store import RunRecord
from ..wiring import RunOptions, make_services
from .assigning import assigned_text, assignment_of, failed_at, made_for
from .faults import ServiceFault
from .figures import iso, steps_of
from .register import OPEN, Assignment, AssignmentStatus, Register, StoredExecution
from .standing import Standing
from .texts import compiled_execution

Clock = Callable[[], datetime]
LOG = logging.getLogger("flowc.service")
KEPT = 200
"""Workflows that are kept compiled: those of the executions that were asked for last."""
ANSWERS = "answers"
"""The key of an execution's `config` with the answers to questions that are no steps, by node."""


@dataclass(frozen=True, slots=True)
class Given:
    """What people gave in advance, and who was given what: see `services.People` and
    `services.Assignments`."""

    assignments: Sequence[Assignment]
    answers: dict[str, list[Json]]

    def answer(self, kind: QuestionKind, node: str, visit: int) -> Json | None:
        if kind == "task":
            done = self._of(node, visit)
            return None if done is None or done.person is False else done.result
        given = self.answers.get(node, [])
        return given[visit - 1] if visit <= len(given) else None

    def told(self, node: str, visit: int, turn: int) -> Json | None:
        given = self.answers.get(f"{node}#{visit}", [])
        return given[turn - 1] if turn <= len(given) else None

    def of(self, node: str, visit: int) -> Assigned | None:
        given = self._of(node, visit)
        return None if given is None else Assigned(given.agent, assigned_text(given))

    def _of(self, node: str, visit: int) -> Assignment | None:
        return assignment_of(self.assignments, node, visit)


@dataclass(slots=True)
class Executing:
    """The executions of one process."""

    engine: Engine
    register: Register
    config: Config
    clock: Clock
    tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    signals: dict[str, RunSignals] = field(default_factory=dict)
    locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    compiled: OrderedDict[str, CompileResult] = field(default_factory=OrderedDict)
    faults: dict[str, str] = field(default_factory=dict)
    """Why an execution cannot be carried on, in words."""
    closing: bool = False
    """The process ends: nothing new is begun."""

    def advance(self, id: str) -> None:
        """Carry the execution on; one that is being carried on looks once more before it stops."""
        self.again.add(id)
        if id not in self.tasks and not self.closing:
            task = asyncio.create_task(self._to_rest(id), name=f"execution {id}")
            self.tasks[id] = task
            task.add_done_callback(lambda _: self.tasks.pop(id, None))

    def alone(self, id: str) -> asyncio.Lock:
        """Held while an operation looks at an execution and changes it: one at a time."""
        lock = self.locks.get(id)
        if lock is None:
            lock = self.locks[id] = asyncio.Lock()
        return lock

    async def take_up(self, execution: StoredExecution) -> None:
        """Carry on what another process left under way; what waits for people, waits."""
        if execution.paused is not None:
            return
        if await self.engine.store.has(execution.id):
            record = await self.engine.store.get(execution.id)
            if record.status in (*ENDED, "error", "stopped"):
                return
            if record.status == "paused" and not await self._has_news(execution, record):
                return
        self.advance(execution.id)

    async def _has_news(self, execution: StoredExecution, record: RunRecord) -> bool:
        """Whether somebody completed or answered what a run waits for, and it does not know."""
        answered = execution.config.get(ANSWERS, {})
        if _valid(execution, record) or any(q["node"] in answered for q in record.questions):
            return True
        assignments = await self.register.assignments(execution.id)
        return any(a.result is not None and not a.heard for a in assignments)

    async def settled(self, id: str, patience: float) -> bool:
        """Wait until nothing goes on, `patience` seconds at most; whether that is so."""
        task = self.tasks.get(id)
        if task is not None:
            await asyncio.wait([task], timeout=patience)
        return id not in self.tasks

    def ask_to_pause(self, id: str) -> None:
        """Let what is under way finish, then stop."""
        if id in self.signals:
            self.signals[id].request_drain("pause")

    async def cancel(self, id: str) -> None:
        """Stop at once; what was under way may be in doubt."""
        task = self.tasks.get(id)
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def close(self) -> None:
        """Let every execution write its checkpoint and stop."""
        self.closing = True
        for signals in list(self.signals.values()):
            signals.request_drain("signal")
        if self.tasks:
            await asyncio.wait(list(self.tasks.values()), timeout=10)
        for id in list(self.tasks):
            await self.cancel(id)

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
            fault=self.faults.get(execution.id, ""),
            now=self.clock(),
        )

    async def answer(self, execution: StoredExecution, question: Question, answer: Json) -> None:
        """Keep the answer to a question that is no step, and go on with it. Raises `RunError` for
        one that the question cannot take."""
        value = match_answers({question.id: answer}, [question])[question.id]
        if question.kind == "unknown":
            record = await self.engine.store.get(execution.id)
            verdict = {"answer": value, "at": record.updated}
            verdicts = {**execution.verdicts, question.id: verdict}
            await self.register.update(replace(execution, verdicts=verdicts))
        else:
            known = dict(execution.config.get(ANSWERS, {}))
            known[question.node] = [*known.get(question.node, []), value]
            config = {**execution.config, ANSWERS: known}
            await self.register.update(replace(execution, config=config))
        self.advance(execution.id)

    def workflow_of(self, execution: StoredExecution) -> Workflow:
        """The workflow that is executed."""
        workflow = self.result_of(execution).workflow
        assert workflow is not None
        return workflow

    def people_of(self, execution: StoredExecution) -> dict[str, bool]:
        """Of each agent of the team whether it is a person."""
        return {agent.id: agent.person for agent in self.workflow_of(execution).agents}

    async def _to_rest(self, id: str) -> None:
        """Carry on. A fault of ours ends this execution for now, and nothing else."""
        try:
            await self._carry_on(id)
        except ServiceFault as fault:
            self.faults[id] = fault.message
        except Exception as error:
            LOG.error("execution %s cannot be carried on", id, exc_info=error)
            self.faults[id] = "a fault of the service ended it: its log says more"

    async def _carry_on(self, id: str) -> None:
        while id in self.again and not self.closing:
            self.again.discard(id)
            execution = await self.register.get(StoredExecution, id, None)
            if execution.paused is not None:
                return
            try:
                outcome = await self._once(execution)
            except RunError as error:
                self.faults[id] = error.message
                return
            self.faults.pop(id, None)
            # A run that failed would fail again over the same completion, without an end.
            if outcome and await self._wrote_down(execution) and outcome.status == "paused":
                self.again.add(id)

    async def _once(self, execution: StoredExecution) -> Outcome | None:
        """One execution of the run; None when it had ended before."""
        result = self.result_of(execution)
        signals = self.signals[execution.id] = RunSignals()
        timer = self._timer(execution, signals)
        try:
            assignments = await self.register.assignments(execution.id)
            services = self._services(execution, result, assignments)
            if not await self.engine.store.has(execution.id):
                return await self.engine.start(
                    result.spec,
                    services,
                    run=execution.id,
                    inputs=execution.inputs,
                    options={**self._options(result).to_json(), "format": execution.format},
                    control=signals,
                )
            record = await self.engine.store.get(execution.id)
            if record.status in ENDED or failed_at(record.error, assignments):
                return None
            outcome = await self.engine.resume(
                execution.id,
                result.spec,
                services,
                answers=await self._verdicts(execution, record),
                control=signals,
                answered=True,
            )
            await self._heard(assignments)
            return outcome
        finally:
            if timer is not None:
                timer.cancel()
            self.signals.pop(execution.id, None)

    async def _verdicts(self, execution: StoredExecution, record: RunRecord) -> dict[str, Json]:
        """What people said of effects in doubt, by question; each is given once. A run that was
        executed since may be in doubt about another attempt of the same effect."""
        valid = _valid(execution, record)
        if not valid:
            return {}
        waiting = {question.id for question in (await self.engine.state(execution.id)).questions}
        return {id: answer for id, answer in valid.items() if id in waiting}

    async def _heard(self, assignments: list[Assignment]) -> None:
        """The run has been given these results."""
        for known in assignments:
            if known.result is not None and not known.heard:
                await self.register.change(replace(known, heard=True))

    def _timer(self, execution: StoredExecution, signals: RunSignals) -> asyncio.TimerHandle | None:
        """Stops the run when the execution's time is over."""
        end = deadline_of(execution)
        if end is None:
            return None
        left = max(0.0, (end - self.clock()).total_seconds())
        loop = asyncio.get_running_loop()
        return loop.call_later(left, signals.request_drain, "limit")

    def _options(self, result: CompileResult) -> RunOptions:
        """Agents that name no model have the configured one, else that of the first that does.
        Nobody who sends a request approves commands on this machine."""
        agents = result.workflow.agents if result.workflow else ()
        named = next((agent.model for agent in agents if agent.model), None)
        return RunOptions(model=self.config.model or named, base_url=self.config.base_url)

    def _services(
        self, execution: StoredExecution, result: CompileResult, assignments: list[Assignment]
    ) -> Any:
        made = make_services(self._options(result), result.spec, self.config)
        given = Given(assignments, execution.config.get(ANSWERS, {}))

        def services(journal: Journal, emit: Emit) -> Services:
            return replace(made(journal, emit), people=given, assignments=given)

        return services

    async def _wrote_down(self, execution: StoredExecution) -> bool:
        """Bring the assignments up to date with the run. Whether somebody completed meanwhile what
        the run still waits for."""
        state = await self.engine.state(execution.id)
        assignments = await self.register.assignments(execution.id)
        steps = {step.id: step for step in steps_of(self.workflow_of(execution))}
        answered = False
        for question in state.questions:
            if question.kind != "task" or question.node not in steps:
                continue
            visit = state.visits.get(question.node, 0) + 1
            own = assignment_of(assignments, question.node, visit)
            if own is not None and own.result is not None:
                answered = True
            elif own is None or own.status not in OPEN:
                step = steps[question.node]
                made = made_for(execution, step, visit, self.people_of(execution), self.clock())
                await self.register.assign(made)
        await self._close_done(state, assignments)
        return answered

    async def _close_done(self, state: RunState, assignments: list[Assignment]) -> None:
        """What a model has done is completed, now."""
        for assignment in assignments:
            if assignment.status not in OPEN or assignment.person:
                continue
            if state.visits.get(assignment.step, 0) >= assignment.visit:
                result = state.variables.get(assignment.step)
                ended = iso(self.clock())
                status: AssignmentStatus = "completed" if isinstance(result, dict) else "failed"
                await self.register.change(replace(assignment, status=status, ended=ended))


def _valid(execution: StoredExecution, record: RunRecord) -> dict[str, Json]:
    """The verdicts on effects in doubt that are about the run as it is now."""
    verdicts = execution.verdicts.items()
    return {id: v["answer"] for id, v in verdicts if v["at"] == record.updated}


def deadline_of(execution: StoredExecution) -> datetime | None:
    """When the execution's time is over; None when it has no limit."""
    minutes = execution.config.get("timeout_minutes")
    if minutes is None:
        return None
    return datetime.fromisoformat(execution.timeout_from) + timedelta(minutes=minutes)
