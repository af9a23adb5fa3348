"""One bit of what a checkpoint holds is changed: it is found when it is read, and named."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.checkpoints.tables.serializer import StrictSerializer
from flowc.runtime.checkpoints.tables.sqlite_saver import open_sqlite_saver
from flowc.runtime.db import kept
from flowc.runtime.db.encryption import seal_from
from flowc.runtime.db.fence import Epochs
from flowc.runtime.db.url import locate
from flowc.runtime.errors import RunError
from flowc.runtime.store.open import open_location
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from stores import fresh_store

KEPT = (
    ("flow_checkpoints", ("parent", "body", "about", "mark")),
    ("flow_writes", ("path", "channel", "slot", "mark")),
    ("blobs", ("hash", "data")),
)
"""Where values are kept, and what LangGraph relies on beside them."""
LONG = "a text that is kept apart " * 60


async def fill(saver: Any) -> None:
    config: Any = {"configurable": {"thread_id": "r", "checkpoint_ns": ""}}
    for number in range(2):
        values = {"text": LONG, "list": _DeltaSnapshot(list(range(400))), "n": number}
        versions = dict.fromkeys(values, f"{number + 1:010}")
        whole: Any = {
            "v": 4,
            "ts": "2026-01-01T00:00:00+00:00",
            "id": f"1ef4f797-8335-6428-8001-8a1503f9b{number:03}",
            "channel_values": values,
            "channel_versions": versions,
            "versions_seen": {},
            "updated_channels": None,
        }
        config = await saver.aput(config, whole, {"source": "loop", "step": number}, versions)
        await saver.aput_writes(config, [("n", number), ("told", [LONG])], f"task{number}", "~a")


async def everything(saver: Any, run: str = "r") -> list[Any]:
    bare: Any = {"configurable": {"thread_id": run, "checkpoint_ns": ""}}
    await saver.aget_delta_channel_history(config=bare, channels=["none"])
    return [item async for item in saver.alist(bare)]


def flipped(value: Any, dice: random.Random) -> Any:
    """The value with one bit of it changed."""
    data = bytearray(value.encode() if isinstance(value, str) else value)
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(7)
    return data.decode("utf-8") if isinstance(value, str) else bytes(data)


@pytest.mark.parametrize("key", ["", "00" * 32])
def test_a_changed_bit_in_sqlite_is_found_and_named(tmp_path: Path, wait, key: str) -> None:
    dice, file = random.Random(4711), tmp_path / "runs.db"
    serde = StrictSerializer(seal_from({"FLOWC_STORE_KEY": key}))

    async def go() -> None:
        async with open_sqlite_saver(locate(str(file)), serde, Epochs()) as saver:
            await fill(saver)
            whole = await everything(saver)
            with sqlite3.connect(file, isolation_level=None) as db:
                for table, columns in KEPT:
                    for column in columns:
                        await each_is_found(saver, db, table, column, dice)
            db.close()
            assert await everything(saver) == whole

    wait(go())


def test_a_row_of_another_team_is_refused_in_sqlite(tmp_path: Path, wait) -> None:
    """With the store's key: each team has one of its own, derived from it."""
    file = tmp_path / "runs.db"
    serde = StrictSerializer(seal_from({"FLOWC_STORE_KEY": "00" * 32}))

    async def go() -> None:
        async with open_sqlite_saver(locate(str(file)), serde, Epochs()) as saver:
            with sqlite3.connect(file, isolation_level=None) as db:
                db.executemany("insert into realms values (?, ?)", [("r", "a"), ("s", "a")])
                await fill(saver)
                whole = await everything(saver)
                for table in ("flow_checkpoints", "flow_writes"):
                    db.execute(f"update {table} set run = 's'")
                db.execute("update holds set run = 's'")
                assert len(await everything(saver, "s")) == len(whole)  # within the team
                db.execute("update realms set realm = 'b' where run = 's'")
                db.execute("update holds set realm = 'b'")
                db.execute("update blobs set realm = 'b'")
            db.close()
        async with open_sqlite_saver(locate(str(file)), serde, Epochs()) as saver:
            with pytest.raises(RunError, match=r"run s .*not encrypted with the key"):
                await everything(saver, "s")

    wait(go())


