"""The choices of an execution from Python, and the answers to its questions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from inspect import iscoroutinefunction
from typing import Any, TypedDict

from flowc.compiler.ir import OnUnknown

from ..assembly.run_options import RunOptions
from ..config.options import OPTIONS, WrongValue, read_value
from ..errors import RunError, one_line
from ..events import Listener
from ..people import UNASKED, Question
from ..services import Json
from .arguments import texts_of


class Choices(TypedDict, total=False):
    """What an execution may be given beside its inputs or answers.

    `max_steps` nodes, `timeout` seconds, `max_tokens` and `max_cost` (dollars) bound the run: it
    stops, and can be resumed. `breakpoints` are nodes to pause before. `listen` gets every event.
    `record` is a file that keeps every exchange with models, tools and people, `replay` one that
    answers from there. `on_unknown` says what is done about a call that was under way when the
    process died: ask, repeat or fail."""

    max_steps: int
    timeout: float
    max_tokens: int
    max_cost: float
    breakpoints: str | Sequence[str]
    listen: Listener
    record: str | os.PathLike[str]
    replay: str | os.PathLike[str]
    on_unknown: OnUnknown


_NUMBERS = ("N", "SECONDS", "DOLLARS")
"""What options that take a number call it."""


def options_of(choices: Choices) -> RunOptions:
    """Return the choices that are options of a run. Raise `RunError` for a choice that is not
    there, and for a value that its option does not take."""
    for name in choices:
        if name not in Choices.__annotations__:
            raise RunError(
                f"an execution has no choice `{name}`",
                help=f"they are {', '.join(Choices.__annotations__)}",
            )
    known = {
        name: value for name, value in choices.items() if name not in ("listen", "breakpoints")
    }
    return RunOptions(**{name: option_value(name, value) for name, value in known.items()})


def option_value(name: str, value: object, argument: str = "") -> Any:
    """Return the value of an option, which an `argument` of another name may give. Raise
    `RunError`."""
    if value is None:
        return None
    if isinstance(value, str) and OPTIONS[name].metavar in _NUMBERS:  # as a flag may be
        raise RunError(f"`{name}` takes a number, not {value!r}", help="leave out the quotes")
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    elif isinstance(value, tuple):
        value = [os.fspath(part) for part in value]
    try:
        return read_value(name, value)
    except WrongValue as wrong:
        takes = str(wrong).replace("a text", "a path") if OPTIONS[name].path else wrong
        raise RunError(f"`{argument or name}` takes {takes}, not {value!r}") from None


def breakpoints_of(choices: Choices) -> tuple[str, ...]:
    """Return the nodes to pause before; a single one may stand alone. Raise `RunError`."""
    nodes = choices.get("breakpoints")
    if isinstance(nodes, str):
        return (nodes,)
    return texts_of("breakpoints", nodes, "nodes")


def listeners_of(choices: Choices) -> tuple[Listener, ...]:
    """Return who hears the events of an execution. Raise `RunError` for what cannot be called."""
    listen = choices.get("listen")
    if listen is not None and (not callable(listen) or iscoroutinefunction(listen)):
        kind = "not an async one" if callable(listen) else f"not {one_line(repr(listen), 60)}"
        raise RunError(f"`listen` is a function of an event, {kind}")
    return () if listen is None else (listen,)


def answers_by_id(answers: Json, questions: Sequence[Question]) -> dict[str, Json]:
    """Return answers by the ids of their questions. `answers` may be by id, by node, or the answer
    to the only question. Raise `RunError` for what is not clear."""
    waiting = [question for question in questions if question.kind not in UNASKED]
    if answers is None:
        return {}
    if not waiting:
        raise RunError("the run waits for no answer", help="leave out `answers` to go on")
    known = {name: q.id for q in waiting for name in (q.node, q.name, q.id)}
    if isinstance(answers, Mapping) and answers and answers.keys() <= known.keys():
        return {known[name]: value for name, value in answers.items()}
    if len(waiting) == 1:
        return {waiting[0].id: answers}
    names = ", ".join(f"`{question.name}`" for question in waiting)
    raise RunError(
        f"{len(waiting)} questions wait, and it is not clear which ones are answered",
        help=f"give a mapping; they wait at {names}",
    )


def require_id(run: object) -> None:
    """Raise `RunError` for what cannot be the id of a run."""
    if not isinstance(run, str):
        raise RunError(
            f"a run is named by its id, which is a text, not {one_line(repr(run), 60)}",
            help="it is the `run` of its outcome, or the `id` of one of flow.runs()",
        )
