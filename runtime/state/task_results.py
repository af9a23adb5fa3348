"""Results of tasks as pure data: what a model or a person may say of one, and what follows.

A result is an object; of a plain task a text alone is enough, it is the output. The schema is what
a model is told, what a question carries for whoever answers it, and what an answer is held against.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flowc.compiler.ir import TaskNode

from ..services import Json
from .frames import BadFrame, read_frame

RESULT_TOOL = "complete_task"
"""The tool with which a model gives the result of a task."""
STATUSES = ("completed", "partial", "failed")


class ResultFault(Exception):
    """A result that cannot be accepted; nothing changed. `suggestion` says what to give instead."""

    def __init__(self, message: str, suggestion: str) -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion


def result_schema(op: TaskNode) -> dict[str, Any]:
    """Return JSON Schema of one task's result (C14, C23)."""
    score = {"type": "number", "minimum": 0, "maximum": 1}
    properties: dict[str, Any] = {
        "output": {"type": "string", "description": "what came of the task"},
        "score": {**score, "description": "how well it meets its criteria"},
        "handoff": {"type": "object", "description": "data for the tasks that depend on it"},
        "status": {"type": "string", "enum": list(STATUSES)},
    }
    required = ["output"]
    if op.form == "decision":
        properties["decision"] = {"type": "string", "description": "what was decided"}
        properties["reason"] = {"type": "string", "description": "why"}
        required = ["decision"]
    if op.form == "review" and op.after:
        properties["scores"] = {
            "type": "object",
            "description": "how well each of these meets its criteria, 0 to 1",
            "properties": dict.fromkeys(op.after, score),
            "required": list(op.after),
        }
        required = ["scores"]
    return {"type": "object", "properties": properties, "required": required}


def read_result(schema: Mapping[str, Any], answer: Json) -> dict[str, Json]:
    """Return the result that `answer`, a text or an object, makes under a task's schema: with every
    key of `output`, `score` (None: not given), `handoff` and `status`; `decision` and `reason`, or
    `scores`, where the schema has them. Raise `ResultFault`."""
    properties = schema["properties"]
    fields = result_fields(schema, answer)
    for name in fields:
        if name not in properties:
            raise ResultFault(f"`{name}` is not a part of a result", ", ".join(properties))
    result: dict[str, Json] = {
        "output": _text(fields, "output"),
        "score": _score(fields.get("score"), "score"),
        "handoff": _object(fields, "handoff"),
        "status": _status(fields.get("status")),
    }
    if "decision" in properties:
        result["decision"] = _text(fields, "decision")
        result["reason"] = _text(fields, "reason")
        if not result["decision"]:
            raise ResultFault("the result says no decision", 'give {"decision": …, "reason": …}')
    if "scores" in properties:
        result["scores"] = _scores(fields, properties["scores"]["required"])
        if "scores" not in fields:
            result["score"] = None
    return result


def merge_handoffs(
    handoffs: Iterable[tuple[str, Mapping[str, Json]]],
) -> tuple[dict[str, Json], list[str]]:
    """Return all handoffs in one, by key: a later one wins (C23). Return the conflicts beside it,
    in words: keys for which two of them say different things. `handoffs` are (whose, what)."""
    merged: dict[str, Json] = {}
    owner: dict[str, str] = {}
    conflicts: list[str] = []
    for whose, handoff in handoffs:
        for key, value in handoff.items():
            if key in merged and merged[key] != value:
                conflicts.append(f"`{key}` of `{owner[key]}` and `{whose}` differ: `{whose}` wins")
            merged[key], owner[key] = value, whose
    return merged, conflicts


def result_fields(schema: Mapping[str, Any], answer: Json) -> Mapping[str, Json]:
    """Return the fields of an object, of a text that is one, or of a text that says the main thing:
    the output, the decision, one score for all. Raise `ResultFault`."""
    properties = schema["properties"]
    if isinstance(answer, str):
        text = answer.strip()
        if text.startswith("{"):
            try:
                parsed = read_frame(text)
            except BadFrame:
                parsed = None
            # An object that names no part of a result is itself what came of the task.
            if isinstance(parsed, dict) and parsed.keys() & properties.keys():
                return parsed
        if "scores" in properties:
            return {"score": text}
        return {"decision" if "decision" in properties else "output": answer}
    if isinstance(answer, Mapping):
        return answer
    if isinstance(answer, bool | int | float) and "scores" in properties:
        return {"score": answer}
    raise ResultFault("a result is a text or an object", 'give {"output": …, "score": 0.9}')


def _text(fields: Mapping[str, Json], name: str) -> str:
    value = fields.get(name, "")
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _score(value: Json, name: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ResultFault(f"`{name}` is not a number from 0 to 1", f'give {{"{name}": 0.9}}')
    return value


def _object(fields: Mapping[str, Json], name: str) -> dict[str, Json]:
    value = fields.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ResultFault(f"`{name}` is not an object", f'give {{"{name}": {{"KEY": "VALUE"}}}}')
    return value


def _status(value: Json) -> str:
    if value is None:
        return "completed"
    if value not in STATUSES:
        raise ResultFault(f"`{value}` is not a status", f"one of: {', '.join(STATUSES)}")
    return str(value)


def _scores(fields: Mapping[str, Json], names: Sequence[str]) -> dict[str, float]:
    """Return a score for each of the names; a single score stands for all of them."""
    scores = fields.get("scores")
    if scores is None and fields.get("score") is not None:
        scores = dict.fromkeys(names, fields["score"])
    if not isinstance(scores, dict):
        raise ResultFault(
            "a review says how good each task was: `scores` is missing",
            json.dumps({"scores": dict.fromkeys(names, 0.9)}),
        )
    by_name: dict[str, float] = {}
    for name in names:
        score = _score(scores.get(name), name)
        if score is None:
            raise ResultFault(f"`scores` says nothing of `{name}`", f'give {{"{name}": 0.9}}')
        by_name[name] = score
    if unknown := [name for name in scores if name not in names]:
        raise ResultFault(f"`{unknown[0]}` is not under review", ", ".join(names))
    return by_name
