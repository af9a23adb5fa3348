"""The write-ahead journal by itself: what was done is kept, what was begun is in doubt."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
from flowc.runtime.context import EFFECT_KEY
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import Failure, InDoubt, RunError
from flowc.runtime.journal.effects import EffectJournal
from flowc.runtime.journal.failures import call_again
from flowc.runtime.journal.rows import forget
from flowc.runtime.services import EffectCall


def visit(key: str) -> Any:
    """What LangGraph tells a node of itself, as far as the journal reads it."""
    return SimpleNamespace(execution_info=SimpleNamespace(thread_id="r", checkpoint_ns=key))


async def once(journal: EffectJournal, *parts: Any) -> Any:
    return await journal.once(EffectCall(*parts))


class Watched:
    """A database, and where it was asked for rows."""

    def __init__(self, db: Any) -> None:
        self.db = db
        self.places: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)

    async def rows(self, query: str, values: Any = ()) -> Any:
        self.places += values[1:2]
        return await self.db.rows(query, values)


@pytest.fixture
def journaled(any_store, wait):
    """Run a function with a journal."""

    def run(function: Any, on_unknown: Any = "ask", **more: Any) -> Any:
        async def go() -> Any:
            async with open_engine(any_store) as engine:
                return await function(EffectJournal(engine.journal_db, on_unknown, **more))

        return wait(go())

    return run


def calls(*results: Any) -> Any:
    """A call that gives, or raises, one result after another."""
    waiting = list(results)

    async def call() -> Any:
        result = waiting.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    return call


def test_what_was_done_is_kept_and_not_called_again(journaled) -> None:
    async def twice(journal: EffectJournal) -> Any:
        first = await once(journal, visit("a:1"), "mail", "once", {"to": "x"}, calls([1, "ü"]))
        again = await once(journal, visit("a:1"), "mail", "once", {"to": "x"}, calls())
        other = await once(journal, visit("a:2"), "mail", "once", {"to": "x"}, calls("other visit"))
        return first, again, other

    assert journaled(twice) == ([1, "ü"], [1, "ü"], "other visit")


def test_another_input_than_the_kept_one_is_refused(journaled) -> None:
    async def changed(journal: EffectJournal) -> None:
        await once(journal, visit("a:1"), "mail", "once", {"to": "x"}, calls(1))
        with pytest.raises(RunError, match="`mail` was done with another input") as refused:
            await once(journal, visit("a:1"), "mail", "once", {"to": "y"}, calls(2))
        assert refused.value.help.splitlines()[:2] == ['then: {"to": "x"}', 'now:  {"to": "y"}']
        with pytest.raises(RunError, match="`mail` was done here before the run stopped, now it"):
            await once(journal, visit("a:1"), "post", "once", {"to": "x"}, calls(2))

    journaled(changed)


def test_another_input_than_that_of_an_effect_in_doubt_is_refused(journaled) -> None:
    async def changed(journal: EffectJournal) -> None:
        with pytest.raises(InDoubt):
            await once(journal, visit("a:1"), "mail", "once", ["x"], calls(InDoubt("cut off")))
        with pytest.raises(RunError, match="with another input"):
            await once(journal, visit("a:1"), "mail", "once", ["y"], calls(2))

    journaled(changed)


def test_long_inputs_are_kept_in_short_without_secrets_and_shown_line_by_line(url, wait) -> None:
    def talk(last: str) -> Any:
        said = [{"role": "user", "content": f"{n} {'word ' * 500}"} for n in range(300)]
        return {"messages": [*said, {"role": "user", "content": last}], "key": "s3cret-value"}

    async def changed() -> None:
        async with open_engine(url) as engine:
            journal = EffectJournal(engine.journal_db, hidden=("s3cret-value",))
            await once(journal, visit("a:1"), "mail", "once", talk("this"), calls(1))
            kept = (await engine.journal_db.rows("select input from effects"))[0][0]
            assert len(kept) < 15_000
            assert "s3cret" not in kept
            with pytest.raises(RunError) as refused:
                await once(journal, visit("a:1"), "mail", "once", talk("that"), calls(1))
            assert '-   "content": "this"' in refused.value.help
            assert '+   "content": "that"' in refused.value.help

    wait(changed())


def test_a_call_that_failed_fails_again_until_somebody_was_told(journaled) -> None:
    async def failing(journal: EffectJournal) -> Any:
        call = calls(Failure("no", "refused", help="ask"), "yes")
        for _ in range(3):  # the process was killed behind the failure
            with pytest.raises(Failure, match="no") as told:
                await once(journal, visit("a:1"), "mail", "once", {}, call)
            assert (told.value.kind, told.value.help, told.value.node) == ("refused", "ask", "")
        assert await journal.in_doubt("r") == ()
        await call_again(journal.db, "r")
        return await once(journal, visit("a:1"), "mail", "once", {}, call)

    assert journaled(failing) == "yes"


@pytest.mark.parametrize("effect", ["pure", "idempotent"])
def test_effects_that_may_be_repeated_are(journaled, effect: Any) -> None:
    async def repeated(journal: EffectJournal) -> Any:
        call = calls(InDoubt("cut off"), "done")
        with pytest.raises(InDoubt):
            await once(journal, visit("a:1"), "read", effect, {}, call)
        assert await journal.in_doubt("r") == ()
        return await once(journal, visit("a:1"), "read", effect, {}, call)

    assert journaled(repeated) == "done"


@pytest.mark.parametrize(("verdict", "result"), [("repeat", "second"), ({"id": 7}, {"id": 7})])
def test_a_person_settles_what_is_in_doubt(journaled, verdict: Any, result: Any) -> None:
    async def settled(journal: EffectJournal) -> Any:
        call = calls(InDoubt("cut off"), "second")
        with pytest.raises(InDoubt):
            await once(journal, visit("a:1"), "mail", "once", {}, call)
        assert await journal.in_doubt("r") == ("mail",)
        await journal.settle(("r", "a:1", 0), verdict)
        return await once(journal, visit("a:1"), "mail", "once", {}, call)

    assert journaled(settled) == result


def test_counted_as_failed_it_raises_once_and_is_in_doubt_again(journaled) -> None:
    async def refused(journal: EffectJournal) -> None:
        call = calls(InDoubt("cut off"))
        with pytest.raises(InDoubt):
            await once(journal, visit("a:1"), "mail", "once", {}, call)
        await journal.settle(("r", "a:1", 0), "fail")
        with pytest.raises(Failure, match="decided to count as failed"):
            await once(journal, visit("a:1"), "mail", "once", {}, call)
        assert await journal.in_doubt("r") == ("mail",)

    journaled(refused)


def test_an_abandoned_visit_settles_its_own_effects_at_any_depth_and_no_others(journaled) -> None:
    async def abandoned(journal: EffectJournal) -> tuple[str, ...]:
        for key in ("a:1", "a:1|tool:2", "a:11", "b:1|a:1"):
            with pytest.raises(InDoubt):
                await once(journal, visit(key), key, "once", {}, calls(InDoubt("cut off")))
        await journal.abandon(visit("a:1"))
        return tuple(sorted(await journal.in_doubt("r")))

    assert journaled(abandoned) == ("a:11", "b:1|a:1")


def test_an_effect_has_one_key_however_often_it_is_repeated(journaled) -> None:
    seen: list[str] = []

    async def repeated(journal: Any) -> None:
        async def call() -> Any:
            seen.append(EFFECT_KEY.get())
            return None

        for place in ("a:1", "a:2", "b:1"):
            for _ in range(2):
                await once(journal, visit(place), "read", "once", {}, call)
                await forget(journal.db, ["r"])

    journaled(repeated)
    assert [seen[n] == seen[n + 1] for n in range(0, 6, 2)] == [True] * 3
    assert len(set(seen)) == 3
    assert EFFECT_KEY.get() == ""


class Interrupted(Exception):
    """The graph stops to ask."""


def test_what_is_in_doubt_is_asked_about_with_what_is_known_of_it(journaled) -> None:
    asked: list[Any] = []

    def ask(about: Any) -> NoReturn:
        asked.append(about)
        raise Interrupted

    async def doubtful(journal: Any) -> None:
        for expected in (InDoubt, Interrupted):
            with pytest.raises(expected):
                await once(
                    journal, visit("a:1"), "mail", "once", {"to": "x"}, calls(InDoubt("cut off"))
                )

    journaled(doubtful, ask=ask)
    assert asked[0]["input"] == {"to": "x"}
    assert len(asked[0]["idempotency_key"]) == 32


def test_where_nothing_is_kept_nothing_is_looked_for(any_store, wait) -> None:
    """A recalled run asks the store for effects that it has, and for no others."""

    async def go() -> list[str]:
        async with open_engine(any_store) as engine:
            journal = EffectJournal(engine.journal_db)
            await once(journal, visit("a:1"), "mail", "once", {}, calls("kept"))
            db: Any = Watched(engine.journal_db)
            journal = EffectJournal(db)
            await journal.recall("r")
            db.places.clear()
            for key in ("a:1", "a:2", "a:2"):
                value = await once(journal, visit(key), "mail", "once", {}, calls("new"))
                assert value == ("kept" if key == "a:1" else "new")
            return db.places

    assert wait(go()) == ["a:1", "a:2"]
