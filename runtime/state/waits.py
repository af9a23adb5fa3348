"""Runs that wait: which of their questions are over, and how long the others last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches

from ..errors import RunError
from ..people import TIME_IS_UP, Question
from ..services import Json


def answers_due(questions: Iterable[Question], now: float) -> dict[str, Json]:
    """Return the answers to those whose time has come, by question id; `now` is in seconds since
    1970."""
    timed = ((question, due_of(question)) for question in questions)
    return {q.id: TIME_IS_UP for q, due in timed if due is not None and due <= now}


def due_of(question: Question) -> float | None:
    """Return the time at which a run goes on by itself, in seconds since 1970; None if never."""
    return datetime.fromisoformat(question.due).timestamp() if question.due else None


def first_due(questions: Iterable[Question]) -> float | None:
    """Return the time at which the first of them is over; None where none ends by itself."""
    return min((due for due in map(due_of, questions) if due is not None), default=None)


def event_answers(events: Mapping[str, Json], questions: Sequence[Question]) -> dict[str, Json]:
    """Return answers, by question id, that events bring to whatever waits for them. Raise
    `RunError` for an event that nothing waits for."""
    waiting = [question for question in questions if question.kind == "event"]
    names = sorted({question.event for question in waiting})
    answers: dict[str, Json] = {}
    for name, value in events.items():
        found = [question for question in waiting if question.event == name]
        if not found:
            near = get_close_matches(name, names, n=1)
            listed = ", ".join(f"`{one}`" for one in names)
            help = f"did you mean `{near[0]}`?" if near else f"it waits for {listed}"
            raise RunError(
                f"the run does not wait for an event `{name}`" if names else
                f"the run waits for no event, so `{name}` would be lost",
                help=help if names else "send it when the run waits: flowc show RUN",
            )  # fmt: skip
        answers |= {question.id: value for question in found}
    return answers
