"""What an execution tells webhooks, as of now: it follows from its events and what waits.

A notice has the same subject whenever somebody looks, so however often a worker looks, and however
often it dies meanwhile, a webhook is told once of each.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ...errors import RunError
from ...events import RunEvent
from ..contract.webhooks import WebhookEvent
from ..operations.control import happenings_of
from ..operations.executions import Executing
from ..operations.lists import waiting_in
from ..operations.status import ENDS, ExecutionState
from ..records.errors import ServiceFault
from ..records.metrics import iso
from ..records.tables import StoredExecution
from ..records.webhooks import PREFIX, Delivery, EventKind, Webhook, WebhookRows

LOG = logging.getLogger("flowc.service")
URGENCY = -10
"""How far before others a delivery comes: behind every execution that waits."""
SOON = 0.5
"""Seconds after a step until webhooks hear of it while the run goes on."""
QUIET = 5.0
"""Seconds until somebody looks again whether there is a webhook, while a run goes on."""
ATTEMPT_SECONDS = 300.0
"""Seconds after a delivery was told to the queue until it is told again, were its job lost."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to tell. `subject` is the same whenever somebody looks, `time` (ISO 8601 UTC) when
    it began; `about` are fields of the event."""

    kind: EventKind
    subject: str
    time: str
    about: dict[str, Any]


def notices_of(standing: ExecutionState) -> Iterator[Notice]:
    """Yield what there is to tell of an execution so far."""
    yield from _waits(standing)
    for number, event in enumerate(standing.timeline.told):
        if event.kind == "gate" and not event.data["passed"]:
            about = {"step_id": event.node, "message": _gate_text(event.data)}
            yield Notice("gate_failed", f"{number}", event.time, about)
    for number, happened in enumerate(happenings_of(standing)):
        if happened.alert:
            about = {"step_id": happened.step_id, "message": happened.message}
            yield Notice("alert", f"{number}", happened.time, about)
    if standing.status in ENDS:
        failure = standing.failure()
        message = failure.message if failure else f"the execution is {standing.status}"
        place = f"{standing.status} {standing.timeline.position} {standing.fault}"
        time = standing.timeline.end or iso(standing.now)
        yield Notice("ended", place, time, {"message": message})


def _waits(standing: ExecutionState) -> Iterator[Notice]:
    for one in waiting_in(standing):
        about = {
            "step_id": one.step,
            "assignment_id": one.id,
            "agent_id": one.agent,
            "deadline": one.deadline,
            "message": f"step `{one.step}` waits for a person",
        }
        yield Notice("waits_for_person", one.id, one.start, about)
    if standing.status == "executing":
        for question in standing.other_questions:
            about = {
                "step_id": question.node,
                "question_id": question.name,
                "message": f"`{question.node}` asks a person",
            }
            yield Notice("waits_for_person", f"? {question.id}", iso(standing.now), about)


def _gate_text(data: dict[str, Any]) -> str:
    score, required = data.get("score"), data.get("required")
    if score is None or required is None:
        return "the gate was not passed"
    return f"the gate was not passed with {score:.3g}, {required:g} is required"


async def tell_webhooks(executing: Executing, id: str) -> bool:
    """Store deliveries of what an execution has to tell that no webhook was told yet. Return
    whether there is a webhook. Raises `RunError` and `ServiceFault`."""
    hooks = await WebhookRows(executing.db).told_of(id)
    if not hooks:
        return False
    execution = await executing.register.get(StoredExecution, id, None)
    standing = await executing.standing(execution)
    wanted = [
        _delivery(executing, hook, standing, notice)
        for notice in notices_of(standing)
        for hook in hooks
        if notice.kind in hook.events
        # What a branch has from the execution before it was told there.
        and _millis(notice.time) >= max(hook.created, execution.created)
    ]
    known = await WebhookRows(executing.db).ids_among([one.id for one in wanted])
    fresh = [one for one in wanted if one.id not in known]
    for one in fresh:
        async with executing.db.transaction(f"delivery {one.id}") as inside:
            if await WebhookRows(inside).deliver(one):
                await executing.due.tell(inside, one.id, URGENCY)
    if fresh:
        executing.bell.set()
    return True


@dataclass(slots=True)
class Telling:
    """Tells webhooks of an execution while its run goes on: a while after each step, so that a
    person hears of theirs though a model works beside it for minutes."""

    executing: Executing
    execution: str
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    task: asyncio.Task[None] | None = None
    closed: bool = False
    pause: float = SOON

    def listen(self, event: RunEvent) -> None:
        """Take note that a step is over, in whatever thread."""
        if event.kind == "node_finished":
            self.loop.call_soon_threadsafe(self._begin)

    async def close(self) -> None:
        """Tell nothing any more: the run rests, and whoever rests it tells the rest."""
        self.closed = True
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])

    def _begin(self) -> None:
        if not self.closed and (self.task is None or self.task.done()):
            self.task = asyncio.create_task(self._tell(), name=f"webhooks of {self.execution}")

    async def _tell(self) -> None:
        await asyncio.sleep(self.pause)
        try:
            self.pause = SOON if await tell_webhooks(self.executing, self.execution) else QUIET
        except (RunError, ServiceFault) as error:
            LOG.warning("webhooks of %s: %s", self.execution, error.message)


def _delivery(
    executing: Executing, hook: Webhook, standing: ExecutionState, notice: Notice
) -> Delivery:
    execution = standing.execution
    place = f"{hook.id}\n{execution.id}\n{notice.kind}\n{notice.subject}"
    id = f"{PREFIX}{hashlib.sha256(place.encode()).hexdigest()[:24]}"
    event = WebhookEvent(
        id=id,
        kind=notice.kind,
        time=notice.time,
        execution_id=execution.id,
        workflow_id=execution.workflow,
        workflow_name=standing.workflow.title or standing.workflow.name,
        team_id=execution.team,
        workflow_status=standing.status,
        **notice.about,
    )
    body = json.dumps(event.model_dump(mode="json"), ensure_ascii=False)
    due = later(executing, ATTEMPT_SECONDS)
    return Delivery(
        id=id, execution=execution.id, webhook=hook.id, due=due, kind=notice.kind, body=body
    )


def later(executing: Executing, seconds: float) -> str:
    """Return the time in so many seconds, as rows have it."""
    return iso(executing.clock() + timedelta(seconds=seconds))


def _millis(time: str) -> str:
    """Return a time as rows have it."""
    return iso(datetime.fromisoformat(time))
