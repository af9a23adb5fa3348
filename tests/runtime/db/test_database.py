"""What every module may ask of a store's database: statements, transactions, one at a time."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import time
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.db.database import Database, create_tables
from flowc.runtime.db.url import locate
from flowc.runtime.errors import RunError, StoreAway
from flowc.runtime.store.open import open_database
from flowc.runtime.store.runs import open_store

SCHEMA = """
create table if not exists spent (run text not null, amount integer not null, primary key (run));
create table if not exists seen (run text not null, number integer not null);
"""
ADD = "update spent set amount = ? where run = ?"


@pytest.fixture
def kept(any_store, wait):
    """Run a function with a database that has the tables of SCHEMA and one row in `spent`."""

    def run(function: Any) -> Any:
        async def go() -> Any:
            async with open_store(any_store):
                pass  # a database with other tables alone would be another program's
            async with open_database(locate(any_store), durable=True) as db:
                await create_tables(db, SCHEMA)
                await create_tables(db, SCHEMA)
                await db.run("insert into spent values (?, ?)", ("r", 0))
                return await function(db)

        return wait(go())

    return run


async def spent(db: Database) -> int:
    amount: int = (await db.rows("select amount from spent where run = ?", ("r",)))[0][0]
    return amount


def test_statements_say_how_many_rows_they_wrote(kept) -> None:
    async def go(db: Database) -> None:
        insert = "insert into spent values (?, ?) on conflict (run) do nothing"
        assert await db.run(insert, ("s", 1)) == 1
        assert await db.run(insert, ("s", 2)) == 0
        assert await db.run("update spent set amount = amount + 1") == 2
        assert await db.rows("select run, amount from spent order by run") == [("r", 1), ("s", 2)]

    kept(go)


def test_several_queries_give_the_rows_of_each(kept) -> None:
    """Of PostgreSQL in one transaction: another one cannot come between them."""

    async def go(db: Database) -> None:
        query, nobody = "select run, amount from spent where run = ?", "select run from seen"
        assert await db.rows_of_each([(query, ("r",)), (nobody, ())]) == [[("r", 0)], []]
        if db.dialect == "postgresql":
            number = ("select txid_current()", ())
            (first,), (second,) = await db.rows_of_each([number, number])
            assert first == second
        with pytest.raises(RunError):
            await db.rows_of_each([(query, ("r",)), ("select nothing from nowhere", ())])
        assert await spent(db) == 0

    kept(go)


SYNCHRONOUS = {
    "sqlite": "select synchronous from pragma_synchronous",
    "postgresql": "select case current_setting('synchronous_commit') when 'on' then 2 else 1 end",
}


def test_what_is_written_later_alone_does_not_wait_for_the_disk(kept) -> None:
    async def go(db: Database) -> None:
        held = db.for_run("r")
        await db.run("insert into leases values ('r', 1, '')")
        db.epochs["r"] = 1
        note = f"insert into seen select ?, ({SYNCHRONOUS[db.dialect]})"
        expected = []
        for name, later in (("a", False), ("b", True), ("c", False)):
            await held.put_all(((ADD, (5, "r")), (note, (name,))), later=later)
            expected.append((name, 1 if later else 2))
            assert await spent(db) == 5
        assert await db.rows("select run, number from seen order by run") == expected

    kept(go)


def test_writes_that_are_put_together_are_none_where_one_cannot_be(kept) -> None:
    async def go(db: Database) -> None:
        await db.run("insert into leases values ('r', 1, '')")
        db.epochs["r"] = 1
        with pytest.raises(RunError):
            await db.for_run("r").put_all(((ADD, (5, "r")), ("insert into spent values (1)", ())))
        assert await spent(db) == 0

    kept(go)


def test_text_compares_by_code_point_and_may_hold_what_sql_means(kept) -> None:
    async def go(db: Database) -> None:
        names = ["a:1", "a:1|b", "a:1}", "B", "é", "100% ? :x $1 %s", "'; drop table spent; --"]
        await db.many("insert into seen values (?, ?)", [(name, 1) for name in names])
        rows = await db.rows("select run from seen order by run")
        assert [row[0] for row in rows] == sorted(names)
        found = await db.rows("select run from seen where run like '100%' and number = ?", (1,))
        assert found == [("100% ? :x $1 %s",)]

    kept(go)


def test_a_transaction_is_both_or_neither(kept) -> None:
    async def go(db: Database) -> None:
        async def broken() -> None:
            async with db.transaction() as inside:
                await inside.run(ADD, (5, "r"))
                await inside.many("insert into seen values (?, ?)", [("r", 1)])
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await broken()
        assert (await spent(db), await db.rows("select * from seen")) == (0, [])
        with pytest.raises(RunError):
            await db.many("insert into spent values (?, ?)", [("new", 1), ("r", 2)])
        assert await db.rows("select run from spent") == [("r",)]

    kept(go)


def test_what_a_transaction_read_is_not_written_by_others_meanwhile(kept, any_store) -> None:
    """Ten tasks on each of two connections add one, five times each."""

    async def add(db: Database) -> None:
        for _ in range(5):
            async with db.transaction("what is spent") as inside:
                await inside.run(ADD, (await spent(inside) + 1, "r"))

    async def go(db: Database) -> int:
        async with open_database(locate(any_store), durable=False) as other:
            await asyncio.gather(*(add(d) for d in (db, other) for _ in range(10)))
        return await spent(db)

    assert kept(go) == 100


def test_a_transaction_about_something_else_does_not_wait(kept, any_store) -> None:
    """A process may be frozen in one: only who wants the same thing waits for it."""
    if any_store.startswith("sqlite"):
        pytest.skip("a file has one writer")

    async def go(db: Database) -> None:
        async def about(name: str) -> None:
            async with other.transaction() as inside, inside.transaction(name, "more"):
                await inside.run("insert into seen values (?, 1)", (name,))

        async with open_database(locate(any_store), durable=False) as other:
            async with db.transaction("one", "many"):
                same = asyncio.create_task(about("one"))
                await asyncio.wait_for(about("two"), 20)
                await db.run(ADD, (7, "r"))
                assert await db.rows("select run from seen") == [("two",)]
            await same
        assert await db.rows("select run from seen order by run") == [("one",), ("two",)]

    kept(go)


@pytest.mark.parametrize("turns", range(6))
def test_a_task_that_is_cancelled_in_a_transaction_leaves_none_open(kept, turns) -> None:
    async def work(db: Database) -> None:
        async with db.transaction() as inside:
            await inside.run(ADD, (7, "r"))
            await inside.run("insert into seen values ('r', 1)")

    async def go(db: Database) -> None:
        task = asyncio.create_task(work(db))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        seen = await db.rows("select * from seen")
        assert (await spent(db), seen) in [(0, []), (7, [("r", 1)])]
        async with db.transaction() as inside:
            await inside.run(ADD, (9, "r"))
        assert await spent(db) == 9

    kept(go)


def test_several_that_ask_for_a_file_that_went_away_wait_together(tmp_path: Path, wait) -> None:
    place = dataclasses.replace(locate(str(tmp_path / "runs.db")), patience=3.0)

    async def go() -> list[float]:
        ends = []
        async with open_store(str(place.path)):
            pass
        async with open_database(place, durable=True) as db:
            os.unlink(tmp_path / "runs.db")
            began = time.monotonic()

            async def ask() -> None:
                with pytest.raises(StoreAway, match="moved, deleted or replaced"):
                    await db.run("delete from runs")
                ends.append(time.monotonic() - began)

            await asyncio.gather(*(ask() for _ in range(3)))
        return ends

    first, *others = wait(go())
    assert all(end - first < first / 2 for end in others)
