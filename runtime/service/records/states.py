"""What lists and the clock look for in executions, as columns: what holds each back, when its time
is over, whose it is. The rest of a status is the run's own row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...db.database import Database, marks
from ...journal.timers import show_time

SCHEMA = """
create table if not exists service_states (
    execution text not null primary key, state text not null, ends text not null,
    told integer not null, workflow text not null, team text not null
);
create index if not exists service_states_by_end on service_states (told, ends);
create index if not exists service_states_by_state on service_states (state, execution)
    where state <> '';
create index if not exists service_states_by_workflow on service_states (workflow);
create index if not exists service_states_by_team on service_states (team);
create table if not exists service_starting (execution text not null primary key);
"""
OVERDUE = "from service_states where told = 0 and ends <> '' and ends <= ?"
"""Where executions are found whose time is over and that nobody has told so, given the time."""
AWAKE = (
    "from timers t join service_states s on s.execution = t.run join runs r on r.id = t.run"
    " where t.due <> '' and t.due <= ? and s.state = '' and r.status in ('paused', 'running')"
)
"""Where runs are found that wait for a time that has come, given the time (see `show_time`)."""
State = Literal["", "paused", "cancelled", "fault"]
"""What holds an execution back, beside what its run says; "" is nothing."""
_KEEP = (
    "insert into service_states values (?, ?, ?, 0, ?, ?) on conflict (execution)"
    " do update set state = excluded.state, ends = excluded.ends, told = 0"
)
_STATES = "service_states s left join runs r on r.id = s.execution"
_STATUS = (
    "case when r.status = 'success' then 'completed' when s.state = 'cancelled' then 'cancelled'"
    " when s.state = 'paused' then 'paused'"
    " when r.status in ('failed', 'error', 'stopped') or s.state = 'fault' then 'failed'"
    " when s.ends <> '' and s.ends <= ? and coalesce(r.status, 'running') <> 'running'"
    " then 'failed'"
    " when r.status is null then 'starting' else 'executing' end"
)
"""The status of an execution, given the time now."""


@dataclass(frozen=True, slots=True)
class StateRows:
    """The rows. `db` may be the transaction that changes an execution."""

    db: Database

    async def begin(self, execution: str) -> None:
        """Note that the run of a new execution has not begun."""
        query = "insert into service_starting values (?) on conflict do nothing"
        await self.db.put(query, (execution,))

    async def tidy(self) -> None:
        """Drop the notes of executions whose run has begun meanwhile."""
        begun = "select t.execution from service_starting t join runs r on r.id = t.execution"
        await self.db.run(f"delete from service_starting where execution in ({begun})")

    async def keep(self, execution: str, state: State, ends: str, workflow: str, team: str) -> None:
        """Store the state of an execution; that its time is over has to be told once more."""
        await self.db.put(_KEEP, (execution, state, ends, workflow, team))

    async def lacking(self) -> list[str]:
        """Return the executions of an older flowc, whose states are not stored."""
        query = (
            "select id from service_executions"
            " where id not in (select execution from service_states)"
        )
        return [row[0] for row in await self.db.rows(query)]

    async def held_back(self, ids: Sequence[str]) -> list[str]:
        """Return which of a few executions somebody has paused or cancelled."""
        query = (
            f"select execution from service_states where execution in ({marks(ids)})"
            " and state in ('paused', 'cancelled')"
        )
        return [row[0] for row in await self.db.rows(query, ids)]

    async def awake(self, now: float, most: int = 50) -> list[str]:
        """Return executions whose run waits for a time that has come (seconds since 1970), the
        longest due first."""
        query = f"select t.run {AWAKE} group by t.run order by min(t.due) limit ?"
        return [row[0] for row in await self.db.rows(query, (show_time(now), most))]

    async def faulty(self, most: int) -> list[str]:
        """Return executions that a fault holds back."""
        query = "select execution from service_states where state = 'fault' order by execution"
        return [row[0] for row in await self.db.rows(f"{query} limit ?", (most,))]

    async def count_faulty(self) -> int:
        """Return how many executions a fault holds back."""
        query = "select count(*) from service_states where state = 'fault'"
        return int((await self.db.rows(query))[0][0])

    async def overdue(self, now: str, most: int = 20) -> list[str]:
        """Return executions whose time is over and that nobody has told so."""
        query = f"select execution {OVERDUE} order by ends limit ?"
        return [row[0] for row in await self.db.rows(query, (now, most))]

    async def tell_overdue(self, execution: str, now: str) -> bool:
        """Note that somebody tells an execution that its time is over. Return False when another
        process does, or there is more time."""
        query = (
            "update service_states set told = 1"
            " where execution = ? and told = 0 and ends <> '' and ends <= ?"
        )
        return bool(await self.db.run(query, (execution, now)))

    async def statuses(self, ids: Sequence[str], now: str) -> dict[str, str]:
        """Return the status of each execution, as `ExecutionState` tells it."""
        query = f"select s.execution, {_STATUS} from {_STATES} where s.execution in ({marks(ids)})"
        return dict(await self.db.rows(query, (now, *ids)))
