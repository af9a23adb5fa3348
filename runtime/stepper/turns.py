"""A question of a run for a client: a turn of the model is a step of its own, any other waits for
a person."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from ..people import Question
from ..services import Json
from ..state.step_reports import ReportFault

ANSWER = "answer"
"""The key of `output_variables` under which a step that has no declared outputs is answered."""
_REPORT = "report_step_result"


def describe_question(question: Question) -> dict[str, Json]:
    """Return what a client has to know of a question beside its text; empty values are left out."""
    about: dict[str, Json] = {
        "kind": question.kind,
        "node": question.name,
        "place": question.place,
        "who": question.who or question.asker,
        "choices": list(question.choices),
        "commands": list(question.commands),
        "tools": list(question.tools),
        "schema": question.schema,
    }
    return {name: value for name, value in about.items() if value}


def turn_prompt(turn: Question, number: int) -> str:
    """Return the turn in full, with the conversation before it and how it is reported."""
    parts = [f"{message['role']}: {message['content']}" for message in turn.messages]
    report = f"Then call `{_REPORT}` with\n{_how(turn, number)}"
    return "\n\n".join([*parts, turn.text, report])


def answer_of(turn: Question, args: Mapping[str, Any]) -> Json:
    """Return what a report answers to the turn. Raise `ReportFault` when it answers nothing."""
    outputs = args.get("output_variables")
    outputs = {} if outputs is None else outputs
    if not isinstance(outputs, dict):
        raise ReportFault("output_variables is not an object", "malformed_report", "give an object")
    if args.get("status") != "passed":
        return {"failed": str(args.get("error_message") or "")}
    if ANSWER in outputs:
        return cast("Json", outputs[ANSWER])
    if turn.schema is not None and outputs:
        return outputs
    raise ReportFault(
        f"the report of `{turn.name}` holds no answer",
        "malformed_report",
        f'give output_variables {{"{ANSWER}": …}}',
    )


def waiting_for_person(questions: Iterable[Question], go_on: str) -> list[Json]:
    """Return the questions that only a person answers, each with the command that does: `go_on` is
    that which goes on with the run, "" where it is kept nowhere."""
    return [
        {
            "question": question.name,
            **describe_question(question),
            "text": question.text,
            "answer_with": _command(question, go_on),
        }
        for question in questions
    ]


def _command(question: Question, go_on: str) -> str:
    if not go_on or question.kind == "breakpoint":
        return go_on
    return f"{go_on} {question.answer_flag('TEXT')}"


def _how(turn: Question, number: int) -> str:
    lines = [f"- step_number: {number}", '- status: "passed", or "failed" if it could not be done']
    if turn.schema is not None:
        schema = json.dumps(turn.schema, ensure_ascii=False)
        lines.append(f"- output_variables: an object of this schema: {schema}")
    else:
        lines.append(f'- output_variables: {{"{ANSWER}": your answer}}')
    return "\n".join([*lines, '- error_message: what went wrong, "" if nothing did'])
