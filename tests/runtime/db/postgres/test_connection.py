"""What is PostgreSQL's alone: passwords, servers that go away, locks that go with a connection."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import AskNode, ExecNode
from flowc.runtime.db.database import create_tables
from flowc.runtime.db.url import locate, without_password
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError, StoreFailed
from flowc.runtime.store import open as checkpoint
from flowc.runtime.store.open import open_database
from flowc.runtime.store.runs import open_store
from killing import Killed, in_process, kill_me
from proxy import Proxy
from specs import SUCCESS, assign, lit, name, parts, program, text
from stores import ask, fresh_store
from worlds import World, start

TABLE = "create table if not exists spent (run text primary key, amount integer not null)"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    with fresh_store("postgresql", tmp_path) as store:
        yield store


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgres://u:hunter2@h/d", "postgresql://u@h/d"),
        ("postgresql://u:hunt%2Fer2@h:5/d?sslmode=require", "postgresql://u@h:5/d?sslmode=require"),
        ("postgresql://h/d?user=u&password=hunter2", "postgresql://h/d?user=u"),
        ("postgresql://u:hunter2@[::1/d", "postgresql://[::1/d"),
        ("postgresql:///d?host=/run/pg", "postgresql:///d?host=/run/pg"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    location = locate(url)
    assert location.url == shown
    assert "hunt" not in repr(location)
    assert "hunt" not in without_password(shown)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://u:hunter2@127.0.0.1:1/d", "cannot be reached"),
        ("postgresql://u:hunter2@[::1/d", "cannot be read"),
        ("postgresql://u:hunter2@h/d?hunter=2", "cannot be read"),
    ],
)
def test_a_server_that_is_not_there_is_said_at_once_without_the_password(url, said, wait) -> None:
    pytest.importorskip("psycopg")

    async def go() -> None:
        async with open_store(url):
            pass

    with pytest.raises(RunError, match=said) as lease_refusal:
        wait(go())
    assert "hunter2" not in lease_refusal.value.message + lease_refusal.value.help


def test_without_the_extra_it_is_named(monkeypatch, wait) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    async def go() -> None:
        async with open_store("postgresql://u@h/d"):
            pass

    with pytest.raises(RunError, match="needs the extra `postgres`") as lease_refusal:
        wait(go())
    assert lease_refusal.value.help == "pip install 'flowc[postgres]'"
    assert checkpoint.__file__


def test_a_database_that_is_not_there(server, wait) -> None:
    async def go() -> None:
        async with open_store(server + "_not"):
            pass

    with pytest.raises(RunError, match="does not exist") as lease_refusal:
        wait(go())
    assert "createdb" in lease_refusal.value.help


def test_what_a_server_swallowed_is_written_once(server, wait) -> None:
    """The connection breaks again and again, before a statement, in it, and at its commit."""

    async def go() -> int:
        proxy = Proxy(server)
        async with proxy as url, open_database(locate(url), durable=True) as db:
            await create_tables(db, TABLE)
            await db.run("insert into spent values ('r', 0)")

            async def unrest() -> None:
                for n in range(1_000):
                    await asyncio.sleep(0.02 + n * 37 % 101 / 1_000)
                    await proxy.away(0.01)

            task = asyncio.create_task(unrest())
            for _ in range(80):
                await db.run("update spent set amount = amount + 1")
            task.cancel()
            proxy.mend()
            assert proxy.cuts > 1
            (row,) = await db.rows("select amount from spent")
            return int(row[0])

    assert wait(go()) == 80


def test_a_server_that_goes_away_before_a_transaction_does_anything_is_asked_again(
    server, wait
) -> None:
    """Between its beginning and the look at the run's number, as the run's holder."""

    async def go() -> list[Any]:
        proxy = Proxy(server)
        async with proxy as url, open_engine(url) as engine:
            await start(engine, program(SUCCESS), World())
            async with engine.hold("r"):
                proxy.refused[b"for share"] = 3
                async with engine.store.db.for_run("r").transaction("run r") as inside:
                    await inside.run("update runs set parent = 'kept' where id = 'r'")
                assert proxy.refused[b"for share"] == 0
            return await engine.store.db.rows("select parent from runs where id = 'r'")

    assert wait(go()) == [("kept",)]


def test_a_process_that_stood_still_in_a_transaction_has_lost_its_store(server, wait) -> None:
    """The server ended the connection, which says nothing against what was asked of it."""

    async def go() -> list[Any]:
        async with open_database(locate(server), durable=True) as db:
            await create_tables(db, TABLE)

            async def stand_still() -> None:
                async with db.transaction() as inside:
                    await inside.run("set local idle_in_transaction_session_timeout = 30")
                    await asyncio.sleep(0.3)
                    await inside.run("insert into spent values ('r', 1)")

            with pytest.raises(StoreFailed, match="cannot be reached"):
                await stand_still()
            await db.run("insert into spent values ('r', 2)")
            return await db.rows("select amount from spent")

    assert wait(go()) == [(2,)]


def test_of_two_that_wait_for_each_other_one_may_try_again(server, wait) -> None:
    async def go() -> list[str]:
        async with open_database(locate(server), durable=True) as db:
            await create_tables(db, TABLE)
            await db.many("insert into spent values (?, ?)", [("a", 0), ("b", 0)])

            async def add(first: str, second: str) -> str:
                try:
                    async with db.transaction() as inside:
                        query = "update spent set amount = amount + 1 where run = ?"
                        await inside.run(query, (first,))
                        await asyncio.sleep(0.2)
                        await inside.run(query, (second,))
                except StoreFailed as failed:
                    return failed.help
                return ""

            return sorted(await asyncio.gather(add("a", "b"), add("b", "a")))

    assert wait(go()) == ["", "try again in a moment"]


def test_a_run_outlives_a_server_that_is_away_for_a_while(server, wait) -> None:
    """Commands before, during and after; each is run once."""

    async def go() -> None:
        proxy, world = Proxy(server), World()

        def at(event: Any) -> None:
            if event.kind == "command_run" and event.data["command"] == "one":
                asyncio.get_running_loop().create_task(proxy.away(1.5))

        commands = [
            ExecNode(
                id=f"e{n}",
                source=lit(word),
                form="command",
                session="main",
                parts=parts(RESULT="text"),
            )
            for n, word in enumerate(("one", "two", "three"))
        ]
        async with proxy as url, open_engine(url) as engine:
            outcome = await start(engine, program(*commands, SUCCESS), world, listeners=(at,))
            assert outcome.status == "success", outcome
            assert world.shell.ran == ["one", "two", "three"]
            assert [e.kind for e in await engine.store.events("r")].count("command_run") == 3

    wait(go())


def test_a_run_has_one_holder_and_a_dead_one_has_none(server, wait) -> None:
    def die_with_it() -> None:
        async def go() -> None:
            async with open_store(server) as store, store.leases.hold("r"):
                kill_me()

        asyncio.run(go())

    async def go() -> None:
        async with open_store(server) as store, open_store(server) as other:
            async with store.leases.hold("r"), other.leases.hold("s"):
                assert await other.leases.held_among("rst") == {"r", "s"}
                for leases in (store.leases, other.leases):
                    with pytest.raises(RunError, match=r"being executed by another process \(pid"):
                        await leases.hold("r").__aenter__()
            assert await other.leases.held_among("rst") == frozenset()
            async with other.leases.hold("r"):
                pass

    wait(go())
    with pytest.raises(Killed):
        in_process(die_with_it)
    wait(go())


def test_a_run_that_somebody_else_took_stops_here(server, wait) -> None:
    async def go() -> None:
        proxy = Proxy(server)
        async with proxy as url, open_store(url) as store, open_store(server) as other:
            gone = asyncio.Event()
            leases: Any = store.leases
            leases.beat = 0.1

            async def hold() -> None:
                async with store.leases.hold("r"):
                    proxy.cut()
                    gone.set()
                    await asyncio.sleep(60)

            task = asyncio.create_task(hold())
            await gone.wait()
            async with other.leases.hold("r"):
                proxy.mend()
                with pytest.raises(RunError, match="run r was taken over"):
                    await task

    wait(go())


def test_texts_that_json_of_postgresql_cannot_hold(server, wait, world) -> None:
    odd = "nul \x00, half \ufffd, %s ? $1 \\ ü"

    async def go() -> None:
        spec = program(
            assign("a\\b", RESULT=lit(odd.replace("\ufffd", "\ud800")), N=lit(1.5)),
            AskNode(id="q", question=text("?", name("RESULT")), into="RESULT"),
            SUCCESS,
        )
        async with open_engine(server) as engine:
            assert (await start(engine, spec, world)).variables["RESULT"] == odd
            outcome = await engine.resume("r", spec, world, answers={"": odd})
            assert (outcome.status, outcome.variables["RESULT"]) == ("success", odd)
            assert (await engine.history("r"))[-1].variables["N"] == 1.5

    wait(go())


def test_everything_is_in_one_schema_and_passwords_are_nowhere(server, wait, world) -> None:
    url = server.replace("postgres@", "postgres:hunter2secret@")

    async def go() -> None:
        async with open_engine(url) as engine:
            await start(engine, program(assign("a"), SUCCESS), world)

    wait(go())
    tables = ask(
        server, "select schemaname, tablename from pg_tables where schemaname !~ '^pg|^inf'"
    )
    assert {schema for schema, _ in tables} == {"flowc"}
    for _, table in tables:
        assert "hunter2" not in json.dumps(ask(server, f"select * from flowc.{table}"), default=str)


def test_a_statement_in_a_transaction_has_an_end(server: str, wait) -> None:
    """Also behind a pool: the setting is the transaction's own."""

    async def go() -> None:
        async with open_database(locate(server), durable=True) as db:
            shown = "select current_setting('statement_timeout')"
            async with db.transaction("a") as inside:
                assert await inside.rows(shown) == [("2min",)]
            assert await db.rows(shown) == [("0",)]

            async def sleep() -> None:
                async with db.transaction("a") as inside:
                    await inside.run("set local statement_timeout = '1ms'")
                    await inside.rows("select pg_sleep(600)")

            with pytest.raises(RunError, match="did not finish a statement in time"):
                await sleep()
            async with db.transaction("a") as inside:
                assert await inside.rows("select 1") == [(1,)]

    wait(go())


def test_who_executes_a_run_waits_for_no_heartbeat_that_nobody_answers(server: str, wait) -> None:
    """What belongs to no run shares the connection with what the run writes."""

    async def go() -> None:
        proxy = Proxy(server)
        async with proxy as url, open_engine(url, 1.0) as engine, engine.hold("r"):
            proxy.half_close()
            beat = asyncio.create_task(engine.store.ids())
            assert await asyncio.wait_for(engine.store.requests(["r"]), 30) == {}
            assert await beat == frozenset()

    wait(go())
