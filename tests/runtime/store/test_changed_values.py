"""One byte of a kept value is changed: it is found when it is read, named, and never used."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flowc.runtime.documents import write_log
from flowc.runtime.engine.engine import Engine, open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.journal.effects import EffectJournal
from flowc.runtime.journal.said_lines import hear, lines_of
from flowc.runtime.services import EffectCall
from specs import SUCCESS, ask, program
from worlds import World, start

DRAFT: Any = SimpleNamespace(execution_info=SimpleNamespace(thread_id="r", checkpoint_ns="draft:1"))
"""What LangGraph tells the node `draft` of itself, as far as the journal reads it."""
INPUTS = {"to": "Ana", "ü": ["\0"]}


async def never() -> Any:
    raise AssertionError("what was done is done again")


async def sent() -> Any:
    return {"sent": "yes, at noon"}


def mail(work: Callable[[], Awaitable[Any]]) -> EffectCall:
    return EffectCall(runtime=DRAFT, name="mail", effect="once", inputs=INPUTS, call=work)


async def fill(engine: Engine) -> EffectJournal:
    """Keep one value of each kind."""
    journal = EffectJournal(engine.journal_db)
    await journal.once(mail(sent))
    await journal.keep(DRAFT, "seen", 0, ["this", {"and": "that"}])
    await journal.store_answer("r", "i", "an answer")
    await hear(journal.db, "r", "a line", 0)
    await write_log.keep(engine.store.db, "r", Path("/plan.md"), "before", "after")
    return journal


def readers(engine: Engine, journal: EffectJournal) -> dict[tuple[str, str], Any]:
    """What reads each column that holds values."""
    db, store = engine.store.db, engine.store
    again = lambda: journal.once(mail(never))  # noqa: E731
    return {
        ("runs", "record"): lambda: store.get("r"),
        ("events", "event"): lambda: store.events("r"),
        ("effects", "name"): again,
        ("effects", "given"): again,
        ("effects", "result"): again,
        ("effects", "input"): again,
        ("notes", "value"): lambda: journal.entries(DRAFT, "seen"),
        ("answers", "value"): lambda: journal.answers("r"),
        ("lines", "line"): lambda: lines_of(journal.db, "r"),
        ("documents", "earlier"): lambda: write_log.documents_of(db, "r"),
        ("documents", "later"): lambda: write_log.documents_of(db, "r"),
    }


def changes(text: str, dice: random.Random) -> Iterator[str]:
    """The text with another character at its ends and in three other places, cut, and empty."""
    for place in {0, len(text) - 1, *(dice.randrange(len(text)) for _ in range(3))}:
        other = "A" if text[place] != "A" else "B"
        yield f"{text[:place]}{other}{text[place + 1 :]}"
    yield text[:-1]
    yield ""


@pytest.mark.parametrize("key", ["", "00" * 32])
def test_a_changed_text_is_found_and_named(any_store, wait, monkeypatch, key) -> None:
    monkeypatch.setenv("FLOWC_STORE_KEY", key)
    dice = random.Random(4711)

    async def go() -> None:
        async with open_engine(any_store) as engine:
            await start(engine, program(ask("q"), SUCCESS), World())
            journal = await fill(engine)
            for (table, column), read in readers(engine, journal).items():
                db = engine.journal_db
                (text,) = (await db.rows(f"select {column} from {table} order by 1 limit 1"))[0]
                query = f"update {table} set {column} = ? where {column} = ?"
                for changed in changes(text, dice):
                    assert await db.run(query, (changed, text)) == 1
                    with pytest.raises(RunError) as said:
                        await read()
                    place = "mail" if column == "given" else "run r"
                    assert place in said.value.message, (table, column)
                    await db.run(query, (text, changed))
                await read()

    wait(go())
