"""What a person decides who looks at the ledger for the key of an effect in doubt."""

from __future__ import annotations

import pytest
from flowc.runtime.errors import RunError
from flowc.runtime.people import Question
from flowc.runtime.services import MODEL_CALL
from flowc.runtime.torture.ledger import LedgerLine
from flowc.runtime.torture.people import Person, Verdicts, script_answer

DOUBT = Question("q", "unknown", "send", "?", path=("each#2",), idempotency_key="k")
CALL = LedgerLine("call", "send 1", "k", "each/send", "tool mail", "once")
ACT = LedgerLine("effect", "anything", "k")
KNOWN = {"send 1": LedgerLine("result", "send 1", "", value="sent")}


def decided(lines, known=KNOWN, acting=("send 1",)):
    verdicts = Verdicts()
    person = Person(script_answer({}), known, frozenset(acting))
    return person.answers([DOUBT], lines, verdicts)["q"], verdicts


def test_what_happened_has_its_result():
    assert decided([CALL, ACT]) == ("sent", Verdicts(["each/send"]))


@pytest.mark.parametrize("lines", [[], [CALL], [CALL, ACT, CALL]])
def test_what_did_not_happen_is_repeated(lines):
    assert decided(lines) == ("repeat", Verdicts(["each/send"]))


def test_what_failed_is_repeated_and_agreed_to():
    failed = {"send 1": LedgerLine("result", "send 1", "", failure="no")}
    assert decided([CALL, ACT], failed) == ("repeat", Verdicts(["each/send"], ["send 1"]))


def test_nobody_can_give_the_answer_of_a_model():
    call = LedgerLine("call", "send 1", "k", "each/send", MODEL_CALL, "once")
    assert decided([call, ACT])[0] == "repeat"


def test_what_leaves_nothing_in_the_ledger_is_decided_blindly():
    wanted = Verdicts(["each/send"], ["send 1"], ["send 1"])
    assert decided([CALL], acting=()) == ("repeat", wanted)


def test_questions_are_answered_by_their_names():
    person = Person(script_answer({"each/who": "ann", "go": "on"}))
    asks = [
        Question("1", "ask", "who", "Who?", path=("each",), before=1),
        Question("2", "task", "go", "Go?"),
        Question("3", "approve", "run", "Run?"),
    ]
    assert person.answers(asks, [], Verdicts()) == {"1": "ann", "2": "on", "3": "yes"}
    with pytest.raises(RunError, match="nobody scripted: what: What"):
        person.answers([Question("4", "ask", "what", "What?")], [], Verdicts())
