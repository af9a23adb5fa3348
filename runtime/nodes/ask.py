"""ask: show a question to a person, wait, store the answer (M41)."""

from __future__ import annotations

from collections.abc import Sequence

from flowc.compiler.ir import AskNode

from ..errors import Failure
from ..people import QuestionKind
from ..secrets import shown_value
from ..services import Json, Message
from ..state.interrupts import choice_in
from .visit.visit import Done, Visit, put_question


async def run(visit: Visit, op: AskNode) -> Done:
    """Ask a person. The thread gets the question as an assistant's message and the answer as a
    user's, unless they are empty."""
    # Nothing may happen before the interrupt: after the answer the node runs again from its start.
    question = visit.text(op.question)
    answer = ask(visit, "ask", question, choices=op.choices)
    shown = visit.scope.show(shown_value(op.into, answer, ()))
    done = Done(variables={op.into: answer}, text=shown)
    if op.thread is not None:
        texts = {"assistant": question, "user": visit.scope.show(answer)}
        new: list[Message] = [{"role": r, "content": text} for r, text in texts.items() if text]
        done.channels |= visit.append_to(op.thread, new)
    return done


def ask(
    visit: Visit,
    kind: QuestionKind,
    text: str,
    *,
    choices: tuple[str, ...] = (),
    schema: Json = None,
    who: str = "",
) -> Json:
    """Return the answer in advance, or interrupt and return a person's: one of `choices`, or a
    value that fits `schema`, from `who`. Raise `Failure` for an answer in advance that is not one
    of the choices."""
    answer = visit.services.people.answer(kind, visit.node.id, visit.number)
    if answer is not None:
        return _choice_of(visit, choices, answer) if choices else answer
    options = {"choices": list(choices), "schema": schema, "who": who}
    return _put(visit, kind, text, {k: v for k, v in options.items() if v not in (None, "", [])})


def ask_approval(visit: Visit, text: str, choices: Sequence[str], commands: list[str]) -> str:
    """Return "yes", "always" or "no": whether commands may run. Any other answer is a no."""
    answer = visit.services.people.answer("approve", visit.node.id, visit.number)
    if answer is None:
        answer = _put(visit, "approve", text, {"choices": list(choices), "commands": commands})
    return answer if answer in ("yes", "always") else "no"


def _put(visit: Visit, kind: QuestionKind, text: str, options: dict[str, Json]) -> Json:
    about = {"kind": kind, "node": visit.node.id, "text": text, "place": visit.place}
    return put_question(visit.services, {**about, **options})


def _choice_of(visit: Visit, choices: Sequence[str], value: Json) -> str:
    """Return the choice that a value is. Raise `Failure`."""
    choice = choice_in(choices, value)
    if choice is None:
        shown = visit.scope.show(value)
        one_of = ", ".join(choices)
        raise Failure(f"`{shown}` is not an answer to `{visit.node.id}`", help=f"one of: {one_of}")
    return choice
