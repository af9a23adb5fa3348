"""What a run's saver has to write, held back until it goes with something that cannot wait.

What tasks wrote is held for the checkpoint after it. While flowc executes a run its checkpoints are
held too, for the intention or the result of the next effect: a run that a kill takes some of them
from does again what led to them, in which there was no effect. Everything of a run goes together,
in one transaction and in the order in which it came.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from ...db.database import Write
from ...db.fence import NotHeld
from .postgres_statements import TOGETHER, flat, insert_blobs, insert_checkpoints, insert_writes

Key = tuple[str, int | None]
"""A run, and the number under which this process held it when something was written."""
MOST_BYTES = 1 << 20
"""Bytes of values that are held."""
_SPACE, _CHECKPOINT, _TASK, _INDEX = 1, 2, 3, 5
"""Where a row of what a task wrote has its place."""


@dataclass(frozen=True, slots=True)
class PendingCheckpoint:
    """A checkpoint: the `values` of its own row, and a row for each value that lies `apart`."""

    space: str
    id: str
    parent: str | None
    values: Sequence[Any]
    apart: Sequence[Sequence[Any]] = ()


@dataclass(slots=True)
class Pending:
    """Rows of what tasks wrote, and checkpoints."""

    rows: list[Sequence[Any]] = field(default_factory=list)
    checkpoints: list[PendingCheckpoint] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.rows or self.checkpoints)

    def has_any_of(self, rows: Sequence[Sequence[Any]]) -> bool:
        """Return whether a row of these is held already."""
        return not {_key_of(row) for row in self.rows}.isdisjoint(map(_key_of, rows))

    def has_room(self, one: PendingCheckpoint) -> bool:
        """Return whether a checkpoint can be held too: it is another one, and not too large."""
        if any((one.space, one.id) == (held.space, held.id) for held in self.checkpoints):
            return False
        apart = [row for held in (*self.checkpoints, one) for row in held.apart]
        size = sum(len(row[-2] or b"") for row in apart)
        return size <= MOST_BYTES and len(self.rows) + len(apart) <= TOGETHER

    def writes(self) -> list[Write]:
        """Return what writes all of it."""
        found: list[Write] = []
        if self.rows:
            found.append((insert_writes(len(self.rows), False), flat(self.rows)))
        if apart := [row for one in self.checkpoints for row in one.apart]:
            found.append((insert_blobs(len(apart)), flat(apart)))
        if self.checkpoints:
            rows = [(*one.values, *self._step_before(one)) for one in self.checkpoints]
            found.append((insert_checkpoints(len(rows)), flat(rows)))
        return found

    def _step_before(self, one: PendingCheckpoint) -> tuple[list[str], list[int]]:
        """Return tasks and numbers of what is written with a checkpoint, after its parent."""
        place = (one.space, one.parent)
        rows = [r for r in self.rows if (r[_SPACE], r[_CHECKPOINT]) == place and r[_INDEX] >= 0]
        return [row[_TASK] for row in rows], [row[_INDEX] for row in rows]


def _key_of(row: Sequence[Any]) -> tuple[object, ...]:
    """Return what a row of what a task wrote is known by: no two of one statement may have it."""
    return row[_SPACE], row[_CHECKPOINT], row[_TASK], row[_INDEX]


@dataclass(slots=True)
class PendingOfRuns:
    """What is held of each run. One at a time writes of a run."""

    runs: dict[Key, Pending] = field(default_factory=dict)
    _orders: WeakValueDictionary[Key, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def of(self, key: Key) -> Pending:
        """Return what is held of a run, to add to."""
        return self.runs.setdefault(key, Pending())

    def keys(self, run: str | None) -> list[Key]:
        """Return the keys of a run, or of all, of which something is held or being written."""
        return [key for key in {**self._orders, **self.runs} if run in (None, key[0])]

    @asynccontextmanager
    async def take(self, key: Key) -> AsyncIterator[Pending]:
        """Yield what is held of a run, for the block to write. Where that fails it is held again,
        before what came meanwhile, unless another process has taken the run."""
        order = self._orders.setdefault(key, asyncio.Lock())
        async with order:
            held = self.runs.pop(key, Pending())
            rows, checkpoints = list(held.rows), list(held.checkpoints)
            try:
                yield held
            except NotHeld:
                raise
            except BaseException:
                later = self.runs.pop(key, Pending())
                again = Pending([*rows, *later.rows], [*checkpoints, *later.checkpoints])
                if again:
                    self.runs[key] = again
                raise
