"""A store's URL that names a database of another program: refused, and nothing in it is changed."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.cli.authoring.doctor_stores import stores
from flowc.runtime.db.ownership import refuse_foreign
from flowc.runtime.db.url import locate
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.store.runs import open_store
from stores import ask, fresh_store

OTHERS = {
    "notes": "create table notes (id integer primary key, body text)",
    "a view": "create view seen as select 1 as one",
    "LangGraph's alone": "create table checkpoints (thread_id text, checkpoint_ns text)",
    "runs of another kind": "create table runs (id integer primary key, title text)",
    "a layout of another kind": "create table layout (page integer, columns integer)",
    "events of another kind beside a layout": (
        "create table layout (version integer, seal text); create table events (day text)"
    ),
}


def opened(url: str, wait: Any) -> RunError:
    async def go() -> None:
        async with open_engine(url):
            pass

    with pytest.raises(RunError, match="belongs to another program") as lease_refusal:
        wait(go())
    assert "nothing was written to it" in lease_refusal.value.message
    assert "--store" in (lease_refusal.value.help or "")
    return lease_refusal.value


def findings(url: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[bool, str]]:
    """What `flowc doctor` says of the store."""
    monkeypatch.setenv("FLOWC_STORE", url)
    return [(fine, said) for area, fine, said, _ in stores() if area.startswith("store ")][:1]


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("other", OTHERS)
def test_a_file_of_another_program_stays_as_it_is(
    tmp_path: Path, wait, monkeypatch, other: str, journal: str
) -> None:
    file = tmp_path / "other.db"
    with sqlite3.connect(file) as db:
        db.execute(f"pragma journal_mode={journal}")
        db.executescript(OTHERS[other])
    db.close()
    before = file.read_bytes()
    said = opened(f"sqlite:///{file}", wait)
    assert file.read_bytes() == before
    assert not file.with_name("other.db.leases").exists()
    ((fine, told),) = findings(f"sqlite:///{file}", monkeypatch)
    assert (fine, said.message in told) == (False, True)


@pytest.mark.parametrize("other", OTHERS)
def test_a_schema_of_another_program_stays_as_it_is(
    tmp_path: Path, wait, monkeypatch, other: str
) -> None:
    shape = (
        "select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid"
        " where c.relnamespace = 'flowc'::regnamespace and a.attnum > 0 order by 1, 2"
    )
    with fresh_store("postgresql", tmp_path) as url:
        ask(url, "create schema flowc")
        ask(url, f"set search_path = flowc; {OTHERS[other]}")
        before = ask(url, shape)
        said = opened(url, wait)
        assert "the schema `flowc`" in said.message
        assert ask(url, shape) == before
        ((fine, told),) = findings(url, monkeypatch)
        assert (fine, said.message in told) == (False, True)


def test_what_is_empty_becomes_a_store_and_stays_one(any_store, wait) -> None:
    async def go() -> None:
        for _ in range(2):
            async with open_engine(any_store) as engine:
                assert await engine.store.listing.page() == ()
            await asyncio.sleep(0)

    if any_store.startswith("postgresql"):
        ask(any_store, "create table notes (id integer)")  # in the schema `public`
        ask(any_store, "create schema flowc")
    else:
        Path(any_store.removeprefix("sqlite:///")).touch()
    wait(go())


def test_a_store_that_was_only_begun_is_finished(any_store, wait) -> None:
    """A process that is killed after its first statement leaves one table."""

    async def go() -> None:
        async with open_store(any_store) as store:
            for table in ("runs", "events", "requests"):
                await store.db.run(f"drop table {table}")
        async with open_engine(any_store) as engine:
            assert await engine.store.listing.page() == ()

    wait(go())


RUNS = [("runs", name) for name in ("id", "status", "updated", "record")]
LAYOUT = [("layout", name) for name in ("version", "seal")]
EVENTS = [("events", name) for name in ("run", "seq", "kind", "event")]
FILE, SERVER = locate("sqlite:////a/b.db"), locate("postgresql://me:pw@host/name")


@pytest.mark.parametrize(
    "columns",
    [[], RUNS, LAYOUT, RUNS + EVENTS, [*LAYOUT, ("notes", "value")], [*RUNS, ("runs", "later")]],
    ids=["nothing", "runs", "layout", "events too", "a table beside it", "a column of tomorrow"],
)
@pytest.mark.parametrize("location", [FILE, SERVER], ids=["file", "server"])
def test_what_has_one_of_the_first_tables_with_its_columns_is_a_store(columns, location) -> None:
    refuse_foreign(columns, location)


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (EVENTS, "`events`"),
        ([("b", "x"), ("a", "x")], "`a`, `b`"),
        ([(name, "x") for name in "dacb"], "`a`, `b`, `c`, …"),
        ([(name, "x") for name in "cab"], "`a`, `b`, `c`"),
        ([*RUNS[1:], ("zoo", "x")], "`runs`"),
        ([*RUNS, *EVENTS[1:], LAYOUT[0]], "`events`, `layout`"),
    ],
)
def test_a_stranger_is_told_by_the_tables_that_are_not_ours(columns, shown) -> None:
    with pytest.raises(RunError) as refused:
        refuse_foreign(columns, FILE)
    assert refused.value.message == (
        f"the store sqlite:////a/b.db belongs to another program: its tables {shown} are not"
        " flowc's; nothing was written to it"
    )
    assert refused.value.help == "name another file with `--store`"


def test_on_a_server_it_is_the_schema_that_belongs_to_another_program() -> None:
    with pytest.raises(RunError) as refused:
        refuse_foreign([("a", "x")], SERVER)
    assert refused.value.message.startswith("the schema `flowc` at postgresql://me@host/name b")
    assert refused.value.help == "name another database with `--store`"
