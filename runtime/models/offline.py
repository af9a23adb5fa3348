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

from flowc.compiler.plan import PlanError, read_plan, step_paths, text_value

from ..audio.plan.contradictions import Shape
from ..errors import Failure
from ..schemas import ANSWER_TOOL
from ..services import ModelReply, ModelRequest
from .offline_plan import code_of, plan_of
from .offline_repair import repair
from .offline_rules import NAME

OFFLINE = "offline"
LABEL = "offline rules v1: deterministic, not a language model"
_CODE = re.compile(
    r"Step: (?P<step>\S+)\n\nDocument:\n\n(?P<mark>`{3,})markdown\n(?P<text>.*)\n(?P=mark)\s*",
    re.DOTALL,
)
_FIX = re.compile(
    r"Step: \S+\nInput Audio: (?P<read>.*)\nOutput Audio: (?P<write>.*)\n\n"
    r"Code:\n\n(?P<mark>`{3,})python\n(?P<code>.*?)\n(?P=mark)\n+"
    r"Error:\n\n(?P<last>`{3,})text\n(?P<error>.*)\n(?P=last)\s*",
    re.DOTALL,
)
_SHAPE = ("sample_rate_hz", "channels")
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class OfflineModels:
    """Answers by rules (`services.Models`)."""

    label: str = LABEL
    is_model: bool = False

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Return the answer, as the arguments of the tool that the agent has to call. Raises
        `Failure` (refused) for a role or a request that the rules do not have."""
        role = ROLES.get(request.agent)
        if role is None:
            known = ", ".join(ROLES)
            raise Failure(
                f"the offline rules have no role `{request.agent or request.node}`",
                "refused",
                help=f"they are {known}; --model provider:name asks a language model",
            )
        answer = role(_last(request))
        names = [tool.name for tool in request.tools if tool.name.startswith(ANSWER_TOOL)]
        if not names:
            return ModelReply(json.dumps(answer, ensure_ascii=False), model=NAME)
        id = f"rule_{request.node}_{request.visit}_{request.turn}"
        call = {"id": id, "name": max(names, key=len), "args": answer}
        return ModelReply("", (call,), model=NAME)


def is_offline(model: str | None) -> bool:
    """Tell whether a model's name means the rules: `offline`."""
    return model == OFFLINE


def _last(request: ModelRequest) -> str:
    """Return the request of the agent."""
    texts = [str(m.get("content") or "") for m in request.messages if m["role"] == "user"]
    return texts[-1] if texts else ""


def _planner(text: str) -> Json:
    """Plan by the last line, which is JSON: `request`, `audio`, perhaps `output`, and `measured` of
    the audio."""
    line = text.strip().rpartition("\n")[2]
    try:
        data = json.loads(line)
        request, audio = data["request"], data["audio"]
        measured = data.get("measured") or {}
        sound = Shape(*(None if (n := measured.get(k)) is None else int(n) for k in _SHAPE))
    except (AttributeError, KeyError, TypeError, ValueError):
        raise _unread("planner", "a last line of JSON with `request` and `audio`") from None
    return plan_of(str(request), str(audio), str(data.get("output") or ""), sound)


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
    return {"code": code_of(description, read, write)}


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


ROLES: dict[str, Callable[[str], Json]] = {
    "planner": _planner,
    "code_generation": _code_generation,
    "error_analyzer": _error_analyzer,
}
"""The agents that the rules can be, by name."""
