"""Any row of a store is gone: the run reads as before, or is refused by name; nothing of it reads
as if it had never been there."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import flowc
import psycopg
from flowc.runtime.engine.engine import Engine, open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.journal.effects import EffectJournal
from journals import Effect, Person, once

FLOW = """flow: 1
name: rows
params: {n: {type: integer, default: 1}}
state:
  i: {type: integer, default: 0}
  long: {type: text}
  deep: {type: object}
  l: {type: list, reducer: append, default: []}
nodes:
  - {name: text, assign: {long: '"LONG"', deep: '{"a": [1, {"b": 2}]}'}}
  - {name: inc, assign: {i: i + 1}}
  - {name: add, assign: {l: '[i]'}}
  - {name: more, choose: i < n, cases: {true: inc, false: each}}
  - {name: each, foreach: '[1]', do: one, item: x, into: all}
  - {name: fork, assign: {}, next: [left, right, q]}
  - {name: left, assign: {l: '["left"]', i: i + 10}, next: both}
  - {name: right, assign: {l: '["right"]'}, next: both}
  - {name: q, ask: "Go on?", into: a, next: both}
  - {name: both, join: all, assign: {out: 'join(l) + long'}}
outputs: [out]
workflows:
  one:
    params: {x: integer}
    nodes: [{name: double, assign: {y: x * 2}}]
    outputs: [y]
""".replace("LONG", "long " * 300)
NOT_NEEDED = {"holds", "leases", "heartbeats", "realms", "requests", "finished", "charges"}
"""Tables whose rows hold no value of a run: what is kept by whom, and who executes it."""


class Rows:
    """The rows of a store, from outside of flowc: each of them goes, and comes back."""

    def __init__(self, url: str) -> None:
        self.url = url

    def tables(self) -> list[str]:
        return [row[0] for row in self.ask(self._words("tables"))]

    def places(self, table: str) -> list[Any]:
        query = f"select {self._words('place')} from {table} order by 1"
        return [row[0] for row in self.ask(query)]

    @contextmanager
    def without(self, table: str, place: Any) -> Iterator[None]:
        at = f"{table} where {self._words('at')}"
        self.ask(f"create table gone as select * from {at}", place)
        self.ask(f"delete from {at}", place)
        try:
            yield
        finally:
            self.ask(f"insert into {table} select * from gone")
            self.ask("drop table gone")

    def _words(self, what: str) -> str:
        return (_SQLITE if self.url.startswith("sqlite") else _POSTGRES)[what]

    def ask(self, query: str, *values: Any) -> list[Any]:
        if self.url.startswith("sqlite"):
            with sqlite3.connect(self.url.removeprefix("sqlite:///"), isolation_level=None) as db:
                return db.execute(query.replace("%s", "?"), values).fetchall()
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("set search_path = flowc")
            cursor = connection.execute(query.encode(), values)
            return cursor.fetchall() if cursor.description else []


_SQLITE = {
    "tables": "select name from sqlite_master where type = 'table' and name not like 'sqlite%'",
    "place": "rowid",
    "at": "rowid = %s",
}
_POSTGRES = {
    "tables": "select tablename from pg_tables where schemaname = 'flowc'",
    "place": "ctid::text",
    "at": "ctid = %s::tid",
}


@dataclasses.dataclass
class Told:
    """All that a person can read of the run, and where it stands."""

    record: Any
    state: Any
    events: list[Any]
    views: list[Any]

    @classmethod
    async def by(cls, engine: Engine) -> Told:
        record = dataclasses.replace(await engine.store.get("r"), updated="", pid=None)
        events = list(await engine.store.events("r"))
        return cls(record, await engine.state("r"), events, await engine.history("r"))

    def is_before(self, whole: Told) -> bool:
        """Whether the end of it is gone, and the rest is as it was: the last event; the question
        that waits, so that it is asked again; or the last checkpoint of a graph, so that the run
        goes on a step before, or looks back to there."""
        state = dataclasses.replace(self.state, questions=whole.state.questions)
        if self.state.questions == () and dataclasses.replace(self, state=state) == whole:
            return True
        begins = self.events == whole.events[: len(self.events)]
        left = len(whole.events) - len(self.events) + len(whole.views) - len(self.views)
        return begins and all(view in whole.views for view in self.views) and left == 1


def test_a_row_that_is_gone_is_named_or_changes_nothing(any_store: str, wait: Any) -> None:
    flow, rows = flowc.load(FLOW, journal=any_store), Rows(any_store)

    async def go() -> tuple[Counter[str], Counter[str]]:
        outcome = await flow.arun({}, run="r")
        assert outcome.status == "paused"
        missed, ends = Counter[str](), Counter[str]()
        async with open_engine(any_store) as engine:
            whole = await Told.by(engine)
            for table in rows.tables():
                if table in NOT_NEEDED or table.startswith(("layout", "checkpoint_migrations")):
                    continue
                every = 5 if table == "events" else 1
                for place in rows.places(table)[::every]:
                    with rows.without(table, place):
                        try:
                            now = await Told.by(engine)
                        except RunError as refused:
                            said = refused.message
                            assert "run r" in said or "no run `r`" in said, (table, said)
                            missed[table] += 1
                        else:
                            assert now == whole or now.is_before(whole), (table, place)
                            ends[table] += now != whole
            assert await Told.by(engine) == whole
        return missed, ends

    missed, _ = wait(go())
    assert missed["runs"] == 1
    assert missed["events"] > 3
    if any_store.startswith("sqlite"):
        assert missed["blobs"] > 0
        assert min(missed["flow_checkpoints"], missed["flow_writes"]) > 5
    else:
        assert missed["checkpoint_blobs"] > 0
        assert min(missed["checkpoints"], missed["checkpoint_writes"]) > 5


def test_an_effect_whose_row_is_gone_is_asked_about_and_not_done_again(any_store, wait) -> None:
    """Outside of a SQLite file stands how many were finished, in PostgreSQL in a row of its own."""
    rows = Rows(any_store)

    async def go() -> None:
        async with open_engine(any_store) as engine:
            await flowc.load(FLOW, journal=any_store).arun({}, run="r")

            def journal() -> EffectJournal:
                person = Person("was sent")
                return EffectJournal(engine.journal_db, water=engine.store.water, ask=person)

            first = journal()
            await first.recall("r")
            for key in ("a:1", "a:2"):
                await once(first, key, Effect("sent"))
            with rows.without("effects", rows.places("effects")[0]):
                again = journal()
                await again.recall("r")
                call = Effect()
                assert await once(again, "a:1", call) == "was sent"
                assert call.keys == []
                assert "gone" in again.ask.about[0]["text"]
                rows.ask("delete from effects where key = 'a:1'")
            whole = journal()
            await whole.recall("r")
            assert await once(whole, "a:3", Effect("sent too")) == "sent too"

    wait(go())
