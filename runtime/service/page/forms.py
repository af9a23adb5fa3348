"""Forms as requests of operations. Empty fields are left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from flowc.compiler.ir import Param

from ..bodies.read_body import SentForm
from ..contract.documents import CONTRACT
from ..records.errors import ServiceFault

AGENTS = 5
"""Agents that a team has at most."""
MOST_JSON = 50_000
"""Characters of a value in a field: it is parsed on the event loop."""
MOST_DIGITS = 400
_NUMBERS = ("quality_self_assessment", "duration_minutes", "progress_percentage")
_TEXTS = ("output", "challenges_encountered", "recommendations", "decision", "reason")


def workflow_in(form: SentForm) -> tuple[str, str]:
    """Return the text of a workflow and its file name: the upload, else what was typed. Raises
    `ServiceFault` for what is not a text."""
    name, text = form.text("file_name"), form.fields.get("source", "").replace("\r\n", "\n")
    file, uploaded = form.uploads.get("file", ("", b""))
    if file:
        try:
            text = uploaded.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ServiceFault(
                "INVALID_REQUEST", f"{file} is not UTF-8: byte {error.start}"
            ) from None
        name = name or file
    if not text.strip():
        raise ServiceFault("INVALID_REQUEST", "there is no text: paste one or choose a file")
    return text, name or CONTRACT


def team_in(form: SentForm) -> str:
    """Return the JSON of a team."""
    roles: list[dict[str, Any]] = []
    for number in range(1, AGENTS + 1):
        role = form.text(f"role_{number}")
        if not role:
            continue
        config: dict[str, Any] = _texts(form, ("model", "instructions"), f"_{number}")
        if tools := form.text(f"tools_{number}").replace(",", " ").split():
            config["tools"] = tools
        agent = {"role_name": role, "agent_config": config}
        if form.text(f"type_{number}") == "person":
            agent["type"] = "person"
        roles.append(agent)
    team = {
        "team_name": form.text("team_name"),
        "team_type": form.text("team_type"),
        "agent_roles": roles,
    }
    return json.dumps(team, ensure_ascii=False, indent=2)


def start_in(form: SentForm, workflow: str, params: tuple[Param, ...]) -> dict[str, Any]:
    """Return the request of EXECUTE_WORKFLOW."""
    inputs = {}
    for param in params:
        text = form.text(f"input_{param.name}")
        if text:
            inputs[param.name] = text if param.type == "text" else _value(param.name, text)
    config: dict[str, Any] = _numbers(form, ("max_iterations", "timeout_minutes"))
    config |= _texts(form, ("quality_enforcement",))
    if form.text("auto_retry"):
        config["auto_retry"] = True
    about = {"workflow_id": workflow, **_texts(form, ("team_id",))}
    return {**about, "input_parameters": inputs, "execution_config": config}


def completion_in(form: SentForm) -> dict[str, Any]:
    """Return the request of COMPLETE_STEP."""
    data: dict[str, Any] = {"status": form.text("status") or "completed"}
    data |= {**_texts(form, _TEXTS), **_numbers(form, _NUMBERS)}
    scores = _numbers(form, [name for name in form.fields if name.startswith("score_")])
    if scores:
        data["scores"] = {name.removeprefix("score_"): score for name, score in scores.items()}
    handoff = form.text("handoff")
    return {
        "assignment_id": form.text("assignment_id"),
        "completion_data": data,
        "handoff_data": _value("handoff", handoff) if handoff else {},
    }


def answer_in(form: SentForm) -> dict[str, Any]:
    """Return the answer to a question: a text, or a JSON value where its variable holds another
    type."""
    text = form.text("answer")
    if form.text("type") not in ("", "string"):
        return {"answer": _value("answer", text)}
    structured = form.text("kind") in ("turn", "unknown") and text[:1] in ("{", "[")
    return {"answer": _value("answer", text) if structured else text}


def pause_in(form: SentForm) -> dict[str, Any]:
    """Return the request of PAUSE_WORKFLOW."""
    return {
        "pause_type": form.text("pause_type") or "graceful",
        "pause_reason": form.text("pause_reason"),
    }


def cancel_in(form: SentForm) -> dict[str, Any]:
    """Return the request that cancels an execution."""
    return {
        "cancel_type": form.text("cancel_type") or "graceful",
        "reason": form.text("reason"),
    }


def nothing_in(form: SentForm) -> dict[str, Any]:
    """Return the request of an operation that takes nothing."""
    return {}


def resume_in(form: SentForm) -> dict[str, Any]:
    """Return the request of RESUME_WORKFLOW."""
    names = ("reset_timeout", "update_deadlines", "restart_failed_steps")
    config = {name: True for name in names if form.text(name)}
    return {"resume_token": form.text("resume_token"), "resume_config": config}


def position_in(form: SentForm) -> int:
    """Return the position of the last event that the page shows, or 0."""
    text = form.text("after")
    return int(text) if re.fullmatch("[0-9]{1,15}", text) else 0


def _texts(form: SentForm, names: Iterable[str], end: str = "") -> dict[str, str]:
    """Return the texts of the fields that are not empty, whose names end with `end`."""
    return {name: text for name in names if (text := form.text(name + end))}


def _numbers(form: SentForm, names: Iterable[str]) -> dict[str, float | int]:
    return {name: _number(name, text) for name, text in _texts(form, names).items()}


def _number(name: str, text: str) -> float | int:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text[:MOST_DIGITS].replace(",", "."))
    except ValueError:
        raise ServiceFault("INVALID_REQUEST", f"{name}: `{text[:40]}` is not a number") from None


def _value(name: str, text: str) -> Any:
    if len(text) > MOST_JSON:
        fault = f"{name}: JSON in a form has at most {MOST_JSON:,} characters"
        raise ServiceFault("INVALID_REQUEST", fault, recovery=("send it to the API",))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ServiceFault(
            "INVALID_REQUEST", f'{name}: `{text[:40]}` is not JSON, as in {{"key": 1}} or 12'
        ) from None
