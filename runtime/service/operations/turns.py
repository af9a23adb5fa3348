"""Whose turn it is: where each step of an execution is, and its assignments, as of one event.

What a person handed in is a row until the run takes it in; all else follows from the events. An
assignment that nobody configured has no row before it is completed: its id, its agent and its times
are the same whenever somebody asks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from flowc.compiler.ir import Workflow

from ..records.metrics import TaskStep, completion_time, iso, levels_of, ready, steps_of
from ..records.scores import Judged, Scores, scores_of
from ..records.tables import (
    OPEN,
    AssignmentStatus,
    StoredAssignment,
    StoredExecution,
    assignment_of,
)
from ..records.timeline import Timeline

Place = Literal["completed", "active", "next", "waiting"]
_NOT_YET = 1 << 62
"""A position behind every event: of what the run has not taken in."""


@dataclass(frozen=True, slots=True)
class Doing:
    """The latest time that a step was done: the number of the visit, positions of its begin and its
    end, and when that was (ISO 8601 UTC)."""

    number: int
    began: int
    ended: int
    time: str


@dataclass(frozen=True, slots=True)
class Turns:
    """The steps of an execution as of the event at `position`. `done` holds those that are done,
    `free` those that can start, `places` where each one is; `assignments` are all of them, those
    of one step in the order in which they were made. `by_id` are the steps by their ids, `scores`
    those of every visit."""

    position: int
    steps: Sequence[TaskStep]
    by_id: Mapping[str, TaskStep]
    done: Mapping[str, Doing]
    free: Sequence[TaskStep]
    assignments: Sequence[StoredAssignment]
    places: Mapping[str, Place]
    scores: Scores

    def score(self, step: str) -> float | None:
        """Return the score of a step that is done."""
        return self.scores.get((step, self.done[step].number))


def turns_of(
    execution: StoredExecution,
    workflow: Workflow,
    timeline: Timeline,
    rows: Sequence[StoredAssignment],
) -> Turns:
    """Return whose turn it is. `rows` are the stored assignments, oldest first."""
    steps, known = steps_of(workflow), _by_step(rows)
    done = _doings(steps, timeline, known)
    free = ready(steps, done, execution.sequential)
    free_ids = {step.id for step in free}
    persons = {agent.id: agent.person for agent in workflow.agents}
    making = _Making(execution, timeline, done, persons)
    assignments = [_brought_on(row, timeline) for row in rows]
    for step in steps:
        assignments += making.lacking(step, step.id in free_ids, known.get(step.id, ()))
    now = _by_step(assignments)
    places = {s.id: _place(s, done, s.id in free_ids, timeline, now.get(s.id, ())) for s in steps}
    by_id = {step.id: step for step in steps}
    scores = scores_of(_judgements(steps, timeline, known))
    return Turns(timeline.position, steps, by_id, done, free, assignments, places, scores)


def _by_step(rows: Sequence[StoredAssignment]) -> dict[str, list[StoredAssignment]]:
    """Return the assignments of each step, in their order."""
    found: dict[str, list[StoredAssignment]] = {}
    for row in rows:
        found.setdefault(row.step, []).append(row)
    return found


def next_visit(timeline: Timeline, step: str) -> int:
    """Return the number of the visit of a step that is under way or comes next."""
    last = timeline.last(step)
    if last is None:
        return 1
    return last.number + 1 if last.ended and last.counts else last.number


def id_of_visit(execution: str, step: str, visit: int) -> str:
    """Return the id of the assignment of a visit that nobody configured."""
    place = f"{execution}\n{step}\n{visit}"
    return f"as-{hashlib.sha256(place.encode()).hexdigest()[:16]}"


def _doings(
    steps: Sequence[TaskStep],
    timeline: Timeline,
    rows: Mapping[str, Sequence[StoredAssignment]],
) -> dict[str, Doing]:
    """Return the steps that are done. One is done again after a step that it depends on was."""
    done: dict[str, Doing] = {}
    for level in levels_of(steps):
        for step in level:
            doing = _latest_doing(step.id, timeline, rows.get(step.id, ()))
            before = [done.get(need) for need in step.needs]
            if doing and all(need and need.ended <= doing.began for need in before):
                done[step.id] = doing
    return done


def _latest_doing(step: str, timeline: Timeline, rows: Sequence[StoredAssignment]) -> Doing | None:
    """Return when a step was done last, unless that goes on or failed."""
    last = timeline.last(step)
    row = assignment_of(rows, step, next_visit(timeline, step))
    if row is not None and row.person and row.status == "completed":
        began = _NOT_YET if last is None or last.ended else last.began
        return Doing(row.visit, began, _NOT_YET, row.ended or row.start)
    if last is None or last.outcome != "done":
        return None
    return Doing(last.number, last.began, last.ended, last.end)


def _judgements(
    steps: Sequence[TaskStep], timeline: Timeline, rows: Mapping[str, Sequence[StoredAssignment]]
) -> Iterator[Judged]:
    """Yield every time that a step was done, and what people handed in that the run has not taken
    in."""
    for step in steps:
        for visit in timeline.visits.get(step.id, ()):
            if visit.outcome == "done":
                yield Judged(step.id, visit.number, visit.began, visit.ended, visit.result)
        last = _latest_doing(step.id, timeline, rows.get(step.id, ()))
        if last is not None and last.ended == _NOT_YET:
            row = assignment_of(rows.get(step.id, ()), step.id, last.number)
            yield Judged(step.id, last.number, last.began, _NOT_YET, (row and row.result) or {})


def _place(
    step: TaskStep,
    done: Mapping[str, Doing],
    is_free: bool,
    timeline: Timeline,
    assignments: Sequence[StoredAssignment],
) -> Place:
    """Return where a step is: done; active, because it was begun, or because it can start and is a
    person's, who may hand it in at once; next, because it can start; or waiting for others."""
    if step.id in done:
        return "completed"
    last = timeline.last(step.id)
    if last is not None and not last.ended:
        return "active"
    if not is_free:
        return "waiting"
    current = assignment_of(assignments, step.id, next_visit(timeline, step.id))
    return "active" if current and current.person and current.status in OPEN else "next"


