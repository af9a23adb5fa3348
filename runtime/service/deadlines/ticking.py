"""Periodic work of every worker: one of them tells what is due, once."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from ...errors import RunError
from ..operations.dispatch import new_assignment
from ..operations.executions import Executing
from ..operations.status import ExecutionState
from ..queues.queue import GOES_ON, RANKS
from ..records.errors import ServiceFault
from ..records.happenings import Happenings, Looks, StoredHappening
from ..records.metrics import iso
from ..records.states import StateRows
from ..records.tables import Register, StoredExecution
from .answers import answers_due
from .moments import DueNote, moments_of

LOG = logging.getLogger("flowc.service")
AGAIN = 60.0
"""Seconds after which an execution is looked at again whose state could not be read."""


async def wake_waiting(executing: Executing) -> None:
    """Give the news to executions whose run waits for a time that has come."""
    states = StateRows(executing.engine.store.db)
    for id in await states.awake(executing.clock().timestamp()):
        if not await executing.due.has(id):
            async with executing.news(id, GOES_ON):
                pass


async def tell_late(executing: Executing) -> None:
    """Tell what is due in executions, and hand over the steps that their escalation says."""
    for id, seen in await Looks(executing.engine.store.db).due(executing.now()):
        try:
            await _look_at(executing, id, seen)
        except (RunError, ServiceFault) as error:
            LOG.warning("execution %s: what is due cannot be told: %s", id, error)
            later = iso(executing.clock() + timedelta(seconds=AGAIN))
            await Looks(executing.db).follow(id, seen, later)


async def plan_look(executing: Executing, id: str) -> None:
    """Plan when an execution is looked at next, as it stands now."""
    execution = await executing.register.get(StoredExecution, id, None)
    following = moments_of(await executing.standing(execution))
    if following:
        await Looks(executing.db).plan(id, iso(following[0].due))


async def _look_at(executing: Executing, id: str, seen: str) -> None:
    async with executing.alone(id):
        try:
            execution = await executing.register.get(StoredExecution, id, None)
        except ServiceFault:  # it was forgotten meanwhile
            await Looks(executing.db).follow(id, seen, None)
            return
        standing = await executing.standing(execution)
        following = moments_of(standing, await answers_due(executing, standing))
        if late := [moment for moment in following if moment.due <= standing.now]:
            for moment in late:
                await _tell(executing, standing, moment)
            after = await executing.standing(execution)
            following = moments_of(after, await answers_due(executing, after))
        due = iso(max(following[0].due, executing.clock())) if following else None
        await Looks(executing.db).follow(id, seen, due)


async def _tell(executing: Executing, standing: ExecutionState, moment: DueNote) -> None:
    """Tell what is due, and hand the step over where the escalation says so: both or neither."""
    id = standing.execution.id
    to = _next_holder(standing, moment)
    happening = StoredHappening(
        moment.key, executing.now(), moment.kind, moment.step, _text(standing, moment, to)
    )
    if not to:
        await Happenings(executing.db).tell(id, happening)
        return
    assert moment.assignment is not None
    assert moment.level is not None
    late = moment.assignment
    priority = moment.level["priority"]
    new = new_assignment(
        executing,
        standing.execution,
        standing.workflow,
        standing.step(late.step),
        late.visit,
        agent=to,
        config=_config(executing, standing, moment),
    )
    async with executing.db.transaction(f"execution {id}") as inside:
        if not await _is_still_open(Register(inside), moment):
            return
        if await Happenings(inside).tell(id, happening):
            await Register(inside).assign(new, instead_of=standing.open)
            await executing.due.tell(inside, id, GOES_ON + RANKS[priority])
    executing.bell.set()


def _config(executing: Executing, standing: ExecutionState, moment: DueNote) -> dict[str, Any]:
    """Return the configuration of a step that is handed over. Who gets it has the step's minutes,
    else as long as the one before."""
    late, level = moment.assignment, moment.level
    assert late is not None
    assert level is not None
    assert late.deadline is not None
    deadline = None
    if not standing.step(late.step).minutes:
        had = datetime.fromisoformat(late.deadline) - datetime.fromisoformat(late.start)
        deadline = iso(executing.clock() + max(had, timedelta()))
    context = {**late.config.get("context", {}), "escalated_from": late.agent}
    more = {"priority": level["priority"], "deadline": deadline, "context": context}
    return {**late.config, **more}


async def _is_still_open(register: Register, moment: DueNote) -> bool:
    """Return whether nobody has completed the late assignment, or given it away, meanwhile."""
    late = moment.assignment
    assert late is not None
    rows = await register.assignments(late.execution)
    own = next((row for row in rows if row.id == late.id), None)
    others = [row for row in rows if (row.step, row.visit) == (late.step, late.visit)]
    return own.status == late.status if own is not None else not others


def _next_holder(standing: ExecutionState, moment: DueNote) -> str:
    """Return the agent that a step goes to: that of the id or the role which the escalation names.
    "" where it names nobody, or the holder; or a model is at work, which is not cut off."""
    wanted = moment.level.get("to") if moment.level is not None else None
    if wanted is None or moment.assignment is None or _is_under_way(standing, moment):
        return ""
    agents = standing.workflow.agents
    to = next((a.id for a in agents if wanted in (a.id, a.role)), "")
    return "" if to == moment.assignment.agent else to


def _is_under_way(standing: ExecutionState, moment: DueNote) -> bool:
    late = moment.assignment
    under_way = standing.state.next if standing.state else ()
    return late is not None and not late.person and late.step in under_way


def _text(standing: ExecutionState, moment: DueNote, to: str) -> str:
    if moment.level is None:
        return moment.message
    if to:
        return f"{moment.message}, it goes to {to}"
    if moment.level.get("to") and _is_under_way(standing, moment):
        return f"{moment.message}, a model, which goes on"
    minutes = moment.level["after_minutes"]
    return f"{moment.message}, and {minutes:g} minutes have gone by since"
