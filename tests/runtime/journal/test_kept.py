"""What the journal keeps and finds again: results, notes, answers, lines, and by which place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.db.high_water import HighWater
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.journal.effects import EffectJournal
from flowc.runtime.journal.said_lines import hear, lines_of
from flowc.runtime.services import EffectCall
from flowc.runtime.state.thread_turns import ThreadTurn
from journals import Effect, cut_off, once, status, visit

ZEROS = "'" + "0" * 80 + "'"
"""What somebody wrote in the place of a value."""


def test_finished_effects_are_counted_and_no_others(kept, tmp_path: Path):
    async def go(journal: Any) -> None:
        counted = journal(water=HighWater(tmp_path))
        await counted.recall("r")
        for key in ("a:0", "a:1"):
            await once(counted, key, Effect(1))
        await cut_off(counted, "a:2")
        await counted.recall("r")
        assert counted.water.counts["r"].finished == 2
        await once(counted, "a:3", Effect(1))
        await once(counted, "a:4", Effect(1), effect="pure")
        await cut_off(counted, "a:5")
        with pytest.raises(Failure):
            await once(counted, "a:6", Effect(Failure("no")))
        assert counted.water.counts["r"].finished == 4

    kept(go)


def test_what_waits_of_a_run_is_written_with_whatever_is_written_of_it(kept):
    async def go(journal: Any) -> None:
        note = "insert into lines select ?, count(*), '' from effects"

        @asynccontextmanager
        async def ahead() -> AsyncIterator[Any]:
            yield ((note, ("r",)),)

        journaled = journal(ahead=ahead)
        await cut_off(journaled, "a:1")
        await once(journaled, "a:2", Effect(1), effect="pure")
        numbers = await journaled.db.rows("select number from lines order by number")
        assert numbers == [(0,), (1,)], "before the intention, and before the result"

    kept(go)


@pytest.mark.parametrize("waits", [False, True])
def test_only_results_may_come_to_the_disk_later(kept, waits):
    async def go(journal: Any) -> None:
        seen: list[bool] = []

        class Watched:
            def __getattr__(self, name: str) -> Any:
                return getattr(journal().db, name)

            async def put_all(self, writes: Any, *, later: bool = False) -> None:
                seen.append(later)
                await journal().db.put_all(writes, later=later)

        watched: Any = Watched()
        given = Waiting().both if waits else {}
        await once(replace(journal(**given), db=watched), "a:1", Effect(1))
        assert seen == [False, waits]

    kept(go)


class Waiting:
    """What waits to be written of a run, as the engine has it."""

    def __init__(self) -> None:
        self.writes: dict[object, Any] = {}
        self.both = {"soon": self.soon, "ahead": self.ahead}

    def soon(self, key: object, write: Any) -> None:
        self.writes.pop(key, None)
        if write is not None:
            self.writes[key] = write

    @asynccontextmanager
    async def ahead(self) -> AsyncIterator[Any]:
        taken, self.writes = self.writes, {}
        yield tuple(taken.values())


@dataclass
class ByItself:
    """The call of an effect that begins by itself: what the journal has before and after, and what
    ends it."""

    journal: EffectJournal
    before: BaseException | None = None
    after: BaseException | None = None
    seen: list[list[str]] = field(default_factory=list)

    async def __call__(self) -> str:
        self.seen.append(await status(self.journal))
        if self.before is not None:
            raise self.before
        await self.journal.begin(("insert into lines values (?, 0, '')", ("r",)))
        self.seen.append(await status(self.journal))
        if self.after is not None:
            raise self.after
        return "sent"

    def act(self) -> EffectCall:
        return EffectCall(visit("a:1"), "mail", "once", "x", self, begins=True)


def test_the_intention_of_an_effect_that_begins_by_itself_goes_with_what_it_writes_first(kept):
    async def go(journal: Any) -> None:
        waiting = Waiting()
        one = journal(**waiting.both)
        call = ByItself(one)
        assert await one.once(call.act()) == "sent"
        assert (call.seen, await status(one)) == ([[], ["intended"]], ["done"])
        assert await one.db.rows("select run from lines") == [("r",)]
        assert not waiting.writes

    kept(go)


def test_one_that_never_began_is_not_in_doubt(kept):
    async def go(journal: Any) -> None:
        waiting = Waiting()
        one = journal(**waiting.both)
        with pytest.raises(asyncio.CancelledError):
            await one.once(ByItself(one, before=asyncio.CancelledError()).act())
        await one.begin()
        assert await status(one) == []
        with pytest.raises(Failure):
            await one.once(ByItself(one, before=Failure("no room", "limit")).act())
        assert (await status(one), waiting.writes) == (["failed"], {})

    kept(go)


def test_one_that_was_cut_off_behind_its_beginning_is_in_doubt(kept):
    async def go(journal: Any) -> None:
        one = journal(**Waiting().both)
        with pytest.raises(asyncio.CancelledError):
            await one.once(ByItself(one, after=asyncio.CancelledError()).act())
        assert await status(one) == ["intended"]

    kept(go)


def test_without_anything_that_waits_an_intention_is_written_before_the_call(kept):
    async def go(journal: Any) -> None:
        one = journal()
        call = ByItself(one)
        await one.once(call.act())
        assert call.seen == [["intended"], ["intended"]]

    kept(go)


def test_notes_of_a_run_that_was_recalled_are_looked_for_where_there_are_some(kept):
    async def go(journal: Any) -> None:
        await journal().keep(visit("a:1"), "old", 0, 1)
        one = journal()
        await one.recall("r")
        assert await one.entries(visit("a:1"), "old") == {0: 1}
        assert await one.entries(visit("a:1"), "new") == {}
        await one.keep(visit("a:1"), "new", 0, 2)
        assert await one.entries(visit("a:1"), "new") == {0: 2}
        await journal().keep(visit("a:2"), "old", 0, 3)  # which nobody else may do meanwhile
        assert await one.entries(visit("a:2"), "old") == {}

    kept(go)


def test_notes_are_kept_by_visit_name_and_number(kept):
    async def go(journal: Any) -> None:
        one, line = journal(), journal(turn=ThreadTurn(2, "2.abc"))
        for number, value in ((1, "a"), (0, "b"), (1, ["ü"])):
            await one.keep(visit("a:1"), "note", number, value)
        await one.keep(visit("a:1"), "other", 0, 1)
        await one.keep(visit("a:2"), "note", 0, 2)
        await one.keep(visit("a:1", "s"), "note", 0, 3)
        await line.keep(visit("a:1"), "note", 0, 4)
        assert await one.entries(visit("a:1"), "note") == {0: "b", 1: ["ü"]}
        assert await line.entries(visit("a:1"), "note") == {0: 4}
        assert await one.entries(visit("a:3"), "note") == {}

    kept(go)


def test_results_below_a_namespace_are_found_by_name_and_input(kept):
    async def go(journal: Any) -> None:
        one, line = journal(), journal(turn=ThreadTurn(2, "2.abc"))
        for key in ("a:1|b:2", "a:1", "a:11", "b:1|a:1", "a:1|a:1"):
            await once(one, key, Effect(key))
        await once(one, "a:1|c:1", Effect("other input"), given="y")
        await once(one, "a:1|c:2", Effect("other name"), name="post")
        await cut_off(one, "a:1|c:3")
        await once(line, "a:1", Effect("on a line"))
        assert await one.results("r", "a:1", "mail", "x") == ["a:1", "a:1|a:1", "a:1|b:2"]
        assert await line.results("r", "a:1", "mail", "x") == ["on a line"]
        assert await one.results("s", "a:1", "mail", "x") == []

    kept(go)


def test_effects_of_one_name_are_abandoned_alone(kept):
    async def go(journal: Any) -> None:
        one = journal()
        for key, name in (("a:1", "mail"), ("a:1|b:1", "post"), ("a:2", "mail")):
            await cut_off(one, key, name=name)
        await cut_off(one, "a:1", run="s")
        await once(one, "a:1|c:1", Effect("done"))
        await one.abandon(visit("a:1"), "post")
        assert sorted(await one.in_doubt("r")) == ["mail", "mail"]
        await one.abandon(visit("a:1"))
        assert await one.in_doubt("r") == ("mail",)
        await one.leave("r")
        assert (await one.in_doubt("r"), await one.in_doubt("s")) == ((), ("mail",))
        assert await once(one, "a:1|c:1", Effect()) == "done"

    kept(go)


def test_what_is_in_doubt_is_told_by_turn_and_line(kept):
    async def go(journal: Any) -> None:
        first, second, other = (
            journal(turn=ThreadTurn(number, line))
            for number, line in ((1, ""), (2, "2.abc"), (2, "2.xyz"))
        )
        await cut_off(first, "a:1", name="first")
        await cut_off(second, "a:1", name="second")
        await cut_off(other, "a:1", name="other")
        assert await first.in_doubt("r") == ("first",)
        assert sorted(await second.in_doubt("r")) == ["other", "second"]
        assert await second.in_doubt_elsewhere("r") == ("other",)
        assert await other.in_doubt_elsewhere("r") == ("second",)
        assert await first.in_doubt_elsewhere("r") == ()

    kept(go)


def test_answers_are_kept_until_they_have_led_somewhere(kept):
    async def go(journal: Any) -> None:
        one = journal()
        for run, number, value in (
            ("r", "1", "x"),
            ("r", "2", None),
            ("r", "1", ["ü"]),
            ("s", "1", 0),
        ):
            await one.store_answer(run, number, value)
        assert await one.answers("r") == {"1": ["ü"], "2": None}
        await one.drop_answers("r")
        assert (await one.answers("r"), await one.answers("s")) == ({}, {"1": 0})

    kept(go)


def test_lines_are_kept_in_order_and_in_a_fork_begin_behind_those_obeyed(kept):
    async def go(journal: Any) -> None:
        one = journal()
        for said in ("one", "two", "three"):
            await hear(one.db, "r", said, 0)
        assert await lines_of(one.db, "r") == ("one", "two", "three")
        assert await lines_of(one.db, "r", 1) == ("two", "three")
        for said in ("four", "five"):
            await hear(one.db, "fork", said, 3)
        assert await lines_of(one.db, "fork", 3) == ("four", "five")
        assert await lines_of(one.db, "fork", 4) == ("five",)

    kept(go)


@pytest.mark.parametrize("part", ["name", "result", "input"])
def test_a_value_that_somebody_changed_is_told_with_its_place(kept, part):
    async def go(journal: Any) -> None:
        await once(journal(), "call:1|draft:2", Effect("done"))
        await journal().db.run(f"update effects set {part} = '{'0' * 80}'")
        with pytest.raises(RunError) as changed:
            await once(journal(), "call:1|draft:2", Effect())
        assert f"the {part} of an effect of node `call/draft` of run r" in changed.value.message

    kept(go)


def test_changed_notes_answers_and_lines_are_told_with_their_run(kept):
    async def go(journal: Any) -> None:
        one = journal()
        await one.keep(visit("draft:1"), "note", 0, 1)
        await one.store_answer("r", "1", "x")
        await hear(one.db, "r", "x", 0)
        for table, column, read, what in (
            ("notes", "value", one.entries(visit("draft:1"), "note"), "a note of node `draft` of"),
            ("answers", "value", one.answers("r"), "an answer to"),
            ("lines", "line", lines_of(one.db, "r"), "a line said to"),
        ):
            await one.db.run(f"update {table} set {column} = '{'0' * 80}'")
            with pytest.raises(RunError) as changed:
                await read
            assert f"{what} run r" in changed.value.message

    kept(go)


def test_an_input_is_kept_in_its_own_letters(kept):
    async def go(journal: Any) -> None:
        await once(journal(), "a:1", Effect(1), given={"to": "Müller"})
        ((text,),) = await journal().db.rows("select input from effects")
        assert "Müller" in text

    kept(go)
