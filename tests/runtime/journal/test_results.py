"""Large results of effects are kept once, whichever effects and runs have the same."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.checkpoints.tables.parcels import Packer
from flowc.runtime.db.fence import NotHeld
from flowc.runtime.db.sqlite import SqliteDatabase
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.journal.effects import EffectJournal
from flowc.runtime.journal.results import LARGE, LONG
from journals import Effect, once
from specs import SUCCESS, ask, program
from worlds import World, start

TEXT = "a result " * 20_000
CONTENTS = (
    "select hash from blobs where hash in (select hash from holds where place like 'effect/%')"
)


@pytest.fixture(params=["", "00" * 32], ids=["plain", "with a key"])
def sealed(request, monkeypatch) -> str:
    monkeypatch.setenv("FLOWC_STORE_KEY", request.param)
    return request.param


def test_equal_results_are_kept_once_and_go_with_the_last_run(any_store, wait, sealed) -> None:
    async def go() -> None:
        async with open_engine(any_store) as engine:
            for run in ("r", "s"):
                await start(engine, program(ask("q"), SUCCESS), World(), run=run)
                for n in range(5):
                    first = await once(engine.journal(run), f"a:{n}", Effect(TEXT), run=run)
                    again = await once(engine.journal(run), f"a:{n}", Effect(), run=run)
                    assert first == again == TEXT
            rows = await engine.journal_db.rows("select result from effects")
            assert max(len(row[0]) for row in rows) < 200
            for run, left in (("r", 1), ("s", 0)):
                assert len(await engine.journal_db.rows(CONTENTS)) == 1
                await engine.delete(run)
                assert len(await engine.journal_db.rows(CONTENTS)) == left
            assert await engine.journal_db.rows("select run from holds") == []

    wait(go())


def test_results_of_a_name_and_of_earlier_attempts_are_whole(any_store, wait) -> None:
    async def go() -> None:
        async with open_engine(any_store) as engine:
            journal = engine.journal("r")
            await once(journal, "a:1", Effect(TEXT), given={"to": "Ana"})
            assert await journal.results("r", "a:1", "mail", {"to": "Ana"}) == [TEXT]

    wait(go())


@pytest.mark.parametrize("harm", ["update blobs set data = ?", "delete from blobs where data != ?"])
def test_a_large_result_that_was_changed_or_is_gone_is_named(any_store, wait, harm) -> None:
    async def go() -> None:
        async with open_engine(any_store) as engine:
            await once(engine.journal("r"), "call:1|draft:2", Effect(TEXT))
            await engine.journal_db.run(harm, (b"another",))
            with pytest.raises(
                RunError, match="the result of an effect of node `call/draft` of run r"
            ):
                await once(engine.journal("r"), "call:1|draft:2", Effect())

    wait(go())


class Away(SqliteDatabase):
    """A database in which no transaction can be opened."""

    @asynccontextmanager
    async def transaction(self, *about: str) -> Any:
        raise RunError("the store went away")
        yield


class Taken(SqliteDatabase):
    """A database of a run that another process has taken."""

    @asynccontextmanager
    async def transaction(self, *about: str) -> Any:
        raise NotHeld("taken")
        yield


def another(db: Any, kind: type[SqliteDatabase]) -> Any:
    return kind(**{f.name: getattr(db, f.name) for f in fields(db)})


def test_where_the_texts_cannot_be_kept_the_result_stands_in_its_row(tmp_path: Path, wait) -> None:
    """But one that is of another process now is not kept at all."""

    async def go() -> None:
        async with open_engine(f"sqlite:///{tmp_path}/runs.db") as engine:
            journal = engine.journal("r")
            away = replace(journal, db=another(journal.db, Away))
            await once(away, "a:1", Effect(TEXT))
            assert await once(away, "a:1", Effect()) == TEXT
            with pytest.raises(NotHeld):
                await once(replace(journal, db=another(journal.db, Taken)), "a:2", Effect(TEXT))

    wait(go())


SHAPES = [
    {"stdout": TEXT, "stderr": "", "code": 0, "@": ["", TEXT, {"": TEXT + "ü\ud800"}]},
    [[["x" * LONG], "y" * LARGE], {"0": "y" * LARGE}, None, True, 1.5],
    "@" + TEXT,
    ["short"] * 2_000,
]


@pytest.mark.parametrize("value", SHAPES, ids=["of a command", "nested", "a text", "short texts"])
def test_every_shape_of_a_result_comes_back(any_store, wait, sealed, value) -> None:
    async def go() -> None:
        async with open_engine(any_store) as engine:
            await once(engine.journal("r"), "a:1", Effect(value))
            assert await once(engine.journal("r"), "a:1", Effect()) == value

    wait(go())


def test_a_text_has_the_name_under_which_a_checkpoint_keeps_it(tmp_path: Path, wait) -> None:
    """So the text that an effect returned and a variable took stands in a SQLite file once."""
    contents: dict[bytes, bytes] = {}
    Packer(None).slot({"line": TEXT}, contents)

    async def go() -> None:
        async with open_engine(f"sqlite:///{tmp_path}/runs.db") as engine:
            await once(engine.journal("r"), "a:1", Effect({"stdout": TEXT}))
            rows = await engine.journal_db.rows("select hash, data from blobs")
            assert [row for row in rows if row[0] not in contents] == []
            assert [contents[row[0]] for row in rows] == [row[1] for row in rows] != []

    wait(go())


def test_small_results_and_those_in_memory_stand_in_their_rows(any_store, wait) -> None:
    small, least = "x" * (LARGE - 3), "x" * (LARGE - 2)  # two quotes stand around them

    async def go() -> None:
        async with open_engine(any_store) as engine:
            for number, text in enumerate((small, least)):
                await once(engine.journal("r"), f"a:{number}", Effect(text))
            rows = await engine.journal_db.rows("select length(result) from effects order by key")
            assert [row[0] > LARGE for row in rows] == [True, False]
        async with open_engine("memory:") as engine:
            assert await once(engine.journal("r"), "a:1", Effect(TEXT)) == TEXT
            assert await once(engine.journal("r"), "a:1", Effect()) == TEXT

    wait(go())


def test_a_tool_that_gives_the_same_megabyte_forty_times_takes_little_room(
    tmp_path: Path, wait
) -> None:
    text, store = "x" * 1_000_000, tmp_path / "runs.db"

    async def go() -> None:
        async with open_engine(f"sqlite:///{store}") as engine:
            journal: EffectJournal = engine.journal("r")
            for number in range(40):
                await once(journal, f"a:{number}", Effect(text))

    wait(go())
    assert store.stat().st_size < 3_000_000
