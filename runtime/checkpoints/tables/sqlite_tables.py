"""Checkpoints in SQLite, in tables of our own: what is not changed is not written again.

A checkpoint is a row, and so is each value that a task wrote after it. What stands there of a value
is its slot (`parcels`), so a value is kept once, however many checkpoints hold it. Every row has a
digest of all that LangGraph relies on in it. A checkpoint says how many values tasks had `written`
after its parent, and each of these, how many its task wrote `along`: so a row that is gone is
missed. The tables have names of their own: LangGraph's saver
finds no run in the file, and never half of one.

All of this runs in the thread of a connection.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    get_checkpoint_metadata,
    writes_sort_key,
)

from ...db import kept
from ...db.digests import SIZE, changed_value, damaged_checkpoint
from ...db.encryption import Seal
from ...db.fence import guard_write
from ..channels import checkpoint_with, is_snapshot
from .parcels import Packer, references

SCHEMA = """
create table if not exists flow_checkpoints (
    run text not null, space text not null, id text not null, parent text,
    body blob not null, about text not null, mark blob not null, written integer not null,
    primary key (run, space, id)
);
create table if not exists flow_writes (
    run text not null, space text not null, checkpoint text not null, task text not null,
    number integer not null, path text not null, channel text not null, slot blob not null,
    mark blob not null, along integer not null,
    primary key (run, space, checkpoint, task, number)
);
"""
_ROW = "run, space, id, parent, body, about, mark, written"
_CHAIN = (
    "with recursive chain(id, parent) as (select id, parent from flow_checkpoints"
    " where run = :run and space = :space and id = :id union all select c.id, c.parent from chain"
    " cross join flow_checkpoints c on c.id = chain.parent where c.run = :run and c.space = :space)"
    f" select {', '.join(f'f.{name}' for name in _ROW.split(', '))} from chain"
    " cross join flow_checkpoints f on f.id = chain.id where f.run = :run and f.space = :space"
)
"""A checkpoint and its parents, from the last one back. Nothing is read before it is asked for."""
_OF_THESE = (
    "from flow_writes where run = ? and space = ? and number >= 0"
    " and checkpoint in (select value from json_each(?))"
)
_TORN = f"select min(channel) {_OF_THESE} group by checkpoint, task having count(*) < max(along)"
_COUNTS = f"select checkpoint, count(*) {_OF_THESE} group by checkpoint"
_REMEMBERED = 64
"""Namespaces of which the slots of the last checkpoint are remembered."""
_MANY = 500
Texts = dict[bytes, str]
Result = TypeVar("Result")


class Stored(NamedTuple):
    """A checkpoint as it is kept; `slots` stand for the values of its channels."""

    run: str
    space: str
    id: str
    parent: str | None
    body: dict[str, Any]
    about: dict[str, Any]
    written: int

    @property
    def slots(self) -> Mapping[str, bytes]:
        slots: Mapping[str, bytes] = self.body["channel_values"]
        return slots


@dataclass(slots=True)
class SqliteTables:
    """Reads and writes of one connection. Everything raises `RunError` for what was changed."""

    connection: sqlite3.Connection
    cipher: Seal | None
    packers: dict[str, Packer] = field(default_factory=dict)
    """By realm: each has a key of its own."""
    realms: dict[str, str] = field(default_factory=dict)
    last: dict[tuple[str, str], tuple[str, Mapping[str, bytes]]] = field(default_factory=dict)
    """Of a namespace the newest checkpoint, and its slots."""

    def create(self) -> None:
        """Create what is not there."""
        self.connection.executescript(f"pragma journal_mode=wal; {SCHEMA} {kept.SCHEMA}")

    def read(self, work: Callable[[], Result]) -> Result:
        """Do the work on what is kept at one moment."""
        self.connection.execute("begin")
        try:
            return work()
        finally:
            self.connection.rollback()

    def write(self, run: str, epoch: int | None, work: Callable[[], Result]) -> Result:
        """Do the work in one transaction, behind the fence of a run that is held here."""
        try:
            return guard_write(self.connection, run, epoch, work)
        except BaseException:
            self.last.clear()
            raise

    def write_later(self, run: str, epoch: int | None, work: Callable[[], Result]) -> Result:
        """Do the same without a wait for the disk, which the next transaction waits for."""
        self.connection.execute("pragma synchronous=normal")
        try:
            return self.write(run, epoch, work)
        finally:
            self.connection.execute("pragma synchronous=full")

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint."""
        into = config["configurable"]
        run, space, id = str(into["thread_id"]), str(into["checkpoint_ns"]), checkpoint["id"]
        parent = into.get("checkpoint_id")
        before, known = self.last.get((run, space), ("", {}))
        known = known if before == parent else {}
        apart: dict[bytes, bytes] = {}
        packer = self.packer(run)
        slots = {
            name: known[name]
            if name in known and name not in new_versions and not is_snapshot(value)
            else packer.slot(value, apart)
            for name, value in checkpoint["channel_values"].items()
        }
        self._keep(run, space, apart)
        body = packer.serde.dumps_typed(checkpoint_with(checkpoint, slots))[1]
        told = get_checkpoint_metadata(config, metadata)
        about = json.dumps(told, ensure_ascii=False).encode("utf-8", "ignore").decode()
        mark = self.mark(run, id, parent or "", about, body)
        written = self._counts(run, space, [parent]).get(parent, 0) if parent else 0
        locked = kept.close_content(body, packer.cipher)
        row = (run, space, id, parent, locked, about, mark, written)
        query = "insert or replace into flow_checkpoints values (?, ?, ?, ?, ?, ?, ?, ?)"
        self.connection.execute(query, row)
        self.last.pop((run, space), None)
        self.last[run, space] = (id, slots)
        if len(self.last) > _REMEMBERED:
            del self.last[next(iter(self.last))]
        place = {"thread_id": into["thread_id"], "checkpoint_ns": space, "checkpoint_id": id}
        return {"configurable": place}

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task: str, path: str
    ) -> None:
        """Keep what a task wrote after a checkpoint."""
        into = config["configurable"]
        place = (str(into["thread_id"]), str(into["checkpoint_ns"]), str(into["checkpoint_id"]))
        apart: dict[bytes, bytes] = {}
        packer = self.packer(place[0])
        rows, along = [], sum(channel not in WRITES_IDX_MAP for channel, _ in writes)
        for index, (channel, value) in enumerate(writes):
            number = WRITES_IDX_MAP.get(channel, index)
            slot = packer.slot(value, apart)
            mark = self.mark(place[0], place[2], task, str(number), path, channel, slot)
            locked = kept.close_content(slot, packer.cipher)
            rows.append((*place, task, number, path, channel, locked, mark, along))
        self._keep(*place[:2], apart)
        special = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        query = f"insert or {'replace' if special else 'ignore'} into flow_writes"
        self.connection.executemany(f"{query} values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def forget(self, run: str) -> None:
        """Delete everything of a run."""
        for table in ("flow_checkpoints", "flow_writes"):
            self.connection.execute(f"delete from {table} where run = ?", (run,))
        self._release(kept.RELEASE_RUN, run)

    def take_back(self, executions: Sequence[str]) -> None:
        """Delete the checkpoints of executions, and what was written after them."""
        among = "json_extract(about, '$.run_id') in (select value from json_each(?))"
        query = f"delete from flow_checkpoints where {among} returning run, space, id"
        gone = self.connection.execute(query, (json.dumps(list(executions)),)).fetchall()
        query = "delete from flow_writes where run = ? and space = ? and checkpoint = ?"
        self.connection.executemany(query, gone)
        for run, space in {row[:2] for row in gone}:
            self._hold_anew(run, space)

    def drop_space(self, run: str, space: str) -> int:
        """Delete the checkpoints of a namespace. Return how many there were."""
        where = "where run = ? and space = ?"
        self.connection.execute(f"delete from flow_writes {where}", (run, space))
        cursor = self.connection.execute(f"delete from flow_checkpoints {where}", (run, space))
        self._release(kept.RELEASE_PLACE, run, kept.CHECKPOINTS + space)
        return cursor.rowcount

    def drop_others(self, run: str, id: str) -> int:
        """Delete the checkpoints of the main graph but one, which has no parent then."""
        others = "where run = ? and space = '' and"
        self.connection.execute(f"delete from flow_writes {others} checkpoint <> ?", (run, id))
        query = f"delete from flow_checkpoints {others} id <> ?"
        dropped = self.connection.execute(query, (run, id)).rowcount
        self._hold_anew(run, "")
        return dropped

    def _hold_anew(self, run: str, space: str) -> None:
        """Let go what the checkpoints of a namespace do not refer to any more."""
        slots: list[bytes] = []
        for item in self.select("where run = ? and space = ?", (run, space)):
            slots += item.slots.values()
        query = (
            "select checkpoint, task, number, path, channel, slot, mark from flow_writes"
            " where run = ? and space = ?"
        )
        slots += [self._slot(run, row) for row in self.connection.execute(query, (run, space))]
        place, meanwhile = kept.CHECKPOINTS + space, f"{kept.CHECKPOINTS}|"
        contents = self.contents(run, {slot[1:] for slot in slots if slot[:1] == b"\1"})
        names = {name for slot in slots for name in references(slot, contents)}
        realm = self.realm(run)
        self.connection.executemany(kept.HOLD, ((run, meanwhile, name, realm) for name in names))
        self._release(kept.RELEASE_PLACE, run, place)
        query = "update holds set place = ? where run = ? and place = ?"
        self.connection.execute(query, (place, run, meanwhile))

    def _release(self, statements: Iterable[tuple[str, int]], *values: str) -> None:
        for statement, times in statements:
            self.connection.execute(statement, values * times)
        self.last.clear()

    def _keep(self, run: str, space: str, apart: Mapping[bytes, bytes]) -> None:
        if not apart:
            return
        realm, place, cipher = self.realm(run), kept.CHECKPOINTS + space, self.packer(run).cipher
        blobs = ((realm, name, kept.close_content(data, cipher)) for name, data in apart.items())
        self.connection.executemany(kept.KEEP, blobs)
        self.connection.executemany(kept.HOLD, ((run, place, name, realm) for name in apart))

    def realm(self, run: str) -> str:
        """Return whose contents a run shares."""
        if run not in self.realms:
            rows = self.connection.execute(kept.REALM, (run,)).fetchall()
            self.realms[run] = rows[0][0] if rows else ""
        return self.realms[run]

    def packer(self, run: str) -> Packer:
        """Return what packs the values of a run, with the key of its realm."""
        realm = self.realm(run)
        if realm not in self.packers:
            self.packers[realm] = Packer(self.cipher and self.cipher.for_realm(realm))
        return self.packers[realm]

    def mark(self, run: str, *parts: str | bytes) -> bytes:
        """Return the digest of parts of a run's row, none of which can run into the next."""
        cipher = self.packer(run).cipher
        key = b"" if cipher is None else cipher.secret
        digest = blake2b(digest_size=SIZE, key=key)
        for part in parts:
            data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
        return digest.digest()

    def newest(self, run: str, space: str, id: str | None) -> Stored | None:
        """Return a checkpoint, by default the last of its namespace."""
        where = "where run = ? and space = ? and " + ("id = ?" if id else "? is null")
        query = f"select {_ROW} from flow_checkpoints {where} order by id desc limit 1"
        rows = self.connection.execute(query, (run, space, id or None)).fetchall()
        return self._read_row(rows[0]) if rows else None

    def select(self, where: str, values: Sequence[Any]) -> Iterator[Stored]:
        """Yield the checkpoints that a query finds."""
        for row in self.connection.execute(f"select {_ROW} from flow_checkpoints {where}", values):
            yield self._read_row(row)

    def chain(self, run: str, space: str, id: str) -> Iterator[Stored]:
        """Yield a checkpoint, its parent, and so on to the first one. Raise `RunError` where one of
        them is gone: what was written there would be missing without a word."""
        seen: set[str] = set()
        parent: str | None = None
        for row in self.connection.execute(_CHAIN, {"run": run, "space": space, "id": id}):
            if row[2] in seen:
                return
            seen.add(row[2])
            item = self._read_row(row)
            parent = item.parent
            yield item
        if parent:
            raise damaged_checkpoint(run, parent)

    def _read_row(self, row: Sequence[Any]) -> Stored:
        run, space, id, parent, data, about, mark, written = row
        try:
            body = self._open(run, data, f"the checkpoint {id} of run {run}")
            if mark != self.mark(run, id, parent or "", about, body):
                raise damaged_checkpoint(run, id)
            content = self.packer(run).serde.loads_typed(("msgpack", body))
            return Stored(run, space, id, parent, content, json.loads(about), int(written))
        except (ValueError, TypeError, AttributeError):
            raise damaged_checkpoint(run, str(id)) from None

    def _open(self, run: str, data: bytes, what: str) -> bytes:
        cipher = self.packer(run).cipher
        return data if cipher is None else cipher.open(data, what)

    def values(self, item: Stored, names: Iterable[str], texts: Texts) -> dict[str, Any]:
        """Return what a checkpoint holds of channels."""
        slots = item.slots
        held = [name for name in names if name in slots]
        what = [(f"the value of `{name}` in run {item.run}", slots[name]) for name in held]
        return dict(zip(held, self._unpack(item.run, what, texts), strict=True))

    def writes(
        self, run: str, space: str, ids: Sequence[str], texts: Texts, channels: Iterable[str] = ()
    ) -> dict[str, list[tuple[str, str, Any]]]:
        """Return what was written to channels (empty: all) after checkpoints, in LangGraph's
        order."""
        among, names = "checkpoint in (select value from json_each(?))", list(channels)
        if names:
            among += " and channel in (select value from json_each(?))"
        query = (
            "select checkpoint, task, number, path, channel, slot, mark from flow_writes"
            f" where run = ? and space = ? and {among}"
        )
        more = [json.dumps(names)] if names else []
        rows = self.connection.execute(query, (run, space, json.dumps(list(ids)), *more)).fetchall()
        for (channel,) in self.connection.execute(_TORN, (run, space, json.dumps(list(ids)))):
            raise changed_value(f"what was written with `{channel}` in run {run}")
        rows.sort(key=lambda row: writes_sort_key(row[3], row[1], row[2]))
        slots = [(_write_in(run, row[4]), self._slot(run, row)) for row in rows]
        written: dict[str, list[tuple[str, str, Any]]] = {}
        for row, value in zip(rows, self._unpack(run, slots, texts), strict=True):
            written.setdefault(row[0], []).append((row[1], row[4], value))
        return written

    def require_steps(
        self, run: str, space: str, children: Iterable[tuple[str | None, int]]
    ) -> None:
        """Raise `RunError` where fewer values stand after a parent than its child says."""
        written: dict[str, int] = {}
        for parent, count in children:
            if parent:
                written[parent] = max(count, written.get(parent, 0))
        counts = self._counts(run, space, list(written))
        for parent, count in written.items():
            if counts.get(parent, 0) < count:
                raise changed_value(f"what was written after the checkpoint {parent} of run {run}")

    def _counts(self, run: str, space: str, ids: Sequence[str]) -> dict[str, int]:
        """Return how many values tasks wrote after checkpoints."""
        rows = self.connection.execute(_COUNTS, (run, space, json.dumps(ids)))
        return dict(rows.fetchall())

    def _slot(self, run: str, row: Sequence[Any]) -> bytes:
        checkpoint, task, number, path, channel, data, mark = row
        try:
            slot = self._open(run, data, _write_in(run, channel))
            if mark == self.mark(run, checkpoint, task, str(number), path, channel, slot):
                return slot
        except (ValueError, TypeError, AttributeError):
            pass
        raise changed_value(_write_in(run, channel))

    def _unpack(self, run: str, slots: Iterable[tuple[str, bytes]], texts: Texts) -> list[Any]:
        return self.packer(run).values(slots, lambda names: self.contents(run, names), texts)

    def contents(self, run: str, names: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the contents of hashes that are there and were not changed."""
        found: dict[bytes, bytes] = {}
        waiting, realm, cipher = list(names), self.realm(run), self.packer(run).cipher
        while waiting:
            some, waiting = waiting[:_MANY], waiting[_MANY:]
            marks = ", ".join("?" * len(some))
            query = f"select hash, data from blobs where realm = ? and hash in ({marks})"
            for name, data in self.connection.execute(query, (realm, *some)):
                if isinstance(data, bytes):
                    content = kept.open_content(data, name, cipher)
                    if content is not None:
                        found[name] = content
        return found


def _write_in(run: str, channel: str) -> str:
    return f"what was written to `{channel}` in run {run}"
