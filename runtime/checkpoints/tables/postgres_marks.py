"""Digests in LangGraph's tables in PostgreSQL, and what tells that a row is gone, in columns of
ours that its own savers pass over.

What a row was written with is compared by the server before it is read, so a value is not sent
twice. A row without a digest was not written by flowc. The digest of a checkpoint is of the text
that the server makes of its JSON: it writes numbers in another form than it was given.

A checkpoint names which values lie in rows of their own (`apart`), and says how many values tasks
had written after its parent (`written`); each of these, how many its task wrote `along`. More of
them are nothing wrong: a host may go back in a thread, and do something else there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ...db.database import Database
from ...db.digests import changed_value, foreign_value

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
_COLUMNS = (
    ("checkpoints", "mark bytea"),
    ("checkpoints", "apart text[]"),
    ("checkpoints", "written integer"),
    ("checkpoint_writes", "mark bytea"),
    ("checkpoint_writes", "along integer"),
    ("checkpoint_blobs", "mark bytea"),
)
_INDEX = "drop index if exists flowc.{table}_thread_id_idx"
"""The primary keys begin with the thread, too. A server that has not counted the rows yet takes
this index, and reads all of a run to find a few of its rows."""
SET_UP = ";".join(
    [
        *(f"alter table {table} add column if not exists {column}" for table, column in _COLUMNS),
        *(_INDEX.format(table=table) for table in dict(_COLUMNS)),
    ]
)
"""What our tables have and lack beside LangGraph's migrations."""
MARKS = {f"{table}.{column.partition(' ')[0]}" for table, column in _COLUMNS}
_WRITTEN = (
    "(select count(*) from (select task_id, idx from checkpoint_writes w"
    " where w.thread_id = given.thread_id and w.checkpoint_ns = given.checkpoint_ns"
    " and w.checkpoint_id = given.parent_checkpoint_id and idx >= 0"
    " union select * from unnest(given.tasks, given.numbers)) as step)"
)
"""How many values stand after the parent, with those that the same statement writes."""
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


def with_columns(statement: str, *columns: str) -> str:
    """Return LangGraph's statement for one row, with columns of ours as its last ones."""
    names, holes = ", ".join(columns), ", %s" * len(columns)
    found = r"\)\s+VALUES \(([^)]*)\)"
    return _update_too(re.sub(found, rf", {names}) VALUES (\1{holes})", statement), *columns)


def with_checkpoint_mark(statement: str) -> str:
    """Return LangGraph's statement for a checkpoint, of which the server makes the digest. Behind
    its values stand the names of those that lie apart, and the tasks and numbers of what the same
    statement writes after the parent."""
    columns = re.findall(r"checkpoints \(([^)]*)\)", statement)[0]
    kinds = ("text",) * 4 + ("jsonb",) * 2 + ("text[]", "text[]", "integer[]")
    row = ", ".join(f"%s::{kind}" for kind in kinds)
    rows = (
        f", mark, apart, written) select {columns}, {CHECKPOINT}, apart, {_WRITTEN}"
        f" from (VALUES ({row})) as given ({columns}, apart, tasks, numbers)"
    )
    statement = re.sub(r"\)\s+VALUES \([^)]*\)", lambda _: rows, statement)
    return _update_too(statement, "mark", "apart", "written")


def _update_too(statement: str, *columns: str) -> str:
    if "DO UPDATE" not in statement:
        return statement
    more = "".join(f", {column} = EXCLUDED.{column}" for column in columns)
    return statement.rstrip().rstrip(";") + more


async def refuse_changed(db: Database, run: str, space: str, id: str | None) -> None:
    """Raise `RunError` when a checkpoint, by default the last one, one of its values, or what was
    written after it is gone or is not what flowc wrote."""
    newest = f"coalesce(?::text, (select max(checkpoint_id) from checkpoints where {_PLACE}))"
    await _refuse(db, _Look(run, space, f"checkpoint_id = {newest}", (id, run, space)))


async def refuse_changed_among(
    db: Database,
    run: str,
    space: str,
    head: str | None,
    ids: Sequence[str],
    channels: Sequence[str],
) -> None:
    """Raise `RunError` when one of these checkpoints, or what is kept of these channels with them,
    is gone or is not what flowc wrote. `head` is the one that follows the last of them."""
    only = (list(ids),) * 3
    follow = list(filter(None, (head, *ids)))
    of_step = f"{_AMONG} and parent_checkpoint_id = any(?)"
    look = _Look(run, space, _AMONG, only, list(channels), of_step, ((follow,) * 3 + only[:1]))
    await _refuse(db, look)


