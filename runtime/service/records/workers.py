"""The table of workers: who carries executions on, and when each said last that it lives.

What a worker has of the queue follows from the queue; a row is for people who look. It goes when
the worker ends, and a day after the last heartbeat of one that died.
"""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from flowc import __version__

from ...db.database import Database
from .metrics import iso

SCHEMA = """
create table if not exists service_workers (
    name text not null primary key, beat text not null, body text not null
)
"""
BEAT = 5.0
"""Seconds between two heartbeats."""
LATE = 20.0
"""Seconds after the last one from which a worker counts as gone."""
FORGOTTEN = timedelta(days=1)
Health = Literal["works", "ends", "gone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerRow:
    """A worker of some process. `began` and `beat` are times (ISO 8601 UTC), `executions` those
    that it carries on, of at most `places`. `closing`: it begins nothing new."""

    name: str
    began: str
    beat: str
    version: str = __version__
    host: str = field(default_factory=platform.node)
    pid: int = field(default_factory=os.getpid)
    places: int = 0
    executions: list[str] = field(default_factory=list)
    closing: bool = False

    def health(self, now: datetime) -> Health:
        """Return what it does, as far as its last heartbeat tells."""
        if (now - datetime.fromisoformat(self.beat)).total_seconds() > LATE:
            return "gone"
        return "ends" if self.closing else "works"


@dataclass(frozen=True, slots=True)
class WorkerRows:
    """The rows of one store."""

    db: Database

    async def beat(self, worker: WorkerRow, now: datetime) -> None:
        """Store that a worker lives, and forget those that died long ago."""
        row = replace(worker, beat=iso(now))
        body = self.db.seal(json.dumps(asdict(row), ensure_ascii=False))
        await self.db.put(
            "insert into service_workers values (?, ?, ?) on conflict (name)"
            " do update set beat = excluded.beat, body = excluded.body",
            (row.name, row.beat, body),
        )
        long_ago = iso(now - FORGOTTEN)
        await self.db.put("delete from service_workers where beat < ?", (long_ago,))

    async def end(self, name: str) -> None:
        """Forget a worker that has ended."""
        await self.db.put("delete from service_workers where name = ?", (name,))

    async def list(self) -> list[WorkerRow]:
        """Return the workers, by name."""
        rows = await self.db.rows("select name, body from service_workers order by name")
        return [
            WorkerRow(**json.loads(self.db.unseal(body, f"worker {name}"))) for name, body in rows
        ]
