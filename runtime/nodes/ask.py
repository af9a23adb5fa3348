"""ask: show a question to a person, wait, store the answer (M41)."""

from __future__ import annotations

from collections.abc import Sequence

from flowc.compiler.ir import AskNode

from ..errors import Failure
from ..people import QuestionKind
from ..services import Json, Message
from ..state.conversations import adding, channel_of
from ..state.interrupts import choice_in
from .visit.visit import Done, Visit, put_question


async def run(visit: Visit) -> Done:
    """Nothing happens before the interrupt, because an answered node runs again from its start. A
    conversation takes the question as an assistant's and the answer as a user's; nothing empty."""
    op = visit.node.op
    assert isinstance(op, AskNode)
    question = visit.text(op.question)
    answer = ask(visit, "ask", question, choices=op.choices)
    done = Done(variables={op.into: answer}, text=visit.scope.show(answer))
    if op.thread is not None:
        said = {"assistant": question, "user": done.text}
        new: list[Message] = [{"role": r, "content": text} for r, text in said.items() if text]
        threads = {thread.id: thread for thread in visit.setting.spec.threads}
        done.channels[channel_of(op.thread)] = adding(threads.get(op.thread), new)
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
    """The answer given in advance, or the interrupt that waits for one: for one of `choices`, or
    for what fits `schema`, from `who`. Raises `Failure` when what was given in advance is none of
    the choices."""
    known = visit.services.people.answer(kind, visit.node.id, visit.number)
    if known is not None:
        return chosen(visit, choices, known) if choices else known
    about: dict[str, Json] = {
        "kind": kind,
        "node": visit.node.id,
        "text": text,
        "place": visit.place,
    }
    if choices:
        about["choices"] = list(choices)
    if schema is not None:
        about["schema"] = schema
    if who:
        about["who"] = who
    return put_question(visit.services, about)


def chosen(visit: Visit, choices: Sequence[str], value: Json) -> str:
    """The choice that a value is. Raises `Failure`."""
    choice = choice_in(choices, value)
    if choice is None:
        shown = visit.scope.show(value)
        one_of = ", ".join(choices)
        raise Failure(f"`{shown}` is no answer to `{visit.node.id}`", help=f"one of: {one_of}")
    return choice
