"""Our savers write what LangGraph's own do, in fewer statements and visits of a thread."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from flowc.runtime.checkpoints.tables.serializer import StrictSerializer
from flowc.runtime.checkpoints.tables.sqlite_saver import SqliteSaver
from flowc.runtime.db.url import locate
from flowc.runtime.store.open import open_location
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from stores import ask, fresh_store

PLACE = {"thread_id": "t", "checkpoint_ns": ""}
VALUES: dict[str, Any] = {
    "list": [1, "é"],
    "short": "yes",
    "number": 2,
    "nothing": None,
    "flag": True,
}
WRITES = [("list", [1, 2]), ("short", "no"), ("branch:to:b", None)]
ERRORS = [("__error__", "ended"), ("__interrupt__", ("a",))]


def checkpoint(number: int) -> dict[str, Any]:
    return {
        "v": 4,
        "ts": "2026-01-01T00:00:00+00:00",
        "id": f"1ef4f797-8335-6428-8001-8a1503f9b{number:03}",
        "channel_values": VALUES,
        "channel_versions": dict.fromkeys(VALUES, f"{number:032}.1"),
        "versions_seen": {},
        "updated_channels": None,
    }


async def used(saver: Any) -> Any:
    """What a run does, in small: the config after its last checkpoint."""
    config: Any = {"configurable": PLACE}
    for number in (1, 2, 2):
        told = {"source": "loop", "step": number}
        whole = checkpoint(number)
        new = {name: whole["channel_versions"][name] for name in ("list", "short")}
        config = await saver.aput(config, whole, told, new)
        await saver.aput_writes(config, WRITES, f"task{number}", "path")
        await saver.aput_writes(config, ERRORS, f"task{number}")
    return config


@contextlib.asynccontextmanager
async def sqlite_saver(kind: type[AsyncSqliteSaver], path: Path) -> AsyncIterator[Any]:
    async with aiosqlite.connect(path) as connection:
        yield kind(connection, serde=StrictSerializer(None))


def test_sqlite_has_the_rows_of_langgraph(tmp_path: Path, wait) -> None:
    async def rows(kind: type[AsyncSqliteSaver]) -> Any:
        path = tmp_path / f"{kind.__name__}.db"
        async with sqlite_saver(kind, path) as saver:
            after = await used(saver)
        with contextlib.closing(sqlite3.connect(path)) as file:
            kept = [file.execute(f"select * from {t} order by 3, 4, 6").fetchall() for t in TABLES]
        return after, kept

    assert wait(rows(SqliteSaver)) == wait(rows(AsyncSqliteSaver))


TABLES = ("checkpoints", "writes")


def test_a_write_visits_the_thread_of_sqlite_once(tmp_path: Path, wait) -> None:
    async def visits() -> int:
        async with sqlite_saver(SqliteSaver, tmp_path / "runs.db") as saver:
            await saver.setup()
            seen, execute = [], saver.conn._execute

            async def counted(call: Any, *given: Any, **more: Any) -> Any:
                seen.append(call)
                return await execute(call, *given, **more)

            saver.conn._execute = counted
            await used(saver)
            return len(seen)

    assert wait(visits()) == 9


def test_a_write_of_sqlite_that_fails_leaves_nothing_behind(tmp_path: Path, wait) -> None:
    async def failed() -> Any:
        async with sqlite_saver(SqliteSaver, tmp_path / "runs.db") as saver:
            config = await used(saver)
            refused = [("list", 1), ("list", "\ud800"), ("\ud800", 2)]
            with pytest.raises(UnicodeEncodeError):
                await saver.aput_writes(config, refused, "refused")
            await saver.aput_writes(config, WRITES, "later")
            query = "select task_id, count(*) from writes group by task_id"
            return dict(await saver.conn.execute_fetchall(query))

    assert wait(failed()) == {"task1": 5, "task2": 5, "later": 3}


def test_an_execution_that_is_taken_back_leaves_what_was_before_it(any_store: str, wait) -> None:
    """LangGraph's server asks for it when another input is to replace the one that runs."""

    async def left() -> Any:
        async with open_location(locate(any_store)) as store, store.checkpointer() as saver:
            config: Any = {"configurable": PLACE}
            for number, run in ((1, "before"), (2, "taken back"), (3, "taken back")):
                whole = checkpoint(number)
                told: Any = {"source": "loop", "step": number, "run_id": run}
                config = await saver.aput(config, whole, told, whole["channel_versions"])
                await saver.aput_writes(config, WRITES, f"task{number}")
            await saver.adelete_for_runs(["taken back", "unknown"])
            kept = [item async for item in saver.alist({"configurable": PLACE})]
            table = "checkpoint_writes" if "postgresql" in any_store else "writes"
            rows = await store.db.rows(f"select distinct task_id from {table}")
            return [item.checkpoint["id"] for item in kept], rows

    assert wait(left()) == ([checkpoint(1)["id"]], [("task1",)])


