"""What waits for the workers, what they carry on, and what they could not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..queues.queue import GOES_ON, ListedJob
from ..records.errors import ServiceFault
from ..records.states import StateRows
from ..records.tables import StoredExecution
from .executions import Executing


@dataclass(frozen=True, slots=True)
class BacklogEntry:
    """An execution in the backlog. `detail` says which worker has it, how urgent it is, or why it
    could not be carried on."""

    execution: str
    state: Literal["runs", "waits", "failed"]
    detail: str


async def list_backlog(executing: Executing, most: int) -> list[BacklogEntry]:
    """Return what is under way, what waits, in the order in which it comes, and what failed by a
    fault of the service or of its surroundings, each of them up to so many."""
    entries = [
        BacklogEntry(job.execution, job.state, _detail_of(job))
        for job in await executing.due.jobs(most)
    ]
    for id in await StateRows(executing.db).faulty(most):
        execution = await executing.register.get(StoredExecution, id, None)
        entries.append(BacklogEntry(id, "failed", execution.fault))
    return entries


async def retry_execution(executing: Executing, id: str) -> None:
    """Let a worker try an execution again that could not be carried on. Raises `ServiceFault`."""
    execution = await executing.register.get(StoredExecution, id, None)
    if not execution.fault:
        raise ServiceFault(
            "EXECUTION_NOT_ACTIVE",
            f"execution {id} has not failed by a fault of the service",
            execution=id,
            recovery=("`flowc jobs list` shows which have",),
        )
    async with executing.news(id, GOES_ON):
        pass


def _detail_of(job: ListedJob) -> str:
    if job.state == "waits":
        return f"rank {job.rank}"
    return job.worker if job.beat is None else f"{job.worker}, which lived {job.beat:.0f} s ago"
