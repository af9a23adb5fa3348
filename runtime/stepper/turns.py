"""A question of a run as a step for a client: what is asked, and what its report answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
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


def question_prompt(question: Question, number: int) -> str:
    """Return the question in full, with the conversation before it and how it is reported."""
    parts = [f"{message['role']}: {message['content']}" for message in question.messages]
    body = question.text
    if question.kind == "approve":
        body = "\n".join([body or "These commands are about to run.", *question.commands]).strip()
    parts.append(body)
    return "\n\n".join([*parts, f"Then call `{_REPORT}` with\n{_how(question, number)}"])


def answer_of(question: Question, args: Mapping[str, Any]) -> Json:
    """Return what a report answers to the question. Raise `ReportFault` when it answers nothing."""
    outputs = args.get("output_variables")
    outputs = {} if outputs is None else outputs
    if not isinstance(outputs, dict):
        raise ReportFault("output_variables is not an object", "malformed_report", "give an object")
    if args.get("status") != "passed":
        return _failure_answer(question, str(args.get("error_message") or ""))
    if ANSWER in outputs:
        return cast("Json", outputs[ANSWER])
    if question.schema is not None and outputs:
        return outputs
    raise ReportFault(
        f"the report of `{question.name}` holds no answer",
        "malformed_report",
        f'give output_variables {{"{ANSWER}": …}}{_choices(question)}',
    )


def _failure_answer(question: Question, message: str) -> Json:
    """Return the answer of a step that could not be done: a failure of the model's turn or of the
    task, a refusal of commands. A question to a person has no such answer."""
    match question.kind:
        case "turn":
            return {"failed": message}
        case "task":
            return {"output": message or "it could not be done", "status": "failed"}
        case "approve":
            return "no"
        case "unknown":
            return "fail"
        case _:
            raise ReportFault(
                f"`{question.name}` waits for an answer and cannot fail",
                "malformed_report",
                f'report it as passed, with output_variables {{"{ANSWER}": …}}{_choices(question)}',
            )


def _choices(question: Question) -> str:
    return f", one of: {', '.join(question.choices)}" if question.choices else ""


def _how(question: Question, number: int) -> str:
    lines = [f"- step_number: {number}", '- status: "passed", or "failed" if it could not be done']
    if question.schema is not None:
        schema = json.dumps(question.schema, ensure_ascii=False)
        lines.append(f"- output_variables: an object of this schema: {schema}")
    else:
        lines.append(f'- output_variables: {{"{ANSWER}": your answer{_choices(question)}}}')
    return "\n".join([*lines, '- error_message: what went wrong, "" if nothing did'])
