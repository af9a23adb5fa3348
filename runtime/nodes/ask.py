"""ask: show a question to a person, wait, store the answer (M41)."""

from __future__ import annotations

from flowc.compiler.ir import AskNode

from ..services import Json, QuestionKind
from .visit import Done, Visit, put_question


async def run(visit: Visit) -> Done:
    """Nothing happens before the interrupt, because an answered node runs again from its start."""
    op = visit.node.op
    assert isinstance(op, AskNode)
    answer = ask(visit, "ask", visit.text(op.question))
    return Done(variables={op.into: answer}, text=visit.scope.show(answer))


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
    for what fits `schema`, from `who`."""
    known = visit.services.people.answer(kind, visit.node.id, visit.number)
    if known is not None:
        return known
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
    return put_question(about)
