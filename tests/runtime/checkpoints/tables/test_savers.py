"""Our savers write what LangGraph's own do, in fewer statements and visits of a thread."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from flowc.runtime.checkpoints.tables.postgres_saver import PostgresSaver
from flowc.runtime.checkpoints.tables.serializer import StrictSerializer
from flowc.runtime.checkpoints.tables.sqlite_rows import SqliteCheckpoints
from flowc.runtime.checkpoints.tables.sqlite_saver import open_sqlite_saver
from flowc.runtime.db.fence import Epochs
from flowc.runtime.db.url import locate
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.savers.home_loop import HomeLoop, at_home
from flowc.runtime.store.open import open_location
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from specs import SUCCESS, assign, lit, program
from stores import ask, fresh_store, stock_saver
from worlds import World, start

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


def test_a_saver_that_hops_between_loops_still_gets_the_path_of_a_task(
    tmp_path: Path, wait
) -> None:
    """LangGraph looks for the name. Without it the writes of a step would stand in any order."""

    async def kinds() -> list[type]:
        async with (
            sqlite_saver(tmp_path / "ours.db") as ours,
            AsyncSqliteSaver.from_conn_string(str(tmp_path / "stock.db")) as stock,
        ):
            return [type(ours), type(at_home(stock))]

    assert [HomeLoop in kind.__mro__ for kind in wait(kinds())] == [True, True]
    for kind in (*wait(kinds()), PostgresSaver):
        assert "task_path" in inspect.signature(kind.aput_writes).parameters


@contextlib.asynccontextmanager
async def sqlite_saver(path: Path) -> AsyncIterator[Any]:
    async with open_sqlite_saver(locate(str(path)), StrictSerializer(None), Epochs()) as saver:
        yield saver


BIG = "a text that is kept once " * 100
STEPS: list[dict[str, Any]] = [
    {"text": BIG, "list": [1, "é"], "nothing": None, "raw": b"x", "flag": True},
    {"text": BIG, "list": [{"in": [BIG, "é" * 600]}], "odd": {1: 2.5, "k": BIG[:600]}},
    {"text": "", "list": _DeltaSnapshot([BIG, *range(300)])},
    {"text": BIG, "mine": {"$kept": "x"}},
]


async def told(saver: Any) -> Any:
    """Keeps checkpoints with values of every kind, and tells all that LangGraph can ask for."""
    config: Any = {"configurable": PLACE}
    for number, values in enumerate(STEPS, 1):
        versions = dict.fromkeys(values, f"{number:032}.1")
        whole = {**checkpoint(number), "channel_values": values, "channel_versions": versions}
        about = {"source": "loop", "step": number, "run_id": f"run {number % 2}"}
        config = await saver.aput(config, whole, about, versions)
        await saver.aput_writes(config, [("list", [BIG, number]), ("text", None)], "b", "~z")
        await saver.aput_writes(config, [("list", BIG)], "a", "~y")
        await saver.aput_writes(config, ERRORS, "a")
        await saver.aput_writes(config, [ERRORS[0], ("list", 1)], "a")
    bare: Any = {"configurable": PLACE}
    history = {"configurable": {**PLACE, "checkpoint_id": checkpoint(4)["id"]}}
    return (
        await saver.aget_tuple(bare),
        await saver.aget_tuple(history),
        await saver.aget_tuple({"configurable": {**PLACE, "thread_id": "other"}}),
        [item async for item in saver.alist(bare)],
        [item async for item in saver.alist(bare, before=history, limit=2)],
        [item async for item in saver.alist(None, filter={"run_id": "run 1"}, limit=1)],
        await saver.aget_delta_channel_history(config=history, channels=["list", "raw", "none"]),
        await saver.aget_delta_channel_history(config=bare, channels=["odd"]),
    )


def test_sqlite_tells_what_langgraph_s_own_saver_tells(tmp_path: Path, wait) -> None:
    async def ours() -> Any:
        async with sqlite_saver(tmp_path / "runs.db") as saver:
            return await told(saver)

    async def theirs() -> Any:
        async with aiosqlite.connect(":memory:") as connection:
            return await told(AsyncSqliteSaver(connection, serde=StrictSerializer(None)))

    for mine, other in zip(wait(ours()), wait(theirs()), strict=True):
        assert mine == other


def test_a_saver_of_langgraph_s_finds_no_run_in_the_file(tmp_path: Path, wait) -> None:
    async def found() -> Any:
        async with sqlite_saver(tmp_path / "runs.db") as saver:
            await used(saver)
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "runs.db")) as stock:
            return [item async for item in stock.alist(None)]

    assert wait(found()) == []


def test_a_value_is_kept_once_however_often_it_is_written(tmp_path: Path, wait) -> None:
    async def kept() -> int:
        async with sqlite_saver(tmp_path / "runs.db") as saver:
            await told(saver)
            rows = await saver.conn.execute_fetchall("select sum(length(data)) from blobs")
            return int(rows[0][0])

    # The text, one of 1,200 bytes and its beginning of 600, the list of 300 numbers.
    assert wait(kept()) < len(BIG) + 1_200 + 600 + 1_300


def test_what_nothing_refers_to_any_more_is_deleted(tmp_path: Path, wait) -> None:
    async def left() -> Any:
        async with sqlite_saver(tmp_path / "runs.db") as saver:
            await told(saver)
            rows = SqliteCheckpoints(saver)
            ids = [item.id for item in await rows.checkpoints("t", "", ())]
            await rows.copy("t", "fork", ids[:2])
            counts = [await counted(saver)]
            await saver.adelete_for_runs(["run 1"])
            last = await saver.aget_tuple({"configurable": PLACE})
            await rows.drop_others("t", last.checkpoint)
            whole = await saver.aget_tuple({"configurable": PLACE})
            counts.append(await counted(saver))
            await saver.adelete_thread("t")
            forked = [item async for item in saver.alist({"configurable": {"thread_id": "fork"}})]
            counts.append(await counted(saver))
            await saver.adelete_thread("fork")
            return whole.checkpoint["channel_values"], len(forked), [*counts, await counted(saver)]

    values, forked, counts = wait(left())
    assert (values, forked) == (STEPS[3], 1)
    assert counts[0] > counts[2] > counts[3] == 0


async def counted(saver: Any) -> int:
    query = "select (select count(*) from blobs), (select count(distinct hash) from holds)"
    blobs, held = (await saver.conn.execute_fetchall(query))[0]
    assert blobs == held
    return int(blobs)


def test_a_write_visits_the_thread_of_sqlite_once(tmp_path: Path, wait) -> None:
    async def visits() -> int:
        async with sqlite_saver(tmp_path / "runs.db") as saver:
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
        async with sqlite_saver(tmp_path / "runs.db") as saver:
            config = await used(saver)
            refused = [("list", 1), ("list", "\ud800"), ("\ud800", 2)]
            with pytest.raises(UnicodeEncodeError):
                await saver.aput_writes(config, refused, "refused")
            await saver.aput_writes(config, WRITES, "later")
            query = "select task, count(*) from flow_writes group by task"
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
            of = "task_id from checkpoint_writes"
            if not any_store.startswith("postgresql"):
                of = "task from flow_writes"
            rows = await store.db.rows(f"select distinct {of}")
            return [item.checkpoint["id"] for item in kept], rows

    assert wait(left()) == ([checkpoint(1)["id"]], [("task1",)])


def test_a_cancelled_write_of_sqlite_is_there_or_not_there(tmp_path: Path, wait) -> None:
    async def cancelled() -> Any:
        async with sqlite_saver(tmp_path / "runs.db") as saver:
            config = await used(saver)
            writing = asyncio.create_task(saver.aput_writes(config, WRITES, "cancelled"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            writing.cancel()
            await asyncio.wait([writing])
            await saver.conn.rollback()
            query = "select count(*) from flow_writes where task = 'cancelled'"
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
        tables = {"checkpoints": 7, "checkpoint_blobs": 6, "checkpoint_writes": 9}
        of = f"select * from {schema}.{{}} t order by 1, 2, 3, 4, 5"  # behind them: flowc's own
        return [[row[:size] for row in ask(url, of.format(t))] for t, size in tables.items()]

    with fresh_store("postgresql", tmp_path) as one, fresh_store("postgresql", tmp_path) as other:
        assert wait(ours(one)) == wait(theirs(other))
        assert kept(one, "flowc") == kept(other, "public")


def test_a_saver_of_langgraph_s_reads_what_is_in_postgresql(tmp_path: Path, wait) -> None:
    async def both(url: str) -> Any:
        async with open_location(locate(url)) as opened, opened.checkpointer() as saver:
            ours = await told(saver)
        async with stock_saver(url) as stock:
            return ours[3], [item async for item in stock.alist({"configurable": PLACE})]

    with fresh_store("postgresql", tmp_path) as url:
        ours, theirs = wait(both(url))
    assert [item.checkpoint for item in ours] == [item.checkpoint for item in theirs]
    assert [item.pending_writes for item in ours] == [item.pending_writes for item in theirs]


def test_a_checkpoint_of_postgresql_is_one_statement(tmp_path: Path, wait, sent_queries) -> None:
    async def go(url: str) -> None:
        async with open_location(locate(url)) as opened, opened.checkpointer() as saver:
            sent_queries.clear()
            await used(saver)

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))
        written = [query for query in sent_queries if "INSERT INTO" in query]
        assert len(written) == 6  # a checkpoint, then writes with the error after them


def test_steps_in_postgresql_without_an_effect_are_few_transactions(tmp_path: Path, wait) -> None:
    """What nodes wrote and their checkpoints wait for something that cannot."""
    steps = program(*(assign(f"a{n}", N=lit(n)) for n in range(5)), SUCCESS)

    async def run(url: str) -> None:
        async with open_engine(url) as engine:
            await start(engine, steps, World())

    with fresh_store("postgresql", tmp_path) as url:
        wait(run(url))
        query = (
            "select count(*), count(distinct w.xmin::text)"
            " from flowc.checkpoint_writes w join flowc.checkpoints c"
            " on c.parent_checkpoint_id = w.checkpoint_id where w.channel = '$visits'"
        )
        ((steps_of_it, transactions),) = ask(url, query)
        assert steps_of_it == 6
        assert transactions < 4


def test_what_a_task_wrote_waits_for_the_disk_with_the_checkpoint_after_it(
    any_store: str, wait, sent_queries
) -> None:
    async def sent() -> tuple[list[str], Any]:
        async with open_engine(any_store) as engine, engine.hold("t"):
            saver: Any = engine.saver
            queries: list[str] = []
            if any_store.startswith("sqlite"):
                await saver.conn.set_trace_callback(queries.append)
                await used(saver)
                level = await saver.conn.execute_fetchall("pragma synchronous")
                return [q for q in queries if "synchronous" in q or "insert" in q], level[0][0]
            sent_queries.clear()
            await used(saver)
            queries = list(sent_queries)
            level = await engine.journal_db.rows("show synchronous_commit")
            return queries, level[0][0]

    queries, level = wait(sent())
    assert level in ("on", 2)
    kinds = (
        ("flow_checkpoints", "flow_writes")
        if level == 2
        else ("into flowc.checkpoints ", "into flowc.checkpoint_writes ")
    )
    lazy, waits = False, set()
    for query in queries:
        lazy = "normal" in query or (lazy and "full" not in query)
        for kind in kinds:
            if kind in query.lower() and "insert" in query.lower():
                waits.add((kind, not (lazy or "synchronous_commit" in query)))
    assert waits == {(kinds[0], True), (kinds[1], False)}


def test_versions_in_postgresql_are_short_and_in_langgraph_s_order(tmp_path: Path, wait) -> None:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    async def versions(url: str) -> list[str]:
        async with open_location(locate(url)) as opened, opened.checkpointer() as saver:
            first = saver.get_next_version(None, None)
            other = AsyncPostgresSaver.get_next_version(saver, first, None)
            return [first, other, saver.get_next_version(other, None)]

    with fresh_store("postgresql", tmp_path) as url:
        ours = wait(versions(url))
    assert ours == sorted(ours)
    assert [int(version.partition(".")[0]) for version in ours] == [1, 2, 3]
    assert {len(ours[0]), len(ours[2])} == {41}


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
