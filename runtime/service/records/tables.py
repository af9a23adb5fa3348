"""What the service keeps beside the runs: workflows, teams, executions, assignments.

An execution is a run of the same id: what it has done stands in the run's checkpoints, here stands
what it was asked to be. `owner` is the team that may see it; "" is everybody's.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeVar

from ...db.database import Database
from .errors import FaultCode, ServiceFault

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
"""
AssignmentStatus = Literal[
    "assigned", "in_progress", "blocked", "completed", "failed", "superseded", "cancelled"
]
AT_ONCE = 20
"""Texts of workflows or teams that are read at once."""
OPEN = ("assigned", "in_progress", "blocked")
"""An assignment that can still be completed."""


@dataclass(frozen=True, slots=True)
class Repeatable:
    """A request that may be done again when its process dies: `seed` is its own and stays the same,
    `again` says that it was begun before."""

    seed: str = ""
    again: bool = False


AT_RANDOM = Repeatable()
REQUEST: ContextVar[Repeatable] = ContextVar("flowc_request", default=AT_RANDOM)


def new_id(kind: str) -> str:
    """`wf-…`: 64 random bits, so that ids made at one moment differ (C22)."""
    return f"{kind}-{secrets.token_hex(8)}"


def made_id(kind: str) -> str:
    """The id of what a request makes one of: the same when the request is done again."""
    seed = REQUEST.get().seed
    if not seed:
        return new_id(kind)
    return f"{kind}-{hashlib.sha256(f'{kind} {seed}'.encode()).hexdigest()[:16]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWorkflow:
    """A workflow that was created: the text it was made from and what is told of it."""

    id: str
    owner: str
    created: str
    name: str
    file: str
    format: str
    source: str
    minutes: float
    warnings: list[str] = field(default_factory=list)


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
    effects in doubt, by question: they count for the run as it was when it changed `at`."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A step that was given to an agent. `number` counts the execution's assignments from 1,
    `visit` the times that the step is done (from 1);
    `result` is what the step's task takes in, `feedback` what was said beside it."""

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


Stored = TypeVar("Stored", StoredWorkflow, StoredTeam, StoredExecution)
_TABLES: dict[type, tuple[str, FaultCode, str]] = {
    StoredWorkflow: ("service_workflows", "WORKFLOW_NOT_FOUND", "workflow"),
    StoredTeam: ("service_teams", "TEAM_NOT_FOUND", "team"),
    StoredExecution: ("service_executions", "EXECUTION_NOT_FOUND", "execution"),
}


@dataclass(frozen=True, slots=True)
class Register:
    """Reads and writes. What somebody may not see is not there for them: the answer is the same."""

    db: Database

    async def add(self, value: Stored) -> Stored:
        """Keep it; what is kept of this id, which was made before when a request is done again."""
        kind = type(value)
        query = f"insert into {_TABLES[kind][0]} values (?, ?, ?, ?) on conflict (id) do nothing"
        row = (value.id, value.owner, value.created, self._sealed(value))
        fresh = await self.db.run(query, row)
        return value if fresh else await self.get(kind, value.id, value.owner)

    async def edit(
        self, id: str, change: Callable[[StoredExecution], StoredExecution]
    ) -> StoredExecution:
        """Change an execution as it is now: nobody else changes it meanwhile. What `change` raises
        leaves it as it was."""
        async with self.db.transaction() as inside:
            value = change(await Register(inside).get(StoredExecution, id, None))
            query = "update service_executions set body = ? where id = ?"
            await inside.run(query, (self._sealed(value), id))
        return value

    async def get(self, kind: type[Stored], id: str, owner: str | None) -> Stored:
        """`owner` None sees everything. Raises `ServiceFault` when there is none to be seen."""
        table, code, word = _TABLES[kind]
        rows = await self.db.rows(f"select owner, body from {table} where id = ?", (id,))
        if not rows or owner not in (None, rows[0][0]):
            raise ServiceFault(code, f"there is no {word} `{id[:200]}`")
        return kind(**json.loads(self.db.unseal(rows[0][1])))

    async def page(
        self, kind: type[Stored], owner: str | None, limit: int | None, after: str = ""
    ) -> list[Stored]:
        """The newest first, `limit` of them (None: all), after the last id of the page before."""
        table, _, _ = _TABLES[kind]
        where: list[str] = ["1 = 1"]
        values: list[Any] = []
        if owner is not None:
            where.append("owner = ?")
            values.append(owner)
        if after:
            place = f"(select created from {table} where id = ?)"
            where.append(f"(created < {place} or (created = {place} and id > ?))")
            values += [after, after, after]
        query = f"select body from {table} where {' and '.join(where)} order by created desc, id"
        if limit is not None:
            query, values = f"{query} limit ?", [*values, limit]
        rows = await self.db.rows(query, values)
        return [kind(**json.loads(self.db.unseal(row[0]))) for row in rows]

    async def each(
        self, kind: type[Stored], owner: str | None, limit: int, after: str = ""
    ) -> AsyncIterator[Stored]:
        """The same, a few at a time: the text that one was made from may have megabytes, and who
        lists many has to keep none of it."""
        while limit > 0:
            found = await self.page(kind, owner, min(AT_ONCE, limit), after)
            for value in found:
                yield value
            if len(found) < min(AT_ONCE, limit):
                return
            limit, after = limit - len(found), found[-1].id

    async def assign(self, made: Assignment, *, anew: bool = True) -> Assignment:
        """Keep a new assignment under the execution's next number; others of its step that are
        open are superseded. Unless `anew`, one that somebody else made meanwhile is kept."""
        async with self.db.transaction() as inside:
            existing = await Register(inside).assignments(made.execution)
            own = [a for a in existing if (a.step, a.visit) == (made.step, made.visit)]
            for other in own:
                if not anew and other.status != "superseded":
                    return other
                if other.status in OPEN:
                    await Register(inside).change(replace(other, status="superseded"))
            made = replace(made, number=len(existing) + 1)
            row = (made.execution, made.number, made.id, self._sealed(made))
            await inside.run("insert into service_assignments values (?, ?, ?, ?)", row)
        return made

    async def change(self, assignment: Assignment) -> None:
        """Write an assignment anew."""
        query = "update service_assignments set body = ? where execution = ? and number = ?"
        row = (self._sealed(assignment), assignment.execution, assignment.number)
        await self.db.run(query, row)

    async def change_open(self, assignment: Assignment) -> bool:
        """The same, unless it is not open any more; whether it was."""
        async with self.db.transaction() as inside:
            known = await Register(inside).assignments(assignment.execution)
            if not any(a.number == assignment.number and a.status in OPEN for a in known):
                return False
            await Register(inside).change(assignment)
        return True

    async def assignments(self, execution: str) -> list[Assignment]:
        """All of an execution, in the order in which they were made."""
        query = "select body from service_assignments where execution = ? order by number"
        rows = await self.db.rows(query, (execution,))
        return [Assignment(**json.loads(self.db.unseal(row[0]))) for row in rows]

    def _sealed(self, value: Any) -> str:
        return self.db.seal(json.dumps(asdict(value), ensure_ascii=False))
