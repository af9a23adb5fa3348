"""The checkpoints of a store, of whatever kind."""

from __future__ import annotations

from collections.abc import Collection

from ...db.database import Database, delete_of
from ..types import Saver
from .postgres_rows import PostgresCheckpoints
from .rows import Checkpoints
from .sqlite_rows import SqliteCheckpoints
from .sqlite_saver import SqliteSaver

_SQLITE = dict.fromkeys(("flow_checkpoints", "flow_writes"), "run")
_POSTGRES = dict.fromkeys(("checkpoints", "checkpoint_blobs", "checkpoint_writes"), "thread_id")


async def forget(inside: Database, runs: Collection[str]) -> None:
    """Delete every checkpoint of runs; what they hold of values is for `kept` to let go."""
    await delete_of(inside, _SQLITE if inside.dialect == "sqlite" else _POSTGRES, runs)


def checkpoints_of(db: Database, saver: Saver) -> Checkpoints:
    """Return the checkpoints that `saver` keeps, in PostgreSQL read over `db`."""
    if isinstance(saver, SqliteSaver):
        return SqliteCheckpoints(saver)
    return PostgresCheckpoints(db, saver.serde)