def test_a_cancelled_write_of_sqlite_is_there_or_not_there(tmp_path: Path, wait) -> None:
    async def cancelled() -> Any:
        async with sqlite_saver(SqliteSaver, tmp_path / "runs.db") as saver:
            config = await used(saver)
            writing = asyncio.create_task(saver.aput_writes(config, WRITES, "cancelled"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            writing.cancel()
            await asyncio.wait([writing])
            await saver.conn.rollback()
            query = "select count(*) from writes where task_id = 'cancelled'"
            return await saver.conn.execute_fetchall(query)

    assert wait(cancelled()) in ([(0,)], [(3,)])


def test_postgresql_has_the_rows_of_langgraph(tmp_path: Path, wait) -> None:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    async def ours(url: str) -> Any:
        async with open_location(locate(url)) as opened, opened.checkpointer() as saver:
            return await used(saver)

    async def theirs(url: str) -> Any:
        opening = AsyncPostgresSaver.from_conn_string(url, serde=StrictSerializer(None))
        async with opening as saver:
            await saver.setup()
            return await used(saver)

    def kept(url: str, schema: str) -> Any:
        tables = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
        return [ask(url, f"select * from {schema}.{t} t order by t::text") for t in tables]

    with fresh_store("postgresql", tmp_path) as one, fresh_store("postgresql", tmp_path) as other:
        assert wait(ours(one)) == wait(theirs(other))
        assert kept(one, "flowc") == kept(other, "public")


def test_a_checkpoint_of_postgresql_is_one_statement(tmp_path: Path, wait) -> None:
    async def statements(url: str) -> int:
        async with open_location(locate(url)) as opened, opened.checkpointer() as saver:
            counted: list[str] = []
            cursor = saver._cursor

            @contextlib.asynccontextmanager
            async def watched(**options: Any) -> AsyncIterator[Any]:
                assert not options
                async with cursor() as inner:
                    counted.append("one")
                    yield inner

            saver._cursor = watched
            await used(saver)
            return len(counted)

    with fresh_store("postgresql", tmp_path) as url:
        assert wait(statements(url)) == 9


def test_more_rows_than_a_statement_of_postgresql_can_have(tmp_path: Path, wait) -> None:
    names = [f"v{number}" for number in range(12_000)]
    whole = {**checkpoint(1), "channel_values": {name: [1] for name in names}}
    whole["channel_versions"] = dict.fromkeys(names, f"{1:032}.1")

    async def written(url: str) -> None:
        async with open_location(locate(url)) as opened, opened.checkpointer() as saver:
            config: Any = {"configurable": PLACE}
            config = await saver.aput(config, whole, {}, whole["channel_versions"])
            await saver.aput_writes(config, [(name, [1]) for name in names], "task")

    with fresh_store("postgresql", tmp_path) as url:
        wait(written(url))
        tables = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
        rows = [ask(url, f"select count(*) from flowc.{table}")[0][0] for table in tables]
    assert rows == [1, 12_000, 12_000]
