"""What waits for the workers, what they carry on, and what they could not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ..contract import list_responses, requests
from ..queues.queue import GOES_ON, ListedJob
from ..records.access import Caller
from ..records.errors import ServiceFault
from ..records.states import StateRows
from ..records.tables import StoredExecution
from ..records.webhooks import PREFIX, Delivery, WebhookRows
from ..records.workers import WorkerRows
from .executions import Executing


@dataclass(frozen=True, slots=True)
class BacklogEntry:
    """An execution, or a delivery to a webhook, in the backlog. `detail` says which worker has it,
    how urgent it is, or why it could not be carried on."""

    execution: str
    state: Literal["runs", "waits", "failed"]
    detail: str


async def list_backlog(executing: Executing, most: int) -> list[BacklogEntry]:
    """Return what is under way, what waits, in the order in which it comes, and what failed by a
    fault of the service or of its surroundings, each of them up to so many; and deliveries that
    never arrived."""
    entries = [
        BacklogEntry(job.execution, job.state, _detail_of(job))
        for job in await executing.due.jobs(most)
    ]
    for id in await StateRows(executing.db).faulty(most):
        execution = await executing.register.get(StoredExecution, id, None)
        entries.append(BacklogEntry(id, "failed", execution.fault))
    rows = WebhookRows(executing.db)
    entries += [_dead_entry(one) for one in await rows.dead(most)]
    return entries


async def list_workers(
    executing: Executing, caller: Caller, request: requests.Request
) -> list_responses.WorkerList:
    """The workers of all processes by name, with what each carries on and when it said last that it
    lives; and what each team has of them. For tokens of the scope admin that see every team."""
    if caller.owner is not None:
        raise ServiceFault("FORBIDDEN", "this needs a token that sees every team")
    now = executing.clock()
    workers = [
        list_responses.WorkerListed(
            name=row.name,
            version=row.version,
            host=row.host,
            pid=row.pid,
            health=row.health(now),
            began=row.began,
            last_heartbeat=row.beat,
            places=row.places,
            executions=row.executions,
        )
        for row in await WorkerRows(executing.db).list()
    ]
    shares = [
        list_responses.TeamShare(team=one.team, runs=one.runs, waits=one.waits, most=one.most)
        for one in await executing.due.shares()
    ]
    return list_responses.WorkerList(workers=workers, teams=shares)


async def retry_job(executing: Executing, id: str) -> None:
    """Let a worker try an execution again that could not be carried on, or a delivery that never
    arrived. Raises `ServiceFault`."""
    if id.startswith(PREFIX):
        delivery = await _dead_delivery(executing, id)
        waiting = replace(delivery, state="waits", tries=0, due="")  # at once
        await WebhookRows(executing.db).keep(waiting)
        return
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


async def drop_delivery(executing: Executing, id: str) -> None:
    """Forget a delivery that never arrived. Raises `ServiceFault`."""
    delivery = await _dead_delivery(executing, id)
    await WebhookRows(executing.db).keep(replace(delivery, state="done"))


async def _dead_delivery(executing: Executing, id: str) -> Delivery:
    """Return a delivery that never arrived. Raises `ServiceFault`."""
    delivery = await WebhookRows(executing.db).delivery(id)
    if delivery is None or delivery.state != "dead":
        raise ServiceFault(
            "EXECUTION_NOT_ACTIVE",
            f"`{id[:200]}` is not a delivery that failed",
            recovery=("`flowc jobs list` shows which have",),
        )
    return delivery


def _dead_entry(one: Delivery) -> BacklogEntry:
    about = f"{one.webhook} was not told of `{one.kind}` in {one.execution}"
    return BacklogEntry(one.id, "failed", f"{about}, tried {one.tries} times: {one.reason}")


def _detail_of(job: ListedJob) -> str:
    if job.state == "waits":
        return f"rank {job.rank}"
    return job.worker if job.beat is None else f"{job.worker}, which lived {job.beat:.0f} s ago"
