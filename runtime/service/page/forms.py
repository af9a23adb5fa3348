"""Forms as requests of operations. Empty fields are left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from flowc.compiler.ir import Param
from starlette.datastructures import FormData, UploadFile

from ..contract.documents import CONTRACT
from ..records.errors import ServiceFault
from .visit import field

AGENTS = 5
"""Agents that a team has at most."""
_NUMBERS = ("quality_self_assessment", "duration_minutes", "progress_percentage")
_TEXTS = ("output", "challenges_encountered", "recommendations", "decision", "reason")


async def workflow_in(form: FormData) -> tuple[str, str]:
    """Return the text of a workflow and its file name: the upload, else what was typed. Raises
    `ServiceFault` for what is not a text."""
    name, source = field(form, "file_name"), form.get("source")
    text = source.replace("\r\n", "\n") if isinstance(source, str) else ""
    upload = form.get("file")
    if isinstance(upload, UploadFile) and upload.filename:
        try:
            text = (await upload.read()).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ServiceFault(
                "INVALID_REQUEST", f"{upload.filename} is not UTF-8: byte {error.start}"
            ) from None
        name = name or upload.filename
    if not text.strip():
        raise ServiceFault("INVALID_REQUEST", "there is no text: paste one or choose a file")
    return text, name or CONTRACT


def team_in(form: FormData) -> str:
    """Return the JSON of a team."""
    roles: list[dict[str, Any]] = []
    for number in range(1, AGENTS + 1):
        role = field(form, f"role_{number}")
        if not role:
            continue
        config: dict[str, Any] = _texts(form, ("model", "instructions"), f"_{number}")
        if tools := field(form, f"tools_{number}").replace(",", " ").split():
            config["tools"] = tools
        agent = {"role_name": role, "agent_config": config}
        if field(form, f"type_{number}") == "person":
            agent["type"] = "person"
        roles.append(agent)
    team = {
        "team_name": field(form, "team_name"),
        "team_type": field(form, "team_type"),
        "agent_roles": roles,
    }
    return json.dumps(team, ensure_ascii=False, indent=2)


def start_in(form: FormData, workflow: str, params: tuple[Param, ...]) -> dict[str, Any]:
    """Return the request of EXECUTE_WORKFLOW."""
    inputs = {}
    for param in params:
        text = field(form, f"input_{param.name}")
        if text:
            inputs[param.name] = text if param.type == "text" else _value(param.name, text)
    config: dict[str, Any] = _numbers(form, ("max_iterations", "timeout_minutes"))
    config |= _texts(form, ("quality_enforcement",))
    if field(form, "auto_retry"):
        config["auto_retry"] = True
    about = {"workflow_id": workflow, **_texts(form, ("team_id",))}
    return {**about, "input_parameters": inputs, "execution_config": config}


def completion_in(form: FormData) -> dict[str, Any]:
    """Return the request of COMPLETE_STEP."""
    data: dict[str, Any] = {"status": field(form, "status") or "completed"}
    data |= {**_texts(form, _TEXTS), **_numbers(form, _NUMBERS)}
    scores = _numbers(form, [name for name in form if name.startswith("score_")])
    if scores:
        data["scores"] = {name.removeprefix("score_"): score for name, score in scores.items()}
    handoff = field(form, "handoff")
    return {
        "assignment_id": field(form, "assignment_id"),
        "completion_data": data,
        "handoff_data": _value("handoff", handoff) if handoff else {},
    }


def answer_in(form: FormData) -> dict[str, Any]:
    """Return the answer to a question: a text, or a JSON value where its variable holds another
    type."""
    text = field(form, "answer")
    if field(form, "type") not in ("", "string"):
        return {"answer": _value("answer", text)}
    structured = field(form, "kind") in ("turn", "unknown") and text[:1] in ("{", "[")
    return {"answer": _value("answer", text) if structured else text}


def pause_in(form: FormData) -> dict[str, Any]:
    """Return the request of PAUSE_WORKFLOW."""
    return {
        "pause_type": field(form, "pause_type") or "graceful",
        "pause_reason": field(form, "pause_reason"),
    }


def resume_in(form: FormData) -> dict[str, Any]:
    """Return the request of RESUME_WORKFLOW."""
    config = {name: True for name in ("reset_timeout", "update_deadlines") if form.get(name)}
    return {"resume_token": field(form, "resume_token"), "resume_config": config}


def position_in(form: FormData) -> int:
    """Return the position of the last event that the page shows, or 0."""
    text = field(form, "after")
    return int(text) if re.fullmatch("[0-9]{1,15}", text) else 0


def _texts(form: FormData, names: Iterable[str], end: str = "") -> dict[str, str]:
    """Return the texts of the fields that are not empty, whose names end with `end`."""
    return {name: text for name in names if (text := field(form, name + end))}


def _numbers(form: FormData, names: Iterable[str]) -> dict[str, float | int]:
    return {name: _number(name, text) for name, text in _texts(form, names).items()}


def _number(name: str, text: str) -> float | int:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise ServiceFault("INVALID_REQUEST", f"{name}: `{text[:40]}` is not a number") from None


def _value(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ServiceFault(
            "INVALID_REQUEST", f'{name}: `{text[:40]}` is not JSON, as in {{"key": 1}} or 12'
        ) from None
