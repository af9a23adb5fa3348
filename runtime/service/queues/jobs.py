"""The queue of a PostgreSQL database: jobs of procrastinate, in the schema of the store.

Procrastinate brings the tables, what fetches a job (`skip locked`, priorities, one job of an
execution at a time), and the heartbeats of workers. Its own worker is not used: when the store goes
away it begins nothing new until every job under way has ended, which here may be days.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import cast

from procrastinate.connector import BaseAsyncConnector
from procrastinate.manager import JobManager
from procrastinate.schema import SchemaManager

from ...db.database import TABLES, Database
from ...db.postgres.connection import Inside, PostgresDatabase
from ...db.postgres.guest import name_all, settle
from ...db.schema_version import has_table
from ...errors import RunError
from .queue import CALLED, Depth, ListedJob, Seat, TakenJob
from .sharing import EVERY, Limits, Share, Waiting, most_of, next_team
from .taking import QUEUE_OF, TAKE, TEAMS, create_taking, queue_of

LOG = logging.getLogger("flowc.service")
CHANNEL = "procrastinate_any_queue_v1"
"""Where procrastinate tells of each new job, whatever team it is of."""
BEAT = 2.0
"""Seconds between two heartbeats of a worker."""
STALLED = 10.0
"""Seconds after the last one until others take what a worker had."""
FORGOTTEN = 600.0
"""Seconds after the last one until a worker is forgotten: it may be frozen, and wake up."""
_PREFIX = "procrastinate_"
_INTO = (
    "insert into procrastinate_jobs"
    " (queue_name, task_name, priority, lock, queueing_lock, scheduled_at)"
    f" select {QUEUE_OF}, 'carry_on', job.rank, job.execution, job.execution, job.at from"
)
_LATER = (
    "on conflict (queueing_lock) where status = 'todo' do update"
    " set priority = greatest(procrastinate_jobs.priority, excluded.priority), scheduled_at ="
    " case when excluded.scheduled_at is null then null else procrastinate_jobs.scheduled_at end"
)
"""What one more news does to a job that waits. It changes the row, so that nobody fetches the job
before the transaction of the news is committed, and hears of the old state alone. Procrastinate
itself refuses the job (`AlreadyEnqueued`) and locks no row: a worker may fetch the old job."""
_TELL = (
    f"{_INTO} (values (?::text, ?::integer, null::timestamptz))"
    f" as job (execution, rank, at) {_LATER}"
)
_AGAIN = (
    "with job as (delete from procrastinate_jobs where id = ? and status = 'doing' returning lock"
    " as execution, priority as rank, now() + nullif(?, 0) * interval '1 second' as at)"
    f" {_INTO} job {_LATER}"
)
"""Another job in the place of one that is taken. Its number is new: a worker that was thought dead
and wakes up finishes the old one."""
_HAS = (
    "select 1 from procrastinate_jobs where queueing_lock = ? and status = 'todo' union all"
    " select 1 from procrastinate_jobs where lock = ? and status = 'doing'"
)
_JOBS = (
    "select lock, priority, coalesce('worker ' || worker_id,"
    " case status when 'doing' then 'a worker that is gone' else '' end),"
    " extract(epoch from clock_timestamp() - last_heartbeat)::float8"
    " from procrastinate_jobs jobs left join procrastinate_workers workers"
    " on workers.id = worker_id where status in ('todo', 'doing')"
    " order by status = 'todo', priority desc, jobs.id limit ?"
)
_DEPTH = (
    "select (select count(*) from procrastinate_jobs where status = 'todo'),"
    " (select count(*) from procrastinate_jobs where status = 'doing'),"
    " (select count(*) from procrastinate_workers"
    " where last_heartbeat > clock_timestamp() - make_interval(secs => ?))"
)
_SHARES = (
    "select coalesce(owner, ''), count(*) filter (where status = 'doing'),"
    " count(*) filter (where status = 'todo') from procrastinate_jobs jobs"
    " left join service_executions executions on executions.id = jobs.lock"
    " where status in ('todo', 'doing') group by 1 order by 1"
)
_MINE = "select id, lock from procrastinate_jobs where worker_id = ? and status = 'doing'"
_LIVES = (
    "update procrastinate_workers set last_heartbeat = clock_timestamp() where id = ? returning id"
)

_PLAN = (
    "create index procrastinate_jobs_by_lock on procrastinate_jobs (lock)"
    " where status in ('todo', 'doing')"
)


class _Connector(BaseAsyncConnector):
    """Procrastinate's statements on the connections of the store."""

    def __init__(self, db: PostgresDatabase) -> None:
        self.db = db

    async def execute_query_async(self, query: str, **arguments: object) -> None:
        await self.execute_query_all_async(query, **arguments)

    async def execute_query_one_async(self, query: str, **arguments: object) -> dict[str, object]:
        return (await self.execute_query_all_async(query, **arguments))[0]

    async def execute_query_all_async(
        self, query: str, **arguments: object
    ) -> list[dict[str, object]]:
        return await self.db.rows_by_name(name_all(query, _PREFIX), arguments)


