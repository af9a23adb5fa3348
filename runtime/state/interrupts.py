"""Interrupts as questions for people, and people's answers checked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flowc.compiler.ir import AskNode
from flowc.compiler.lowering.graphspec import Channel, GraphSpec, called_by

from ..errors import RunError
from ..people import TIME_IS_UP, Question
from ..services import Json
from ..values import kept_value
from .called_workflow import node_at
from .task_results import ResultFault, read_result

if TYPE_CHECKING:
    from langgraph.types import Interrupt, StateSnapshot

ALLOWING = ("yes", "no", "always")
"""Answers to the question whether commands may run; "always" holds for the session from then on."""
_TEXTS = ("question", "text", "message", "prompt")
"""Where functions that ask with an object say it."""
_SHORT = {"y": "yes", "n": "no", "a": "always"}


def questions_in(snapshot: StateSnapshot, spec: GraphSpec) -> dict[str, Question]:
    """Return by their ids the questions that wait in a state."""
    askers = {each.id: task.name for task in snapshot.tasks for each in task.interrupts}
    return {each.id: question_of(each, spec, askers.get(each.id)) for each in snapshot.interrupts}


def question_of(interrupt: Interrupt, spec: GraphSpec, asker: str | None = None) -> Question:
    """Return the question that a LangGraph interrupt asks. A function that asks by itself does not
    say where: that is the node `asker`."""
    own = is_own(interrupt)
    value: Mapping[str, Any] = interrupt.value if own else {"text": _text_of(interrupt.value)}
    node, place = str(value.get("node", "")), str(value.get("place", ""))
    if not own and asker:
        node = asker
    if node and not place and not value.get("path"):
        place = _place_of(node, spec)
    key = effect_key(interrupt)
    if not node and key and (innermost := node_at(key[1], spec)) is not None:
        node, place = innermost.id, str(innermost.place or "")
    return question_about({**value, "node": node, "place": place}, interrupt.id)


def question_about(value: Mapping[str, Any], id: str = "") -> Question:
    """Return the question that the value of an interrupt describes."""
    return Question(
        id=id,
        kind=value.get("kind", "ask"),
        node=str(value.get("node", "")),
        text=str(value.get("text", "")),
        choices=tuple(value.get("choices", ())),
        commands=tuple(value.get("commands", ())),
        place=str(value.get("place", "")),
        schema=value.get("schema"),
        who=str(value.get("who", "")),
        asker=str(value.get("asker", "")),
        path=tuple(value.get("path", ())),
        input=value.get("input"),
        idempotency_key=str(value.get("idempotency_key", "")),
        messages=tuple(value.get("messages", ())),
        tools=tuple(value.get("tools", ())),
        ending=str(value.get("ending", "")),
        due=str(value.get("due", "")),
        event=str(value.get("event", "")),
    )


def is_own(interrupt: Interrupt) -> bool:
    """Return whether flowc asks; a function that a node calls may ask with any value."""
    return isinstance(interrupt.value, dict) and "kind" in interrupt.value


def _text_of(value: object) -> str:
    """Return what a person reads of a value with which a function asks."""
    if isinstance(value, dict):
        texts = [value[key] for key in _TEXTS if isinstance(value.get(key), str)]
        return texts[0] if texts else json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def breakpoint_of(node: str, spec: GraphSpec) -> Question:
    """Return the pause before a node at which a person set a breakpoint."""
    text = f"stopped before `{node}`"
    return Question(f"breakpoint:{node}", "breakpoint", node, text, place=_place_of(node, spec))


def _place_of(name: str, spec: GraphSpec) -> str:
    node = spec.node(name)
    return str(node.place or "") if node else ""


def effect_key(interrupt: Interrupt) -> tuple[str, str, int] | None:
    """Return the journal's key when the interrupt asks about an effect in doubt."""
    value = interrupt.value if isinstance(interrupt.value, dict) else {}
    if value.get("kind") != "unknown":
        return None
    run, key, ordinal = value["key"]
    return (run, key, ordinal)


