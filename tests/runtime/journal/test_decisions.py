"""What becomes of an effect: its keys, earlier attempts, and who decides where nobody knows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flowc.runtime.context import CALL_PATH, EARLIER, EFFECT_KEY, HERE, Here, binding
from flowc.runtime.db.high_water import HighWater
from flowc.runtime.errors import Failure, InDoubt, LimitReached, RunError
from flowc.runtime.journal.rows import outside_key
from flowc.runtime.services import MODEL_CALL, EffectCall
from flowc.runtime.state.thread_turns import ThreadTurn
from journals import CUT, Asked, Effect, Person, cut_off, once, status, visit
from langgraph.errors import GraphInterrupt


def test_a_result_is_kept_whatever_it_is(kept):
    async def go(journal: Any) -> None:
        for number, value in enumerate((None, 0, "", [], {"ü": [1]})):
            for call in (Effect(value), Effect()):
                assert await once(journal(), f"a:{number}", call) == value

    kept(go)


def test_a_recalled_run_finds_what_it_has_and_what_it_writes(kept):
    async def go(journal: Any) -> None:
        await once(journal(), "a:1", Effect("one"))
        recalled = journal()
        await recalled.recall("r")
        assert recalled.known == {"r": {("a:1", 0)}}
        assert await once(recalled, "a:1", Effect()) == "one"
        assert await once(recalled, "a:2", Effect("two")) == "two"
        assert await once(recalled, "a:2", Effect()) == "two"
        assert await once(recalled, "a:3", Effect("three"), effect="pure") == "three"
        assert await once(recalled, "a:3", Effect(), effect="pure") == "three"
        assert await once(recalled, "a:1", Effect("other"), run="s") == "other"
        assert "s" not in recalled.known

    kept(go)


@pytest.mark.parametrize("error", [Failure("no"), LimitReached("no"), GraphInterrupt(())])
def test_a_call_that_says_why_it_failed_is_called_again_with_another_input_too(kept, error):
    async def go(journal: Any) -> None:
        with pytest.raises(type(error)):
            await once(journal(), "a:1", Effect(error))
        wanted = "failed" if isinstance(error, Failure) else "again"
        assert (await status(journal()), EFFECT_KEY.get()) == ([wanted], "")
        assert await once(journal(), "a:1", Effect("yes"), given="y") == "yes"
        assert await once(journal(), "a:1", Effect(), given="y") == "yes"

    kept(go)


def test_a_call_that_dies_of_something_else_is_in_doubt(kept):
    async def go(journal: Any) -> None:
        with pytest.raises(ZeroDivisionError):
            await once(journal(), "a:1", Effect(ZeroDivisionError()))
        assert (await journal().in_doubt("r"), EFFECT_KEY.get()) == (("mail",), "")

    kept(go)


@pytest.mark.parametrize("effect", ["pure", "idempotent"])
def test_of_what_may_be_repeated_only_the_result_is_written(kept, effect):
    async def go(journal: Any) -> None:
        with pytest.raises(Failure):
            await once(journal(), "a:1", Effect(Failure("no")), effect=effect)
        assert await status(journal()) == []
        assert await once(journal(), "a:1", Effect(1), effect=effect) == 1
        assert await status(journal()) == ["done"]

    kept(go)


def test_outside_an_effect_is_called_by_its_place_in_the_workflow(kept):
    async def go(journal: Any) -> None:
        here = Here("CALL@2/draft", 3, visit(""), attempt=2)
        for scope, begin in (("", "r"), ("turn", "turn")):
            call = Effect(1)
            act = EffectCall(visit(f"a:{begin}"), "mail", "once", "x", call, "call 1")
            with binding(HERE, here):
                await journal(scope=scope).once(act)
            assert call.keys == [outside_key(begin, "CALL@2/draft", 3, "call 1", 2)]
        call = Effect(1)
        await once(journal(), "b:1", call)
        assert call.keys == [outside_key("r", "b:1", 0)]

    kept(go)


def test_an_effect_in_doubt_keeps_its_outside_key_and_a_new_attempt_has_its_own(kept):
    async def go(journal: Any) -> None:
        call = Effect(CUT, Failure("no"), "done")
        keys = []
        for attempt, error in ((1, InDoubt), (2, Failure), (3, None)):
            with binding(HERE, Here("draft", 1, visit(""), "repeat", attempt=attempt)):
                if error is None:
                    assert await once(journal(), "a:1", call) == "done"
                else:
                    with pytest.raises(error):
                        await once(journal(), "a:1", call)
            keys.append(outside_key("r", "draft", 1, "", attempt))
        assert call.keys == [keys[0], keys[0], keys[2]]

    kept(go)


@pytest.mark.parametrize(
    ("own", "node", "usual", "policy"),
    [
        ("repeat", "fail", "ask", "repeat"),
        ("fail", "repeat", "repeat", "fail"),
        (None, "repeat", "fail", "repeat"),
        (None, "fail", "repeat", "fail"),
        (None, None, "repeat", "repeat"),
        (None, None, "fail", "fail"),
        (None, "ask", "repeat", "ask"),
        ("ask", "repeat", "repeat", "ask"),
    ],
)
def test_the_callers_policy_wins_over_the_nodes_and_that_over_the_usual_one(
    kept, own, node, usual, policy
):
    async def go(journal: Any) -> None:
        await cut_off(journal(), "a:1")
        doubtful = journal(on_unknown=own, usual=usual, ask=Person())
        call = Effect("done")
        with binding(HERE, Here("a", 1, visit(""), node)):
            if policy == "repeat":
                assert await once(doubtful, "a:1", call) == "done"
                return
            with pytest.raises(Failure if policy == "fail" else Asked) as error:
                await once(doubtful, "a:1", call)
        if policy == "fail":
            assert "what became of `mail` is unknown" in str(error.value)
            assert "--on-unknown ask" in error.value.help
        assert (call.keys, await doubtful.in_doubt("r")) == ([], ("mail",))

    kept(go)


def test_outside_of_a_node_the_usual_policy_holds(kept):
    async def go(journal: Any) -> None:
        await cut_off(journal(), "a:1")
        assert await once(journal(usual="repeat"), "a:1", Effect("done")) == "done"

    kept(go)


def test_a_person_is_told_everything_about_an_effect_in_doubt(kept):
    async def go(journal: Any) -> None:
        given = {"to": "x", "key": "s3cret-value"}
        await cut_off(journal(), "a:1", given=given)
        person = Person()
        for path in ((), ("call", "each#3")):
            with binding(CALL_PATH, path), pytest.raises(Asked):
                await once(
                    journal(ask=person, hidden=("s3cret-value",)), "a:1", Effect(), given=given
                )
        first, second = person.about
        assert first == {
            "kind": "unknown",
            "text": "the run stopped while `mail` was under way: what became of it is unknown",
            "choices": ["repeat", "fail"],
            "key": ["r", "a:1", 0],
            "input": {"to": "x", "key": first["input"]["key"]},
            "idempotency_key": outside_key("r", "a:1", 0),
        }
        assert "s3cret" not in json.dumps(first)
        assert second == {**first, "path": ["call", "each#3"]}

    kept(go)


@pytest.mark.parametrize(
    ("answer", "result"), [("repeat", "again"), ({"id": 7}, {"id": 7}), (None, None)]
)
def test_an_answer_that_comes_at_once_is_obeyed(kept, answer, result):
    async def go(journal: Any) -> None:
        await cut_off(journal(), "a:1")
        call = Effect("again")
        assert await once(journal(ask=Person(answer)), "a:1", call) == result
        assert len(call.keys) == (answer == "repeat")
        assert await journal().in_doubt("r") == ()
        assert await once(journal(), "a:1", Effect()) == result

    kept(go)


def test_an_effect_that_counts_as_failed_is_asked_about_when_it_comes_again(kept):
    async def go(journal: Any) -> None:
        await cut_off(journal(), "a:1")
        with pytest.raises(Failure, match="`mail` is unknown; it was decided to count as failed"):
            await once(journal(ask=Person("fail")), "a:1", Effect())
        assert (await journal().in_doubt("r"), await status(journal())) == (("mail",), ["intended"])

    kept(go)


def test_an_answer_that_was_heard_before_is_not_taken_for_the_next_question(kept):
    """A host plays all the answers of a node again, in order."""

    async def go(journal: Any) -> None:
        await cut_off(journal(), "a:1")
        with pytest.raises(InDoubt):
            await once(journal(ask=Person("repeat")), "a:1", Effect(CUT))
        person = Person("repeat", "it was sent")
        assert await once(journal(ask=person), "a:1", Effect()) == "it was sent"
        assert person.answers == []

    kept(go)


def test_only_what_is_in_doubt_can_be_settled(kept):
    async def go(journal: Any) -> None:
        await once(journal(), "a:1", Effect("done"))
        await journal().settle(("r", "a:1", 0), "another")
        assert await once(journal(), "a:1", Effect()) == "done"
        await cut_off(journal(), "a:2")
        await journal().settle(("r", "a:2", 0), "fail")
        assert await status(journal()) == ["done", "refused"]
        await journal().settle(("r", "a:2", 0), "late")
        assert await journal().in_doubt("r") == ("mail",)

    kept(go)


SECOND = (("a:1", "a:1|1"),)
"""What is running is the second attempt of `a:1`."""


@pytest.mark.parametrize(
    ("place", "more", "found"),
    [
        ("a:1|m:5", {}, True),
        ("a:1|b:2|m:5", {}, True),
        ("a:1|2|m:5", {}, True),
        ("a:1|m:5", {"given": "y"}, False),
        ("a:1|m:5", {"name": "post"}, False),
        ("a:1|m:5", {"run": "s"}, False),
        ("a:1|1|m:5", {}, False),
        ("a:1", {}, False),
        ("a:11|m:5", {}, False),
        ("a:1}m:5", {}, False),
        ("a:0|m:5", {}, False),
    ],
)
def test_another_attempt_takes_what_an_earlier_one_has_done(kept, place, more, found):
    async def go(journal: Any) -> None:
        await once(journal(), place, Effect("before"), **more)
        call = Effect("now")
        with binding(EARLIER, SECOND):
            assert await once(journal(), "a:1|1|m:6", call) == ("before" if found else "now")
        assert len(call.keys) == (not found)
        assert await once(journal(), "a:1|1|m:6", Effect()) == ("before" if found else "now")

    kept(go)


@pytest.mark.parametrize("more", [{"effect": "pure"}, {"name": MODEL_CALL}])
def test_another_attempt_reads_and_asks_its_model_anew(kept, more):
    async def go(journal: Any) -> None:
        await once(journal(), "a:1|m:5", Effect("before"), **more)
        with binding(EARLIER, SECOND):
            assert await once(journal(), "a:1|1|m:6", Effect("now"), **more) == "now"

    kept(go)


def test_what_an_earlier_attempt_left_in_doubt_is_decided_first_and_repeated_by_its_key(kept):
    async def go(journal: Any) -> None:
        await cut_off(journal(), "a:1|m:5")
        call = Effect("now")
        with binding(EARLIER, SECOND):
            with pytest.raises(Asked):
                await once(journal(ask=Person()), "a:1|1|m:6", call)
            assert call.keys == []
            assert await once(journal(on_unknown="repeat"), "a:1|1|m:6", call) == "now"
        assert call.keys == [outside_key("r", "a:1|m:5", 0)]

    kept(go)


def test_a_result_of_an_earlier_attempt_that_somebody_changed_is_told_with_its_place(kept):
    async def go(journal: Any) -> None:
        await once(journal(), "a:1|m:5", Effect("before"))
        await journal().db.run("update effects set result = 'another'")
        with binding(EARLIER, SECOND), pytest.raises(RunError) as changed:
            await once(journal(), "a:1|1|m:6", Effect())
        assert "the result of an effect of node `a/m` of run r" in changed.value.message

    kept(go)


def test_what_a_person_tells_at_once_of_an_earlier_attempt_is_its_result(kept):
    async def go(journal: Any) -> None:
        await cut_off(journal(), "a:1|m:5")
        with binding(EARLIER, SECOND):
            asking = journal(ask=Person("was sent"))
            assert await once(asking, "a:1|1|m:6", Effect()) == "was sent"
            assert await once(journal(), "a:1|1|m:6", Effect()) == "was sent"
        assert await journal().in_doubt("r") == ()

    kept(go)


def test_an_earlier_attempt_that_a_person_lets_repeat_is_in_doubt_no_longer(kept):
    async def go(journal: Any) -> None:
        await cut_off(journal(), "a:1|m:5")
        call = Effect("now")
        with binding(EARLIER, SECOND):
            assert await once(journal(ask=Person("repeat")), "a:1|1|m:6", call) == "now"
        assert call.keys == [outside_key("r", "a:1|m:5", 0)]
        assert await journal().in_doubt("r") == ()

    kept(go)


def test_what_one_attempt_has_done_is_not_in_doubt_for_another_one(kept):
    async def go(journal: Any) -> None:
        await cut_off(journal(), "a:1|2|m:3")
        await once(journal(), "a:1|m:5", Effect("before"))
        with binding(EARLIER, SECOND):
            assert await once(journal(on_unknown="fail"), "a:1|1|m:6", Effect()) == "before"

    kept(go)


def test_attempts_of_attempts_are_looked_through_on_their_own_line(kept):
    async def go(journal: Any) -> None:
        line = ThreadTurn(2, "2.abc")
        await once(journal(turn=line), "a:1|m:5", Effect("before"))
        with binding(EARLIER, (("z:1", "z:1|1"), *SECOND)):
            assert await once(journal(), "a:1|1|m:6", Effect("main line")) == "main line"
            assert await once(journal(turn=line), "a:1|1|m:6", Effect()) == "before"

    kept(go)


@pytest.mark.parametrize(
    ("answer", "result"), [("repeat", "again"), ("was sent", "was sent"), ("fail", None)]
)
def test_where_the_store_lost_something_a_new_effect_is_in_doubt(kept, tmp_path, answer, result):
    async def go(journal: Any) -> None:
        told = HighWater(tmp_path)
        told.begin("r", 0)
        for _ in range(2):
            told.add("r")
        lost = journal(water=HighWater(tmp_path), ask=(person := Person(answer)))
        await lost.recall("r")
        call = Effect("again")
        if answer == "fail":
            with pytest.raises(Failure, match="decided to count as failed"):
                await once(lost, "a:1", call)
        else:
            assert await once(lost, "a:1", call) == result
        assert len(call.keys) == (answer == "repeat")
        assert person.about[0]["text"].endswith("are gone: whether `mail` was done is unknown")

    kept(go)
