"""Executions as the rows of a list, made again only where something has changed.

A row costs a look at the run's checkpoint; its mark costs a part of three queries for all rows.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...store.listing import RunSummary
from ..contract import responses
from ..operations.executions import Executing
from ..operations.status import ExecutionState
from ..records.errors import ServiceFault
from ..records.tables import StoredExecution
from ..search.runs import costs_of, status_of

LOG = logging.getLogger("flowc.service")
KEPT = 500
"""Executions whose rows are remembered."""


@dataclass(frozen=True, slots=True)
class Row:
    """An execution in a line, or a run of `flowc run`, of which the `progress` is not known. `due`
    counts the items that wait for a person, at least; `cost` is in dollars, None: unknown."""

    id: str
    name: str
    status: str
    progress: responses.OverallProgress | None
    created: str
    due: int
    tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class RowMark:
    """What a row was made of, and another value as soon as the row would be another one:

    - the execution as it is kept: pauses, answers, faults, the texts of workflow and team;
    - the bodies of its assignments, as they stand in the store, in their order;
    - status and time of its run's last change, and the position of the run's last event; None
      before the run has begun.

    A run's state lies in its checkpoints, and while it is `running` those change in between; when
    it rests its record is what is written last. So only the row of a run that rests is remembered,
    and nothing in a row depends on what time it is."""

    execution: StoredExecution
    assignments: tuple[str, ...]
    run: tuple[str, str] | None
    position: int

    @property
    def is_final(self) -> bool:
        """Whether the row may be remembered."""
        return self.run is None or self.run[0] != "running"


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that one process remembers, by execution."""

    known: OrderedDict[str, tuple[RowMark, Row]] = field(default_factory=OrderedDict)

    async def of(
        self, executing: Executing, shown: Sequence[StoredExecution | RunSummary]
    ) -> list[Row]:
        """Return a row for each, in the same order."""
        # Marks first: what changes meanwhile makes a row newer than its mark, never older.
        executions = [one for one in shown if isinstance(one, StoredExecution)]
        marks = {mark.execution.id: mark for mark in await marks_of(executing, executions)}
        return [
            _run_row(one)
            if isinstance(one, RunSummary)
            else await self._row(executing, marks[one.id])
            for one in shown
        ]

    async def _row(self, executing: Executing, mark: RowMark) -> Row:
        id = mark.execution.id
        known = self.known.get(id)
        if known is not None and known[0] == mark:
            self.known.move_to_end(id)
            return known[1]
        try:
            row = row_of(await executing.standing(mark.execution))
        except ServiceFault as fault:
            return _unreadable_row(mark.execution, fault)
        if mark.is_final:
            self.known[id] = (mark, row)
            self.known.move_to_end(id)
            while len(self.known) > KEPT:
                self.known.popitem(last=False)
        return row


async def marks_of(executing: Executing, executions: Sequence[StoredExecution]) -> list[RowMark]:
    """Return the mark of each."""
    if not executions:
        return []
    ids = [execution.id for execution in executions]
    holes = ", ".join("?" * len(ids))

    async def rows(query: str) -> list[Any]:
        return await executing.db.rows(query.format(holes), ids)

    runs = {
        id: (status, updated)
        for id, status, updated in await rows(
            "select id, status, updated from runs where id in ({})"
        )
    }
    positions = dict(await rows("select run, max(seq) from events where run in ({}) group by run"))
    bodies: dict[str, list[str]] = {}
    for id, body in await rows(
        "select execution, body from service_assignments where execution in ({})"
        " order by execution, number"
    ):
        bodies.setdefault(id, []).append(body)
    return [
        RowMark(e, tuple(bodies.get(e.id, ())), runs.get(e.id), positions.get(e.id) or 0)
        for e in executions
    ]


def _unreadable_row(execution: StoredExecution, fault: ServiceFault) -> Row:
    """Return the row of an execution whose texts do not compile any more."""
    LOG.warning("execution %s: %s", execution.id, fault.message)
    nothing = responses.OverallProgress(
        completed_steps=0, total_steps=0, completion_percentage=0.0, current_phase=""
    )
    return Row(execution.id, execution.file, "failed", nothing, execution.created, 0)


def _run_row(run: RunSummary) -> Row:
    """Return the row of a run of `flowc run`: what its list says of it."""
    waits = run.status == "paused" and run.now.startswith("waits at ")
    about = (run.id, run.name, status_of(run.status), None, run.started, int(waits))
    return Row(*about, *costs_of(run.usage))


def row_of(standing: ExecutionState) -> Row:
    """Return the row of an execution."""
    status = standing.answer(details=False, metrics=False)
    people = [a for a in standing.open if a.person]
    active = standing.status in ("starting", "executing")
    tokens, cost = costs_of(standing.record.usage if standing.record else {})
    return Row(
        id=standing.execution.id,
        name=standing.workflow.title or standing.workflow.name,
        status=status.workflow_status,
        progress=status.overall_progress,
        created=standing.execution.created,
        due=(len(people) + len(standing.other_questions)) if active else 0,
        tokens=tokens,
        cost=cost,
    )
