"""What time brought about in executions: told once each, and when somebody has to look again.

`service_looks` holds for each execution the next moment at which something may be due; "" is at
once. `service_happenings` holds what was told, under a key that says what it is about, so that of
several processes one tells it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from ...db.database import Database

SCHEMA = """
create table if not exists service_looks (execution text not null primary key, due text not null);
create index if not exists service_looks_by_time on service_looks (due);
create table if not exists service_happenings (
    execution text not null, key text not null, time text not null, body text not null,
    primary key (execution, key)
);
"""
TimeKind = Literal["deadline", "escalation"]
AT_ONCE = ""
DUE = "from service_looks where due <= ?"
"""Where executions are found that are to be looked at, given the time."""
_PLAN = (
    "insert into service_looks values (?, ?) on conflict (execution) do update set due ="
    " case when excluded.due < service_looks.due then excluded.due else service_looks.due end"
)


@dataclass(frozen=True, slots=True)
class StoredHappening:
    """What happened at a time (ISO 8601 UTC), under a `key` that is unique in its execution. `step`
    is "" where it is about the whole."""

    key: str
    time: str
    kind: TimeKind
    step: str
    message: str


@dataclass(frozen=True, slots=True)
class Looks:
    """When somebody has to look at an execution. `db` may be the transaction that changes it."""

    db: Database

    async def plan(self, execution: str, due: str = AT_ONCE) -> None:
        """Have an execution looked at at a time (ISO 8601 UTC), unless that is done before."""
        await self.db.put(_PLAN, (execution, due))

    async def due(self, now: str, most: int = 20) -> list[tuple[str, str]]:
        """Return executions whose time has come, each with that time, the longest due first."""
        query = f"select execution, due {DUE} order by due limit ?"
        return [(row[0], row[1]) for row in await self.db.rows(query, (now, most))]

    async def follow(self, execution: str, seen: str, due: str | None) -> None:
        """Plan the next look after one that was due at `seen`, or none; nothing where somebody has
        planned another one meanwhile."""
        where = "where execution = ? and due = ?"
        if due is None:
            await self.db.run(f"delete from service_looks {where}", (execution, seen))
        elif due != seen:
            query = f"update service_looks set due = ? {where}"
            await self.db.run(query, (due, execution, seen))


@dataclass(frozen=True, slots=True)
class Happenings:
    """What was told. `db` may be a transaction."""

    db: Database

    async def tell(self, execution: str, happening: StoredHappening) -> bool:
        """Store what happened. Return False when it was told before."""
        body = self.db.seal(json.dumps(asdict(happening), ensure_ascii=False))
        query = "insert into service_happenings values (?, ?, ?, ?) on conflict do nothing"
        row = (execution, happening.key, happening.time, body)
        return bool(await self.db.run(query, row))

    async def of(self, execution: str) -> Sequence[StoredHappening]:
        """Return what was told of an execution, in order."""
        query = "select body from service_happenings where execution = ? order by time, key"
        rows = await self.db.rows(query, (execution,))
        what = f"what happened in execution {execution}"
        return [StoredHappening(**json.loads(self.db.unseal(row[0], what))) for row in rows]