def _brought_on(row: StoredAssignment, timeline: Timeline) -> StoredAssignment:
    """Return an assignment as the run has brought it on. A person's is what they handed in."""
    visit = timeline.visit(row.step, row.visit)
    if visit is None or row.status not in OPEN:
        return row
    if not row.person:
        row = replace(row, status="in_progress", start=_milliseconds(visit.begin))
    if not visit.ended or not visit.counts:
        return row
    status: AssignmentStatus = "completed" if visit.outcome == "done" else "failed"
    return replace(row, status=status, ended=_milliseconds(visit.end))


@dataclass(frozen=True, slots=True)
class _Making:
    """What the assignments that nobody configured are made from."""

    execution: StoredExecution
    timeline: Timeline
    done: Mapping[str, Doing]
    persons: Mapping[str, bool]

    def lacking(
        self, step: TaskStep, is_free: bool, rows: Sequence[StoredAssignment]
    ) -> list[StoredAssignment]:
        """Return the assignments of a step's visits, and of the next one where the step can start,
        that have no row. Whether a step behind a review starts is for the review to say."""
        if step.by_nobody:
            return []
        numbers = [visit.number for visit in self.timeline.visits.get(step.id, ())]
        if is_free and not step.is_reviewed_first:
            numbers.append(next_visit(self.timeline, step.id))
        numbers = [n for n in dict.fromkeys(numbers) if assignment_of(rows, step.id, n) is None]
        return [_brought_on(self._assignment(step, number), self.timeline) for number in numbers]

    def _assignment(self, step: TaskStep, number: int) -> StoredAssignment:
        agent = step.agent or ""
        begin = datetime.fromisoformat(self._start(step, number))
        return StoredAssignment(
            execution=self.execution.id,
            number=0,
            id=id_of_visit(self.execution.id, step.id, number),
            step=step.id,
            agent=agent,
            person=self.persons.get(agent, True),
            visit=number,
            made=iso(begin),
            start=iso(begin),
            deadline=completion_time(begin, step.minutes) if step.minutes else None,
        )

    def _start(self, step: TaskStep, number: int) -> str:
        """Return since when it is the agent's turn: since all is done that the step waits for; what
        is done again, since that began, or can begin."""
        visit, last = self.timeline.visit(step.id, number), self.timeline.last(step.id)
        before = [self.done[id].time for id in step.waits if id in self.done]
        if visit is not None and (number > 1 or len(before) < len(step.waits)):
            return visit.begin
        if visit is None and last is not None:
            before.append(last.end or last.begin)
        return max(before, key=datetime.fromisoformat, default=self.execution.created)


def _milliseconds(time: str) -> str:
    return iso(datetime.fromisoformat(time))
