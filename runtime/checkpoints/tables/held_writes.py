"""What tasks wrote, held back for the few turns of the event loop until the checkpoint after it is
written: both are one statement then, one trip to the server and one transaction.

LangGraph hands a task's writes to the saver and goes on, with nothing in between where it was the
only task, to the checkpoint that follows. Where none comes, because other tasks are still at work,
the writes are sent by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ...db.fence import NotHeld

Row = Sequence[Any]
TURNS = 8
"""Turns of the event loop that writes are held: LangGraph's way to the checkpoint takes four."""


@dataclass(slots=True)
class HeldWrites:
    """Rows by the run, and the number under which this process held it when they were written. A
    row is known by its `key`; no two of one statement may have the same."""

    key: Callable[[Row], object]
    rows: dict[tuple[str, int | None], list[Row]] = field(default_factory=dict)

    def has_any_of(self, run: str, epoch: int | None, rows: Sequence[Row]) -> bool:
        """Return whether a row of these is held already."""
        known = {self.key(row) for row in self.rows.get((run, epoch), ())}
        return not known.isdisjoint(map(self.key, rows))

    def add(self, run: str, epoch: int | None, rows: Sequence[Row]) -> None:
        """Hold rows behind those that are held."""
        self.rows.setdefault((run, epoch), []).extend(rows)

    @contextmanager
    def take(self, run: str, epoch: int | None) -> Iterator[list[Row]]:
        """Yield the rows of a run, for the block to write. Where it fails they are held again,
        before those that came meanwhile, unless another process has taken the run."""
        rows = self.rows.pop((run, epoch), [])
        try:
            yield rows
        except NotHeld:
            raise
        except BaseException:
            if rows:
                self.add(run, epoch, [*rows, *self.rows.pop((run, epoch), ())])
            raise
