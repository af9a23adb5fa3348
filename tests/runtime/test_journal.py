"""The write-ahead journal by itself: what was done is kept, what was begun is in doubt."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from flowc.runtime.engine import open_engine
from flowc.runtime.errors import Failure, InDoubt, RunError
from flowc.runtime.journal import EffectJournal


def visit(key: str) -> Any:
    """What LangGraph tells a node of itself, as far as the journal reads it."""
    return SimpleNamespace(execution_info=SimpleNamespace(thread_id="r", checkpoint_ns=key))


@pytest.fixture
def journaled(url, wait):
    """Run a function with a journal."""

    def run(function: Any, on_unknown: Any = "ask") -> Any:
        async def go() -> Any:
            async with open_engine(url) as engine:
                return await function(EffectJournal(engine.journal_db, on_unknown))

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
        first = await journal.once(visit("a:1"), "mail", "once", {"to": "x"}, calls([1, "ü"]))
        again = await journal.once(visit("a:1"), "mail", "once", {"to": "x"}, calls())
        other = await journal.once(visit("a:2"), "mail", "once", {"to": "x"}, calls("other visit"))
        return first, again, other

    assert journaled(twice) == ([1, "ü"], [1, "ü"], "other visit")


def test_another_input_than_the_kept_one_is_refused(journaled) -> None:
    async def changed(journal: EffectJournal) -> None:
        await journal.once(visit("a:1"), "mail", "once", {"to": "x"}, calls(1))
        with pytest.raises(RunError, match="`mail` was done with another input"):
            await journal.once(visit("a:1"), "mail", "once", {"to": "y"}, calls(2))

    journaled(changed)


def test_a_call_that_failed_is_simply_called_again(journaled) -> None:
    async def failing(journal: EffectJournal) -> Any:
        call = calls(Failure("no"), "yes")
        with pytest.raises(Failure, match="no"):
            await journal.once(visit("a:1"), "mail", "once", {}, call)
        assert await journal.in_doubt("r") == ()
        return await journal.once(visit("a:1"), "mail", "once", {}, call)

    assert journaled(failing) == "yes"


@pytest.mark.parametrize("effect", ["pure", "idempotent"])
def test_effects_that_may_be_repeated_are(journaled, effect: Any) -> None:
    async def repeated(journal: EffectJournal) -> Any:
        call = calls(InDoubt("cut off"), "done")
        with pytest.raises(InDoubt):
            await journal.once(visit("a:1"), "read", effect, {}, call)
        assert await journal.in_doubt("r") == ()
        return await journal.once(visit("a:1"), "read", effect, {}, call)

    assert journaled(repeated) == "done"


@pytest.mark.parametrize(("verdict", "result"), [("repeat", "second"), ({"id": 7}, {"id": 7})])
def test_a_person_settles_what_is_in_doubt(journaled, verdict: Any, result: Any) -> None:
    async def settled(journal: EffectJournal) -> Any:
        call = calls(InDoubt("cut off"), "second")
        with pytest.raises(InDoubt):
            await journal.once(visit("a:1"), "mail", "once", {}, call)
        assert await journal.in_doubt("r") == ("mail",)
        await journal.settle(("r", "a:1", 0), verdict)
        return await journal.once(visit("a:1"), "mail", "once", {}, call)

    assert journaled(settled) == result


def test_counted_as_failed_it_raises_once_and_is_in_doubt_again(journaled) -> None:
    async def refused(journal: EffectJournal) -> None:
        call = calls(InDoubt("cut off"))
        with pytest.raises(InDoubt):
            await journal.once(visit("a:1"), "mail", "once", {}, call)
        await journal.settle(("r", "a:1", 0), "fail")
        with pytest.raises(Failure, match="decided to count as failed"):
            await journal.once(visit("a:1"), "mail", "once", {}, call)
        assert await journal.in_doubt("r") == ("mail",)

    journaled(refused)


def test_an_abandoned_visit_settles_its_own_effects_at_any_depth_and_no_others(journaled) -> None:
    async def abandoned(journal: EffectJournal) -> tuple[str, ...]:
        for key in ("a:1", "a:1|tool:2", "a:11", "b:1|a:1"):
            with pytest.raises(InDoubt):
                await journal.once(visit(key), key, "once", {}, calls(InDoubt("cut off")))
        await journal.abandon(visit("a:1"))
        return tuple(sorted(await journal.in_doubt("r")))

    assert journaled(abandoned) == ("a:11", "b:1|a:1")
