"""The service's tables beside the runs: workflows, teams, executions, assignments.

An execution is a run of the same id: its progress is in the run's checkpoints, its order here.
`owner` is the team that may see it; "" is everybody.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal, TypeVar

from ...db import kept
from ...db.database import Database, Row, Write, marks
from ...store.names import HAS_RUN
from ..search.wanted import ALL_OF_THEM, Wanted
from .errors import FaultCode, ServiceFault
from .happenings import Looks
from .metrics import iso
from .states import State, StateRows

SCHEMA = """
create table if not exists service_workflows (
    id text primary key, owner text not null, created text not null, body text not null
);
create table if not exists service_teams (
    id text primary key, owner text not null, created text not null, body text not null
);
create table if not exists service_executions (
    id text primary key, owner text not null, created text not null, body text not null
);
create table if not exists service_assignments (
    execution text not null, number integer not null, id text not null, body text not null,
    primary key (execution, number)
);
create index if not exists service_assignments_by_id on service_assignments (id);
create index if not exists service_workflows_by_time on service_workflows (created);
create index if not exists service_teams_by_time on service_teams (created);
create index if not exists service_executions_by_age on service_executions (created desc, id);
"""
AssignmentStatus = Literal[
    "assigned", "in_progress", "blocked", "completed", "failed", "superseded", "cancelled"
]
AT_ONCE = 20
"""Texts of workflows or teams that are read at once."""
_AFTER = (
    "(created < (select created from {table} where id = ?)"
    " or (created = (select created from {table} where id = ?) and id > ?))"
)
"""What comes after a row in a list: the newest first."""
SHORT, LONG = 4096, 65_536
"""Characters of a text that JSON may hold, and of one after which somebody else has a turn."""
OPEN = ("assigned", "in_progress", "blocked")
"""An assignment that can still be completed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWorkflow:
    """A workflow: its text and what its list shows. `token` is the id of its maker's."""

    id: str
    owner: str
    created: str
    name: str
    file: str
    format: str
    source: str
    minutes: float
    warnings: list[str] = field(default_factory=list)
    token: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTeam:
    """A team: `source` is the JSON that the compiler reads, with the agents' ids in it."""

    id: str
    owner: str
    created: str
    name: str
    source: str
    agents: list[dict[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredExecution:
    """An execution. `source` is the workflow's text with the configuration in it; times are ISO
    8601 UTC; `timeout_from` is when its time began; `paused` holds at, reason, type and the resume
    token's hash; `fault` is why it cannot be carried on; `verdicts` are the answers {answer, at} on
    effects in doubt, by question: they count for the run as it was when it changed `at`. `askers`
    are the tokens' ids of who started it and who made its workflow: its commands are theirs.
    `cancelled` holds at, reason, who and type of a cancellation, after which nothing goes on. `due`
    is when it is estimated to end, "" where nobody knows; `escalation` holds after_minutes, to and
    priority of each step that is taken when an assignment is late."""

    id: str
    owner: str
    created: str
    workflow: str
    team: str
    file: str
    format: str
    source: str
    team_source: str
    inputs: dict[str, Any]
    config: dict[str, Any]
    notifications: dict[str, bool]
    timeout_from: str
    sequential: bool = False
    paused: dict[str, Any] | None = None
    fault: str = ""
    verdicts: dict[str, dict[str, Any]] = field(default_factory=dict)
    askers: list[str] = field(default_factory=list)
    cancelled: dict[str, str] | None = None
    due: str = ""
    escalation: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_run(self) -> bool:
        """Whether it is a run of `flowc run`, which stands beside the executions of the service."""
        return not self.source

    @property
    def digest(self) -> str:
        """A digest of the texts that are executed: other executions may have the same ones."""
        texts = (self.source, self.file, self.format, self.team_source)
        told = "\0".join(f"{len(text)} {text}" for text in texts)
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def time_end(self) -> datetime | None:
        """When its time is over; None when it has no limit."""
        minutes = self.config.get("timeout_minutes")
        if minutes is None:
            return None
        return datetime.fromisoformat(self.timeout_from) + timedelta(minutes=minutes)

    @property
    def is_cut_off(self) -> bool:
        """Whether what is under way is cut off where it is held back, and not let finish."""
        held = self.cancelled or self.paused or {}
        return held.get("type") == "immediate"

    @property
    def state_row(self) -> tuple[str, State, str, str, str]:
        """The row of its state: what keeps its run from going on, when its time is over, and whose
        it is."""
        held: State = "fault" if self.fault else ""
        if self.cancelled is not None:
            held = "cancelled"
        elif self.paused is not None:
            held = "paused"
        end = self.time_end
        ends = iso(end) if end is not None and not held else ""
        return self.id, held, ends, self.workflow, self.team


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAssignment:
    """An assignment of a step to an agent. `number` counts the execution's rows and `visit` the
    step's visits, from 1; what has no row has the number 0. `result` is for the step's task,
    `feedback` the rest of a completion."""

    execution: str
    number: int
    id: str
    step: str
    agent: str
    person: bool
    visit: int = 1
    status: AssignmentStatus = "assigned"
    made: str = ""
    start: str = ""
    deadline: str | None = None
    config: dict[str, Any] = field(default_factory=dict)
    progress: float | None = None
    result: dict[str, Any] | None = None
    feedback: dict[str, Any] = field(default_factory=dict)
    ended: str | None = None


def assignment_of(
    assignments: Sequence[StoredAssignment], step: str, visit: int
) -> StoredAssignment | None:
    """Return the latest assignment of a visit of a step that was not superseded."""
    own = [a for a in assignments if (a.step, a.visit) == (step, visit)]
    return next((a for a in reversed(own) if a.status != "superseded"), None)


@dataclass(frozen=True, slots=True)
class TakenExecution:
    """An execution as a worker takes it: its assignments, oldest first, and whether it has a
    run."""

    execution: StoredExecution
    assignments: list[StoredAssignment]
    has_run: bool


Stored = TypeVar("Stored", StoredWorkflow, StoredTeam, StoredExecution)
_TABLES: dict[type, tuple[str, FaultCode, str]] = {
    StoredWorkflow: ("service_workflows", "WORKFLOW_NOT_FOUND", "workflow"),
    StoredTeam: ("service_teams", "TEAM_NOT_FOUND", "team"),
    StoredExecution: ("service_executions", "EXECUTION_NOT_FOUND", "execution"),
}


@dataclass(frozen=True, slots=True)
class Register:
    """Reads and writes of the tables. A value that a caller may not see does not exist for them."""

    db: Database

    async def add(self, value: Stored) -> Stored:
        """Store a value. Return it, or the one that a repeated request stored before."""
        kind = type(value)
        if kind is StoredExecution:  # before its run keeps anything
            await self.db.put(kept.BELONG, (value.id, value.owner))
        query = f"insert into {_TABLES[kind][0]} values (?, ?, ?, ?) on conflict (id) do nothing"
        row = (value.id, value.owner, value.created, self._seal(value))
        fresh = await self.db.run(query, row)
        if isinstance(value, StoredExecution) and fresh:
            await StateRows(self.db).keep(*value.state_row)
            await StateRows(self.db).begin(value.id)
        return value if fresh else await self.get(kind, value.id, value.owner)

    async def edit(
        self, id: str, change: Callable[[StoredExecution], StoredExecution]
    ) -> StoredExecution:
        """Change an execution in one transaction. When `change` raises, it stays as it was."""
        async with self.db.transaction(f"execution {id}") as inside:
            value = change(await Register(inside).get(StoredExecution, id, None))
            query = "update service_executions set body = ? where id = ?"
            await inside.run(query, (self._seal(value), id))
            await StateRows(inside).keep(*value.state_row)
            await Looks(inside).plan(id)
        return value

    async def get(self, kind: type[Stored], id: str, owner: str | None) -> Stored:
        """Return a value; `owner` None sees everything. Raises `ServiceFault` when there is
        none."""
        return self._value(kind, id, owner, await self.db.rows(*_value_query(kind, id)))

    async def take(self, id: str) -> TakenExecution:
        """Return what a worker needs to carry an execution on, in one trip. Raises
        `ServiceFault` when there is none."""
        queries = (_value_query(StoredExecution, id), _assignments_query([id]), (HAS_RUN, (id,)))
        rows, assignments, runs = await self.db.rows_of_each(queries)
        execution = self._value(StoredExecution, id, None, rows)
        return TakenExecution(execution, self._assignments([id], assignments)[id], bool(runs))

    def _value(self, kind: type[Stored], id: str, owner: str | None, rows: Sequence[Row]) -> Stored:
        _, code, word = _TABLES[kind]
        if not rows or owner not in (None, rows[0][0]):
            raise ServiceFault(code, f"there is no {word} `{id[:200]}`")
        return kind(**_fields_in(self.db.unseal(rows[0][1], f"{word} {id}")))

    async def delete(self, kind: type[Stored], id: str, owner: str | None) -> None:
        """Delete a workflow or a team. Raises `ServiceFault` when there is none."""
        async with self.db.transaction(f"{_TABLES[kind][2]} {id}") as inside:
            await Register(inside).get(kind, id, owner)
            await inside.run(f"delete from {_TABLES[kind][0]} where id = ?", (id,))

    async def page(
        self,
        kind: type[Stored],
        owner: str | None,
        limit: int | None,
        after: str = "",
        wanted: Wanted = ALL_OF_THEM,
    ) -> list[Stored]:
        """Return the newest `limit` values (None: all) after the last id of the page before; of
        executions those that are `wanted`."""
        table, _, word = _TABLES[kind]
        where = ["1 = 1"]
        asked: list[Any] = []
        if wanted is not ALL_OF_THEM:
            query, asked = wanted.query(owner, after, limit or 1 << 62)
            where = [f"id in ({query})"]
        else:
            if owner is not None:
                where.append("owner = ?")
                asked.append(owner)
            if after:
                where.append(_AFTER.format(table=table))
                asked += [after] * 3
        query = (
            f"select body, id from {table} where {' and '.join(where)} order by created desc, id"
        )
        if limit is not None:
            query, asked = f"{query} limit ?", [*asked, limit]
        rows = await self.db.rows(query, asked)
        values = []
        for body, id in rows:
            values.append(kind(**_fields_in(self.db.unseal(body, f"{word} {id}"))))
            if len(body) > LONG:
                await asyncio.sleep(0)  # somebody else's turn
        return values

    async def each(
        self, kind: type[Stored], owner: str | None, limit: int, after: str = "",
        wanted: Wanted = ALL_OF_THEM,
    ) -> AsyncIterator[Stored]:  # fmt: skip
        """Yield the same, a few at a time: each may hold a text of megabytes."""
        while limit > 0:
            values = await self.page(kind, owner, min(AT_ONCE, limit), after, wanted)
            for value in values:
                yield value
            if len(values) < min(AT_ONCE, limit):
                return
            limit, after = limit - len(values), values[-1].id

    async def assign(
        self, made: StoredAssignment, instead_of: Collection[StoredAssignment] = ()
    ) -> StoredAssignment:
        """Store a new assignment, superseding the open ones of its step: also those of
        `instead_of`, which may have no row."""
        async with self.db.transaction(f"execution {made.execution}") as inside:
            existing = await Register(inside).assignments(made.execution)
            known = {a.id: a for a in (*instead_of, *existing)}.values()
            for other in known:
                if (other.step, other.visit) == (made.step, made.visit) and other.status in OPEN:
                    await Register(inside)._keep(replace(other, status="superseded"))
            await Register(inside)._keep(made)
        return made

    async def change_open(self, assignment: StoredAssignment) -> bool:
        """Store an open assignment as it is now, which may have no row. Return False, and leave
        all as it was, when it was completed or given to another agent meanwhile."""
        async with self.db.transaction(f"execution {assignment.execution}") as inside:
            rows = await Register(inside).assignments(assignment.execution)
            current = assignment_of(rows, assignment.step, assignment.visit)
            if current and (current.id != assignment.id or current.status not in OPEN):
                return False
            await Register(inside)._keep(assignment)
        return True

    async def _keep(self, assignment: StoredAssignment) -> None:
        """Write the row of an assignment, under the execution's next number where it has none."""
        body = self._seal(assignment)
        query = "update service_assignments set body = ? where execution = ? and id = ?"
        if not await self.db.run(query, (body, assignment.execution, assignment.id)):
            await self.db.run(
                "insert into service_assignments select ?, coalesce(max(number), 0) + 1, ?, ?"
                " from service_assignments where execution = ?",
                (assignment.execution, assignment.id, body, assignment.execution),
            )

    async def assignments(self, execution: str) -> list[StoredAssignment]:
        """Return the assignments of an execution, oldest first."""
        return (await self.assignments_of([execution]))[execution]

    async def assignments_of(self, executions: Sequence[str]) -> dict[str, list[StoredAssignment]]:
        """Return the same for each of a few executions."""
        return self._assignments(executions, await self.db.rows(*_assignments_query(executions)))

    def _assignments(
        self, executions: Sequence[str], rows: Sequence[Row]
    ) -> dict[str, list[StoredAssignment]]:
        found: dict[str, list[StoredAssignment]] = {id: [] for id in executions}
        for execution, number, body in rows:
            text = self.db.unseal(body, f"an assignment of execution {execution}")
            found[execution].append(StoredAssignment(**{**json.loads(text), "number": number}))
        return found

    def _seal(self, value: Any) -> str:
        return self.db.seal(_text_of(asdict(value)))


def _value_query(kind: type[object], id: str) -> Write:
    return f"select owner, body from {_TABLES[kind][0]} where id = ?", (id,)


def _assignments_query(executions: Sequence[str]) -> Write:
    select = "select execution, number, body from service_assignments where execution in"
    return f"{select} ({marks(executions)}) order by execution, number", executions


def _text_of(fields: dict[str, Any]) -> str:
    """Return a row's fields as JSON in one line, and behind that the text of a workflow or a team:
    a megabyte takes JSON milliseconds, in which the event loop answers nobody."""
    source = fields.get("source", "")
    if "\0" in source or len(source) <= SHORT:  # PostgreSQL keeps no NUL
        return json.dumps(fields, ensure_ascii=False)
    head = {name: value for name, value in fields.items() if name != "source"}
    return f"{json.dumps(head, ensure_ascii=False)}\n{source}"


def _fields_in(text: str) -> dict[str, Any]:
    """Return the fields that `_text_of` wrote."""
    head, is_apart, source = text.partition("\n")
    fields: dict[str, Any] = json.loads(head)
    return {**fields, "source": source} if is_apart else fields
