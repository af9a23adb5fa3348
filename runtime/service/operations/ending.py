"""The end of an execution before its work is done: its time is over, or somebody cancelled it."""

from __future__ import annotations

from dataclasses import replace

from ...engine.engine import ENDED
from ...events import RunEvent
from ...services import Json
from ..contract import requests, responses
from ..queues.queue import GOES_ON
from ..records.access import REQUEST, Caller
from ..records.states import StateRows
from ..records.tables import StoredExecution
from .dispatch import standing_now, standing_of
from .executions import Executing
from .status import ENDS

TIME_IS_UP: dict[str, Json] = {
    "message": "the execution's time is over",
    "kind": "limit",
    "limit": "seconds",
}
"""The error of a run that its execution's time ended, as that of a run which was under way."""
CANCELLED: dict[str, Json] = {"message": "the execution was cancelled", "kind": "cancelled"}
_RESTS = (*ENDED, "stopped", "error")


def is_overdue(executing: Executing, execution: StoredExecution) -> bool:
    """Return whether the time of an execution is over."""
    end = execution.time_end
    return end is not None and end <= executing.clock()


async def end_early(executing: Executing, execution: StoredExecution) -> bool:
    """Stop the run of an execution that was cancelled, or that waits though its time is over.
    Return whether nothing is left to execute."""
    store = executing.engine.store
    over = is_overdue(executing, execution)
    if not over and execution.cancelled is None:
        return False
    if not await store.has(execution.id):
        return execution.cancelled is not None
    status = (await store.get(execution.id)).status
    if status in _RESTS:
        return True
    if execution.cancelled is None and status != "paused":
        return False
    await _stop(executing, execution.id, CANCELLED if execution.cancelled else TIME_IS_UP)
    return True


async def cancel_execution(
    executing: Executing, caller: Caller, id: str, request: requests.CancelExecution
) -> responses.ExecutionCancelled:
    """End an execution for good: after the steps under way, or at once. A paused one needs no
    token."""
    standing = await standing_of(executing, caller, id)
    if standing.status in ENDS and not REQUEST.get().again:
        raise standing.refusal("EXECUTION_NOT_ACTIVE", f"execution {id} is {standing.status}")
    at = executing.now()
    note = {"at": at, "reason": request.reason, "who": caller.name, "type": request.cancel_type}

    def with_cancellation(known: StoredExecution) -> StoredExecution:
        return replace(known, cancelled=known.cancelled or note, paused=None)

    async with executing.news(id) as inside:
        kept = await inside.edit(id, with_cancellation)
        await executing.due.call(inside.db)
    executing.stop_bell.set()
    await executing.wait_for_rest(id, executing.patience)
    after = await standing_now(executing, standing.execution)
    assert kept.cancelled is not None
    return responses.ExecutionCancelled(
        cancelled_at=kept.cancelled["at"],
        steps_left=[step.id for step in after.steps if step.id not in after.done_steps],
    )


async def _stop(executing: Executing, id: str, error: dict[str, Json]) -> None:
    """Write down that a run ended which nobody executes. The event comes first: a process that dies
    behind it leaves a run that is stopped by the next one."""
    engine = executing.engine
    async with engine.hold(id):
        record = await engine.store.get(id)
        time = engine.store.event_time()
        end = RunEvent("run_finished", id, time, data={"status": "stopped", "seconds": 0.0})
        await engine.store.append_events(id, [end])
        await engine.store.update(replace(record, status="stopped", error=error, pid=None))


async def tell_overdue(executing: Executing) -> None:
    """Give the news to executions whose time is over, also where nobody does anything. One process
    gives them, whichever looks first."""
    for id in await StateRows(executing.engine.store.db).overdue(executing.now()):
        async with executing.db.transaction(f"execution {id}") as inside:
            if await StateRows(inside).tell_overdue(id, executing.now()):
                await executing.due.tell(inside, id, GOES_ON)
        executing.bell.set()