async def refuse_changed_within(db: Database, run: str, space: str) -> None:
    """Raise `RunError` when anything of a namespace is gone or is not what flowc wrote."""
    await _refuse(db, _Look(run, space, "true", of_step="true"))


_AMONG = (
    "checkpoint_id between (select min(id) from unnest(?::text[]) as id)"
    " and (select max(id) from unnest(?::text[]) as id) and checkpoint_id = any(?)"
)
"""With the bounds: without them a server that has not counted the rows yet reads all of the run."""


@dataclass(frozen=True, slots=True)
class _Look:
    """Which checkpoints of a namespace are looked at (`one`, with its values), of which channels,
    and of which it is counted what was written after their parents."""

    run: str
    space: str
    one: str
    only: tuple[Any, ...] = ()
    channels: list[str] | None = None
    of_step: str = "false"
    steps: tuple[Any, ...] = ()

    def parts(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield queries, each with its values, for what is wrong: a kind of it, and a name."""
        place, one, only = (self.run, self.space), f"{_PLACE} and {self.one}", self.only
        at: tuple[Any, ...] = (*place, *only)
        named = "" if self.channels is None else "and channel = any(?)"
        names = () if self.channels is None else (self.channels,)
        held = f"(channel, version) in ({_HELD.format(one=one)})" if only else "true"
        yield f"0, checkpoint_id, {_FOREIGN} checkpoints where {one} and {_NOT_CHECKPOINT}", at
        yield (
            f"1, channel, {_FOREIGN} checkpoint_writes where {one} {named} and {_NOT_WRITE}",
            (*at, *names),
        )
        yield (
            f"2, channel, {_FOREIGN} checkpoint_blobs where {_PLACE} and {held} {named}"
            f" and {_NOT_VALUE}",
            (*place, *(at if only else ()), *names),
        )
        yield f"3, {_PARENT} checkpoints as child where {one} and {_ORPHAN}", at
        yield (
            "4, channel, false from checkpoints as holder, unnest(apart) as channel"
            f" where {one} {named} and {_NO_VALUE}",
            (*at, *names),
        )
        yield f"5, min(channel), false from checkpoint_writes where {one} and {_NOT_ALONG}", at
        steps = f"{_PLACE} and {self.of_step}"
        yield f"6, {_PARENT} checkpoints as child where {steps} and {_LESS}", place + self.steps


_FOREIGN = "mark is null from"
_PARENT = "parent_checkpoint_id, false from"
_NOT_CHECKPOINT = f"mark is distinct from {CHECKPOINT}"
_NOT_WRITE = f"mark is distinct from {WRITE}"
_NOT_VALUE = f"mark is distinct from {VALUE}"
_HELD = (
    "select key, value from (select checkpoint from checkpoints where {one}) as c,"
    " jsonb_each_text(checkpoint -> 'channel_versions')"
)
_ORPHAN = (
    "parent_checkpoint_id <> '' and not exists (select from checkpoints as parent where"
    " parent.thread_id = child.thread_id and parent.checkpoint_ns = child.checkpoint_ns"
    " and parent.checkpoint_id = child.parent_checkpoint_id)"
)
_NO_VALUE = (
    "not exists (select from checkpoint_blobs b where b.thread_id = holder.thread_id"
    " and b.checkpoint_ns = holder.checkpoint_ns and b.channel = channel.channel"
    " and b.version = holder.checkpoint -> 'channel_versions' ->> channel.channel)"
)
_NOT_ALONG = "idx >= 0 group by checkpoint_id, task_id having count(*) < max(along)"
_LESS = (
    "written > (select count(*) from checkpoint_writes w where w.thread_id = child.thread_id"
    " and w.checkpoint_ns = child.checkpoint_ns"
    " and w.checkpoint_id = child.parent_checkpoint_id and w.idx >= 0)"
)
_WORDS = {
    1: "what was written to `{name}` in run {run}",
    2: "the value of `{name}` in run {run}",
    4: "the value of `{name}` in run {run}",
    5: "what was written with `{name}` in run {run}",
    6: "what was written after the checkpoint {name} of run {run}",
}
_CHECKPOINT_WORDS = "the checkpoint {name} of run {run}"


async def _refuse(db: Database, look: _Look) -> None:
    queries, values = zip(*look.parts(), strict=True)
    query = " union all ".join(f"(select {query})" for query in queries) + " order by 1 limit 1"
    for kind, name, is_foreign in await db.rows(query, tuple(v for some in values for v in some)):
        what = _WORDS.get(kind, _CHECKPOINT_WORDS).format(name=name, run=look.run)
        raise foreign_value(what) if is_foreign else changed_value(what)
