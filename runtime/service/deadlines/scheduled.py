"""Executions that begin by the schedules of stored workflows (`on:`), once each.

The timer of a schedule is kept under the id of its workflow. An execution's id follows from the
schedule and its time, so that it begins once, however many processes look and wherever one dies.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from flowc.compiler.ir import CronSchedule

from ...engine.schedules import advance, due_schedules, inputs_of, note_schedules, turn_of
from ...errors import RunError
from ...journal.timers import DueTimer
from ..bodies.compile import require_valid
from ..bodies.request_pool import POOL
from ..contract import requests
from ..operations.create import execute_workflow
from ..operations.executions import Executing
from ..records.access import REQUEST, Caller, Repeatable
from ..records.errors import ServiceFault
from ..records.tables import StoredWorkflow

LOG = logging.getLogger("flowc.service")


async def begin_scheduled(executing: Executing) -> None:
    """Begin the executions whose time has come."""
    for timer in await due_schedules(executing.engine.journal_db, executing.clock().timestamp()):
        id = str(timer.about.get("file", ""))
        if id.startswith("/"):
            continue  # of a file, for `flowc watch`
        try:
            workflow = await executing.register.get(StoredWorkflow, id, None)
            await _begin(executing, workflow, timer)
        except ServiceFault as fault:
            LOG.warning("the schedule of workflow %s is not followed: %s", id, fault.message)
            await advance(executing.engine.journal_db, timer, None)
        except RunError as error:
            LOG.warning("workflow %s does not begin by its schedule now: %s", id, error.message)


async def _begin(executing: Executing, workflow: StoredWorkflow, timer: DueTimer) -> None:
    db, now = executing.engine.journal_db, executing.clock().timestamp()
    compiled = await POOL.compile_again(workflow.source, workflow.file, workflow.format)
    about = require_valid(compiled).workflow
    assert about is not None
    schedules: Sequence[CronSchedule] = about.schedules
    known = await note_schedules(db, workflow.id, schedules, now)
    schedule = known.get(timer.key)
    if schedule is None:
        return  # it is another flowc's, and dropped
    turn = turn_of(schedule, timer.due, now)
    caller = Caller("schedule", "operate", workflow.owner or None, workflow.token)
    for time in turn.times:
        asked = requests.ExecuteWorkflow(
            workflow_id=workflow.id, input_parameters=inputs_of(schedule)
        )
        mark = REQUEST.set(Repeatable(f"{timer.key} {time:.0f}", again=True))
        try:
            await execute_workflow(executing, caller, asked)
        finally:
            REQUEST.reset(mark)
    await advance(db, timer, turn.following)
