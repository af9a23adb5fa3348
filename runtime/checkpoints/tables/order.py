"""The order of a run's checkpoints, whatever the clock says.

LangGraph names a checkpoint by the time (a UUID of version 6), and takes the greatest name for the
last one. Within a process the next name is always greater. Another process, after the clock was set
back or on a machine whose clock is behind, would write checkpoints that come before those that are
there: the run would go back to where it stood, and do again what it did.
"""

from __future__ import annotations

from langgraph.checkpoint.base import id as ids

from ...db.database import Database
from .rows import damaged_checkpoint

_LATEST = 1 << 59
"""A time that no clock shows: about the year 3409. A later one was never the time of day, and would
leave no room for what comes after it."""


async def begin_after(db: Database, run: str) -> None:
    """Let every checkpoint that this process makes from now on come after those of the run. Raise
    `RunError` for a name that no clock has given."""
    query = "select max(checkpoint_id) from checkpoints where thread_id = ?"
    newest = (await db.rows(query, (run,)))[0][0]
    if newest is not None:
        clock = vars(ids)
        clock["_last_v6_timestamp"] = max(clock["_last_v6_timestamp"] or 0, _ticks(newest, run))


def _ticks(checkpoint: str, run: str) -> int:
    """Return the time in a name, in units of 100 ns since 1582."""
    try:
        named = ids.UUID(checkpoint)
    except ValueError:
        raise damaged_checkpoint(run, checkpoint[:40]) from None
    if named.version != 6 or named.time >= _LATEST:
        raise damaged_checkpoint(run, checkpoint)
    return int(named.time)
