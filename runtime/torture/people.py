"""The person of a run that is tortured: answers what waits, and looks where an effect happens when
its outcome is not known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ..errors import RunError
from ..people import TIME_IS_UP, Question
from ..services import MODEL_CALL, Json
from .ledger import LedgerLine, node_of

Answer = Callable[[Question], Json]
"""What a person answers to a question; None: nobody knows."""


@dataclass(slots=True)
class Verdicts:
    """What a person decided about effects in doubt: `asked` by node, and by label how many calls of
    what had happened were made again because of it. `blind` are those of which the ledger does not
    say whether they happened."""

    asked: list[str] = field(default_factory=list)
    agreed: list[str] = field(default_factory=list)
    blind: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Person:
    """Answers questions: `known` are the results of calls in the undisturbed run, by label, and the
    labels under which it `acts`, which leave a line when they do."""

    answer: Answer
    known: dict[str, LedgerLine] = field(default_factory=dict)
    acting: frozenset[str] = frozenset()

    def answers(
        self, questions: Iterable[Question], lines: list[LedgerLine], verdicts: Verdicts
    ) -> dict[str, Json]:
        """Return answers to everything that waits, by question id. Raise `RunError` for a question
        that nobody answers."""
        return {q.id: self._answer(q, lines, verdicts) for q in questions}

    def _answer(self, question: Question, lines: list[LedgerLine], verdicts: Verdicts) -> Json:
        if question.kind == "unknown":
            return self._decide(question, lines, verdicts)
        if question.kind == "approve":
            return "yes"
        if question.kind == "wait":
            return TIME_IS_UP
        answer = self.answer(question)
        if answer is None:
            text = " ".join(question.text.split())
            raise RunError(
                f"the run waits for an answer that nobody scripted: {question.name}: {text[:200]}",
                help=f"--answer {question.name}=TEXT, or `{question.node}: TEXT` in the file of"
                " --answers",
            )
        return answer

    def _decide(self, question: Question, lines: list[LedgerLine], verdicts: Verdicts) -> Json:
        """Return "repeat" for what did not happen, or failed, and for a model's answer, which
        nobody else can give; else the result."""
        verdicts.asked.append(node_of("/".join((*question.path, question.node))))
        key = question.idempotency_key
        under = [line for line in lines if line.key == key and line.what != "result"]
        call = next((line for line in reversed(under) if line.what == "call"), None)
        if call is None:
            return "repeat"
        acted = under[-1].what == "effect"
        if not acted and call.label in self.acting:
            return "repeat"
        if not acted:
            verdicts.blind.append(call.label)
        known = self.known.get(call.label)
        if call.name == MODEL_CALL or known is None or known.failure or not acted:
            verdicts.agreed.append(call.label)
            return "repeat"
        return known.value


def script_answer(texts: Mapping[str, Json]) -> Answer:
    """Return a person who answers by the names of questions, with or without their number."""

    def answer(question: Question) -> Json:
        for name in (question.name, question.place_name, question.node):
            if name in texts:
                return texts[name]
        return None

    return answer
