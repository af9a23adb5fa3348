"""A worker: carries on executions with news, some at a time, in any process.

When the process dies, another worker goes on from the run's checkpoint and the register. Only the
holder of a run's lease executes it, whatever the rows say.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass, field, replace
from functools import partial

from ..db.fence import NotHeld
from ..engine.signals import RunSignals
from ..errors import RunError
from .operations.advance import carry_on
from .operations.executions import Executing
from .records.errors import ServiceFault
from .records.tables import Register, StoredExecution, new_id
from .records.work_queue import WorkQueue

LOG = logging.getLogger("flowc.service")
CONCURRENCY = 20
"""Executions that one worker carries on at a time, unless it is told otherwise. Most of them wait
for a model."""
TICK = 0.25
"""Seconds after which a worker looks by itself whether there is something to do."""
_RECOVERY = 1.0
"""Seconds to wait when the store is of no use, or somebody else holds a run."""


@dataclass(slots=True)
class Worker:
    """Carries on up to `concurrency` executions at a time. `name` is its lease."""

    executing: Executing
    concurrency: int = CONCURRENCY
    name: str = field(default_factory=lambda: new_id("worker"))
    closing: bool = False
    abandoned: bool = False
    tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    signals: dict[str, RunSignals] = field(default_factory=dict)
    cut: set[asyncio.Task[None]] = field(default_factory=set)

    async def work(self) -> None:
        """Work until `drain` was called and everything under way is at a checkpoint."""
        leases = self.executing.engine.store.leases
        while not self.abandoned and not (self.closing and not self.tasks):
            try:
                async with leases.hold(self.name):
                    await self._rounds()
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

    async def _rounds(self) -> None:
        while self.tasks or not self.closing:
            bell = self.executing.bell
            bell.clear()  # before the look: what comes during it rings again
            if not self.abandoned:
                await self._stop_requested()
            if not self.closing:
                await self._take()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(bell.wait(), TICK)

    async def _stop_requested(self) -> None:
        """Pause executions on request: after the steps under way, or at once."""
        if not self.tasks:
            return
        for id, how in await self.executing.due.stops(self.name):
            task, signals = self.tasks.get(id), self.signals.get(id)
            if how == "cancel" and task is not None and task not in self.cut:
                self.cut.add(task)
                task.cancel()
            elif how == "drain" and signals is not None:
                signals.request_drain("pause")

    async def _take(self) -> None:
        """Begin with free executions, as long as there is room."""
        room, due = self.concurrency - len(self.tasks), self.executing.due
        if room <= 0:
            return
        known = set(await due.workers())
        if not known:
            return
        others = known - {"", self.name}
        gone = others - await self.executing.engine.store.leases.held_among(others)
        if not ("" in known or gone or self.name in known):
            return
        for id, news in (await due.take(self.name, gone, room, list(self.tasks))).items():
            task = asyncio.create_task(self._run_to_rest(id, news), name=f"execution {id}")
            self.tasks[id] = task
            task.add_done_callback(partial(self._forget, id))

    def _forget(self, id: str, task: asyncio.Task[None]) -> None:
        del self.tasks[id]
        self.cut.discard(task)
        self.executing.bell.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            LOG.error("execution %s: what became of it could not be kept", id, exc_info=error)

    async def _run_to_rest(self, id: str, news: int) -> None:
        """Carry one execution on. A fault of ours ends this execution for now, and nothing else."""
        try:
            try:
                await self._carry_on(id, news)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if self.abandoned or task is None:
                    raise
                task.uncancel()  # it was paused
                await self._carry_on(id, news)
        except NotHeld as error:
            LOG.warning("%s", error.message)
            await asyncio.sleep(_RECOVERY)  # it may be held for long: not again and again
            await self.executing.due.leave(id, self.name, self.executing.now())
        except (RunError, ServiceFault) as error:
            if isinstance(error, ServiceFault) and error.code == "EXECUTION_NOT_FOUND":
                await self.executing.due.drop(id, self.name)  # it was forgotten meanwhile
                return
            await self._keep_fault(id, _fault_text(error))
        except Exception as error:
            LOG.error("execution %s cannot be carried on", id, exc_info=error)
            await self._keep_fault(id, "a fault of the service ended it: its log says more")

    async def _carry_on(self, id: str, news: int) -> None:
        """Execute until the run rests and has seen all news."""
        due, heard = self.executing.due, news
        while not self.closing:
            execution = await self.executing.register.get(StoredExecution, id, None)
            if execution.paused is None and await self._once(execution) == "interrupted":
                break
            if await due.finish(id, self.name, heard):
                return
            following = await due.news(id, self.name)
            if following is None:
                return
            heard = following
        await due.leave(id, self.name, self.executing.now())

    async def _once(self, execution: StoredExecution) -> str:
        """Execute once and return the run's status; "" when it had ended before."""
        signals = self.signals[execution.id] = RunSignals()
        if self.closing:
            signals.request_drain("signal")
        try:
            outcome = await carry_on(self.executing, execution, signals)
        finally:
            del self.signals[execution.id]
        if execution.fault:
            await self.executing.register.edit(execution.id, lambda e: replace(e, fault=""))
        return outcome.status if outcome is not None else ""

    async def _keep_fault(self, id: str, message: str) -> None:
        """Store why it cannot be carried on."""
        async with self.executing.db.transaction() as inside:
            await Register(inside).edit(id, lambda e: replace(e, fault=message))
            await WorkQueue(inside).drop(id, self.name)


def _fault_text(error: RunError | ServiceFault) -> str:
    """Return message and help of a fault, without flags of `flowc run`: nobody here can set one."""
    lines = (error.help or "").splitlines() if isinstance(error, RunError) else []
    help = "; ".join(" ".join(line.split()) for line in lines if not line.startswith("--"))
    return f"{error.message} ({help})" if help else error.message