async def each_is_found(saver: Any, db: Any, table: str, column: str, dice: Any) -> None:
    rows = db.execute(f"select rowid, {column} from {table} where {column} <> ''").fetchall()
    assert rows, (table, column)
    query = f"update {table} set {column} = ? where rowid = ?"
    for rowid, value in rows:
        for _ in range(3):
            db.execute(query, (flipped(value, dice), rowid))
            with pytest.raises(RunError) as said:
                await everything(saver)
            assert "run r" in said.value.message
            if table == "blobs" or column == "slot":
                assert "`" in said.value.message  # the channel
            db.execute(query, (value, rowid))


_FLIP = "set_byte({0}, length({0}) - 1, get_byte({0}, length({0}) - 1) # 4)"
_OTHER = "left({0}, -1) || '?'"
_CHANGES = (
    ("checkpoints", "parent_checkpoint_id", _OTHER),
    ("checkpoints", "checkpoint", "jsonb_set({0}, '{{channel_values,n}}', '7.5')"),
    ("checkpoints", "checkpoint", "{0} - 'ts'"),
    ("checkpoints", "metadata", "jsonb_set({0}, '{{step}}', '7')"),
    ("checkpoints", "mark", _FLIP),
    ("checkpoints", "mark", "null"),
    ("checkpoint_writes", "task_path", _OTHER),
    ("checkpoint_writes", "channel", _OTHER),
    ("checkpoint_writes", "type", "'null'"),
    ("checkpoint_writes", "blob", _FLIP),
    ("checkpoint_writes", "blob", "'\\xc7'::bytea"),
    ("checkpoint_writes", "mark", _FLIP),
    ("checkpoint_blobs", "type", "'empty'"),
    ("checkpoint_blobs", "blob", _FLIP),
    ("checkpoint_blobs", "mark", _FLIP),
)


@pytest.mark.parametrize("key", ["", "00" * 32])
def test_a_changed_bit_in_postgresql_is_found_and_named(tmp_path, wait, monkeypatch, key) -> None:
    monkeypatch.setenv("FLOWC_STORE_KEY", key)

    async def go(url: str) -> None:
        async with open_location(locate(url)) as store, store.checkpointer() as saver:
            await fill(saver)
            whole = await everything(saver)
            for table, column, change in _CHANGES:
                keys = await store.db.rows(f"select ctid::text from {table}")
                for (row,) in keys:
                    await one_is_found(store.db, saver, table, column, change.format(column), row)
            assert await everything(saver) == whole

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))


def test_a_row_of_another_team_is_refused_in_postgresql(tmp_path, wait, monkeypatch) -> None:
    monkeypatch.setenv("FLOWC_STORE_KEY", "00" * 32)

    async def go(url: str) -> None:
        async with open_location(locate(url)) as store:
            for run in "rs":
                await store.db.run(kept.BELONG, (run, "a"))
            async with store.checkpointer() as saver:
                await fill(saver)
                whole = await everything(saver)
                for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
                    await store.db.run(f"update {table} set thread_id = 's'")
                assert len(await everything(saver, "s")) == len(whole)  # within the team
            await store.db.run("update realms set realm = 'b' where run = 's'")
            async with store.checkpointer() as saver:
                with pytest.raises(RunError, match="not encrypted with the key"):
                    await everything(saver, "s")
                bare: Any = {"configurable": {"thread_id": "s"}}
                with pytest.raises(RunError, match="not encrypted with the key"):
                    await saver.aget_tuple(bare)

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))


async def one_is_found(db: Any, saver: Any, table: str, column: str, change: str, at: str) -> None:
    kept = await db.rows(f"select {column}::text from {table} where ctid = ?::tid", (at,))
    if not kept or kept[0][0] is None:
        return  # the first checkpoint has no parent; a row that was changed back stands elsewhere
    kind = {"checkpoint": "jsonb", "metadata": "jsonb", "blob": "bytea", "mark": "bytea"}
    query = f"update {table} set {column} = {{}} where ctid = ?::tid returning ctid::text"
    after = (await db.rows(query.format(change), (at,)))[0][0]
    with pytest.raises(RunError) as said:
        await everything(saver)
    assert "run r" in said.value.message
    if table != "checkpoints":
        assert "`" in said.value.message  # the channel
    await db.rows(query.format(f"?::{kind.get(column, 'text')}"), (kept[0][0], after))
