"""The queue of a SQLite file: a row for each execution with news, for the processes of one machine.

A worker takes a row under its name, which is also a lease that ends with its process, and counts
the news it begins with. A worker that dies leaves a row whose lease is gone; the next one takes it.
There are neither heartbeats nor sweeps, and processes find news by looking.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from ...db.database import Database, Row, marks
from ...db.file_lease import Leases
from .queue import Depth, ListedJob, Seat, TakenJob
from .sharing import Limits, Share, Waiting, most_of, next_team

SCHEMA = """
create table if not exists service_jobs (
    execution text not null primary key, news integer not null, rank integer not null,
    worker text not null
);
create index if not exists service_jobs_by_rank on service_jobs (worker, rank desc)
"""


_OF_TEAMS = "from service_jobs left join service_executions on id = execution"
_WAITS = (
    "select execution, news, team, rank from (select execution, news, rank,"
    " coalesce(owner, '') as team, service_jobs.rowid as place, row_number() over"
    " (partition by coalesce(owner, '') order by rank desc, service_jobs.rowid) as turn"
    f" {_OF_TEAMS} where not {{taken}}) where turn <= ? order by team, turn"
)
"""What comes first of each team, as many as there is room for."""
_RUNS = f"select coalesce(owner, ''), count(*) {_OF_TEAMS} where {{taken}} group by 1"
_SHARES = (
    "select coalesce(owner, ''), sum(worker <> ''), sum(worker = '')"
    f" {_OF_TEAMS} group by 1 order by 1"
)


def _fair(
    rows: Sequence[Row], runs: Mapping[str, int], limits: Limits, room: int
) -> list[TakenJob]:
    """Return which jobs are taken, up to `room`: rows are execution, news, team and rank, those of
    a team in their order."""
    queues: dict[str, deque[Row]] = {}
    for row in rows:
        queues.setdefault(row[2], deque()).append(row)
    carried, taken = dict(runs), list[TakenJob]()
    while len(taken) < room:
        heads = [Waiting(team, carried.get(team, 0), q[0][3]) for team, q in queues.items() if q]
        turn = next_team(heads, limits)
        if turn is None:
            break
        execution, news, team, _ = queues[turn.team].popleft()
        carried[team] = turn.runs + 1
        taken.append(TakenJob(execution, news))
    return taken


@dataclass(frozen=True, slots=True)
class RowQueue:
    """The rows: among those of one rank the one that was written first comes first."""

    db: Database
    leases: Leases
    limits: Limits = field(default_factory=dict)
    channel: str = ""
    tick: float = 0.25

    async def tell(self, inside: Database, execution: str, rank: int = 0) -> None:
        """See `WorkQueue.tell`."""
        await inside.run(
            "insert into service_jobs values (?, 1, ?, '') on conflict (execution) do update"
            " set news = service_jobs.news + 1, rank = max(service_jobs.rank, excluded.rank)",
            (execution, rank),
        )

    async def call(self, inside: Database) -> None:
        """See `WorkQueue.call`: workers look by themselves."""

    async def has(self, execution: str) -> bool:
        """See `WorkQueue.has`."""
        query = "select 1 from service_jobs where execution = ?"
        return bool(await self.db.rows(query, (execution,)))

    async def jobs(self, most: int) -> list[ListedJob]:
        """See `WorkQueue.jobs`."""
        query = (
            "select execution, rank, worker from service_jobs"
            " order by worker = '', rank desc, rowid limit ?"
        )
        return [ListedJob(*row) for row in await self.db.rows(query, (most,))]

    async def depth(self) -> Depth:
        """See `WorkQueue.depth`."""
        query = "select worker, count(*) from service_jobs group by worker"
        counts: dict[str, int] = dict(await self.db.rows(query))
        waits = counts.pop("", 0)
        return Depth(waits, sum(counts.values()), len(counts))

    async def shares(self) -> list[Share]:
        """See `WorkQueue.shares`."""
        rows = await self.db.rows(_SHARES)
        return [Share(team, runs, n, most_of(team, self.limits)) for team, runs, n in rows]

    @asynccontextmanager
    async def seat(self, name: str) -> AsyncIterator[Seat]:
        """See `WorkQueue.seat`."""
        async with self.leases.hold(name):
            yield _RowSeat(self.db, self.leases, name, self.limits)


@dataclass(frozen=True, slots=True)
class _RowSeat:
    """The place of the worker `name`."""

    db: Database
    leases: Leases
    name: str
    limits: Limits

    async def take(self, room: int, busy: Collection[TakenJob]) -> list[TakenJob]:
        """See `Seat.take`."""
        rows = await self.db.rows("select distinct worker from service_jobs")
        known = {row[0] for row in rows}
        others = known - {"", self.name}
        free = ["", self.name, *(others - await self.leases.held_among(others))]
        if room <= 0 or known.isdisjoint(free):
            return []
        own = [job.execution for job in busy]
        taken = f"(worker not in ({marks(free)}) or execution in ({marks(own)}))"
        async with self.db.transaction() as inside:
            waiting = await inside.rows(_WAITS.format(taken=taken), (*free, *own, room))
            counts = await inside.rows(_RUNS.format(taken=taken), (*free, *own))
            jobs = _fair(waiting, dict(counts), self.limits, room)
            for job in jobs:
                taking = "update service_jobs set worker = ? where execution = ?"
                await inside.run(taking, (self.name, job.execution))
        return jobs

    async def finish(self, job: TakenJob) -> None:
        """See `Seat.finish`."""
        own = (job.execution, self.name)
        async with self.db.transaction() as inside:
            query = "delete from service_jobs where execution = ? and worker = ? and news = ?"
            if not await inside.run(query, (*own, job.number)):
                query = "update service_jobs set worker = '' where execution = ? and worker = ?"
                await inside.run(query, own)

    async def give_back(self, job: TakenJob, after: float = 0.0) -> None:
        """See `Seat.give_back`. Nobody else takes it meanwhile."""
        await asyncio.sleep(after)
        own = (job.execution, self.name)
        async with self.db.transaction() as inside:
            rows = await inside.rows(
                "select news, rank from service_jobs where execution = ? and worker = ?", own
            )
            for news, rank in rows:
                await inside.run("delete from service_jobs where execution = ?", (job.execution,))
                query = "insert into service_jobs values (?, ?, ?, '')"
                await inside.run(query, (job.execution, news, rank))
