"""Steps that failed, and how a resume begins them again (C17)."""

from __future__ import annotations

from ..records.tables import Assignment, Register
from .dispatch import assignment_of, made_for
from .executions import Executing
from .status import Standing


def failed_steps(standing: Standing) -> list[str]:
    """The steps that failed and that nobody has begun again, in file order: a person said so, or a
    model could not."""
    error = (standing.record.error if standing.record else None) or {}
    stuck = error.get("node") if standing.status == "failed" else None
    return [s.id for s in standing.steps if s.id == stuck or _failed(standing, s.id) is not None]


async def restart_failed(executing: Executing, register: Register, standing: Standing) -> list[str]:
    """Give every failed step to its agent again, so that the run does it anew when it goes on. The
    steps."""
    steps = {step.id: step for step in standing.steps}
    restarted = failed_steps(standing)
    for id in restarted:
        old = _failed(standing, id)
        if old is None:
            continue  # a model's: it begins again by itself
        new = made_for(
            standing.execution,
            steps[id],
            old.visit,
            executing.people_of(standing.execution),
            executing.clock(),
            agent=old.agent,
            config={**old.config, "deadline": None},
        )
        await register.assign(new)
    return restarted


def _failed(standing: Standing, step: str) -> Assignment | None:
    """The assignment that failed, unless the run has gone on from it."""
    visit = (standing.state.visits.get(step, 0) if standing.state else 0) + 1
    last = assignment_of(standing.assignments, step, visit)
    return last if last is not None and last.status == "failed" else None
