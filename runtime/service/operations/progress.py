"""Where an execution stands now, and new assignments of what can start."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from ..contract import responses as told
from ..records.metrics import iso, ready
from ..records.tables import Assignment, StoredExecution
from ..records.tokens import Caller
from .dispatch import assignment_of, made_for
from .executions import Executing
from .status import Standing

PATIENCE = 10.0
"""Seconds that an answer waits at most for the run to come to rest, so that it can tell what came
of it."""
PATIENCE_WITH_MODELS = 0.5
"""The same while a model is at work, which may take minutes."""


async def standing_of(executing: Executing, caller: Caller, id: str) -> Standing:
    """Where an execution stands that the caller may see. Raises `ServiceFault`."""
    execution = await executing.register.get(StoredExecution, id, caller.owner)
    return await standing_now(executing, execution)


async def standing_now(executing: Executing, execution: StoredExecution) -> Standing:
    """Where an execution stands, read anew."""
    execution = await executing.register.get(StoredExecution, execution.id, None)
    return await executing.standing(execution)


async def assign_ready(executing: Executing, standing: Standing) -> list[Assignment]:
    """New assignments of the steps that can start and are nobody's yet, kept."""
    made = startable(executing, standing)
    return [await executing.register.assign(new, anew=False) for new in made]


def startable(executing: Executing, standing: Standing) -> list[Assignment]:
    """The same, not kept yet."""
    people = executing.people_of(standing.execution)
    visits = standing.state.visits if standing.state else {}
    made = []
    for step in ready(standing.steps, standing.done, standing.sequential):
        visit = visits.get(step.id, 0) + 1
        known = assignment_of(standing.assignments, step.id, visit)
        if known is not None or step.by_nobody:
            continue
        made.append(made_for(standing.execution, step, visit, people, executing.clock()))
    return made


def now(executing: Executing) -> str:
    """The time, as answers write it."""
    return iso(executing.clock().astimezone(UTC))


def told_of(made: Sequence[Assignment]) -> list[told.NewAssignment]:
    """Assignments as answers list them."""
    return [told.NewAssignment(agent_id=a.agent, step_id=a.step, assignment_id=a.id) for a in made]


async def at_rest(executing: Executing, standing: Standing) -> bool:
    """Wait for the execution to come to rest; whether it has."""
    working = any(not a.person for a in (await standing_now(executing, standing.execution)).open)
    patience = PATIENCE_WITH_MODELS if working else PATIENCE
    return await executing.settled(standing.execution.id, patience)