def fitting_answer(question: Question, value: object) -> Json:
    """Return an answer checked and in its full form. Raise `RunError` for one that the question
    does not take."""
    kept = kept_value(value, f"the answer to `{question.node}`" if question.node else "the answer")
    return _normalize(question, kept)


def match_answers(answers: Mapping[str, Json], pending: Iterable[Question]) -> dict[str, Json]:
    """Return answers by interrupt id, checked and in their full form. The id "" stands for the only
    pending question. Raise `RunError` for an answer to nothing and for an unknown choice."""
    questions = {question.id: question for question in pending}
    matched: dict[str, Json] = {}
    for id, value in answers.items():
        question = questions.get(id)
        if question is None and id == "" and len(questions) == 1:
            question = next(iter(questions.values()))
        if question is None:
            raise RunError(_no_such(id, questions), help="see `flowc show RUN` for what waits")
        if question.kind == "wait" and value != TIME_IS_UP:
            raise RunError(
                f"`{question.node}` {question.text}, and takes no answer",
                help="it goes on by itself when that time has come",
            )
        matched[question.id] = fitting_answer(question, value)
    return matched


def variable_for(spec: GraphSpec, question: Question) -> Channel | None:
    """Return the variable that the answer to a question goes into; None where it goes into none."""
    from .channels import variables_of  # with LangGraph, which `flowc runs` does without

    called = called_by(spec, question.path)
    asking = called[1].node(question.node) if called is not None else None
    if called is None or asking is None or not isinstance(asking.op, AskNode):
        return None
    return variables_of(called[1])[asking.op.into]


def no_command(line: str) -> str:
    """Return the line. Raise `RunError` when there is nothing in it, and for one that begins with
    `/`, which is a command and never reaches a workflow (J46)."""
    if not line.strip():
        raise RunError("there is nothing in the line", help="say something")
    if line.lstrip().startswith("/"):
        raise RunError(
            f"`{line.split()[0]}` is a command, and commands do not reach a workflow",
            help="begin the line with another character",
        )
    return line


def _normalize(question: Question, value: Json) -> Json:
    if question.kind == "task":
        check_result(question, value)
    if question.asker:
        return no_command(str(value))
    if question.kind == "ask" and question.choices:
        return choice_of(question, value)
    if question.kind != "approve":
        return value
    word = {True: "yes", False: "no"}.get(value) if isinstance(value, bool) else value
    word = str(word).strip().lower()
    word = _SHORT.get(word, word)
    if word not in ALLOWING:
        raise RunError(
            f"`{value}` is not an answer to whether `{question.node}` may run its commands",
            help=f"one of: {', '.join(ALLOWING)}",
        )
    return word


def check_result(question: Question, value: Json) -> None:
    """Raise `RunError` for a malformed result of the question's task."""
    try:
        read_result(question.schema or {}, value)
    except ResultFault as fault:
        raise RunError(
            f"`{question.node}` cannot take that answer: {fault.message}", help=fault.suggestion
        ) from None


def choice_of(question: Question, value: Json) -> str:
    """Return the choice that the answer to a question with choices is. Raise `RunError`."""
    choice = choice_in(question.choices, value)
    if choice is None:
        raise RunError(
            f"`{value}` is not an answer to `{question.node}`",
            help=f"one of: {', '.join(question.choices)}",
        )
    return choice


def _no_such(id: str, questions: Mapping[str, Question]) -> str:
    if not questions:
        return "the run waits for no answer"
    if id == "":
        return f"{len(questions)} questions wait: say which one is answered"
    return f"no question has the id `{id}`; waiting: {', '.join(questions)}"


def choice_in(choices: Sequence[str], value: Json) -> str | None:
    """Return the choice that is meant: written out, in any case, or by its first letter where that
    is enough. A truth value is yes or no unless it is a choice itself."""
    words = [str(value).strip()]
    if isinstance(value, bool):
        words.append("yes" if value else "no")
    for word in words:
        if word in choices:
            return word
        low = word.lower()
        matches = [choice for choice in choices if choice.lower() == low]
        matches = matches or [c for c in choices if len(low) == 1 and c[:1].lower() == low]
        if len(matches) == 1:
            return matches[0]
    return None