@dataclass(frozen=True, slots=True)
class JobQueue:
    """The jobs. `db` need not wait for the disk: what a crash of the server takes back is done
    again."""

    db: PostgresDatabase
    limits: Limits = field(default_factory=dict)
    channel: str = CHANNEL
    tick: float = 0.5

    async def tell(self, inside: Database, execution: str, rank: int = 0) -> None:
        """See `WorkQueue.tell`."""
        await inside.run(_TELL, (execution, rank))

    async def call(self, inside: Database) -> None:
        """See `WorkQueue.call`."""
        words = json.dumps({"type": CALLED, "job_id": 0})
        await inside.rows("select pg_notify(?, ?)", (CHANNEL, words))

    async def has(self, execution: str) -> bool:
        """See `WorkQueue.has`."""
        return bool(await self.db.rows(_HAS, (execution, execution)))

    async def jobs(self, most: int) -> list[ListedJob]:
        """See `WorkQueue.jobs`."""
        return [ListedJob(*row) for row in await self.db.rows(_JOBS, (most,))]

    async def depth(self) -> Depth:
        """See `WorkQueue.depth`."""
        return Depth(*(await self.db.rows(_DEPTH, (STALLED,)))[0])

    async def shares(self) -> list[Share]:
        """See `WorkQueue.shares`."""
        rows = await self.db.rows(_SHARES)
        return [Share(team, runs, n, most_of(team, self.limits)) for team, runs, n in rows]

    @asynccontextmanager
    async def seat(self, name: str) -> AsyncIterator[Seat]:
        """See `WorkQueue.seat`."""
        manager = JobManager(_Connector(self.db))
        own = {queue_of(team) if team != EVERY else EVERY: n for team, n in self.limits.items()}
        seat = _JobSeat(self.db, manager, await manager.register_worker(), own)
        beating = asyncio.create_task(seat.live(), name=f"heart of {name}")
        try:
            yield seat
        finally:
            beating.cancel()
            await asyncio.wait([beating])
            with contextlib.suppress(RunError):
                # What it still has is nobody's from now on, and taken at once.
                await manager.unregister_worker(seat.worker)


@dataclass(slots=True)
class _JobSeat:
    """The place of a worker, under the number that procrastinate gave it. `limits` are those of
    teams' queues."""

    db: PostgresDatabase
    manager: JobManager
    worker: int
    limits: Limits
    held: dict[int, TakenJob] = field(default_factory=dict)
    alone: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def take(self, room: int, busy: Collection[TakenJob]) -> list[TakenJob]:
        """See `Seat.take`."""
        for job in [job for job in self.held.values() if job not in busy]:
            await self.give_back(job)
        taken: list[TakenJob] = []
        async with self.alone:
            teams = [Waiting(*row) for row in await self.db.rows(TEAMS)] if room > 0 else []
            while len(taken) < room and (team := next_team(teams, self.limits)) is not None:
                teams.remove(team)
                about = (team.team, self.worker, most_of(team.team, self.limits))
                for number, execution in await self.db.rows(TAKE, about):
                    self.held[number] = TakenJob(execution, number)
                    taken.append(self.held[number])
                    if team.waits > 1:
                        teams.append(replace(team, runs=team.runs + 1, waits=team.waits - 1))
        return taken

    async def finish(self, job: TakenJob) -> None:
        """See `Seat.finish`."""
        await self.db.put("delete from procrastinate_jobs where id = ?", (job.number,))
        self.held.pop(job.number, None)

    async def give_back(self, job: TakenJob, after: float = 0.0) -> None:
        """See `Seat.give_back`."""
        await self.db.put(_AGAIN, (job.number, float(after)))
        self.held.pop(job.number, None)

    async def live(self) -> None:
        """Say that the worker lives, and take care of the jobs of those that do not."""
        while True:
            try:
                await self._beat()
            except RunError as error:
                LOG.warning("the heart of worker %s: %s", self.worker, error.message)
            await asyncio.sleep(BEAT)

    async def _beat(self) -> None:
        if not await self.db.rows(_LIVES, (self.worker,)):
            self.worker = await self.manager.register_worker()  # it slept until it was forgotten
        async with self.alone:
            # One that the server gave, and whose name was lost with the connection.
            for number, _ in await self.db.rows(_MINE, (self.worker,)):
                if number not in self.held:
                    await self.db.put(_AGAIN, (number, 0.0))
        for stalled in await self.manager.get_stalled_jobs(seconds_since_heartbeat=STALLED):
            await self.db.put(_AGAIN, (stalled.id, 0.0))
        await self.manager.prune_stalled_workers(FORGOTTEN)


async def create_jobs(db: PostgresDatabase) -> None:
    """Make procrastinate's tables in the schema of the store, when they are not there."""
    if not await has_table(db, "procrastinate_jobs"):
        await _create_tables(db)
    await create_taking(db)


async def _create_tables(db: PostgresDatabase) -> None:
    async with db.transaction(TABLES) as inside:
        if not await has_table(inside, "procrastinate_jobs"):
            await settle(cast("Inside", inside), SchemaManager.get_schema(), _PREFIX)
            await cast("Inside", inside).script(_PLAN)
