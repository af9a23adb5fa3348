"""Digests in LangGraph's tables in PostgreSQL, in a column of ours that its own savers pass over.

What a row was written with is compared by the server before it is read, so a value is not sent
twice. A row without a digest was not written by flowc. The digest of a checkpoint is of the text
that the server makes of its JSON: it writes numbers in another form than it was given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from ...db.database import Database
from ...db.digests import changed_value, damaged_checkpoint

_BETWEEN = "\x1f"
_TEXT = "convert_to(concat_ws(chr(31), {}), 'UTF8')"
_CHECKPOINT = (
    "sha256("
    + _TEXT.format("checkpoint_id, coalesce({parent}, ''), checkpoint::text, metadata::text")
    + ")"
)
CHECKPOINT = _CHECKPOINT.format(parent="parent_checkpoint_id")
WITHOUT_PARENT = _CHECKPOINT.format(parent="null")
"""What the digest is of a checkpoint that is to have no parent."""
WRITE = (
    f"sha256({_TEXT.format('checkpoint_id, task_id, task_path, idx, channel, type')}"
    " || coalesce(blob, ''))"
)
VALUE = f"sha256({_TEXT.format('channel, version, type')} || coalesce(blob, ''))"
COLUMNS = ";".join(
    f"alter table {table} add column if not exists mark bytea"
    for table in ("checkpoints", "checkpoint_writes", "checkpoint_blobs")
)
_PLACE = "thread_id = ? and checkpoint_ns = ?"


def write_mark(row: Sequence[Any]) -> bytes:
    """Return the digest of a row that LangGraph makes of what a task wrote."""
    _, _, checkpoint, task, path, index, channel, kind, data = row
    return _mark((checkpoint, task, path, str(index), channel, kind), data)


def value_mark(row: Sequence[Any]) -> bytes:
    """Return the digest of a row that LangGraph makes of a value apart."""
    _, _, channel, version, kind, data = row
    return _mark((channel, version, kind), data)


def _mark(about: Sequence[str], data: bytes | None) -> bytes:
    return sha256(_BETWEEN.join(about).encode() + (data or b"")).digest()


def with_mark(statement: str) -> str:
    """Return LangGraph's statement for one row, with the digest as its last value."""
    statement = re.sub(r"\)\s+VALUES \(([^)]*)\)", r", mark) VALUES (\1, %s)", statement)
    return _update_too(statement)


def with_checkpoint_mark(statement: str) -> str:
    """Return LangGraph's statement for a checkpoint, of which the server makes the digest."""
    columns = re.findall(r"checkpoints \(([^)]*)\)", statement)[0]
    kinds = ("text", "text", "text", "text", "jsonb", "jsonb")
    given = ", ".join(f"%s::{kind}" for kind in kinds)
    rows = f", mark) select {columns}, {CHECKPOINT} from (values ({given})) as given ({columns})"
    return _update_too(re.sub(r"\)\s+VALUES \([^)]*\)", lambda _: rows, statement))


def _update_too(statement: str) -> str:
    if "DO UPDATE" not in statement:
        return statement
    return statement.rstrip().rstrip(";") + ", mark = EXCLUDED.mark"


async def has_marks(db: Database) -> bool:
    """Return whether every table has the column."""
    query = (
        "select count(*) from pg_attribute where attname = 'mark' and not attisdropped and attrelid"
        " in (to_regclass('flowc.checkpoints'), to_regclass('flowc.checkpoint_writes'),"
        " to_regclass('flowc.checkpoint_blobs'))"
    )
    return await db.rows(query) == [(3,)]


async def refuse_changed(db: Database, run: str, space: str, id: str | None) -> None:
    """Raise `RunError` when a checkpoint, by default the last one, one of its values, or what was
    written after it is not what flowc wrote."""
    newest = f"coalesce(?::text, (select max(checkpoint_id) from checkpoints where {_PLACE}))"
    await _refuse(db, run, space, f"checkpoint_id = {newest}", (id, run, space))


async def refuse_changed_among(
    db: Database, run: str, space: str, ids: Sequence[str], channels: Sequence[str]
) -> None:
    """Raise `RunError` when one of these checkpoints, or what is kept of these channels with them,
    is not what flowc wrote."""
    # The bounds: without them a server that has not counted the rows yet reads all of the run.
    among = (
        "checkpoint_id between (select min(id) from unnest(?::text[]) as id)"
        " and (select max(id) from unnest(?::text[]) as id) and checkpoint_id = any(?)"
    )
    only = (list(ids),) * 3
    await _refuse(db, run, space, among, only, "and channel = any(?)", (list(channels),))


async def refuse_changed_within(db: Database, run: str, space: str) -> None:
    """Raise `RunError` when anything of a namespace is not what flowc wrote."""
    await _refuse(db, run, space, "true", ())


async def _refuse(
    db: Database,
    run: str,
    space: str,
    one: str,
    only: tuple[Any, ...],
    named: str = "",
    names: tuple[Any, ...] = (),
) -> None:
    place = (run, space)
    held, holders = "true", tuple[Any, ...]()
    if only:
        held = (
            "(channel, version) in (select key, value from (select checkpoint from checkpoints"
            f" where {_PLACE} and {one}) as c, jsonb_each_text(checkpoint -> 'channel_versions'))"
        )
        holders = (*place, *only)
    query = (
        f"select 0, checkpoint_id from checkpoints where {_PLACE} and {one}"
        f" and mark is distinct from {CHECKPOINT}"
        f" union all select 1, channel from checkpoint_writes where {_PLACE} and {one} {named}"
        f" and mark is distinct from {WRITE}"
        f" union all select 2, channel from checkpoint_blobs where {_PLACE} and {held} {named}"
        f" and mark is distinct from {VALUE}"
        f" union all select 3, parent_checkpoint_id from checkpoints as child where {_PLACE}"
        f" and {one} and parent_checkpoint_id <> '' and not exists (select from checkpoints as"
        " parent where parent.thread_id = child.thread_id and parent.checkpoint_ns ="
        " child.checkpoint_ns and parent.checkpoint_id = child.parent_checkpoint_id)"
        " order by 1 limit 1"
    )
    values = (*place, *only, *place, *only, *names, *place, *holders, *names, *place, *only)
    for kind, name in await db.rows(query, values):
        if kind in (0, 3):  # changed, or gone
            raise damaged_checkpoint(run, name)
        what = "what was written to" if kind == 1 else "the value of"
        raise changed_value(f"{what} `{name}` in run {run}")
