"""What a queue of executions with news does, whatever store it lies in.

News of an execution are a job until a worker has heard them. News that come while a worker has the
job make a second job, which waits for the end of the first: no worker hears news twice, and none
are forgotten. What a queue delivers is executed under the lease of its run, so that a job which two
workers have does no harm: the number of the lease decides, and not the queue.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from ...db.database import Database
from ..contract.requests import Priority
from .sharing import Share

RANKS: Mapping[Priority, int] = {"low": -5, "normal": 0, "high": 5, "critical": 20}
"""How far before others an assignment of a priority comes."""
GOES_ON = 10
"""How far before those that begin an execution comes that goes on: somebody waits for what comes of
their step, whatever number was begun at once."""

CALLED = "abort_job_requested"
"""What the announcement has in it that calls workers to look at what they execute. The word is that
of procrastinate, whose workers may listen."""


@dataclass(frozen=True, slots=True)
class TakenJob:
    """An execution that a worker has taken. `number` says which of its news that was."""

    execution: str
    number: int


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A job as it is shown. `worker` is "" while it waits; `beat` are the seconds since that worker
    said last that it lives, None where the queue does not know."""

    execution: str
    rank: int
    worker: str = ""
    beat: float | None = None

    @property
    def state(self) -> Literal["waits", "runs"]:
        return "runs" if self.worker else "waits"


@dataclass(frozen=True, slots=True)
class Depth:
    """How many jobs wait, and are taken, and how many workers there are: those that live, or where
    nobody can know, those that have one."""

    waits: int
    runs: int
    workers: int


class Seat(Protocol):
    """A worker's place at a queue."""

    async def take(self, room: int, busy: Collection[TakenJob]) -> list[TakenJob]:
        """Take up to `room` jobs: of the team of which least is carried on, below its limit, and
        of that those of the highest rank first and then the oldest. What this worker has and is
        not `busy` with waits again, and any worker may take it."""
        ...

    async def finish(self, job: TakenJob) -> None:
        """Drop a job whose news were heard."""
        ...

    async def give_back(self, job: TakenJob, after: float = 0.0) -> None:
        """Let another worker take the job, behind those that wait, and not before so many seconds
        have gone by, unless there are more news."""
        ...


class WorkQueue(Protocol):
    """The queue of a store."""

    @property
    def channel(self) -> str:
        """Where the store announces news to other processes; "" where it cannot."""
        ...

    @property
    def tick(self) -> float:
        """Seconds after which a worker looks by itself."""
        ...

    async def tell(self, inside: Database, execution: str, rank: int = 0) -> None:
        """Store news within the transaction of what they are about."""
        ...

    async def call(self, inside: Database) -> None:
        """Call every worker to look at what it executes."""
        ...

    async def has(self, execution: str) -> bool:
        """Return whether an execution has news that were not heard."""
        ...

    async def jobs(self, most: int) -> list[ListedJob]:
        """Return what is taken and what waits, in the order in which it comes."""
        ...

    async def depth(self) -> Depth:
        """Return how many there are."""
        ...

    async def shares(self) -> list[Share]:
        """Return what each team has of the queue that has something in it, by name."""
        ...

    def seat(self, name: str) -> AbstractAsyncContextManager[Seat]:
        """Give a worker a place, which it loses when its process dies: what it had is taken by
        others. Raise `RunError`."""
        ...
