"""Fields of forms as the requests that the operations take. Empty fields are left out."""

from __future__ import annotations

import json
import re
from typing import Any

from flowc.compiler.ir import Param
from starlette.datastructures import FormData, UploadFile

from ..operations.compile import CONTRACT
from ..records.errors import ServiceFault
from .visiting import field

AGENTS = 5
"""Agents that a team has at most."""
_NUMBERS = ("quality_self_assessment", "duration_minutes", "progress_percentage")
_TEXTS = ("output", "challenges_encountered", "recommendations", "decision", "reason")


async def workflow_in(form: FormData) -> tuple[str, str]:
    """The text of a workflow and the name of its file: what was uploaded, else what was typed.
    Raises `ServiceFault` for what is no text."""
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
    """The JSON of a team."""
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
        if said := field(form, f"instructions_{number}"):
            agent["agent_config"]["instructions"] = said
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
    """EXECUTE_WORKFLOW."""
    inputs = {}
    for param in params:
        given = field(form, f"input_{param.name}")
        if given:
            inputs[param.name] = given if param.type == "text" else _value(param.name, given)
    config: dict[str, Any] = {}
    for name in ("max_iterations", "timeout_minutes"):
        if given := field(form, name):
            config[name] = _number(name, given)
    if enforcement := field(form, "quality_enforcement"):
        config["quality_enforcement"] = enforcement
    if field(form, "auto_retry"):
        config["auto_retry"] = True
    asked: dict[str, Any] = {"workflow_id": workflow, "input_parameters": inputs}
    if team := field(form, "team_id"):
        asked["team_id"] = team
    return {**asked, "execution_config": config}


def completion_in(form: FormData, execution: str) -> dict[str, Any]:
    """COMPLETE_STEP."""
    data: dict[str, Any] = {"status": field(form, "status") or "completed"}
    data |= {name: given for name in _TEXTS if (given := field(form, name))}
    data |= {name: _number(name, given) for name in _NUMBERS if (given := field(form, name))}
    scores = {
        name.removeprefix("score_"): _number(name, field(form, name))
        for name in form
        if name.startswith("score_") and field(form, name)
    }
    if scores:
        data["scores"] = scores
    handoff = field(form, "handoff")
    return {
        "execution_id": execution,
        "assignment_id": field(form, "assignment_id"),
        "completion_data": data,
        "handoff_data": _value("handoff", handoff) if handoff else {},
    }


def answer_in(form: FormData) -> dict[str, Any]:
    """The answer to a question: a word, or JSON where the question asks for more than that, as for
    a number or a yes for a variable that holds one."""
    given = field(form, "answer")
    if field(form, "type") not in ("", "string"):
        return {"answer": _value("answer", given)}
    structured = field(form, "kind") in ("turn", "unknown") and given[:1] in ("{", "[")
    return {"answer": _value("answer", given) if structured else given}


def position_in(form: FormData) -> int:
    """The last event that the page shows already; 0 when it does not say."""
    given = field(form, "after")
    return int(given) if re.fullmatch("[0-9]{1,15}", given) else 0


def _number(name: str, given: str) -> float | int:
    try:
        return int(given)
    except ValueError:
        pass
    try:
        return float(given.replace(",", "."))
    except ValueError:
        raise ServiceFault("INVALID_REQUEST", f"{name}: `{given[:40]}` is no number") from None


def _value(name: str, given: str) -> Any:
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        raise ServiceFault(
            "INVALID_REQUEST", f'{name}: `{given[:40]}` is not JSON, as in {{"key": 1}} or 12'
        ) from None
