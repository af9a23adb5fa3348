"""What counts as lost, repeated, asked about or harmless, from ledgers nobody had to die for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flowc.runtime.services import MODEL_CALL
from flowc.runtime.torture.hosts import RunEnding
from flowc.runtime.torture.judge import Judge
from flowc.runtime.torture.ledger import LedgerLine, label_of
from flowc.runtime.torture.people import Verdicts
from flowc.runtime.torture.trials import KilledRun, Undisturbed

END = RunEnding("success", "done")


def call(label: str, key: str = "", *, effect: str = "once", real: bool = False) -> LedgerLine:
    return LedgerLine("call", label, key or f"key of {label}", label, "tool mail", effect, real)


def act(label: str, key: str = "") -> LedgerLine:
    return LedgerLine("effect", "anything", key or f"key of {label}")


def judged(
    base: list[LedgerLine], lines: list[LedgerLine], ending: RunEnding = END, **verdicts: list[str]
) -> Judge:
    judge = Judge(Undisturbed(END, base, [], []))
    judge.add(KilledRun(["here"], ending, "", lines, Verdicts(**verdicts)))
    return judge


def kinds(judge: Judge) -> list[str]:
    return [breach.kind for breach in judge.judgement.breaches]


ONE = [call("a"), act("a")]


def test_a_run_that_did_the_same_broke_nothing():
    judge = judged(ONE, ONE)
    assert kinds(judge) == []
    assert judge.judgement.node("a").effects == 1


def test_an_effect_that_never_happened_is_lost():
    judge = judged([*ONE, call("b"), act("b")], ONE)
    assert kinds(judge) == ["lost"]
    assert judge.judgement.node("b").lost == 1


def test_an_attempt_that_was_not_needed_is_not_lost():
    """Undisturbed the first attempt fails and the second comes off; here the first one does."""
    first, second = (label_of("a", 12, attempt, "", "tool mail") for attempt in (1, 2))
    both = [call(first), act(first), call(second), act(second)]
    done = LedgerLine("result", first, f"key of {first}", value="sent")
    assert kinds(judged(both, [*both[:2], done])) == []
    assert kinds(judged(both, [*both[:2], replace(done, failure="no")])) == ["lost"]
    assert kinds(judged(both, both[:2])) == ["lost"]


def test_a_call_that_died_before_its_effect_is_not_a_repetition():
    assert kinds(judged(ONE, [call("a"), *ONE])) == []


def test_an_effect_that_came_twice_is_a_repetition_unless_a_person_said_so():
    judge = judged(ONE, [*ONE, *ONE])
    assert kinds(judge) == ["repeated"]
    assert judge.judgement.node("a").repeated == 1
    judge = judged(ONE, [*ONE, *ONE], asked=["a"], agreed=["a"])
    assert kinds(judge) == []
    assert judge.judgement.node("a").asked == 1


@pytest.mark.parametrize("effect", ["idempotent", "pure"])
def test_a_real_tool_that_acts_twice_under_a_key_lies(effect):
    """What it says of itself is believed of a stand-in alone."""
    lie = [call("a", effect=effect, real=True), act("a")]
    judge = judged(lie, [*lie, *lie])
    assert kinds(judge) == ["liar"]
    assert judge.judgement.node("a").repeated == 1
    honest = judged(lie, [*lie, lie[0]])
    assert kinds(honest) == []
    assert honest.judgement.node("a").again == 1


def test_a_real_idempotent_tool_that_notes_nothing_is_doubtful_when_it_comes_again():
    silent = [call("a", effect="idempotent", real=True)]
    judge = judged(silent, [*silent, *silent])
    assert kinds(judge) == []
    assert judge.judgement.node("a").doubtful == 1


def test_a_repetition_under_another_key_is_found():
    again = [call("a", effect="idempotent"), call("a", "another", effect="idempotent")]
    assert kinds(judged(again[:1], again)) == ["keys"]


def test_another_end_and_no_end_are_found():
    assert kinds(judged(ONE, ONE, RunEnding("success", "other"))) == ["ending"]
    judge = Judge(Undisturbed(END, ONE, [], []))
    judge.add(KilledRun(["here"], None, "hung", ONE))
    assert kinds(judge) == ["stuck"]


def test_a_model_that_is_paid_again_unasked_is_a_repetition():
    paid = [LedgerLine("call", "m", "k", "m", MODEL_CALL, "once"), act("m", "k")]
    assert kinds(judged(paid, [*paid, *paid])) == ["repeated"]


def test_calls_that_the_undisturbed_run_did_not_make_are_doubtful():
    judge = judged(ONE, [*ONE, call("new"), act("new")])
    assert kinds(judge) == []
    assert judge.judgement.strange == 1
