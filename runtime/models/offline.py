"""The model `offline`: rules that plan and write calls of audio tools. Not a language model.

They have the roles planner, code_generation and error_analyzer, which are the names of agents;
every other agent is told that they have no such role. The same request gets the same answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flowc.compiler.catalog.audio_model import AudioTool, ToolParameter
from flowc.compiler.plan import PlanError, read_call, read_plan, step_paths, text_value
from flowc.compiler.plan.paths import original_input

from ..audio.calls.call import check_call, find_tool
from ..audio.plan.contradictions import Shape
from ..audio.vocabulary.repairs import another_plan
from ..audio.vocabulary.requests import call_text, code_of, plan_of
from ..audio.vocabulary.words.rules import NAME
from ..errors import Failure
from ..services import ModelReply, ModelRequest

OFFLINE = "offline"
LABEL = "offline rules v1: deterministic, not a language model"
_CODE = re.compile(
    r"Step: (?P<step>\S+)\n\nDocument:\n\n(?P<mark>`{3,})markdown\n(?P<text>.*)\n(?P=mark)\s*",
    re.DOTALL,
)
_FIX = re.compile(
    r"Step: \S+\nInput Audio: (?P<read>.*)\nOutput Audio: (?P<write>.*)\nDescription: .*\n\n"
    r"Code:\n\n(?P<mark>`{3,})python\n(?P<code>.*?)\n(?P=mark)\n+"
    r"Error:\n\n(?P<last>`{3,})text\n(?P<error>.*?)\n(?P=last)\n+Document:\n.*",
    re.DOTALL,
)
_NYQUIST = re.compile(
    r"`(?P<name>\w+)` is .*\sit can be at most (?P<most>[0-9]+) Hz there", re.DOTALL
)
_SHAPE = ("sample_rate_hz", "channels")
NO_REPAIR = "the offline rules cannot repair this"
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class OfflineModels:
    """Answers by rules (`services.Models`)."""

    label: str = LABEL
    is_model: bool = False

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Return the answer, as the arguments of the tool that the agent has to call. Raise
        `Failure` (refused) for a role or a request that the rules do not have."""
        role = ROLES.get(request.agent)
        if role is None:
            roles = ", ".join(ROLES)
            raise Failure(
                f"the offline rules have no role `{request.agent or request.node}`",
                "refused",
                help=f"they are {roles}; --model provider:name asks a language model",
            )
        answer = role(_last(request))
        if request.ending is None:
            return ModelReply(json.dumps(answer, ensure_ascii=False), model=NAME)
        id = f"rule_{request.node}_{request.visit}_{request.turn}"
        call = {"id": id, "name": request.ending, "args": answer}
        return ModelReply("", (call,), model=NAME)


def _last(request: ModelRequest) -> str:
    """Return the request of the agent."""
    texts = [str(m.get("content") or "") for m in request.messages if m["role"] == "user"]
    return texts[-1] if texts else ""


def _planner(text: str) -> Json:
    """Plan by the last line, which is JSON: `request`, `audio`, perhaps `output`, and `measured` of
    the audio; with a `problem` of the plan before this one, another plan."""
    line = text.strip().rpartition("\n")[2]
    try:
        data = json.loads(line)
        request, audio = data["request"], data["audio"]
        measured = data.get("measured") or {}
        sound = Shape(*(None if (n := measured.get(k)) is None else int(n) for k in _SHAPE))
        problem, before = str(data.get("problem") or ""), int(data.get("round") or 0)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise _unread("planner", "a last line of JSON with `request` and `audio`") from None
    plan = plan_of(str(request), str(audio), str(data.get("output") or ""), sound)
    return another_plan(plan, problem, before, measured) if problem else plan


def _code_generation(text: str) -> Json:
    parts = _CODE.fullmatch(text.strip())
    if parts is None:
        raise _unread("code_generation", "a step's ID and the document")
    document = read_plan(parts["text"])
    try:
        read, write = step_paths(document, parts["step"])
        description = text_value(document.step(parts["step"]), "Description")
    except PlanError as refused:
        raise Failure(str(refused), "refused") from None
    return {"code": code_of(description, read, write, original_input(document) or "")}


def _error_analyzer(text: str) -> Json:
    parts = _FIX.fullmatch(text.strip())
    if parts is None:
        raise _unread("error_analyzer", "code, error and paths")
    code, why = repair(parts["code"], parts["error"], parts["read"], parts["write"])
    return {"code": code, "explanation": why}


def _unread(role: str, what: str) -> Failure:
    return Failure(
        f"the offline rules cannot read what the {role} was asked",
        "refused",
        help=f"they expect {what}, as workflows/audio/edit.yaml asks",
    )


def repair(code: str, error: str, read: str, write: str) -> tuple[str, str]:
    """Return the code, changed or not, and what was changed in words. Only what is mechanical is
    changed: a value moves to the nearest that its tool takes, a path becomes the step's own."""
    try:
        call = read_call(code.strip())
        tool = find_tool(call.tool)
    except (PlanError, Failure):
        return code, NO_REPAIR
    arguments = dict(call.arguments)
    changes = [*_paths(tool, arguments, read, write), *_ranges(tool, arguments, error)]
    try:
        check_call(tool.name, arguments)
    except Failure:
        return code, NO_REPAIR
    return (call_text(tool.name, arguments), "; ".join(changes)) if changes else (code, NO_REPAIR)


def _paths(tool: AudioTool, arguments: dict[str, Any], read: str, write: str) -> list[str]:
    """Put the step's own paths in, where the tool takes one input and one output."""
    changes = []
    for parameter in tool.parameters:
        own = {"input": read, "output": write}.get(parameter.kind)
        if own is not None and arguments.get(parameter.name) != own:
            arguments[parameter.name] = own
            changes.append(f"`{parameter.name}` is the step's own path")
    return changes


def _ranges(tool: AudioTool, arguments: dict[str, Any], error: str) -> list[str]:
    changes = []
    known = {parameter.name: parameter for parameter in tool.parameters}
    limit = _NYQUIST.search(error)
    for name, value in list(arguments.items()):
        parameter = known.get(name)
        if parameter is None or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        nearest = _nearest(parameter, value)
        if limit is not None and limit["name"] == name:
            nearest = min(nearest, int(limit["most"]))
        if nearest != value:
            arguments[name] = nearest
            changes.append(f"`{name}` is {nearest:g}, the nearest to {value:g} that it can be")
    return changes


def _nearest(parameter: ToolParameter, value: float) -> float:
    if parameter.kind == "choice":
        numbers = [c for c in parameter.choices if isinstance(c, int | float)]
        return min(numbers, key=lambda choice: abs(choice - value), default=value)
    if parameter.kind not in ("number", "integer"):
        return value
    nearest = min(max(value, parameter.low), parameter.high)
    return int(nearest) if nearest == int(nearest) else nearest


ROLES: dict[str, Callable[[str], Json]] = {
    "planner": _planner,
    "code_generation": _code_generation,
    "error_analyzer": _error_analyzer,
}
"""The agents that the rules can be, by name."""
