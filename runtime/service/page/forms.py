"""Forms as requests of operations. Empty fields are left out."""

from __future__ import annotations

import json
import re
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
        agent: dict[str, Any] = {"role_name": role, "agent_config": {}}
        if field(form, f"type_{number}") == "person":
            agent["type"] = "person"
        if model := field(form, f"model_{number}"):
            agent["agent_config"]["model"] = model
        if instructions := field(form, f"instructions_{number}"):
            agent["agent_config"]["instructions"] = instructions
        if tools := field(form, f"tools_{number}").replace(",", " ").split():
            agent["agent_config"]["tools"] = tools
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
    config: dict[str, Any] = {}
    for name in ("max_iterations", "timeout_minutes"):
        if text := field(form, name):
            config[name] = _number(name, text)
    if enforcement := field(form, "quality_enforcement"):
        config["quality_enforcement"] = enforcement
    if field(form, "auto_retry"):
        config["auto_retry"] = True
    request: dict[str, Any] = {"workflow_id": workflow, "input_parameters": inputs}
    if team := field(form, "team_id"):
        request["team_id"] = team
    return {**request, "execution_config": config}


def completion_in(form: FormData) -> dict[str, Any]:
    """Return the request of COMPLETE_STEP."""
    data: dict[str, Any] = {"status": field(form, "status") or "completed"}
    data |= {name: text for name in _TEXTS if (text := field(form, name))}
    data |= {name: _number(name, text) for name in _NUMBERS if (text := field(form, name))}
    scores = {
        name.removeprefix("score_"): _number(name, field(form, name))
        for name in form
        if name.startswith("score_") and field(form, name)
    }
    if scores:
        data["scores"] = scores
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


def position_in(form: FormData) -> int:
    """Return the position of the last event that the page shows, or 0."""
    text = field(form, "after")
    return int(text) if re.fullmatch("[0-9]{1,15}", text) else 0


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
