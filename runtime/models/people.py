"""`--model people`: the person who runs the workflow answers in the model's place, turn by turn.

A turn is an interrupt: the run waits for it as for any other question, in whatever process. So a
person on a terminal, or an assistant that carries a workflow out step by step, can be the model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, cast

from flowc.compiler.ir import REPORT_TOOL
from langgraph.types import interrupt

from ..context import CALL_PATH
from ..errors import Failure
from ..services import Json, ModelReply, ModelRequest, ToolSchema

PEOPLE = "people"
"""The value of `--model`."""
_REPORTED = re.compile(r"\s*(passed|failed)\s*(?::\s*(.*))?", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PeopleModels:
    """Every call waits for an answer: a text, {text, tool_calls: [{name, args}]}, or, where the
    turn has to end with a call, the arguments of that call. {failed: message} fails the call."""

    label: str = "whoever runs this: not a language model"
    is_model: bool = False

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Wait for the answer. Raise `Failure` when it says that there is none. Nothing happens
        before the interrupt: an answered call is made again from its start."""
        path = list(CALL_PATH.get())
        ending = next((tool for tool in request.tools if tool.name == request.ending), None)
        about: dict[str, Any] = {
            "kind": "turn",
            "node": request.node,
            "text": _last(request),
            "messages": [dict(message) for message in request.messages[:-1]],
            "tools": [tool.name for tool in request.tools if tool is not ending],
            "ending": request.ending or "",
            "schema": ending.parameters if ending else None,
        }
        return _reply(interrupt({**about, "path": path} if path else about), request, ending)


@dataclass(frozen=True, slots=True)
class HandTools:
    """Tools for people who answer as a model: they use their own and report the results, so that
    any tool a workflow names for them is there. The workflow's own calls go to `box`."""

    box: Any

    async def open(self) -> None:
        await self.box.open()

    async def schema(self, name: str) -> ToolSchema:
        """Return the real tool's schema, or that of one which only the person has."""
        schema: ToolSchema | None = await self.box.schema(name)
        about = "a tool of whoever answers"
        return schema or ToolSchema(name, about, {"type": "object"}, source="people")

    async def call(self, name: str, args: dict[str, Json]) -> Json:
        return cast("Json", await self.box.call(name, args))

    async def close(self) -> None:
        await self.box.close()


def _last(request: ModelRequest) -> str:
    """Return the current question; what was said before it is context."""
    return str(request.messages[-1].get("content", "")) if request.messages else ""


def _reply(answer: Json, request: ModelRequest, ending: ToolSchema | None) -> ModelReply:
    if isinstance(answer, dict):
        if set(answer) == {"failed"}:
            raise Failure(str(answer["failed"]) or "whoever answers could not do it")
        if set(answer) <= {"text", "tool_calls"} and answer:
            calls = answer.get("tool_calls") or []
            numbered = [{"id": f"call-{n}", **call} for n, call in enumerate(calls, 1)]
            return ModelReply(str(answer.get("text") or ""), tuple(numbered))
        if ending is not None:
            return _end(ending, answer)
    text = answer if isinstance(answer, str) else str(answer)
    if ending is not None and ending.name == REPORT_TOOL and (parts := _REPORTED.fullmatch(text)):
        number = ending.parameters["properties"]["step_number"]["const"]
        report = {"step_number": number, "status": parts[1].lower()}
        return _end(ending, {**report, "error_message": (parts[2] or "").strip()})
    return ModelReply(text)


def _end(ending: ToolSchema, args: dict[str, Json]) -> ModelReply:
    return ModelReply("", ({"id": "call-1", "name": ending.name, "args": args},))
