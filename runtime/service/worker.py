"""A worker: carries on executions with news, some at a time, in any process.

When the process dies, another worker goes on from the run's checkpoint and the register. Only the
holder of a run's lease executes it, whatever the queue says.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Collection
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from ..db.database import Database
from ..db.fence import NotHeld
from ..engine.signals import RunSignals
from ..errors import RunError, StoreAway, StoreFailed
from ..observe.logs import log_about
from ..store.run_errors import DuplicateRun
from .deadlines.duties import Duty, due_duties
from .deadlines.ticking import plan_look
from .live.texts import writing_in
from .operations.advance import carry_on
from .operations.executions import Executing
from .queues.queue import Seat, TakenJob
from .records.access import new_id
from .records.errors import ServiceFault
from .records.metrics import iso
from .records.states import StateRows
from .records.tables import StoredExecution
from .records.workers import BEAT, WorkerRow, WorkerRows
from .webhooks.notices import Telling, tell_webhooks
from .webhooks.sending import Sending, is_delivery

T = TypeVar("T")
LOG = logging.getLogger("flowc.service")
CONCURRENCY = 20
"""Executions that one worker carries on at a time, unless it is told otherwise. Most of them wait
for a model."""
CLOCK_TICK = 1.0
"""Seconds between two looks for executions whose time is over."""
STOP_TICK = 1.0
"""Seconds between two looks for what is held back, where nobody calls."""
SURVEY = 10.0
"""Seconds between two looks at the deadlines of what is carried on. What began after the look
before is not looked at: most of it is over by then."""
_RECOVERY = 1.0
"""Seconds to wait when the store is of no use."""
_TAKEN = 3.0
"""Seconds to wait when somebody else holds a run, who may be frozen."""


@dataclass(slots=True)
class Worker:
    """Carries on up to `concurrency` executions at a time. `signals` are those of the jobs that
    somebody may stop: what was held back already when it began is not cut off once more."""

    executing: Executing
    concurrency: int = CONCURRENCY
    name: str = field(default_factory=lambda: new_id("worker"))
    closing: bool = False
    abandoned: bool = False
    tasks: dict[TakenJob, asyncio.Task[None]] = field(default_factory=dict)
    signals: dict[TakenJob, RunSignals] = field(default_factory=dict)
    duties: dict[Duty, asyncio.Task[None]] = field(default_factory=dict)
    sending: Sending = field(init=False)

    def __post_init__(self) -> None:
        self.sending = Sending(self.executing)

    async def work(self) -> None:
        """Work until `drain` was called and everything under way is at a checkpoint."""
        self.executing.worked_at = time.monotonic()
        beside = [asyncio.create_task(self._live(), name=f"heartbeats of {self.name}")]
        for look in (self._watch_clock(), self._watch_stops(), self._watch_work()):
            beside.append(asyncio.create_task(look))
            beside[-1].add_done_callback(self._end_with)
        try:
            await self._work()
        finally:
            for task in (*beside, *self.duties.values()):
                task.cancel()
            await asyncio.wait((*beside, *self.duties.values()))
            with contextlib.suppress(RunError):
                await WorkerRows(self._rows_db).end(self.name)

    async def _live(self) -> None:
        """Say now and then that the worker lives, and what it does."""
        rows, clock = WorkerRows(self._rows_db), self.executing.clock
        about = WorkerRow(name=self.name, began=iso(clock()), beat="", places=self.concurrency)
        while True:
            jobs = sorted(job.execution for job in self.tasks)
            try:
                await rows.beat(replace(about, executions=jobs, closing=self.closing), clock())
            except RunError as error:
                LOG.warning("%s: %s", self.name, error.message)
            await asyncio.sleep(BEAT)

    @property
    def _rows_db(self) -> Database:
        return self.executing.engine.store.db

    async def _work(self) -> None:
        """Work, on one connection to the queue after another."""
        while not self.abandoned and not (self.closing and not self.tasks):
            try:
                async with self.executing.due.seat(self.name) as seat:
                    await self._rounds(seat)
            except RunError as error:
                LOG.warning("%s: %s", self.name, error.message)
                await asyncio.sleep(_RECOVERY)

    def drain(self) -> None:
        """Begin nothing new; let every execution finish its step and write its checkpoint."""
        self.closing = True
        for signals in self.signals.values():
            signals.request_drain("signal")
        self.executing.bell.set()

    def abandon(self) -> None:
        """Give up at once; another worker goes on."""
        self.closing = self.abandoned = True
        for task in self.tasks.values():
            task.cancel()
        self.executing.bell.set()

    async def _rounds(self, seat: Seat) -> None:
        """Look for something to do whenever the bell rings, and now and then."""
        while self.tasks or not self.closing:
            self.executing.worked_at = time.monotonic()
            bell = self.executing.bell
            bell.clear()  # before the look: what comes during it rings again
            try:
                if not self.closing:
                    await self._take(seat)
            except RunError as error:
                LOG.warning("%s: %s", self.name, error.message)
                await asyncio.sleep(_RECOVERY)
            await _wait_for(bell, self.executing.due.tick)

    async def _watch_clock(self) -> None:
        """Begin with what is due. Each duty is a task of its own: a worker that froze in a
        transaction about an execution delays the duty that waits for that execution, and no
        other."""
        while True:
            if not self.closing:
                for duty in await self._careful(due_duties(self.executing)) or ():
                    if duty not in self.duties:
                        task = asyncio.create_task(self._careful(duty.do(self.executing)))
                        self.duties[duty] = task
                        task.add_done_callback(partial(self._forget_duty, duty))
            await asyncio.sleep(CLOCK_TICK)

    def _forget_duty(self, duty: Duty, task: asyncio.Task[None]) -> None:
        del self.duties[duty]
        self._end_with(task)

    async def _watch_stops(self) -> None:
        """Stop what somebody holds back, when they call, and look for it now and then."""
        bell = self.executing.stop_bell
        while True:
            bell.clear()
            if not self.abandoned:
                await self._careful(self._stop_held_back())
            await _wait_for(bell, STOP_TICK)

    async def _watch_work(self) -> None:
        before: frozenset[TakenJob] = frozenset()
        while True:
            if not self.closing:
                await self._careful(self._survey(before.intersection(self.tasks)))
            before = frozenset(self.tasks)
            await asyncio.sleep(SURVEY)

    async def _careful(self, duty: Awaitable[T]) -> T | None:
        """Do something beside the work. What fails of it is done again another time."""
        try:
            return await duty
        except (RunError, ServiceFault) as error:
            LOG.warning("%s: %s", self.name, error.message)
            return None

    def _end_with(self, duty: asyncio.Task[None]) -> None:
        """Abandon the work when a fault of ours has ended a duty: whoever starts workers starts
        another one."""
        if not duty.cancelled() and (error := duty.exception()) is not None:
            LOG.error("%s ends with a fault of the service", self.name, exc_info=error)
            self.abandon()

    async def _survey(self, long: Collection[TakenJob]) -> None:
        """Plan when those are looked at that are carried on here for `long`: a model at work may
        miss its deadline. Tidy what is noted of those that have begun."""
        for id in {job.execution for job in long}:
            await plan_look(self.executing, id)
        await StateRows(self.executing.db).tidy()

    async def _stop_held_back(self) -> None:
        """Stop what was paused or cancelled since it began: after the steps under way, or at
        once."""
        running = {job.execution: job for job in self.signals}
        states = StateRows(self.executing.engine.store.db)
        for id in await states.held_back(list(running)) if running else ():
            execution = await self.executing.register.get(StoredExecution, id, None)
            job = running[id]
            signals = self.signals.get(job)
            if signals is None:
                continue
            if execution.is_cut_off:
                del self.signals[job]
                self.tasks[job].cancel()
            else:
                signals.request_drain("pause")

    async def _take(self, seat: Seat) -> None:
        """Begin with what is free, as long as there is room. One that is full need not hear of
        more."""
        room = self.concurrency - len(self.tasks)
        for job in await seat.take(room, list(self.tasks)):
            task = asyncio.create_task(self._run_to_rest(job, seat), name=job.execution)
            self.tasks[job] = task
            task.add_done_callback(partial(self._forget, job))
        if len(self.tasks) < self.concurrency:
            self.executing.has_room.set()
        else:
            self.executing.has_room.clear()

    def _forget(self, job: TakenJob, task: asyncio.Task[None]) -> None:
        del self.tasks[job]
        self.executing.bell.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            about = "execution %s: what became of it could not be kept"
            LOG.error(about, job.execution, exc_info=error)

    async def _run_to_rest(self, job: TakenJob, seat: Seat) -> None:
        """Carry one execution on until its run rests, or somebody else has to go on; or try a
        delivery."""
        with log_about(worker=self.name, job=job.execution):
            await self._do(job, seat)

    async def _do(self, job: TakenJob, seat: Seat) -> None:
        done = self._is_tried if is_delivery(job.execution) else self._is_heard
        try:
            heard = await done(job) and await self._is_told(job)
        except (NotHeld, StoreFailed) as error:
            # It may last: not again and again, and not in the place of another one meanwhile.
            LOG.warning("%s: %s", job.execution, error.message)
            await seat.give_back(job, _TAKEN if isinstance(error, NotHeld) else _RECOVERY)
            return
        if heard:
            await seat.finish(job)
        else:
            await seat.give_back(job)

    async def _is_heard(self, job: TakenJob) -> bool:
        """Carry an execution on. Return whether its news were heard. A fault of ours ends this
        execution for now, and nothing else. Raises `RunError` for what another look may mend."""
        id = job.execution
        try:
            return await self._carry_on(job)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self.abandoned or task is None:
                raise
            task.uncancel()  # it was paused or cancelled, which the next worker sees
            return False
        except (NotHeld, StoreFailed):
            raise
        except DuplicateRun:
            return False  # somebody began it while this worker stood still: it is read anew
        except (RunError, ServiceFault) as error:
            if isinstance(error, ServiceFault) and error.code == "EXECUTION_NOT_FOUND":
                return True  # it was forgotten meanwhile
            if isinstance(error, ServiceFault) and error.code == "UNAVAILABLE":
                raise StoreFailed(error.message) from None
            await self._keep_fault(id, _fault_text(error))
        except Exception as error:
            LOG.error("execution %s cannot be carried on", id, exc_info=error)
            await self._keep_fault(id, "a fault of the service ended it: its log says more")
        return True

    async def _is_tried(self, job: TakenJob) -> bool:
        """Try a delivery. Return whether what came of it was kept."""
        await self.sending.send(job.execution)
        return True

    async def _is_told(self, job: TakenJob) -> bool:
        """Write down what webhooks are to be told of an execution. Return whether that was kept. A
        fault of ours here ends no execution."""
        if is_delivery(job.execution):
            return True
        try:
            await tell_webhooks(self.executing, job.execution)
        except StoreAway:
            raise
        except (RunError, ServiceFault) as error:
            LOG.warning("webhooks of %s: %s", job.execution, error.message)
        return True

    async def _carry_on(self, job: TakenJob) -> bool:
        """Execute until the run rests. Return whether it did."""
        taken = await self.executing.register.take(job.execution)
        execution = taken.execution
        if execution.paused is not None:
            return True
        signals, telling = RunSignals(), Telling(self.executing, job.execution)
        writing = writing_in(self.executing.engine.store, job.execution)
        traces = self.executing.traces
        spans = traces.spans() if traces is not None else None
        if self.closing:
            signals.request_drain("signal")
        if execution.cancelled is None:
            self.signals[job] = signals
        try:
            listeners = (telling.listen, writing.listen, *((spans.listen,) if spans else ()))
            async with writing.broadcast():
                outcome = await carry_on(self.executing, taken, signals, listeners)
        finally:
            if spans is not None:
                spans.close()
            await telling.close()
            self.signals.pop(job, None)
        if execution.fault:
            await self.executing.register.edit(execution.id, lambda e: replace(e, fault=""))
        if outcome is not None and outcome.status == "paused":
            await plan_look(self.executing, job.execution)
        return outcome is None or outcome.status != "interrupted"

    async def _keep_fault(self, id: str, message: str) -> None:
        """Store why it cannot be carried on."""
        await self.executing.register.edit(id, lambda e: replace(e, fault=message))


async def _wait_for(bell: asyncio.Event, seconds: float) -> None:
    """Wait until a bell rings, and no longer than `seconds`."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(bell.wait(), seconds)


def _fault_text(error: RunError | ServiceFault) -> str:
    """Return message and help of a fault, without flags of `flowc run`: nobody here can set one."""
    lines = (error.help or "").splitlines() if isinstance(error, RunError) else []
    help = "; ".join(" ".join(line.split()) for line in lines if not line.startswith("--"))
    return f"{error.message} ({help})" if help else error.message
