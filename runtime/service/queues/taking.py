"""How a job is taken from a PostgreSQL queue: SQL functions beside procrastinate's tables.

Procrastinate's own function takes the most urgent job of all. These take one of a team's, along an
index of each team's priorities, and see to its limit; the jobs of a team are a queue by name.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, cast

from ...db.database import TABLES
from ...db.postgres.names import SCHEMA

if TYPE_CHECKING:
    from ...db.postgres.connection import Inside, PostgresDatabase

QUEUE = "flowc"
"""The queue of those without a team. The name of every other one is short: it is a part of the name
of a channel."""
QUEUE_OF = (
    "coalesce((select case owner when '' then 'flowc' else 'flowc:' || left(md5(owner), 16) end"
    " from service_executions where id = job.execution), 'flowc')"
)
"""The queue of a job's execution, in SQL: see `queue_of`."""
TEAMS = f"select queue, runs, rank, waits from {SCHEMA}.waiting_teams()"
TAKE = f"select number, execution from {SCHEMA}.take_job(?::text, ?::bigint, ?::bigint)"
_INDEX = "procrastinate_jobs_by_queue"
_SETTINGS = " ".join(
    (
        f"set search_path = {SCHEMA}, pg_temp",
        *(
            f"set enable_{way} = off"
            for way in ("hashjoin", "mergejoin", "seqscan", "sort", "bitmapscan")
        ),
    )
)
"""Until the server has counted what waits, it would compare all of it with each other."""
_FUNCTIONS = f"""
create index if not exists {_INDEX} on procrastinate_jobs (queue_name, priority desc, id)
    where status = 'todo';
create or replace function take_job(wanted text, worker bigint, most bigint)
    returns table (number bigint, execution text) language plpgsql {_SETTINGS} as $$
begin
    if most is not null then
        perform pg_advisory_xact_lock(hashtextextended('flowc jobs ' || wanted, 0));
        if (select count(*) from procrastinate_jobs jobs
            where jobs.queue_name = wanted and jobs.status = 'doing') >= most then
            return;
        end if;
    end if;
    return query with candidate as (
        select jobs.id from procrastinate_jobs jobs
            where jobs.status = 'todo' and jobs.queue_name = wanted
            and (jobs.scheduled_at is null or jobs.scheduled_at <= now())
            and not exists (select 1 from procrastinate_jobs other
                where other.lock = jobs.lock and other.status = 'doing')
            order by jobs.priority desc, jobs.id limit 1 for update of jobs skip locked)
        update procrastinate_jobs jobs set status = 'doing', worker_id = worker
            from candidate where jobs.id = candidate.id returning jobs.id, jobs.lock::text;
end $$;
create or replace function waiting_teams()
    returns table (queue text, runs bigint, rank integer, waits bigint)
    language sql stable {_SETTINGS} as $$
    with recursive queues (name) as (
        (select queue_name from procrastinate_jobs where status = 'todo'
            order by queue_name limit 1)
        union all
        select (select queue_name from procrastinate_jobs where status = 'todo'
            and queue_name > queues.name order by queue_name limit 1)
            from queues where queues.name is not null)
    select queues.name::text,
        (select count(*) from procrastinate_jobs jobs
            where jobs.status = 'doing' and jobs.queue_name = queues.name),
        (select priority from procrastinate_jobs jobs where jobs.status = 'todo'
            and jobs.queue_name = queues.name order by priority desc, id limit 1),
        (select count(*) from (select from procrastinate_jobs jobs where jobs.status = 'todo'
            and jobs.queue_name = queues.name limit 1000) as found)
        from queues where queues.name is not null;
$$;
"""


def queue_of(team: str) -> str:
    """Return the queue of a team."""
    if not team:
        return QUEUE
    return f"{QUEUE}:{hashlib.md5(team.encode(), usedforsecurity=False).hexdigest()[:16]}"


async def create_taking(db: PostgresDatabase) -> None:
    """Make index and functions, when they are not there; processes of an older flowc go on without
    them."""
    query = "select to_regprocedure('flowc.waiting_teams()') is not null"
    if await db.rows(query) == [(True,)]:
        return
    async with db.transaction(TABLES) as inside:
        await cast("Inside", inside).script(f"set local search_path = {SCHEMA}; {_FUNCTIONS}")
