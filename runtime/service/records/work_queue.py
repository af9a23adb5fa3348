"""The queue of the workers: a row for each execution that has news, until a worker has seen them.

A worker takes a row under its name, which is also a lease that ends with its process, and counts
the news it begins with. When the run rests it deletes the row, unless more news came meanwhile:
then it looks again. A worker that dies leaves a row whose lease is gone; the next worker takes it.
The service needs neither heartbeats nor sweeps.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from ...db.database import Database

Stop = Literal["", "drain", "cancel"]
BELL = "flowc_due"
"""The channel on which PostgreSQL tells the other processes at once. One that misses it looks by
itself a moment later."""
SCHEMA = """
create table if not exists service_due (
    execution text not null primary key, news integer not null, since text not null,
    worker text not null, stop text not null
);
create index if not exists service_due_by_worker on service_due (worker, since)
"""


@dataclass(frozen=True, slots=True)
class WorkQueue:
    """The rows. `db` may be a transaction, so that a change and its news are one write."""

    db: Database

    async def tell(self, execution: str, now: str) -> None:
        """Count one more news, and withdraw a request to stop."""
        await self.db.run(
            "insert into service_due values (?, 1, ?, '', '') on conflict (execution)"
            " do update set news = service_due.news + 1, stop = ''",
            (execution, now),
        )
        await self._ring()

    async def stop(self, execution: str, how: Stop) -> None:
        """Ask the worker to stop: after the steps under way, or at once."""
        query = "update service_due set stop = ? where execution = ?"
        await self.db.run(query, (how, execution))
        await self._ring()

    async def stops(self, worker: str) -> list[tuple[str, Stop]]:
        """Return the executions that a worker is to stop."""
        query = "select execution, stop from service_due where worker = ? and stop <> ''"
        return [(row[0], row[1]) for row in await self.db.rows(query, (worker,))]

    async def workers(self) -> list[str]:
        """Return the workers of all rows; "" is nobody."""
        return [row[0] for row in await self.db.rows("select distinct worker from service_due")]

    async def take(
        self, worker: str, gone: Collection[str], room: int, busy: Collection[str]
    ) -> dict[str, int]:
        """Take up to `room` rows of nobody or of workers that are gone, the oldest first:
        executions with the number of their news. Own rows that the worker is not `busy` with count
        as nobody's."""
        free = ["", worker, *gone]
        marks, own = ", ".join("?" * len(free)), ", ".join("?" * len(busy)) or "''"
        query = (
            f"select execution, news from service_due where worker in ({marks})"
            f" and execution not in ({own}) order by since, execution limit ?"
        )
        async with self.db.transaction() as inside:
            rows = await inside.rows(query, (*free, *busy, room))
            for execution, _ in rows:
                taking = "update service_due set worker = ? where execution = ?"
                await inside.run(taking, (worker, execution))
        return {row[0]: row[1] for row in rows}

    async def news(self, execution: str, worker: str) -> int | None:
        """Return the number of news; None when another worker has the row."""
        query = "select news from service_due where execution = ? and worker = ?"
        rows = await self.db.rows(query, (execution, worker))
        return rows[0][0] if rows else None

    async def finish(self, execution: str, worker: str, news: int) -> bool:
        """Delete the row of a run that rests and has seen so many news. Return False when there
        were more, or another worker has the row."""
        query = "delete from service_due where execution = ? and worker = ? and news = ?"
        return bool(await self.db.run(query, (execution, worker, news)))

    async def drop(self, execution: str, worker: str) -> None:
        """Delete the row, whatever the news."""
        query = "delete from service_due where execution = ? and worker = ?"
        await self.db.run(query, (execution, worker))

    async def leave(self, execution: str, worker: str, now: str) -> None:
        """Let another worker go on, after the rows that wait already."""
        query = "update service_due set worker = '', since = ? where execution = ? and worker = ?"
        await self.db.run(query, (now, execution, worker))
        await self._ring()

    async def has(self, execution: str) -> bool:
        """Return whether the execution has a row."""
        query = "select 1 from service_due where execution = ?"
        return bool(await self.db.rows(query, (execution,)))

    async def _ring(self) -> None:
        if self.db.dialect == "postgresql":
            await self.db.rows("select pg_notify(?, '')", (BELL,))
